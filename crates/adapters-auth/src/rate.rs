//! The token bucket of each key.

use std::sync::Arc;

use domain::{
    access::{KeyId, Principal, RateLimit},
    async_trait,
    port::{Clock, RateDecision, RateLimiter},
};

use crate::bucket::Buckets;

/// Most keys that have a bucket at once; about 300 bytes each.
const MOST_KEYS: u64 = 100_000;

/// One token bucket for each key, in this process.
///
/// A key whose tenant's rate or burst changes gets a new, full bucket. A bucket is forgotten when it is idle for as
/// long as it takes to fill up, but for a minute at least; with more than 100,000 keys in use, the one idle longest
/// goes first.
pub struct GovernorRateLimiter {
    default: RateLimit,
    buckets: Buckets<KeyId>,
}

impl GovernorRateLimiter {
    /// Buckets of the size and rate `default`, where a tenant has none of its own.
    #[must_use]
    pub fn new(default: RateLimit, clock: Arc<dyn Clock>) -> Self {
        Self {
            default,
            buckets: Buckets::new(MOST_KEYS, clock),
        }
    }
}

#[async_trait]
impl RateLimiter for GovernorRateLimiter {
    async fn draw(&self, principal: &Principal) -> RateDecision {
        let limit = RateLimit {
            per_second: principal.settings.rate_per_second.unwrap_or(self.default.per_second),
            burst: principal.settings.rate_burst.unwrap_or(self.default.burst),
        };
        self.buckets.draw(principal.key_id, limit)
    }
}
