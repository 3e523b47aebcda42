//! What is written after the answer has gone: a bounded queue, and one task that writes what has gathered in it.
//!
//! Nothing here makes a request wait or fail. What finds the queue full, or a sink that stays away for all attempts, is
//! dropped and counted.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{mpsc, oneshot},
    time::{sleep, timeout},
};

/// Where the items of a queue are written to.
pub trait Sink: Send + Sync + 'static {
    /// What waits in the queue.
    type Item: Send + Sync + 'static;
    /// Why a batch was not written.
    type Error: Send;

    /// The memory that an item takes while it waits, in bytes; the same at every call.
    fn bytes(item: &Self::Item) -> usize;

    /// Writes a batch, all of it or nothing. It is cancelled after [`Options::attempt`], and must bear being repeated
    /// after that.
    fn write(&self, batch: &[Self::Item]) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Whether the same batch may be written later; otherwise it is dropped at once.
    fn is_passing(error: &Self::Error) -> bool;

    /// Is told that a batch of `items` items has left the queue: written, or dropped after the last attempt.
    fn left(&self, items: usize, end: End<Self::Error>);
}

/// How a batch left the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End<E> {
    /// It was written.
    Written,
    /// The last attempt failed with this.
    Failed(E),
    /// The last attempt took too long.
    TimedOut,
}

/// How much may wait, and how patient the writing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Items that may wait, beside the batch that is being written; at least 1.
    pub waiting: usize,
    /// Bytes of items that may wait, those that are being written included.
    pub waiting_bytes: usize,
    /// Items of one batch at most; at least 1.
    pub batch: usize,
    /// The pause after a batch that was not full: under load it lets items gather, so that they cost one commit
    /// together.
    pub pause: Duration,
    /// How often a batch is tried before it is dropped; at least 1.
    pub attempts: u32,
    /// How long one attempt may take.
    pub attempt: Duration,
    /// The pause after the first attempt that failed; it doubles after each further one.
    pub again_after: Duration,
}

impl Default for Options {
    /// For small items that are noted with every request: as many as a burst of some seconds brings, and for as long as
    /// a database is away for a restart.
    fn default() -> Self {
        Self {
            waiting: 16_384,
            waiting_bytes: 16 * 1024 * 1024,
            batch: 4_096,
            pause: Duration::from_millis(50),
            attempts: 8,
            attempt: Duration::from_secs(5),
            again_after: Duration::from_millis(100),
        }
    }
}

/// Why an item was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushError {
    /// As much waits as may.
    Full,
    /// The task that writes has ended.
    Stopped,
}

/// The sending side of a queue. The task that writes ends once this is dropped and what waited has left.
pub struct WriteBehind<S: Sink> {
    queue: mpsc::Sender<Order<S::Item>>,
    counts: Arc<Counts>,
    waiting_bytes: usize,
}

#[derive(Default)]
struct Counts {
    waiting: AtomicUsize,
    bytes: AtomicUsize,
    dropped: AtomicU64,
}

impl Counts {
    fn leave(&self, items: usize, bytes: usize) {
        self.waiting.fetch_sub(items, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn drop_items(&self, items: usize) {
        self.dropped.fetch_add(items as u64, Ordering::Relaxed);
    }
}

enum Order<T> {
    Write(T),
    /// Asks for an answer when everything before it has left the queue.
    Flush(oneshot::Sender<()>),
}

impl<S: Sink> WriteBehind<S> {
    /// Starts the task that writes to `sink`. To be called within a tokio runtime.
    #[must_use]
    pub fn start(sink: S, options: Options) -> Self {
        let (queue, orders) = mpsc::channel(options.waiting.max(1));
        let counts = Arc::new(Counts::default());
        tokio::spawn(write_what_gathers(sink, options, orders, Arc::clone(&counts)));
        Self {
            queue,
            counts,
            waiting_bytes: options.waiting_bytes,
        }
    }

    /// Has `item` written later, without waiting.
    ///
    /// # Errors
    /// [`PushError`] when it is dropped instead; it is counted among [`WriteBehind::dropped`].
    pub fn push(&self, item: S::Item) -> Result<(), PushError> {
        let bytes = S::bytes(&item);
        self.counts.waiting.fetch_add(1, Ordering::Relaxed);
        let before = self.counts.bytes.fetch_add(bytes, Ordering::Relaxed);
        let sent = if before.saturating_add(bytes) > self.waiting_bytes {
            Err(PushError::Full)
        } else {
            self.queue
                .try_send(Order::Write(item))
                .map_err(|refused| match refused {
                    mpsc::error::TrySendError::Full(_) => PushError::Full,
                    mpsc::error::TrySendError::Closed(_) => PushError::Stopped,
                })
        };
        if sent.is_err() {
            self.counts.leave(1, bytes);
            self.counts.drop_items(1);
        }
        sent
    }

    /// Waits until everything that was pushed before has left the queue; `false` when the task that writes has ended.
    /// It may take as long as the attempts of what waits: whoever calls it sets the deadline.
    pub async fn flush(&self) -> bool {
        let (answer, answered) = oneshot::channel();
        self.queue.send(Order::Flush(answer)).await.is_ok() && answered.await.is_ok()
    }

    /// Items that wait, those that are being written included.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.counts.waiting.load(Ordering::Relaxed)
    }

    /// The memory of the items that wait, in bytes.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.counts.bytes.load(Ordering::Relaxed)
    }

    /// Items that were dropped since the start, refused ones included.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.counts.dropped.load(Ordering::Relaxed)
    }
}

async fn write_what_gathers<S: Sink>(
    sink: S,
    options: Options,
    mut orders: mpsc::Receiver<Order<S::Item>>,
    counts: Arc<Counts>,
) {
    let most = options.batch.max(1);
    let mut gathered = Vec::new();
    while orders.recv_many(&mut gathered, most).await > 0 {
        let is_full = gathered.len() == most;
        let mut batch = Vec::with_capacity(gathered.len());
        let mut flushes = Vec::new();
        for order in gathered.drain(..) {
            match order {
                Order::Write(item) => batch.push(item),
                Order::Flush(answer) => flushes.push(answer),
            }
        }
        if !batch.is_empty() {
            let end = write(&sink, &options, &batch).await;
            counts.leave(batch.len(), batch.iter().map(S::bytes).sum());
            if !matches!(end, End::Written) {
                counts.drop_items(batch.len());
            }
            sink.left(batch.len(), end);
        }
        let is_awaited = !flushes.is_empty();
        for answer in flushes {
            // Whoever asked may have gone.
            let _ = answer.send(());
        }
        if !is_full && !is_awaited {
            sleep(options.pause).await;
        }
    }
}

/// Writes a batch, again while the sink is away.
async fn write<S: Sink>(sink: &S, options: &Options, batch: &[S::Item]) -> End<S::Error> {
    let mut pause = options.again_after;
    let mut attempt = 1;
    loop {
        let end = match timeout(options.attempt, sink.write(batch)).await {
            Ok(Ok(())) => return End::Written,
            Ok(Err(error)) if !S::is_passing(&error) => return End::Failed(error),
            Ok(Err(error)) => End::Failed(error),
            Err(_) => End::TimedOut,
        };
        if attempt >= options.attempts {
            return end;
        }
        attempt += 1;
        sleep(pause).await;
        pause *= 2;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use tokio::sync::{Notify, Semaphore};

    use super::*;

    /// A sink that does what it is told, and remembers.
    #[derive(Default)]
    struct Recorder {
        /// What the next attempts do; healthy once it is empty.
        script: Mutex<Vec<Does>>,
        batches: Mutex<Vec<Vec<u64>>>,
        ends: Mutex<Vec<(usize, End<Does>)>>,
        began: Notify,
        attempts: AtomicUsize,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Does {
        FailForNow,
        FailForGood,
        Hang,
    }

    struct To(Arc<Recorder>);

    impl Sink for To {
        type Item = u64;
        type Error = Does;

        fn bytes(item: &u64) -> usize {
            usize::try_from(*item).unwrap()
        }

        async fn write(&self, batch: &[u64]) -> Result<(), Does> {
            self.0.attempts.fetch_add(1, Ordering::Relaxed);
            self.0.began.notify_one();
            let next = self.0.script.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match next {
                Some(Does::Hang) => Semaphore::new(0).acquire().await.map(drop).map_err(|_| Does::Hang),
                Some(failure) => Err(failure),
                None => {
                    self.0.batches.lock().unwrap().push(batch.to_vec());
                    Ok(())
                }
            }
        }

        fn is_passing(error: &Does) -> bool {
            *error == Does::FailForNow
        }

        fn left(&self, items: usize, end: End<Does>) {
            self.0.ends.lock().unwrap().push((items, end));
        }
    }

    fn options() -> Options {
        Options {
            waiting: 8,
            waiting_bytes: 1_000,
            batch: 4,
            pause: Duration::from_millis(100),
            attempts: 3,
            attempt: Duration::from_secs(5),
            again_after: Duration::from_millis(250),
        }
    }

    fn started(script: &[Does], options: Options) -> (WriteBehind<To>, Arc<Recorder>) {
        let recorder = Arc::new(Recorder::default());
        *recorder.script.lock().unwrap() = script.iter().rev().copied().collect();
        (WriteBehind::start(To(Arc::clone(&recorder)), options), recorder)
    }

    #[tokio::test(start_paused = true)]
    async fn items_are_written_in_their_order_in_batches() {
        let (queue, recorder) = started(&[], options());
        for item in 1..=6 {
            assert_eq!(queue.push(item), Ok(()));
        }
        assert!(queue.flush().await);
        assert_eq!(*recorder.batches.lock().unwrap(), [vec![1, 2, 3, 4], vec![5, 6]]);
        assert_eq!(*recorder.ends.lock().unwrap(), [(4, End::Written), (2, End::Written)]);
        assert_eq!((queue.waiting(), queue.waiting_bytes(), queue.dropped()), (0, 0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_wait_is_bounded_by_number() {
        let (queue, recorder) = started(&[Does::Hang], options());
        queue.push(1).unwrap();
        recorder.began.notified().await;
        let taken = (0..12).filter(|_| queue.push(1).is_ok()).count();
        assert_eq!(taken, 8, "the one that is being written has left the channel");
        assert_eq!((queue.waiting(), queue.dropped()), (9, 4));
        assert_eq!(queue.push(1), Err(PushError::Full));
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_wait_is_bounded_by_bytes() {
        let (queue, recorder) = started(&[Does::Hang], options());
        queue.push(600).unwrap();
        recorder.began.notified().await;
        assert_eq!(
            queue.push(401),
            Err(PushError::Full),
            "the one that is being written counts"
        );
        assert_eq!(queue.push(400), Ok(()));
        assert_eq!(queue.push(u64::from(u32::MAX)), Err(PushError::Full));
        assert_eq!((queue.waiting(), queue.waiting_bytes(), queue.dropped()), (2, 1_000, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_sink_that_comes_back_gets_what_waited() {
        let (queue, recorder) = started(&[Does::FailForNow, Does::Hang], options());
        queue.push(7).unwrap();
        assert!(queue.flush().await);
        assert_eq!(*recorder.batches.lock().unwrap(), [vec![7]]);
        assert_eq!((recorder.attempts.load(Ordering::Relaxed), queue.dropped()), (3, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_sink_does_not_take_is_dropped_and_the_rest_goes_on() {
        for (script, attempts, end) in [
            (vec![Does::FailForGood], 1, End::Failed(Does::FailForGood)),
            (vec![Does::FailForNow; 3], 3, End::Failed(Does::FailForNow)),
            (vec![Does::Hang; 3], 3, End::TimedOut),
        ] {
            let (queue, recorder) = started(&script, options());
            queue.push(1).unwrap();
            queue.push(2).unwrap();
            assert!(queue.flush().await);
            assert_eq!(recorder.attempts.load(Ordering::Relaxed), attempts, "{script:?}");
            assert_eq!(*recorder.ends.lock().unwrap(), [(2, end)]);
            assert_eq!((queue.waiting(), queue.waiting_bytes(), queue.dropped()), (0, 0, 2));
            queue.push(3).unwrap();
            assert!(queue.flush().await);
            assert_eq!(*recorder.batches.lock().unwrap(), [vec![3]]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_is_written_after_the_queue_is_dropped() {
        let (queue, recorder) = started(&[], options());
        queue.push(1).unwrap();
        drop(queue);
        recorder.began.notified().await;
        while Arc::strong_count(&recorder) > 1 {
            sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(*recorder.batches.lock().unwrap(), [vec![1]]);
    }
}
