//! The hot read: everything a recall shows, in one prepared statement and one row.
//!
//! The calls and look-ups come as JSON arrays of a few short entries each, because one row costs one trip to the
//! connection's thread or server. Every part of the statement names the tenant.

use domain::{
    call::{CallId, RecentCall},
    caller::Caller,
    enrichment::CachedLookup,
    error::PortError,
    facts::KnownFact,
    json::JsonObject,
};
use sea_orm::{DbBackend, DbErr, QueryResult};
use serde::Deserialize;
use uuid::Uuid;

use crate::{
    error::{port_error, undecodable},
    facts,
    lookup::FoundBlocks,
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

// SQLite writes a number into JSON with 15 digits; 17 are exact.
const SQLITE: &str = "\
SELECT c.id,
  COALESCE(c.name, (SELECT f.value FROM facts AS f WHERE f.tenant_id = $1 AND f.caller_id = c.id AND f.key = 'name' AND f.stands)),
  c.first_seen_ms, c.last_seen_ms, c.total_calls, c.tags, c.custom_attributes, c.memory_changed_ms,
  (SELECT json_group_array(json_array(
      lower(hex(k.id)), k.started_at_ms, printf('%!.17g', k.duration_s), k.outcome, k.summary))
   FROM (SELECT id, started_at_ms, duration_s, outcome, summary FROM calls
         WHERE tenant_id = $1 AND caller_id = c.id ORDER BY started_at_ms DESC, id DESC LIMIT 5) AS k),
  (SELECT json_group_array(json_array(
      f.order_ms, lower(hex(f.call_id)), f.place, f.key, f.value, f.quote, f.said_at_ms, f.observed_at_ms))
   FROM facts AS f WHERE f.tenant_id = $1 AND f.caller_id = c.id AND f.stands),
  (SELECT count(*) FROM (SELECT 1 FROM contacts AS o
    WHERE o.tenant_id = $1 AND o.caller_id = c.id AND NOT o.ended AND o.recalled_at_ms <= $3 AND o.session_key <> $4 LIMIT 1000) AS gap),
  (SELECT json_group_array(json_array(e.vendor, e.fetched_at_ms, json(e.found)))
   FROM enrichment_cache AS e WHERE e.tenant_id = $1 AND e.phone_number = $2),
  CASE WHEN c.rewrite_for_ms = c.memory_changed_ms THEN c.rewrite END
FROM (SELECT 1) LEFT JOIN callers AS c ON c.tenant_id = $1 AND c.phone_number = $2";

const POSTGRES: &str = "\
SELECT c.id,
  COALESCE(c.name, (SELECT f.value FROM facts AS f WHERE f.tenant_id = $1 AND f.caller_id = c.id AND f.key = 'name' AND f.stands)),
  c.first_seen_ms, c.last_seen_ms, c.total_calls, c.tags, c.custom_attributes, c.memory_changed_ms,
  (SELECT json_agg(json_build_array(k.id, k.started_at_ms, k.duration_s::text, k.outcome, k.summary))::text
   FROM (SELECT id, started_at_ms, duration_s, outcome, summary FROM calls
         WHERE tenant_id = $1 AND caller_id = c.id ORDER BY started_at_ms DESC, id DESC LIMIT 5) AS k),
  (SELECT json_agg(json_build_array(
      f.order_ms, f.call_id, f.place, f.key, f.value, f.quote, f.said_at_ms, f.observed_at_ms))::text
   FROM facts AS f WHERE f.tenant_id = $1 AND f.caller_id = c.id AND f.stands),
  (SELECT count(*) FROM (SELECT 1 FROM contacts AS o
    WHERE o.tenant_id = $1 AND o.caller_id = c.id AND NOT o.ended AND o.recalled_at_ms <= $3 AND o.session_key <> $4 LIMIT 1000) AS gap),
  (SELECT json_agg(json_build_array(e.vendor, e.fetched_at_ms, e.found::json))::text
   FROM enrichment_cache AS e WHERE e.tenant_id = $1 AND e.phone_number = $2),
  CASE WHEN c.rewrite_for_ms = c.memory_changed_ms THEN c.rewrite END
FROM (SELECT 1) AS one LEFT JOIN callers AS c ON c.tenant_id = $1 AND c.phone_number = $2";

/// The profile of the number `$2` of the tenant `$1`, with the same columns in front.
pub(crate) const CALLER: &str = "\
SELECT c.id,
  COALESCE(c.name, (SELECT f.value FROM facts AS f WHERE f.tenant_id = $1 AND f.caller_id = c.id AND f.key = 'name' AND f.stands)),
  c.first_seen_ms, c.last_seen_ms, c.total_calls, c.tags, c.custom_attributes, c.memory_changed_ms
FROM callers AS c WHERE c.tenant_id = $1 AND c.phone_number = $2";

/// What the statement found.
pub(crate) struct Found {
    /// The stored caller; `None` when there is none.
    pub(crate) caller: Option<StoredCaller>,
    /// The latest calls, newest first.
    pub(crate) recent_calls: Vec<RecentCall>,
    /// The caller's facts that stand, newest first.
    pub(crate) facts: Vec<KnownFact>,
    /// Calls that were begun and never written back.
    pub(crate) gaps: u64,
    /// The look-ups of the number.
    pub(crate) lookups: Vec<CachedLookup>,
    /// The language model's summary of the caller, unless the memory changed since it was made.
    pub(crate) summary: Option<String>,
}

/// A row of `callers`.
pub(crate) struct StoredCaller {
    pub(crate) id: Uuid,
    pub(crate) profile: Caller,
    pub(crate) memory_changed_ms: Option<i64>,
}

/// A call as the statement writes it: id, start, duration in digits, outcome, summary.
#[derive(Deserialize)]
struct CallRow(Uuid, i64, String, String, String);

/// A look-up as the statement writes it: vendor, time, blocks.
#[derive(Deserialize)]
struct LookupRow(String, i64, FoundBlocks);

impl Found {
    /// Reads the one row of the statement.
    pub(crate) fn decode(row: &QueryResult) -> Result<Self, PortError> {
        let calls: Option<String> = row.try_get_by_index(8).map_err(port_error)?;
        let facts: Option<String> = row.try_get_by_index(9).map_err(port_error)?;
        let gaps: i64 = row.try_get_by_index(10).map_err(port_error)?;
        let lookups: Option<String> = row.try_get_by_index(11).map_err(port_error)?;
        Ok(Self {
            caller: StoredCaller::decode(row)?,
            recent_calls: decode_calls(calls.as_deref().unwrap_or("[]"))?,
            facts: facts::decode(facts.as_deref().unwrap_or("[]"))?,
            gaps: u64::try_from(gaps).unwrap_or_default(),
            lookups: decode_lookups(lookups.as_deref().unwrap_or("[]"))?,
            summary: row.try_get_by_index(12).map_err(port_error)?,
        })
    }
}

impl StoredCaller {
    /// Reads the columns that [`statement`] and [`CALLER`] begin with; `None` when they are null.
    pub(crate) fn decode(row: &QueryResult) -> Result<Option<Self>, PortError> {
        let read = || {
            let Some(id) = row.try_get_by_index(0)? else {
                return Ok(None);
            };
            let total_calls: i64 = row.try_get_by_index(4)?;
            let tags: String = row.try_get_by_index(5)?;
            let profile = Caller {
                name: row.try_get_by_index(1)?,
                first_seen_ms: row.try_get_by_index(2)?,
                last_seen_ms: row.try_get_by_index(3)?,
                total_calls: u64::try_from(total_calls).unwrap_or_default(),
                tags: Vec::new(),
                custom_attributes: JsonObject::from_validated(row.try_get_by_index(6)?),
            };
            let memory_changed_ms = row.try_get_by_index(7)?;
            Ok(Some((id, profile, memory_changed_ms, tags)))
        };
        let Some((id, profile, memory_changed_ms, tags)) = read().map_err(|error: DbErr| port_error(error))? else {
            return Ok(None);
        };
        let tags = serde_json::from_str(&tags).map_err(|_| undecodable("list of tags"))?;
        Ok(Some(Self {
            id,
            profile: Caller { tags, ..profile },
            memory_changed_ms,
        }))
    }
}

fn decode_calls(json: &str) -> Result<Vec<RecentCall>, PortError> {
    let rows: Vec<CallRow> = serde_json::from_str(json).map_err(|_| undecodable("list of calls"))?;
    let calls = rows
        .into_iter()
        .map(|CallRow(id, started_at_ms, duration_s, outcome, summary)| {
            Some(RecentCall {
                call_id: CallId(id),
                started_at_ms,
                duration_s: duration_s.parse().ok()?,
                summary,
                outcome: words::outcome(&outcome),
            })
        });
    calls.collect::<Option<_>>().ok_or_else(|| undecodable("list of calls"))
}

fn decode_lookups(json: &str) -> Result<Vec<CachedLookup>, PortError> {
    let rows: Vec<LookupRow> = serde_json::from_str(json).map_err(|_| undecodable("list of look-ups"))?;
    Ok(rows
        .into_iter()
        .map(|LookupRow(vendor, fetched_at_ms, found)| CachedLookup {
            vendor,
            fetched_at_ms,
            found: found.into(),
        })
        .collect())
}
