//! Old calls catch up with the rules: each is read again and settled by itself, by the running service or by a command.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    context::Deadline,
    error::PortError,
    memory::CallRecord,
    port::{OldCall, OldCalls, Settled},
    reading::{self, Report},
};

use crate::{error::Chain, telemetry::Metrics};

/// What became of a call that was read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reread {
    /// It is settled.
    Settled(Settled),
    /// It cannot be read, and what is remembered of it stays.
    Unreadable,
}

impl Reread {
    /// The name in metrics.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Settled(Settled::Changed) => "changed",
            Self::Settled(Settled::Same) => "same",
            Self::Settled(Settled::Overtaken) => "overtaken",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Reads a call by the present rules and keeps what they make of it.
pub(crate) async fn reread(
    old_calls: &dyn OldCalls,
    mut call: OldCall,
    deadline: Deadline,
) -> Result<Reread, PortError> {
    let Ok(reading) = read(call.report.take()).await else {
        tracing::warn!(call_id = %call.call, "a call cannot be read again; what is remembered of it stays");
        old_calls.settle(&call, None, deadline).await?;
        return Ok(Reread::Unreadable);
    };
    let settled = old_calls.settle(&call, reading.as_ref(), deadline).await?;
    Ok(Reread::Settled(settled))
}

/// There is something in the report that cannot be read.
struct Unreadable;

/// What the rules make of a report, found away from the threads that serve; `None` where its transcript was not kept.
async fn read(report: Option<Report>) -> Result<Option<CallRecord>, Unreadable> {
    let report = report.ok_or(Unreadable)?;
    if report.call.transcript.is_empty() {
        return Ok(None);
    }
    let reading = tokio::task::spawn_blocking(move || reading::read(report, |_| ()).record);
    reading.await.map(Some).map_err(|_| Unreadable)
}

/// Calls that are looked for at a time.
const BATCH: u32 = 20;

/// How much longer than its work the sweep pauses after each call: it has a tenth of a core, and of the database's
/// writing connection, at the most.
const PAUSES: u32 = 9;

/// How long a unit of work of the database may take.
const STORING: Duration = Duration::from_secs(10);

/// How often is looked again when no call is out of date: a process of an older release may serve beside this one.
const LOOK_AGAIN: Duration = Duration::from_hours(1);

/// The first and the longest pause after an error.
const BACKOFF: (Duration, Duration) = (Duration::from_secs(5), Duration::from_mins(5));

/// Reads the calls again that other rules have read before, one after the other, beside the traffic.
pub(crate) struct RereadSweep {
    pub(crate) old_calls: Arc<dyn OldCalls>,
    pub(crate) metrics: Arc<Metrics>,
}

impl RereadSweep {
    /// Sweeps for ever. It may be dropped at any time: a call is settled or is not.
    pub(crate) async fn run(self) {
        let (first, longest) = BACKOFF;
        let mut backoff = first;
        let mut read = 0_u64;
        loop {
            match self.batch().await {
                Ok(0) => {
                    if read > 0 {
                        tracing::info!(calls = read, "the calls of before are read by the present rules");
                    }
                    (read, backoff) = (0, first);
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
                Ok(calls) => {
                    if read == 0 {
                        tracing::info!("calls that other rules have read are read again");
                    }
                    read += calls;
                    backoff = first;
                }
                Err(error) => {
                    let pause_s = backoff.as_secs();
                    tracing::warn!(cause = %Chain(&error), pause_s, "calls could not be read again");
                    tokio::time::sleep(backoff).await;
                    backoff = longest.min(backoff * 2);
                }
            }
        }
    }

    /// Reads some calls again, and says how many. One that cannot be settled now does not keep the others back.
    async fn batch(&self) -> Result<u64, PortError> {
        let calls = self.old_calls.outdated(BATCH, storing()).await?;
        let mut read = 0;
        let mut failed = None;
        for call in calls {
            let began = Instant::now();
            match reread(&*self.old_calls, call, storing()).await {
                Ok(reread) => {
                    self.metrics.call_reread(reread.as_str());
                    read += 1;
                }
                Err(error) => failed = Some(error),
            }
            tokio::time::sleep(began.elapsed() * PAUSES).await;
        }
        failed.map_or(Ok(read), Err)
    }
}

fn storing() -> Deadline {
    Deadline(Instant::now() + STORING)
}
