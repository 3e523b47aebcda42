//! Token buckets by key, counted by governor and forgotten when that makes no difference.

use std::{
    hash::Hash,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    access::RateLimit,
    port::{Clock, RateDecision},
};
use governor::{
    Quota,
    middleware::StateInformationMiddleware,
    state::{InMemoryState, NotKeyed},
};
use moka::{Expiry, policy::EvictionPolicy, sync::Cache};

/// A bucket stays at least this long without use, so that small and fast buckets are not made anew all the time.
const SHORTEST_IDLE: Duration = Duration::from_mins(1);

/// Token buckets by key, at most a given number of them.
///
/// A bucket is forgotten once it was idle for as long as it takes to fill up: a new one is full too, so nobody gains by
/// it. Only when there are more keys than the bound does the one that was idle longest go before its time.
pub(crate) struct Buckets<K> {
    buckets: Cache<K, Arc<Bucket>>,
    clock: PortClock,
}

impl<K: Copy + Hash + Eq + Send + Sync + 'static> Buckets<K> {
    pub(crate) fn new(most: u64, clock: Arc<dyn Clock>) -> Self {
        let buckets = Cache::builder()
            .max_capacity(most)
            .eviction_policy(EvictionPolicy::lru())
            .expire_after(WhenFullAgain)
            .build();
        Self {
            buckets,
            clock: PortClock(clock),
        }
    }

    /// Draws one token from the key's bucket. A bucket made for another limit is replaced by a full one.
    pub(crate) fn draw(&self, key: K, limit: RateLimit) -> RateDecision {
        self.buckets
            .entry_by_ref(&key)
            .or_insert_with_if(
                || Arc::new(Bucket::full(limit, self.clock.clone())),
                |bucket| bucket.limit != limit,
            )
            .value()
            .draw()
    }
}

struct Bucket {
    limit: RateLimit,
    tokens: governor::RateLimiter<NotKeyed, InMemoryState, PortClock, StateInformationMiddleware>,
}

impl Bucket {
    fn full(limit: RateLimit, clock: PortClock) -> Self {
        let quota = Quota::per_second(limit.per_second).allow_burst(limit.burst);
        let tokens = governor::RateLimiter::direct_with_clock(quota, clock).with_middleware();
        Self { limit, tokens }
    }

    fn draw(&self) -> RateDecision {
        let (allowed, remaining, retry_after) = match self.tokens.check() {
            Ok(state) => (true, state.remaining_burst_capacity(), Duration::ZERO),
            Err(refusal) => {
                let now = governor::clock::Clock::now(self.tokens.clock());
                (false, 0, refusal.wait_time_from(now))
            }
        };
        RateDecision {
            allowed,
            burst: self.limit.burst.get(),
            per_second: self.limit.per_second.get(),
            remaining,
            retry_after,
        }
    }
}

/// Forgets a bucket that was idle until it was full.
struct WhenFullAgain;

impl WhenFullAgain {
    #[expect(clippy::unnecessary_wraps, reason = "the shape that moka asks for")]
    fn idle(bucket: &Bucket) -> Option<Duration> {
        let refill = Duration::from_secs(1) * bucket.limit.burst.get() / bucket.limit.per_second.get();
        Some(refill.max(SHORTEST_IDLE))
    }
}

impl<K> Expiry<K, Arc<Bucket>> for WhenFullAgain {
    fn expire_after_create(&self, _: &K, bucket: &Arc<Bucket>, _: Instant) -> Option<Duration> {
        Self::idle(bucket)
    }

    fn expire_after_read(
        &self,
        _: &K,
        bucket: &Arc<Bucket>,
        _: Instant,
        _: Option<Duration>,
        _: Instant,
    ) -> Option<Duration> {
        Self::idle(bucket)
    }

    fn expire_after_update(&self, _: &K, bucket: &Arc<Bucket>, _: Instant, _: Option<Duration>) -> Option<Duration> {
        Self::idle(bucket)
    }
}

/// The domain's clock as governor wants it, so that buckets, caches and deadlines all go by one clock.
#[derive(Clone)]
struct PortClock(Arc<dyn Clock>);

impl governor::clock::Clock for PortClock {
    type Instant = Instant;

    fn now(&self) -> Instant {
        self.0.instant()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn memory_is_bounded_and_the_longest_idle_is_forgotten() {
        let limit = RateLimit {
            per_second: NonZeroU32::MIN,
            burst: NonZeroU32::MIN.saturating_add(1),
        };
        let buckets = Buckets::new(100, Arc::new(testkit::ManualClock::stopped_at(0)));
        for key in 0..1_000 {
            assert_eq!(buckets.draw(key, limit).remaining, 1);
            buckets.buckets.run_pending_tasks();
            assert!(buckets.buckets.entry_count() <= 100);
        }
        for key in 900..1_000 {
            assert_eq!(buckets.draw(key, limit).remaining, 0, "the bucket of {key} is kept");
        }
    }

    #[test]
    fn a_bucket_is_kept_until_it_is_full_again() {
        for (per_second, burst, idle) in [
            (50, 100, SHORTEST_IDLE),
            (1, 100, Duration::from_secs(100)),
            (3, 1_000, Duration::from_secs(1_000) / 3),
        ] {
            let limit = RateLimit {
                per_second: NonZeroU32::new(per_second).unwrap(),
                burst: NonZeroU32::new(burst).unwrap(),
            };
            let clock = PortClock(Arc::new(testkit::ManualClock::stopped_at(0)));
            assert_eq!(WhenFullAgain::idle(&Bucket::full(limit, clock)), Some(idle));
        }
    }
}
