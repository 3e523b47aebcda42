//! What the authenticator promises beyond the port's contract: the stale rule to the millisecond, single flight, and
//! the slow-down of guessing. Time is tokio's paused time, so waits are exact and cost nothing.

#![expect(
    clippy::unwrap_used,
    clippy::unchecked_time_subtraction,
    reason = "a test fails by panicking"
)]

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use adapters_auth::{AuthOptions, CachedAuthenticator};
use domain::{
    access::{KeyGrant, KeyHash, KeyId, Principal, Scopes, TenantId, TenantSettings},
    async_trait,
    context::Deadline,
    error::PortError,
    port::{AuthError, Authenticator, Clock, KeyStore},
};
use testkit::{Fault, Faulty, ManualClock, contract::AuthenticatorFixture, sample};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, advance, sleep},
};
use uuid::Uuid;

testkit::authenticator_contract!(contract, async {
    Some(AuthenticatorFixture::new(|keys, clock, times| {
        let options = AuthOptions {
            cache: times.fresh,
            stale: times.stale,
            ..AuthOptions::default()
        };
        CachedAuthenticator::new(keys, clock, options)
    }))
});

const CACHE: Duration = Duration::from_secs(30);
const STALE: Duration = Duration::from_mins(15);
const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// The domain's clock over tokio's paused time.
struct PausedClock {
    began: Instant,
}

impl Clock for PausedClock {
    fn now_ms(&self) -> i64 {
        sample::NOW_MS + i64::try_from(self.began.elapsed().as_millis()).unwrap()
    }

    fn instant(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}

/// Keys that a test puts in and takes away, given out after a delay.
#[derive(Default)]
struct Keys {
    grants: Mutex<HashMap<KeyHash, KeyGrant>>,
    delay: Mutex<Duration>,
}

impl Keys {
    fn add(&self, key: &str, expires_at_ms: Option<i64>) -> Principal {
        let principal = Principal {
            key_id: KeyId(Uuid::now_v7()),
            tenant_id: TenantId(Uuid::now_v7()),
            scopes: Scopes::all(),
            settings: TenantSettings::default(),
        };
        let grant = KeyGrant {
            principal: principal.clone(),
            expires_at_ms,
        };
        self.grants.lock().unwrap().insert(sample::key_hash(key), grant);
        principal
    }

    fn revoke(&self, key: &str) {
        self.grants.lock().unwrap().remove(&sample::key_hash(key));
    }

    fn answer_after(&self, delay: Duration) {
        *self.delay.lock().unwrap() = delay;
    }
}

#[async_trait]
impl KeyStore for Keys {
    async fn find_key(&self, hash: &KeyHash, _: Deadline) -> Result<Option<KeyGrant>, PortError> {
        let delay = *self.delay.lock().unwrap();
        sleep(delay).await;
        Ok(self.grants.lock().unwrap().get(hash).cloned())
    }
}

/// An authenticator over a store that can fail, on paused time.
struct Bench {
    keys: Arc<Keys>,
    store: Arc<Faulty<Keys>>,
    auth: Arc<CachedAuthenticator>,
}

impl Bench {
    fn new() -> Self {
        let keys = Arc::<Keys>::default();
        let store = Arc::new(Faulty::new(Arc::clone(&keys)));
        let clock = Arc::new(PausedClock { began: Instant::now() });
        let auth = Arc::new(CachedAuthenticator::new(store.clone(), clock, AuthOptions::default()));
        Self { keys, store, auth }
    }

    /// A bench on which the key 1 was verified just now.
    async fn with_verified_key() -> (Self, Principal) {
        let bench = Self::new();
        let principal = bench.keys.add(&key(1), None);
        assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
        assert_eq!(bench.store.calls(), 1);
        (bench, principal)
    }

    async fn present(&self, credential: &str) -> Result<Principal, AuthError> {
        self.present_from(ADDRESS, credential).await
    }

    async fn present_from(&self, source: &str, credential: &str) -> Result<Principal, AuthError> {
        self.present_within(300 * MS, source, credential).await
    }

    async fn present_within(&self, time: Duration, source: &str, credential: &str) -> Result<Principal, AuthError> {
        let deadline = Deadline((Instant::now() + time).into_std());
        self.auth.authenticate(credential, address(source), deadline).await
    }

    /// How long `present_within` takes, and its answer.
    async fn timed(&self, time: Duration, credential: &str) -> (Duration, Result<Principal, AuthError>) {
        let began = Instant::now();
        let answer = self.present_within(time, ADDRESS, credential).await;
        (began.elapsed(), answer)
    }
}

const ADDRESS: &str = "192.0.2.1";

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn key(index: usize) -> String {
    sample::key_text(index)
}

fn is_unauthorized(answer: &Result<Principal, AuthError>) -> bool {
    matches!(answer, Err(AuthError::Unauthorized))
}

fn is_unavailable(answer: &Result<Principal, AuthError>) -> bool {
    matches!(answer, Err(AuthError::Unavailable(_)))
}

#[tokio::test(start_paused = true)]
async fn a_verified_key_costs_one_trip_in_each_cache_time() {
    let (bench, principal) = Bench::with_verified_key().await;
    for _ in 0..1000 {
        assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    }
    advance(CACHE - MS).await;
    assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    assert_eq!(bench.store.calls(), 1);
    advance(MS).await;
    assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    assert_eq!(bench.store.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn malformed_credentials_never_reach_the_store() {
    let bench = Bench::new();
    let long = format!("sk_live_{}", "a".repeat(121));
    for credential in [
        "",
        "sk_live_",
        "sk_live_short",
        "sk_test_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        &long,
        "\u{202e}\0é",
    ] {
        assert!(is_unauthorized(&bench.present(credential).await), "{credential:?}");
    }
    assert_eq!(bench.store.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_revoked_key_is_refused_at_the_next_question_and_stays_out() {
    let (bench, _) = Bench::with_verified_key().await;
    bench.keys.revoke(&key(1));
    advance(CACHE).await;
    assert!(is_unauthorized(&bench.present(&key(1)).await));
    bench.store.set(Fault::Unavailable);
    advance(10 * SECOND).await;
    assert!(
        is_unavailable(&bench.present(&key(1)).await),
        "a revoked key must not come back in an outage"
    );
}

#[tokio::test(start_paused = true)]
async fn a_changed_grant_is_taken_over() {
    let (bench, old) = Bench::with_verified_key().await;
    let new = bench.keys.add(&key(1), None);
    advance(CACHE).await;
    assert_ne!(old, new);
    assert_eq!(bench.present(&key(1)).await.unwrap(), new);
}

#[tokio::test(start_paused = true)]
async fn the_stale_time_ends_to_the_millisecond() {
    for fault in [Fault::Unavailable, Fault::Internal] {
        let (bench, principal) = Bench::with_verified_key().await;
        bench.store.set(fault);
        advance(CACHE).await;
        assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
        advance(STALE - MS).await;
        assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
        advance(MS).await;
        assert!(is_unavailable(&bench.present(&key(1)).await), "{fault:?}");
        bench.store.set(Fault::Healthy);
        assert_eq!(bench.present(&key(1)).await.unwrap(), principal, "it recovers at once");
    }
}

#[tokio::test(start_paused = true)]
async fn the_store_is_left_alone_for_a_second_after_a_failure() {
    let (bench, principal) = Bench::with_verified_key().await;
    bench.store.set(Fault::Unavailable);
    advance(CACHE).await;
    for _ in 0..100 {
        assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    }
    assert_eq!(bench.store.calls(), 2);
    advance(SECOND - MS).await;
    assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    assert_eq!(bench.store.calls(), 2);
    advance(MS).await;
    bench.keys.revoke(&key(1));
    bench.store.set(Fault::Healthy);
    assert!(
        is_unauthorized(&bench.present(&key(1)).await),
        "then it is asked, and believed"
    );
    assert_eq!(bench.store.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_hanging_store_delays_a_verified_key_little_and_seldom() {
    for fault in [Fault::HangForever, Fault::HangUntilDeadline] {
        for (time, pause) in [
            (5 * SECOND, 100 * MS),
            (300 * MS, 100 * MS),
            (80 * MS, 40 * MS),
            (Duration::ZERO, Duration::ZERO),
        ] {
            let (bench, principal) = Bench::with_verified_key().await;
            bench.store.set(fault);
            advance(CACHE).await;
            let (took, answer) = bench.timed(time, &key(1)).await;
            assert_eq!(answer.unwrap(), principal);
            // tokio's timer ticks in milliseconds.
            assert!((pause..=pause + MS).contains(&took), "{fault:?} {time:?}: {took:?}");
            for _ in 0..10 {
                let (took, answer) = bench.timed(time, &key(1)).await;
                assert_eq!((took, answer.unwrap()), (Duration::ZERO, principal.clone()));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn noting_a_failure_does_not_bring_back_a_revoked_key() {
    let (bench, principal) = Bench::with_verified_key().await;
    advance(CACHE).await;
    bench.keys.revoke(&key(1));
    bench.keys.answer_after(150 * MS);
    let (took, answer) = bench.timed(300 * MS, &key(1)).await;
    assert!(took < 110 * MS);
    assert_eq!(answer.unwrap(), principal, "the answer did not come in time");
    sleep(60 * MS).await;
    assert!(is_unauthorized(&bench.present(&key(1)).await), "the late answer counts");
    assert_eq!(bench.store.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_slow_store_still_renews_a_key_in_the_background() {
    let (bench, principal) = Bench::with_verified_key().await;
    bench.keys.answer_after(200 * MS);
    advance(CACHE).await;
    assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    sleep(150 * MS).await;
    advance(CACHE - SECOND).await;
    bench.store.set(Fault::HangForever);
    let (took, answer) = bench.timed(300 * MS, &key(1)).await;
    assert_eq!((took, answer.unwrap()), (Duration::ZERO, principal));
    assert_eq!(bench.store.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn expiry_holds_in_memory_and_in_an_outage() {
    let bench = Bench::new();
    let ends = |after: Duration| Some(sample::NOW_MS + i64::try_from(after.as_millis()).unwrap());
    let early = bench.keys.add(&key(1), ends(10 * SECOND));
    let late = bench.keys.add(&key(2), ends(100 * SECOND));
    bench.keys.add(&key(3), ends(Duration::ZERO));
    assert!(
        is_unauthorized(&bench.present(&key(3)).await),
        "it had expired before it came"
    );
    assert_eq!(bench.present(&key(1)).await.unwrap(), early);
    assert_eq!(bench.present(&key(2)).await.unwrap(), late);
    advance(10 * SECOND - MS).await;
    assert_eq!(bench.present(&key(1)).await.unwrap(), early);
    advance(MS).await;
    assert!(is_unauthorized(&bench.present(&key(1)).await));
    bench.store.set(Fault::Unavailable);
    advance(90 * SECOND - MS).await;
    assert_eq!(bench.present(&key(2)).await.unwrap(), late, "stale, and not expired");
    advance(MS).await;
    assert!(bench.present(&key(2)).await.is_err(), "stale and expired");
}

#[tokio::test(start_paused = true)]
async fn a_key_that_expires_while_the_store_hangs_is_refused() {
    let bench = Bench::new();
    bench.keys.add(&key(1), Some(sample::NOW_MS + 30_050));
    bench.present(&key(1)).await.unwrap();
    bench.store.set(Fault::HangForever);
    advance(CACHE).await;
    assert!(
        is_unauthorized(&bench.present(&key(1)).await),
        "it ended during the pause of 100 ms"
    );
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_unavailable_for_a_new_key_and_not_remembered() {
    let bench = Bench::new();
    let principal = bench.keys.add(&key(1), None);
    for fault in [
        Fault::Unavailable,
        Fault::Internal,
        Fault::HangUntilDeadline,
        Fault::HangForever,
    ] {
        bench.store.set(fault);
        let (took, answer) = bench.timed(300 * MS, &key(1)).await;
        assert!(is_unavailable(&answer), "{fault:?}: {answer:?}");
        assert!(took <= 301 * MS, "{fault:?} took {took:?}");
    }
    bench.store.set(Fault::Healthy);
    assert_eq!(bench.present_within(SECOND, ADDRESS, &key(1)).await.unwrap(), principal);
}

#[tokio::test(start_paused = true)]
async fn the_cause_of_an_outage_reaches_the_log() {
    let bench = Bench::new();
    bench.store.set(Fault::Unavailable);
    let error = bench.present(&key(1)).await.unwrap_err();
    let mut causes = Vec::new();
    let mut next: Option<&dyn std::error::Error> = Some(&error);
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    assert_eq!(
        causes,
        [
            "the key store did not answer",
            "a dependency did not answer",
            "a fault was injected by a test"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_passed_deadline_is_unavailable_at_once() {
    let bench = Bench::new();
    bench.keys.add(&key(1), None);
    bench.store.set(Fault::HangForever);
    let (took, answer) = bench.timed(Duration::ZERO, &key(1)).await;
    assert!(is_unavailable(&answer));
    assert!(took <= MS, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn unknown_keys_are_remembered_but_not_for_long() {
    let bench = Bench::new();
    for _ in 0..50 {
        assert!(is_unauthorized(&bench.present(&key(1)).await));
    }
    assert_eq!(bench.store.calls(), 1);
    let principal = bench.keys.add(&key(1), None);
    advance(5 * SECOND).await;
    assert_eq!(
        bench.present(&key(1)).await.unwrap(),
        principal,
        "a key works soon after it was made"
    );
}

#[tokio::test(start_paused = true)]
async fn one_impatient_request_does_not_fail_another() {
    let bench = Bench::new();
    let principal = bench.keys.add(&key(1), None);
    bench.keys.answer_after(100 * MS);
    let key = key(1);
    let (hasty, patient) = tokio::join!(
        bench.present_within(20 * MS, ADDRESS, &key),
        bench.present_within(300 * MS, ADDRESS, &key)
    );
    assert!(is_unavailable(&hasty));
    assert_eq!(patient.unwrap(), principal);
    assert_eq!(bench.store.calls(), 1, "they shared one look-up");
}

#[tokio::test(start_paused = true)]
async fn a_hung_look_up_does_not_outlast_the_outage() {
    let bench = Bench::new();
    let principal = bench.keys.add(&key(1), None);
    bench.store.set(Fault::HangForever);
    let key = key(1);
    let (hung, later) = tokio::join!(bench.present_within(400 * MS, ADDRESS, &key), async {
        sleep(300 * MS).await;
        bench.store.set(Fault::Healthy);
        bench.present_within(300 * MS, ADDRESS, &key).await
    });
    assert!(is_unavailable(&hung));
    assert_eq!(later.unwrap(), principal, "it asked again for itself");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_too_late_serves_the_next_request() {
    let bench = Bench::new();
    let principal = bench.keys.add(&key(1), None);
    bench.keys.answer_after(200 * MS);
    assert!(is_unavailable(&bench.present_within(50 * MS, ADDRESS, &key(1)).await));
    sleep(200 * MS).await;
    let (took, answer) = bench.timed(50 * MS, &key(1)).await;
    assert_eq!((took, answer.unwrap()), (Duration::ZERO, principal));
    assert_eq!(bench.store.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_does_not_take_the_answer_from_others() {
    let bench = Arc::new(Bench::new());
    let principal = bench.keys.add(&key(1), None);
    bench.keys.answer_after(100 * MS);
    let first = tokio::spawn({
        let bench = Arc::clone(&bench);
        async move { bench.present(&key(1)).await }
    });
    testkit::eventually("the first request asks", async || {
        (bench.store.calls() == 1).then_some(())
    })
    .await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    assert_eq!(bench.store.calls(), 1);
}

/// Lets look-ups through only when the test says so.
struct Gate {
    keys: Arc<Keys>,
    open: Semaphore,
}

#[async_trait]
impl KeyStore for Gate {
    async fn find_key(&self, hash: &KeyHash, deadline: Deadline) -> Result<Option<KeyGrant>, PortError> {
        let _pass = self.open.acquire().await.unwrap();
        self.keys.find_key(hash, deadline).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn simultaneous_requests_with_one_key_make_one_look_up() {
    let keys = Arc::<Keys>::default();
    let principal = keys.add(&key(1), None);
    let gate = Arc::new(Gate {
        keys: Arc::clone(&keys),
        open: Semaphore::new(0),
    });
    let store = Arc::new(Faulty::new(Arc::clone(&gate)));
    let clock = Arc::new(ManualClock::stopped_at(sample::NOW_MS));
    let auth = Arc::new(CachedAuthenticator::new(
        store.clone(),
        clock.clone(),
        AuthOptions::default(),
    ));

    // The first round finds nothing in memory, the second a key whose cache time is over.
    for round in 1..=2 {
        let deadline = Deadline(clock.instant() + 30 * SECOND);
        let mut requests = JoinSet::new();
        for _ in 0..500 {
            let auth = Arc::clone(&auth);
            requests.spawn(async move { auth.authenticate(&key(1), address(ADDRESS), deadline).await });
        }
        testkit::eventually("the store is asked", async || (store.calls() == round).then_some(())).await;
        gate.open.add_permits(1);
        for answer in requests.join_all().await {
            assert_eq!(answer.unwrap(), principal);
        }
        assert_eq!(store.calls(), round);
        gate.open.forget_permits(1);
        clock.advance(CACHE);
    }
}

/// Presents unknown keys until the address is throttled; how many were refused before.
async fn exhaust(bench: &Bench, source: &str) -> usize {
    for attempt in 0..1000 {
        match bench.present_from(source, &key(1_000_000 + attempt)).await {
            Err(AuthError::Unauthorized) => {}
            Err(AuthError::Throttled { retry_after }) => {
                assert!(retry_after > Duration::ZERO && retry_after <= SECOND, "{retry_after:?}");
                return attempt;
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("never throttled");
}

#[tokio::test(start_paused = true)]
async fn guessing_is_slowed_down_to_one_a_second() {
    let bench = Bench::new();
    assert_eq!(exhaust(&bench, ADDRESS).await, 100);
    let asked = bench.store.calls();
    assert_eq!(asked, 100, "the refusal itself cost no look-up");
    let (mut refused, mut throttled) = (0, 0);
    for _ in 0..100 {
        advance(100 * MS).await;
        match bench.present(&key(2_000_000 + refused + throttled)).await {
            Err(AuthError::Unauthorized) => refused += 1,
            Err(AuthError::Throttled { .. }) => throttled += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(refused, 10, "one for each of the ten seconds");
    assert_eq!(bench.store.calls(), asked + refused);
    advance(100 * SECOND).await;
    assert_eq!(exhaust(&bench, ADDRESS).await, 100, "the bucket is full again");
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_failure_counts() {
    for bad in ["", "no key at all", &key(77), &key(78)] {
        let bench = Bench::new();
        bench.keys.add(&key(78), Some(sample::NOW_MS - 1));
        for _ in 0..100 {
            assert!(is_unauthorized(&bench.present(bad).await));
        }
        assert!(
            matches!(bench.present(bad).await, Err(AuthError::Throttled { .. })),
            "{bad:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_no_failure_of_the_client() {
    let bench = Bench::new();
    bench.store.set(Fault::Unavailable);
    for _ in 0..200 {
        assert!(is_unavailable(&bench.present(&key(1)).await));
    }
}

#[tokio::test(start_paused = true)]
async fn a_throttled_address_keeps_its_verified_keys_and_asks_nothing_else() {
    let (bench, principal) = Bench::with_verified_key().await;
    let cold = bench.keys.add(&key(2), None);
    exhaust(&bench, ADDRESS).await;
    let asked = bench.store.calls();
    assert_eq!(bench.present(&key(1)).await.unwrap(), principal);
    assert!(matches!(bench.present(&key(2)).await, Err(AuthError::Throttled { .. })));
    assert!(matches!(
        bench.present("malformed").await,
        Err(AuthError::Throttled { .. })
    ));
    assert_eq!(bench.store.calls(), asked);
    assert_eq!(
        bench.present_from("192.0.2.2", &key(2)).await.unwrap(),
        cold,
        "other addresses are not touched"
    );
    assert_eq!(bench.present(&key(2)).await.unwrap(), cold, "and now it is in memory");
    advance(CACHE).await;
    exhaust(&bench, ADDRESS).await;
    assert_eq!(
        bench.present(&key(1)).await.unwrap(),
        principal,
        "past its cache time it is still verified"
    );
}

#[tokio::test(start_paused = true)]
async fn an_address_is_an_ipv4_address_or_an_ipv6_network() {
    let bench = Bench::new();
    exhaust(&bench, "2001:db8:1:2::1").await;
    exhaust(&bench, "192.0.2.9").await;
    for same in ["2001:db8:1:2:ffff:ffff:ffff:ffff", "::ffff:192.0.2.9"] {
        assert!(
            matches!(bench.present_from(same, "x").await, Err(AuthError::Throttled { .. })),
            "{same}"
        );
    }
    for other in ["2001:db8:1:3::1", "192.0.2.8", "::ffff:192.0.2.8", "::192.0.2.9"] {
        assert!(is_unauthorized(&bench.present_from(other, "x").await), "{other}");
    }
}
