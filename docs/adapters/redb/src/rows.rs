//! What the tables hold. The domain's types know nothing of storage; they are converted here, in both directions.
//!
//! postcard writes fields in their order and without their names, so a struct must not change once files of it exist.
//! To change one, raise [`crate::schema::FORMAT`] and rewrite the files of the format before in
//! [`crate::schema::prepare`].

use std::num::NonZeroU32;

use domain::{
    access::{KeyId, KeyInfo, Scope, Scopes, SettingsChange, Tenant, TenantId, TenantSettings},
    call::{CallId, CallOutcome, EndedCall, RecentCall, Role, SessionId, Turn},
    caller::{Caller, DoNotCall, Profile},
    correction::{Correction, Word, corrected},
    enrichment::{CachedLookup, Company, Enrichment, Former, Line, Person},
    error::PortError,
    facts::{Fact, FactKey, FactView, KnownFact, SaidFact, Terms},
    identity::{IdentityMode, StatedName, Trace},
    json::JsonObject,
    phone::PhoneNumber,
    port::{DailyCaps, access::NewTenant},
    receipt::{CallerState, Group, Receipt, ReceiptId},
    themes::Themes,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A tenant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TenantRow {
    pub(crate) name: String,
    region: Option<String>,
    rate_per_second: Option<NonZeroU32>,
    rate_burst: Option<NonZeroU32>,
    time_zone: Option<String>,
    identity: Option<String>,
    on_refused_consent: Option<String>,
    created_at_ms: i64,
    cap_lookups: Option<u64>,
    cap_micro_usd: Option<u64>,
}

impl TenantRow {
    pub(crate) fn new(tenant: &NewTenant, now_ms: i64) -> Self {
        Self {
            name: tenant.name.clone(),
            region: None,
            rate_per_second: None,
            rate_burst: None,
            time_zone: None,
            identity: None,
            on_refused_consent: None,
            created_at_ms: now_ms,
            cap_lookups: None,
            cap_micro_usd: None,
        }
        .with_settings(tenant.settings)
    }

    fn with_settings(self, settings: TenantSettings) -> Self {
        let TenantSettings {
            region,
            rate_per_second,
            rate_burst,
            time_zone,
            identity,
            on_refused_consent,
        } = settings;
        Self {
            region: region.map(|region| region.as_str().to_owned()),
            rate_per_second,
            rate_burst,
            time_zone: time_zone.map(|time_zone| time_zone.as_str().to_owned()),
            identity: identity.map(|mode| mode.as_str().to_owned()),
            on_refused_consent: on_refused_consent.map(|kept| kept.as_str().to_owned()),
            ..self
        }
    }

    /// What this release does not know is none: the service's own applies. A mode is then the most careful one.
    fn settings(&self) -> TenantSettings {
        TenantSettings {
            region: self.region.as_deref().and_then(|region| region.parse().ok()),
            rate_per_second: self.rate_per_second,
            rate_burst: self.rate_burst,
            time_zone: self.time_zone.as_deref().and_then(|name| name.parse().ok()),
            identity: self
                .identity
                .as_deref()
                .map(|name| name.parse().unwrap_or(IdentityMode::Strict)),
            on_refused_consent: self.on_refused_consent.as_deref().and_then(|name| name.parse().ok()),
        }
    }

    pub(crate) fn tenant(self, id: Uuid) -> Tenant {
        Tenant {
            id: TenantId(id),
            settings: self.settings(),
            name: self.name,
            created_at_ms: self.created_at_ms,
        }
    }

    /// The tenant after `change`.
    pub(crate) fn changed(self, change: SettingsChange) -> Self {
        let settings = change.apply(self.settings());
        self.with_settings(settings)
    }

    pub(crate) fn caps(&self) -> DailyCaps {
        DailyCaps {
            lookups: self.cap_lookups,
            spend_micro_usd: self.cap_micro_usd,
        }
    }

    pub(crate) fn set_caps(&mut self, caps: DailyCaps) {
        self.cap_lookups = caps.lookups;
        self.cap_micro_usd = caps.spend_micro_usd;
    }
}

/// A key: everything but the key itself, of which there is only the hash.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeyRow {
    pub(crate) shown: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) label: Option<String>,
    pub(crate) created_at_ms: i64,
    pub(crate) expires_at_ms: Option<i64>,
    pub(crate) revoked_at_ms: Option<i64>,
}

impl KeyRow {
    /// Scopes that this release does not know are left out: a key never gets more than it was given.
    pub(crate) fn scopes(&self) -> Scopes {
        let known = self.scopes.iter().filter_map(|name| name.parse::<Scope>().ok());
        known.collect()
    }

    pub(crate) fn info(self, id: Uuid, tenant: &str) -> KeyInfo {
        KeyInfo {
            id: KeyId(id),
            tenant: tenant.to_owned(),
            scopes: self.scopes(),
            shown: self.shown,
            label: self.label,
            created_at_ms: self.created_at_ms,
            expires_at_ms: self.expires_at_ms,
            revoked_at_ms: self.revoked_at_ms,
        }
    }
}

/// Where a key is that was found by its hash.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct KeyPlace {
    pub(crate) tenant: Uuid,
    pub(crate) key: Uuid,
}

/// Whether something lacks a rewrite by a language model.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct WorkRow {
    /// When it is to be tried next, or until when it is leased; `None` when nothing is lacking. Milliseconds since the
    /// epoch.
    pub(crate) due_ms: Option<i64>,
    pub(crate) attempts: u32,
}

/// A caller, with what a recall shows of the facts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CallerRow {
    pub(crate) id: Uuid,
    pub(crate) first_seen_ms: i64,
    pub(crate) last_seen_ms: i64,
    pub(crate) total_calls: u64,
    pub(crate) memory_changed_ms: Option<i64>,
    /// Counts the changes of the memory, so that two in one millisecond are told apart.
    pub(crate) changes: u64,
    name: Option<String>,
    tags: Vec<String>,
    custom_attributes: String,
    corrections: Vec<CorrectionRow>,
    /// The facts that stand, newest first.
    pub(crate) standing: Vec<FactRow>,
    /// The stated names: call, place among statements, name.
    names: Vec<(Uuid, i64, String)>,
    last_call_ms: Option<i64>,
    returned_ms: Option<i64>,
    /// The model's summary, and the count of changes for which it was made.
    pub(crate) rewrite: Option<(String, u64)>,
    pub(crate) work: WorkRow,
    themes: String,
    /// When the caller said that they do not want to be called, in which words and in which call.
    do_not_call: Option<(i64, Option<String>, Option<Uuid>)>,
}

impl CallerRow {
    /// A caller who was first seen at `now_ms`.
    pub(crate) fn new(now_ms: i64) -> Self {
        Self {
            id: Uuid::now_v7(),
            first_seen_ms: now_ms,
            last_seen_ms: now_ms,
            total_calls: 0,
            memory_changed_ms: None,
            changes: 0,
            name: None,
            tags: Vec::new(),
            custom_attributes: JsonObject::default().as_str().to_owned(),
            corrections: Vec::new(),
            standing: Vec::new(),
            names: Vec::new(),
            last_call_ms: None,
            returned_ms: None,
            rewrite: None,
            work: WorkRow::default(),
            themes: String::new(),
            do_not_call: None,
        }
    }

    /// What the operator said.
    pub(crate) fn profile(&self) -> Profile {
        Profile {
            name: self.name.clone(),
            tags: self.tags.clone(),
            custom_attributes: JsonObject::from_validated(self.custom_attributes.clone()),
            corrections: self.corrections.iter().filter_map(CorrectionRow::known).collect(),
        }
    }

    pub(crate) fn set_profile(&mut self, profile: Profile) {
        self.name = profile.name;
        self.tags = profile.tags;
        profile
            .custom_attributes
            .as_str()
            .clone_into(&mut self.custom_attributes);
        // A correction whose key this release does not know is left as it is.
        self.corrections.retain(|row| row.known().is_none());
        let corrections = profile.corrections.iter().map(CorrectionRow::new);
        self.corrections.extend(corrections);
    }

    /// The caller with the operator's name alone.
    pub(crate) fn kept(&self) -> Caller {
        let profile = self.profile();
        Caller {
            name: profile.name,
            first_seen_ms: self.first_seen_ms,
            last_seen_ms: self.last_seen_ms,
            total_calls: self.total_calls,
            tags: profile.tags,
            custom_attributes: profile.custom_attributes,
            corrections: profile.corrections,
            do_not_call: self.do_not_call(),
        }
    }

    /// The mark, when there is one.
    pub(crate) fn do_not_call(&self) -> Option<DoNotCall> {
        let (at_ms, quote, call) = self.do_not_call.clone()?;
        Some(DoNotCall {
            at_ms,
            quote,
            call_id: call.map(CallId),
        })
    }

    pub(crate) fn set_do_not_call(&mut self, mark: Option<DoNotCall>) {
        self.do_not_call = mark.map(|mark| (mark.at_ms, mark.quote, mark.call_id.map(|call| call.0)));
    }

    /// The caller with the operator's name, or else the one that stands among the facts.
    pub(crate) fn caller(&self) -> Caller {
        let mut caller = self.kept();
        if caller.name.is_none() {
            let mut stated = self.facts().into_iter();
            caller.name = stated.find(|fact| fact.key == FactKey::Name).map(|fact| fact.value);
        }
        caller
    }

    /// The facts that stand, newest first. One whose key this release does not know is left out.
    pub(crate) fn heard(&self) -> Vec<KnownFact> {
        self.standing.iter().filter_map(FactRow::known).collect()
    }

    /// What the caller speaks of.
    pub(crate) fn themes(&self) -> Themes {
        Themes::stored(self.themes.clone())
    }

    pub(crate) fn set_themes(&mut self, themes: &Themes) {
        themes.as_str().clone_into(&mut self.themes);
    }

    /// What tells who the caller is.
    pub(crate) fn trace(&self) -> Trace {
        let names = self.names.iter().map(|(call, at_ms, name)| StatedName {
            call_id: CallId(*call),
            at_ms: *at_ms,
            name: name.clone(),
        });
        Trace::new(names.collect(), self.last_call_ms, self.returned_ms)
    }

    pub(crate) fn set_trace(&mut self, trace: &Trace) {
        let names = trace.names().iter();
        self.names = names
            .map(|stated| (stated.call_id.0, stated.at_ms, stated.name.clone()))
            .collect();
        self.last_call_ms = trace.last_call_ms;
        self.returned_ms = trace.returned_ms;
    }

    /// The facts that a recall shows.
    pub(crate) fn facts(&self) -> Vec<KnownFact> {
        corrected(self.heard(), &self.profile().corrections)
    }

    /// The model's summary, when it was made for the memory as it is.
    pub(crate) fn summary(&self) -> Option<String> {
        let (summary, made_for) = self.rewrite.as_ref()?;
        (*made_for == self.changes).then(|| summary.clone())
    }

    /// The memory of the caller changed at `at_ms`.
    pub(crate) fn changed(&mut self, at_ms: i64) {
        self.memory_changed_ms = Some(at_ms);
        self.changes += 1;
    }
}

/// An operator's word on facts. Without a value, everything of the key is dropped.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CorrectionRow {
    key: String,
    value: Option<String>,
    /// Whether the value holds, or does not.
    set: bool,
    terms: Option<(Option<String>, String)>,
    at_ms: i64,
}

impl CorrectionRow {
    fn new(correction: &Correction) -> Self {
        let (value, terms) = match &correction.word {
            Word::Set { value, terms } => (Some(value.clone()), terms.as_ref()),
            Word::Drop { value } => (value.clone(), None),
        };
        Self {
            key: correction.key.as_str().to_owned(),
            value,
            set: matches!(correction.word, Word::Set { .. }),
            terms: terms.map(|terms| (terms.when.clone(), terms.status.as_str().to_owned())),
            at_ms: correction.at_ms,
        }
    }

    /// The correction; `None` when this release does not know its key.
    fn known(&self) -> Option<Correction> {
        let terms = self.terms.as_ref().and_then(|(when, status)| {
            Some(Terms {
                when: when.clone(),
                status: status.parse().ok()?,
            })
        });
        let word = match (self.set, self.value.clone()) {
            (true, value) => Word::Set { value: value?, terms },
            (false, value) => Word::Drop { value },
        };
        Some(Correction {
            key: self.key.parse().ok()?,
            word,
            at_ms: self.at_ms,
        })
    }
}

/// What is known of a session: its first recall, its call, or both.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SessionRow {
    pub(crate) begun: Option<BegunRow>,
    pub(crate) call: Option<Uuid>,
}

/// The first recall of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BegunRow {
    pub(crate) at_ms: i64,
    pub(crate) number: String,
}

/// A session that was begun and whose call has not ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OpenRow {
    pub(crate) session_id: String,
    pub(crate) number: String,
}

/// An ended call without its transcript.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CallRow {
    pub(crate) report: ReportRow,
    pub(crate) summary: String,
    pub(crate) started_at_ms: i64,
    pub(crate) received_at_ms: i64,
    /// The call's place among all that were committed in the tenant.
    pub(crate) commit: u64,
    pub(crate) corrections: u64,
    /// The process that received the last report, and the report's place among those of that process.
    pub(crate) process: Uuid,
    pub(crate) arrival: i64,
    /// [`FactRow::order_ms`] of the call's facts, by their place: with it their keys are known.
    pub(crate) facts: Vec<i64>,
    pub(crate) work: WorkRow,
    pub(crate) themes: String,
    /// Whether a report of the call has marked its caller.
    pub(crate) no_more_calls: bool,
}

impl CallRow {
    pub(crate) fn recent(self, id: Uuid) -> RecentCall {
        RecentCall {
            call_id: CallId(id),
            started_at_ms: self.started_at_ms,
            duration_s: self.report.duration_s,
            summary: self.summary,
            outcome: self.report.outcome(),
        }
    }
}

/// What the client reported, without the transcript. Two that are equal, with equal transcripts, are the same report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReportRow {
    pub(crate) number: String,
    duration_s: f64,
    outcome: String,
    agent_metadata: Option<String>,
}

impl ReportRow {
    pub(crate) fn new(call: &EndedCall) -> Self {
        Self {
            number: call.number.as_e164().to_owned(),
            duration_s: call.duration_s,
            outcome: call.outcome.as_str().to_owned(),
            agent_metadata: call.agent_metadata.as_ref().map(|json| json.as_str().to_owned()),
        }
    }

    pub(crate) fn agent_metadata(&self) -> Option<JsonObject> {
        self.agent_metadata.clone().map(JsonObject::from_validated)
    }

    /// An outcome that this release does not know is `other`.
    pub(crate) fn outcome(&self) -> CallOutcome {
        self.outcome.parse().unwrap_or(CallOutcome::Other)
    }
}

/// One entry of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TurnRow {
    is_agent: bool,
    text: String,
    ts_ms: f64,
}

impl TurnRow {
    pub(crate) fn new(turn: &Turn) -> Self {
        Self {
            is_agent: turn.role == Role::Agent,
            text: turn.text.clone(),
            ts_ms: turn.ts_ms,
        }
    }

    pub(crate) fn turn(self) -> Turn {
        Turn {
            role: if self.is_agent { Role::Agent } else { Role::User },
            text: self.text,
            ts_ms: self.ts_ms,
        }
    }
}

/// A fact of a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FactRow {
    /// See [`FactRow::order`]: first this, then the commit of the call, then the place in the call.
    pub(crate) order_ms: i64,
    pub(crate) commit: u64,
    pub(crate) place: u32,
    pub(crate) call: Uuid,
    pub(crate) key: String,
    value: String,
    quote: String,
    said_at_ms: i64,
    observed_at_ms: i64,
    /// An agreement's day and hour, and how it stands.
    terms: Option<(Option<String>, String)>,
}

impl FactRow {
    pub(crate) fn new(said: &SaidFact, call: Uuid, commit: u64, place: u32, observed_at_ms: i64) -> Self {
        let SaidFact {
            fact,
            said_at_ms,
            order_ms,
        } = said;
        let Fact {
            key,
            value,
            quote,
            terms,
            ..
        } = fact;
        Self {
            order_ms: *order_ms,
            commit,
            place,
            call,
            key: key.as_str().to_owned(),
            value: value.clone(),
            quote: quote.clone(),
            said_at_ms: *said_at_ms,
            observed_at_ms,
            terms: terms
                .clone()
                .map(|terms| (terms.when, terms.status.as_str().to_owned())),
        }
    }

    /// What tells newer statements from older ones, and each from all others of the caller.
    pub(crate) fn order(&self) -> (i64, u64, u32) {
        (self.order_ms, self.commit, self.place)
    }

    /// What the domain's rules go by; `None` for a key that this release does not know.
    pub(crate) fn stated(&self) -> Option<FactView<'_>> {
        let (when, status) = self
            .terms
            .as_ref()
            .map_or((None, None), |(when, status)| (when.as_deref(), status.parse().ok()));
        Some(FactView {
            key: self.key.parse().ok()?,
            value: &self.value,
            when,
            status,
        })
    }

    /// The terms, unless this release does not know the status.
    fn terms(&self) -> Option<Terms> {
        let (when, status) = self.terms.clone()?;
        let status = status.parse().ok()?;
        Some(Terms { when, status })
    }

    pub(crate) fn known(&self) -> Option<KnownFact> {
        Some(KnownFact {
            key: self.key.parse().ok()?,
            value: self.value.clone(),
            quote: self.quote.clone(),
            call_id: Some(CallId(self.call)),
            said_at_ms: self.said_at_ms,
            observed_at_ms: self.observed_at_ms,
            terms: self.terms(),
        })
    }
}

/// A vendor's answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LookupRow {
    pub(crate) fetched_at_ms: i64,
    found: FoundRow,
    /// What the vendor had said before, and until when.
    former: Option<(FoundRow, i64)>,
}

/// Blocks, each as its fields in the order of the domain's struct.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct FoundRow {
    person: Option<[Option<String>; 3]>,
    company: Option<[Option<String>; 2]>,
    phone: Option<[Option<String>; 2]>,
}

impl FoundRow {
    fn new(found: &Enrichment) -> Self {
        let Enrichment { person, company, phone } = found.clone();
        Self {
            person: person.map(|person| [person.name, person.title, person.company]),
            company: company.map(|company| [company.name, company.address]),
            phone: phone.map(|line| [line.carrier, line.line_type]),
        }
    }

    fn found(self) -> Enrichment {
        Enrichment {
            person: self
                .person
                .map(|[name, title, company]| Person { name, title, company }),
            company: self.company.map(|[name, address]| Company { name, address }),
            phone: self.phone.map(|[carrier, line_type]| Line { carrier, line_type }),
        }
    }
}

impl LookupRow {
    pub(crate) fn new(lookup: &CachedLookup) -> Self {
        let former = lookup.former.as_ref();
        Self {
            fetched_at_ms: lookup.fetched_at_ms,
            found: FoundRow::new(&lookup.found),
            former: former.map(|former| (FoundRow::new(&former.found), former.until_ms)),
        }
    }

    pub(crate) fn lookup(self, vendor: &str) -> CachedLookup {
        CachedLookup {
            vendor: vendor.to_owned(),
            fetched_at_ms: self.fetched_at_ms,
            found: self.found.found(),
            former: self.former.map(|(former, until_ms)| Former {
                found: former.found(),
                until_ms,
            }),
        }
    }
}

/// What was bought from one vendor on one day.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct SpendRow {
    pub(crate) lookups: u64,
    pub(crate) micro_usd: u64,
}

/// A receipt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ReceiptRow {
    trace_id: String,
    number: String,
    pub(crate) session_id: Option<String>,
    deadline_ms: u64,
    cut: Vec<String>,
    known: bool,
    degraded: bool,
    enriched: bool,
    response: Vec<u8>,
}

impl ReceiptRow {
    pub(crate) fn new(receipt: &Receipt) -> Self {
        Self {
            trace_id: receipt.trace_id.clone(),
            number: receipt.number.as_e164().to_owned(),
            session_id: receipt.session_id.as_ref().map(|session| session.0.clone()),
            deadline_ms: receipt.deadline_ms,
            cut: receipt.cut.clone(),
            known: receipt.group.caller == CallerState::Known,
            degraded: receipt.group.caller == CallerState::Degraded,
            enriched: receipt.group.enriched,
            response: receipt.response.clone(),
        }
    }

    pub(crate) fn group(&self) -> Group {
        Group {
            caller: match (self.degraded, self.known) {
                (true, _) => CallerState::Degraded,
                (false, true) => CallerState::Known,
                (false, false) => CallerState::New,
            },
            enriched: self.enriched,
        }
    }

    pub(crate) fn receipt(self, tenant: Uuid, at_ms: i64, id: Uuid) -> Result<Receipt, PortError> {
        Ok(Receipt {
            id: ReceiptId(id),
            tenant: TenantId(tenant),
            at_ms,
            group: self.group(),
            trace_id: self.trace_id,
            number: number(&self.number)?,
            session_id: self.session_id.map(SessionId),
            deadline_ms: self.deadline_ms,
            cut: self.cut,
            response: self.response,
        })
    }
}

/// The number that was stored as `e164`.
pub(crate) fn number(e164: &str) -> Result<PhoneNumber, PortError> {
    PhoneNumber::from_e164(e164).map_err(|error| PortError::Internal(Box::new(error)))
}
