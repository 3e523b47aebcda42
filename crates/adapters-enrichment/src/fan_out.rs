//! Asks every needed vendor at once, and answers at the deadline with what is there.
//!
//! A look-up runs as a task of its own and belongs to nobody's request: when the answer has to leave, the look-up goes
//! on, lands in the cache, and was paid for once. Simultaneous requests for one number join the look-up that is under
//! way.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use domain::{
    access::TenantId,
    async_trait,
    context::Deadline,
    enrichment::{CachedLookup, CachedLookups, Enrichment, LookupOutcome, Need, Ttl, vendor},
    phone::PhoneNumber,
    port::{
        Clock, Day, Enricher, EnrichmentAnswer, EnrichmentCache, EnrichmentProvider, EnrichmentQuery, LookupProbe,
        Purchase, Skip, SpendLedger,
    },
};
use moka::sync::Cache;
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};

use crate::{
    breaker::{AttemptOutcome, Breaker},
    offline::Offline,
};

/// Answers that are remembered in the process.
const RECENT: u64 = 20_000;
/// How long an answer that goes to the cache is remembered here as well: a recall that read the cache just before it
/// landed finds it here, and so does one while the cache cannot be written.
const STORED_FOR: Duration = Duration::from_mins(1);
/// How long a partial answer saves the next look-up.
const PARTIAL_FOR: Duration = Duration::from_mins(10);
/// How long a number that a vendor does not accept is not offered to it again.
const INVALID_FOR: Duration = Duration::from_hours(1);
/// Pauses before an answer is offered again to a cache that does not take it.
const STORE_AGAIN: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(2)];

/// The limits of the fan-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FanOutLimits {
    /// How long answers save a look-up.
    pub ttl: Ttl,
    /// How long a look-up may take, from its start to its answer.
    pub look_up: Duration,
    /// How long one attempt to store an answer may take.
    pub store: Duration,
    /// Look-ups under way at one vendor.
    pub under_way: u32,
}

impl Default for FanOutLimits {
    /// Thirty days and one day, ten seconds, five seconds, 64 look-ups.
    fn default() -> Self {
        Self {
            ttl: Ttl::default(),
            look_up: Duration::from_secs(10),
            store: Duration::from_secs(5),
            under_way: 64,
        }
    }
}

/// A vendor in use.
pub struct Vendor {
    provider: Arc<dyn EnrichmentProvider>,
    price_micro_usd: Option<u64>,
}

impl Vendor {
    /// A vendor whose requests are counted, at this price in micro-dollars.
    #[must_use]
    pub fn paid(provider: Arc<dyn EnrichmentProvider>, price_micro_usd: u64) -> Self {
        Self {
            provider,
            price_micro_usd: Some(price_micro_usd),
        }
    }

    /// A vendor whose requests cost nothing and are not counted: the operator's own records.
    #[must_use]
    pub fn free(provider: Arc<dyn EnrichmentProvider>) -> Self {
        Self {
            provider,
            price_micro_usd: None,
        }
    }
}

/// What the fan-out works with.
pub struct FanOutParts {
    /// The vendors in use; none is fine.
    pub vendors: Vec<Vendor>,
    /// Where answers are kept.
    pub cache: Arc<dyn EnrichmentCache>,
    /// Where paid requests are counted; without it, none is sent.
    pub ledger: Option<Arc<dyn SpendLedger>>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who is told how look-ups end.
    pub probe: Arc<dyn LookupProbe>,
    /// The limits.
    pub limits: FanOutLimits,
}

/// Asks vendors for the recall. Share it in an `Arc`; there is one for the process.
pub struct FanOut {
    shared: Arc<Shared>,
    offline: Offline,
    runtime: Handle,
}

struct Shared {
    vendors: Vec<GuardedVendor>,
    cache: Arc<dyn EnrichmentCache>,
    ledger: Option<Arc<dyn SpendLedger>>,
    clock: Arc<dyn Clock>,
    probe: Arc<dyn LookupProbe>,
    limits: FanOutLimits,
    flights: Mutex<HashMap<Key, watch::Receiver<Progress>>>,
    recent: Cache<Key, Arc<VendorAnswer>>,
    closing: AtomicBool,
    stop: watch::Sender<bool>,
}

/// A vendor and what guards it.
struct GuardedVendor {
    vendor: Vendor,
    name: &'static str,
    breaker: Breaker,
    slots: Arc<Semaphore>,
}

/// One look-up: of whom, for whom, at which vendor.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    tenant: TenantId,
    number: PhoneNumber,
    vendor: usize,
}

/// An answer and what becomes of it.
struct VendorAnswer {
    lookup: CachedLookup,
    kind: AnswerKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AnswerKind {
    /// A hit or a miss: it goes to the cache and replaces what the vendor said before.
    Complete,
    /// Shown beside what the vendor said before.
    Partial,
    /// The vendor does not accept the number.
    Invalid,
}

impl AnswerKind {
    const fn remembered_for(self) -> Duration {
        match self {
            Self::Complete => STORED_FOR,
            Self::Partial => PARTIAL_FOR,
            Self::Invalid => INVALID_FOR,
        }
    }
}

#[derive(Clone)]
enum Progress {
    UnderWay,
    /// `None` when nothing was learnt.
    Landed(Option<Arc<VendorAnswer>>),
}

/// A look-up among those under way, which is taken off them however it ends.
struct FlightEntry<'a> {
    shared: &'a Shared,
    key: &'a Key,
}

impl Drop for FlightEntry<'_> {
    fn drop(&mut self) {
        self.shared.flights().remove(self.key);
    }
}

/// Each answer is remembered for as long as its kind says.
struct ByKind;

impl moka::Expiry<Key, Arc<VendorAnswer>> for ByKind {
    fn expire_after_create(&self, _key: &Key, learnt: &Arc<VendorAnswer>, _at: Instant) -> Option<Duration> {
        Some(learnt.kind.remembered_for())
    }

    fn expire_after_update(
        &self,
        _key: &Key,
        learnt: &Arc<VendorAnswer>,
        _at: Instant,
        _left: Option<Duration>,
    ) -> Option<Duration> {
        Some(learnt.kind.remembered_for())
    }
}

impl FanOut {
    /// Puts the fan-out over its parts. Look-ups run on `runtime`, which must outlive the requests: a look-up goes on
    /// after the worker that asked for it has stopped.
    #[must_use]
    pub fn new(parts: FanOutParts, runtime: Handle) -> Self {
        let vendors = parts
            .vendors
            .into_iter()
            .map(|vendor| GuardedVendor {
                name: vendor.provider.name(),
                breaker: Breaker::new(),
                slots: Arc::new(Semaphore::new(parts.limits.under_way as usize)),
                vendor,
            })
            .collect();
        Self {
            shared: Arc::new(Shared {
                vendors,
                cache: parts.cache,
                ledger: parts.ledger,
                clock: parts.clock,
                probe: parts.probe,
                limits: parts.limits,
                flights: Mutex::default(),
                recent: Cache::builder().max_capacity(RECENT).expire_after(ByKind).build(),
                closing: AtomicBool::new(false),
                stop: watch::Sender::new(false),
            }),
            offline: Offline::new(),
            runtime,
        }
    }

    /// Starts no further look-up, gives those under way `grace` to land, and ends the rest.
    pub async fn close(&self, grace: Duration) {
        self.shared.closing.store(true, Ordering::SeqCst);
        let all_landed = async {
            for guarded in &self.shared.vendors {
                // Fails only when the semaphore is closed, which it never is.
                let _ = guarded.slots.acquire_many(self.shared.limits.under_way).await;
            }
        };
        if tokio::time::timeout(grace, all_landed).await.is_err() {
            let under_way = self.shared.flights().len();
            tracing::warn!(under_way, "look-ups did not land in time and are given up");
        }
        self.shared.stop.send_replace(true);
    }
}

#[async_trait]
impl Enricher for FanOut {
    async fn enrich(&self, query: EnrichmentQuery, deadline: Deadline) -> EnrichmentAnswer {
        let EnrichmentQuery { tenant, number, cached } = query;
        let now_ms = self.shared.clock.now_ms();
        let mut enriched = EnrichmentAnswer {
            lookups: cached,
            ..EnrichmentAnswer::default()
        };
        if !self.shared.needs(&enriched.lookups, now_ms).is_empty() {
            // The cache may have been read before the last answers landed.
            self.shared.remember(tenant, &number, &mut enriched.lookups);
            let mut awaited = Vec::new();
            let mut refreshed = Vec::new();
            for (vendor, need) in self.shared.needs(&enriched.lookups, now_ms) {
                let key = Key {
                    tenant,
                    number: number.clone(),
                    vendor,
                };
                match (self.shared.begin(key, &self.runtime), need) {
                    (Some(flight), Need::Answer) => awaited.push((vendor, flight)),
                    (Some(flight), _) => refreshed.push((vendor, flight)),
                    (None, Need::Answer) => enriched.cut.push(self.shared.vendors[vendor].name.to_owned()),
                    (None, _) => {}
                }
            }
            for (vendor, mut flight) in awaited {
                let landed = flight.wait_for(|progress| matches!(progress, Progress::Landed(_)));
                match tokio::time::timeout_at(deadline.0.into(), landed).await {
                    Ok(Ok(progress)) => show(&progress, &mut enriched),
                    // Its task ended without an answer.
                    Ok(Err(_)) => {}
                    Err(_) => enriched.cut.push(self.shared.vendors[vendor].name.to_owned()),
                }
            }
            for (_, flight) in refreshed {
                show(&flight.borrow(), &mut enriched);
            }
        }
        let has_line_type = enriched.lookups.iter().any(|lookup| {
            let line = lookup.found.phone.as_ref();
            line.is_some_and(|line| line.line_type.is_some())
        });
        if !has_line_type && let Some(line) = self.offline.line(&number) {
            enriched.lookups.push(CachedLookup {
                vendor: vendor::OFFLINE.to_owned(),
                fetched_at_ms: now_ms,
                found: Enrichment {
                    phone: Some(line),
                    ..Enrichment::default()
                },
                former: None,
            });
        }
        enriched
    }
}

impl Shared {
    fn flights(&self) -> MutexGuard<'_, HashMap<Key, watch::Receiver<Progress>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The vendors to ask, given `lookups`.
    fn needs(&self, lookups: &[CachedLookup], now_ms: i64) -> Vec<(usize, Need)> {
        let known = CachedLookups::new(lookups, self.limits.ttl, now_ms);
        let needs = self.vendors.iter().enumerate().map(|(index, guarded)| {
            let need = known.need(guarded.name, guarded.vendor.provider.fills());
            (index, need)
        });
        needs.filter(|(_, need)| *need != Need::Nothing).collect()
    }

    /// Adds what landed lately.
    fn remember(&self, tenant: TenantId, number: &PhoneNumber, lookups: &mut Vec<CachedLookup>) {
        for vendor in 0..self.vendors.len() {
            let key = Key {
                tenant,
                number: number.clone(),
                vendor,
            };
            if let Some(learnt) = self.recent.get(&key) {
                learn(&learnt, lookups);
            }
        }
    }

    /// Joins the look-up that is under way, or begins one; `None` when there may be no more.
    fn begin(self: &Arc<Self>, key: Key, runtime: &Handle) -> Option<watch::Receiver<Progress>> {
        let guarded = &self.vendors[key.vendor];
        let mut flights = self.flights();
        if let Some(flight) = flights.get(&key) {
            return Some(flight.clone());
        }
        // It may have landed a moment ago: it is remembered before it is taken off the list.
        let now_ms = self.clock.now_ms();
        let landed = self.recent.get(&key);
        if let Some(learnt) = landed.filter(|learnt| learnt.lookup.is_fresh(self.limits.ttl, now_ms)) {
            return Some(watch::channel(Progress::Landed(Some(learnt))).1);
        }
        let slot = Arc::clone(&guarded.slots).try_acquire_owned().ok();
        let Some(slot) = slot.filter(|_| !self.closing.load(Ordering::SeqCst)) else {
            drop(flights);
            self.probe.skipped(guarded.name, Skip::Busy);
            return None;
        };
        let (landing, flight) = watch::channel(Progress::UnderWay);
        flights.insert(key.clone(), flight.clone());
        drop(flights);
        runtime.spawn(Arc::clone(self).fly(key, landing, slot));
        Some(flight)
    }

    /// One look-up, from its start to the cache.
    async fn fly(self: Arc<Self>, key: Key, landing: watch::Sender<Progress>, slot: OwnedSemaphorePermit) {
        let mut stop = self.stop.subscribe();
        let flight = async {
            let entry = FlightEntry {
                shared: &self,
                key: &key,
            };
            let learnt = self.ask(&key).await.map(Arc::new);
            if let Some(learnt) = &learnt {
                self.recent.insert(key.clone(), Arc::clone(learnt));
            }
            drop(entry);
            landing.send_replace(Progress::Landed(learnt.clone()));
            if let Some(learnt) = learnt.filter(|learnt| learnt.kind == AnswerKind::Complete) {
                self.store(&key, &learnt.lookup).await;
            }
        };
        tokio::select! {
            () = flight => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
        drop(slot);
    }

    /// Asks the vendor, unless its breaker or the ledger is against it.
    async fn ask(&self, key: &Key) -> Option<VendorAnswer> {
        let guarded = &self.vendors[key.vendor];
        let deadline = Deadline(Instant::now() + self.limits.look_up);
        let entered = tokio::time::timeout_at(deadline.0.into(), guarded.breaker.enter(|| self.clock.instant())).await;
        let permit = match entered.unwrap_or(Err(Skip::OutOfOrder)) {
            Ok(permit) => permit,
            Err(why) => {
                self.probe.skipped(guarded.name, why);
                return None;
            }
        };
        if let Err(why) = self.pay(key, deadline).await {
            self.probe.skipped(guarded.name, why);
            return None;
        }

        let began = Instant::now();
        let look_up = guarded.vendor.provider.look_up(&key.number, deadline);
        let outcome = tokio::time::timeout_at(deadline.0.into(), look_up).await;
        let outcome = outcome.unwrap_or(LookupOutcome::Transient);
        self.probe.ended(guarded.name, outcome.label(), began.elapsed());

        let verdict = match outcome {
            LookupOutcome::Transient => AttemptOutcome::Failed,
            LookupOutcome::Denied => AttemptOutcome::Refused,
            _ => AttemptOutcome::Answered,
        };
        if let Some(pause) = permit.settle(verdict, self.clock.instant()) {
            let (vendor, pause_s) = (guarded.name, pause.length.as_secs());
            if pause.is_refusal {
                tracing::warn!(
                    vendor,
                    pause_s,
                    "the vendor refuses the account: check its key, plan and balance"
                );
            } else {
                tracing::warn!(
                    vendor,
                    pause_s,
                    "the vendor keeps failing and is left alone for a while"
                );
            }
        }
        let (found, kind) = match outcome {
            LookupOutcome::Hit(found) => (found, AnswerKind::Complete),
            LookupOutcome::Miss => (Enrichment::default(), AnswerKind::Complete),
            LookupOutcome::Partial(found) => (found, AnswerKind::Partial),
            LookupOutcome::Invalid => (Enrichment::default(), AnswerKind::Invalid),
            LookupOutcome::Transient | LookupOutcome::Denied => return None,
        };
        Some(VendorAnswer {
            lookup: CachedLookup {
                vendor: guarded.name.to_owned(),
                fetched_at_ms: self.clock.now_ms(),
                found,
                former: None,
            },
            kind,
        })
    }

    /// Counts the request that is about to be sent. What cannot be counted is not sent.
    async fn pay(&self, key: &Key, deadline: Deadline) -> Result<(), Skip> {
        let guarded = &self.vendors[key.vendor];
        let Some(price_micro_usd) = guarded.vendor.price_micro_usd else {
            return Ok(());
        };
        let ledger = self.ledger.as_ref().ok_or(Skip::Uncounted)?;
        let purchase = Purchase {
            tenant: key.tenant,
            vendor: guarded.name.to_owned(),
            day: Day::of_ms(self.clock.now_ms()),
            price_micro_usd,
        };
        match ledger.reserve(&purchase, deadline).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Skip::Capped),
            Err(error) => {
                let (vendor, error) = (guarded.name, &error as &dyn std::error::Error);
                tracing::warn!(vendor, error, "the look-up cannot be counted, so it is not made");
                Err(Skip::Uncounted)
            }
        }
    }

    /// Stores an answer that was paid for, with some patience.
    async fn store(&self, key: &Key, lookup: &CachedLookup) {
        for pause in STORE_AGAIN.map(Some).into_iter().chain([None]) {
            let deadline = Deadline(Instant::now() + self.limits.store);
            let Err(error) = self.cache.store_lookup(key.tenant, &key.number, lookup, deadline).await else {
                return;
            };
            tracing::warn!(
                vendor = lookup.vendor,
                is_last_try = pause.is_none(),
                error = &error as &dyn std::error::Error,
                "an answer that was paid for could not be stored"
            );
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
            }
        }
    }
}

/// Adds what was learnt when the look-up has landed.
fn show(progress: &Progress, enriched: &mut EnrichmentAnswer) {
    if let Progress::Landed(Some(learnt)) = progress {
        enriched.called.push(learnt.lookup.vendor.clone());
        learn(learnt, &mut enriched.lookups);
    }
}

/// Adds an answer to those known. A complete one replaces what the vendor said before.
fn learn(learnt: &VendorAnswer, lookups: &mut Vec<CachedLookup>) {
    let VendorAnswer { lookup, kind } = learnt;
    let same_vendor = |known: &CachedLookup| known.vendor == lookup.vendor;
    if lookups
        .iter()
        .any(|known| same_vendor(known) && known.fetched_at_ms > lookup.fetched_at_ms)
    {
        return;
    }
    if *kind == AnswerKind::Complete {
        lookups.retain(|known| !same_vendor(known));
    }
    lookups.push(lookup.clone());
}
