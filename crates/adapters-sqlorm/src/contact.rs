//! Contacts: what a recall leaves behind, written after its answer has gone.
//!
//! Notes wait in a bounded queue, and one task writes what has gathered in one transaction. A note moves values forward only
//! (`last_seen_ms` to the later time, a session's start to its first recall), so neither their order nor their number
//! matters, and one that comes after the end of its call still corrects the call's start. A session is open until its call
//! ends; the call's end closes it, or finds it not noted yet, and then it is noted as ended.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::call::SessionId;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Statement};
use serde::Serialize;
use tokio::{
    sync::{mpsc, oneshot},
    time::{sleep, timeout},
};
use uuid::Uuid;

use crate::{
    error::{Kind, kind},
    session::{LOCKS, SessionKey},
    transaction::{Verdict, Working, query_all},
    writer::Writer,
};

/// Notes that may wait; a further one is dropped and counted.
const WAITING: usize = 16_384;

/// Notes that one transaction writes at most.
const BATCH: usize = 4_096;

/// The pause after each transaction: under load it lets notes gather, so that they cost one commit together.
const PAUSE: Duration = Duration::from_millis(50);

/// How often a batch is tried before it is dropped, and how long each attempt may take.
const ATTEMPTS: u32 = 8;
const ATTEMPT: Duration = Duration::from_secs(5);

/// A caller was recalled.
#[derive(Clone)]
pub(crate) struct Contact {
    pub(crate) tenant: Uuid,
    pub(crate) caller: Uuid,
    pub(crate) session: Option<SessionId>,
    pub(crate) at_ms: i64,
}

/// The notes that wait to be written.
pub(crate) struct Contacts {
    queue: mpsc::Sender<Note>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    waiting: AtomicUsize,
    dropped: AtomicU64,
}

enum Note {
    Contact(Contact),
    /// Asks for an answer when everything before it has been written.
    Flush(oneshot::Sender<()>),
}

/// Starts the task that writes contacts to `database`. It ends when the queue is dropped.
pub(crate) fn start(database: Writer) -> Contacts {
    let (queue, notes) = mpsc::channel(WAITING);
    let counts = Arc::new(Counts::default());
    tokio::spawn(write_what_gathers(notes, database, Arc::clone(&counts)));
    Contacts { queue, counts }
}

impl Contacts {
    /// Notes `contact` without waiting.
    pub(crate) fn note(&self, contact: Contact) {
        self.counts.waiting.fetch_add(1, Ordering::Relaxed);
        if self.queue.try_send(Note::Contact(contact)).is_err() {
            self.counts.give_up(1);
        }
    }

    /// Waits until what was noted before has been written or dropped.
    pub(crate) async fn flush(&self) {
        let (answer, answered) = oneshot::channel();
        if self.queue.send(Note::Flush(answer)).await.is_ok() {
            let _ = answered.await;
        }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.counts.waiting.load(Ordering::Relaxed)
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.counts.dropped.load(Ordering::Relaxed)
    }
}

impl Counts {
    fn give_up(&self, notes: usize) {
        self.waiting.fetch_sub(notes, Ordering::Relaxed);
        self.dropped.fetch_add(notes as u64, Ordering::Relaxed);
    }
}

async fn write_what_gathers(mut notes: mpsc::Receiver<Note>, database: Writer, counts: Arc<Counts>) {
    let mut gathered = Vec::with_capacity(BATCH);
    while notes.recv_many(&mut gathered, BATCH).await > 0 {
        let mut contacts = 0;
        let mut flushes = Vec::new();
        let mut batch = Batch::default();
        for note in gathered.drain(..) {
            match note {
                Note::Contact(contact) => {
                    contacts += 1;
                    batch.add(contact);
                }
                Note::Flush(answer) => flushes.push(answer),
            }
        }
        if contacts > 0 {
            match write(&database, &batch).await {
                Ok(()) => {
                    counts.waiting.fetch_sub(contacts, Ordering::Relaxed);
                }
                Err(error) => {
                    counts.give_up(contacts);
                    tracing::warn!(contacts, %error, "contacts could not be written");
                }
            }
        }
        let hurry = !flushes.is_empty();
        for answer in flushes {
            let _ = answer.send(());
        }
        if !hurry {
            sleep(PAUSE).await;
        }
    }
}

/// What several contacts amount to.
#[derive(Default)]
struct Batch {
    /// The latest contact of each caller, in the order of callers: transactions that lock several callers then mostly lock
    /// them in the same order, and seldom have to be tried again.
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
    fn add(&mut self, contact: Contact) {
        let Contact {
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

/// Writes a batch, again when the database is away for a while.
async fn write(database: &Writer, batch: &Batch) -> Result<(), DbErr> {
    let recalled = (!batch.sessions.is_empty()).then(|| batch.recalled()).transpose()?;
    let work = statements(batch.seen()?, recalled);
    let mut pause = Duration::from_millis(100);
    let mut attempt = 1;
    loop {
        let failed = match timeout(ATTEMPT, database.transact(&work)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error,
            Err(_) => DbErr::ConnectionAcquire(sea_orm::ConnAcquireErr::Timeout),
        };
        if attempt == ATTEMPTS || kind(&failed) == Kind::Refused {
            return Err(failed);
        }
        attempt += 1;
        sleep(pause).await;
        pause *= 2;
    }
}

fn statements(
    seen: String,
    recalled: Option<String>,
) -> impl for<'t> Fn(&'t DatabaseTransaction) -> Working<'t, ()> + Send + Sync {
    move |transaction| {
        let (seen, recalled) = (seen.clone(), recalled.clone());
        Box::pin(async move {
            commit(transaction, seen, recalled).await?;
            Ok(Verdict::Commit(()))
        })
    }
}

/// Writes one contact in `transaction`.
#[cfg(test)]
pub(crate) async fn write_now(transaction: &DatabaseTransaction, contact: Contact) -> Result<(), DbErr> {
    let mut batch = Batch::default();
    batch.add(contact);
    commit(transaction, batch.seen()?, Some(batch.recalled()?)).await
}

/// Locks the sessions against the ends of their calls, in the order of their locks.
pub(crate) const LOCK_POSTGRES: &str = "\
SELECT pg_advisory_xact_lock($1, lock) FROM (SELECT DISTINCT lock FROM json_to_recordset($2::json) AS recalled (lock integer) ORDER BY lock) AS locks";

/// The statements of a batch. On PostgreSQL the sessions come first, so that the end of a call waits until they are there for it
/// to see, or has ended for them to see; then the callers, as where calls end.
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
        query_all(transaction, LOCK_POSTGRES, values).await?;
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
     FROM (SELECT unhex(value ->> 'tenant') AS tenant_id, unhex(value ->> 'caller') AS caller_id, value ->> 'at_ms' AS at_ms
           FROM json_each($1)) AS seen
     WHERE callers.id = seen.caller_id AND callers.tenant_id = seen.tenant_id AND callers.last_seen_ms < seen.at_ms",
    "INSERT INTO contacts (tenant_id, session_key, session_id, caller_id, recalled_at_ms, ended)
     SELECT callers.tenant_id, unhex(value ->> 'session'), value ->> 'session_id', callers.id, value ->> 'at_ms',
       EXISTS (SELECT 1 FROM calls WHERE calls.tenant_id = callers.tenant_id AND calls.session_key = unhex(value ->> 'session'))
     FROM json_each($1) JOIN callers
       ON callers.id = unhex(value ->> 'caller') AND callers.tenant_id = unhex(value ->> 'tenant')
     WHERE true
     ON CONFLICT (tenant_id, session_key) DO UPDATE SET recalled_at_ms = excluded.recalled_at_ms
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
       EXISTS (SELECT 1 FROM calls WHERE calls.tenant_id = callers.tenant_id AND calls.session_key = decode(recalled.session, 'hex'))
     FROM json_to_recordset($1::json) AS recalled (tenant uuid, caller uuid, session text, session_id text, at_ms bigint)
     JOIN callers ON callers.id = recalled.caller AND callers.tenant_id = recalled.tenant
     ON CONFLICT (tenant_id, session_key) DO UPDATE SET recalled_at_ms = excluded.recalled_at_ms
       WHERE excluded.recalled_at_ms < contacts.recalled_at_ms",
    "UPDATE calls SET started_at_ms = contacts.recalled_at_ms
     FROM json_to_recordset($1::json) AS recalled (tenant uuid, session text)
     JOIN contacts ON contacts.tenant_id = recalled.tenant AND contacts.session_key = decode(recalled.session, 'hex')
     WHERE calls.tenant_id = contacts.tenant_id AND calls.session_key = contacts.session_key
       AND calls.started_at_ms <> contacts.recalled_at_ms",
];
