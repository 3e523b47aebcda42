//! `replay`: posts a JSON-lines file of ended calls to a running service.
//!
//! The file is read as a stream: whatever its length, only a few lines for each connection are in memory. Lines of one
//! session go through one connection in the order of the file, because a later one corrects an earlier one.

mod latencies;
mod lines;

use std::{
    collections::BTreeMap,
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, BufReader, Read},
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;

use super::{
    client::{Answer, AnswerError, Client, Service},
    failure::Failure,
    output,
    progress::progress,
};
use crate::{clock::rounded_ms, config::whole, route::Route};
use latencies::Latencies;
use lines::{Line, Lines};

#[derive(Debug, Args)]
pub(super) struct Replay {
    /// The file: a JSON object on each line, with the fields of POST /v1/calls/end; `-` reads standard input
    file: PathBuf,
    #[command(flatten)]
    service: Service,
    /// How many calls are posted at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<u8>(1..=64))]
    concurrency: u8,
    /// Print the summary as one JSON value
    #[arg(long)]
    json: bool,
}

/// How often a call is posted again after a 429, a 503 or no answer at all.
const RETRIES: u32 = 8;

/// The same after no answer, while the service has not stored a call yet: it probably is not there.
const FIRST_RETRIES: u32 = 2;

/// The longest wait before a retry, whatever the service asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

pub(super) fn run(command: &Replay) -> Result<(), Failure> {
    let (input, length) = open(command)?;
    let bar = progress(length);
    let replay = ReplayRun {
        client: command.service.client()?,
        bar: &bar,
        tally: Mutex::default(),
        turnstile: Mutex::default(),
        stopped: AtomicBool::new(false),
    };
    let began = Instant::now();
    let read = replay.all(Lines::new(BufReader::new(input)), usize::from(command.concurrency));
    bar.finish_and_clear();
    let tally = replay.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    let summary = tally.summary(began.elapsed());
    if command.json {
        output::json(&summary)?;
    } else {
        output::print(&summary.text())?;
    }
    read.map_err(|error| Failure::Failed(format!("cannot read {} to its end: {error}", command.file.display())))?;
    summary.verdict(tally.stop)
}

fn open(command: &Replay) -> Result<(Box<dyn Read>, Option<u64>), Failure> {
    if command.file.as_os_str() == "-" {
        return Ok((Box::new(io::stdin().lock()), None));
    }
    let cannot = |error| {
        Failure::Failed(format!(
            "cannot read {}: {error}; name a file of calls that is there, or `-` for standard input",
            command.file.display()
        ))
    };
    let file = File::open(&command.file).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(Failure::Failed(format!(
            "{} is a folder; name a file of calls",
            command.file.display()
        )));
    }
    Ok((Box::new(file), metadata.is_file().then_some(metadata.len())))
}

/// What became of the calls so far.
#[derive(Default)]
struct Tally {
    calls: u64,
    stored: u64,
    bad: u64,
    retries: u64,
    statuses: BTreeMap<u16, u64>,
    latencies: Latencies,
    /// Why the rest of the file was not tried.
    stop: Option<String>,
}

/// What the connections share.
struct ReplayRun<'a> {
    client: Client,
    bar: &'a ProgressBar,
    tally: Mutex<Tally>,
    /// Held while a call waits for the service to take it: those that were refused go through one by one, so that each
    /// has its turn and a few retries are enough for all.
    turnstile: Mutex<()>,
    stopped: AtomicBool,
}

impl ReplayRun<'_> {
    /// Reads the lines and posts them through `count` connections; returns when all is done.
    fn all(&self, mut lines: Lines<impl io::BufRead>, count: usize) -> io::Result<()> {
        thread::scope(|scope| {
            let connections: Vec<_> = (0..count)
                .map(|_| {
                    let (lane, calls) = sync_channel::<(u64, Vec<u8>)>(1);
                    scope.spawn(move || self.lane(&calls));
                    lane
                })
                .collect();
            while !self.stopped.load(Ordering::Relaxed) {
                match lines.next()? {
                    Line::End => break,
                    Line::Blank => {}
                    Line::Bad { number, why } => {
                        self.tally().bad += 1;
                        self.say(&format!("line {number} skipped: {why}"));
                    }
                    Line::Call { number, session, body } => {
                        let mut hasher = DefaultHasher::new();
                        session.hash(&mut hasher);
                        let at = usize::try_from(hasher.finish() % count as u64).unwrap_or_default();
                        // A lane ends only with its sender, so there is always somebody to receive.
                        let _ = connections[at].send((number, body));
                    }
                }
                self.bar.set_position(lines.bytes());
            }
            Ok(())
        })
    }

    /// Posts the calls of one lane in their order.
    fn lane(&self, calls: &Receiver<(u64, Vec<u8>)>) {
        for (number, body) in calls {
            // After a stop the lane is emptied, so that the reader never waits for it.
            if !self.stopped.load(Ordering::Relaxed) {
                self.call(number, &body);
            }
        }
    }

    fn call(&self, number: u64, body: &[u8]) {
        let (answer, retries) = self.until_taken(body);
        let complaint = {
            let mut tally = self.tally();
            tally.calls += 1;
            tally.retries += u64::from(retries);
            match &answer {
                Ok(answer) => {
                    *tally.statuses.entry(answer.status).or_default() += 1;
                    tally.latencies.record(answer.took);
                    if answer.status == 204 {
                        tally.stored += 1;
                        None
                    } else {
                        Some(answer.refusal())
                    }
                }
                Err(error) => Some(self.client.no_answer(error).into_text()),
            }
        };
        // What is wrong with the key or the address is wrong for every line.
        let hopeless = answer.as_ref().map_or(true, |answer| {
            matches!(answer.status, 300..=399 | 401 | 403 | 404 | 405)
        });
        match complaint {
            Some(_) if self.stopped.load(Ordering::Relaxed) => {}
            Some(why) if hopeless => {
                self.tally().stop = Some(format!("stopped at line {number}: {why}"));
                self.stopped.store(true, Ordering::Relaxed);
            }
            Some(why) => self.say(&format!("line {number} not stored: {why}")),
            None => {}
        }
        let tally = self.tally();
        self.bar.set_message(format!(
            "{} stored, {} not",
            tally.stored,
            tally.calls - tally.stored + tally.bad
        ));
    }

    /// Posts the call until the service takes or refuses it, or the retries are used up; returns how many there were.
    fn until_taken(&self, body: &[u8]) -> (Result<Answer, AnswerError>, u32) {
        let mut answer = self.client.post(Route::CallsEnd.pattern(), body);
        let Some(mut resume) = resume_at(&answer, 0) else {
            return (answer, 0);
        };
        let _turn = self.turnstile.lock().unwrap_or_else(PoisonError::into_inner);
        let mut retries = 0;
        loop {
            let patience = if answer.is_err() && self.tally().stored == 0 {
                FIRST_RETRIES
            } else {
                RETRIES
            };
            if retries >= patience || self.stopped.load(Ordering::Relaxed) {
                return (answer, retries);
            }
            thread::sleep(resume.saturating_duration_since(Instant::now()));
            answer = self.client.post(Route::CallsEnd.pattern(), body);
            retries += 1;
            match resume_at(&answer, retries) {
                Some(at) => resume = at,
                None => return (answer, retries),
            }
        }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, line: &str) {
        self.bar.suspend(|| output::complain(line));
    }
}

/// When to post a call again that got this answer, and `None` when that would not help.
fn resume_at(answer: &Result<Answer, AnswerError>, retry: u32) -> Option<Instant> {
    let asked = match answer {
        Ok(answer) if matches!(answer.status, 429 | 503) => answer.retry_after,
        Ok(_) => return None,
        Err(_) => None,
    };
    let backoff = || Duration::from_millis(250).saturating_mul(1 << retry.min(5));
    Some(Instant::now() + asked.unwrap_or_else(backoff).min(LONGEST_WAIT))
}

#[derive(Serialize)]
struct Summary {
    calls: u64,
    stored: u64,
    failed: u64,
    bad_lines: u64,
    retries: u64,
    statuses: BTreeMap<u16, u64>,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    seconds: f64,
}

impl Tally {
    fn summary(&self, took: Duration) -> Summary {
        let ms = |per_mille| {
            self.latencies
                .quantile(per_mille)
                .map(|took| rounded_ms(took.as_secs_f64() * 1000.0))
        };
        Summary {
            calls: self.calls,
            stored: self.stored,
            failed: self.calls - self.stored,
            bad_lines: self.bad,
            retries: self.retries,
            statuses: self.statuses.clone(),
            p50_ms: ms(500),
            p99_ms: ms(990),
            seconds: took.as_secs_f64(),
        }
    }
}

impl Summary {
    fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} in {:.1} s: {} stored, {} not stored; {} skipped; {}",
            output::counted(self.calls, "call", "calls"),
            self.seconds,
            self.stored,
            self.failed,
            output::counted(self.bad_lines, "bad line", "bad lines"),
            output::counted(self.retries, "retry", "retries"),
        )];
        lines.extend(
            self.statuses
                .iter()
                .map(|(status, count)| format!("status {status}  {count}")),
        );
        if let (Some(p50), Some(p99)) = (self.p50_ms, self.p99_ms) {
            lines.push(format!("latency p50 {p50:.1} ms, p99 {p99:.1} ms"));
        }
        lines.join("\n")
    }

    fn verdict(&self, stop: Option<String>) -> Result<(), Failure> {
        let again = "a stored call does not count twice, so the file can be replayed again";
        match (stop, self.failed, self.bad_lines) {
            (Some(stop), ..) => Err(Failure::Failed(format!("{stop}; {again}"))),
            (None, 0, 0) => Ok(()),
            (None, failed, bad) => {
                let failed = output::counted(failed, "call was", "calls were");
                let bad = output::counted(bad, "line was", "lines were");
                Err(Failure::Failed(format!(
                    "{failed} not stored and {bad} bad (see above); {again}"
                )))
            }
        }
    }
}
