//! Waiting for what a port promises for later, without guessing how long it takes.

use std::time::{Duration, Instant};

/// How long something promised for later may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks again and again until `look` finds something, and returns it.
///
/// # Panics
/// When nothing is found within ten seconds; `what` says in the message what was waited for.
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
