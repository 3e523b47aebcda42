//! The clocks of the operating system.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use domain::port::Clock;

/// Milliseconds to three places: finer is noise.
pub(crate) fn rounded_ms(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

/// The clocks of the operating system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn instant(&self) -> Instant {
        Instant::now()
    }
}
