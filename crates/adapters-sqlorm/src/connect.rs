//! Opening connections: what each database is told before it is used.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use domain::{context::LONGEST_DEADLINE_MS, port::OpenError};
use futures_util::future::join_all;
use sea_orm::{
    DatabaseConnection, SqlxError, SqlxPostgresConnector, SqlxSqliteConnector,
    sqlx::{
        ConnectOptions, Connection, PgConnection,
        postgres::{PgConnectOptions, PgPoolOptions},
        sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
    },
};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::writer::{SingleConnection, Writer};

/// How long opening may take in all.
const OPENING: Duration = Duration::from_secs(5);

/// How long a piece of work may wait for a connection; its deadline is usually earlier.
const ACQUIRING: Duration = Duration::from_secs(5);

/// How long an SQLite statement waits for a lock that another process holds.
const BUSY: Duration = Duration::from_secs(5);

/// What PostgreSQL ends itself after so many milliseconds, in case this process no longer can: a statement ends by its
/// deadline.
const LIMITS: [(&str, u64); 2] = [
    ("statement_timeout", LONGEST_DEADLINE_MS + 5_000),
    ("idle_in_transaction_session_timeout", 10_000),
];

/// How long a connection may take to answer what nobody waits for any more, before it is given up.
const SETTLING: Duration = Duration::from_secs(10);

/// Pages that each SQLite connection keeps, in KiB (the minus sign says so). They are read and not mapped: SQLite
/// unmaps the whole file in every reader after every commit, and the page faults cost more than the copies.
const CACHE_KIB: &str = "-16384";

/// Statements that each connection keeps prepared; there are far fewer in the program.
const STATEMENTS: usize = 100;

/// The connections of an SQLite database.
pub(crate) struct SqliteConnections {
    /// Connections that cannot write.
    pub(crate) readers: DatabaseConnection,
    /// The one connection that writes.
    pub(crate) writer: Writer,
    /// The database file.
    pub(crate) path: PathBuf,
}

/// Reads an SQLite URL that names a file.
pub(crate) fn sqlite_options(url: &str) -> Result<SqliteConnectOptions, OpenError> {
    let options = SqliteConnectOptions::from_str(url)
        .map_err(|_| OpenError::new("the database URL is not of the form sqlite://PATH"))?;
    let file = options.get_filename().as_os_str();
    if file.is_empty()
        || file == ":memory:"
        || [":memory:", "mode=memory", "vfs="]
            .iter()
            .any(|setting| url.contains(setting))
    {
        return Err(OpenError::new(
            "an SQLite database needs a file: give sqlite://PATH, for example sqlite://data/caller-memory.db",
        ));
    }
    Ok(options
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .pragma("cache_size", CACHE_KIB)
        .pragma("temp_store", "memory")
        .statement_cache_capacity(STATEMENTS)
        .disable_statement_logging())
}

/// The file of the SQLite database at `url`.
pub(crate) fn sqlite_file(url: &str) -> Result<PathBuf, OpenError> {
    sqlite_options(url).map(|options| options.get_filename().to_owned())
}

/// Opens an SQLite file, which is created with its folder when it is missing.
pub(crate) async fn sqlite(options: SqliteConnectOptions, readers: u32) -> Result<SqliteConnections, OpenError> {
    let path = options.get_filename().to_owned();
    create_file(&path)?;
    let unreadable = |error: SqlxError| {
        OpenError::new(format!(
            "cannot open {}: {}; make sure that it is an SQLite database, which this user may read and write",
            path.display(),
            root_cause(&error)
        ))
    };

    let pool = |max: u32| {
        SqlitePoolOptions::new()
            .max_connections(max)
            .min_connections(0)
            .acquire_timeout(ACQUIRING)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    // The writer comes first: it turns the write-ahead log on, for which SQLite does not wait when another process does
    // the same at that moment.
    let until = Instant::now() + OPENING;
    let single = Arc::new(SingleConnection::of(&path));
    // A file that is removed later is not made anew: it would be an empty database.
    let options = options.create_if_missing(false);
    let writer = loop {
        match writing(pool(1), &single).connect_with(options.clone()).await {
            Ok(writer) => break writer,
            Err(SqlxError::Database(error)) if Instant::now() < until && is_busy(error.code().as_deref()) => {
                sleep(Duration::from_millis(20)).await;
            }
            Err(error) => return Err(unreadable(error)),
        }
    };
    let readers = pool(readers.max(1))
        .connect_with(options.clone().pragma("query_only", "on"))
        .await
        .map_err(unreadable)?;
    Ok(SqliteConnections {
        readers: SqlxSqliteConnector::from_sqlx_sqlite_pool(readers),
        writer: Writer::single(SqlxSqliteConnector::from_sqlx_sqlite_pool(writer), single),
        path,
    })
}

/// A pool for the connection that writes: it is opened anew after anything went wrong on it, and tells what SQLite
/// commits.
///
/// SQLite ends a transaction by itself when the disk is full. The driver does not notice, takes what follows for
/// savepoints in that transaction, and may then acknowledge what is never committed.
fn writing(pool: SqlitePoolOptions, single: &Arc<SingleConnection>) -> SqlitePoolOptions {
    let (opened, used) = (Arc::clone(single), Arc::clone(single));
    pool.after_connect(move |connection, _| {
        let single = Arc::clone(&opened);
        Box::pin(async move {
            let told = Arc::clone(&single);
            connection.lock_handle().await?.set_commit_hook(move || {
                told.committing();
                true
            });
            single.opened();
            Ok(())
        })
    })
    .before_acquire(move |connection, _| {
        let sound = !used.is_spoiled() && !connection.is_in_transaction();
        Box::pin(async move { Ok(sound) })
    })
}

fn is_busy(code: Option<&str>) -> bool {
    // SQLITE_BUSY, SQLITE_LOCKED and what extends them.
    matches!(
        code.and_then(|code| code.parse::<i32>().ok()).map(|code| code & 0xff),
        Some(5 | 6)
    )
}

/// Creates the file readable by its owner only: it will hold what people said on the telephone. SQLite gives the files
/// beside it the same permissions.
fn create_file(path: &Path) -> Result<(), OpenError> {
    let failed = |error: std::io::Error| {
        let doing = if path.exists() { "open" } else { "create" };
        OpenError::new(format!(
            "cannot {doing} {}: {error}; make sure that this user owns the file and its folder",
            path.display()
        ))
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut options = std::fs::DirBuilder::new();
        options.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut options, 0o700);
        options.create(folder).map_err(failed)?;
    }
    open_private(path).map(drop).map_err(failed)
}

/// Opens a file for writing at its end; one that is not there yet is created for its owner only.
pub(crate) fn open_private(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Reads a PostgreSQL URL. The text of the URL is in no error: it holds the password.
pub(crate) fn postgres_options(url: &str) -> Result<PgConnectOptions, OpenError> {
    let options = PgConnectOptions::from_str(url).map_err(|error| {
        OpenError::new(format!(
            "the database URL is not of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE: {}",
            root_cause(&error)
        ))
    })?;
    Ok(options
        .application_name("caller-memory")
        .statement_cache_capacity(STATEMENTS)
        .disable_statement_logging())
}

/// Opens `connections` connections to PostgreSQL.
pub(crate) async fn postgres(options: &PgConnectOptions, connections: u32) -> Result<DatabaseConnection, OpenError> {
    let connections = connections.max(1);
    let limited = options.clone().options(LIMITS);
    // No connection is kept up in the background: the pool would keep one back for each while the server is away,
    // longer and longer between its attempts, and hand it out too late when the server returns.
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .min_connections(0)
        .acquire_timeout(ACQUIRING)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_release(|connection, _| Box::pin(settle(connection)))
        .connect_lazy_with(limited);
    let opened = timeout_at(
        Instant::now() + OPENING,
        join_all((0..connections).map(|_| pool.acquire())),
    );
    let refused = |cause: &dyn std::fmt::Display| {
        OpenError::new(format!(
            "cannot reach PostgreSQL at {}:{}: {cause}; check the URL, and make sure that PostgreSQL is running there",
            options.get_host(),
            options.get_port()
        ))
    };
    match opened.await {
        Err(_) => Err(refused(&"no answer within 5 s")),
        Ok(opened) => match opened.into_iter().find_map(Result::err) {
            None => Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool)),
            Some(SqlxError::PoolTimedOut) => Err(refused(&"no answer within 5 s")),
            Some(error) => Err(refused(&root_cause(&error))),
        },
    }
}

/// Waits for the answer to a query whose waiter has gone. A frozen server answers when it goes on; one that has
/// vanished never does, and its connection must not be kept for the quarter of an hour until the operating system says
/// so. Nor is one kept that is still in a transaction, whatever has become of its end.
async fn settle(connection: &mut PgConnection) -> Result<bool, SqlxError> {
    timeout(SETTLING, connection.flush())
        .await
        .unwrap_or_else(|_| Err(SqlxError::Io(std::io::ErrorKind::TimedOut.into())))
        .map(|()| !connection.is_in_transaction())
}

/// A pool for schema steps: without the limit on statements, because a step may take long.
pub(crate) fn postgres_for_migrations(options: &PgConnectOptions) -> sea_orm::sqlx::PgPool {
    PgPoolOptions::new()
        .max_connections(2)
        .min_connections(0)
        .acquire_timeout(ACQUIRING)
        .test_before_acquire(false)
        .connect_lazy_with(options.clone())
}

/// The innermost cause, which is what the administrator can act on.
fn root_cause(error: &SqlxError) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
