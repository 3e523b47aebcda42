//! What the token buckets promise beyond the port's contract: exact counts, what the headers say, and change of limits.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use adapters_auth::GovernorRateLimiter;
use domain::{
    access::{KeyId, Principal, RateLimit, Scopes, TenantId, TenantSettings},
    port::{RateDecision, RateLimiter},
};
use proptest::prelude::*;
use testkit::{ManualClock, contract::RateLimiterFixture, sample};
use uuid::Uuid;

testkit::rate_limiter_contract!(contract, async {
    Some(RateLimiterFixture::new(|clock, default| {
        GovernorRateLimiter::new(default, clock)
    }))
});

fn limit(per_second: u32, burst: u32) -> RateLimit {
    RateLimit {
        per_second: NonZeroU32::new(per_second).unwrap(),
        burst: NonZeroU32::new(burst).unwrap(),
    }
}

fn principal() -> Principal {
    Principal {
        key_id: KeyId(Uuid::now_v7()),
        tenant_id: TenantId(Uuid::now_v7()),
        scopes: Scopes::all(),
        settings: TenantSettings::default(),
    }
}

fn limiter(per_second: u32, burst: u32) -> (GovernorRateLimiter, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::stopped_at(sample::NOW_MS));
    (GovernorRateLimiter::new(limit(per_second, burst), clock.clone()), clock)
}

#[tokio::test]
async fn a_decision_says_what_the_headers_need() {
    let (limiter, clock) = limiter(50, 100);
    let key = principal();
    for drawn in 1..=100 {
        let expected = RateDecision {
            allowed: true,
            burst: 100,
            per_second: 50,
            remaining: 100 - drawn,
            retry_after: Duration::ZERO,
        };
        assert_eq!(limiter.draw(&key).await, expected);
    }
    let refused = limiter.draw(&key).await;
    assert_eq!((refused.allowed, refused.remaining), (false, 0));
    assert_eq!(refused.retry_after, Duration::from_millis(20));
    clock.advance(refused.retry_after);
    assert!(
        limiter.draw(&key).await.allowed,
        "after the time it named there is a token"
    );
    assert!(!limiter.draw(&key).await.allowed, "and only one");
    clock.advance(Duration::from_secs(1));
    let decision = limiter.draw(&key).await;
    assert_eq!((decision.allowed, decision.remaining), (true, 49));
    clock.advance(Duration::from_hours(1));
    assert_eq!(
        limiter.draw(&key).await.remaining,
        99,
        "it never holds more than the burst"
    );
}

#[tokio::test]
async fn a_tenant_may_have_its_own_rate_or_burst_or_both() {
    let (limiter, _) = limiter(50, 100);
    let five = NonZeroU32::new(5);
    for (rate, burst, expected) in [(five, None, (5, 100)), (None, five, (50, 5)), (five, five, (5, 5))] {
        let key = Principal {
            settings: TenantSettings {
                rate_per_second: rate,
                rate_burst: burst,
                ..TenantSettings::default()
            },
            ..principal()
        };
        let decision = limiter.draw(&key).await;
        assert_eq!(
            (decision.per_second, decision.burst, decision.remaining),
            (expected.0, expected.1, expected.1 - 1)
        );
    }
}

#[tokio::test]
async fn a_changed_limit_makes_a_new_bucket() {
    let (limiter, _) = limiter(1, 2);
    let old = principal();
    let new = Principal {
        settings: TenantSettings {
            rate_burst: NonZeroU32::new(10),
            ..old.settings
        },
        ..old.clone()
    };
    limiter.draw(&old).await;
    limiter.draw(&old).await;
    assert!(!limiter.draw(&old).await.allowed);
    assert_eq!(limiter.draw(&new).await.remaining, 9);
    assert_eq!(limiter.draw(&new).await.remaining, 8, "the new bucket stays");
}

#[tokio::test]
async fn the_largest_limits_do_not_overflow() {
    for (per_second, burst) in [(u32::MAX, u32::MAX), (1, u32::MAX), (u32::MAX, 1)] {
        let (limiter, clock) = limiter(per_second, burst);
        let key = principal();
        assert!(limiter.draw(&key).await.allowed);
        clock.advance(Duration::from_hours(24 * 365));
        assert!(limiter.draw(&key).await.allowed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn simultaneous_requests_get_exactly_the_burst() {
    let (limiter, _) = limiter(50, 100);
    let (limiter, key) = (Arc::new(limiter), principal());
    let allowed = Arc::new(AtomicU32::new(0));
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (limiter, key, allowed) = (Arc::clone(&limiter), key.clone(), Arc::clone(&allowed));
        requests.spawn(async move {
            for _ in 0..100 {
                allowed.fetch_add(u32::from(limiter.draw(&key).await.allowed), Ordering::Relaxed);
            }
        });
    }
    requests.join_all().await;
    assert_eq!(allowed.load(Ordering::Relaxed), 100);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the course of the requests, each window lets through at most the burst and what flowed back in it.
    #[test]
    fn no_window_lets_more_through(
        per_second in 1..200_u32,
        burst in 1..50_u32,
        pauses_us in proptest::collection::vec(0..40_000_u64, 1..200),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (limiter, clock) = limiter(per_second, burst);
        let key = principal();
        let (mut now_us, mut allowed_at) = (0, Vec::new());
        for pause in pauses_us {
            clock.advance(Duration::from_micros(pause));
            now_us += pause;
            let decision = runtime.block_on(limiter.draw(&key));
            prop_assert_eq!(decision.allowed, decision.retry_after.is_zero());
            prop_assert!(decision.remaining < burst);
            if decision.allowed {
                allowed_at.push(now_us);
            }
        }
        // In whole nanoseconds, as the time of a token is counted.
        let token_ns = 1_000_000_000 / u64::from(per_second);
        for (first, from_us) in allowed_at.iter().enumerate() {
            for (last, until_us) in allowed_at.iter().enumerate().skip(first) {
                let beyond_burst = u64::try_from(last - first + 1).unwrap().saturating_sub(u64::from(burst));
                prop_assert!(beyond_burst * token_ns <= (until_us - from_us) * 1_000);
            }
        }
    }
}
