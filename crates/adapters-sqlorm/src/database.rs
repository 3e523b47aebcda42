//! The connection to one database.
use std::sync::Arc;

use domain::{context::Deadline, error::PortError};

/// Where the database is and how many connections it gets.
#[derive(Clone)]
pub struct DatabaseOptions {
    /// `sqlite://PATH` or `postgres://...`; with `sslmode=require`, `verify-ca` or `verify-full` PostgreSQL is reached over TLS.
    pub url: String,
    /// SQLite: connections that read, beside the one that writes. PostgreSQL: connections in all.
    pub readers: u32,
}

impl DatabaseOptions {
    /// The database at `url` with a sensible number of connections.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), readers: 8 }
    }
}

/// Why a database could not be opened: one line that says what to do, without the password.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpenError(String);

/// How busy the database's connections and queues are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolState {
    /// Open connections.
    pub connections: u32,
    /// Open connections that nobody uses.
    pub idle: u32,
    /// The most connections that may be open.
    pub max_connections: u32,
    /// Writes that wait for the one connection that writes; always 0 on PostgreSQL.
    pub writes_waiting: usize,
    /// Contacts noted by recalls and not written yet.
    pub contacts_waiting: usize,
    /// Contacts that were dropped because too many waited, since the database was opened.
    pub contacts_dropped: u64,
}

/// An open database; clones share it.
#[derive(Clone)]
pub struct Database {
    _inner: Arc<()>,
}

impl Database {
    /// Connects, waiting at most 5 s. An SQLite file and its folder are created when missing. Migrates nothing.
    ///
    /// # Errors
    /// [`OpenError`] when the URL is wrong or the database cannot be reached.
    pub async fn open(options: DatabaseOptions) -> Result<Self, OpenError> {
        Err(OpenError(options.url))
    }

    /// Asks the database for a sign of life.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] when there is none by the deadline.
    pub async fn ping(&self, deadline: Deadline) -> Result<(), PortError> {
        let _ = deadline;
        todo!()
    }

    /// How busy the connections and queues are.
    #[must_use]
    pub fn pool(&self) -> PoolState {
        PoolState::default()
    }

    /// Writes the contacts that wait, then closes every connection; gives up at the deadline.
    pub async fn close(&self, deadline: Deadline) {
        let _ = deadline;
    }
}
