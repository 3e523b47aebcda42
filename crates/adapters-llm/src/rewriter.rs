//! The background worker: claims what lacks a rewrite, asks the model, and keeps what passes the checks.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use domain::{
    access::TenantId,
    context::Deadline,
    error::PortError,
    port::{
        Claim, Clock, Day, ModelError, RequestId, RewriteProbe, Subject, Summarizer, SummaryBacklog, rewrite::ATTEMPTS,
    },
    rewrite::{self, Draft, Rejection, Rewrite},
};
use tokio::{runtime::Handle, sync::watch, task::JoinHandle};

use crate::pause::Pause;

/// How long a unit of work of the database may take.
const STORING: Duration = Duration::from_secs(3);

/// How long after midnight (UTC) work that the cap of a day put off is spread, in milliseconds.
const SPREAD_MS: i64 = 10 * 60 * 1000;

/// Requests that are remembered of a day because nobody knows whether they were counted.
const UNANSWERED: usize = 1024;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What bounds the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewriterLimits {
    /// Requests of each tenant and day (UTC).
    pub daily_requests: u32,
    /// The whole of one request.
    pub request: Duration,
    /// Requests at a time.
    pub at_once: usize,
    /// How often the backlog is looked at when it was empty.
    pub interval: Duration,
    /// The first and the longest pause after the endpoint failed.
    pub pause: (Duration, Duration),
    /// How long a piece of work waits after its first failure; twice as long after each further one.
    pub backoff: Duration,
}

impl Default for RewriterLimits {
    fn default() -> Self {
        Self {
            daily_requests: 1000,
            request: Duration::from_secs(30),
            at_once: 2,
            interval: Duration::from_secs(2),
            pause: (Duration::from_secs(5), Duration::from_mins(5)),
            backoff: Duration::from_secs(30),
        }
    }
}

/// What a [`Rewriter`] works with.
pub struct RewriterParts {
    /// What lacks a rewrite.
    pub backlog: Arc<dyn SummaryBacklog>,
    /// Who writes it.
    pub model: Arc<dyn Summarizer>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who is told.
    pub probe: Arc<dyn RewriteProbe>,
    /// What bounds it.
    pub limits: RewriterLimits,
}

/// The running worker. It ends when it is dropped or stopped; a request that is under way is given up, and its work is
/// claimed again when the lease has ended.
#[derive(Debug)]
pub struct Rewriter {
    stop: watch::Sender<bool>,
    lanes: Mutex<Vec<JoinHandle<()>>>,
}

impl Rewriter {
    /// Starts the worker on `runtime`.
    #[must_use]
    pub fn start(parts: RewriterParts, runtime: &Handle) -> Self {
        let (stop, stopped) = watch::channel(false);
        let lanes = parts.limits.at_once.max(1);
        let (first, longest) = parts.limits.pause;
        let worker = Arc::new(Worker {
            parts,
            pause: Pause::new(first, longest),
            unanswered: Mutex::default(),
        });
        let lanes = (0..lanes).map(|_| {
            let (worker, mut stopped) = (Arc::clone(&worker), stopped.clone());
            runtime.spawn(async move {
                tokio::select! {
                    () = worker.run() => {}
                    // An error means that nobody can stop it any more.
                    _ = stopped.wait_for(|stop| *stop) => {}
                }
            })
        });
        Self {
            stop,
            lanes: Mutex::new(lanes.collect()),
        }
    }

    /// Stops the worker and waits until it has ended, which takes no longer than giving up what is under way.
    pub async fn stop(&self) {
        self.stop.send_replace(true);
        let lanes = std::mem::take(&mut *self.lanes.lock().unwrap_or_else(PoisonError::into_inner));
        for lane in lanes {
            // A lane that panicked has ended too.
            let _ = lane.await;
        }
    }
}

struct Worker {
    parts: RewriterParts,
    pause: Pause,
    /// Requests that were never sent, because nobody knows whether they were counted. The tenant's next request of that
    /// day takes the place of one, so that it is not counted beside it.
    unanswered: Mutex<Vec<(TenantId, Day, RequestId)>>,
}

/// What is asked of the model.
enum Question<'c> {
    Call(Vec<rewrite::Part<'c>>),
    Caller(Vec<String>),
}

impl Worker {
    async fn run(&self) {
        loop {
            let left = self.pause.left(Instant::now());
            if !left.is_zero() {
                tokio::time::sleep(left).await;
            } else if !self.step().await {
                tokio::time::sleep(spread(self.parts.limits.interval)).await;
            }
        }
    }

    /// Does one piece of work, and says whether there may be more.
    async fn step(&self) -> bool {
        let now_ms = self.parts.clock.now_ms();
        let leased_until_ms = now_ms.saturating_add(millis(self.parts.limits.request + STORING * 3));
        match self.parts.backlog.claim(now_ms, leased_until_ms, storing()).await {
            Ok(Some(claim)) => {
                if let Err(error) = self.work(&claim).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "a rewrite could not be kept; it is tried again when its lease has ended"
                    );
                }
                true
            }
            Ok(None) => false,
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "work for the language model could not be claimed"
                );
                false
            }
        }
    }

    async fn work(&self, claim: &Claim) -> Result<(), PortError> {
        let question = question(claim);
        if let Question::Call(parts) = &question
            && parts.is_empty()
        {
            return self.settle(claim, None).await.map(|_| ());
        }
        let now_ms = self.parts.clock.now_ms();
        let RewriterParts {
            backlog, limits, probe, ..
        } = &self.parts;
        let today = Day::of_ms(now_ms);
        if !self.reserve(claim.tenant, today).await? {
            probe.capped();
            let tomorrow_ms = (i64::from(today.0) + 1).saturating_mul(DAY_MS);
            let due_ms = tomorrow_ms.saturating_add(rand::random_range(0..SPREAD_MS));
            return backlog.put_back(claim, due_ms, false, storing()).await;
        }
        let began = Instant::now();
        let asked = self.ask(&question, Deadline(began + limits.request)).await;
        let took = began.elapsed();
        let (kind, outcome) = match asked {
            Ok(draft) => {
                self.pause.end();
                let checked = check(&draft, claim, &question);
                if let Err(refusal) = checked {
                    tracing::debug!(reason = refusal.label(), "a language model's summary was refused");
                }
                let refused = checked.is_err();
                let stood = self.settle(claim, checked.ok()).await?;
                (
                    question.kind(),
                    if !stood {
                        "overtaken"
                    } else if refused {
                        "refused"
                    } else {
                        "kept"
                    },
                )
            }
            Err(error) => (question.kind(), self.failed(claim, &error).await?),
        };
        probe.ended(kind, outcome, took);
        Ok(())
    }

    /// Counts a request that is about to be sent; whether it may be.
    async fn reserve(&self, tenant: TenantId, day: Day) -> Result<bool, PortError> {
        let request = self.take_unanswered(tenant, day);
        let request = request.unwrap_or_else(|| RequestId::from_random(rand::random()));
        let RewriterParts { backlog, limits, .. } = &self.parts;
        let reserved = backlog
            .reserve(tenant, day, request, limits.daily_requests, storing())
            .await;
        if reserved.is_err() {
            let mut unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
            if unanswered.len() < UNANSWERED {
                unanswered.push((tenant, day, request));
            }
        }
        reserved
    }

    fn take_unanswered(&self, tenant: TenantId, day: Day) -> Option<RequestId> {
        let mut unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        unanswered.retain(|(_, of, _)| *of == day);
        let found = unanswered.iter().position(|(of, ..)| *of == tenant)?;
        Some(unanswered.swap_remove(found).2)
    }

    async fn ask(&self, question: &Question<'_>, deadline: Deadline) -> Result<Draft, ModelError> {
        let asking = async {
            match question {
                Question::Call(parts) => self.parts.model.call(parts, deadline).await,
                Question::Caller(lines) => self.parts.model.caller(lines, deadline).await,
            }
        };
        tokio::time::timeout_at(deadline.0.into(), asking)
            .await
            .unwrap_or_else(|late| Err(ModelError::Failed(Box::new(late))))
    }

    /// Puts back what the model gave no draft for; after the last attempt the text of the rules stays.
    async fn failed(&self, claim: &Claim, error: &ModelError) -> Result<&'static str, PortError> {
        let (outcome, counts, asked) = match error {
            ModelError::Busy { retry_after, .. } => ("busy", false, *retry_after),
            ModelError::Denied(_) => ("denied", false, None),
            ModelError::Failed(_) => ("failed", true, None),
            ModelError::Unreadable => ("unreadable", true, None),
        };
        if matches!(error, ModelError::Unreadable) {
            self.pause.end();
        } else if let Some(pause) = self.pause.begin(Instant::now(), asked) {
            let pause_s = pause.as_secs_f64();
            let advice = match error {
                ModelError::Denied(401 | 403) => "check CALLER_MEMORY_LLM_API_KEY",
                ModelError::Denied(_) => "check CALLER_MEMORY_LLM_BASE_URL and CALLER_MEMORY_LLM_MODEL",
                _ => "summaries stay as the rules made them meanwhile",
            };
            tracing::warn!(
                error = error as &dyn std::error::Error,
                pause_s,
                "the language model is left alone: {advice}"
            );
        }
        if counts && claim.attempt >= ATTEMPTS {
            self.settle(claim, None).await?;
        } else {
            let doubled = claim.attempt.saturating_sub(1).min(ATTEMPTS);
            let backoff = spread(self.parts.limits.backoff * 2_u32.pow(doubled));
            let due_ms = self.parts.clock.now_ms().saturating_add(millis(backoff));
            self.parts.backlog.put_back(claim, due_ms, counts, storing()).await?;
        }
        Ok(outcome)
    }

    async fn settle(&self, claim: &Claim, rewrite: Option<Rewrite>) -> Result<bool, PortError> {
        let now_ms = self.parts.clock.now_ms();
        self.parts.backlog.settle(claim, rewrite, now_ms, storing()).await
    }
}

impl Question<'_> {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Call(_) => "call",
            Self::Caller(_) => "caller",
        }
    }
}

fn question(claim: &Claim) -> Question<'_> {
    match &claim.subject {
        Subject::Call { transcript, .. } => Question::Call(rewrite::excerpt(transcript)),
        Subject::Caller {
            total_calls,
            recent_calls,
            facts,
            ..
        } => Question::Caller(rewrite::lines_of_caller(*total_calls, recent_calls, facts)),
    }
}

fn check(draft: &Draft, claim: &Claim, question: &Question<'_>) -> Result<Rewrite, Rejection> {
    match (&claim.subject, question) {
        (_, Question::Caller(lines)) => rewrite::of_caller(draft, lines),
        (Subject::Call { transcript, .. }, _) => rewrite::of_call(draft, transcript),
        (Subject::Caller { .. }, Question::Call(_)) => Err(Rejection::Empty),
    }
}

fn storing() -> Deadline {
    Deadline(Instant::now() + STORING)
}

/// Half to one and a half of `time`, so that workers do not all come at once.
fn spread(time: Duration) -> Duration {
    time.mul_f64(rand::random_range(0.5..1.5))
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
