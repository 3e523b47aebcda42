//! The feedback loop: each recall leaves a receipt, written behind its answer.
//!
//! A receipt waits in a bounded queue for one task that writes what has gathered. Nothing here makes a recall wait or
//! fail: what finds the queue full, or a store that stays away, is dropped and counted.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    context::Deadline,
    error::PortError,
    port::{Clock, ReceiptStore},
    receipt::Receipt,
};
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout, timeout_at},
};
use write_behind::{End, Options, PushError, Sink, WriteBehind};

use crate::{error::Chain, telemetry::Metrics};

/// Receipts that one batch holds at most.
const BATCH: usize = 512;

/// The pause after a batch that was not full: under load it lets receipts gather, so that they cost one commit
/// together.
const PAUSE: Duration = Duration::from_millis(100);

/// How often a batch is offered to the store before it is dropped, and the first pause in between, which doubles.
const ATTEMPTS: u32 = 4;
const AGAIN_AFTER: Duration = Duration::from_millis(250);

/// How much later than its deadline a store may answer before it is given up.
const GRACE: Duration = Duration::from_millis(500);

/// Receipts that one purge deletes at most, and the pause between two: a calls/end must not wait long for its turn.
const PURGE: u32 = 500;
const PURGE_PAUSE: Duration = Duration::from_millis(200);

/// Bytes that a receipt takes beside its response, roughly.
const OVERHEAD: usize = 512;

/// How much may wait, how patient the writing is, and for how long receipts are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiptLimits {
    /// Receipts that may wait.
    pub waiting: usize,
    /// Bytes of receipts that may wait, those that are being written included.
    pub waiting_bytes: usize,
    /// How long the store may take for one batch, and for one purge.
    pub attempt: Duration,
    /// For how long receipts are kept.
    pub kept: Duration,
    /// The time between two searches for receipts that are too old.
    pub purge_every: Duration,
}

impl Default for ReceiptLimits {
    /// 4,096 receipts of 32 MiB, five seconds, thirty days, an hour.
    fn default() -> Self {
        Self {
            waiting: 4_096,
            waiting_bytes: 32 * 1024 * 1024,
            attempt: Duration::from_secs(5),
            kept: Duration::from_hours(30 * 24),
            purge_every: Duration::from_hours(1),
        }
    }
}

/// Why a receipt is not kept, as metrics name it.
const FULL: &str = "full";
const UNWRITTEN: &str = "unwritten";
const STOPPED: &str = "stopped";

/// The receipts of a running service. It ends what it started when it is dropped.
pub struct Receipts {
    queue: WriteBehind<ReceiptSink>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    purging: JoinHandle<()>,
}

impl Receipts {
    /// Starts to write receipts to `store`, and to delete from it what is too old. To be called within a tokio runtime.
    #[must_use]
    pub fn start(
        store: Arc<dyn ReceiptStore>,
        clock: Arc<dyn Clock>,
        metrics: Arc<Metrics>,
        limits: ReceiptLimits,
    ) -> Self {
        let sink = ReceiptSink {
            store: Arc::clone(&store),
            metrics: Arc::clone(&metrics),
            attempt: limits.attempt,
        };
        let options = Options {
            waiting: limits.waiting,
            waiting_bytes: limits.waiting_bytes,
            batch: BATCH,
            pause: PAUSE,
            attempts: ATTEMPTS,
            attempt: limits.attempt + GRACE,
            again_after: AGAIN_AFTER,
        };
        let queue = WriteBehind::start(sink, options);
        let purging = tokio::spawn(purge(store, Arc::clone(&clock), limits));
        Self {
            queue,
            clock,
            metrics,
            purging,
        }
    }

    /// The time, in milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Has `receipt` written later, or drops it.
    pub(crate) fn keep(&self, receipt: Receipt) {
        self.metrics.receipts_waiting(1);
        if let Err(error) = self.queue.push(receipt) {
            let why = match error {
                PushError::Full => FULL,
                PushError::Stopped => STOPPED,
            };
            self.metrics.receipts_dropped(why, 1);
        }
    }

    /// Writes what waits, until the deadline at most, and purges no more.
    pub async fn close(&self, deadline: Deadline) {
        self.purging.abort();
        if !matches!(timeout_at(deadline.0.into(), self.queue.flush()).await, Ok(true)) {
            tracing::warn!("receipts that waited could not be written before the stop");
        }
    }
}

impl Drop for Receipts {
    fn drop(&mut self) {
        self.purging.abort();
    }
}

/// The store, as what the receipts are written to.
struct ReceiptSink {
    store: Arc<dyn ReceiptStore>,
    metrics: Arc<Metrics>,
    attempt: Duration,
}

impl Sink for ReceiptSink {
    type Item = Receipt;
    type Error = PortError;

    fn bytes(receipt: &Receipt) -> usize {
        let session = receipt.session_id.as_ref().map_or(0, |id| id.0.len());
        receipt.response.len() + session + OVERHEAD
    }

    async fn write(&self, batch: &[Receipt]) -> Result<(), PortError> {
        self.store.keep(batch, Deadline(Instant::now() + self.attempt)).await
    }

    fn is_passing(error: &PortError) -> bool {
        matches!(error, PortError::Unavailable(_))
    }

    fn left(&self, items: usize, end: End<PortError>) {
        let cause = match end {
            End::Written => return self.metrics.receipts_kept(items),
            End::Failed(cause) => cause,
            End::TimedOut => PortError::deadline("keep receipts"),
        };
        self.metrics.receipts_dropped(UNWRITTEN, items);
        tracing::warn!(receipts = items, cause = %Chain(&cause), "receipts could not be written");
    }
}

/// Deletes what is too old, at once and from time to time. It works on every tenant, because they have one retention
/// time; other processes over the same store may do the same.
async fn purge(store: Arc<dyn ReceiptStore>, clock: Arc<dyn Clock>, limits: ReceiptLimits) {
    let kept_ms = i64::try_from(limits.kept.as_millis()).unwrap_or(i64::MAX);
    loop {
        let before_ms = clock.now_ms().saturating_sub(kept_ms);
        loop {
            let deadline = Deadline(Instant::now() + limits.attempt);
            let purged = timeout(limits.attempt + GRACE, store.purge(before_ms, PURGE, deadline)).await;
            match purged.unwrap_or_else(|_| Err(PortError::deadline("purge receipts"))) {
                Ok(deleted) if deleted < u64::from(PURGE) => break,
                Ok(_) => sleep(PURGE_PAUSE).await,
                Err(cause) => {
                    tracing::warn!(
                        cause = %Chain(&cause),
                        "receipts that are too old could not be deleted; the next try is later"
                    );
                    break;
                }
            }
        }
        sleep(limits.purge_every).await;
    }
}

#[cfg(test)]
mod tests {
    use domain::port::ReceiptStore as _;
    use testkit::{Fault, Faulty, InMemoryCallerMemory, InMemoryReceiptStore, ManualClock, eventually, sample};

    use super::*;

    struct Loop {
        receipts: Receipts,
        store: Arc<Faulty<InMemoryReceiptStore>>,
        kept: InMemoryReceiptStore,
        clock: Arc<ManualClock>,
        metrics: Arc<Metrics>,
    }

    /// A feedback loop over a store with this fault.
    fn started(fault: Fault, limits: ReceiptLimits) -> Loop {
        let kept = InMemoryReceiptStore::over(&InMemoryCallerMemory::new());
        started_over(kept, fault, limits)
    }

    fn started_over(kept: InMemoryReceiptStore, fault: Fault, limits: ReceiptLimits) -> Loop {
        let store = Arc::new(Faulty::new(Arc::new(kept.clone())));
        store.set(fault);
        let clock = Arc::new(ManualClock::running_at(sample::NOW_MS));
        let metrics = Arc::new(Metrics::new());
        Loop {
            receipts: Receipts::start(store.clone(), clock.clone(), Arc::clone(&metrics), limits),
            store,
            kept,
            clock,
            metrics,
        }
    }

    impl Loop {
        fn keep(&self, count: usize) {
            for _ in 0..count {
                self.receipts.keep(receipt());
            }
        }

        fn shows(&self, line: &str) -> bool {
            self.metrics.text().unwrap().lines().any(|shown| shown == line)
        }

        async fn eventually_shows(&self, line: &str) {
            eventually(line, async || self.shows(line).then_some(())).await;
        }

        /// Waits until the writer has taken what waited, and the first purge has been tried.
        async fn until_asked(&self, calls: usize) {
            eventually("the store is asked", async || {
                (self.store.calls() >= calls).then_some(())
            })
            .await;
        }
    }

    fn receipt() -> Receipt {
        sample::receipt(sample::tenant(), Some("a"), sample::NOW_MS)
    }

    fn impatient() -> ReceiptLimits {
        ReceiptLimits {
            attempt: Duration::from_millis(20),
            ..ReceiptLimits::default()
        }
    }

    #[tokio::test]
    async fn what_may_wait_is_bounded_by_number() {
        let limits = ReceiptLimits {
            waiting: 4,
            ..ReceiptLimits::default()
        };
        let all = started(Fault::HangForever, limits);
        all.keep(1);
        all.until_asked(2).await;
        all.keep(4 + 3);
        assert!(all.shows("caller_memory_receipts_dropped_total{reason=\"full\"} 3"));
        assert!(all.shows("caller_memory_receipts_waiting 5"));
    }

    #[tokio::test]
    async fn what_may_wait_is_bounded_by_bytes() {
        let limits = ReceiptLimits {
            waiting_bytes: 3 * ReceiptSink::bytes(&receipt()) + 1,
            ..ReceiptLimits::default()
        };
        let all = started(Fault::HangForever, limits);
        all.keep(1);
        all.until_asked(2).await;
        all.keep(4);
        assert!(
            all.shows("caller_memory_receipts_dropped_total{reason=\"full\"} 2"),
            "the one that is being written counts"
        );
        let mut large = receipt();
        large.response = vec![0; limits.waiting_bytes];
        all.receipts.keep(large);
        assert!(all.shows("caller_memory_receipts_dropped_total{reason=\"full\"} 3"));
        assert!(all.shows("caller_memory_receipts_waiting 3"));
    }

    #[tokio::test]
    async fn a_store_that_comes_back_gets_what_waited() {
        let all = started(Fault::Unavailable, ReceiptLimits::default());
        all.keep(10);
        all.until_asked(2).await;
        all.store.set(Fault::Healthy);
        all.eventually_shows("caller_memory_receipts_kept_total 10").await;
        assert_eq!(all.kept.receipts().len(), 10);
        assert!(all.shows("caller_memory_receipts_waiting 0"));
        assert_eq!(all.receipts.queue.waiting_bytes(), 0);
    }

    #[tokio::test]
    async fn what_a_store_does_not_take_is_dropped_and_the_rest_goes_on() {
        for (fault, attempts) in [(Fault::Internal, 1), (Fault::Unavailable, 4), (Fault::HangForever, 4)] {
            let all = started(fault, impatient());
            all.until_asked(1).await;
            all.keep(3);
            all.eventually_shows("caller_memory_receipts_dropped_total{reason=\"unwritten\"} 3")
                .await;
            assert_eq!(all.store.calls(), 1 + attempts, "{fault:?}");
            all.store.set(Fault::Healthy);
            all.keep(2);
            all.eventually_shows("caller_memory_receipts_kept_total 2").await;
            assert_eq!(all.kept.receipts().len(), 2);
            assert_eq!(all.receipts.queue.waiting_bytes(), 0);
        }
    }

    #[tokio::test]
    async fn closing_writes_what_waits_and_takes_no_longer_than_it_may() {
        let all = started(Fault::Healthy, ReceiptLimits::default());
        all.keep(2_000);
        all.receipts.close(sample::ample()).await;
        assert_eq!(all.kept.receipts().len(), 2_000);

        let all = started(Fault::HangForever, ReceiptLimits::default());
        all.keep(2_000);
        let began = Instant::now();
        all.receipts.close(sample::within(Duration::from_millis(50))).await;
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn what_is_too_old_is_deleted_at_the_start_and_from_time_to_time() {
        let kept = InMemoryReceiptStore::over(&InMemoryCallerMemory::new());
        let day = 24 * 60 * 60 * 1000;
        let at = |age_ms: i64| Receipt {
            at_ms: sample::NOW_MS - age_ms,
            ..receipt()
        };
        // More than one purge deletes.
        let mut old: Vec<_> = (0..1_200).map(|n| at(30 * day + 1 + n)).collect();
        old.extend([at(30 * day), at(0)]);
        kept.keep(&old, sample::ample()).await.unwrap();
        let limits = ReceiptLimits {
            purge_every: Duration::from_millis(20),
            ..ReceiptLimits::default()
        };
        let all = started_over(kept, Fault::Healthy, limits);
        let left = async |count| {
            eventually("the old ones are deleted", async || {
                (all.kept.receipts().len() == count).then_some(())
            })
            .await;
        };
        left(2).await;
        all.clock.advance(Duration::from_millis(1));
        left(1).await;
        all.store.set(Fault::Unavailable);
        all.clock.advance(Duration::from_hours(31 * 24));
        let calls = all.store.calls();
        all.until_asked(calls + 3).await;
        assert_eq!(all.kept.receipts().len(), 1);
        all.store.set(Fault::Healthy);
        left(0).await;
    }

    #[tokio::test]
    async fn nothing_goes_on_when_it_is_dropped() {
        let all = started(Fault::Healthy, ReceiptLimits::default());
        all.until_asked(1).await;
        let Loop { receipts, store, .. } = all;
        assert!(Arc::strong_count(&store) > 1);
        drop(receipts);
        eventually("both tasks have ended", async || {
            (Arc::strong_count(&store) == 1).then_some(())
        })
        .await;
    }
}
