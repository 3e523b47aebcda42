//! The file, and how ports read and write it.
//!
//! redb blocks, and the service's threads must not. Every piece of work is therefore a closure that runs on a thread of
//! Tokio's pool for blocking work, within one transaction:
//!
//! - At most as many read at once as the storage may have connections. A read works on a snapshot and waits for no
//!   write.
//! - One writes at a time, in the order of arrival, and only so many may wait; a further one is refused at once. redb
//!   has one writer anyway; a thread for each that waits would be wasted.
//! - A closure that has begun ends, whether or not somebody still waits for it: its transaction is committed as a whole
//!   or not at all. One that has not begun by its deadline never does. That is all that cancellation needs.
//! - A write is acknowledged after its commit, which redb ends with the flush of the file
//!   ([`redb::Durability::Immediate`], its default).
//!
//! After an error of the disk redb refuses everything until the file is opened anew, so that is done.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use domain::{
    context::Deadline,
    error::{Cause, PortError},
};
use redb::{Builder, ConcurrencyMode, Database, ReadTransaction, ReadableDatabase, TransactionError, WriteTransaction};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
    time::timeout_at,
};

use crate::{schema, table::fault};

/// Writes that may wait for their turn.
const WRITES_WAITING: usize = 256;

/// The pause between two attempts to begin a write while another process writes.
const OTHER_WRITER: Duration = Duration::from_millis(1);

/// The open file.
pub(crate) struct Store {
    path: PathBuf,
    /// `None` after a failure, until the file could be opened anew.
    database: RwLock<Option<Database>>,
    readers: Arc<Semaphore>,
    writer: Arc<Semaphore>,
    /// Permits of those who may wait for the writer or be it.
    queue: Arc<Semaphore>,
    connections: u32,
    /// Whether redb gave the file up and nothing has been committed since.
    has_failed: AtomicBool,
}

/// Too many writes wait already.
#[derive(Debug, thiserror::Error)]
#[error("{WRITES_WAITING} writes are waiting already")]
struct QueueFull;

/// The file could not be opened anew after a failure.
#[derive(Debug, thiserror::Error)]
#[error("the file is closed after a failure and could not be opened again")]
struct Closed;

impl Store {
    /// Opens the file, which is created when it is missing. Blocks.
    pub(crate) fn open(path: &Path, connections: u32) -> Result<Self, Cause> {
        Ok(Self {
            path: path.to_owned(),
            database: RwLock::new(Some(open(path)?)),
            readers: Arc::new(Semaphore::new(connections.max(1) as usize)),
            writer: Arc::new(Semaphore::new(1)),
            queue: Arc::new(Semaphore::new(WRITES_WAITING + 1)),
            connections: connections.max(1),
            has_failed: AtomicBool::new(false),
        })
    }

    /// Runs `work` on a snapshot.
    pub(crate) async fn read<T, E>(
        self: &Arc<Self>,
        during: &'static str,
        deadline: Deadline,
        work: impl FnOnce(&ReadTransaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<PortError> + Send + 'static,
    {
        let turn = turn(&self.readers, during, deadline).await?;
        let store = Arc::clone(self);
        run(turn, during, deadline, move || {
            store.with_database(|database| work(&database.begin_read().map_err(fault)?))
        })
        .await
    }

    /// Runs `work` in a write, which is committed when it is `Ok` and undone as a whole when it is not.
    pub(crate) async fn write<T, E>(
        self: &Arc<Self>,
        during: &'static str,
        deadline: Deadline,
        work: impl FnOnce(&WriteTransaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<PortError> + Send + 'static,
    {
        let queue = Arc::clone(&self.queue).try_acquire_owned();
        let place = queue.map_err(|_| PortError::Unavailable(Box::new(QueueFull)))?;
        let turn = turn(&self.writer, during, deadline).await?;
        let store = Arc::clone(self);
        run((place, turn), during, deadline, move || {
            let done = store.with_database(|database| {
                let write = begin(database, during, deadline)?;
                let done = work(&write)?;
                write.commit().map_err(fault)?;
                Ok(done)
            });
            if done.is_ok() {
                store.has_failed.store(false, Ordering::Relaxed);
            }
            done
        })
        .await
    }

    /// Waits for the write that is under way, and closes the file; gives up at the deadline. A later use opens it
    /// again.
    pub(crate) async fn close(self: &Arc<Self>, deadline: Deadline) {
        let Ok(turn) = turn(&self.writer, "closing", deadline).await else {
            return;
        };
        let store = Arc::clone(self);
        let close = move || {
            *store.database.write().unwrap_or_else(PoisonError::into_inner) = None;
            Ok::<_, PortError>(())
        };
        if let Err(error) = run(turn, "closing", deadline, close).await {
            tracing::warn!(%error, "the storage was not closed in time");
        }
    }

    /// Whether redb gave the file up and nothing has been committed since.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// How many may read at once.
    pub(crate) fn connections(&self) -> u32 {
        self.connections
    }

    /// How many of them nobody uses.
    pub(crate) fn idle(&self) -> u32 {
        u32::try_from(self.readers.available_permits()).unwrap_or(self.connections)
    }

    /// How many writes wait for their turn.
    pub(crate) fn writes_waiting(&self) -> usize {
        WRITES_WAITING.saturating_sub(self.queue.available_permits())
    }

    /// Gives `work` the open file, and opens it anew when redb has given it up.
    fn with_database<T, E: From<PortError>>(&self, work: impl FnOnce(&Database) -> Result<T, E>) -> Result<T, E> {
        if self.database.read().unwrap_or_else(PoisonError::into_inner).is_none() {
            self.reopen();
        }
        let open = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let Some(database) = open.as_ref() else {
            return Err(PortError::Unavailable(Box::new(Closed)).into());
        };
        let done = work(database);
        // A refusal of the work itself leaves the file readable.
        if done.is_err() && database.begin_read().is_err() {
            drop(open);
            self.reopen();
        }
        done
    }

    /// Opens the file anew, unless somebody else has.
    fn reopen(&self) {
        let mut database = self.database.write().unwrap_or_else(PoisonError::into_inner);
        if database.as_ref().is_some_and(|database| database.begin_read().is_ok()) {
            return;
        }
        self.has_failed.store(true, Ordering::Relaxed);
        // The file is closed first, so that it is not open twice.
        *database = None;
        match open(&self.path) {
            Ok(open) => *database = Some(open),
            Err(error) => tracing::warn!(%error, "the storage could not be opened again"),
        }
    }
}

/// Opens the file. Other processes may have it open at the same time: commands work beside a running service.
fn open(path: &Path) -> Result<Database, Cause> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // redb makes a database of an empty file; this one is its owner's alone.
    drop(options.open(path)?);
    let database = Builder::new()
        .set_concurrency_mode(ConcurrencyMode::MultiWriter)
        .create(path)?;
    let write = database.begin_write()?;
    schema::prepare(&write)?;
    write.commit()?;
    Ok(database)
}

/// Begins a write by the deadline, however long another process writes.
fn begin(database: &Database, during: &'static str, deadline: Deadline) -> Result<WriteTransaction, PortError> {
    loop {
        match database.try_begin_write() {
            Err(TransactionError::WouldBlock) if deadline.left(Instant::now()).is_zero() => {
                return Err(PortError::deadline(during));
            }
            Err(TransactionError::WouldBlock) => std::thread::sleep(OTHER_WRITER),
            begun => return begun.map_err(fault),
        }
    }
}

/// Waits for one of the `turns` until the deadline.
async fn turn(
    turns: &Arc<Semaphore>,
    during: &'static str,
    deadline: Deadline,
) -> Result<OwnedSemaphorePermit, PortError> {
    // A timer would let through what is there at once.
    if deadline.left(Instant::now()).is_zero() {
        return Err(PortError::deadline(during));
    }
    let turn = timeout_at(deadline.0.into(), Arc::clone(turns).acquire_owned()).await;
    let turn = turn.map_err(|_| PortError::deadline(during))?;
    turn.map_err(|error| PortError::Internal(Box::new(error)))
}

/// Runs `work` on a thread where it may block, holds `turn` until it ends, and waits for it until the deadline.
async fn run<T, E>(
    turn: impl Send + 'static,
    during: &'static str,
    deadline: Deadline,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<PortError> + Send + 'static,
{
    let work = spawn_blocking(move || {
        let _turn = turn;
        if deadline.left(Instant::now()).is_zero() {
            return Err(PortError::deadline(during).into());
        }
        work()
    });
    match timeout_at(deadline.0.into(), work).await {
        Ok(Ok(done)) => done,
        Ok(Err(panic)) => Err(PortError::Internal(Box::new(panic)).into()),
        Err(_) => Err(PortError::deadline(during).into()),
    }
}
