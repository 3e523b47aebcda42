//! Facts in SQL: committed with their call, and told apart into what stands and what is history.
//!
//! Which facts stand, the domain's rule says; it is asked in the transaction of the call's end, while the caller is
//! locked, so that a recall only reads what the rule left standing.

use std::{cmp::Reverse, collections::HashSet};

use domain::{
    call::CallId,
    caller::HistoryFact,
    error::PortError,
    facts::{self, Fact, FactKey, FactView, KnownFact, SaidFact},
    identity::{StatedName, Trace},
    rewrite,
};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, FromQueryResult};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    row,
    trace::change_names,
    transaction::{read_all, run},
    words,
};

/// From which place on the facts of a call are those of a language model. The rules find fewer in one call.
const BY_MODEL: usize = 1_000;

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
    agreed_when: Option<String>,
    agreed_status: Option<&'static str>,
}

impl FactRows {
    /// The rows of what the rules found.
    pub(crate) fn new(said: &[SaidFact]) -> Self {
        Self::behind(0, said)
    }

    /// The rows of what a language model found beside that.
    pub(crate) fn by_model(said: &[SaidFact]) -> Self {
        Self::behind(BY_MODEL, said)
    }

    fn behind(first: usize, said: &[SaidFact]) -> Self {
        let row = |(place, said): (usize, &SaidFact)| FactRow {
            place: first + place,
            key: said.fact.key.as_str(),
            value: said.fact.value.clone(),
            quote: said.fact.quote.clone(),
            turn: said.fact.turn,
            said_at_ms: said.said_at_ms,
            order_ms: said.order_ms,
            agreed_when: said.fact.terms.as_ref().and_then(|terms| terms.when.clone()),
            agreed_status: said.fact.terms.as_ref().map(|terms| terms.status.as_str()),
        };
        Self(said.iter().enumerate().map(row).collect())
    }

    /// The name that was stated last.
    fn stated_name(&self, call: Uuid) -> Option<StatedName> {
        let row = self.0.iter().rfind(|row| row.key == FactKey::Name.as_str())?;
        Some(StatedName {
            call_id: CallId(call),
            at_ms: row.order_ms,
            name: row.value.clone(),
        })
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
        if let Some(stated) = self.stated_name(call) {
            let state = move |trace: &mut Trace| {
                trace.state(stated);
                true
            };
            change_names(transaction, tenant, caller, state).await?;
        }
        let is_new = |row: &CandidateRow| {
            let is_place = |place| usize::try_from(row.place).is_ok_and(|other| other == place);
            row.call_id == call && self.0.iter().any(|new| is_place(new.place))
        };
        let rows: Vec<CandidateRow> = read_all(transaction, STANDING, [tenant.into(), caller.into()]).await?;
        let candidates = judged(&rows);
        let (new, stood) = candidates.iter().copied().partition(|(_, row)| is_new(row));
        match facts::standing_with(stood, new, |(key, row)| row.stated(*key), |(_, row)| row.order()) {
            Some(standing) => note(transaction, tenant, &candidates, &standing).await,
            None => settle(transaction, tenant, caller).await,
        }
    }
}

/// The facts that `call` has; a key is `None` when this release does not know it.
pub(crate) async fn of_call(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    call: Uuid,
) -> Result<Vec<(Option<FactKey>, String)>, DbErr> {
    let rows: Vec<ValueRow> = read_all(transaction, OF_CALL, [tenant.into(), call.into()]).await?;
    let facts = rows.into_iter().map(|row| (words::fact_key(&row.key), row.value));
    Ok(facts.collect())
}

/// A row of [`OF_CALL`].
#[derive(FromQueryResult)]
struct ValueRow {
    key: String,
    value: String,
}

/// Puts `said`, which the rules find in `call` now, in the place of what they found in it before; what a language model
/// found stays as far as it stands beside that. Whether anything changed.
pub(crate) async fn reread(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    call: Uuid,
    caller: Uuid,
    said: &[SaidFact],
    observed_at_ms: i64,
) -> Result<bool, DbErr> {
    let stored: Vec<StoredRow> = read_all(transaction, STORED, [tenant.into(), call.into()]).await?;
    let by_model = stored
        .iter()
        .filter(|row| usize::try_from(row.place).is_ok_and(|place| place >= BY_MODEL))
        .filter_map(StoredRow::said)
        .collect();
    let by_rules = said.iter().map(|said| (said.fact.key, said.fact.value.as_str()));
    let by_model = rewrite::beside(by_rules, by_model);
    let mut rows = FactRows::new(said);
    rows.0.extend(FactRows::by_model(&by_model).0);
    if rows.0.len() == stored.len() && rows.0.iter().zip(&stored).all(|(row, stored)| row.is_stored_as(stored)) {
        return Ok(false);
    }
    take_away(transaction, tenant, call, caller).await?;
    rows.write(transaction, tenant, call, caller, observed_at_ms).await?;
    Ok(true)
}

/// A fact of a call, as [`STORED`] reads it.
#[derive(FromQueryResult)]
struct StoredRow {
    place: i32,
    key: String,
    value: String,
    quote: String,
    turn: i32,
    said_at_ms: i64,
    order_ms: i64,
    agreed_when: Option<String>,
    agreed_status: Option<String>,
}

impl StoredRow {
    /// The fact; `None` for one that this release knows nothing of.
    fn said(&self) -> Option<SaidFact> {
        Some(SaidFact {
            fact: Fact {
                key: words::fact_key(&self.key)?,
                value: self.value.clone(),
                quote: self.quote.clone(),
                turn: usize::try_from(self.turn).ok()?,
                terms: words::terms(self.agreed_when.clone(), self.agreed_status.as_deref()),
            },
            said_at_ms: self.said_at_ms,
            order_ms: self.order_ms,
        })
    }
}

impl FactRow {
    fn is_stored_as(&self, row: &StoredRow) -> bool {
        let is = |number: usize, stored: i32| usize::try_from(stored).is_ok_and(|stored| stored == number);
        is(self.place, row.place)
            && is(self.turn, row.turn)
            && self.key == row.key
            && self.value == row.value
            && self.quote == row.quote
            && self.said_at_ms == row.said_at_ms
            && self.order_ms == row.order_ms
            && self.agreed_when == row.agreed_when
            && self.agreed_status == row.agreed_status.as_deref()
    }
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
        let forget = move |trace: &mut Trace| trace.forget(CallId(call));
        change_names(transaction, tenant, caller, forget).await?;
        settle(transaction, tenant, caller).await?;
    }
    Ok(())
}

/// Applies the rule to what stood and what was stated last of `caller`, and notes what changed.
async fn settle(transaction: &DatabaseTransaction, tenant: Uuid, caller: Uuid) -> Result<(), DbErr> {
    let most = i64::try_from(facts::LOOK_BACK).unwrap_or(i64::MAX);
    let values = [tenant.into(), caller.into(), most.into()];
    let mut rows: Vec<CandidateRow> = read_all(transaction, RECENT, values).await?;
    rows.sort_by_key(CandidateRow::order);
    let candidates = judged(&rows);
    let standing = facts::standing(candidates.iter().copied(), |(key, row)| row.stated(*key));
    note(transaction, tenant, &candidates, &standing).await
}

/// The facts that this release knows; whether any other stands is left as it is.
fn judged(rows: &[CandidateRow]) -> Vec<(FactKey, &CandidateRow)> {
    let known = rows.iter().filter_map(|row| Some((words::fact_key(&row.key)?, row)));
    known.collect()
}

/// Writes which of the candidates stand, where that changed.
async fn note(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    candidates: &[(FactKey, &CandidateRow)],
    standing: &[(FactKey, &CandidateRow)],
) -> Result<(), DbErr> {
    let standing: HashSet<(Uuid, i32)> = standing.iter().map(|(_, row)| (row.call_id, row.place)).collect();
    for (_, row) in candidates {
        let now = standing.contains(&(row.call_id, row.place));
        if now != row.stands {
            let values = [tenant.into(), row.call_id.into(), row.place.into(), now.into()];
            run(transaction, SET_STANDS, values).await?;
        }
    }
    Ok(())
}

/// A fact that may stand, as [`STANDING`] and [`RECENT`] read it.
#[derive(FromQueryResult)]
struct CandidateRow {
    order_ms: i64,
    call_id: Uuid,
    place: i32,
    key: String,
    value: String,
    stands: bool,
    agreed_when: Option<String>,
    agreed_status: Option<String>,
}

impl CandidateRow {
    fn order(&self) -> (i64, Uuid, i32) {
        (self.order_ms, self.call_id, self.place)
    }

    fn stated(&self, key: FactKey) -> FactView<'_> {
        FactView {
            key,
            value: &self.value,
            when: self.agreed_when.as_deref(),
            status: self.agreed_status.as_deref().and_then(|status| status.parse().ok()),
        }
    }
}

const OF_CALL: &str = "SELECT key, value FROM facts WHERE tenant_id = $1 AND call_id = $2";

pub(crate) const STORED: &str = "\
SELECT place, key, value, quote, turn, said_at_ms, order_ms, agreed_when, agreed_status FROM facts
WHERE tenant_id = $1 AND call_id = $2 ORDER BY place";

const DELETE: &str = "DELETE FROM facts WHERE tenant_id = $1 AND call_id = $2";

// A fact is written as standing, so that the facts that stand are all that a new one is compared with.
const INSERT_SQLITE: &str = "\
INSERT INTO facts (tenant_id, call_id, place, caller_id, key, value, quote, turn, said_at_ms, order_ms, observed_at_ms,
  stands, agreed_when, agreed_status)
SELECT $1, $2, value ->> 'place', $3, value ->> 'key', value ->> 'value', value ->> 'quote', value ->> 'turn',
  value ->> 'said_at_ms', value ->> 'order_ms', $4, true, value ->> 'agreed_when', value ->> 'agreed_status'
FROM json_each($5)";

const INSERT_POSTGRES: &str = "\
INSERT INTO facts (tenant_id, call_id, place, caller_id, key, value, quote, turn, said_at_ms, order_ms, observed_at_ms,
  stands, agreed_when, agreed_status)
SELECT $1, $2, place, $3, key, value, quote, turn, said_at_ms, order_ms, $4, true, agreed_when, agreed_status
FROM json_to_recordset($5::json)
  AS said (place integer, key text, value text, quote text, turn integer, said_at_ms bigint, order_ms bigint,
    agreed_when text, agreed_status text)";

/// The facts of a caller, as `$rest` limits them.
macro_rules! candidates {
    ($rest:literal) => {
        concat!(
            "SELECT order_ms, call_id, place, key, value, stands, agreed_when, agreed_status FROM facts ",
            "WHERE tenant_id = $1 AND caller_id = $2 ",
            $rest
        )
    };
}

/// What stands of a caller.
pub(crate) const STANDING: &str = candidates!("AND stands");

/// What stands of a caller, and the newest `$3` of what stands no more: a correction may let any of it stand again.
pub(crate) const RECENT: &str = concat!(
    candidates!("AND stands"),
    " UNION ALL SELECT * FROM (",
    candidates!("AND NOT stands ORDER BY order_ms DESC, call_id DESC, place DESC LIMIT $3"),
    ") AS superseded"
);

const SET_STANDS: &str = "UPDATE facts SET stands = $4 WHERE tenant_id = $1 AND call_id = $2 AND place = $3";

/// Facts as [`HistoryRow`] reads them, newest first, from where `$from` says.
macro_rules! history {
    ($from:literal) => {
        concat!(
            "SELECT f.key, f.value, f.quote, f.call_id, f.said_at_ms, f.observed_at_ms, f.stands, f.agreed_when, \
               f.agreed_status FROM facts AS f ",
            $from,
            " ORDER BY f.order_ms DESC, f.call_id DESC, f.place DESC"
        )
    };
}

/// The facts of the number `$2` of the tenant `$1`, those too that no longer stand, newest first; at most `$3`.
pub(crate) const HISTORY: &str = concat!(
    history!(
        "JOIN callers AS c ON c.id = f.caller_id AND c.tenant_id = f.tenant_id \
         WHERE c.tenant_id = $1 AND c.phone_number = $2"
    ),
    " LIMIT $3"
);

/// The facts of the caller `$2` that stand, newest first.
const SHOWN: &str = history!("WHERE f.tenant_id = $1 AND f.caller_id = $2 AND f.stands");

/// The facts of `caller` that stand and that this release knows, newest first.
pub(crate) async fn shown(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    caller: Uuid,
) -> Result<Vec<KnownFact>, DbErr> {
    let rows: Vec<HistoryRow> = read_all(transaction, SHOWN, [tenant.into(), caller.into()]).await?;
    let known = rows.into_iter().filter_map(HistoryRow::known);
    Ok(known.map(|known| known.fact).collect())
}

/// A row of [`HISTORY`] or [`SHOWN`].
#[derive(FromQueryResult)]
pub(crate) struct HistoryRow {
    key: String,
    value: String,
    quote: String,
    call_id: Uuid,
    said_at_ms: i64,
    observed_at_ms: i64,
    stands: bool,
    agreed_when: Option<String>,
    agreed_status: Option<String>,
}

impl HistoryRow {
    /// The fact; `None` for one that this release knows nothing of.
    pub(crate) fn known(self) -> Option<HistoryFact> {
        Some(HistoryFact {
            fact: KnownFact {
                key: words::fact_key(&self.key)?,
                value: self.value,
                quote: self.quote,
                call_id: Some(CallId(self.call_id)),
                said_at_ms: self.said_at_ms,
                observed_at_ms: self.observed_at_ms,
                terms: words::terms(self.agreed_when, self.agreed_status.as_deref()),
            },
            stands: self.stands,
        })
    }
}

/// A fact as a recall's statement writes it: order, call, place, key, value, quote, times, and an agreement's terms.
#[derive(Deserialize)]
struct FactEntry(
    i64,
    Uuid,
    i32,
    String,
    String,
    String,
    i64,
    i64,
    Option<String>,
    Option<String>,
);

/// Reads the facts of a recall's row that this release knows, newest first.
pub(crate) fn decode(json: &str) -> Result<Vec<KnownFact>, PortError> {
    let mut rows: Vec<FactEntry> = row::entries(json, "fact")?;
    rows.sort_by_key(|row| Reverse((row.0, row.1, row.2)));
    let known = |FactEntry(_, call, _, key, value, quote, said_at_ms, observed_at_ms, when, status)| {
        Some(KnownFact {
            key: words::fact_key(&key)?,
            value,
            quote,
            call_id: Some(CallId(call)),
            said_at_ms,
            observed_at_ms,
            terms: words::terms(when, status.as_deref()),
        })
    };
    Ok(rows.into_iter().filter_map(known).collect())
}
