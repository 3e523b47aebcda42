//! What is known of the caller, as it goes over the wire.

use domain::{
    enrichment::{self, BlockAnswer},
    facts::KnownFact,
    identity::{self, Signal},
    recall::Recall,
    receipt::ReceiptId,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    clock::rounded_ms,
    middleware::frame::Frame,
    rest::get_caller::{CallerResponse, DoNotCall},
};

/// Who is calling.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecallAndEnrichResponse, examples(json!({
    "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    "known": true,
    "caller": {
        "name": null, "first_seen_ms": 1_763_719_200_000_i64, "last_seen_ms": 1_763_892_000_000_i64, "total_calls": 1,
        "tags": [],
        "custom_attributes": {}
    },
    "memory": {
        "summary": "1 call so far, the last on 23 November 2025: an appointment was booked.",
        "recent_calls": [{
            "call_id": "019ab001-2c00-7000-8000-000000000001", "started_at_ms": 1_763_892_000_000_i64, "duration_s": 94,
            "summary": "Caller said: \"I would like a cleaning on Tuesday at three\".", "outcome": "appointment_booked"
        }],
        "gaps": 0
    },
    "facts": [{
        "key": "appointment", "value": "Tuesday at three", "call_id": "019ab001-2c00-7000-8000-000000000001",
        "quote": "I have booked you for Tuesday at three", "said_at_ms": 1_763_892_080_000_i64,
        "observed_at_ms": 1_763_892_094_000_i64
    }],
    "identity": {"recommendation": "use", "signals": []},
    "do_not_call": null,
    "enrichment": {"person": null, "company": null, "phone": null},
    "timing_ms": {"total": 0.612, "memory_ms": 0.381, "enrichment_ms": 0, "cache_hit": false},
    "freshness": {"memory_age_ms": 86_400_000, "enrichment_age_ms": null}
})))]
pub struct RecallResponse {
    /// W3C trace id; the inbound `traceparent`'s when there is one.
    #[schema(examples("4bf92f3577b34da6a3ce929d0e0e4736"))]
    pub trace_id: String,
    /// The id of this answer's receipt, for `caller-memory receipt show`; there only when the feedback loop is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("019ab001-2c00-7000-8000-000000000002"))]
    pub context_audit_id: Option<String>,
    /// Whether the number was seen before; means nothing in a degraded answer.
    pub known: bool,
    /// There, and true, only when the memory could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = crate::openapi::parts::only_true)]
    pub degraded: Option<bool>,
    /// The caller's profile.
    pub caller: CallerResponse,
    /// What happened before.
    pub memory: Memory,
    /// What stands of what the caller stated and was told, newest first; null when the memory could not be read.
    #[schema(required = false)]
    pub facts: Option<Vec<Fact>>,
    /// Whether the memory may be used for whoever calls now; null when it could not be read.
    #[schema(required = false)]
    pub identity: Option<Identity>,
    /// The caller's wish not to be called any more; null when there is none, or the memory could not be read.
    #[schema(required = false)]
    pub do_not_call: Option<DoNotCall>,
    /// What third parties know.
    pub enrichment: Enrichment,
    /// How long this request took.
    pub timing_ms: Timing,
    /// How old the data is.
    pub freshness: Freshness,
    /// What was not ready at the deadline, for example `enrichment.twilio`; absent when everything was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

/// What happened before.
#[derive(Debug, Serialize, ToSchema)]
pub struct Memory {
    /// What the agent should know; empty for a first-time caller.
    pub summary: String,
    /// The latest calls, newest first.
    #[schema(max_items = 5)]
    pub recent_calls: Vec<RecentCall>,
    /// Calls that were begun by a recall with a session and never written back; null when the memory could not be read.
    #[schema(required = false, maximum = 1000)]
    pub gaps: Option<u64>,
}

/// A call that has ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecentCall {
    /// The service's id of the call.
    pub call_id: String,
    /// When it began, in milliseconds since the epoch.
    #[schema(value_type = Option<f64>, required = true)]
    pub started_at_ms: Option<i64>,
    /// Length in seconds.
    pub duration_s: f64,
    /// The call in a few sentences.
    pub summary: String,
    /// How it ended.
    #[schema(required = true)]
    pub outcome: Option<&'static str>,
}

/// Whether the person who calls is the one whom the memory is about.
#[derive(Debug, Serialize, ToSchema)]
pub struct Identity {
    /// `use`: nothing speaks against it; `confirm`: ask who is calling first; `withhold`: somebody else may be calling.
    #[schema(value_type = String, examples("confirm"))]
    pub recommendation: &'static str,
    /// What speaks against using the memory: `names_differ`, `silence`, `carrier_changed`, `line_type_changed`,
    /// `owner_changed`, `shared_line`, `attestation_weak`, `attestation_failed`.
    #[schema(value_type = Vec<String>, examples(json!(["names_differ"])))]
    pub signals: Vec<&'static str>,
    /// How much a strict tenant's answer leaves out; absent when nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub withheld: Option<Withheld>,
}

/// What an answer leaves out, because it may be about somebody else.
#[derive(Debug, Serialize, ToSchema)]
pub struct Withheld {
    /// How many facts.
    pub facts: usize,
    /// How many of the latest calls.
    #[schema(maximum = 5)]
    pub calls: usize,
}

/// A fact with its evidence.
#[derive(Debug, Serialize, ToSchema)]
pub struct Fact {
    /// What it is about.
    #[schema(value_type = String, examples("email"))]
    pub key: &'static str,
    /// What holds: the name, the address, the number, ...
    pub value: String,
    /// The call in which it was said; null when it is the operator's word.
    #[schema(required = true)]
    pub call_id: Option<String>,
    /// The words that say so, as they stand in that call's transcript; null when it is the operator's word.
    #[schema(required = true)]
    pub quote: Option<String>,
    /// When it was said, in milliseconds since the epoch.
    #[schema(value_type = f64)]
    pub said_at_ms: i64,
    /// When the service learned it, in milliseconds since the epoch.
    #[schema(value_type = f64)]
    pub observed_at_ms: i64,
    /// Of an agreement: its day as `YYYY-MM-DD`, with its hour as `YYYY-MM-DDTHH:MM` where one was agreed; null when
    /// the words do not settle it. Absent for other facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, examples("2026-03-08T16:15"))]
    pub when: Option<When>,
    /// Of an agreement: `agreed`, `requested` (the caller confirmed it, and nobody said that it is done), `moved` or
    /// `cancelled`. Absent for other facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, examples("agreed"))]
    pub status: Option<&'static str>,
}

/// The day, or the day and the hour, of an agreement; null when the words do not settle it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct When(pub Option<String>);

/// What third parties know; a block is null when nobody knows.
#[derive(Debug, Serialize, ToSchema)]
pub struct Enrichment {
    /// The person behind the number.
    #[schema(required = true)]
    pub person: Option<PersonBlock>,
    /// The company behind the number.
    #[schema(required = true)]
    pub company: Option<CompanyBlock>,
    /// The line itself.
    #[schema(required = true)]
    pub phone: Option<PhoneBlock>,
}

/// The person behind a number.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EnrichmentPerson)]
pub struct PersonBlock {
    /// Full name.
    #[schema(required = true)]
    pub name: Option<String>,
    /// Job title.
    pub title: Option<String>,
    /// Employer.
    pub company: Option<String>,
    /// Which vendor said so, for example `twilio`; `webhook+pdl` where the title and employer come from a second one.
    #[schema(required = false)]
    pub source: String,
    /// When it said so, in milliseconds since the epoch.
    #[schema(value_type = f64, required = false)]
    pub fetched_at_ms: i64,
}

/// The company behind a number.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EnrichmentCompany)]
pub struct CompanyBlock {
    /// Company name.
    #[schema(required = true)]
    pub name: Option<String>,
    /// Postal address.
    #[schema(value_type = Value, required = false)]
    pub address: Option<String>,
    /// Which vendor said so.
    #[schema(required = false)]
    pub source: String,
    /// When it said so, in milliseconds since the epoch.
    #[schema(value_type = f64, required = false)]
    pub fetched_at_ms: i64,
}

/// A phone line.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EnrichmentPhone)]
pub struct PhoneBlock {
    /// The carrier that serves the line.
    #[schema(required = true)]
    pub carrier: Option<String>,
    /// The line type, for example `mobile` or `fixed_voip`.
    #[schema(required = true)]
    pub line_type: Option<String>,
    /// Which vendor said so; `offline` where the number itself tells.
    #[schema(required = false)]
    pub source: String,
    /// When it said so, in milliseconds since the epoch.
    #[schema(value_type = f64, required = false)]
    pub fetched_at_ms: i64,
}

/// How long this request took, in milliseconds. Not a benchmark.
#[derive(Debug, Serialize, ToSchema)]
pub struct Timing {
    /// From the arrival of the request to the encoding of the answer; waiting for the client's body is not counted.
    pub total: f64,
    /// Reading the memory.
    pub memory_ms: f64,
    /// Waiting for look-ups.
    pub enrichment_ms: f64,
    /// Whether the enrichment shown needed no look-up in this request.
    pub cache_hit: bool,
}

/// How old the data is.
#[derive(Debug, Serialize, ToSchema)]
pub struct Freshness {
    /// Time since this caller's memory last changed, in milliseconds; null when there is none.
    #[schema(value_type = Option<f64>, required = true)]
    pub memory_age_ms: Option<i64>,
    /// Age of the oldest enrichment shown, in milliseconds; null when none is shown.
    #[schema(value_type = Option<f64>, required = true)]
    pub enrichment_age_ms: Option<i64>,
}

impl RecallResponse {
    /// The answer, which names its receipt when there is one.
    pub(super) fn new(recall: Recall, frame: &Frame, receipt: Option<ReceiptId>) -> Self {
        Self {
            trace_id: frame.trace_id.clone(),
            context_audit_id: receipt.map(|id| id.to_string()),
            known: recall.known,
            degraded: recall.degraded.is_some().then_some(true),
            do_not_call: recall
                .caller
                .as_ref()
                .and_then(|caller| caller.do_not_call.clone())
                .map(DoNotCall::from),
            caller: recall
                .caller
                .map_or_else(CallerResponse::unavailable, CallerResponse::from),
            memory: Memory {
                summary: recall.summary,
                recent_calls: recall.recent_calls.into_iter().map(RecentCall::from).collect(),
                gaps: recall.gaps,
            },
            identity: recall.identity.map(Identity::from),
            facts: recall.facts.map(|facts| facts.into_iter().map(Fact::from).collect()),
            enrichment: Enrichment {
                person: recall.enrichment.person.map(PersonBlock::from),
                company: recall.enrichment.company.map(CompanyBlock::from),
                phone: recall.enrichment.phone.map(PhoneBlock::from),
            },
            freshness: Freshness {
                memory_age_ms: recall.memory_age_ms,
                enrichment_age_ms: recall.enrichment_age_ms,
            },
            cut: recall.cut,
            timing_ms: Timing {
                total: rounded_ms(frame.worked().as_secs_f64() * 1000.0),
                memory_ms: rounded_ms(recall.memory_ms),
                enrichment_ms: rounded_ms(recall.enrichment_ms),
                cache_hit: recall.cache_hit,
            },
        }
    }
}

impl From<domain::call::RecentCall> for RecentCall {
    fn from(call: domain::call::RecentCall) -> Self {
        Self {
            call_id: call.call_id.to_string(),
            started_at_ms: Some(call.started_at_ms),
            duration_s: call.duration_s,
            summary: call.summary,
            outcome: Some(call.outcome.as_str()),
        }
    }
}

impl From<identity::Identity> for Identity {
    fn from(identity: identity::Identity) -> Self {
        Self {
            recommendation: identity.recommendation.as_str(),
            signals: identity.signals.into_iter().map(Signal::as_str).collect(),
            withheld: identity
                .withheld
                .map(|identity::Withheld { facts, calls }| Withheld { facts, calls }),
        }
    }
}

impl From<KnownFact> for Fact {
    fn from(fact: KnownFact) -> Self {
        Self {
            key: fact.key.as_str(),
            value: fact.value,
            quote: fact.call_id.is_some().then_some(fact.quote),
            call_id: fact.call_id.map(|id| id.to_string()),
            said_at_ms: fact.said_at_ms,
            observed_at_ms: fact.observed_at_ms,
            status: fact.terms.as_ref().map(|terms| terms.status.as_str()),
            when: fact.terms.map(|terms| When(terms.when)),
        }
    }
}

impl From<BlockAnswer<enrichment::Person>> for PersonBlock {
    fn from(shown: BlockAnswer<enrichment::Person>) -> Self {
        Self {
            name: shown.value.name,
            title: shown.value.title,
            company: shown.value.company,
            source: shown.source,
            fetched_at_ms: shown.fetched_at_ms,
        }
    }
}

impl From<BlockAnswer<enrichment::Company>> for CompanyBlock {
    fn from(shown: BlockAnswer<enrichment::Company>) -> Self {
        Self {
            name: shown.value.name,
            address: shown.value.address,
            source: shown.source,
            fetched_at_ms: shown.fetched_at_ms,
        }
    }
}

impl From<BlockAnswer<enrichment::Line>> for PhoneBlock {
    fn from(shown: BlockAnswer<enrichment::Line>) -> Self {
        Self {
            carrier: shown.value.carrier,
            line_type: shown.value.line_type,
            source: shown.source,
            fetched_at_ms: shown.fetched_at_ms,
        }
    }
}
