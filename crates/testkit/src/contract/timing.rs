//! How methods are awaited: within their deadlines, and many at once.

use std::{future::Future, sync::Arc, time::Duration};

use domain::error::PortError;

/// How much later than its deadline a method may return on a loaded test machine.
pub(super) const GRACE: Duration = Duration::from_millis(750);

/// Whether an error says that the port could not be reached or missed the deadline, which is what a passed deadline
/// gives.
pub(super) fn is_unavailable<T>(answer: &Result<T, PortError>) -> bool {
    matches!(answer, Err(PortError::Unavailable(_)))
}

/// Awaits `work` and checks that it ended promptly, as a method with a passed deadline has to.
pub(super) async fn promptly<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(GRACE, work)
        .await
        .unwrap_or_else(|_| panic!("{what} hangs although its deadline has passed"))
}

/// Starts every piece of work at once, each in its own task, and returns what they gave in the order of `work`.
pub(super) async fn at_once<T, W>(work: impl IntoIterator<Item = W>) -> Vec<T>
where
    T: Send + 'static,
    W: Future<Output = T> + Send + 'static,
{
    let work: Vec<W> = work.into_iter().collect();
    let start = Arc::new(tokio::sync::Barrier::new(work.len()));
    let tasks: Vec<_> = work
        .into_iter()
        .map(|work| {
            let start = Arc::clone(&start);
            tokio::spawn(async move {
                start.wait().await;
                work.await
            })
        })
        .collect();
    let mut results = Vec::with_capacity(tasks.len());
    for task in tasks {
        results.push(task.await.expect("no task of a clause panics"));
    }
    results
}
