//! The connections that write: whether what was done on them is on disk, and whether writes work at all.
//!
//! SQLite has one of them, which is used by one piece of work at a time. Unless that work ends as it should, the
//! connection is closed and opened anew before it is used again, and a commit counts only when SQLite itself committed
//! something.

use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, RuntimeErr,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};
use tokio::sync::{Mutex, MutexGuard, Semaphore};

use crate::{
    error::{FailureKind, failure_kind},
    transaction::{Decision, TransactionFuture},
};

/// What is said of files that were removed or replaced.
const FILES_GONE: &str =
    "the database's files were removed or replaced while the service ran; stop it and restore them";

/// How often a transaction is tried when others are in its way.
const ATTEMPTS: usize = 8;

/// Transactions that may be about to begin on PostgreSQL; each goes on when its waiter has gone.
const BEGINNING: usize = 1024;

/// Connections that may write; clones share them.
#[derive(Clone)]
pub(crate) struct Writer {
    pub(crate) connection: DatabaseConnection,
    /// SQLite's one connection; `None` on PostgreSQL.
    single: Option<Arc<SingleConnection>>,
    beginning: Arc<Semaphore>,
    failing: Arc<AtomicBool>,
    overdue: Arc<AtomicBool>,
    damaged: Arc<AtomicBool>,
}

/// What is known of the one connection that writes to SQLite.
pub(crate) struct SingleConnection {
    /// Held by who uses the connection.
    in_use: Mutex<()>,
    /// Whether something went wrong on it since it was opened.
    spoiled: AtomicBool,
    /// Transactions that SQLite committed on it.
    commits: AtomicU64,
    files: DatabaseFiles,
}

/// The database's file and its write-ahead log, by which they are known again. SQLite goes on writing to files that
/// were removed or replaced under it, and nobody finds there what it says is committed.
struct DatabaseFiles {
    paths: [PathBuf; 2],
    /// Device and inode of each; `None` for what has not been there yet.
    opened: std::sync::Mutex<[Option<(u64, u64)>; 2]>,
}

impl DatabaseFiles {
    fn of(path: &Path) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        Self {
            paths: [path.to_owned(), log.into()],
            opened: std::sync::Mutex::default(),
        }
    }

    fn now(&self) -> [Option<(u64, u64)>; 2] {
        self.paths.each_ref().map(|path| {
            let file = std::fs::metadata(path).ok()?;
            Some((file.dev(), file.ino()))
        })
    }

    /// Whether the files are still those that were opened first: readers keep them open. One that came into being since
    /// is noted.
    fn are_in_place(&self) -> bool {
        let now = self.now();
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let same = opened
            .iter()
            .zip(now)
            .all(|(opened, now)| opened.is_none() || *opened == now);
        for (opened, now) in opened.iter_mut().zip(now) {
            *opened = opened.or(now);
        }
        same
    }
}

impl SingleConnection {
    /// The connection to the database at `path`.
    pub(crate) fn of(path: &Path) -> Self {
        Self {
            in_use: Mutex::default(),
            spoiled: AtomicBool::default(),
            commits: AtomicU64::default(),
            files: DatabaseFiles::of(path),
        }
    }

    /// SQLite is about to commit a transaction, with everything in it.
    pub(crate) fn committing(&self) {
        self.commits.fetch_add(1, Ordering::SeqCst);
    }

    /// The connection is a new one.
    pub(crate) fn opened(&self) {
        self.files.are_in_place();
        self.spoiled.store(false, Ordering::SeqCst);
    }

    /// Whether the connection must be closed.
    pub(crate) fn is_spoiled(&self) -> bool {
        self.spoiled.load(Ordering::SeqCst)
    }
}

/// The right to use the connection. Unless it is given back, an error, a panic or a cancellation came in between, and
/// the connection is not used again.
struct WriterGuard<'w> {
    connection: &'w SingleConnection,
    commits_before: u64,
    given_back: bool,
    _held: MutexGuard<'w, ()>,
}

impl WriterGuard<'_> {
    /// What was written is on disk, or this is an error: some drivers say so of what is part of a larger transaction.
    fn committed(mut self) -> Result<(), DbErr> {
        if self.connection.commits.load(Ordering::SeqCst) == self.commits_before {
            return Err(DbErr::Conn(RuntimeErr::Internal("SQLite committed nothing".to_owned())));
        }
        if !self.connection.files.are_in_place() {
            return Err(DbErr::Conn(RuntimeErr::Internal(FILES_GONE.to_owned())));
        }
        self.given_back = true;
        Ok(())
    }

    /// Nothing was to be written.
    fn give_back(mut self) {
        self.given_back = true;
    }
}

impl Drop for WriterGuard<'_> {
    fn drop(&mut self) {
        if !self.given_back {
            self.connection.spoiled.store(true, Ordering::SeqCst);
        }
    }
}

impl Writer {
    /// A writer with the one connection of `connection`, of which `single` keeps track.
    pub(crate) fn single(connection: DatabaseConnection, single: Arc<SingleConnection>) -> Self {
        Self {
            single: Some(single),
            ..Self::pool(connection)
        }
    }

    /// A writer with the connections of `connection`.
    pub(crate) fn pool(connection: DatabaseConnection) -> Self {
        Self {
            connection,
            single: None,
            beginning: Arc::new(Semaphore::new(BEGINNING)),
            failing: Arc::default(),
            overdue: Arc::default(),
            damaged: Arc::default(),
        }
    }

    /// Whether the last write failed because the database cannot write, or was not done when it had to be.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.failing.load(Ordering::Relaxed) || self.overdue.load(Ordering::Relaxed)
    }

    /// Keeps in mind that the database cannot write, when its files are not those any more that were opened.
    pub(crate) fn check_files(&self) {
        if let Some(single) = &self.single
            && !single.is_spoiled()
            && !single.files.are_in_place()
        {
            single.spoiled.store(true, Ordering::SeqCst);
            self.note_failure(&DbErr::Conn(RuntimeErr::Internal(FILES_GONE.to_owned())));
        }
    }

    /// Keeps in mind that a write was not done by its deadline: the database may hang, or the deadline was too close.
    pub(crate) fn note_overdue(&self) {
        self.overdue.store(true, Ordering::Relaxed);
    }

    /// Whether the file was found to be damaged since it was opened.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Keeps in mind that the file is damaged, when that is what the error of a read or a write says.
    pub(crate) fn note_damage(&self, error: &DbErr) {
        if failure_kind(error) == FailureKind::Damaged && !self.damaged.swap(true, Ordering::Relaxed) {
            tracing::error!(%error, "the database file is damaged; stop the service and restore a backup");
        }
    }

    /// Runs `work` in a transaction, again while others are in its way, with a growing pause. It may be dropped at any
    /// time: what was not committed by then is rolled back, on SQLite by closing its connection.
    pub(crate) async fn transact<T, W>(&self, work: &W) -> Result<T, DbErr>
    where
        W: for<'t> Fn(&'t DatabaseTransaction) -> TransactionFuture<'t, T> + Send + Sync,
    {
        self.attempts(work).await.inspect_err(|error| self.note_failure(error))
    }

    /// Runs one statement that writes, in a transaction of its own; returns how many rows it changed.
    pub(crate) async fn execute(&self, statement: Statement) -> Result<u64, DbErr> {
        let executing = async {
            let guard = self.guard().await;
            let done = self.connection.execute_raw(statement).await?;
            guard.map_or(Ok(()), WriterGuard::committed)?;
            Ok(done.rows_affected())
        };
        executing
            .await
            .inspect(|_| self.note_commit())
            .inspect_err(|error| self.note_failure(error))
    }

    /// Changes the schema on the one connection.
    pub(crate) async fn change_schema<T, E>(
        &self,
        change: impl AsyncFnOnce(&DatabaseConnection) -> Result<T, E>,
    ) -> Result<T, E> {
        let guard = self.guard().await;
        let changed = change(&self.connection).await?;
        if let Some(guard) = guard {
            guard.give_back();
        }
        Ok(changed)
    }

    /// Keeps in mind that the database writes. What was rolled back does not tell.
    fn note_commit(&self) {
        self.overdue.store(false, Ordering::Relaxed);
        if self.failing.swap(false, Ordering::Relaxed) {
            tracing::info!("the database writes again");
        }
    }

    /// Keeps in mind that the database cannot write, when that is what the error says.
    fn note_failure(&self, error: &DbErr) {
        self.note_damage(error);
        let cannot_write = match failure_kind(error) {
            FailureKind::Exhausted => true,
            // Where there is one connection, its failure is the file's; others are opened anew.
            FailureKind::Broken => self.single.is_some(),
            FailureKind::Contention | FailureKind::Refused | FailureKind::Damaged => false,
        };
        if cannot_write && !self.failing.swap(true, Ordering::Relaxed) {
            tracing::error!(%error, "the database cannot write; nothing is acknowledged until it can");
        }
    }

    async fn guard(&self) -> Option<WriterGuard<'_>> {
        let connection = self.single.as_deref()?;
        let held = connection.in_use.lock().await;
        Some(WriterGuard {
            connection,
            commits_before: connection.commits.load(Ordering::SeqCst),
            given_back: false,
            _held: held,
        })
    }

    async fn attempts<T, W>(&self, work: &W) -> Result<T, DbErr>
    where
        W: for<'t> Fn(&'t DatabaseTransaction) -> TransactionFuture<'t, T> + Send + Sync,
    {
        let mut pause = Duration::from_millis(1);
        for _ in 1..ATTEMPTS {
            match self.attempt(work).await {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(error) if failure_kind(&error) == FailureKind::Contention => {}
                Err(error) => return Err(error),
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        self.attempt(work).await?.ok_or(DbErr::RecordNotUpdated)
    }

    /// One attempt; `None` when it has to begin again.
    async fn attempt<T, W>(&self, work: &W) -> Result<Option<T>, DbErr>
    where
        W: for<'t> Fn(&'t DatabaseTransaction) -> TransactionFuture<'t, T> + Send + Sync,
    {
        let guard = self.guard().await;
        let transaction = self.begin().await?;
        // An error drops the transaction, which rolls it back.
        let value = match work(&transaction).await? {
            Decision::Commit(value) => {
                transaction.commit().await?;
                guard.map_or(Ok(()), WriterGuard::committed)?;
                self.note_commit();
                return Ok(Some(value));
            }
            Decision::Discard(value) => Some(value),
            Decision::Again => None,
        };
        transaction.rollback().await?;
        if let Some(guard) = guard {
            guard.give_back();
        }
        Ok(value)
    }

    async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        if self.connection.get_database_backend() == DbBackend::Sqlite {
            let options = TransactionOptions {
                // SQLite then waits for its lock here, where it can, and not in the middle, where it cannot.
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..TransactionOptions::default()
            };
            return self.connection.begin_with_options(options).await;
        }
        // The driver rolls a transaction back when it is dropped, but a BEGIN that is dropped while it is on its way
        // would leave a transaction open that nobody ends. So it gets a task of its own, which goes on when nobody
        // waits any more.
        let Ok(permit) = Arc::clone(&self.beginning).try_acquire_owned() else {
            return Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout));
        };
        let connection = self.connection.clone();
        let begun = tokio::spawn(async move {
            let begun = connection.begin().await;
            drop(permit);
            begun
        });
        begun
            .await
            .unwrap_or_else(|lost| Err(DbErr::Conn(RuntimeErr::Internal(lost.to_string()))))
    }
}
