//! Leaves a vendor alone while it refuses the account or keeps failing.
//!
//! Existing circuit breakers know one kind of failure and one way to back off. Here a refusal opens at once and for
//! long, failures in a row open for a short while, and before the first answer only a few look-ups go out at a time, so
//! that a key that is wrong from the start is tried a few times and not once for each of a burst of calls.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use domain::port::Skip;
use tokio::sync::Notify;

/// Look-ups at a time until the vendor has answered once.
const PROVING: u32 = 3;
/// Failures in a row after which the vendor is left alone.
const FAILURES: u32 = 5;
/// The first and the longest pause after failures.
const SHORT: (Duration, Duration) = (Duration::from_secs(5), Duration::from_mins(1));
/// The first and the longest pause after a refusal.
const LONG: (Duration, Duration) = (Duration::from_mins(1), Duration::from_mins(10));

/// Guards one vendor.
#[derive(Debug)]
pub(crate) struct Breaker {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// No answer yet.
    Proving { running: u32, failures: u32 },
    /// The vendor answers.
    Closed { failures: u32 },
    /// Nobody asks until `until`; then one look-up finds out.
    Open { until: Instant, pause: Pause },
    /// That one look-up is under way.
    Probing { pause: Pause },
}

/// How long the vendor is left alone, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pause {
    pub(crate) length: Duration,
    pub(crate) is_refusal: bool,
}

/// What a look-up says about the vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptOutcome {
    /// It answered, whatever it knows.
    Answered,
    /// It gave no usable answer.
    Failed,
    /// It refuses the account.
    Refused,
}

/// The right to ask the vendor once. Dropped without an outcome, it says nothing about the vendor.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    breaker: &'a Breaker,
    /// When the permit was given, if it is the one that finds out whether the vendor has recovered.
    probing_since: Option<Instant>,
}

impl Breaker {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(State::Proving {
                running: 0,
                failures: 0,
            }),
            changed: Notify::new(),
        }
    }

    /// Waits, while the vendor has yet to prove itself, for the right to ask.
    pub(crate) async fn enter(&self, now: impl Fn() -> Instant) -> Result<Permit<'_>, Skip> {
        loop {
            // Registered before the state is looked at, so that no change between the two is missed.
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some(entered) = self.try_enter(now()) {
                return entered;
            }
            changed.await;
        }
    }

    /// `None` means that waiting makes sense.
    fn try_enter(&self, now: Instant) -> Option<Result<Permit<'_>, Skip>> {
        let mut state = self.lock();
        let probing_since = match *state {
            State::Proving { running, .. } if running >= PROVING => return None,
            State::Proving { ref mut running, .. } => {
                *running += 1;
                None
            }
            State::Closed { .. } => None,
            State::Open { until, pause } if until <= now => {
                *state = State::Probing { pause };
                Some(now)
            }
            State::Open { pause, .. } | State::Probing { pause } => return Some(Err(pause.skip())),
        };
        Some(Ok(Permit {
            breaker: self,
            probing_since,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pause {
    const fn skip(self) -> Skip {
        if self.is_refusal {
            Skip::Refused
        } else {
            Skip::OutOfOrder
        }
    }

    /// The pause after `outcome`, twice as long as the one before when that was of the same kind.
    fn after(outcome: AttemptOutcome, before: Option<Self>) -> Self {
        let is_refusal = outcome == AttemptOutcome::Refused;
        let (first, longest) = if is_refusal { LONG } else { SHORT };
        let length = before
            .filter(|before| before.is_refusal == is_refusal)
            .map_or(first, |before| longest.min(before.length * 2));
        Self { length, is_refusal }
    }
}

impl Permit<'_> {
    /// Tells how the look-up ended; returns the pause when the vendor is left alone from now on.
    pub(crate) fn settle(self, outcome: AttemptOutcome, now: Instant) -> Option<Pause> {
        let mut state = self.breaker.lock();
        let (failures, before) = match *state {
            State::Proving { failures, .. } | State::Closed { failures } => (failures + 1, None),
            State::Probing { pause } if self.probing_since.is_some() => (FAILURES, Some(pause)),
            // Begun before the vendor was left alone: only a refusal adds to what is known.
            State::Open { pause, .. } | State::Probing { pause } => {
                if outcome != AttemptOutcome::Refused || pause.is_refusal {
                    return None;
                }
                (FAILURES, None)
            }
        };
        if outcome == AttemptOutcome::Answered {
            *state = State::Closed { failures: 0 };
            return None;
        }
        if outcome == AttemptOutcome::Failed && failures < FAILURES {
            if let State::Proving { failures: count, .. } | State::Closed { failures: count } = &mut *state {
                *count = failures;
            }
            return None;
        }
        let pause = Pause::after(outcome, before);
        *state = State::Open {
            until: now + pause.length,
            pause,
        };
        Some(pause)
    }
}

impl Drop for Permit<'_> {
    /// Frees the place, after an outcome too, and wakes who waits for it.
    fn drop(&mut self) {
        let mut state = self.breaker.lock();
        match (&mut *state, self.probing_since) {
            (State::Proving { running, .. }, _) => *running = running.saturating_sub(1),
            // The probe found nothing out, so the next look-up probes.
            (State::Probing { pause }, Some(until)) => *state = State::Open { until, pause: *pause },
            _ => {}
        }
        drop(state);
        self.breaker.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entered(breaker: &Breaker, now: Instant) -> Result<Permit<'_>, Skip> {
        breaker.try_enter(now).expect("no need to wait")
    }

    fn proven(now: Instant) -> Breaker {
        let breaker = Breaker::new();
        assert_eq!(
            entered(&breaker, now)
                .expect("a permit")
                .settle(AttemptOutcome::Answered, now),
            None
        );
        breaker
    }

    #[test]
    fn a_refusal_opens_at_once_and_each_probe_that_is_refused_doubles_the_pause() {
        let mut now = Instant::now();
        let breaker = proven(now);
        let mut pause = entered(&breaker, now)
            .expect("a permit")
            .settle(AttemptOutcome::Refused, now);
        for seconds in [60, 120, 240, 480, 600, 600] {
            let length = Duration::from_secs(seconds);
            assert_eq!(
                pause,
                Some(Pause {
                    length,
                    is_refusal: true
                })
            );
            assert_eq!(entered(&breaker, now).expect_err("open"), Skip::Refused);
            assert_eq!(entered(&breaker, now + length / 2).expect_err("open"), Skip::Refused);
            now += length;
            let probe = entered(&breaker, now).expect("a probe");
            assert_eq!(entered(&breaker, now).expect_err("one probe at a time"), Skip::Refused);
            pause = probe.settle(AttemptOutcome::Refused, now);
        }
        now += Duration::from_mins(10);
        entered(&breaker, now)
            .expect("a probe")
            .settle(AttemptOutcome::Answered, now);
        assert!(
            entered(&breaker, now).is_ok() && entered(&breaker, now).is_ok(),
            "closed again"
        );
    }

    #[test]
    fn failures_in_a_row_open_for_a_short_while() {
        let now = Instant::now();
        let breaker = proven(now);
        for _ in 1..FAILURES {
            assert_eq!(
                entered(&breaker, now)
                    .expect("a permit")
                    .settle(AttemptOutcome::Failed, now),
                None
            );
        }
        assert_eq!(
            entered(&breaker, now)
                .expect("a permit")
                .settle(AttemptOutcome::Answered, now),
            None,
            "the row is broken"
        );
        for _ in 1..FAILURES {
            assert_eq!(
                entered(&breaker, now)
                    .expect("a permit")
                    .settle(AttemptOutcome::Failed, now),
                None
            );
        }
        let pause = entered(&breaker, now)
            .expect("a permit")
            .settle(AttemptOutcome::Failed, now);
        assert_eq!(
            pause,
            Some(Pause {
                length: SHORT.0,
                is_refusal: false
            })
        );
        assert_eq!(entered(&breaker, now).expect_err("open"), Skip::OutOfOrder);

        let later = now + SHORT.0;
        let pause = entered(&breaker, later)
            .expect("a probe")
            .settle(AttemptOutcome::Failed, later);
        assert_eq!(pause.map(|pause| pause.length), Some(SHORT.0 * 2));
    }

    #[test]
    fn what_began_before_the_pause_does_not_end_it() {
        let now = Instant::now();
        let breaker = proven(now);
        let (early, second) = (
            entered(&breaker, now).expect("a permit"),
            entered(&breaker, now).expect("a permit"),
        );
        entered(&breaker, now)
            .expect("a permit")
            .settle(AttemptOutcome::Refused, now);
        assert_eq!(early.settle(AttemptOutcome::Answered, now), None);
        assert_eq!(second.settle(AttemptOutcome::Refused, now), None, "known already");
        assert_eq!(entered(&breaker, now).expect_err("open"), Skip::Refused);
    }

    #[test]
    fn a_probe_that_is_given_up_leaves_the_next_one_to_probe() {
        let now = Instant::now();
        let breaker = proven(now);
        entered(&breaker, now)
            .expect("a permit")
            .settle(AttemptOutcome::Refused, now);
        let later = now + LONG.0;
        drop(entered(&breaker, later).expect("a probe"));
        assert!(entered(&breaker, later).is_ok());
    }

    #[tokio::test]
    async fn before_the_first_answer_a_few_go_and_the_others_wait_for_what_those_find() {
        let now = Instant::now();
        let clock = || now;
        for (outcome, others) in [
            (AttemptOutcome::Answered, Ok(())),
            (AttemptOutcome::Refused, Err(Skip::Refused)),
        ] {
            let breaker = Breaker::new();
            let mut first = Vec::new();
            for _ in 0..PROVING {
                first.push(breaker.enter(clock).await.expect("a permit"));
            }
            let waiting = async { breaker.enter(clock).await.map(drop) };
            let settled = async {
                tokio::task::yield_now().await;
                first.pop().expect("one of them").settle(outcome, now);
            };
            assert_eq!(tokio::join!(waiting, settled).0, others);
        }
    }

    #[tokio::test]
    async fn a_place_that_is_given_up_goes_to_who_waits() {
        let now = Instant::now();
        let breaker = Breaker::new();
        let mut first = Vec::new();
        for _ in 0..PROVING {
            first.push(breaker.enter(|| now).await.expect("a permit"));
        }
        let waiting = breaker.enter(|| now);
        let given_up = async {
            tokio::task::yield_now().await;
            drop(first.pop());
        };
        assert!(tokio::join!(waiting, given_up).0.is_ok());
    }
}
