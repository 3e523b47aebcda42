//! The clauses of [`Authenticator`].

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    access::{KeyInfo, NewKey, Principal, Scope},
    context::Deadline,
    port::{AccessAdmin, AuthError, Authenticator, Clock, KeyStore},
};

use super::GRACE;
use crate::{Fault, Faulty, InMemoryKeyStore, ManualClock, eventually, sample};

/// For how long an authenticator under test keeps what it verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheTimes {
    /// A verified key is served from memory for this time.
    pub fresh: Duration,
    /// While the store cannot be reached, it stays valid for this time more.
    pub stale: Duration,
}

/// What the suite of [`Authenticator`] works on: the implementation over a key store that fails when told, under a
/// clock that moves when told.
pub struct AuthenticatorFixture {
    authenticator: Arc<dyn Authenticator>,
    store: Arc<InMemoryKeyStore>,
    gate: Arc<Faulty<InMemoryKeyStore>>,
    clock: Arc<ManualClock>,
    times: CacheTimes,
}

/// The tenant of every key in this suite.
const TENANT: &str = "acme";

/// Failed credentials from one address that no slow-down may let pass unhindered.
const MANY: usize = 2_000;

impl AuthenticatorFixture {
    /// Builds the implementation under test with `build`: over this key store, with this clock as its only source of
    /// time for what it keeps, and with these times. Failed credentials of one address must be slowed down before the
    /// two thousandth.
    ///
    /// The clock's monotonic time stands still between the steps of a clause. Deadlines are counted on it too, and lie
    /// at least as far in the real future, so waiting for them on either is right.
    #[must_use]
    pub fn new<A, B>(build: B) -> Self
    where
        A: Authenticator + 'static,
        B: FnOnce(Arc<dyn KeyStore>, Arc<dyn Clock>, CacheTimes) -> A,
    {
        let store = Arc::new(InMemoryKeyStore::new());
        let gate = Arc::new(Faulty::new(Arc::clone(&store)));
        let clock = Arc::new(ManualClock::stopped_at(sample::NOW_MS));
        let times = CacheTimes {
            fresh: Duration::from_secs(2),
            stale: Duration::from_secs(4),
        };
        let keys: Arc<dyn KeyStore> = Arc::clone(&gate) as _;
        let authenticator = Arc::new(build(keys, Arc::clone(&clock) as _, times));
        Self {
            authenticator,
            store,
            gate,
            clock,
            times,
        }
    }

    /// The deadline `time` from now, on the clock under test and on the real one.
    fn within(&self, time: Duration) -> Deadline {
        Deadline(self.clock.instant().max(Instant::now()) + time)
    }
}

/// A deadline that leaves a healthy store time enough.
const ENOUGH: Duration = Duration::from_secs(2);

/// A deadline for requests that have to wait for it.
const SHORT: Duration = Duration::from_millis(100);

/// What a store does that cannot be reached.
const OUTAGES: [Fault; 4] = [
    Fault::Unavailable,
    Fault::Internal,
    Fault::HangUntilDeadline,
    Fault::HangForever,
];

/// One of many addresses from which credentials come.
fn address(index: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, index))
}

/// The steps of the clauses below.
impl AuthenticatorFixture {
    async fn store_key(&self, key: &NewKey) -> KeyInfo {
        let tenant = sample::new_tenant(TENANT);
        match self.store.create_tenant(&tenant, sample::NOW_MS, sample::ample()).await {
            Ok(_) | Err(domain::port::AdminError::TenantExists(_)) => {}
            Err(error) => panic!("the fake store creates a tenant: {error}"),
        }
        let stored = self
            .store
            .create_key(TENANT, key, sample::NOW_MS, sample::ample())
            .await;
        stored.expect("the fake store stores a key")
    }

    async fn revoke(&self, key: &KeyInfo) {
        let revoked = self.store.revoke_key(key.id, sample::NOW_MS, sample::ample()).await;
        revoked.expect("the fake store revokes a key");
    }

    async fn present(&self, credential: &str) -> Result<Principal, AuthError> {
        self.present_from(address(1), credential).await
    }

    async fn present_from(&self, source: IpAddr, credential: &str) -> Result<Principal, AuthError> {
        self.present_within(ENOUGH, source, credential).await
    }

    /// Presents a credential, and checks that the answer comes by the deadline, on whichever clock it is waited for.
    async fn present_within(&self, time: Duration, source: IpAddr, credential: &str) -> Result<Principal, AuthError> {
        let began = Instant::now();
        let deadline = self.within(time);
        let latest = deadline.0 - self.clock.instant().min(began) + GRACE;
        let answer = self.authenticator.authenticate(credential, source, deadline).await;
        let took = began.elapsed();
        assert!(took < latest, "answered after {took:?} with {time:?} left");
        answer
    }

    /// Presents the key until it is accepted, as a client does that retries after an outage.
    async fn accepted_again(&self, credential: &str) {
        eventually("the key is accepted after the outage", async || {
            self.present(credential).await.ok()
        })
        .await;
    }
}

/// A stored key is verified, and speaks for whom the store says.
pub async fn a_stored_key_is_verified(fixture: &AuthenticatorFixture) {
    let key = NewKey {
        scopes: [Scope::Recall].into_iter().collect(),
        ..sample::new_key(0)
    };
    let info = fixture.store_key(&key).await;
    let stored = fixture
        .store
        .find_key(&key.hash, sample::ample())
        .await
        .unwrap()
        .unwrap();
    let principal = fixture.present(&sample::key_text(0)).await.unwrap();
    assert_eq!(principal, stored.principal);
    assert_eq!(principal.key_id, info.id);
}

/// MUST 2: whatever is not exactly a stored key is refused.
pub async fn everything_else_is_refused(fixture: &AuthenticatorFixture) {
    let key = sample::key_text(0);
    fixture.store_key(&sample::new_key(0)).await;
    assert!(fixture.present(&key).await.is_ok());
    let others = [
        String::new(),
        " ".to_owned(),
        sample::key_text(1),
        key.to_uppercase(),
        format!("{key} "),
        format!(" {key}"),
        format!("{key}0"),
        format!("{key}\0"),
        key[..key.len() - 1].to_owned(),
        key.replace("live", "test"),
        key.replace("sk_live_", ""),
        format!("Bearer {key}"),
        key.replace('0', "٠"),
        "sk_live_".to_owned(),
        format!("sk_live_{}", "a".repeat(1_000_000)),
        format!("sk_live_{}", "🙂".repeat(43)),
    ];
    for (i, other) in (2..).zip(others) {
        let refused = fixture.present_from(address(i), &other).await;
        assert!(
            matches!(refused, Err(AuthError::Unauthorized)),
            "credential {i}: {refused:?}"
        );
    }
}

/// MUST 2: a revoked key is refused.
pub async fn a_revoked_key_is_refused(fixture: &AuthenticatorFixture) {
    let key = fixture.store_key(&sample::new_key(0)).await;
    fixture.revoke(&key).await;
    let refused = fixture.present(&sample::key_text(0)).await;
    assert!(matches!(refused, Err(AuthError::Unauthorized)), "{refused:?}");
}

/// MUST 2: an expired key is refused, whether it expired before it was first presented or since.
pub async fn an_expired_key_is_refused(fixture: &AuthenticatorFixture) {
    let ending = |index, after_ms| NewKey {
        expires_at_ms: Some(sample::NOW_MS + after_ms),
        ..sample::new_key(index)
    };
    fixture.store_key(&ending(0, -1)).await;
    fixture.store_key(&ending(1, 500)).await;
    let refused = fixture.present(&sample::key_text(0)).await;
    assert!(matches!(refused, Err(AuthError::Unauthorized)), "{refused:?}");

    fixture.clock.advance(Duration::from_millis(499));
    assert!(
        fixture.present(&sample::key_text(1)).await.is_ok(),
        "a millisecond before its expiry"
    );
    fixture.clock.advance(Duration::from_millis(2));
    let refused = fixture.present(&sample::key_text(1)).await;
    assert!(
        matches!(refused, Err(AuthError::Unauthorized)),
        "expired in memory: {refused:?}"
    );
}

/// MUST 3: a verified key is served from memory for the cache time.
pub async fn a_verified_key_is_served_from_memory(fixture: &AuthenticatorFixture) {
    fixture.store_key(&sample::new_key(0)).await;
    let first = fixture.present(&sample::key_text(0)).await.unwrap();
    let calls = fixture.gate.calls();
    fixture.clock.advance(fixture.times.fresh / 2);
    for _ in 0..10 {
        assert_eq!(fixture.present(&sample::key_text(0)).await.unwrap(), first);
    }
    assert_eq!(fixture.gate.calls(), calls, "the store is not asked");
}

/// MUST 3: after the cache time the store is asked again, so that a revocation takes effect.
pub async fn the_store_is_asked_again_after_the_cache_time(fixture: &AuthenticatorFixture) {
    let key = fixture.store_key(&sample::new_key(0)).await;
    assert!(fixture.present(&sample::key_text(0)).await.is_ok());
    let calls = fixture.gate.calls();
    fixture.clock.advance(fixture.times.fresh + Duration::from_millis(1));
    assert!(fixture.present(&sample::key_text(0)).await.is_ok());
    assert!(fixture.gate.calls() > calls, "the store is asked again");

    fixture.revoke(&key).await;
    fixture.clock.advance(fixture.times.fresh + Duration::from_millis(1));
    let refused = fixture.present(&sample::key_text(0)).await;
    assert!(matches!(refused, Err(AuthError::Unauthorized)), "{refused:?}");
}

/// MUST 1 and 3: while the store cannot be reached, a verified key stays valid for the stale time and no longer; when
/// the store is back, so is the key.
pub async fn a_verified_key_outlives_an_outage_for_the_stale_time(fixture: &AuthenticatorFixture) {
    for (i, fault) in OUTAGES.into_iter().enumerate() {
        let key = sample::key_text(i);
        fixture.store_key(&sample::new_key(i)).await;
        let principal = fixture.present(&key).await.unwrap();

        fixture.gate.set(fault);
        fixture
            .clock
            .advance(fixture.times.fresh + fixture.times.stale.mul_f64(0.999));
        let stale = fixture.present(&key).await;
        assert_eq!(stale.ok(), Some(principal), "{fault:?} at the end of the stale time");

        fixture.clock.advance(fixture.times.stale.mul_f64(0.002));
        let late = fixture.present_within(SHORT, address(1), &key).await;
        assert!(
            matches!(late, Err(AuthError::Unavailable(_))),
            "{fault:?} after the stale time: {late:?}"
        );

        fixture.gate.set(Fault::Healthy);
        fixture.accepted_again(&key).await;
    }
}

/// MUST 3: no outage keeps a key valid past its expiry.
pub async fn an_outage_does_not_outlive_the_expiry(fixture: &AuthenticatorFixture) {
    let fresh_ms = i64::try_from(fixture.times.fresh.as_millis()).unwrap();
    let key = NewKey {
        expires_at_ms: Some(sample::NOW_MS + fresh_ms + 1_000),
        ..sample::new_key(0)
    };
    fixture.store_key(&key).await;
    assert!(fixture.present(&sample::key_text(0)).await.is_ok());
    fixture.gate.set(Fault::Unavailable);
    fixture.clock.advance(fixture.times.fresh + Duration::from_millis(500));
    assert!(
        fixture.present(&sample::key_text(0)).await.is_ok(),
        "stale, and not expired yet"
    );
    fixture.clock.advance(Duration::from_millis(501));
    let refused = fixture.present(&sample::key_text(0)).await;
    assert!(refused.is_err(), "stale, but expired");
}

/// MUST 4: a key revoked during an outage is refused once the store has been asked again.
pub async fn a_revocation_during_an_outage_takes_effect_after_it(fixture: &AuthenticatorFixture) {
    let key = fixture.store_key(&sample::new_key(0)).await;
    assert!(fixture.present(&sample::key_text(0)).await.is_ok());
    fixture.gate.set(Fault::Unavailable);
    fixture.clock.advance(fixture.times.fresh + Duration::from_millis(1));
    assert!(fixture.present(&sample::key_text(0)).await.is_ok());
    fixture.revoke(&key).await;
    fixture.gate.set(Fault::Healthy);
    fixture.clock.advance(fixture.times.fresh + Duration::from_millis(1));
    let refused = fixture.present(&sample::key_text(0)).await;
    assert!(matches!(refused, Err(AuthError::Unauthorized)), "{refused:?}");
}

/// MUST 1 and 4: while the store cannot be reached, a key not in memory is unavailable, by the deadline; afterwards it
/// is not remembered as anything.
pub async fn a_key_not_in_memory_is_unavailable_in_an_outage(fixture: &AuthenticatorFixture) {
    for (i, fault) in OUTAGES.into_iter().enumerate() {
        let key = sample::key_text(i);
        fixture.store_key(&sample::new_key(i)).await;
        fixture.gate.set(fault);
        for credential in [key.as_str(), &sample::key_text(i + OUTAGES.len())] {
            let answer = fixture.present_within(SHORT, address(1), credential).await;
            assert!(
                matches!(answer, Err(AuthError::Unavailable(_))),
                "{fault:?}: {answer:?}"
            );
        }
        fixture.gate.set(Fault::Healthy);
        fixture.accepted_again(&key).await;
        let stranger = fixture.present(&sample::key_text(i + OUTAGES.len())).await;
        assert!(
            matches!(stranger, Err(AuthError::Unauthorized)),
            "after {fault:?}: {stranger:?}"
        );
    }
}

/// MUST 1: a deadline that has passed gives an answer at once, which never says that a good key is not valid.
pub async fn a_passed_deadline_refuses_no_key(fixture: &AuthenticatorFixture) {
    let key = sample::key_text(0);
    fixture.store_key(&sample::new_key(0)).await;
    let late = fixture.authenticator.authenticate(&key, address(1), sample::passed());
    let answer = super::promptly("authenticate", late).await;
    assert!(
        !matches!(answer, Err(AuthError::Unauthorized | AuthError::Throttled { .. })),
        "{answer:?}"
    );
    assert!(fixture.present(&key).await.is_ok());
}

/// MUST 1: requests that are dropped while their key is looked up leave nothing behind that hinders the next one.
pub async fn a_dropped_request_hinders_nobody(fixture: &AuthenticatorFixture) {
    let key = sample::key_text(0);
    fixture.store_key(&sample::new_key(0)).await;
    fixture.gate.set(Fault::HangUntilDeadline);
    for wait_ms in [0, 1, 5] {
        let deadline = fixture.within(Duration::from_millis(100));
        let request = fixture.authenticator.authenticate(&key, address(1), deadline);
        let dropped = tokio::time::timeout(Duration::from_millis(wait_ms), request).await;
        assert!(!matches!(dropped, Ok(Ok(_))), "the store has not answered");
    }
    fixture.gate.set(Fault::Healthy);
    fixture.accepted_again(&key).await;
}

/// Many requests with few keys at once are all verified, each as its own key.
pub async fn simultaneous_requests_are_all_verified(fixture: &AuthenticatorFixture) {
    let mut ids = Vec::new();
    for i in 0..4 {
        ids.push(fixture.store_key(&sample::new_key(i)).await.id);
    }
    let deadline = fixture.within(Duration::from_secs(10));
    let answers = super::at_once((0..40).map(|i| {
        let authenticator = Arc::clone(&fixture.authenticator);
        async move {
            authenticator
                .authenticate(&sample::key_text(i % 4), address(1), deadline)
                .await
        }
    }))
    .await;
    for (i, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer.unwrap().key_id, ids[i % 4]);
    }
}

/// MUST 5: an address whose credentials fail is slowed down for a while that it is told. A key that is verified
/// already, and every other address, go on.
pub async fn guessing_slows_its_address_down(fixture: &AuthenticatorFixture) {
    let (guesser, bystander) = (address(66), address(7));
    for i in 0..3 {
        fixture.store_key(&sample::new_key(i)).await;
    }
    assert!(fixture.present_from(guesser, &sample::key_text(0)).await.is_ok());

    let mut slowed = None;
    for i in 0..MANY {
        match fixture.present_from(guesser, &sample::key_text(1_000 + i)).await {
            Err(AuthError::Unauthorized) => {}
            Err(AuthError::Throttled { retry_after }) => {
                slowed = Some(retry_after);
                break;
            }
            other => panic!("an unknown key gave {other:?}"),
        }
    }
    let retry_after = slowed.expect("guessing is slowed down before so many failures");
    assert!(!retry_after.is_zero(), "the address learns when it may try again");

    for _ in 0..20 {
        assert!(
            fixture.present_from(guesser, &sample::key_text(0)).await.is_ok(),
            "a verified key goes on"
        );
    }
    let elsewhere = fixture.present_from(bystander, &sample::key_text(999)).await;
    assert!(matches!(elsewhere, Err(AuthError::Unauthorized)), "{elsewhere:?}");
    assert!(fixture.present_from(bystander, &sample::key_text(1)).await.is_ok());

    fixture.clock.advance(retry_after);
    eventually("the address may try again", async || {
        fixture.present_from(guesser, &sample::key_text(2)).await.ok()
    })
    .await;
}

/// MUST 4 and 5: a store that cannot be reached makes no credential fail, so an outage slows nobody down.
pub async fn an_outage_slows_nobody_down(fixture: &AuthenticatorFixture) {
    let key = sample::key_text(0);
    fixture.store_key(&sample::new_key(0)).await;
    fixture.gate.set(Fault::Unavailable);
    for _ in 0..MANY {
        let answer = fixture.present(&key).await;
        assert!(matches!(answer, Err(AuthError::Unavailable(_))), "{answer:?}");
    }
    fixture.gate.set(Fault::Healthy);
    assert!(fixture.present(&key).await.is_ok());
}

/// Expands to the contract suite of [`Authenticator`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`AuthenticatorFixture`]`>`, for example `Some` of
/// `AuthenticatorFixture::new(|keys, clock, times| MyAuthenticator::new(keys, clock, times.fresh, times.stale))`.
#[macro_export]
macro_rules! authenticator_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, authenticator:
            a_stored_key_is_verified,
            everything_else_is_refused,
            a_revoked_key_is_refused,
            an_expired_key_is_refused,
            a_verified_key_is_served_from_memory,
            the_store_is_asked_again_after_the_cache_time,
            a_verified_key_outlives_an_outage_for_the_stale_time,
            an_outage_does_not_outlive_the_expiry,
            a_revocation_during_an_outage_takes_effect_after_it,
            a_key_not_in_memory_is_unavailable_in_an_outage,
            a_passed_deadline_refuses_no_key,
            a_dropped_request_hinders_nobody,
            simultaneous_requests_are_all_verified,
            guessing_slows_its_address_down,
            an_outage_slows_nobody_down,
        }
    };
}
