//! The hot read: everything a recall shows, in one prepared statement and one row.
//!
//! The calls and look-ups come as JSON arrays of a few short entries each, because one row costs one trip to the
//! connection's thread or server. Every part of the statement names the tenant.

use domain::{
    call::{CallId, RecentCall},
    caller::Caller,
    correction::{self, corrected},
    enrichment::{CachedLookup, Enrichment, Former},
    error::PortError,
    facts::{FactKey, KnownFact},
    identity::Trace,
    memory::MOST_GAPS,
    themes::Themes,
};
use sea_orm::{DbBackend, FromQueryResult};
use serde::Deserialize;
use uuid::Uuid;

use crate::{
    error::leave_out,
    facts,
    lookup::FoundBlocks,
    row::{self, CallerRow, caller_columns, recent_calls},
    trace::TraceRow,
    words,
};

/// The recall of the number `$2` of the tenant `$1`: always one row, with look-ups also when there is no caller.
/// Sessions begun by `$3` that have not ended are gaps, but for `$4`.
pub(crate) const fn statement(dialect: DbBackend) -> &'static str {
    match dialect {
        DbBackend::Sqlite => SQLITE,
        _ => POSTGRES,
    }
}

/// The columns of a [`StoredCallerRow`]. What nobody gave as the name may have been said: when, and what.
macro_rules! stored_caller_columns {
    () => {
        concat!(
            "c.id, ",
            caller_columns!("c.", "c.name"),
            ", CASE WHEN c.name IS NULL THEN (SELECT f.said_at_ms || ' ' || f.value FROM facts AS f \
                 WHERE f.tenant_id = $1 AND f.caller_id = c.id AND f.key = 'name' AND f.stands) END AS said_name, \
               c.memory_changed_ms, ",
            trace_columns!()
        )
    };
}

/// The columns of a [`TraceRow`].
macro_rules! trace_columns {
    () => {
        "c.stated_names, c.last_call_ms, c.returned_ms"
    };
}

/// The statement, with what differs: one row to begin with, and the functions that make JSON of rows, which are a call
/// `k`, a fact `f` and a look-up `e`.
macro_rules! recall {
    (from: $from:literal, calls: $calls:literal, facts: $facts:literal, lookups: $lookups:literal) => {
        concat!(
            "SELECT ",
            stored_caller_columns!(),
            ", (SELECT ",
            $calls,
            " FROM (",
            recent_calls!("c.id"),
            ") AS k) AS recent_calls, \
               (SELECT ",
            $facts,
            " FROM facts AS f WHERE f.tenant_id = $1 AND f.caller_id = c.id AND f.stands) AS facts, \
               (SELECT count(*) FROM (SELECT 1 FROM contacts AS o WHERE o.tenant_id = $1 AND o.caller_id = c.id \
                 AND NOT o.ended AND o.recalled_at_ms <= $3 AND o.session_key <> $4 LIMIT 1000) AS gap) AS gaps, \
               (SELECT ",
            $lookups,
            " FROM enrichment_cache AS e WHERE e.tenant_id = $1 AND e.phone_number = $2) AS lookups, \
               CASE WHEN c.rewrite_for_ms = c.memory_changed_ms THEN c.rewrite END AS summary, c.themes \
             FROM ",
            $from,
            " LEFT JOIN callers AS c ON c.tenant_id = $1 AND c.phone_number = $2"
        )
    };
}

const _: () = assert!(MOST_GAPS == 1_000, "the limit of the gaps in the statement above");

// SQLite writes a number into JSON with 15 digits; 17 are exact.
const SQLITE: &str = recall!(
    from: "(SELECT 1)",
    calls: "json_group_array(json_array(\
            lower(hex(k.id)), k.started_at_ms, printf('%!.17g', k.duration_s), k.outcome, k.summary))",
    facts: "json_group_array(json_array(\
            f.order_ms, lower(hex(f.call_id)), f.place, f.key, f.value, f.quote, f.said_at_ms, f.observed_at_ms, \
             f.agreed_when, f.agreed_status))",
    lookups: "json_group_array(json_array(e.vendor, e.fetched_at_ms, e.found, e.former, e.former_until_ms))"
);

const POSTGRES: &str = recall!(
    from: "(SELECT 1) AS one",
    calls: "json_agg(json_build_array(k.id, k.started_at_ms, k.duration_s::text, k.outcome, k.summary))::text",
    facts: "json_agg(json_build_array(\
            f.order_ms, f.call_id, f.place, f.key, f.value, f.quote, f.said_at_ms, f.observed_at_ms, \
             f.agreed_when, f.agreed_status))::text",
    lookups: "json_agg(json_build_array(e.vendor, e.fetched_at_ms, e.found, e.former, e.former_until_ms))::text"
);

/// The profile of the number `$2` of the tenant `$1`.
pub(crate) const CALLER: &str = concat!(
    "SELECT ",
    stored_caller_columns!(),
    " FROM callers AS c WHERE c.tenant_id = $1 AND c.phone_number = $2"
);

/// The look-ups of the number `$2` of the tenant `$1`.
pub(crate) const LOOKUPS: &str = "SELECT vendor, fetched_at_ms, found, former, former_until_ms FROM enrichment_cache WHERE tenant_id = $1 AND phone_number = $2";

/// What tells who the number `$2` of the tenant `$1` is.
pub(crate) const TRACE: &str = concat!(
    "SELECT ",
    trace_columns!(),
    " FROM callers AS c WHERE c.tenant_id = $1 AND c.phone_number = $2"
);

/// The row of [`statement`].
#[derive(FromQueryResult)]
pub(crate) struct RecallRow {
    #[sea_orm(nested)]
    caller: Option<StoredCallerRow>,
    recent_calls: Option<String>,
    facts: Option<String>,
    gaps: i64,
    lookups: Option<String>,
    summary: Option<String>,
    themes: Option<String>,
}

/// A caller as [`statement`] and [`CALLER`] read it.
#[derive(FromQueryResult)]
pub(crate) struct StoredCallerRow {
    id: Uuid,
    #[sea_orm(nested)]
    profile: CallerRow,
    said_name: Option<String>,
    memory_changed_ms: Option<i64>,
    #[sea_orm(nested)]
    trace: TraceRow,
}

/// What the statement found.
pub(crate) struct RecallRead {
    /// The stored caller; `None` when there is none.
    pub(crate) caller: Option<StoredCaller>,
    /// The latest calls, newest first.
    pub(crate) recent_calls: Vec<RecentCall>,
    /// The caller's facts as a recall shows them.
    pub(crate) facts: Vec<KnownFact>,
    /// Calls that were begun and never written back.
    pub(crate) gaps: u64,
    /// The look-ups of the number.
    pub(crate) lookups: Vec<CachedLookup>,
    /// The language model's summary of the caller, unless the memory changed since it was made.
    pub(crate) summary: Option<String>,
    /// What the caller speaks of.
    pub(crate) themes: Themes,
}

/// A caller with what is not shown of them.
pub(crate) struct StoredCaller {
    pub(crate) id: Uuid,
    pub(crate) profile: Caller,
    pub(crate) memory_changed_ms: Option<i64>,
    pub(crate) trace: Trace,
}

/// A call as the statement writes it: id, start, duration in digits, outcome, summary.
#[derive(Deserialize)]
struct CallEntry(Uuid, i64, String, String, String);

/// A look-up as [`LOOKUPS`] reads it and [`statement`] writes it, as an array of the five. The blocks come as the text
/// that is stored: as JSON within JSON, one that is none would fail the statement.
#[derive(Deserialize, FromQueryResult)]
pub(crate) struct LookupRow {
    vendor: String,
    fetched_at_ms: i64,
    found: String,
    former: Option<String>,
    former_until_ms: Option<i64>,
}

impl LookupRow {
    /// The look-up; `None` when its blocks cannot be decoded.
    pub(crate) fn decode(self) -> Option<CachedLookup> {
        let decode = |found: &str| {
            let found = serde_json::from_str::<FoundBlocks>(found);
            found.inspect_err(|_| leave_out(LOOKUP)).ok().map(Enrichment::from)
        };
        let former = self.former.as_deref().and_then(decode).zip(self.former_until_ms);
        Some(CachedLookup {
            vendor: self.vendor,
            fetched_at_ms: self.fetched_at_ms,
            found: decode(&self.found)?,
            former: former.map(|(found, until_ms)| Former { found, until_ms }),
        })
    }
}

impl TryFrom<RecallRow> for RecallRead {
    type Error = PortError;

    fn try_from(row: RecallRow) -> Result<Self, PortError> {
        let caller = row.caller.map(StoredCaller::from);
        let heard = facts::decode(row.facts.as_deref().unwrap_or("[]"))?;
        let corrections = caller.as_ref().map(|caller| caller.profile.corrections.as_slice());
        Ok(Self {
            facts: corrected(heard, corrections.unwrap_or_default()),
            caller,
            recent_calls: decode_calls(row.recent_calls.as_deref().unwrap_or("[]"))?,
            gaps: u64::try_from(row.gaps).unwrap_or_default(),
            lookups: decode_lookups(row.lookups.as_deref().unwrap_or("[]"))?,
            summary: row.summary,
            themes: Themes::stored(row.themes.unwrap_or_default()),
        })
    }
}

impl From<StoredCallerRow> for StoredCaller {
    fn from(row: StoredCallerRow) -> Self {
        let mut profile = row.profile.shown();
        if profile.name.is_none() {
            let said = row.said_name.as_deref().and_then(|said| said.split_once(' '));
            let said = said.filter(|(at_ms, name)| {
                let said_at_ms = at_ms.parse().unwrap_or(i64::MAX);
                correction::holds(&profile.corrections, FactKey::Name, name, said_at_ms)
            });
            profile.name = said.map(|(_, name)| name.to_owned());
        }
        Self {
            id: row.id,
            profile,
            memory_changed_ms: row.memory_changed_ms,
            trace: row.trace.into(),
        }
    }
}

fn decode_calls(json: &str) -> Result<Vec<RecentCall>, PortError> {
    let calls = row::entries(json, "call")?;
    let call = |CallEntry(id, started_at_ms, duration_s, outcome, summary)| {
        Some(RecentCall {
            call_id: CallId(id),
            started_at_ms,
            duration_s: duration_s.parse().inspect_err(|_| leave_out("duration")).ok()?,
            summary,
            outcome: words::outcome(&outcome),
        })
    };
    Ok(calls.into_iter().filter_map(call).collect())
}

const LOOKUP: &str = "look-up";

fn decode_lookups(json: &str) -> Result<Vec<CachedLookup>, PortError> {
    let rows: Vec<LookupRow> = row::entries(json, LOOKUP)?;
    Ok(rows.into_iter().filter_map(LookupRow::decode).collect())
}
