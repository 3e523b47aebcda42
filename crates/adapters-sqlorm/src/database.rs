//! One open database: the connections, the way work gets to them in time, and the way out.
//!
//! Reads go to any connection. Writes on SQLite go through a bounded queue to the one connection that writes, because a
//! transaction must not depend on whether somebody still waits for it; on PostgreSQL a transaction whose waiter has
//! gone is rolled back by dropping it.

use std::{path::PathBuf, sync::Arc, time::Instant};

use domain::{
    context::Deadline,
    error::{CannotRead, CannotWrite, DeadlineExceeded, PortError, SchemaTooOld},
    port::{OpenError, PoolState, StorageOptions},
};
use futures_util::future::BoxFuture;
use migrations::{Migrator, MigratorTrait};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, FromQueryResult, QueryResult,
    Statement, Value,
    sqlx::{postgres::PgConnectOptions, sqlite::SqliteConnectOptions},
};
use tokio::{
    sync::{Mutex, mpsc, oneshot},
    time::timeout_at,
};

use crate::{
    connect,
    contact::{self, ContactNote, Contacts},
    error::{FailureKind, failure_kind, is_forbidden, is_missing_schema, port_error},
    transaction::{Decision, TransactionFuture},
    writer::Writer,
};

/// An open database; clones share it.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    backend: Backend,
    contacts: Contacts,
    /// Held by who tries whether the database writes again.
    trial: Mutex<()>,
}

/// The two kinds of database.
pub(crate) enum Backend {
    Sqlite {
        readers: DatabaseConnection,
        writer: Writer,
        queue: mpsc::Sender<Write>,
        path: PathBuf,
    },
    Postgres {
        pool: Writer,
        options: Box<PgConnectOptions>,
    },
}

/// A write that waits for SQLite's one writing connection.
pub(crate) struct Write {
    /// When nobody waits for it any more, and it need not begin.
    until: Instant,
    work: Box<dyn FnOnce(Writer) -> BoxFuture<'static, ()> + Send>,
}

/// A trial write: a table of 64 KiB comes and goes, each in a transaction of its own, because a disk that is nearly
/// full, or pages that are free within one transaction, would have room for less.
const TRIAL_SQLITE: [&str; 2] = [
    "DROP TABLE IF EXISTS trial_write; CREATE TABLE trial_write AS SELECT zeroblob(65536) AS filler",
    "DROP TABLE IF EXISTS trial_write",
];

/// On PostgreSQL rows are written that every database has, because creating tables may not be allowed. Then everything
/// that a call needs is done to no row, so that somebody else's lock on a table and a right that was taken away show.
const TRIAL_POSTGRES: [&str; 2] = [
    "UPDATE seaql_migrations SET applied_at = applied_at",
    "INSERT INTO callers SELECT * FROM callers WHERE false; UPDATE callers SET id = id WHERE false;
     INSERT INTO calls SELECT * FROM calls WHERE false; UPDATE calls SET id = id WHERE false;
     INSERT INTO contacts SELECT * FROM contacts WHERE false; UPDATE contacts SET ended = ended WHERE false;
     INSERT INTO facts SELECT * FROM facts WHERE false; UPDATE facts SET stands = stands WHERE false;
     DELETE FROM facts WHERE false",
];

/// Reads no row of any table without which a recall or the end of a call fails.
const FIND_TABLES: &str = "\
SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM tenants WHERE false) AND NOT EXISTS (SELECT 1 FROM api_keys WHERE false)
  AND NOT EXISTS (SELECT 1 FROM callers WHERE false) AND NOT EXISTS (SELECT 1 FROM calls WHERE false)
  AND NOT EXISTS (SELECT 1 FROM contacts WHERE false) AND NOT EXISTS (SELECT 1 FROM facts WHERE false)
  AND NOT EXISTS (SELECT 1 FROM enrichment_cache WHERE false)";

/// Finds a schema step that has been applied.
const FIND_STEP: &str = "SELECT 1 FROM seaql_migrations WHERE version = $1";

/// Writes that may wait for SQLite's writing connection: about a third of a second's worth.
const WRITES_WAITING: usize = 1024;

impl Database {
    /// Connects, waiting at most 5 s: to `sqlite://PATH`, whose file and folder are created when missing, with one
    /// connection that writes beside the [`StorageOptions::connections`] that read, or to `postgres://...`, over TLS
    /// only with `sslmode=require`, `verify-ca` or `verify-full`. Migrates nothing.
    ///
    /// # Errors
    /// [`OpenError`] when the URL is wrong or the database cannot be reached.
    pub async fn open(options: StorageOptions) -> Result<Self, OpenError> {
        let StorageOptions { url, connections } = options;
        let backend = if url.starts_with("sqlite:") {
            Self::sqlite(connect::sqlite_options(&url)?, connections).await?
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            let options = connect::postgres_options(&url)?;
            let pool = Writer::pool(connect::postgres(&options, connections).await?);
            Backend::Postgres {
                pool,
                options: Box::new(options),
            }
        } else {
            return Err(OpenError::new(
                "the database URL must begin with sqlite:// or postgres://",
            ));
        };
        Ok(Self::over(backend))
    }

    pub(crate) async fn sqlite(options: SqliteConnectOptions, readers: u32) -> Result<Backend, OpenError> {
        let connect::SqliteConnections { readers, writer, path } = connect::sqlite(options, readers).await?;
        let (queue, waiting) = mpsc::channel(WRITES_WAITING);
        tokio::spawn(write_one_by_one(waiting, writer.clone()));
        Ok(Backend::Sqlite {
            readers,
            writer,
            queue,
            path,
        })
    }

    pub(crate) fn over(backend: Backend) -> Self {
        let contacts = contact::start(backend.writer().clone());
        let trial = Mutex::new(());
        Self {
            inner: Arc::new(Inner {
                backend,
                contacts,
                trial,
            }),
        }
    }

    /// Asks the database whether it has this release's newest schema step, which somebody may have undone since the
    /// start, whether its tables can be read, and, when the last write failed, whether it writes again. Steps of a
    /// newer release do not matter.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] when there is no answer by the deadline, or, with [`CannotRead`], when a table cannot
    /// be read, or, with [`CannotWrite`], when it cannot write; [`PortError::Internal`] when its file was found to be
    /// damaged since it was opened, or, with [`SchemaTooOld`], when the step is missing.
    pub async fn ping(&self, deadline: Deadline) -> Result<(), PortError> {
        let step = Migrator::migrations().last().map(|step| step.name().to_owned());
        let found = self.query_one("ping", deadline, FIND_STEP, || vec![step.clone().into()]);
        let is_up_to_date = match found.await {
            Ok(step) => step.is_some(),
            Err(PortError::Unavailable(cause)) if is_missing_schema(&cause) => false,
            Err(error) => return Err(error),
        };
        self.inner.backend.writer().check_files();
        // A migration does not mend the file, and must not be advised.
        if self.inner.backend.writer().is_damaged() {
            return Err(PortError::Internal(Box::new(Damaged)));
        }
        if !is_up_to_date {
            return Err(PortError::Internal(Box::new(SchemaTooOld)));
        }
        match self.query_one("ping", deadline, FIND_TABLES, Vec::new).await {
            Err(PortError::Unavailable(cause)) if is_missing_schema(&cause) || is_forbidden(&cause) => {
                let cause = CannotRead(PortError::Unavailable(cause));
                return Err(PortError::Unavailable(Box::new(cause)));
            }
            read => read?,
        };
        if !self.inner.backend.writer().is_in_doubt() {
            return Ok(());
        }
        // One trial tells everybody who asks.
        let Ok(_trial) = timeout_at(deadline.0.into(), self.inner.trial.lock()).await else {
            return Err(PortError::deadline("ping"));
        };
        if self.inner.backend.writer().is_in_doubt() {
            let tried = self.try_to_write(deadline).await;
            tried.map_err(|cause| PortError::Unavailable(Box::new(CannotWrite(cause))))?;
        }
        Ok(())
    }

    /// Writes as much as a call needs, and takes it away again.
    async fn try_to_write(&self, deadline: Deadline) -> Result<(), PortError> {
        let steps: &[&str] = match self.dialect() {
            DbBackend::Sqlite => &TRIAL_SQLITE,
            _ => &TRIAL_POSTGRES,
        };
        for step in steps {
            self.transaction("trial write", deadline, |transaction| {
                Box::pin(async {
                    transaction.execute_unprepared(step).await?;
                    Ok(Decision::Commit(()))
                })
            })
            .await?;
        }
        Ok(())
    }

    /// How busy the connections and queues are.
    #[must_use]
    pub fn pool(&self) -> PoolState {
        let (connections, idle, max_connections, writes_waiting) = match &self.inner.backend {
            Backend::Sqlite {
                readers, writer, queue, ..
            } => {
                let (readers, writer) = (
                    readers.get_sqlite_connection_pool(),
                    writer.connection.get_sqlite_connection_pool(),
                );
                (
                    readers.size() + writer.size(),
                    readers.num_idle() + writer.num_idle(),
                    readers.options().get_max_connections() + writer.options().get_max_connections(),
                    queue.max_capacity() - queue.capacity(),
                )
            }
            Backend::Postgres { pool, .. } => {
                let pool = pool.connection.get_postgres_connection_pool();
                (pool.size(), pool.num_idle(), pool.options().get_max_connections(), 0)
            }
        };
        PoolState {
            connections,
            idle: u32::try_from(idle).unwrap_or(u32::MAX),
            max_connections,
            writes_waiting,
            contacts_waiting: self.inner.contacts.waiting(),
            contacts_dropped: self.inner.contacts.dropped(),
        }
    }

    /// Writes the contacts that wait, then closes every connection; gives up at the deadline.
    pub async fn close(&self, deadline: Deadline) {
        let closing = async {
            self.inner.contacts.flush().await;
            match &self.inner.backend {
                Backend::Sqlite { readers, writer, .. } => {
                    readers.get_sqlite_connection_pool().close().await;
                    // The last connection that closes folds the write-ahead log into the file, so the one that may
                    // write is last.
                    writer.connection.get_sqlite_connection_pool().close().await;
                }
                Backend::Postgres { pool, .. } => pool.connection.get_postgres_connection_pool().close().await,
            }
        };
        // What is cut off here was promised to nobody: calls are committed before they are acknowledged.
        if timeout_at(deadline.0.into(), closing).await.is_err() {
            let contacts = self.inner.contacts.waiting();
            tracing::warn!(
                contacts,
                "the database could not be closed in time; contacts that waited are lost"
            );
        }
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.inner.backend
    }

    /// Which SQL the database speaks.
    pub(crate) fn dialect(&self) -> DbBackend {
        self.inner.backend.writer().connection.get_database_backend()
    }

    /// Notes a contact, to be written soon.
    pub(crate) fn note(&self, contact: ContactNote) {
        // One that finds the queue full is dropped, and counted there.
        let _ = self.inner.contacts.push(contact);
    }

    /// The first row of a read.
    pub(crate) async fn query_one(
        &self,
        during: &'static str,
        deadline: Deadline,
        sql: &'static str,
        values: impl Fn() -> Vec<Value> + Send + Sync,
    ) -> Result<Option<QueryResult>, PortError> {
        let reading = self.inner.backend.reading();
        let dialect = self.dialect();
        self.persist(during, deadline, || {
            reading.query_one_raw(Statement::from_sql_and_values(dialect, sql, values()))
        })
        .await
    }

    /// The first row of a read, as an `R`.
    pub(crate) async fn read_one<R: FromQueryResult>(
        &self,
        during: &'static str,
        deadline: Deadline,
        sql: &'static str,
        values: impl Fn() -> Vec<Value> + Send + Sync,
    ) -> Result<Option<R>, PortError> {
        let row = self.query_one(during, deadline, sql, values).await?;
        let read = row.map(|row| R::from_query_result(&row, "")).transpose();
        read.map_err(port_error)
    }

    /// Every row of a read, each as an `R`.
    pub(crate) async fn read_all<R: FromQueryResult>(
        &self,
        during: &'static str,
        deadline: Deadline,
        statement: Statement,
    ) -> Result<Vec<R>, PortError> {
        let reading = self.inner.backend.reading();
        let rows = self
            .persist(during, deadline, || reading.query_all_raw(statement.clone()))
            .await?;
        let read: Result<_, _> = rows.iter().map(|row| R::from_query_result(row, "")).collect();
        read.map_err(port_error)
    }

    /// Runs one statement that writes, in a transaction of its own; returns how many rows it changed.
    pub(crate) async fn execute(
        &self,
        during: &'static str,
        deadline: Deadline,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<u64, PortError> {
        let statement = Statement::from_sql_and_values(self.dialect(), sql, values);
        let written = match &self.inner.backend {
            Backend::Postgres { pool, .. } => self.persist(during, deadline, || pool.execute(statement.clone())).await,
            Backend::Sqlite { queue, .. } => {
                enqueue(queue, during, deadline, move |writer| {
                    Box::pin(async move { writer.execute(statement).await })
                })
                .await
            }
        };
        self.note_deadline(&written);
        written
    }

    /// Runs `work` in a transaction, again when others are in its way. It may be run more often than once, and
    /// must not matter if it is committed more often than once: a connection may break while its commit is on the way.
    pub(crate) async fn transaction<T, W>(
        &self,
        during: &'static str,
        deadline: Deadline,
        work: W,
    ) -> Result<T, PortError>
    where
        T: Send + 'static,
        W: for<'t> Fn(&'t DatabaseTransaction) -> TransactionFuture<'t, T> + Send + Sync + 'static,
    {
        let written = match &self.inner.backend {
            Backend::Postgres { pool, .. } => self.persist(during, deadline, || pool.transact(&work)).await,
            Backend::Sqlite { queue, .. } => {
                enqueue(queue, during, deadline, move |writer| {
                    Box::pin(async move { writer.transact(&work).await })
                })
                .await
            }
        };
        self.note_deadline(&written);
        written
    }

    /// Keeps in mind that a write missed its deadline: the next [`Database::ping`] tries one.
    fn note_deadline<T>(&self, written: &Result<T, PortError>) {
        if let Err(PortError::Unavailable(cause)) = written
            && cause.is::<DeadlineExceeded>()
        {
            self.inner.backend.writer().note_overdue();
        }
    }

    /// Does `work` until the deadline, and does it again at once when it fails only because its connection was gone:
    /// after a restart of the server every pooled connection is, and each is noticed when it is used.
    async fn persist<T, W>(
        &self,
        during: &'static str,
        deadline: Deadline,
        work: impl Fn() -> W + Send,
    ) -> Result<T, PortError>
    where
        W: Future<Output = Result<T, DbErr>> + Send,
        T: Send,
    {
        if deadline.left(Instant::now()).is_zero() {
            return Err(PortError::deadline(during));
        }
        let mut broken = 0;
        let persisting = async {
            loop {
                match work().await {
                    Err(error)
                        if failure_kind(&error) == FailureKind::Broken
                            && broken < self.inner.backend.max_connections() =>
                    {
                        broken += 1;
                    }
                    done => {
                        let noted = done.inspect_err(|error| self.inner.backend.writer().note_damage(error));
                        return noted.map_err(port_error);
                    }
                }
            }
        };
        timeout_at(deadline.0.into(), persisting)
            .await
            .unwrap_or_else(|_| Err(PortError::deadline(during)))
    }
}

/// Has `work` done by SQLite's writing connection, and waits for it until the deadline.
async fn enqueue<T, W>(
    queue: &mpsc::Sender<Write>,
    during: &'static str,
    deadline: Deadline,
    work: W,
) -> Result<T, PortError>
where
    T: Send + 'static,
    W: FnOnce(Writer) -> BoxFuture<'static, Result<T, DbErr>> + Send + 'static,
{
    if deadline.left(Instant::now()).is_zero() {
        return Err(PortError::deadline(during));
    }
    let (answer, answered) = oneshot::channel();
    let write = Write {
        until: deadline.0,
        work: Box::new(move |writer| {
            Box::pin(async move {
                // When nobody waits for the answer any more, the work is done all the same.
                let _ = answer.send(work(writer).await);
            })
        }),
    };
    queue.try_send(write).map_err(|refused| match refused {
        mpsc::error::TrySendError::Full(_) => QueueFailure::Full.into(),
        mpsc::error::TrySendError::Closed(_) => PortError::from(QueueFailure::Lost),
    })?;
    match timeout_at(deadline.0.into(), answered).await {
        Err(_) => Err(PortError::deadline(during)),
        Ok(Err(_)) => Err(QueueFailure::Lost.into()),
        Ok(Ok(done)) => done.map_err(port_error),
    }
}

/// The file was found to be damaged since it was opened.
#[derive(Debug, thiserror::Error)]
#[error("the database file is damaged")]
struct Damaged;

/// Why a write got no answer from the queue.
#[derive(Debug, thiserror::Error)]
enum QueueFailure {
    #[error("too many writes wait for the database")]
    Full,
    #[error("the write was lost in the queue")]
    Lost,
}

impl From<QueueFailure> for PortError {
    fn from(failure: QueueFailure) -> Self {
        Self::Unavailable(Box::new(failure))
    }
}

impl Backend {
    /// Connections for reads.
    fn reading(&self) -> &DatabaseConnection {
        match self {
            Self::Sqlite { readers, .. } => readers,
            Self::Postgres { pool, .. } => &pool.connection,
        }
    }

    /// Connections for writes.
    pub(crate) fn writer(&self) -> &Writer {
        match self {
            Self::Sqlite { writer, .. } => writer,
            Self::Postgres { pool, .. } => pool,
        }
    }

    fn max_connections(&self) -> u32 {
        match self {
            Self::Sqlite { readers, .. } => readers.get_sqlite_connection_pool().options().get_max_connections(),
            Self::Postgres { pool, .. } => pool
                .connection
                .get_postgres_connection_pool()
                .options()
                .get_max_connections(),
        }
    }
}

/// Does the writes that wait, one after the other, until every sender has gone.
async fn write_one_by_one(mut waiting: mpsc::Receiver<Write>, writer: Writer) {
    while let Some(Write { until, work }) = waiting.recv().await {
        if until > Instant::now() {
            // A task of its own: a write that panics must not take the queue with it.
            let _ = tokio::spawn(work(writer.clone())).await;
        }
    }
}
