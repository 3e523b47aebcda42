//! Values that tests are about: fictional numbers, calls, keys, and deadlines.

use std::time::{Duration, Instant};

use domain::{
    access::{KeyHash, NewKey, Scopes, TenantId, TenantSettings},
    call::{CallOutcome, Contact, EndedCall, Role, SessionId, Turn},
    context::Deadline,
    enrichment::{CachedLookup, Company, Enrichment, Line, Person},
    facts::{Fact, FactKey, SaidFact},
    memory::{Arrival, CallRecord},
    phone::PhoneNumber,
    port::{RecallQuery, access::NewTenant},
    reading::RULES,
    receipt::{CallerState, Group, Receipt, ReceiptId},
    themes::Themes,
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// 2026-10-01T12:00:00Z in milliseconds since the epoch: when sample calls happen.
pub const NOW_MS: i64 = 1_790_856_000_000;

/// How long after its recall a sample call that has not ended is a gap: two hours.
pub const UNFINISHED_MS: i64 = 7_200_000;

/// A deadline that no healthy port misses.
#[must_use]
pub fn ample() -> Deadline {
    within(Duration::from_secs(30))
}

/// The deadline `time` from now.
#[must_use]
pub fn within(time: Duration) -> Deadline {
    Deadline(Instant::now() + time)
}

/// A deadline that has passed.
#[must_use]
pub fn passed() -> Deadline {
    let now = Instant::now();
    Deadline(now.checked_sub(Duration::from_millis(50)).unwrap_or(now))
}

/// One of the hundred numbers that are kept for fiction: `+1 202 555 0100` to `0199`.
///
/// # Panics
/// When `index` is above 99.
#[must_use]
pub fn number(index: usize) -> PhoneNumber {
    assert!(index < 100, "there are a hundred fictional numbers");
    PhoneNumber::from_e164(&format!("+120255501{index:02}")).expect("a fictional number is in E.164")
}

/// A tenant that no other test has.
#[must_use]
pub fn tenant() -> TenantId {
    TenantId(Uuid::now_v7())
}

/// A tenant to be created, with nothing of its own but the name.
#[must_use]
pub fn new_tenant(name: &str) -> NewTenant {
    NewTenant {
        name: name.to_owned(),
        settings: TenantSettings::default(),
    }
}

/// What a recall of `number` at `now_ms` asks, without a session.
#[must_use]
pub fn query(number: &PhoneNumber, now_ms: i64) -> RecallQuery {
    RecallQuery {
        number: number.clone(),
        session_id: None,
        now_ms,
        unfinished_before_ms: now_ms - UNFINISHED_MS,
    }
}

/// What a recall of `number` at `now_ms` asks in the session `session`.
#[must_use]
pub fn query_in(number: &PhoneNumber, now_ms: i64, session: &str) -> RecallQuery {
    RecallQuery {
        session_id: Some(SessionId(session.to_owned())),
        ..query(number, now_ms)
    }
}

/// A call of a minute by `number` that is reported at `received_at_ms`, with a transcript and a summary that name the
/// session.
#[must_use]
pub fn record(number: &PhoneNumber, session: &str, received_at_ms: i64, arrival: i64) -> CallRecord {
    CallRecord {
        call: EndedCall {
            session_id: SessionId(session.to_owned()),
            number: number.clone(),
            transcript: vec![
                turn(Role::Agent, "Hello, what can I do for you?", 0.0),
                turn(Role::User, &format!("I am calling about {session}."), 1_250.5),
            ],
            duration_s: 60.0,
            outcome: CallOutcome::Other,
            agent_metadata: None,
        },
        summary: format!("Caller asked about {session}."),
        facts: Vec::new(),
        themes: Themes::default(),
        no_more_calls: None,
        rules: RULES,
        started_at_ms: received_at_ms - 60_000,
        contact: Contact {
            first_ms: received_at_ms,
            last_ms: received_at_ms,
        },
        received_at_ms,
        arrival: Arrival(arrival),
    }
}

/// A fact that the second turn of a [`record`] could prove, said at `said_at_ms` by the transcript's own clock.
#[must_use]
pub fn said(key: FactKey, value: &str, said_at_ms: i64) -> SaidFact {
    SaidFact {
        fact: Fact {
            key,
            value: value.to_owned(),
            quote: format!("it is {value}"),
            turn: 1,
            terms: None,
        },
        said_at_ms,
        order_ms: said_at_ms,
    }
}

/// The receipt of a recall at `at_ms`: a known caller without enrichment.
#[must_use]
pub fn receipt(tenant: TenantId, session: Option<&str>, at_ms: i64) -> Receipt {
    Receipt {
        id: ReceiptId(Uuid::now_v7()),
        tenant,
        at_ms,
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736".to_owned(),
        number: number(0),
        session_id: session.map(|id| SessionId(id.to_owned())),
        deadline_ms: 300,
        cut: Vec::new(),
        group: Group {
            caller: CallerState::Known,
            enriched: false,
        },
        response: br#"{"known": true}"#.to_vec(),
    }
}

/// One entry of a transcript.
#[must_use]
pub fn turn(role: Role, text: &str, ts_ms: f64) -> Turn {
    Turn {
        role,
        text: text.to_owned(),
        ts_ms,
    }
}

/// An answer of `vendor` with every field filled.
#[must_use]
pub fn lookup(vendor: &str, fetched_at_ms: i64) -> CachedLookup {
    let some = |text: &str| Some(text.to_owned());
    CachedLookup {
        vendor: vendor.to_owned(),
        fetched_at_ms,
        found: Enrichment {
            person: Some(Person {
                name: some("Maren Okafor"),
                title: some("Operations Lead"),
                company: some("Northwind Plumbing"),
            }),
            company: Some(Company {
                name: some("Northwind Plumbing"),
                address: some("100 Example Street, Springfield"),
            }),
            phone: Some(Line {
                carrier: some("Example Wireless"),
                line_type: some("mobile"),
            }),
        },
        former: None,
    }
}

/// The text of a well-formed key, another one for each `index`.
#[must_use]
pub fn key_text(index: usize) -> String {
    format!("sk_live_{index:043}")
}

/// What is stored of the key `text`: its SHA-256.
#[must_use]
pub fn key_hash(text: &str) -> KeyHash {
    KeyHash(Sha256::digest(text.as_bytes()).into())
}

/// The key [`key_text`]`(index)` as it is to be stored: every scope, no label, no expiry.
#[must_use]
pub fn new_key(index: usize) -> NewKey {
    let text = key_text(index);
    NewKey {
        hash: key_hash(&text),
        shown: text.chars().take(12).collect(),
        scopes: Scopes::all(),
        label: None,
        expires_at_ms: None,
    }
}
