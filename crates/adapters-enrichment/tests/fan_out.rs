//! The fan-out over vendors that hang, lie, refuse or are slow: what a recall gets, what is bought, and what is kept.

#![expect(clippy::expect_used, reason = "an expectation that fails is how a test fails")]

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use adapters_enrichment::{FanOut, FanOutLimits, FanOutParts, Vendor, telnyx::Telnyx, twilio::Twilio};
use domain::{
    access::TenantId,
    async_trait,
    context::Deadline,
    enrichment::{Block, Blocks, CachedLookup, Enrichment, Line, LookupOutcome, Person, Ttl, merge},
    error::PortError,
    phone::PhoneNumber,
    port::{
        Clock, DailyCaps, Enricher, EnrichmentAnswer, EnrichmentCache, EnrichmentProvider, EnrichmentQuery,
        LookupProbe, Purchase, Skip, SpendLedger,
    },
};
use secrecy::SecretString;
use tokio::sync::Semaphore;
use uuid::Uuid;
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

const NOW_MS: i64 = 1_790_856_000_000;
const PHONE: Blocks = Blocks::NONE.with(Block::Phone);
const PERSON: Blocks = Blocks::NONE.with(Block::Person);

fn number(index: usize) -> PhoneNumber {
    PhoneNumber::from_e164(&format!("+120255501{index:02}")).expect("a number")
}

fn tenant() -> TenantId {
    TenantId(Uuid::now_v7())
}

fn within(ms: u64) -> Deadline {
    Deadline(Instant::now() + Duration::from_millis(ms))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until `look` finds something.
async fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn line(line_type: &str) -> Enrichment {
    Enrichment {
        phone: Some(Line {
            carrier: Some("Northwind".to_owned()),
            line_type: Some(line_type.to_owned()),
        }),
        ..Enrichment::default()
    }
}

fn person(name: &str) -> Enrichment {
    Enrichment {
        person: Some(Person {
            name: Some(name.to_owned()),
            ..Person::default()
        }),
        ..Enrichment::default()
    }
}

/// A vendor that answers as told once it may.
struct FakeVendor {
    name: &'static str,
    fills: Blocks,
    outcome: Mutex<LookupOutcome>,
    /// One permit lets one look-up answer.
    may_answer: Semaphore,
    asked: AtomicUsize,
}

impl FakeVendor {
    const FREELY: usize = 1_000_000;

    fn new(name: &'static str, fills: Blocks, outcome: LookupOutcome, answers: usize) -> Arc<Self> {
        Arc::new(Self {
            name,
            fills,
            outcome: Mutex::new(outcome),
            may_answer: Semaphore::new(answers),
            asked: AtomicUsize::new(0),
        })
    }

    /// Answers at once.
    fn prompt(name: &'static str, fills: Blocks, outcome: LookupOutcome) -> Arc<Self> {
        Self::new(name, fills, outcome, Self::FREELY)
    }

    /// Answers when it is told to.
    fn hanging(name: &'static str, fills: Blocks, outcome: LookupOutcome) -> Arc<Self> {
        Self::new(name, fills, outcome, 0)
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn answers_now(&self, outcome: LookupOutcome) {
        *lock(&self.outcome) = outcome;
    }
}

#[async_trait]
impl EnrichmentProvider for FakeVendor {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fills(&self) -> Blocks {
        self.fills
    }

    async fn look_up(&self, _number: &PhoneNumber, _deadline: Deadline) -> LookupOutcome {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.may_answer.acquire().await.expect("open").forget();
        lock(&self.outcome).clone()
    }
}

#[derive(Default)]
struct Cache {
    lookups: Mutex<HashMap<(TenantId, PhoneNumber, String), CachedLookup>>,
    failures: AtomicUsize,
}

impl Cache {
    fn of(&self, tenant: TenantId, number: &PhoneNumber) -> Vec<CachedLookup> {
        let lookups = lock(&self.lookups);
        let mine = lookups
            .iter()
            .filter(|((whose, of, _), _)| *whose == tenant && of == number);
        mine.map(|(_, lookup)| lookup.clone()).collect()
    }
}

#[async_trait]
impl EnrichmentCache for Cache {
    async fn store_lookup(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        lookup: &CachedLookup,
        _deadline: Deadline,
    ) -> Result<(), PortError> {
        let fails = self
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if fails.is_ok() {
            return Err(PortError::deadline("store_lookup"));
        }
        let key = (tenant, number.clone(), lookup.vendor.clone());
        lock(&self.lookups).insert(key, lookup.clone());
        Ok(())
    }

    async fn lookups(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        _deadline: Deadline,
    ) -> Result<Vec<CachedLookup>, PortError> {
        Ok(self.of(tenant, number))
    }
}

/// A ledger in memory: what was bought, and the caps of every tenant.
#[derive(Default)]
struct Ledger {
    bought: Mutex<Vec<Purchase>>,
    caps: Mutex<DailyCaps>,
    is_down: Mutex<bool>,
}

impl Ledger {
    fn bought(&self) -> usize {
        lock(&self.bought).len()
    }
}

#[async_trait]
impl SpendLedger for Ledger {
    async fn reserve(&self, purchase: &Purchase, _deadline: Deadline) -> Result<bool, PortError> {
        if *lock(&self.is_down) {
            return Err(PortError::deadline("reserve"));
        }
        let caps = *lock(&self.caps);
        let mut bought = lock(&self.bought);
        let today = bought
            .iter()
            .filter(|other| other.tenant == purchase.tenant && other.day == purchase.day);
        let (lookups, spend) = today.fold((1, purchase.price_micro_usd), |(lookups, spend), other| {
            (lookups + 1, spend + other.price_micro_usd)
        });
        let fits = caps.lookups.is_none_or(|cap| lookups <= cap) && caps.spend_micro_usd.is_none_or(|cap| spend <= cap);
        if fits {
            bought.push(purchase.clone());
        }
        Ok(fits)
    }
}

#[derive(Default)]
struct Probe {
    ended: Mutex<Vec<(String, &'static str)>>,
    skipped: Mutex<Vec<(String, Skip)>>,
}

impl LookupProbe for Probe {
    fn ended(&self, vendor: &str, outcome: &'static str, _took: Duration) {
        lock(&self.ended).push((vendor.to_owned(), outcome));
    }

    fn skipped(&self, vendor: &str, why: Skip) {
        lock(&self.skipped).push((vendor.to_owned(), why));
    }
}

/// The real monotonic time, which a test can push forward, and a wall time that a test sets.
struct TestClock {
    ahead_ms: AtomicI64,
}

impl TestClock {
    fn advance(&self, by: Duration) {
        let ms = i64::try_from(by.as_millis()).expect("a short time");
        self.ahead_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        NOW_MS + self.ahead_ms.load(Ordering::SeqCst)
    }

    fn instant(&self) -> Instant {
        let ahead = u64::try_from(self.ahead_ms.load(Ordering::SeqCst)).expect("forward");
        Instant::now() + Duration::from_millis(ahead)
    }
}

struct Bench {
    fan_out: Arc<FanOut>,
    cache: Arc<Cache>,
    ledger: Arc<Ledger>,
    probe: Arc<Probe>,
    clock: Arc<TestClock>,
    tenant: TenantId,
}

impl Bench {
    fn new(vendors: &[&Arc<FakeVendor>]) -> Self {
        Self::with(vendors, FanOutLimits::default())
    }

    fn with(vendors: &[&Arc<FakeVendor>], limits: FanOutLimits) -> Self {
        let vendors = vendors.iter().map(|vendor| {
            let provider: Arc<dyn EnrichmentProvider> = Arc::clone(vendor) as _;
            Vendor::paid(provider, 8_000)
        });
        Self::over(vendors.collect(), limits)
    }

    fn over(vendors: Vec<Vendor>, limits: FanOutLimits) -> Self {
        let (cache, ledger, probe) = (
            Arc::<Cache>::default(),
            Arc::<Ledger>::default(),
            Arc::<Probe>::default(),
        );
        let clock = Arc::new(TestClock {
            ahead_ms: AtomicI64::new(0),
        });
        let parts = FanOutParts {
            vendors,
            cache: Arc::clone(&cache) as _,
            ledger: Some(Arc::clone(&ledger) as _),
            clock: Arc::clone(&clock) as _,
            probe: Arc::clone(&probe) as _,
            limits,
        };
        Self {
            fan_out: Arc::new(FanOut::new(parts, tokio::runtime::Handle::current())),
            cache,
            ledger,
            probe,
            clock,
            tenant: tenant(),
        }
    }

    /// What a recall does: read the cache, then enrich.
    async fn recall(&self, number: &PhoneNumber, deadline: Deadline) -> EnrichmentAnswer {
        self.recall_knowing(self.cache.of(self.tenant, number), number, deadline)
            .await
    }

    async fn recall_knowing(
        &self,
        cached: Vec<CachedLookup>,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> EnrichmentAnswer {
        let query = EnrichmentQuery {
            tenant: self.tenant,
            number: number.clone(),
            cached,
        };
        self.fan_out.enrich(query, deadline).await
    }

    /// Waits until `count` answers are in the cache of the number.
    async fn stored(&self, number: &PhoneNumber, count: usize) -> Vec<CachedLookup> {
        eventually("the answers are stored", || {
            let lookups = self.cache.of(self.tenant, number);
            (lookups.len() == count).then_some(lookups)
        })
        .await
    }

    fn skips(&self) -> Vec<Skip> {
        lock(&self.probe.skipped).iter().map(|(_, why)| *why).collect()
    }

    fn line_type(&self, enriched: &EnrichmentAnswer) -> Option<String> {
        let shown = merge(&enriched.lookups, Ttl::default(), self.clock.now_ms());
        shown.phone.and_then(|phone| phone.value.line_type)
    }
}

fn hit(line_type: &str) -> LookupOutcome {
    LookupOutcome::Hit(line(line_type))
}

#[tokio::test]
async fn the_answer_leaves_at_the_deadline_with_what_is_there() {
    let slow = FakeVendor::hanging(
        "trestle",
        PHONE.union(PERSON),
        LookupOutcome::Hit(person("Maren Okafor")),
    );
    let quick = FakeVendor::prompt("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&slow, &quick]);
    let enriched = bench.recall(&number(1), within(100)).await;
    assert_eq!(enriched.cut, ["trestle"]);
    assert_eq!(enriched.called, ["twilio"]);
    assert_eq!(bench.line_type(&enriched).as_deref(), Some("mobile"));
}

#[tokio::test]
async fn a_late_answer_reaches_the_next_recall_without_a_second_purchase() {
    let slow = FakeVendor::hanging("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&slow]);
    let early = bench.recall(&number(1), within(30)).await;
    assert_eq!(
        (early.cut.as_slice(), early.lookups.len()),
        (["twilio".to_owned()].as_slice(), 0)
    );

    slow.may_answer.add_permits(1);
    bench.stored(&number(1), 1).await;
    let next = bench.recall(&number(1), within(1000)).await;
    assert_eq!(bench.line_type(&next).as_deref(), Some("mobile"));
    assert!(next.called.is_empty() && next.cut.is_empty(), "it came from the cache");
    assert_eq!((slow.asked(), bench.ledger.bought()), (1, 1));
}

#[tokio::test]
async fn a_recall_that_comes_while_the_late_answer_is_under_way_joins_it() {
    let slow = FakeVendor::hanging("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&slow]);
    bench.recall(&number(1), within(20)).await;
    let next = async { bench.recall(&number(1), within(10_000)).await };
    let answer = async { slow.may_answer.add_permits(1) };
    let (next, ()) = tokio::join!(next, answer);
    assert_eq!(next.called, ["twilio"]);
    assert_eq!((slow.asked(), bench.ledger.bought()), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_simultaneous_recalls_buy_one_look_up() {
    let vendor = FakeVendor::hanging("twilio", PHONE, hit("mobile"));
    let bench = Arc::new(Bench::new(&[&vendor]));
    let recalls: Vec<_> = (0..40)
        .map(|_| {
            let bench = Arc::clone(&bench);
            tokio::spawn(async move { bench.recall(&number(1), within(20_000)).await })
        })
        .collect();
    eventually("the vendor is asked", || (vendor.asked() > 0).then_some(())).await;
    vendor.may_answer.add_permits(FakeVendor::FREELY);
    for recall in recalls {
        let enriched = recall.await.expect("a recall");
        assert_eq!(bench.line_type(&enriched).as_deref(), Some("mobile"));
    }
    assert_eq!((vendor.asked(), bench.ledger.bought()), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_recalls_within_the_time_to_live_buy_one_look_up_of_each_vendor() {
    let vendors = [
        FakeVendor::prompt("twilio", Blocks::ALL, hit("mobile")),
        FakeVendor::prompt("trestle", Blocks::ALL, LookupOutcome::Hit(person("Maren Okafor"))),
        FakeVendor::prompt("pdl", PERSON, LookupOutcome::Miss),
    ];
    let bench = Arc::new(Bench::new(&[&vendors[0], &vendors[1], &vendors[2]]));
    let lanes: Vec<_> = (0..4)
        .map(|lane| {
            let bench = Arc::clone(&bench);
            tokio::spawn(async move {
                for turn in 0..250 {
                    // Every tenth read the cache before anything had landed.
                    let outdated = turn % 10 == lane;
                    let cached = if outdated {
                        Vec::new()
                    } else {
                        bench.cache.of(bench.tenant, &number(1))
                    };
                    let enriched = bench.recall_knowing(cached, &number(1), within(20_000)).await;
                    assert_eq!(bench.line_type(&enriched).as_deref(), Some("mobile"));
                }
            })
        })
        .collect();
    for lane in lanes {
        lane.await.expect("recalls");
    }
    assert_eq!(vendors.each_ref().map(|vendor| vendor.asked()), [1, 1, 1]);
    assert_eq!(bench.ledger.bought(), 3);
    assert_eq!(bench.stored(&number(1), 3).await.len(), 3);
}

#[tokio::test]
async fn tenants_share_nothing() {
    let vendor = FakeVendor::prompt("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&vendor]);
    bench.recall(&number(1), within(5000)).await;
    bench.stored(&number(1), 1).await;
    let other = Bench {
        fan_out: Arc::clone(&bench.fan_out),
        cache: Arc::clone(&bench.cache),
        ledger: Arc::clone(&bench.ledger),
        probe: Arc::clone(&bench.probe),
        clock: Arc::clone(&bench.clock),
        tenant: tenant(),
    };
    let enriched = other.recall(&number(1), within(5000)).await;
    assert_eq!(enriched.called, ["twilio"], "the other tenant buys its own");
    assert_eq!(vendor.asked(), 2);
}

#[tokio::test]
async fn what_is_stale_is_served_at_once_and_refreshed_behind_it() {
    let vendor = FakeVendor::hanging("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&vendor]);
    let stale = CachedLookup {
        vendor: "twilio".to_owned(),
        fetched_at_ms: NOW_MS - 40 * 24 * 60 * 60 * 1000,
        found: line("landline"),
        former: None,
    };
    let began = Instant::now();
    let enriched = bench
        .recall_knowing(vec![stale.clone()], &number(1), within(20_000))
        .await;
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "nobody waits for the refresh"
    );
    assert_eq!(bench.line_type(&enriched).as_deref(), Some("landline"));
    assert!(enriched.called.is_empty() && enriched.cut.is_empty());

    vendor.may_answer.add_permits(1);
    bench.stored(&number(1), 1).await;
    let outdated = bench.recall_knowing(vec![stale], &number(1), within(1000)).await;
    assert_eq!(
        bench.line_type(&outdated).as_deref(),
        Some("mobile"),
        "the newer answer replaces the older"
    );
    assert_eq!(outdated.lookups.len(), 1);
    assert_eq!(vendor.asked(), 1);
}

#[tokio::test]
async fn a_partial_answer_is_shown_and_not_kept_as_a_miss() {
    let vendor = FakeVendor::prompt("trestle", Blocks::ALL, LookupOutcome::Partial(line("mobile")));
    let bench = Bench::new(&[&vendor]);
    for _ in 0..3 {
        let enriched = bench.recall(&number(1), within(5000)).await;
        assert_eq!(bench.line_type(&enriched).as_deref(), Some("mobile"));
    }
    assert_eq!(vendor.asked(), 1, "not bought again at once");
    assert!(bench.cache.of(bench.tenant, &number(1)).is_empty(), "and not stored");
}

#[tokio::test]
async fn a_number_that_the_vendor_does_not_accept_is_not_stored_and_not_offered_again_soon() {
    let vendor = FakeVendor::prompt("twilio", Blocks::ALL, LookupOutcome::Invalid);
    let bench = Bench::new(&[&vendor]);
    for _ in 0..3 {
        let enriched = bench.recall(&number(1), within(5000)).await;
        assert_eq!(bench.line_type(&enriched), None);
    }
    assert_eq!(vendor.asked(), 1);
    assert!(bench.cache.of(bench.tenant, &number(1)).is_empty());
}

#[tokio::test]
async fn a_miss_is_stored_and_a_failure_is_not() {
    let missing = FakeVendor::prompt("pdl", PERSON, LookupOutcome::Miss);
    let failing = FakeVendor::prompt("telnyx", PERSON, LookupOutcome::Transient);
    let bench = Bench::new(&[&missing, &failing]);
    bench.recall(&number(1), within(5000)).await;
    let stored = bench.stored(&number(1), 1).await;
    assert_eq!((stored[0].vendor.as_str(), stored[0].found.is_empty()), ("pdl", true));
    bench.recall(&number(1), within(5000)).await;
    assert_eq!((missing.asked(), failing.asked()), (1, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_is_refused_is_tried_a_few_times_a_minute() {
    let vendor = FakeVendor::prompt("twilio", PHONE, LookupOutcome::Denied);
    let bench = Arc::new(Bench::new(&[&vendor]));
    let recalls = || {
        let recalls: Vec<_> = (0..100)
            .map(|index| {
                let bench = Arc::clone(&bench);
                tokio::spawn(async move { bench.recall(&number(index), within(20_000)).await })
            })
            .collect();
        async {
            for recall in recalls {
                let enriched = recall.await.expect("a recall");
                assert!(enriched.lookups.is_empty() && enriched.cut.is_empty());
            }
        }
    };
    recalls().await;
    recalls().await;
    let asked = vendor.asked();
    assert!((1..=3).contains(&asked), "asked {asked} times");
    assert_eq!(bench.ledger.bought(), asked, "what is not sent is not counted");
    assert!(bench.skips().contains(&Skip::Refused));

    bench.clock.advance(Duration::from_secs(61));
    recalls().await;
    assert_eq!(
        vendor.asked(),
        asked + 1,
        "one look-up finds out whether the key is good again"
    );

    vendor.answers_now(hit("mobile"));
    bench.clock.advance(Duration::from_secs(121));
    bench.recall(&number(1), within(20_000)).await;
    let enriched = bench.recall(&number(2), within(20_000)).await;
    assert_eq!(bench.line_type(&enriched).as_deref(), Some("mobile"), "it is");
}

#[tokio::test]
async fn a_vendor_that_keeps_failing_is_left_alone_for_a_while() {
    let vendor = FakeVendor::prompt("twilio", PHONE, LookupOutcome::Transient);
    let bench = Bench::new(&[&vendor]);
    for index in 0..30 {
        bench.recall(&number(index), within(5000)).await;
    }
    assert_eq!(vendor.asked(), 5);
    bench.clock.advance(Duration::from_secs(6));
    vendor.answers_now(hit("mobile"));
    for index in 30..40 {
        let enriched = bench.recall(&number(index), within(5000)).await;
        assert_eq!(bench.line_type(&enriched).as_deref(), Some("mobile"));
    }
}

#[tokio::test]
async fn the_daily_cap_is_held_before_anything_is_sent() {
    let vendor = FakeVendor::prompt("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&vendor]);
    *lock(&bench.ledger.caps) = DailyCaps {
        lookups: None,
        spend_micro_usd: Some(20_000),
    };
    for index in 0..10 {
        bench.recall(&number(index), within(5000)).await;
    }
    assert_eq!(
        (vendor.asked(), bench.ledger.bought()),
        (2, 2),
        "two of 8,000 fit into 20,000"
    );
    assert_eq!(bench.skips(), [Skip::Capped; 8]);

    bench.clock.advance(Duration::from_hours(24));
    bench.recall(&number(9), within(5000)).await;
    assert_eq!(vendor.asked(), 3, "a new day");
}

#[tokio::test]
async fn what_cannot_be_counted_is_not_bought() {
    let vendor = FakeVendor::prompt("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&vendor]);
    *lock(&bench.ledger.is_down) = true;
    let enriched = bench.recall(&number(1), within(5000)).await;
    assert!(enriched.lookups.is_empty());
    assert_eq!((vendor.asked(), bench.skips()), (0, vec![Skip::Uncounted]));
}

#[tokio::test]
async fn the_operators_own_records_cost_nothing() {
    let vendor = FakeVendor::prompt("webhook", Blocks::ALL, LookupOutcome::Hit(person("Maren Okafor")));
    let bench = Bench::over(vec![Vendor::free(Arc::clone(&vendor) as _)], FanOutLimits::default());
    *lock(&bench.ledger.caps) = DailyCaps {
        lookups: Some(0),
        spend_micro_usd: Some(0),
    };
    let enriched = bench.recall(&number(1), within(5000)).await;
    assert_eq!(enriched.called, ["webhook"]);
    assert_eq!(bench.ledger.bought(), 0);
}

#[tokio::test]
async fn an_answer_that_the_cache_does_not_take_is_offered_again_and_remembered_meanwhile() {
    let vendor = FakeVendor::prompt("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&vendor]);
    bench.cache.failures.store(1, Ordering::SeqCst);
    bench.recall(&number(1), within(5000)).await;
    let next = bench.recall_knowing(Vec::new(), &number(1), within(5000)).await;
    assert_eq!(bench.line_type(&next).as_deref(), Some("mobile"));
    assert_eq!(vendor.asked(), 1);
    bench.stored(&number(1), 1).await;
}

#[tokio::test]
async fn look_ups_under_way_are_bounded() {
    let vendor = FakeVendor::hanging("twilio", PHONE, hit("mobile"));
    let limits = FanOutLimits {
        under_way: 2,
        ..FanOutLimits::default()
    };
    let bench = Bench::with(&[&vendor], limits);
    for index in 0..5 {
        let enriched = bench.recall(&number(index), within(10)).await;
        assert_eq!(enriched.cut, ["twilio"]);
    }
    eventually("two are asked for", || (vendor.asked() == 2).then_some(())).await;
    assert_eq!(bench.skips(), [Skip::Busy; 3]);
}

#[tokio::test]
async fn a_vendor_has_its_own_limit_behind_the_answer() {
    let vendor = FakeVendor::hanging("twilio", PHONE, hit("mobile"));
    let limits = FanOutLimits {
        look_up: Duration::from_millis(40),
        ..FanOutLimits::default()
    };
    let bench = Bench::with(&[&vendor], limits);
    bench.recall(&number(1), within(5)).await;
    eventually("the look-up is given up", || lock(&bench.probe.ended).first().cloned()).await;
    assert_eq!(
        lock(&bench.probe.ended).as_slice(),
        [("twilio".to_owned(), "transient")]
    );
}

#[tokio::test]
async fn on_shutdown_look_ups_under_way_get_their_time_and_no_new_ones_begin() {
    let vendor = FakeVendor::hanging("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&vendor]);
    bench.recall(&number(1), within(10)).await;
    eventually("the vendor is asked", || (vendor.asked() == 1).then_some(())).await;
    let close = bench.fan_out.close(Duration::from_secs(10));
    let answer = async { vendor.may_answer.add_permits(1) };
    let began = Instant::now();
    tokio::join!(close, answer);
    assert!(
        began.elapsed() < Duration::from_secs(9),
        "it ends when the last one has landed"
    );
    assert_eq!(bench.cache.of(bench.tenant, &number(1)).len(), 1);

    let enriched = bench.recall(&number(2), within(1000)).await;
    assert_eq!(
        (enriched.cut.as_slice(), vendor.asked()),
        (["twilio".to_owned()].as_slice(), 1)
    );
}

#[tokio::test]
async fn on_shutdown_a_vendor_that_hangs_is_given_up() {
    let vendor = FakeVendor::hanging("twilio", PHONE, hit("mobile"));
    let bench = Bench::new(&[&vendor]);
    let recall = async { bench.recall(&number(1), within(10_000)).await };
    let close = async {
        eventually("the vendor is asked", || (vendor.asked() == 1).then_some(())).await;
        bench.fan_out.close(Duration::from_millis(50)).await;
    };
    let began = Instant::now();
    let (enriched, ()) = tokio::join!(recall, close);
    assert!(began.elapsed() < Duration::from_secs(8), "who waits for it is let go");
    assert!(enriched.lookups.is_empty());
}

#[tokio::test]
async fn a_service_without_any_vendor_says_what_the_number_itself_tells() {
    let bench = Bench::new(&[]);
    let toll_free = PhoneNumber::from_e164("+18005550100").expect("a number");
    let enriched = bench.recall(&toll_free, within(1000)).await;
    assert_eq!(bench.line_type(&enriched).as_deref(), Some("toll_free"));
    assert!(enriched.called.is_empty() && enriched.cut.is_empty());
    assert!(bench.recall(&number(1), within(1000)).await.lookups.is_empty());
    assert!(bench.cache.of(bench.tenant, &toll_free).is_empty(), "it is not stored");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_vendor_delays_a_recall_beyond_its_deadline() {
    const DEADLINE_MS: u64 = 120;
    let answer = include_str!("fixtures/twilio_lookup.full_hit.json");
    let mut long = vec![b' '; 20 * 1024 * 1024];
    long.extend_from_slice(answer.as_bytes());
    let elsewhere = MockServer::start().await;
    let vendors = [
        ("hangs", ResponseTemplate::new(200).set_delay(Duration::from_mins(1))),
        (
            "is late",
            ResponseTemplate::new(200)
                .set_body_string(answer)
                .set_delay(Duration::from_millis(400)),
        ),
        ("answers garbage", ResponseTemplate::new(200).set_body_string("<html>")),
        ("fails", ResponseTemplate::new(500).set_body_string("<html>")),
        (
            "redirects",
            ResponseTemplate::new(302).insert_header("location", elsewhere.uri()),
        ),
        ("sends 20 MB", ResponseTemplate::new(200).set_body_bytes(long)),
        ("refuses the key", ResponseTemplate::new(401).set_body_string("{}")),
    ];
    for (what, template) in vendors {
        let bad = MockServer::start().await;
        Mock::given(any()).respond_with(template).mount(&bad).await;
        let good = MockServer::start().await;
        let body = include_str!("fixtures/telnyx_lookup.full_hit.json");
        Mock::given(any())
            .respond_with(ResponseTemplate::new(200).set_body_string(body))
            .mount(&good)
            .await;
        let secret = SecretString::from("hush-hush");
        let http = adapters_enrichment::client().expect("a client");
        let twilio = Twilio::new(http.clone(), bad.uri().parse().expect("a URL"), "user", &secret).expect("Twilio");
        let telnyx = Telnyx::new(http, good.uri().parse().expect("a URL"), &secret).expect("Telnyx");
        let vendors = vec![Vendor::paid(Arc::new(twilio), 0), Vendor::paid(Arc::new(telnyx), 0)];
        let bench = Bench::over(vendors, FanOutLimits::default());
        // A loaded machine is late now and then; a vendor that can delay a recall does so every time.
        let mut shortest = Duration::MAX;
        for index in 1..6 {
            let began = Instant::now();
            bench.recall(&number(index), within(DEADLINE_MS)).await;
            shortest = shortest.min(began.elapsed());
        }
        assert!(
            shortest < Duration::from_millis(DEADLINE_MS + 50),
            "a vendor that {what} delays a recall to {shortest:?}"
        );
        let enriched = bench.recall(&number(0), within(DEADLINE_MS)).await;
        assert_eq!(
            bench.line_type(&enriched).as_deref(),
            Some("mobile"),
            "the other vendor's answer is there"
        );
    }
    let followed = elsewhere.received_requests().await.expect("requests are recorded");
    assert!(followed.is_empty(), "a redirect is not followed");
}
