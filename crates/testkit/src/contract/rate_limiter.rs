//! The clauses of [`RateLimiter`].

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use domain::{
    access::{KeyId, Principal, RateLimit, Scopes, TenantSettings},
    port::{Clock, RateDecision, RateLimiter},
};
use uuid::Uuid;

use super::at_once;
use crate::{ManualClock, eventually, sample};

/// What the suite of [`RateLimiter`] works on: the implementation under a clock that moves when told.
pub struct RateLimiterFixture {
    limiter: Arc<dyn RateLimiter>,
    clock: Arc<ManualClock>,
    default: RateLimit,
}

impl RateLimiterFixture {
    /// Builds the implementation under test with `build`: with this clock, and this bucket for keys whose tenant has
    /// none of its own. An implementation that must count on another clock, as one on a shared server does, may ignore
    /// the given one: the clauses then take as long as the buckets need, which is seconds.
    #[must_use]
    pub fn new<L, B>(build: B) -> Self
    where
        L: RateLimiter + 'static,
        B: FnOnce(Arc<dyn Clock>, RateLimit) -> L,
    {
        let clock = Arc::new(ManualClock::stopped_at(sample::NOW_MS));
        let default = RateLimit {
            per_second: NonZeroU32::MIN,
            burst: NonZeroU32::MIN.saturating_add(4),
        };
        Self {
            limiter: Arc::new(build(Arc::clone(&clock) as _, default)),
            clock,
            default,
        }
    }
}

/// A key of a tenant with these limits of its own.
fn principal(per_second: Option<u32>, burst: Option<u32>) -> Principal {
    Principal {
        key_id: KeyId(Uuid::now_v7()),
        tenant_id: sample::tenant(),
        scopes: Scopes::all(),
        settings: TenantSettings {
            rate_per_second: per_second.and_then(NonZeroU32::new),
            rate_burst: burst.and_then(NonZeroU32::new),
            ..TenantSettings::default()
        },
    }
}

impl RateLimiterFixture {
    /// Draws until the bucket is empty; the decisions up to the refusal, which is the last one.
    async fn drain(&self, principal: &Principal) -> Vec<RateDecision> {
        let mut decisions = Vec::new();
        while decisions.len() < 10_000 {
            let decision = self.limiter.draw(principal).await;
            decisions.push(decision);
            if !decision.allowed {
                return decisions;
            }
        }
        panic!("the bucket lets {} draws through", decisions.len());
    }

    /// Checks that a full bucket of the principal has this size and rate.
    async fn has_full_bucket(&self, principal: &Principal, per_second: u32, burst: u32) {
        let decisions = self.drain(principal).await;
        for (i, decision) in (0..).zip(&decisions) {
            assert_eq!(decision.allowed, i < burst, "draw {i} of a burst of {burst}");
            assert_eq!((decision.per_second, decision.burst), (per_second, burst));
            assert_eq!(decision.remaining, burst.saturating_sub(i + 1), "after draw {i}");
            let token = Duration::from_secs(1) / per_second;
            if decision.allowed {
                assert_eq!(decision.retry_after, Duration::ZERO);
            } else {
                assert!(!decision.retry_after.is_zero(), "a refusal says when to try again");
                assert!(decision.retry_after <= token, "one token comes within {token:?}");
            }
        }
    }
}

/// MUST 1: a full bucket lets the burst through and nothing more, and each decision says what is left.
pub async fn a_full_bucket_lets_the_burst_through(fixture: &RateLimiterFixture) {
    let RateLimit { per_second, burst } = fixture.default;
    fixture
        .has_full_bucket(&principal(None, None), per_second.get(), burst.get())
        .await;
}

/// MUST 1: so it does when all draw at once.
pub async fn simultaneous_draws_share_the_burst(fixture: &RateLimiterFixture) {
    let principal = principal(None, None);
    let decisions = at_once((0..50).map(|_| {
        let (limiter, principal) = (Arc::clone(&fixture.limiter), principal.clone());
        async move { limiter.draw(&principal).await }
    }))
    .await;
    let allowed = decisions.iter().filter(|decision| decision.allowed).count();
    assert_eq!(allowed, fixture.default.burst.get() as usize);
}

/// MUST 1: an empty bucket fills at the rate; a refused draw costs nothing.
pub async fn tokens_flow_back_at_the_rate(fixture: &RateLimiterFixture) {
    let principal = principal(None, None);
    let refusal = fixture
        .drain(&principal)
        .await
        .pop()
        .expect("a drain ends with a refusal");
    fixture.clock.advance(refusal.retry_after);
    eventually("the token that was promised", async || {
        let decision = fixture.limiter.draw(&principal).await;
        decision.allowed.then_some(())
    })
    .await;
    assert!(
        !fixture.limiter.draw(&principal).await.allowed,
        "one token came, and not more"
    );

    fixture.clock.advance(Duration::from_secs(3));
    let mut allowed = 0;
    eventually("three tokens in three seconds", async || {
        allowed += u32::from(fixture.limiter.draw(&principal).await.allowed);
        (allowed == 3).then_some(())
    })
    .await;
    assert!(!fixture.limiter.draw(&principal).await.allowed, "and not a fourth");
}

/// MUST 1: a bucket that was left alone for long holds the burst and not more.
pub async fn an_idle_bucket_holds_no_more_than_the_burst(fixture: &RateLimiterFixture) {
    let principal = principal(None, None);
    fixture.drain(&principal).await;
    fixture.clock.advance(Duration::from_hours(24));
    let allowed = fixture.drain(&principal).await.len() - 1;
    assert!(
        allowed <= fixture.default.burst.get() as usize,
        "{allowed} at once after a day"
    );
}

/// MUST 2: keys have buckets of their own, also those of one tenant.
pub async fn keys_have_buckets_of_their_own(fixture: &RateLimiterFixture) {
    let first = principal(None, None);
    let second = Principal {
        key_id: KeyId(Uuid::now_v7()),
        ..first.clone()
    };
    fixture.drain(&first).await;
    let RateLimit { per_second, burst } = fixture.default;
    fixture.has_full_bucket(&second, per_second.get(), burst.get()).await;
    assert!(!fixture.limiter.draw(&first).await.allowed);
}

/// MUST 3: a tenant's own rate and burst apply, each by itself.
pub async fn a_tenants_own_limits_apply(fixture: &RateLimiterFixture) {
    let RateLimit { per_second, burst } = fixture.default;
    fixture.has_full_bucket(&principal(Some(2), Some(3)), 2, 3).await;
    fixture
        .has_full_bucket(&principal(None, Some(1)), per_second.get(), 1)
        .await;
    fixture.has_full_bucket(&principal(Some(2), None), 2, burst.get()).await;
    fixture
        .has_full_bucket(&principal(None, None), per_second.get(), burst.get())
        .await;
}

/// Expands to the contract suite of [`RateLimiter`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`RateLimiterFixture`]`>`, for example
/// `async { Some(RateLimiterFixture::new(|clock, default| MyRateLimiter::new(clock, default))) }`.
#[macro_export]
macro_rules! rate_limiter_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, rate_limiter:
            a_full_bucket_lets_the_burst_through,
            simultaneous_draws_share_the_burst,
            tokens_flow_back_at_the_rate,
            an_idle_bucket_holds_no_more_than_the_burst,
            keys_have_buckets_of_their_own,
            a_tenants_own_limits_apply,
        }
    };
}
