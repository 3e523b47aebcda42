//! The database as administrative commands use it: opened, migrated, and closed again, each within a time limit.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    context::Deadline,
    port::{AdminError, Clock, MigrateError, OpenError, Storage},
};

use super::failure::Failure;
use crate::{
    clock::SystemClock,
    config::DatabaseSettings,
    error::Chain,
    storage_parts::Part,
    storages::{DATABASE_URL, pending},
};

/// How long one step on the database may take. Commands are typed by people, or by scripts that would rather wait.
const PATIENCE: Duration = Duration::from_secs(30);

/// Connections of a command, which does one thing after the other.
const CONNECTIONS: u32 = 1;

/// Does `work` on the database after the migrations are applied, or after it is certain that none is pending.
pub(super) fn with_migrated<T>(
    settings: &DatabaseSettings,
    work: impl AsyncFnOnce(&dyn Storage) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let auto_migrate = settings.auto_migrate;
    with_storage(settings, async |storage| {
        if auto_migrate {
            storage.migrate_up().await.map_err(|error| unusable(&error))?;
        } else if pending(storage).await.map_err(|error| unusable(&error))? > 0 {
            return Err(Failure::Failed(
                "the database has pending migrations and CALLER_MEMORY_AUTO_MIGRATE is false; \
                 run `caller-memory migrate up`"
                    .to_owned(),
            ));
        }
        work(storage).await
    })
}

/// Does `work` on the database as it is.
pub(super) fn with_storage<T>(
    settings: &DatabaseSettings,
    work: impl AsyncFnOnce(&dyn Storage) -> Result<T, Failure>,
) -> Result<T, Failure> {
    block_on(async {
        let opening = settings.database_url.open(CONNECTIONS);
        let storage = opening.await.map_err(|error| unusable(&error))?;
        let done = work(storage.as_ref()).await;
        storage.close(deadline()).await;
        done
    })?
}

/// Runs a future to its end on a runtime of its own.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map(|runtime| runtime.block_on(work))
        .map_err(|error| Failure::Failed(format!("cannot start the runtime: {error}")))
}

/// By when a step must be done.
pub(super) fn deadline() -> Deadline {
    Deadline(Instant::now() + PATIENCE)
}

/// Wall-clock time in milliseconds since the epoch; 0 when the clock stands before it.
pub(super) fn now_ms() -> i64 {
    SystemClock.now_ms()
}

/// A part of the storage that it may leave out, and then nothing can be done.
pub(super) fn needed<T: ?Sized>(given: Option<Arc<T>>, part: Part) -> Result<Arc<T>, Failure> {
    given.ok_or_else(|| Failure::Failed(format!("the database of {DATABASE_URL} {part}; use another database")))
}

/// What the administrator's port refused, in words that are meant for the administrator.
pub(super) fn refused(error: &AdminError) -> Failure {
    match error {
        AdminError::Port(error) => unusable(error),
        other => Failure::Failed(Chain(other).to_string()),
    }
}

/// The failure of a database that cannot be worked with, its causes included. The adapter's errors hold no password.
pub(super) fn unusable(error: &(dyn std::error::Error + 'static)) -> Failure {
    let says_what_to_do = error.is::<OpenError>()
        || matches!(
            error.downcast_ref(),
            Some(MigrateError::Newer(_) | MigrateError::Locked | MigrateError::TimedOut)
        );
    if says_what_to_do {
        return Failure::Failed(format!("{DATABASE_URL}: {error}"));
    }
    Failure::Failed(format!(
        "cannot use the database of {DATABASE_URL}: {}; check the URL, and make sure that the database can be \
         reached and written to",
        Chain(error)
    ))
}
