//! What a failure of the database means to those who asked: try again, or not.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Mutex, PoisonError},
};

use domain::error::{Cause, PortError};
use sea_orm::{DbErr, RuntimeErr, SqlxError, SqlxSqliteError, sqlx::error::DatabaseError};

/// PostgreSQL's code for a right that is missing.
const FORBIDDEN: &str = "42501";

/// The cause of a [`PortError`] as the log shows it. Its debug form is its display form, because the drivers' debug
/// forms hold the values that a statement was about.
pub(crate) struct DatabaseFailure(DbErr);

impl fmt::Display for DatabaseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for DatabaseFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for DatabaseFailure {}

/// A stored value that is not what this program stores. The text names the place and never the value.
#[derive(Debug, thiserror::Error)]
#[error("a stored {what} cannot be decoded")]
pub(crate) struct Undecodable {
    /// What was read, in the schema's words.
    pub(crate) what: &'static str,
}

/// The [`PortError`] of a stored `what` that cannot be decoded.
pub(crate) fn undecodable(what: &'static str) -> PortError {
    PortError::Internal(Box::new(Undecodable { what }))
}

/// Says in the log that a stored `what` cannot be decoded and is left out; once for each, because it is read often.
pub(crate) fn leave_out(what: &'static str) {
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let is_new = SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(what);
    if is_new {
        tracing::warn!("a stored {what} cannot be decoded and is left out");
    }
}

/// The [`PortError`] that `error` is.
pub(crate) fn port_error(error: DbErr) -> PortError {
    let retry_may_help = match failure_kind(&error) {
        FailureKind::Broken | FailureKind::Contention | FailureKind::Exhausted => true,
        // Until the migrations are applied again, or the key's cached tenant that was lost with them is forgotten.
        FailureKind::Refused => lacks_schema(&error) || lacks_parent(&error),
        FailureKind::Damaged => false,
    };
    let cause = Box::new(DatabaseFailure(error));
    if retry_may_help {
        PortError::Unavailable(cause)
    } else {
        PortError::Internal(cause)
    }
}

/// Whether a statement was refused because a table or a column is not there.
pub(crate) fn is_missing_schema(cause: &Cause) -> bool {
    cause
        .downcast_ref()
        .is_some_and(|DatabaseFailure(error)| lacks_schema(error))
}

/// Whether a statement was refused because the database's user lacks the right to it.
pub(crate) fn is_forbidden(cause: &Cause) -> bool {
    let refusal = cause.downcast_ref().and_then(|DatabaseFailure(error)| refusal(error));
    refusal.is_some_and(|refusal| refusal.code().as_deref() == Some(FORBIDDEN))
}

/// Whether a row was refused because the row that it belongs to, for example its tenant, has gone.
fn lacks_parent(error: &DbErr) -> bool {
    refusal(error).is_some_and(DatabaseError::is_foreign_key_violation)
}

/// What the database answered to a statement instead of doing it.
fn refusal(error: &DbErr) -> Option<&dyn DatabaseError> {
    match error {
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
            error.as_database_error()
        }
        _ => None,
    }
}

fn lacks_schema(error: &DbErr) -> bool {
    let Some(refusal) = refusal(error) else {
        return false;
    };
    let message = refusal.message();
    // SQLite has no code for it: SQLITE_ERROR is every mistake in a statement.
    matches!(refusal.code().as_deref(), Some("42P01" | "42703"))
        || message.starts_with("no such table")
        || message.starts_with("no such column")
        || message.contains(" has no column named ")
}

/// What kind of failure an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The connection is gone; on another one the same work may succeed at once.
    Broken,
    /// Other transactions were in the way; the same transaction may succeed when it is tried again.
    Contention,
    /// The database is reached but has no room, no time or no permission to write now.
    Exhausted,
    /// The statement or its data was refused, or the answer cannot be decoded.
    Refused,
    /// The file is damaged, which does not mend by itself.
    Damaged,
}

/// The kind of failure that `error` is.
pub(crate) fn failure_kind(error: &DbErr) -> FailureKind {
    match error {
        DbErr::ConnectionAcquire(_) => FailureKind::Exhausted,
        DbErr::Conn(RuntimeErr::SqlxError(cause))
        | DbErr::Exec(RuntimeErr::SqlxError(cause))
        | DbErr::Query(RuntimeErr::SqlxError(cause)) => kind_of_driver_error(cause),
        DbErr::Conn(_) => FailureKind::Broken,
        // A transaction that other transactions overtook again and again.
        DbErr::RecordNotUpdated => FailureKind::Contention,
        _ => FailureKind::Refused,
    }
}

fn kind_of_driver_error(error: &SqlxError) -> FailureKind {
    match error {
        SqlxError::Io(_)
        | SqlxError::Tls(_)
        | SqlxError::Protocol(_)
        | SqlxError::WorkerCrashed
        | SqlxError::BeginFailed => FailureKind::Broken,
        SqlxError::PoolTimedOut | SqlxError::PoolClosed => FailureKind::Exhausted,
        SqlxError::Database(refusal) => {
            let code = refusal.code().unwrap_or_default();
            if refusal.try_downcast_ref::<SqlxSqliteError>().is_some() {
                kind_of_sqlite_code(code.parse().unwrap_or_default())
            } else {
                kind_of_sqlstate(&code)
            }
        }
        _ => FailureKind::Refused,
    }
}

/// See <https://www.sqlite.org/rescode.html>; the lowest byte is the primary code.
const fn kind_of_sqlite_code(code: i32) -> FailureKind {
    match code & 0xff {
        // BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL.
        5 | 6 | 7 | 8 | 9 | 10 | 13 | 14 | 15 => FailureKind::Exhausted,
        // CORRUPT, NOTADB.
        11 | 26 => FailureKind::Damaged,
        _ => FailureKind::Refused,
    }
}

/// See <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
fn kind_of_sqlstate(code: &str) -> FailureKind {
    match code {
        // The connection is being ended: by an administrator, after a crash, because the server is starting or the
        // database is being dropped, or for idleness.
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => FailureKind::Broken,
        // Serialization failure and deadlock.
        "40001" | "40P01" => FailureKind::Contention,
        // Statement time-out, a server that has become a read-only standby, and a right that was taken away.
        "57014" | "25006" | FORBIDDEN => FailureKind::Exhausted,
        _ if code.starts_with("08") => FailureKind::Broken,
        // A role that may not log in, no such database, too few resources, a lock that is held or a database that takes
        // no connections, and failures of the system below the server.
        _ if ["28", "3D", "53", "55", "58"]
            .iter()
            .any(|class| code.starts_with(class)) =>
        {
            FailureKind::Exhausted
        }
        _ => FailureKind::Refused,
    }
}
