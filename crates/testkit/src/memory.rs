//! The memory without a database.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, CallOutcome, Contact, RecentCall, SessionId, Turn},
    caller::{
        self, Caller, DoNotCall, HISTORY_CALLS, HISTORY_FACTS, History, HistoryCall, HistoryFact, ImportCounts,
        ProfileChange, ProfileEdit,
    },
    context::Deadline,
    correction::corrected,
    enrichment::CachedLookup,
    error::PortError,
    facts::{self, FactKey, FactView, KnownFact, SaidFact},
    identity::{StatedName, Trace},
    memory::{CallRecord, MOST_GAPS, OpenCall, RECENT_CALLS, Recollection},
    phone::PhoneNumber,
    port::{
        CallerAdmin, CallerMemory, ChangeError, Claim, Day, EnrichmentCache, OldCall, OldCalls, OpenCalls, RecallQuery,
        RequestId, Settled, Subject, SummaryBacklog,
        rewrite::{ATTEMPTS, WORTH_MS},
    },
    reading::{RULES, Report},
    rewrite::{self, Rewrite},
    themes::Themes,
};
use uuid::Uuid;

use crate::{
    state::{Access, Call, Callers, PendingRewrite, Profile},
    world::{PartGuard, World},
};

/// Callers, calls and look-ups in memory. Every tenant exists. What is promised for later happens at once here.
#[derive(Debug)]
pub struct InMemoryCallerMemory {
    pub(crate) world: World,
    /// Arrivals are compared with those of the same process only.
    process: Uuid,
}

impl PendingRewrite {
    fn since(at_ms: i64) -> Self {
        Self {
            due: Some(at_ms),
            attempts: 0,
        }
    }

    /// Since when it can be claimed at `now_ms`.
    fn claimable(&self, reported_ms: i64, now_ms: i64) -> Option<i64> {
        let worth = now_ms - WORTH_MS;
        self.due
            .filter(|due| (worth..=now_ms).contains(due) && reported_ms >= worth && self.attempts < ATTEMPTS)
    }

    fn lease(&mut self, until_ms: i64) -> u32 {
        self.due = Some(until_ms);
        self.attempts += 1;
        self.attempts
    }
}

impl InMemoryCallerMemory {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::over(World::default())
    }

    /// The callers of the world, as one more process has them.
    pub(crate) fn over(world: World) -> Self {
        Self {
            world,
            process: Uuid::now_v7(),
        }
    }

    /// A second instance over the same callers, as another process would have.
    #[must_use]
    pub fn other_process(&self) -> Self {
        Self::over(self.world.clone())
    }

    fn open(
        &self,
        during: &'static str,
        deadline: Deadline,
    ) -> Result<PartGuard<'_, HashMap<TenantId, Callers>>, PortError> {
        self.world.open(during, deadline)
    }
}

impl Default for InMemoryCallerMemory {
    fn default() -> Self {
        Self::new()
    }
}

impl Callers {
    /// How the call of this session ended.
    pub(crate) fn outcome(&self, session: &SessionId) -> Option<CallOutcome> {
        self.calls.get(session).map(|call| call.record.call.outcome)
    }

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
                id: Uuid::now_v7(),
                first_seen: at_ms,
                last_seen: at_ms,
                memory_changed: None,
                pending: PendingRewrite::default(),
                rewrite: None,
                themes: Themes::default(),
                do_not_call: None,
            }
        });
        profile.last_seen = profile.last_seen.max(at_ms);
        is_new
    }

    /// Notes the contact of an ended call.
    fn note_call(&mut self, number: &PhoneNumber, contact: Contact) {
        self.note(number, contact.last_ms);
        if let Some(profile) = self.profiles.get_mut(number) {
            profile.first_seen = profile.first_seen.min(contact.first_ms);
        }
    }

    fn changed(&mut self, number: &PhoneNumber, at_ms: i64) {
        if let Some(profile) = self.profiles.get_mut(number) {
            profile.memory_changed = Some(at_ms);
        }
    }

    /// Keeps what the caller speaks of after `record`, which may have replaced a previous one.
    fn remember(&mut self, record: &CallRecord, previous: Option<&CallRecord>) {
        let number = &record.call.number;
        let none = Themes::default();
        let of_same = previous.filter(|previous| previous.call.number == *number);
        if let Some(former) = previous.filter(|_| of_same.is_none())
            && let Some(profile) = self.profiles.get_mut(&former.call.number)
        {
            profile.themes = profile.themes.corrected(&former.themes, &none);
        }
        if let Some(profile) = self.profiles.get_mut(number) {
            profile.themes = match of_same {
                Some(previous) => profile.themes.corrected(&previous.themes, &record.themes),
                None => profile.themes.with(&record.themes),
            };
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
            corrections: said.corrections,
            do_not_call: profile.do_not_call.clone(),
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

    /// The latest calls, newest first, with what the agent reported beside them.
    fn history(&self, number: &PhoneNumber, most: usize) -> Vec<HistoryCall> {
        let mut calls: Vec<_> = self
            .calls_of(number)
            .into_iter()
            .map(|call| (self.started_at_ms(call), call))
            .collect();
        calls.sort_by_key(|(started_at_ms, call)| Reverse((*started_at_ms, call.commit)));
        let newest = calls.into_iter().take(most);
        newest
            .map(|(started_at_ms, call)| HistoryCall {
                call: RecentCall {
                    call_id: call.id,
                    started_at_ms,
                    duration_s: call.record.call.duration_s,
                    summary: call.record.summary.clone(),
                    outcome: call.record.call.outcome,
                },
                agent_metadata: call.record.call.agent_metadata.clone(),
            })
            .collect()
    }

    fn latest_calls(&self, number: &PhoneNumber, most: usize) -> Vec<RecentCall> {
        let calls = self.history(number, most).into_iter();
        calls.map(|shown| shown.call).collect()
    }

    /// What a caller stated and was told, oldest first.
    fn stated(&self, number: &PhoneNumber) -> Vec<KnownFact> {
        let mut calls = self.calls_of(number);
        calls.sort_by_key(|call| call.commit);
        let mut stated: Vec<_> = calls
            .into_iter()
            .flat_map(|call| {
                let said = call.record.facts_since(self.started_at_ms(call));
                said.into_iter().map(move |said| (call, said))
            })
            .collect();
        stated.sort_by_key(|(_, said)| said.order_ms);
        let known = |(call, said): (&Call, SaidFact)| KnownFact {
            key: said.fact.key,
            value: said.fact.value,
            quote: said.fact.quote,
            call_id: Some(call.id),
            said_at_ms: said.said_at_ms,
            observed_at_ms: call.record.received_at_ms,
            terms: said.fact.terms,
        };
        stated.into_iter().map(known).collect()
    }

    /// The facts of a caller that stand, newest first.
    fn standing(&self, number: &PhoneNumber) -> Vec<KnownFact> {
        facts::standing(self.stated(number), |fact| {
            FactView::new(fact.key, &fact.value, fact.terms.as_ref())
        })
    }

    /// What tells who the caller is.
    fn trace(&self, number: &PhoneNumber) -> Trace {
        let mut calls = self.calls_of(number);
        calls.sort_by_key(|call| call.commit);
        let names = calls
            .iter()
            .filter_map(|call| StatedName::of_call(call.id, &call.record.facts));
        let mut trace = Trace::new(names.collect(), None, None);
        for call in calls {
            trace.call(call.record.span());
        }
        trace
    }

    /// The facts that a recall shows.
    fn facts(&self, number: &PhoneNumber) -> Vec<KnownFact> {
        corrected(self.standing(number), &self.said(number).corrections)
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

    fn rewrite_of(&self, number: &PhoneNumber) -> Option<String> {
        let profile = self.profiles.get(number)?;
        let (rewrite, made_for) = profile.rewrite.as_ref()?;
        (profile.memory_changed == Some(*made_for)).then(|| rewrite.clone())
    }

    fn claim_caller(&mut self, number: &PhoneNumber, tenant: TenantId, leased_until_ms: i64) -> Option<Claim> {
        let total_calls = self.calls_of(number).len() as u64;
        let (recent_calls, facts) = (self.latest_calls(number, RECENT_CALLS), self.facts(number));
        let profile = self.profiles.get_mut(number)?;
        Some(Claim {
            tenant,
            subject: Subject::Caller {
                caller: profile.id,
                total_calls,
                recent_calls,
                facts,
            },
            version: profile.memory_changed?.to_be_bytes().to_vec(),
            attempt: profile.pending.lease(leased_until_ms),
            leased_until_ms,
        })
    }

    fn claim_call(&mut self, session: &SessionId, tenant: TenantId, leased_until_ms: i64) -> Option<Claim> {
        let call = self.calls.get_mut(session)?;
        Some(Claim {
            tenant,
            subject: Subject::Call {
                call: call.id,
                transcript: call.record.call.transcript.clone(),
            },
            version: call.corrections.to_be_bytes().to_vec(),
            attempt: call.pending.lease(leased_until_ms),
            leased_until_ms,
        })
    }

    /// The session of the claimed call, when the claim still stands.
    fn claimed_call(&self, claim: &Claim) -> Option<SessionId> {
        let Subject::Call { call: id, .. } = &claim.subject else {
            return None;
        };
        let (session, call) = self.calls.iter().find(|(_, call)| call.id == *id)?;
        let stands =
            call.pending.due == Some(claim.leased_until_ms) && call.corrections.to_be_bytes().to_vec() == claim.version;
        stands.then(|| session.clone())
    }

    /// The claimed caller, when the claim still stands.
    fn claimed_caller(&mut self, claim: &Claim) -> Option<&mut Profile> {
        let Subject::Caller { caller, .. } = &claim.subject else {
            return None;
        };
        self.profiles.values_mut().find(|profile| {
            profile.id == *caller
                && profile.pending.due == Some(claim.leased_until_ms)
                && profile.memory_changed.map(|ms| ms.to_be_bytes().to_vec()).as_ref() == Some(&claim.version)
        })
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
            let recalled = (query.now_ms, query.number.clone());
            let begun = callers
                .sessions
                .entry(session.clone())
                .or_insert_with(|| recalled.clone());
            if recalled.0 < begun.0 {
                *begun = recalled;
            }
        }
        Ok(Recollection {
            known: !is_new,
            caller: before
                .or_else(|| callers.caller(&query.number))
                .expect("a noted caller exists"),
            memory_changed_ms: callers.profiles[&query.number].memory_changed,
            summary: callers.rewrite_of(&query.number),
            recent_calls: callers.latest_calls(&query.number, RECENT_CALLS),
            facts: callers.facts(&query.number),
            themes: callers.profiles[&query.number].themes.clone(),
            gaps: callers.gaps(query),
            trace: callers.trace(&query.number),
            lookups: callers.lookups_of(&query.number),
        })
    }

    async fn record_end(&self, tenant: TenantId, record: &CallRecord, deadline: Deadline) -> Result<(), PortError> {
        let mut tenants = self.open("record_end", deadline)?;
        let callers = tenants.entry(tenant).or_default();
        let CallRecord { call, arrival, .. } = record;
        let mut is_moved = false;

        let previous = if let Some(stored) = callers.calls.get_mut(&call.session_id) {
            if stored.process == self.process && stored.record.arrival > *arrival {
                return Ok(());
            }
            stored.process = self.process;
            stored.record.arrival = *arrival;
            if stored.record.call == *call {
                return Ok(());
            }
            let previous = std::mem::replace(&mut stored.record, record.clone());
            stored.corrections += 1;
            stored.pending = PendingRewrite::since(record.received_at_ms);
            (stored.is_rewritten, stored.by_model) = (false, 0);
            callers.changed(&previous.call.number, record.received_at_ms);
            if call.transcript.is_empty()
                && let Some(profile) = callers.profiles.get_mut(&previous.call.number)
            {
                profile.rewrite = None;
            }
            is_moved = previous.call.number != call.number;
            if is_moved && let Some(profile) = callers.profiles.get_mut(&previous.call.number) {
                profile.pending = PendingRewrite::since(record.received_at_ms);
            }
            Some(previous)
        } else {
            callers.commits += 1;
            let stored = Call {
                id: CallId(Uuid::now_v7()),
                record: record.clone(),
                process: self.process,
                commit: callers.commits,
                corrections: 0,
                pending: PendingRewrite::since(record.received_at_ms),
                no_more_calls: false,
                is_rewritten: false,
                by_model: 0,
            };
            callers.calls.insert(call.session_id.clone(), stored);
            None
        };
        callers.note_call(&call.number, record.contact);
        callers.remember(record, previous.as_ref());
        callers.changed(&call.number, record.received_at_ms);
        let profile = callers.profiles.get_mut(&call.number);
        if let (Some(wish), Some(stored), Some(profile)) =
            (&record.no_more_calls, callers.calls.get_mut(&call.session_id), profile)
        {
            if is_moved || !stored.no_more_calls {
                profile.do_not_call.get_or_insert_with(|| wish.mark(stored.id));
            }
            stored.no_more_calls = true;
        }
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

    async fn trace(&self, tenant: TenantId, number: &PhoneNumber, deadline: Deadline) -> Result<Trace, PortError> {
        let tenants = self.open("trace", deadline)?;
        Ok(tenants
            .get(&tenant)
            .map(|callers| callers.trace(number))
            .unwrap_or_default())
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
            *stored = lookup.clone().replacing(stored.clone());
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

#[async_trait]
impl CallerAdmin for InMemoryCallerMemory {
    async fn import(
        &self,
        tenant: TenantId,
        profiles: &BTreeMap<PhoneNumber, ProfileChange>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<ImportCounts, PortError> {
        let mut tenants = self.open("import", deadline)?;
        let callers = tenants.entry(tenant).or_default();
        let mut imported = ImportCounts::default();
        for (number, change) in profiles {
            let before = callers.said(number);
            let after = change.clone().apply(before.clone());
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
        let before = callers.said(number);
        let profile = edit(before.clone())?;
        callers.create(number, now_ms);
        if profile.corrections != before.corrections {
            callers.changed(number, now_ms);
        }
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
            calls: callers.history(number, HISTORY_CALLS),
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

    async fn mark_do_not_call(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        mark: Option<DoNotCall>,
        deadline: Deadline,
    ) -> Result<Option<DoNotCall>, PortError> {
        let mut tenants = self.open("mark_do_not_call", deadline)?;
        let callers = tenants.entry(tenant).or_default();
        if let Some(mark) = &mark {
            callers.create(number, mark.at_ms);
        }
        let Some(profile) = callers.profiles.get_mut(number) else {
            return Ok(None);
        };
        let stored = profile.do_not_call.clone();
        profile.do_not_call = mark.map(|mark| stored.clone().unwrap_or(mark));
        Ok(stored)
    }

    async fn do_not_call(
        &self,
        tenant: TenantId,
        after: Option<&PhoneNumber>,
        most: u32,
        deadline: Deadline,
    ) -> Result<Vec<(PhoneNumber, DoNotCall)>, PortError> {
        let tenants = self.open("do_not_call", deadline)?;
        let profiles = tenants.get(&tenant).into_iter().flat_map(|callers| &callers.profiles);
        let mut marked: Vec<_> = profiles
            .filter(|(number, _)| after.is_none_or(|after| number.as_e164() > after.as_e164()))
            .filter_map(|(number, profile)| Some((number.clone(), profile.do_not_call.clone()?)))
            .collect();
        marked.sort_by(|(one, _), (other, _)| one.as_e164().cmp(other.as_e164()));
        marked.truncate(most as usize);
        Ok(marked)
    }
}

#[async_trait]
impl SummaryBacklog for InMemoryCallerMemory {
    async fn claim(&self, now_ms: i64, leased_until_ms: i64, deadline: Deadline) -> Result<Option<Claim>, PortError> {
        let mut tenants = self.open("claim", deadline)?;
        let caller = tenants.iter().flat_map(|(tenant, callers)| {
            callers.profiles.iter().filter_map(|(number, profile)| {
                let due = profile.pending.claimable(profile.memory_changed?, now_ms)?;
                Some((due, *tenant, number.clone()))
            })
        });
        if let Some((_, tenant, number)) = caller.min_by_key(|(due, ..)| *due) {
            let callers = tenants.entry(tenant).or_default();
            return Ok(callers.claim_caller(&number, tenant, leased_until_ms));
        }
        let call = tenants.iter().flat_map(|(tenant, callers)| {
            callers.calls.iter().filter_map(|(session, call)| {
                let due = call.pending.claimable(call.record.received_at_ms, now_ms)?;
                Some((due, *tenant, session.clone()))
            })
        });
        let Some((_, tenant, session)) = call.min_by_key(|(due, ..)| *due) else {
            return Ok(None);
        };
        let callers = tenants.entry(tenant).or_default();
        Ok(callers.claim_call(&session, tenant, leased_until_ms))
    }

    async fn reserve(
        &self,
        tenant: TenantId,
        day: Day,
        request: RequestId,
        cap: u32,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        let mut tenants = self.open("reserve", deadline)?;
        let days = &mut tenants.entry(tenant).or_default().rewrite_requests;
        days.retain(|of, _| of.0 >= day.0 - 1);
        let counted = days.entry(day).or_default();
        if counted.contains(&request) {
            return Ok(true);
        }
        let fits = counted.len() < cap as usize;
        if fits {
            counted.push(request);
        }
        Ok(fits)
    }

    async fn settle(
        &self,
        claim: &Claim,
        rewrite: Option<Rewrite>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        let mut tenants = self.open("settle", deadline)?;
        let callers = tenants.entry(claim.tenant).or_default();
        if let Some(profile) = callers.claimed_caller(claim) {
            profile.pending.due = None;
            if let (Some(rewrite), Some(made_for)) = (rewrite, profile.memory_changed) {
                profile.rewrite = Some((rewrite.summary, made_for));
            }
            return Ok(true);
        }
        let session = callers.claimed_call(claim);
        let Some(call) = session.and_then(|session| callers.calls.get_mut(&session)) else {
            return Ok(false);
        };
        call.pending.due = None;
        if let Some(rewrite) = rewrite {
            call.is_rewritten = true;
            let record = &mut call.record;
            record.summary = rewrite.summary;
            let transcript = &record.call.transcript;
            let said = rewrite.facts.into_iter().map(|fact| {
                let turn = &transcript[fact.turn];
                SaidFact::new(fact, turn, record.started_at_ms, record.received_at_ms)
            });
            let known = record.facts.iter();
            let known = known.map(|said| (said.fact.key, said.fact.value.as_str()));
            let new = rewrite::beside(known, said.collect());
            call.by_model = new.len();
            record.facts.extend(new);
        }
        let number = call.record.call.number.clone();
        if let Some(profile) = callers.profiles.get_mut(&number) {
            profile.pending = PendingRewrite::since(now_ms);
        }
        Ok(true)
    }

    async fn put_back(&self, claim: &Claim, due_ms: i64, counts: bool, deadline: Deadline) -> Result<(), PortError> {
        let mut tenants = self.open("put_back", deadline)?;
        let callers = tenants.entry(claim.tenant).or_default();
        let session = callers.claimed_call(claim);
        let pending = match session.and_then(|session| callers.calls.get_mut(&session)) {
            Some(call) => Some(&mut call.pending),
            None => callers.claimed_caller(claim).map(|profile| &mut profile.pending),
        };
        if let Some(pending) = pending {
            pending.due = Some(due_ms);
            pending.attempts = claim.attempt - u32::from(!counts);
        }
        Ok(())
    }
}

impl Call {
    /// Which report this is.
    fn version(&self) -> Vec<u8> {
        self.corrections.to_be_bytes().to_vec()
    }

    /// Puts what the rules make of the call now in the place of what they made of it before; whether anything changed.
    fn reread(&mut self, reading: &CallRecord) -> bool {
        let before = self.record.clone();
        let by_rules = self.record.facts.len() - self.by_model;
        let by_model = self.record.facts.split_off(by_rules);
        self.record.facts.clone_from(&reading.facts);
        let known = reading.facts.iter();
        let known = known.map(|said| (said.fact.key, said.fact.value.as_str()));
        let by_model = rewrite::beside(known, by_model);
        self.by_model = by_model.len();
        self.record.facts.extend(by_model);
        if !self.is_rewritten {
            self.record.summary.clone_from(&reading.summary);
        }
        self.record.themes.clone_from(&reading.themes);
        self.record != before
    }
}

impl InMemoryCallerMemory {
    /// Every call, in the order of the ids.
    fn old_calls(&self, during: &'static str, deadline: Deadline) -> Result<Vec<(u32, OldCall)>, PortError> {
        let zones: HashMap<_, _> = {
            let access = self.world.open::<Access>(during, deadline)?;
            let zones = access.tenants.iter();
            zones.map(|tenant| (tenant.id, tenant.settings.time_zone)).collect()
        };
        let tenants = self.open(during, deadline)?;
        let of_tenants = tenants
            .iter()
            .flat_map(|(tenant, callers)| callers.calls.values().map(|call| (*tenant, call)));
        let mut calls: Vec<_> = of_tenants
            .map(|(tenant, call)| {
                let old = OldCall {
                    tenant,
                    call: call.id,
                    version: call.version(),
                    report: Some(Report {
                        call: call.record.call.clone(),
                        received_at_ms: call.record.received_at_ms,
                        arrival: call.record.arrival,
                        time_zone: zones.get(&tenant).copied().flatten().unwrap_or_default(),
                    }),
                };
                (call.record.rules, old)
            })
            .collect();
        calls.sort_by_key(|(_, old)| old.call);
        Ok(calls)
    }
}

#[async_trait]
impl OldCalls for InMemoryCallerMemory {
    async fn outdated(&self, limit: u32, deadline: Deadline) -> Result<Vec<OldCall>, PortError> {
        let calls = self.old_calls("outdated", deadline)?.into_iter();
        let outdated = calls.filter(|(rules, _)| *rules < RULES).map(|(_, old)| old);
        Ok(outdated.take(limit as usize).collect())
    }

    async fn following(
        &self,
        tenant: Option<TenantId>,
        after: Option<CallId>,
        limit: u32,
        deadline: Deadline,
    ) -> Result<Vec<OldCall>, PortError> {
        let calls = self.old_calls("following", deadline)?.into_iter().map(|(_, old)| old);
        let following = calls.filter(|old| {
            tenant.is_none_or(|tenant| old.tenant == tenant) && after.is_none_or(|after| old.call > after)
        });
        Ok(following.take(limit as usize).collect())
    }

    async fn settle(
        &self,
        call: &OldCall,
        reading: Option<&CallRecord>,
        deadline: Deadline,
    ) -> Result<Settled, PortError> {
        let mut tenants = self.open("settle old call", deadline)?;
        let callers = tenants.entry(call.tenant).or_default();
        let stored = callers.calls.values_mut().find(|stored| stored.id == call.call);
        let Some(stored) = stored.filter(|stored| stored.version() == call.version) else {
            return Ok(Settled::Overtaken);
        };
        stored.record.rules = reading.map_or(RULES, |reading| reading.rules);
        let former = stored.record.themes.clone();
        let mut changes = reading.is_some_and(|reading| stored.reread(reading));
        let wish = reading.and_then(|reading| reading.no_more_calls.clone());
        if let Some(wish) = wish.filter(|_| !stored.no_more_calls) {
            stored.no_more_calls = true;
            let (id, number) = (stored.id, stored.record.call.number.clone());
            let of_caller = callers.calls_of(&number);
            let is_first = of_caller.iter().filter(|call| call.no_more_calls).count() == 1;
            let profile = callers.profiles.get_mut(&number).filter(|_| is_first);
            if let Some(profile) = profile.filter(|profile| profile.do_not_call.is_none()) {
                profile.do_not_call = Some(wish.mark(id));
                changes = true;
            }
        }
        let stored = callers.calls.values().find(|stored| stored.id == call.call);
        let Some(stored) = stored.filter(|_| changes) else {
            return Ok(Settled::Same);
        };
        let (number, themes) = (stored.record.call.number.clone(), stored.record.themes.clone());
        if let Some(profile) = callers.profiles.get_mut(&number) {
            profile.themes = profile.themes.corrected(&former, &themes);
            profile.rewrite = None;
            // Whoever is writing about the caller finds another lease.
            profile.pending.due = profile.pending.due.map(|due_ms| due_ms + 1);
        }
        Ok(Settled::Changed)
    }
}
