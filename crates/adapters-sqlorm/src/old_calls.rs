//! Committed calls for the rules to read again, and what they make of them.
//!
//! The caller is locked before the call, as where calls end. Nobody claims a call: processes that read the same one
//! again make the same of it, and the second one changes nothing.

use std::sync::Arc;

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, EndedCall, SessionId},
    context::Deadline,
    error::PortError,
    json::JsonObject,
    memory::{Arrival, CallRecord},
    phone::PhoneNumber,
    port::{OldCall, OldCalls, Settled},
    reading::{RULES, Report},
};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, FromQueryResult, Statement, Value};
use uuid::Uuid;

use crate::{
    Database,
    end::{self, MARKED, ThemesRow, kept, set_themes},
    facts,
    transaction::{Decision, read_one, run},
    transcript, words,
};

/// [`OldCalls`] in SQL.
pub struct SqlOldCalls {
    db: Database,
}

impl SqlOldCalls {
    /// The calls in `db`.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self { db: db.clone() }
    }

    async fn read(
        &self,
        during: &'static str,
        deadline: Deadline,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<OldCall>, PortError> {
        let statement = Statement::from_sql_and_values(self.db.dialect(), sql, values);
        let rows: Vec<OldCallRow> = self.db.read_all(during, deadline, statement).await?;
        Ok(rows.into_iter().map(OldCall::from).collect())
    }
}

/// Calls with their reports, as `$rest` says which.
macro_rules! old_calls {
    ($rest:literal) => {
        concat!(
            "SELECT old.tenant_id, old.id, old.session_id, c.phone_number, old.transcript, old.duration_s, \
               old.outcome, old.agent_metadata, old.received_at_ms, old.arrival, old.body_hash, t.time_zone \
             FROM calls AS old JOIN callers AS c ON c.id = old.caller_id AND c.tenant_id = old.tenant_id \
               JOIN tenants AS t ON t.id = old.tenant_id ",
            $rest
        )
    };
}

/// Calls that were read by rules before `$1`, at most `$2`.
pub(crate) const OUTDATED: &str = old_calls!("WHERE old.rules < $1 ORDER BY old.rules LIMIT $2");

/// The calls of the tenant `$1`, or of all, after the id `$2`, at most `$3`: by their ids, for which no index of the
/// tenant serves.
pub(crate) const FOLLOWING: &str =
    old_calls!("WHERE old.tenant_id = COALESCE($1, old.tenant_id) AND old.id > $2 ORDER BY old.id LIMIT $3");

/// A row of [`OUTDATED`] or [`FOLLOWING`].
#[derive(FromQueryResult)]
struct OldCallRow {
    tenant_id: Uuid,
    id: Uuid,
    session_id: String,
    phone_number: String,
    transcript: Vec<u8>,
    duration_s: f64,
    outcome: String,
    agent_metadata: Option<String>,
    received_at_ms: i64,
    arrival: i64,
    body_hash: Vec<u8>,
    time_zone: Option<String>,
}

impl From<OldCallRow> for OldCall {
    fn from(row: OldCallRow) -> Self {
        Self {
            tenant: TenantId(row.tenant_id),
            call: CallId(row.id),
            version: version(&row.body_hash, row.received_at_ms),
            report: row.report(),
        }
    }
}

impl OldCallRow {
    fn report(self) -> Option<Report> {
        Some(Report {
            call: EndedCall {
                session_id: SessionId(self.session_id),
                number: PhoneNumber::from_e164(&self.phone_number).ok()?,
                transcript: transcript::decode(&self.transcript).ok()?,
                duration_s: self.duration_s,
                outcome: words::outcome(&self.outcome),
                agent_metadata: self.agent_metadata.map(JsonObject::from_validated),
            },
            received_at_ms: self.received_at_ms,
            arrival: Arrival(self.arrival),
            time_zone: words::time_zone(self.time_zone).unwrap_or_default(),
        })
    }
}

/// A report and when it came: one that was corrected and then sent as before came later.
fn version(body_hash: &[u8], received_at_ms: i64) -> Vec<u8> {
    [body_hash, &received_at_ms.to_be_bytes()].concat()
}

const CALLER_OF: &str = "SELECT caller_id FROM calls WHERE tenant_id = $1 AND id = $2";

/// The row of [`CALLER_OF`].
#[derive(FromQueryResult)]
struct CallerOfRow {
    caller_id: Uuid,
}

/// Keeps everybody else from the caller `$2` of the tenant `$1`, and reads what they speak of.
const fn lock_caller(dialect: DbBackend) -> &'static str {
    match dialect {
        DbBackend::Postgres => "SELECT themes FROM callers WHERE tenant_id = $1 AND id = $2 FOR NO KEY UPDATE",
        // There is one writer.
        _ => "SELECT themes FROM callers WHERE tenant_id = $1 AND id = $2",
    }
}

/// The call `$2` of the tenant `$1` as it is remembered.
macro_rules! remembered {
    ($lock:literal) => {
        concat!(
            "SELECT caller_id, body_hash, received_at_ms, started_at_ms, summary, themes, no_more_calls, \
               rewrite_due_ms, rewrite_attempts \
             FROM calls WHERE tenant_id = $1 AND id = $2",
            $lock
        )
    };
}

const fn remembered(dialect: DbBackend) -> &'static str {
    match dialect {
        DbBackend::Postgres => remembered!(" FOR NO KEY UPDATE"),
        _ => remembered!(""),
    }
}

/// The row of [`remembered()`].
#[derive(FromQueryResult)]
struct RememberedRow {
    caller_id: Uuid,
    body_hash: Vec<u8>,
    received_at_ms: i64,
    started_at_ms: i64,
    summary: String,
    themes: Option<String>,
    no_more_calls: bool,
    rewrite_due_ms: Option<i64>,
    rewrite_attempts: i32,
}

impl RememberedRow {
    /// Whether the summary is a language model's.
    fn is_rewritten(&self) -> bool {
        self.rewrite_due_ms.is_none() && self.rewrite_attempts > 0
    }
}

/// A call of the caller `$2` of the tenant `$1` that has marked them.
const MARKING: &str = "SELECT id FROM calls WHERE tenant_id = $1 AND caller_id = $2 AND no_more_calls LIMIT 1";

/// The row of [`MARKING`].
#[derive(FromQueryResult)]
struct MarkingRow {
    #[expect(dead_code, reason = "it matters alone whether there is one")]
    id: Uuid,
}

const SETTLE: &str = "\
UPDATE calls SET rules = $3, summary = COALESCE($4, summary), themes = COALESCE($5, themes)
WHERE tenant_id = $1 AND id = $2";

/// What stays as it is.
const NO_TEXT: Value = Value::String(None);

/// What a model wrote about the caller is out of date. One that is writing finds that its lease is another one.
const DROP_REWRITE: &str = "\
UPDATE callers SET rewrite = NULL, rewrite_for_ms = NULL, rewrite_due_ms = rewrite_due_ms + 1
WHERE tenant_id = $1 AND id = $2 AND (rewrite IS NOT NULL OR rewrite_due_ms IS NOT NULL)";

#[async_trait]
impl OldCalls for SqlOldCalls {
    async fn outdated(&self, limit: u32, deadline: Deadline) -> Result<Vec<OldCall>, PortError> {
        let values = vec![i64::from(RULES).into(), i64::from(limit).into()];
        self.read("outdated", deadline, OUTDATED, values).await
    }

    async fn following(
        &self,
        tenant: Option<TenantId>,
        after: Option<CallId>,
        limit: u32,
        deadline: Deadline,
    ) -> Result<Vec<OldCall>, PortError> {
        let tenant = tenant.map(|tenant| tenant.0);
        let after = after.map_or_else(Uuid::nil, |call| call.0);
        let values = vec![tenant.into(), after.into(), i64::from(limit).into()];
        self.read("following", deadline, FOLLOWING, values).await
    }

    async fn settle(
        &self,
        call: &OldCall,
        reading: Option<&CallRecord>,
        deadline: Deadline,
    ) -> Result<Settled, PortError> {
        let settlement = Settlement {
            tenant: call.tenant.0,
            call: call.call.0,
            version: call.version.clone(),
            reading: reading.cloned().map(Arc::new),
        };
        self.db
            .transaction("settle old call", deadline, move |transaction| {
                let settlement = settlement.clone();
                Box::pin(async move { settlement.work(transaction).await })
            })
            .await
    }
}

/// A call that was read again, on its way into its row.
#[derive(Clone)]
struct Settlement {
    tenant: Uuid,
    call: Uuid,
    version: Vec<u8>,
    reading: Option<Arc<CallRecord>>,
}

impl Settlement {
    async fn work(self, transaction: &DatabaseTransaction) -> Result<Decision<Settled>, DbErr> {
        let dialect = transaction.get_database_backend();
        let [tenant, call] = [Value::from(self.tenant), Value::from(self.call)];
        let found: Option<CallerOfRow> = read_one(transaction, CALLER_OF, [tenant.clone(), call.clone()]).await?;
        let Some(CallerOfRow { caller_id: caller }) = found else {
            return Ok(Decision::Discard(Settled::Overtaken));
        };
        let of_caller = [tenant.clone(), caller.into()];
        let locked: Option<ThemesRow> = read_one(transaction, lock_caller(dialect), of_caller.clone()).await?;
        let row: Option<RememberedRow> =
            read_one(transaction, remembered(dialect), [tenant.clone(), call.clone()]).await?;
        let row = row.filter(|row| version(&row.body_hash, row.received_at_ms) == self.version);
        let Some(row) = row else {
            return Ok(Decision::Discard(Settled::Overtaken));
        };
        if row.caller_id != caller {
            return Ok(Decision::Again);
        }

        let Some(reading) = &self.reading else {
            let settle = [tenant, call, i64::from(RULES).into(), NO_TEXT, NO_TEXT];
            run(transaction, SETTLE, settle).await?;
            return Ok(Decision::Commit(Settled::Same));
        };
        let summary = (!row.is_rewritten() && row.summary != reading.summary).then(|| reading.summary.clone());
        let summary_changes = summary.is_some();
        let themes = reading.themes.as_str();
        let settle = [
            tenant,
            call,
            i64::from(reading.rules).into(),
            summary.into(),
            themes.into(),
        ];
        run(transaction, SETTLE, settle).await?;
        let former = kept(row.themes);
        let themes_change = former != reading.themes;
        if themes_change {
            let themes = kept(locked.and_then(|row| row.themes)).corrected(&former, &reading.themes);
            set_themes(transaction, self.tenant, caller, &themes).await?;
        }
        let said = reading.facts_since(row.started_at_ms);
        let facts_change =
            facts::reread(transaction, self.tenant, self.call, caller, &said, row.received_at_ms).await?;
        let is_marked = self.mark(transaction, caller, reading, row.no_more_calls).await?;
        if !(summary_changes || themes_change || facts_change || is_marked) {
            return Ok(Decision::Commit(Settled::Same));
        }
        run(transaction, DROP_REWRITE, of_caller).await?;
        Ok(Decision::Commit(Settled::Changed))
    }

    /// Marks the caller when the call says that they do not want to be called and none of their calls has marked them
    /// before, whose mark an operator may have taken away. Whether they were not marked.
    async fn mark(
        &self,
        transaction: &DatabaseTransaction,
        caller: Uuid,
        reading: &CallRecord,
        has_marked: bool,
    ) -> Result<bool, DbErr> {
        let Some(wish) = reading.no_more_calls.as_ref().filter(|_| !has_marked) else {
            return Ok(false);
        };
        let of_caller = [self.tenant.into(), caller.into()];
        let marking: Option<MarkingRow> = read_one(transaction, MARKING, of_caller).await?;
        let is_new = marking.is_none() && end::mark(transaction, self.tenant, caller, self.call, wish).await?;
        run(transaction, MARKED, [self.tenant.into(), self.call.into()]).await?;
        Ok(is_new)
    }
}

#[cfg(test)]
mod tests {
    use domain::port::{CallerMemory, OldCalls, Settled};
    use testkit::sample::{NOW_MS, ample, number, query, record};

    use super::SqlOldCalls;
    use crate::{
        SqlCallerMemory,
        support::{Place, execute, tenant},
    };

    #[tokio::test(flavor = "multi_thread")]
    async fn a_call_that_cannot_be_decoded_is_found_once_on_sqlite() {
        cannot_be_decoded(Place::sqlite(), "x'00'").await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_call_that_cannot_be_decoded_is_found_once_on_postgres() {
        if let Some(place) = Place::postgres().await {
            cannot_be_decoded(place, "'\\x00'").await;
        }
    }

    async fn cannot_be_decoded(place: Place, bytes: &str) {
        let database = place.migrated().await;
        let tenant = tenant(&database, "one").await;
        let (memory, old_calls) = (SqlCallerMemory::new(&database), SqlOldCalls::new(&database));
        let ended = record(&number(0), "one", NOW_MS, 1);
        memory.record_end(tenant, &ended, ample()).await.unwrap();
        assert_eq!(old_calls.outdated(10, ample()).await.unwrap(), []);
        // As a release left it that did not know of this.
        execute(&place, &[&format!("UPDATE calls SET rules = 0, transcript = {bytes}")]).await;
        let found = old_calls.outdated(10, ample()).await.unwrap();
        assert_eq!((found.len(), &found[0].report), (1, &None));
        assert_eq!(old_calls.settle(&found[0], None, ample()).await.unwrap(), Settled::Same);
        assert_eq!(old_calls.outdated(10, ample()).await.unwrap(), []);
        let shown = memory
            .recall(tenant, &query(&number(0), NOW_MS), ample())
            .await
            .unwrap();
        assert_eq!(shown.recent_calls[0].summary, ended.summary);
    }
}
