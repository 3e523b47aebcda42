//! Slows down the guessing of keys: each address has a bucket of failures.

use std::{
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    access::RateLimit,
    port::{AuthError, Clock},
};
use moka::sync::Cache;

use crate::bucket::Buckets;

/// Most addresses that have a bucket at once; about 300 bytes each. Whoever commands more addresses than this is not
/// slowed down by a bucket for each anyway.
const MOST_ADDRESSES: u64 = 65_536;

/// The buckets of failed credentials.
pub(crate) struct Failures {
    limit: RateLimit,
    buckets: Buckets<IpAddr>,
    /// The addresses whose bucket is empty, and until when. Drawing is the only question that a bucket answers, and an
    /// address must not pay for asking whether it may try.
    empty: Cache<IpAddr, Instant>,
    clock: Arc<dyn Clock>,
}

impl Failures {
    pub(crate) fn new(limit: RateLimit, clock: Arc<dyn Clock>) -> Self {
        Self {
            limit,
            buckets: Buckets::new(MOST_ADDRESSES, Arc::clone(&clock)),
            empty: Cache::builder()
                .max_capacity(MOST_ADDRESSES)
                .time_to_live(token_time(limit))
                .build(),
            clock,
        }
    }

    /// Refuses to look at a credential from `source` while its bucket is empty.
    pub(crate) fn admit(&self, source: IpAddr) -> Result<(), AuthError> {
        let wait = self
            .empty
            .get(&network(source))
            .map(|until| until.saturating_duration_since(self.clock.instant()));
        match wait {
            Some(retry_after) if !retry_after.is_zero() => Err(AuthError::Throttled { retry_after }),
            _ => Ok(()),
        }
    }

    /// Counts a failed credential of `source`, and says how it is refused.
    pub(crate) fn refuse(&self, source: IpAddr) -> AuthError {
        if let Err(throttled) = self.admit(source) {
            return throttled;
        }
        let network = network(source);
        let drawn = self.buckets.draw(network, self.limit);
        if drawn.remaining == 0 {
            let wait = if drawn.allowed {
                token_time(self.limit)
            } else {
                drawn.retry_after
            };
            self.empty.insert(network, self.clock.instant() + wait);
        }
        if drawn.allowed {
            AuthError::Unauthorized
        } else {
            AuthError::Throttled {
                retry_after: drawn.retry_after,
            }
        }
    }
}

/// The time in which one token flows back: at most a second.
fn token_time(limit: RateLimit) -> Duration {
    Duration::from_secs(1) / limit.per_second.get()
}

/// Who shares a bucket: one IPv4 address, also when it comes as an IPv6 one, or one IPv6 network of 64 bits, all of
/// which belongs to one subscriber.
fn network(source: IpAddr) -> IpAddr {
    match source.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}
