//! Leaves an endpoint alone that has no room or fails, longer each time until it answers again.
//!
//! Work loses nothing by waiting, so one pause for the whole worker is enough.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The pause of a worker.
#[derive(Debug)]
pub(crate) struct Pause {
    first: Duration,
    longest: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    until: Option<Instant>,
    length: Duration,
}

impl Pause {
    /// None yet; the first one lasts `first`, and none longer than `longest`.
    pub(crate) fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            state: Mutex::default(),
        }
    }

    /// The endpoint failed at `now` and asks to be left alone for `asked`, if it says so. Returns the length of the
    /// pause that begins with this; `None` while there is one already.
    pub(crate) fn begin(&self, now: Instant, asked: Option<Duration>) -> Option<Duration> {
        let mut state = self.lock();
        let asked = asked.unwrap_or_default().min(self.longest);
        if let Some(until) = state.until.filter(|until| *until > now) {
            state.until = Some(until.max(now + asked));
            return None;
        }
        state.length = (state.length * 2).clamp(self.first, self.longest);
        let length = state.length.max(asked);
        state.until = Some(now + length);
        Some(length)
    }

    /// The endpoint answered.
    pub(crate) fn end(&self) {
        *self.lock() = State::default();
    }

    /// How long the endpoint is left alone from `now` on.
    pub(crate) fn left(&self, now: Instant) -> Duration {
        let until = self.lock().until;
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn pauses_grow_to_a_bound_and_end_with_an_answer() {
        let pause = Pause::new(S, S * 4);
        let mut now = Instant::now();
        assert_eq!(pause.left(now), Duration::ZERO);
        for expected in [S, S * 2, S * 4, S * 4] {
            assert_eq!(pause.begin(now, None), Some(expected));
            assert_eq!(pause.begin(now, None), None, "one pause at a time");
            assert_eq!(pause.left(now), expected);
            now += expected;
            assert_eq!(pause.left(now), Duration::ZERO);
        }
        pause.end();
        assert_eq!(pause.begin(now, None), Some(S));
        pause.end();
        assert_eq!(pause.left(now), Duration::ZERO);
    }

    #[test]
    fn the_endpoint_may_ask_for_a_longer_pause_within_the_bound() {
        let pause = Pause::new(S, S * 10);
        let now = Instant::now();
        assert_eq!(pause.begin(now, Some(S * 5)), Some(S * 5));
        assert_eq!(pause.begin(now, Some(S * 7)), None);
        assert_eq!(pause.left(now), S * 7);
        assert_eq!(pause.begin(now, Some(S * 3600)), None);
        assert_eq!(pause.left(now), S * 10);
    }
}
