//! Schema steps: which there are, and applying them while other processes may be doing the same.
//!
//! On PostgreSQL an advisory lock, held by a connection of its own for the whole run, lets one process migrate at a
//! time; on SQLite a locked file beside the database does. Both are free again when their holder dies.

use std::{
    ffi::OsString,
    fs::{File, TryLockError},
    path::Path,
    sync::Arc,
    time::Duration,
};

use domain::port::{MigrateError, Migration};
use migrations::{MigrationStatus, Migrator, MigratorTrait};
use sea_orm::{
    DatabaseConnection, DbErr, RuntimeErr, SqlxError, SqlxPostgresConnector,
    sqlx::{self, PgPool, Postgres, pool::PoolConnection},
};
use tokio::time::{Instant, sleep, timeout};

use crate::{Database, connect, database::Backend};

/// How long to wait for another process that migrates.
const WAITING: Duration = Duration::from_mins(1);

/// How often to look whether it has finished.
const LOOKING: Duration = Duration::from_millis(50);

/// How long a run may take.
const RUNNING: Duration = Duration::from_hours(1);

/// How long reading the state may take.
const READING: Duration = Duration::from_secs(5);

/// The advisory lock's number: the letters `callmemo`.
const LOCK: i64 = 0x6361_6c6c_6d65_6d6f;

/// The file that keeps other processes from migrating at the same time cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot lock {file}: {cause}; give the file to the user that runs the service")]
struct LockFailure {
    /// The file's path.
    file: String,
    /// What the system says.
    cause: std::io::Error,
}

fn failed(error: DbErr) -> MigrateError {
    match unknown_step(&error) {
        Some(step) => MigrateError::Newer(step),
        None => MigrateError::Failed(Box::new(error)),
    }
}

/// The applied step that this release does not have, when that is what the error says. SeaORM has no variant for it,
/// only a text.
fn unknown_step(error: &DbErr) -> Option<String> {
    let DbErr::Custom(text) = error else { return None };
    let (step, _) = text.strip_prefix("Migration file of version '")?.split_once('\'')?;
    Some(step.to_owned())
}

impl Database {
    /// Every schema step, oldest first. Changes nothing.
    ///
    /// # Errors
    /// [`MigrateError`] when the database does not answer within 5 s, or has steps that this release does not know.
    pub async fn migrations(&self) -> Result<Vec<Migration>, MigrateError> {
        timeout(READING, states(&self.backend().writer().connection))
            .await
            .map_err(|_| MigrateError::TimedOut)?
            .map_err(failed)
    }

    /// Applies the pending steps; returns the names of those applied now. Safe with several processes at once: one
    /// works, the others wait for it, at most a minute.
    ///
    /// # Errors
    /// [`MigrateError`]; steps that were completed before stay applied.
    pub async fn migrate_up(&self) -> Result<Vec<String>, MigrateError> {
        self.migrate(Direction::Up).await
    }

    /// Reverts the latest `steps` steps, and with them what they stored; returns their names, latest first.
    ///
    /// # Errors
    /// [`MigrateError`]; steps that were reverted before stay reverted.
    pub async fn migrate_down(&self, steps: u32) -> Result<Vec<String>, MigrateError> {
        self.migrate(Direction::Down(steps)).await
    }

    async fn migrate(&self, direction: Direction) -> Result<Vec<String>, MigrateError> {
        // Without anything to do, nobody who holds the lock is waited for.
        let is_done = matches!(direction, Direction::Up)
            && (self.migrations().await).is_ok_and(|steps| steps.iter().all(|step| step.applied));
        if is_done {
            return Ok(Vec::new());
        }
        match self.backend() {
            Backend::Sqlite { writer, path, .. } => {
                let _lock = lock_file(path).await?;
                writer
                    .change_schema(async |connection| run(connection, direction).await)
                    .await
            }
            Backend::Postgres { options, .. } => {
                let pool = connect::postgres_for_migrations(options);
                let done = async {
                    let lock = lock_postgres(&pool).await?;
                    let done = run(&SqlxPostgresConnector::from_sqlx_postgres_pool(pool.clone()), direction).await;
                    // The lock ends with its connection.
                    let _ = timeout(READING, lock.close()).await;
                    done
                }
                .await;
                let _ = timeout(READING, pool.close()).await;
                done
            }
        }
    }
}

/// Which way to go.
#[derive(Debug, Clone, Copy)]
enum Direction {
    Up,
    Down(u32),
}

/// Migrates and returns the names of the steps that were taken.
async fn run(database: &DatabaseConnection, direction: Direction) -> Result<Vec<String>, MigrateError> {
    let running = async {
        let states = states(database).await?;
        match direction {
            Direction::Up => {
                let pending = states.into_iter().filter(|step| !step.applied);
                let names: Vec<_> = pending.map(|step| step.name).collect();
                if !names.is_empty() {
                    Migrator::up(database, None).await?;
                }
                Ok(names)
            }
            Direction::Down(steps) => {
                let applied = states.into_iter().rev().filter(|step| step.applied);
                let names: Vec<_> = applied.map(|step| step.name).take(steps as usize).collect();
                if !names.is_empty() {
                    Migrator::down(database, Some(steps)).await?;
                }
                Ok(names)
            }
        }
    };
    timeout(RUNNING, running)
        .await
        .map_err(|_| MigrateError::TimedOut)?
        .map_err(failed)
}

async fn states(database: &DatabaseConnection) -> Result<Vec<Migration>, DbErr> {
    let steps = Migrator::get_migration_with_status_read_only(database).await?;
    Ok(steps
        .iter()
        .map(|step| Migration {
            name: step.name().to_owned(),
            applied: step.status() == MigrationStatus::Applied,
        })
        .collect())
}

/// Takes the lock that this process's death would free. The file is its owner's alone, like the database, because
/// whoever can read it can lock it; its owner is that of the database, also when root is the first to migrate.
async fn lock_file(database: &Path) -> Result<File, MigrateError> {
    let mut file = OsString::from(database);
    file.push(".migrate.lock");
    let failed = |cause| {
        MigrateError::Failed(Box::new(LockFailure {
            file: file.to_string_lossy().into_owned(),
            cause,
        }))
    };
    let lock = connect::open_private(Path::new(&file)).map_err(failed)?;
    #[cfg(unix)]
    if let Ok(owner) = std::fs::metadata(database) {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        // Only root may give a file away; anybody else's is where it belongs.
        let _ = fchown(&lock, Some(owner.uid()), Some(owner.gid()));
    }
    let until = Instant::now() + WAITING;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < until => sleep(LOOKING).await,
            Err(TryLockError::WouldBlock) => return Err(MigrateError::Locked),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
    }
}

/// Takes the advisory lock on a connection of its own.
async fn lock_postgres(pool: &PgPool) -> Result<PoolConnection<Postgres>, MigrateError> {
    let failed = |error: SqlxError| failed(DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error))));
    let mut connection = pool.acquire().await.map_err(failed)?;
    let until = Instant::now() + WAITING;
    while Instant::now() < until {
        let locking = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)").bind(LOCK);
        let locked: bool = timeout(READING, locking.fetch_one(&mut *connection))
            .await
            .map_err(|_| MigrateError::TimedOut)?
            .map_err(failed)?;
        if locked {
            return Ok(connection);
        }
        sleep(LOOKING).await;
    }
    Err(MigrateError::Locked)
}
