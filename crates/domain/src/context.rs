//! What accompanies every call of a use case: who asks, until when, and under which trace.

use std::time::{Duration, Instant};

use crate::{
    access::{Principal, Scope},
    error::Error,
};

/// The longest that an operator may let a use case take, in milliseconds. Whatever else ends work that hangs, in an
/// adapter or on a connection, waits longer than that.
pub const LONGEST_DEADLINE_MS: u64 = 60_000;

/// The moment by which a unit of work must have answered, on the process's monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(pub Instant);

impl Deadline {
    /// The time left at `now`; zero when the deadline has passed.
    #[must_use]
    pub fn left(self, now: Instant) -> Duration {
        self.0.saturating_duration_since(now)
    }
}

/// The frame of one request.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// Who asks. The tenant in it is the only one the request can reach.
    pub principal: Principal,
    /// When the answer must have left.
    pub deadline: Deadline,
    /// W3C trace id: 32 lower-case hexadecimal digits.
    pub trace_id: String,
}

impl CallContext {
    /// Checks that the key has `scope`. Every permit for a use case begins with it.
    ///
    /// # Errors
    /// [`Error::InsufficientScope`] when it has not.
    pub fn require(&self, scope: Scope) -> Result<(), Error> {
        if self.principal.scopes.contains(scope) {
            Ok(())
        } else {
            Err(Error::InsufficientScope(scope))
        }
    }
}
