//! Contacts: what a recall leaves behind, written after its answer has gone.
//!
//! Notes wait in a bounded queue, and one task writes what has gathered in one transaction. A note moves values forward
//! only (`last_seen_ms` to the later time, a session's start to its first recall), so neither their order nor their
//! number matters, and one that comes after the end of its call still corrects the call's start. A session is open
//! until its call ends; the call's end closes it, or finds it not noted yet, and then it is noted as ended.

use std::collections::{BTreeMap, HashMap};

use domain::call::SessionId;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Statement};
use serde::Serialize;
use uuid::Uuid;
use write_behind::{End, Options, Sink, WriteBehind};

use crate::{
    error::{FailureKind, failure_kind},
    session::{LOCKS, SessionKey},
    transaction::{self, Decision, TransactionFuture},
    writer::Writer,
};

/// A caller was recalled.
#[derive(Clone)]
pub(crate) struct ContactNote {
    pub(crate) tenant: Uuid,
    pub(crate) caller: Uuid,
    pub(crate) session: Option<SessionId>,
    pub(crate) at_ms: i64,
}

/// The contacts that wait to be written.
pub(crate) type Contacts = WriteBehind<ContactSink>;

/// Starts the task that writes contacts to `database`.
pub(crate) fn start(database: Writer) -> Contacts {
    WriteBehind::start(ContactSink(database), Options::default())
}

/// The database, as what contacts are written to.
pub(crate) struct ContactSink(Writer);

impl Sink for ContactSink {
    type Item = ContactNote;
    type Error = DbErr;

    fn bytes(contact: &ContactNote) -> usize {
        size_of::<ContactNote>() + contact.session.as_ref().map_or(0, |session| session.0.len())
    }

    async fn write(&self, contacts: &[ContactNote]) -> Result<(), DbErr> {
        let mut batch = Batch::default();
        for contact in contacts {
            batch.add(contact.clone());
        }
        let recalled = (!batch.sessions.is_empty()).then(|| batch.recalled()).transpose()?;
        self.0.transact(&statements(batch.seen()?, recalled)).await
    }

    fn is_passing(error: &DbErr) -> bool {
        !matches!(failure_kind(error), FailureKind::Refused | FailureKind::Damaged)
    }

    fn left(&self, contacts: usize, end: End<DbErr>) {
        match end {
            End::Written => {}
            End::Failed(error) => tracing::warn!(contacts, %error, "contacts could not be written"),
            End::TimedOut => tracing::warn!(contacts, "contacts could not be written in time"),
        }
    }
}

/// What several contacts amount to.
#[derive(Default)]
struct Batch {
    /// The latest contact of each caller, in the order of callers: transactions that lock several callers then mostly
    /// lock them in the same order, and seldom have to be tried again.
    callers: BTreeMap<(Uuid, Uuid), i64>,
    /// Each session's first recall, and whom it recalled.
    sessions: HashMap<(Uuid, SessionId), (i64, Uuid)>,
}

/// A caller's latest contact as the statements read it; the times are milliseconds since the epoch.
#[derive(Serialize)]
struct SeenRow {
    tenant: String,
    caller: String,
    at_ms: i64,
}

/// A session's first recall as the statements read it.
#[derive(Serialize)]
struct SessionRow {
    tenant: String,
    caller: String,
    session: String,
    lock: i32,
    session_id: String,
    at_ms: i64,
}

impl Batch {
    fn add(&mut self, contact: ContactNote) {
        let ContactNote {
            tenant,
            caller,
            session,
            at_ms,
        } = contact;
        let seen = self.callers.entry((caller, tenant)).or_insert(at_ms);
        *seen = at_ms.max(*seen);
        if let Some(session) = session {
            let first = self.sessions.entry((tenant, session)).or_insert((at_ms, caller));
            *first = (at_ms, caller).min(*first);
        }
    }

    /// The latest contacts as a JSON array.
    fn seen(&self) -> Result<String, DbErr> {
        let rows = self.callers.iter().map(|((caller, tenant), at_ms)| SeenRow {
            tenant: tenant.simple().to_string(),
            caller: caller.simple().to_string(),
            at_ms: *at_ms,
        });
        to_json(&rows.collect::<Vec<_>>())
    }

    /// The first recalls as a JSON array.
    fn recalled(&self) -> Result<String, DbErr> {
        let rows = self.sessions.iter().map(|((tenant, session), (at_ms, caller))| {
            let key = SessionKey::of(session);
            SessionRow {
                tenant: tenant.simple().to_string(),
                caller: caller.simple().to_string(),
                session: key.to_hex(),
                lock: key.lock(),
                session_id: session.0.clone(),
                at_ms: *at_ms,
            }
        });
        to_json(&rows.collect::<Vec<_>>())
    }
}

fn to_json<R: Serialize>(rows: &[R]) -> Result<String, DbErr> {
    serde_json::to_string(rows).map_err(|error| DbErr::Json(error.to_string()))
}

fn statements(
    seen: String,
    recalled: Option<String>,
) -> impl for<'t> Fn(&'t DatabaseTransaction) -> TransactionFuture<'t, ()> + Send + Sync {
    move |transaction| {
        let (seen, recalled) = (seen.clone(), recalled.clone());
        Box::pin(async move {
            commit(transaction, seen, recalled).await?;
            Ok(Decision::Commit(()))
        })
    }
}

/// Writes one contact in `transaction`.
#[cfg(test)]
pub(crate) async fn write_now(transaction: &DatabaseTransaction, contact: ContactNote) -> Result<(), DbErr> {
    let mut batch = Batch::default();
    batch.add(contact);
    commit(transaction, batch.seen()?, Some(batch.recalled()?)).await
}

/// Locks the sessions against the ends of their calls, in the order of their locks.
pub(crate) const LOCK_POSTGRES: &str = "\
SELECT pg_advisory_xact_lock($1, lock)
FROM (SELECT DISTINCT lock FROM json_to_recordset($2::json) AS recalled (lock integer) ORDER BY lock) AS locks";

/// The statements of a batch. On PostgreSQL the sessions come first, so that the end of a call waits until they are
/// there for it to see, or has ended for them to see; then the callers, as where calls end.
async fn commit(transaction: &DatabaseTransaction, seen: String, recalled: Option<String>) -> Result<(), DbErr> {
    let dialect = transaction.get_database_backend();
    let [touch, remember, correct] = match dialect {
        DbBackend::Sqlite => SQLITE,
        _ => POSTGRES,
    };
    let run = |sql: &'static str, rows: String| {
        transaction.execute_raw(Statement::from_sql_and_values(dialect, sql, [rows.into()]))
    };
    if let Some(recalled) = recalled.clone().filter(|_| dialect == DbBackend::Postgres) {
        let values = [LOCKS.into(), recalled.into()];
        transaction::run(transaction, LOCK_POSTGRES, values).await?;
    }
    run(touch, seen).await?;
    if let Some(recalled) = recalled {
        run(remember, recalled.clone()).await?;
        run(correct, recalled).await?;
    }
    Ok(())
}

pub(crate) const SQLITE: [&str; 3] = [
    "UPDATE callers SET last_seen_ms = seen.at_ms
     FROM (SELECT unhex(value ->> 'tenant') AS tenant_id, unhex(value ->> 'caller') AS caller_id,
             value ->> 'at_ms' AS at_ms
           FROM json_each($1)) AS seen
     WHERE callers.id = seen.caller_id AND callers.tenant_id = seen.tenant_id AND callers.last_seen_ms < seen.at_ms",
    "INSERT INTO contacts (tenant_id, session_key, session_id, caller_id, recalled_at_ms, ended)
     SELECT callers.tenant_id, unhex(value ->> 'session'), value ->> 'session_id', callers.id, value ->> 'at_ms',
       EXISTS (SELECT 1 FROM calls
               WHERE calls.tenant_id = callers.tenant_id AND calls.session_key = unhex(value ->> 'session'))
     FROM json_each($1) JOIN callers
       ON callers.id = unhex(value ->> 'caller') AND callers.tenant_id = unhex(value ->> 'tenant')
     WHERE true
     ON CONFLICT (tenant_id, session_key) DO UPDATE
       SET recalled_at_ms = excluded.recalled_at_ms, caller_id = excluded.caller_id
       WHERE excluded.recalled_at_ms < contacts.recalled_at_ms",
    "UPDATE calls SET started_at_ms = contacts.recalled_at_ms
     FROM json_each($1) JOIN contacts
       ON contacts.tenant_id = unhex(value ->> 'tenant') AND contacts.session_key = unhex(value ->> 'session')
     WHERE calls.tenant_id = contacts.tenant_id AND calls.session_key = contacts.session_key
       AND calls.started_at_ms <> contacts.recalled_at_ms",
];

pub(crate) const POSTGRES: [&str; 3] = [
    "UPDATE callers SET last_seen_ms = GREATEST(callers.last_seen_ms, seen.at_ms)
     FROM json_to_recordset($1::json) AS seen (tenant uuid, caller uuid, at_ms bigint)
     WHERE callers.id = seen.caller AND callers.tenant_id = seen.tenant",
    "INSERT INTO contacts (tenant_id, session_key, session_id, caller_id, recalled_at_ms, ended)
     SELECT callers.tenant_id, decode(recalled.session, 'hex'), recalled.session_id, callers.id, recalled.at_ms,
       EXISTS (SELECT 1 FROM calls
               WHERE calls.tenant_id = callers.tenant_id AND calls.session_key = decode(recalled.session, 'hex'))
     FROM json_to_recordset($1::json)
       AS recalled (tenant uuid, caller uuid, session text, session_id text, at_ms bigint)
     JOIN callers ON callers.id = recalled.caller AND callers.tenant_id = recalled.tenant
     ON CONFLICT (tenant_id, session_key) DO UPDATE
       SET recalled_at_ms = excluded.recalled_at_ms, caller_id = excluded.caller_id
       WHERE excluded.recalled_at_ms < contacts.recalled_at_ms",
    "UPDATE calls SET started_at_ms = contacts.recalled_at_ms
     FROM json_to_recordset($1::json) AS recalled (tenant uuid, session text)
     JOIN contacts ON contacts.tenant_id = recalled.tenant AND contacts.session_key = decode(recalled.session, 'hex')
     WHERE calls.tenant_id = contacts.tenant_id AND calls.session_key = contacts.session_key
       AND calls.started_at_ms <> contacts.recalled_at_ms",
];
