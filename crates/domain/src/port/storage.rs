//! One door to everything that is kept: the whole program runs over a [`Storage`], whatever is behind it.

use std::{fmt, path::PathBuf, sync::Arc};

use async_trait::async_trait;

use super::{
    AccessAdmin, CallerAdmin, CallerMemory, EnrichmentCache, KeyStore, OldCalls, OpenCalls, ReceiptStore, SpendAdmin,
    SpendLedger, SummaryBacklog,
};
use crate::{
    context::Deadline,
    error::{Cause, PortError},
};

/// Where a storage is and how many connections it may open.
#[derive(Clone, PartialEq, Eq)]
pub struct StorageOptions {
    /// The whole URL, its scheme included.
    pub url: String,
    /// How many pieces of work it should be able to do side by side; at least 1. A storage without connections ignores
    /// it.
    pub connections: u32,
}

impl StorageOptions {
    /// The storage at `url` with 8 connections.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            connections: 8,
        }
    }
}

impl fmt::Debug for StorageOptions {
    /// Leaves the URL out: it may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StorageOptions")
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

/// Why a storage could not be opened: one line that says what to do, without the password.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpenError(pub String);

impl OpenError {
    /// The error with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// A schema step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    /// The step's name.
    pub name: String,
    /// Whether it has been applied.
    pub applied: bool,
}

/// Why the schema could not be read or changed; one line each.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// Another process kept migrating for longer than this one was ready to wait.
    #[error("another process is still migrating this database; wait for it or stop it, then try again")]
    Locked,
    /// The database did not answer in time.
    #[error("the database did not answer in time; check that it is running, then try again")]
    TimedOut,
    /// A newer release has changed the schema.
    #[error(
        "a newer release has migrated this database (`{0}` is unknown here): start that release, or take its steps \
         back with its own `caller-memory migrate down`"
    )]
    Newer(String),
    /// A step failed.
    #[error("the schema could not be migrated: {0}")]
    Failed(#[source] Cause),
}

/// How busy a storage's connections and queues are. A storage without them leaves everything at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolState {
    /// Open connections.
    pub connections: u32,
    /// Open connections that nobody uses.
    pub idle: u32,
    /// The most connections that may be open.
    pub max_connections: u32,
    /// Writes that wait for the one connection that writes, where there is only one.
    pub writes_waiting: usize,
    /// Contacts noted by recalls and not written yet.
    pub contacts_waiting: usize,
    /// Contacts dropped since the storage was opened, because too many waited or could not be written.
    pub contacts_dropped: u64,
}

/// Opens the storages of one kind. A program registers one for each URL scheme that it understands.
#[async_trait]
pub trait StorageDriver: Send + Sync {
    /// Opens the storage within 5 s, and creates an embedded one that is missing. Migrates nothing.
    ///
    /// # Errors
    /// [`OpenError`] when the URL is wrong or the storage cannot be reached.
    async fn open(&self, options: StorageOptions) -> Result<Arc<dyn Storage>, OpenError>;

    /// The file or folder of the storage at `url`, when it is an embedded one that [`StorageDriver::open`] creates.
    /// `doctor` asks, because it must not create anything.
    fn file(&self, url: &str) -> Option<PathBuf> {
        let _ = url;
        None
    }
}

/// Everything that the program keeps, as the ports over it. Each port's contract holds for what is handed out here;
/// what one port has acknowledged, the others see.
///
/// A storage must have callers, look-ups, tenants and keys. The rest may be left out (`None`); the program then runs
/// without the feature and says so where it is asked for.
#[async_trait]
pub trait Storage: Send + Sync {
    /// The memory of callers.
    fn memory(&self) -> Arc<dyn CallerMemory>;

    /// The look-ups that are kept.
    fn lookups(&self) -> Arc<dyn EnrichmentCache>;

    /// Finds keys.
    fn keys(&self) -> Arc<dyn KeyStore>;

    /// Manages tenants and keys.
    fn access(&self) -> Arc<dyn AccessAdmin>;

    /// The operator's side of callers; without it, `caller` has no commands.
    fn callers(&self) -> Option<Arc<dyn CallerAdmin>> {
        None
    }

    /// Lists calls that were never written back; without it, `calls open` and its metric are missing.
    fn open_calls(&self) -> Option<Arc<dyn OpenCalls>> {
        None
    }

    /// The calls that are kept, to be read again; without it, they stay as the rules of their day read them, and
    /// `memory reread` is missing.
    fn old_calls(&self) -> Option<Arc<dyn OldCalls>> {
        None
    }

    /// Keeps the spend of paid look-ups within caps; without it, no paid vendor may be set.
    fn spend(&self) -> Option<Arc<dyn SpendLedger>> {
        None
    }

    /// Sets the caps and shows the spend; there when [`Storage::spend`] is.
    fn spend_admin(&self) -> Option<Arc<dyn SpendAdmin>> {
        None
    }

    /// Keeps receipts; without it, the feedback loop cannot be on.
    fn receipts(&self) -> Option<Arc<dyn ReceiptStore>> {
        None
    }

    /// The summaries that wait for a language model; without it, none may be set.
    fn backlog(&self) -> Option<Arc<dyn SummaryBacklog>> {
        None
    }

    /// Whether the storage can serve now.
    ///
    /// Implementations MUST:
    /// 1. say no while what serving needs cannot be read, after a write that failed until one succeeds, and while a
    ///    step of the schema that this release needs is missing;
    /// 2. not mind the steps of a newer release, which may be starting beside this one. No clause of the contract
    ///    checks that, because a suite has no way to add a step, so test it where your steps are kept.
    ///
    /// # Errors
    /// [`PortError`] when it cannot serve, with the cause: [`CannotRead`](crate::error::CannotRead) where it answers
    /// but not all of it can be read, [`CannotWrite`](crate::error::CannotWrite) where it can be read all the same,
    /// [`SchemaTooOld`](crate::error::SchemaTooOld) where steps are missing.
    async fn ready(&self, deadline: Deadline) -> Result<(), PortError>;

    /// Every schema step, oldest first; changes nothing. A storage without a schema has none.
    ///
    /// # Errors
    /// [`MigrateError`] when there is no answer in time, or the storage has steps that this release does not know.
    async fn migrations(&self) -> Result<Vec<Migration>, MigrateError>;

    /// Applies every pending step, and returns the names of those that it applied, while other processes may be doing
    /// the same.
    ///
    /// # Errors
    /// [`MigrateError`] when a step fails or another process migrates for too long.
    async fn migrate_up(&self) -> Result<Vec<String>, MigrateError>;

    /// Undoes the newest `steps` applied steps, and returns their names; what only they can hold is lost.
    ///
    /// # Errors
    /// [`MigrateError`] when a step fails or another process migrates for too long.
    async fn migrate_down(&self, steps: u32) -> Result<Vec<String>, MigrateError>;

    /// How busy it is.
    fn pool(&self) -> PoolState;

    /// Writes what waits to be written, then closes; gives up at the deadline.
    async fn close(&self, deadline: Deadline);
}
