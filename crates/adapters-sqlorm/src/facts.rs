//! Facts in SQL: committed with their call, and told apart into what stands and what is history.
//!
//! Which facts stand, the domain's rule says; it is asked in the transaction of the call's end, while the caller is
//! locked, so that a recall only reads what the rule left standing.

use std::cmp::Reverse;

use domain::{
    call::CallId,
    caller::HistoryFact,
    error::PortError,
    facts::{self, FactKey, KnownFact, SaidFact},
};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, QueryResult};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    error::{port_error, undecodable},
    transaction::{query_all, run},
    words,
};

/// The facts of one call, as they are written.
#[derive(Debug, Clone, Default)]
pub(crate) struct FactRows(Vec<FactRow>);

#[derive(Debug, Clone, Serialize)]
struct FactRow {
    place: usize,
    key: &'static str,
    value: String,
    quote: String,
    turn: usize,
    said_at_ms: i64,
    order_ms: i64,
}

impl FactRows {
    pub(crate) fn new(said: &[SaidFact]) -> Self {
        Self::behind(0, said)
    }

    /// The rows of facts that join `count` others of their call.
    pub(crate) fn behind(count: usize, said: &[SaidFact]) -> Self {
        let row = |(place, said): (usize, &SaidFact)| FactRow {
            place: count + place,
            key: said.fact.key.as_str(),
            value: said.fact.value.clone(),
            quote: said.fact.quote.clone(),
            turn: said.fact.turn,
            said_at_ms: said.said_at_ms,
            order_ms: said.order_ms,
        };
        Self(said.iter().enumerate().map(row).collect())
    }

    /// Writes the facts of `call`, which has none at their places, and settles what stands of `caller`.
    pub(crate) async fn write(
        &self,
        transaction: &DatabaseTransaction,
        tenant: Uuid,
        call: Uuid,
        caller: Uuid,
        observed_at_ms: i64,
    ) -> Result<(), DbErr> {
        if self.0.is_empty() {
            return Ok(());
        }
        let rows = serde_json::to_string(&self.0).map_err(|error| DbErr::Json(error.to_string()))?;
        let values = [
            tenant.into(),
            call.into(),
            caller.into(),
            observed_at_ms.into(),
            rows.into(),
        ];
        let insert = match transaction.get_database_backend() {
            DbBackend::Sqlite => INSERT_SQLITE,
            _ => INSERT_POSTGRES,
        };
        run(transaction, insert, values).await?;
        settle(transaction, tenant, caller, STANDING).await
    }
}

/// The facts that `call` has; a key is `None` when this release does not know it.
pub(crate) async fn of_call(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    call: Uuid,
) -> Result<Vec<(Option<FactKey>, String)>, DbErr> {
    let rows = query_all(transaction, OF_CALL, [tenant.into(), call.into()]).await?;
    let decode = |row: &QueryResult| Ok((decode_key(row, 0)?, row.try_get_by_index(1)?));
    rows.iter().map(decode).collect()
}

fn decode_key(row: &QueryResult, index: usize) -> Result<Option<FactKey>, DbErr> {
    let key: String = row.try_get_by_index(index)?;
    Ok(words::fact_key(&key))
}

/// Takes away the facts of `call`, and lets stand again what they had superseded of `caller`.
pub(crate) async fn take_away(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    call: Uuid,
    caller: Uuid,
) -> Result<(), DbErr> {
    let taken = run(transaction, DELETE, [tenant.into(), call.into()]).await?;
    if taken.rows_affected() > 0 {
        settle(transaction, tenant, caller, EVERY).await?;
    }
    Ok(())
}

/// Applies the rule to the facts of `caller` that `candidates` selects, and notes what changed.
async fn settle(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    caller: Uuid,
    candidates: &'static str,
) -> Result<(), DbErr> {
    let rows = query_all(transaction, candidates, [tenant.into(), caller.into()]).await?;
    let decoded = rows.iter().filter_map(|row| Candidate::decode(row).transpose());
    let mut candidates = decoded.collect::<Result<Vec<_>, _>>()?;
    candidates.sort_by_key(|fact| (fact.order_ms, fact.call, fact.place));
    let standing: Vec<&Candidate> = facts::standing(&candidates, |fact| (fact.key, &fact.value));
    let stands = |candidate: &Candidate| {
        standing
            .iter()
            .any(|other| (other.call, other.place) == (candidate.call, candidate.place))
    };
    for candidate in &candidates {
        let now = stands(candidate);
        if now != candidate.stands {
            let values = [tenant.into(), candidate.call.into(), candidate.place.into(), now.into()];
            run(transaction, SET_STANDS, values).await?;
        }
    }
    Ok(())
}

/// A fact that may stand.
struct Candidate {
    order_ms: i64,
    call: Uuid,
    place: i32,
    key: FactKey,
    value: String,
    stands: bool,
}

impl Candidate {
    /// `None` for a fact that this release knows nothing of: whether it stands is left as it is.
    fn decode(row: &QueryResult) -> Result<Option<Self>, DbErr> {
        let Some(key) = decode_key(row, 3)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            order_ms: row.try_get_by_index(0)?,
            call: row.try_get_by_index(1)?,
            place: row.try_get_by_index(2)?,
            key,
            value: row.try_get_by_index(4)?,
            stands: row.try_get_by_index(5)?,
        }))
    }
}

const OF_CALL: &str = "SELECT key, value FROM facts WHERE tenant_id = $1 AND call_id = $2";

const DELETE: &str = "DELETE FROM facts WHERE tenant_id = $1 AND call_id = $2";

// A fact is written as standing, so that the facts that stand are all that a new one is compared with.
const INSERT_SQLITE: &str = "\
INSERT INTO facts (tenant_id, call_id, place, caller_id, key, value, quote, turn, said_at_ms, order_ms, observed_at_ms, stands)
SELECT $1, $2, value ->> 'place', $3, value ->> 'key', value ->> 'value', value ->> 'quote', value ->> 'turn', value ->> 'said_at_ms',
  value ->> 'order_ms', $4, true
FROM json_each($5)";

const INSERT_POSTGRES: &str = "\
INSERT INTO facts (tenant_id, call_id, place, caller_id, key, value, quote, turn, said_at_ms, order_ms, observed_at_ms, stands)
SELECT $1, $2, place, $3, key, value, quote, turn, said_at_ms, order_ms, $4, true
FROM json_to_recordset($5::json)
  AS said (place integer, key text, value text, quote text, turn integer, said_at_ms bigint, order_ms bigint)";

/// What stands of a caller.
pub(crate) const STANDING: &str = "\
SELECT order_ms, call_id, place, key, value, stands FROM facts WHERE tenant_id = $1 AND caller_id = $2 AND stands";

/// Everything a caller stated: a correction of an old call may let any of it stand again.
const EVERY: &str = "\
SELECT order_ms, call_id, place, key, value, stands FROM facts WHERE tenant_id = $1 AND caller_id = $2";

const SET_STANDS: &str = "UPDATE facts SET stands = $4 WHERE tenant_id = $1 AND call_id = $2 AND place = $3";

/// The facts of the number `$2` of the tenant `$1`, those too that no longer stand, newest first.
pub(crate) const HISTORY: &str = "\
SELECT f.key, f.value, f.quote, f.call_id, f.said_at_ms, f.observed_at_ms, f.stands
FROM facts AS f JOIN callers AS c ON c.id = f.caller_id AND c.tenant_id = f.tenant_id
WHERE c.tenant_id = $1 AND c.phone_number = $2
ORDER BY f.order_ms DESC, f.call_id DESC, f.place DESC LIMIT $3";

/// Reads a row of [`HISTORY`]; `None` for a fact that this release knows nothing of.
pub(crate) fn decode_history(row: &QueryResult) -> Result<Option<HistoryFact>, PortError> {
    let read = || {
        let Some(key) = decode_key(row, 0)? else {
            return Ok(None);
        };
        Ok(Some(HistoryFact {
            fact: KnownFact {
                key,
                value: row.try_get_by_index(1)?,
                quote: row.try_get_by_index(2)?,
                call_id: CallId(row.try_get_by_index(3)?),
                said_at_ms: row.try_get_by_index(4)?,
                observed_at_ms: row.try_get_by_index(5)?,
            },
            stands: row.try_get_by_index(6)?,
        }))
    };
    read().map_err(port_error)
}

/// A fact as a recall's statement writes it: order, call, place, key, value, quote and times.
#[derive(Deserialize)]
struct ShownRow(i64, Uuid, i32, String, String, String, i64, i64);

/// Reads the facts of a recall's row that this release knows, newest first.
pub(crate) fn decode(json: &str) -> Result<Vec<KnownFact>, PortError> {
    let mut rows: Vec<ShownRow> = serde_json::from_str(json).map_err(|_| undecodable("list of facts"))?;
    rows.sort_by_key(|row| Reverse((row.0, row.1, row.2)));
    let known = |ShownRow(_, call, _, key, value, quote, said_at_ms, observed_at_ms)| {
        Some(KnownFact {
            key: words::fact_key(&key)?,
            value,
            quote,
            call_id: CallId(call),
            said_at_ms,
            observed_at_ms,
        })
    };
    Ok(rows.into_iter().filter_map(known).collect())
}
