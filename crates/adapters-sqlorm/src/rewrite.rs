//! What lacks a rewrite, derived from the rows themselves: a call from its commit on, a caller when a call of theirs
//! was settled.
//!
//! The sweep for work goes over all tenants, because one worker serves them all; every other statement names its
//! tenant. On PostgreSQL a claim skips what other transactions hold, so that replicas share the work without waiting;
//! on SQLite there is one writer. Callers are locked before calls, as where calls end.

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, RecentCall, Turn},
    context::Deadline,
    correction::corrected,
    error::PortError,
    facts::{Fact, KnownFact, SaidFact},
    port::{
        Claim, Day, RequestId, Subject, SummaryBacklog,
        rewrite::{ATTEMPTS, WORTH_MS},
    },
    rewrite::{self, Rewrite},
};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, FromQueryResult, Value};
use uuid::Uuid;

use crate::{
    Database, correction,
    facts::{self, FactRows},
    row::{CallRow, recent_calls},
    transaction::{Decision, read_all, read_one, run},
    transcript,
};

/// [`SummaryBacklog`] in SQL.
pub struct SqlSummaryBacklog {
    db: Database,
}

impl SqlSummaryBacklog {
    /// The backlog of the calls and callers in `db`.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self { db: db.clone() }
    }
}

/// The caller that has been due for longest at `$1`, unless due before `$2` or without attempts left (`$3`).
macro_rules! due_caller {
    ($lock:literal) => {
        concat!(
            "SELECT tenant_id, id, rewrite_attempts, memory_changed_ms, total_calls, corrections FROM callers \
             WHERE rewrite_due_ms <= $1 AND rewrite_due_ms >= $2 AND memory_changed_ms >= $2 AND rewrite_attempts < $3 \
             ORDER BY rewrite_due_ms LIMIT 1",
            $lock
        )
    };
}

/// The call, in the same way.
macro_rules! due_call {
    ($lock:literal) => {
        concat!(
            "SELECT tenant_id, id, rewrite_attempts, body_hash, transcript FROM calls \
             WHERE rewrite_due_ms <= $1 AND rewrite_due_ms >= $2 AND received_at_ms >= $2 AND rewrite_attempts < $3 \
             ORDER BY rewrite_due_ms LIMIT 1",
            $lock
        )
    };
}

pub(crate) const fn due_caller(dialect: DbBackend) -> &'static str {
    match dialect {
        DbBackend::Postgres => due_caller!(" FOR NO KEY UPDATE SKIP LOCKED"),
        _ => due_caller!(""),
    }
}

pub(crate) const fn due_call(dialect: DbBackend) -> &'static str {
    match dialect {
        DbBackend::Postgres => due_call!(" FOR NO KEY UPDATE SKIP LOCKED"),
        _ => due_call!(""),
    }
}

const LATEST_CALLS: &str = recent_calls!("$2");

const LEASE_CALLER: &str = "\
UPDATE callers SET rewrite_due_ms = $3, rewrite_attempts = rewrite_attempts + 1 WHERE tenant_id = $1 AND id = $2";

const LEASE_CALL: &str = "\
UPDATE calls SET rewrite_due_ms = $3, rewrite_attempts = rewrite_attempts + 1 WHERE tenant_id = $1 AND id = $2";

/// A correction may have moved the call to another caller since it was claimed, so the caller is looked up.
const CALLER_IS_DUE: &str = "\
UPDATE callers SET rewrite_due_ms = $3, rewrite_attempts = 0
WHERE tenant_id = $1 AND id = (SELECT caller_id FROM calls WHERE tenant_id = $1 AND id = $2)";

/// The attempts that it took mark a summary as the model's.
const SETTLE_CALL: &str = "\
UPDATE calls SET summary = COALESCE($5, summary), rewrite_due_ms = NULL,
  rewrite_attempts = CASE WHEN $5 IS NULL THEN 0 ELSE rewrite_attempts END
WHERE tenant_id = $1 AND id = $2 AND rewrite_due_ms = $3 AND body_hash = $4";

const SETTLE_CALLER: &str = "\
UPDATE callers SET rewrite = COALESCE($5, rewrite),
  rewrite_for_ms = CASE WHEN $5 IS NULL THEN rewrite_for_ms ELSE memory_changed_ms END, rewrite_due_ms = NULL
WHERE tenant_id = $1 AND id = $2 AND rewrite_due_ms = $3 AND memory_changed_ms = $4";

const PUT_BACK_CALL: &str = "\
UPDATE calls SET rewrite_due_ms = $5, rewrite_attempts = $6
WHERE tenant_id = $1 AND id = $2 AND rewrite_due_ms = $3 AND body_hash = $4";

const PUT_BACK_CALLER: &str = "\
UPDATE callers SET rewrite_due_ms = $5, rewrite_attempts = $6
WHERE tenant_id = $1 AND id = $2 AND rewrite_due_ms = $3 AND memory_changed_ms = $4";

/// Remembers that a request is let through; changes no row when it was before.
const REMEMBER: &str = "\
INSERT INTO rewrite_reservations (tenant_id, day, request_id) VALUES ($1, $2, $3)
ON CONFLICT (tenant_id, day, request_id) DO NOTHING";

/// Forgets the requests of days before `$2`.
const FORGET: &str = "DELETE FROM rewrite_reservations WHERE tenant_id = $1 AND day < $2";

/// Counts one request unless it would go above the cap; changes no row then.
const COUNT: &str = "\
INSERT INTO rewrite_requests (tenant_id, day, requests) SELECT $1, $2, 1 WHERE $3 > 0
ON CONFLICT (tenant_id, day) DO UPDATE SET requests = rewrite_requests.requests + 1
  WHERE rewrite_requests.requests < $3";

const CALL_OF_FACTS: &str = "\
SELECT caller_id, started_at_ms, received_at_ms FROM calls WHERE tenant_id = $1 AND id = $2";

/// The row of [`CALL_OF_FACTS`].
#[derive(FromQueryResult)]
struct CallOfFactsRow {
    caller_id: Uuid,
    started_at_ms: i64,
    received_at_ms: i64,
}

/// A caller that is due.
#[derive(FromQueryResult)]
struct DueCallerRow {
    tenant_id: Uuid,
    id: Uuid,
    rewrite_attempts: i32,
    memory_changed_ms: i64,
    total_calls: i64,
    corrections: String,
}

/// A call that is due.
#[derive(FromQueryResult)]
struct DueCallRow {
    tenant_id: Uuid,
    id: Uuid,
    rewrite_attempts: i32,
    body_hash: Vec<u8>,
    transcript: Vec<u8>,
}

/// What was leased, before its text is decoded.
enum LeasedWork {
    Call(DueCallRow),
    Caller(DueCallerRow, Vec<RecentCall>, Vec<KnownFact>),
}

#[async_trait]
impl SummaryBacklog for SqlSummaryBacklog {
    async fn claim(&self, now_ms: i64, leased_until_ms: i64, deadline: Deadline) -> Result<Option<Claim>, PortError> {
        let leased = self
            .db
            .transaction("claim", deadline, move |transaction| {
                Box::pin(async move {
                    let leased = match lease_caller(transaction, now_ms, leased_until_ms).await? {
                        Some(caller) => Some(caller),
                        None => lease_call(transaction, now_ms, leased_until_ms).await?,
                    };
                    Ok(if leased.is_some() {
                        Decision::Commit(leased)
                    } else {
                        Decision::Discard(None)
                    })
                })
            })
            .await?;
        leased.map(|leased| leased.decode(leased_until_ms)).transpose()
    }

    async fn reserve(
        &self,
        tenant: TenantId,
        day: Day,
        request: RequestId,
        cap: u32,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        self.db
            .transaction("reserve", deadline, move |transaction| {
                Box::pin(async move {
                    let remember = [tenant.0.into(), day.0.into(), request.0.into()];
                    if run(transaction, REMEMBER, remember).await?.rows_affected() == 0 {
                        return Ok(Decision::Discard(true));
                    }
                    let count = [tenant.0.into(), day.0.into(), i64::from(cap).into()];
                    if run(transaction, COUNT, count).await?.rows_affected() == 0 {
                        return Ok(Decision::Discard(false));
                    }
                    // The day before is kept for requests that began in it.
                    let forget = [tenant.0.into(), day.0.saturating_sub(1).into()];
                    run(transaction, FORGET, forget).await?;
                    Ok(Decision::Commit(true))
                })
            })
            .await
    }

    async fn settle(
        &self,
        claim: &Claim,
        rewrite: Option<Rewrite>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        let found = match (&claim.subject, &rewrite) {
            (Subject::Call { transcript, .. }, Some(rewrite)) => located(&rewrite.facts, transcript),
            _ => Vec::new(),
        };
        let claim = Handle::of(claim)?;
        let summary = rewrite.map(|rewrite| rewrite.summary);
        self.db
            .transaction("settle", deadline, move |transaction| {
                let (claim, summary, found) = (claim.clone(), summary.clone(), found.clone());
                Box::pin(async move {
                    if claim.is_call {
                        let due = [claim.tenant.into(), claim.id.into(), now_ms.into()];
                        run(transaction, CALLER_IS_DUE, due).await?;
                    }
                    let [tenant, id, lease, version] = claim.values();
                    let settle = if claim.is_call { SETTLE_CALL } else { SETTLE_CALLER };
                    let settled = run(transaction, settle, [tenant, id, lease, version, summary.into()]).await?;
                    if settled.rows_affected() == 0 {
                        return Ok(Decision::Discard(false));
                    }
                    add_facts(transaction, &claim, found).await?;
                    Ok(Decision::Commit(true))
                })
            })
            .await
    }

    async fn put_back(&self, claim: &Claim, due_ms: i64, counts: bool, deadline: Deadline) -> Result<(), PortError> {
        let attempts = i64::from(claim.attempt) - i64::from(!counts);
        let claim = Handle::of(claim)?;
        let put_back = if claim.is_call { PUT_BACK_CALL } else { PUT_BACK_CALLER };
        let mut values = Vec::from(claim.values());
        values.extend([due_ms.into(), attempts.into()]);
        self.db
            .execute("put_back", deadline, put_back, values)
            .await
            .map(|_| ())
    }
}

/// Facts with the turns in which they were said.
fn located(found: &[Fact], transcript: &[Turn]) -> Vec<(Fact, Turn)> {
    let located = found
        .iter()
        .filter_map(|fact| Some((fact.clone(), transcript.get(fact.turn)?.clone())));
    located.collect()
}

/// Adds what the rules did not find to the facts of the call. The caller is locked.
async fn add_facts(transaction: &DatabaseTransaction, claim: &Handle, found: Vec<(Fact, Turn)>) -> Result<(), DbErr> {
    if found.is_empty() {
        return Ok(());
    }
    let of_call = [claim.tenant.into(), claim.id.into()];
    let call: Option<CallOfFactsRow> = read_one(transaction, CALL_OF_FACTS, of_call).await?;
    let call = call.ok_or(DbErr::RecordNotUpdated)?;
    let stored = facts::of_call(transaction, claim.tenant, claim.id).await?;
    let said: Vec<SaidFact> = found
        .into_iter()
        .map(|(fact, turn)| SaidFact::new(fact, &turn, call.started_at_ms, call.received_at_ms))
        .collect();
    let known = stored.iter().filter_map(|(key, value)| Some(((*key)?, value.as_str())));
    let new = rewrite::beside(known, said);
    FactRows::by_model(&new)
        .write(transaction, claim.tenant, claim.id, call.caller_id, call.received_at_ms)
        .await
}

/// A claim as the statements take it.
#[derive(Clone)]
struct Handle {
    tenant: Uuid,
    id: Uuid,
    is_call: bool,
    leased_until_ms: i64,
    version: Value,
}

impl Handle {
    fn of(claim: &Claim) -> Result<Self, PortError> {
        let (id, is_call, version) = match &claim.subject {
            Subject::Call { call, .. } => (call.0, true, claim.version.clone().into()),
            Subject::Caller { caller, .. } => {
                let version = <[u8; 8]>::try_from(claim.version.as_slice());
                let version = version.map_err(|error| PortError::Internal(Box::new(error)))?;
                (*caller, false, i64::from_be_bytes(version).into())
            }
        };
        Ok(Self {
            tenant: claim.tenant.0,
            id,
            is_call,
            leased_until_ms: claim.leased_until_ms,
            version,
        })
    }

    fn values(&self) -> [Value; 4] {
        [
            self.tenant.into(),
            self.id.into(),
            self.leased_until_ms.into(),
            self.version.clone(),
        ]
    }
}

impl LeasedWork {
    fn decode(self, leased_until_ms: i64) -> Result<Claim, PortError> {
        let (tenant, attempts, version, subject) = match self {
            Self::Call(row) => {
                let transcript = transcript::decode(&row.transcript)?;
                let call = CallId(row.id);
                let subject = Subject::Call { call, transcript };
                (row.tenant_id, row.rewrite_attempts, row.body_hash, subject)
            }
            Self::Caller(row, recent_calls, heard) => {
                let subject = Subject::Caller {
                    caller: row.id,
                    total_calls: u64::try_from(row.total_calls).unwrap_or_default(),
                    recent_calls,
                    facts: corrected(heard, &correction::shown(&row.corrections)),
                };
                let version = row.memory_changed_ms.to_be_bytes().to_vec();
                (row.tenant_id, row.rewrite_attempts, version, subject)
            }
        };
        Ok(Claim {
            tenant: TenantId(tenant),
            subject,
            version,
            attempt: u32::try_from(attempts).unwrap_or_default() + 1,
            leased_until_ms,
        })
    }
}

async fn lease_caller(
    transaction: &DatabaseTransaction,
    now_ms: i64,
    leased_until_ms: i64,
) -> Result<Option<LeasedWork>, DbErr> {
    let due = due_caller(transaction.get_database_backend());
    let Some(row) = read_one::<DueCallerRow, _>(transaction, due, due_at(now_ms)).await? else {
        return Ok(None);
    };
    let lease = [row.tenant_id.into(), row.id.into(), leased_until_ms.into()];
    run(transaction, LEASE_CALLER, lease).await?;
    let calls: Vec<CallRow> = read_all(transaction, LATEST_CALLS, [row.tenant_id.into(), row.id.into()]).await?;
    let calls = calls.into_iter().map(RecentCall::from).collect();
    let facts = facts::shown(transaction, row.tenant_id, row.id).await?;
    Ok(Some(LeasedWork::Caller(row, calls, facts)))
}

async fn lease_call(
    transaction: &DatabaseTransaction,
    now_ms: i64,
    leased_until_ms: i64,
) -> Result<Option<LeasedWork>, DbErr> {
    let due = due_call(transaction.get_database_backend());
    let Some(row) = read_one::<DueCallRow, _>(transaction, due, due_at(now_ms)).await? else {
        return Ok(None);
    };
    let lease = [row.tenant_id.into(), row.id.into(), leased_until_ms.into()];
    run(transaction, LEASE_CALL, lease).await?;
    Ok(Some(LeasedWork::Call(row)))
}

/// The parameters of [`due_caller()`] and [`due_call()`].
fn due_at(now_ms: i64) -> [Value; 3] {
    [
        now_ms.into(),
        now_ms.saturating_sub(WORTH_MS).into(),
        i64::from(ATTEMPTS).into(),
    ]
}
