//! A clock that a test moves.

use std::{
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use domain::port::Clock;

/// A clock whose wall time stands still until a test moves it, and whose monotonic time either stands still too or runs
/// on.
#[derive(Debug)]
pub struct ManualClock {
    now_ms: AtomicI64,
    /// Where the monotonic time began when it is manual; `None` when it is the real one.
    began: Option<Instant>,
    /// How far [`ManualClock::advance`] moved the monotonic time, in nanoseconds.
    advanced_ns: AtomicU64,
}

impl ManualClock {
    /// A clock that stands still at `now_ms` until it is moved, its monotonic time included.
    #[must_use]
    pub fn stopped_at(now_ms: i64) -> Self {
        Self {
            now_ms: AtomicI64::new(now_ms),
            began: Some(Instant::now()),
            advanced_ns: AtomicU64::new(0),
        }
    }

    /// A clock whose wall time stands still at `now_ms` until it is moved while its monotonic time runs on, so that
    /// deadlines counted on it pass.
    #[must_use]
    pub fn running_at(now_ms: i64) -> Self {
        Self {
            began: None,
            ..Self::stopped_at(now_ms)
        }
    }

    /// Sets the wall time alone, as an administrator or a time server would; it may go backwards.
    pub fn set_now_ms(&self, now_ms: i64) {
        self.now_ms.store(now_ms, Ordering::SeqCst);
    }

    /// Lets `by` pass on both times.
    pub fn advance(&self, by: Duration) {
        let ms = i64::try_from(by.as_millis()).expect("less than 292 million years");
        let ns = u64::try_from(by.as_nanos()).expect("less than 584 years");
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
        self.advanced_ns.fetch_add(ns, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn instant(&self) -> Instant {
        self.began.unwrap_or_else(Instant::now) + Duration::from_nanos(self.advanced_ns.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_clock_moves_by_what_it_is_advanced() {
        let clock = ManualClock::stopped_at(1_000);
        let before = clock.instant();
        clock.advance(Duration::from_millis(250));
        assert_eq!(clock.now_ms(), 1_250);
        assert_eq!(clock.instant() - before, Duration::from_millis(250));
    }

    #[test]
    fn a_running_clock_keeps_its_wall_time_and_lets_deadlines_pass() {
        let clock = ManualClock::running_at(1_000);
        let before = clock.instant();
        clock.set_now_ms(500);
        clock.advance(Duration::from_secs(1));
        assert_eq!(clock.now_ms(), 1_500);
        assert!(clock.instant() - before >= Duration::from_secs(1));
    }
}
