//! The memory without a database.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, CallOutcome, CallRecord, SessionId, Turn},
    caller::{
        self, Caller, Change, HISTORY_CALLS, HISTORY_FACTS, History, HistoryFact, Imported, ProfileChange, ProfileEdit,
    },
    context::Deadline,
    enrichment::CachedLookup,
    error::PortError,
    facts::{self, FactKey, KnownFact, SaidFact},
    memory::{MOST_GAPS, OpenCall, RECENT_CALLS, RecentCall, Recollection},
    phone::PhoneNumber,
    port::{CallerAdmin, CallerMemory, ChangeError, EnrichmentCache, OpenCalls, RecallQuery},
};
use uuid::Uuid;

/// Callers, calls and look-ups in memory. Every tenant exists. What is promised for later happens at once here.
#[derive(Debug)]
pub struct InMemoryCallerMemory {
    tenants: Arc<Mutex<HashMap<TenantId, Callers>>>,
    processes: Arc<AtomicU64>,
    /// Arrivals are compared with those of the same process only.
    process: u64,
}

/// What one tenant has.
#[derive(Debug, Default)]
struct Callers {
    profiles: HashMap<PhoneNumber, Profile>,
    /// What the operator said.
    said: HashMap<PhoneNumber, caller::Profile>,
    calls: HashMap<SessionId, Call>,
    sessions: HashMap<SessionId, (i64, PhoneNumber)>,
    lookups: HashMap<(PhoneNumber, String), CachedLookup>,
    commits: u64,
}

/// Times are in milliseconds since the epoch.
#[derive(Debug)]
struct Profile {
    first_seen: i64,
    last_seen: i64,
    memory_changed: Option<i64>,
}

#[derive(Debug)]
struct Call {
    id: CallId,
    record: CallRecord,
    process: u64,
    commit: u64,
}

impl InMemoryCallerMemory {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tenants: Arc::default(),
            processes: Arc::new(AtomicU64::new(1)),
            process: 0,
        }
    }

    /// A second instance over the same callers, as another process would have.
    #[must_use]
    pub fn other_process(&self) -> Self {
        Self {
            tenants: Arc::clone(&self.tenants),
            processes: Arc::clone(&self.processes),
            process: self.processes.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// How the call of this session ended, for receipts.
    pub(crate) fn outcome(&self, tenant: TenantId, session: &SessionId) -> Option<CallOutcome> {
        let tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let call = tenants.get(&tenant)?.calls.get(session)?;
        Some(call.record.call.outcome)
    }

    fn open(
        &self,
        during: &'static str,
        deadline: Deadline,
    ) -> Result<MutexGuard<'_, HashMap<TenantId, Callers>>, PortError> {
        if deadline.left(Instant::now()).is_zero() {
            return Err(PortError::deadline(during));
        }
        Ok(self.tenants.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for InMemoryCallerMemory {
    fn default() -> Self {
        Self::new()
    }
}

impl Callers {
    fn lookups_of(&self, number: &PhoneNumber) -> Vec<CachedLookup> {
        let of_number = self.lookups.iter().filter(|((owner, _), _)| owner == number);
        of_number.map(|(_, lookup)| lookup.clone()).collect()
    }

    /// Notes a contact at `at_ms`; whether the caller was new.
    fn note(&mut self, number: &PhoneNumber, at_ms: i64) -> bool {
        let mut is_new = false;
        let profile = self.profiles.entry(number.clone()).or_insert_with(|| {
            is_new = true;
            Profile {
                first_seen: at_ms,
                last_seen: at_ms,
                memory_changed: None,
            }
        });
        profile.last_seen = profile.last_seen.max(at_ms);
        is_new
    }

    fn changed(&mut self, number: &PhoneNumber, at_ms: i64) {
        if let Some(profile) = self.profiles.get_mut(number) {
            profile.memory_changed = Some(at_ms);
        }
    }

    fn calls_of(&self, number: &PhoneNumber) -> Vec<&Call> {
        let calls = self.calls.values();
        calls.filter(|call| call.record.call.number == *number).collect()
    }

    fn caller(&self, number: &PhoneNumber) -> Option<Caller> {
        let profile = self.profiles.get(number)?;
        let said = self.said(number);
        let stated = || self.facts(number).into_iter().find(|fact| fact.key == FactKey::Name);
        Some(Caller {
            name: said.name.or_else(|| stated().map(|fact| fact.value)),
            first_seen_ms: profile.first_seen,
            last_seen_ms: profile.last_seen,
            total_calls: self.calls_of(number).len() as u64,
            tags: said.tags,
            custom_attributes: said.custom_attributes,
        })
    }

    /// The caller with the operator's name alone.
    fn kept(&self, number: &PhoneNumber) -> Option<Caller> {
        let name = self.said(number).name;
        self.caller(number).map(|caller| Caller { name, ..caller })
    }

    /// What the operator said of a caller.
    fn said(&self, number: &PhoneNumber) -> caller::Profile {
        self.said.get(number).cloned().unwrap_or_default()
    }

    /// Makes sure of the caller without a contact; whether the caller was new.
    fn create(&mut self, number: &PhoneNumber, now_ms: i64) -> bool {
        !self.profiles.contains_key(number) && self.note(number, now_ms)
    }

    fn latest_calls(&self, number: &PhoneNumber, most: usize) -> Vec<RecentCall> {
        let mut calls: Vec<_> = self
            .calls_of(number)
            .into_iter()
            .map(|call| (self.started_at_ms(call), call))
            .collect();
        calls.sort_by_key(|(started_at_ms, call)| Reverse((*started_at_ms, call.commit)));
        let newest = calls.into_iter().take(most);
        newest
            .map(|(started_at_ms, call)| RecentCall {
                call_id: call.id,
                started_at_ms,
                duration_s: call.record.call.duration_s,
                summary: call.record.summary.clone(),
                outcome: call.record.call.outcome,
            })
            .collect()
    }

    /// What a caller stated and was told, oldest first.
    fn stated(&self, number: &PhoneNumber) -> Vec<KnownFact> {
        let mut calls = self.calls_of(number);
        calls.sort_by_key(|call| call.commit);
        let of_call = |call: &Call| {
            let (call_id, observed_at_ms) = (call.id, call.record.received_at_ms);
            let known = move |said: &SaidFact| KnownFact {
                key: said.fact.key,
                value: said.fact.value.clone(),
                quote: said.fact.quote.clone(),
                call_id,
                said_at_ms: said.said_at_ms,
                observed_at_ms,
            };
            call.record.facts.iter().map(known).collect::<Vec<_>>()
        };
        let mut stated: Vec<KnownFact> = calls.into_iter().flat_map(of_call).collect();
        stated.sort_by_key(|fact| fact.said_at_ms);
        stated
    }

    /// The facts of a caller that stand, newest first.
    fn facts(&self, number: &PhoneNumber) -> Vec<KnownFact> {
        facts::standing(self.stated(number), |fact| (fact.key, &fact.value))
    }

    /// The calls that were begun by then and have not ended, newest first.
    fn open_calls(&self, begun_by_ms: i64) -> Vec<OpenCall> {
        let mut open: Vec<OpenCall> = self
            .sessions
            .iter()
            .filter(|(session, (begun_at_ms, _))| *begun_at_ms <= begun_by_ms && !self.calls.contains_key(session))
            .map(|(session, (begun_at_ms, number))| OpenCall {
                number: number.clone(),
                session_id: Some(session.clone()),
                begun_at_ms: *begun_at_ms,
            })
            .collect();
        open.sort_by_key(|call| Reverse(call.begun_at_ms));
        open
    }

    fn gaps(&self, query: &RecallQuery) -> u64 {
        let open = self.open_calls(query.unfinished_before_ms);
        let of_caller = open.iter().filter(|call| call.number == query.number);
        let gaps = of_caller.filter(|call| call.session_id != query.session_id).count() as u64;
        gaps.min(MOST_GAPS)
    }

    fn started_at_ms(&self, call: &Call) -> i64 {
        let recalled = self.sessions.get(&call.record.call.session_id);
        recalled.map_or(call.record.started_at_ms, |(begun_at_ms, _)| *begun_at_ms)
    }
}

#[async_trait]
impl CallerMemory for InMemoryCallerMemory {
    async fn recall(
        &self,
        tenant: TenantId,
        query: &RecallQuery,
        deadline: Deadline,
    ) -> Result<Recollection, PortError> {
        let mut tenants = self.open("recall", deadline)?;
        let callers = tenants.entry(tenant).or_default();
        let before = callers.caller(&query.number);
        let is_new = callers.note(&query.number, query.now_ms);
        if let Some(session) = &query.session_id {
            let begun = callers
                .sessions
                .entry(session.clone())
                .or_insert_with(|| (query.now_ms, query.number.clone()));
            begun.0 = query.now_ms.min(begun.0);
        }
        Ok(Recollection {
            known: !is_new,
            caller: before
                .or_else(|| callers.caller(&query.number))
                .expect("a noted caller exists"),
            memory_changed_ms: callers.profiles[&query.number].memory_changed,
            recent_calls: callers.latest_calls(&query.number, RECENT_CALLS),
            facts: callers.facts(&query.number),
            gaps: callers.gaps(query),
            lookups: callers.lookups_of(&query.number),
        })
    }

    async fn record_end(&self, tenant: TenantId, record: &CallRecord, deadline: Deadline) -> Result<(), PortError> {
        let mut tenants = self.open("record_end", deadline)?;
        let callers = tenants.entry(tenant).or_default();
        let CallRecord { call, arrival, .. } = record;

        if let Some(stored) = callers.calls.get_mut(&call.session_id) {
            if stored.process == self.process && stored.record.arrival > *arrival {
                return Ok(());
            }
            stored.process = self.process;
            stored.record.arrival = *arrival;
            if stored.record.call == *call {
                return Ok(());
            }
            let previous = std::mem::replace(&mut stored.record, record.clone());
            callers.changed(&previous.call.number, record.received_at_ms);
        } else {
            callers.commits += 1;
            let stored = Call {
                id: CallId(Uuid::now_v7()),
                record: record.clone(),
                process: self.process,
                commit: callers.commits,
            };
            callers.calls.insert(call.session_id.clone(), stored);
        }
        callers.note(&call.number, record.received_at_ms);
        callers.changed(&call.number, record.received_at_ms);
        Ok(())
    }

    async fn caller(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<Caller>, PortError> {
        let tenants = self.open("caller", deadline)?;
        Ok(tenants.get(&tenant).and_then(|callers| callers.caller(number)))
    }

    async fn transcript(
        &self,
        tenant: TenantId,
        call_id: CallId,
        deadline: Deadline,
    ) -> Result<Option<Vec<Turn>>, PortError> {
        let tenants = self.open("transcript", deadline)?;
        let mut calls = tenants
            .get(&tenant)
            .into_iter()
            .flat_map(|callers| callers.calls.values());
        let call = calls.find(|call| call.id == call_id);
        Ok(call.map(|call| call.record.call.transcript.clone()))
    }
}

#[async_trait]
impl OpenCalls for InMemoryCallerMemory {
    async fn open_calls(
        &self,
        tenant: TenantId,
        begun_by_ms: i64,
        limit: u32,
        deadline: Deadline,
    ) -> Result<Vec<OpenCall>, PortError> {
        let tenants = self.open("open_calls", deadline)?;
        let mut open = tenants
            .get(&tenant)
            .map_or_else(Vec::new, |callers| callers.open_calls(begun_by_ms));
        open.truncate(limit as usize);
        Ok(open)
    }

    async fn count_open_calls(&self, begun_by_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError> {
        let tenants = self.open("count_open_calls", deadline)?;
        let open = tenants.values().map(|callers| callers.open_calls(begun_by_ms).len());
        Ok((open.sum::<usize>() as u64).min(u64::from(most)))
    }
}

#[async_trait]
impl EnrichmentCache for InMemoryCallerMemory {
    async fn store_lookup(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        lookup: &CachedLookup,
        deadline: Deadline,
    ) -> Result<(), PortError> {
        let mut tenants = self.open("store_lookup", deadline)?;
        let lookups = &mut tenants.entry(tenant).or_default().lookups;
        let stored = lookups
            .entry((number.clone(), lookup.vendor.clone()))
            .or_insert_with(|| lookup.clone());
        if lookup.fetched_at_ms > stored.fetched_at_ms {
            *stored = lookup.clone();
        }
        Ok(())
    }

    async fn lookups(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<CachedLookup>, PortError> {
        let mut tenants = self.open("lookups", deadline)?;
        Ok(tenants.entry(tenant).or_default().lookups_of(number))
    }
}

/// What `change` makes of one part of a profile.
fn changed<T: Clone + Default>(part: &mut T, change: &Change<T>) {
    match change {
        Change::Keep => {}
        Change::Clear => *part = T::default(),
        Change::Set(to) => *part = to.clone(),
    }
}

#[async_trait]
impl CallerAdmin for InMemoryCallerMemory {
    async fn import(
        &self,
        tenant: TenantId,
        profiles: &BTreeMap<PhoneNumber, ProfileChange>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<Imported, PortError> {
        let mut tenants = self.open("import", deadline)?;
        let callers = tenants.entry(tenant).or_default();
        let mut imported = Imported::default();
        for (number, change) in profiles {
            let before = callers.said(number);
            let mut after = before.clone();
            match &change.name {
                Change::Keep => {}
                Change::Clear => after.name = None,
                Change::Set(name) => after.name = Some(name.clone()),
            }
            changed(&mut after.tags, &change.tags);
            changed(&mut after.custom_attributes, &change.custom_attributes);
            let is_new = callers.create(number, now_ms);
            *match (is_new, before == after) {
                (true, _) => &mut imported.created,
                (false, false) => &mut imported.updated,
                (false, true) => &mut imported.unchanged,
            } += 1;
            callers.said.insert(number.clone(), after);
        }
        Ok(imported)
    }

    async fn change(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        edit: ProfileEdit,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<Caller, ChangeError> {
        let mut tenants = self.open("change", deadline)?;
        let callers = tenants.entry(tenant).or_default();
        let profile = edit(callers.said(number))?;
        callers.create(number, now_ms);
        callers.said.insert(number.clone(), profile);
        Ok(callers.kept(number).expect("a created caller exists"))
    }

    async fn history(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<History>, PortError> {
        let tenants = self.open("history", deadline)?;
        let Some(callers) = tenants.get(&tenant) else {
            return Ok(None);
        };
        Ok(callers.kept(number).map(|caller| History {
            caller,
            calls: callers.latest_calls(number, HISTORY_CALLS),
        }))
    }

    async fn facts(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<HistoryFact>, PortError> {
        let tenants = self.open("facts", deadline)?;
        let Some(callers) = tenants.get(&tenant) else {
            return Ok(Vec::new());
        };
        let standing = callers.facts(number);
        let shown = callers.stated(number).into_iter().rev().take(HISTORY_FACTS);
        Ok(shown
            .map(|fact| HistoryFact {
                stands: standing.contains(&fact),
                fact,
            })
            .collect())
    }
}
