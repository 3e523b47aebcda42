//! Time as an argument: the rules never read a clock themselves.

use std::time::Instant;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Wall-clock time in milliseconds since the epoch.
    fn now_ms(&self) -> i64;

    /// The monotonic time on which deadlines are counted.
    fn instant(&self) -> Instant;
}
