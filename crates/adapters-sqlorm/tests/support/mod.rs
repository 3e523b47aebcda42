//! Fresh databases for tests: an SQLite file in a temporary folder, or a database of its own on a PostgreSQL server.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test program uses another part of this, and a test fails by panicking"
)]

use std::time::{Duration, Instant};

use adapters_sqlorm::{Database, SqlKeyStore};
use domain::{
    access::TenantId,
    context::Deadline,
    port::{AccessAdmin, StorageOptions},
};
use sea_orm::sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tempfile::TempDir;
use testkit::sample;
use uuid::Uuid;

/// Connections of each database under test.
const CONNECTIONS: u32 = 4;

/// The superuser URL of a server on which tests create databases.
pub(crate) const POSTGRES_URL: &str = "CALLER_MEMORY_TEST_POSTGRES_URL";

/// A place for one database, and what keeps it alive.
pub(crate) struct Place {
    pub(crate) options: StorageOptions,
    pub(crate) folder: Option<TempDir>,
}

impl Place {
    /// An SQLite file that does not exist yet, in a folder that does not exist yet either.
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data").join("caller-memory.db");
        let mut options = StorageOptions::new(format!("sqlite://{}", file.display()));
        options.connections = CONNECTIONS;
        Self {
            options,
            folder: Some(folder),
        }
    }

    /// An empty PostgreSQL database; `None`, with a word on why, when no server is at hand.
    pub(crate) async fn postgres() -> Option<Self> {
        if let Ok(server) = std::env::var(POSTGRES_URL) {
            return Some(Self::on_postgres(&server).await);
        }
        println!("skipped: {POSTGRES_URL} is not set; run just test");
        None
    }

    /// An empty database on the PostgreSQL server at the superuser URL `server`.
    pub(crate) async fn on_postgres(server: &str) -> Self {
        let name = format!("caller_memory_{}", Uuid::now_v7().simple());
        let mut connection = PgConnection::connect(server).await.unwrap();
        sea_orm::sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
        let (server, _) = server.rsplit_once('/').unwrap();
        let mut options = StorageOptions::new(format!("{server}/{name}"));
        options.connections = CONNECTIONS;
        Self { options, folder: None }
    }

    /// Opens the database as one more process would.
    pub(crate) async fn open(&self) -> Database {
        Database::open(self.options.clone()).await.unwrap()
    }

    /// Opens the database and brings its schema up to date.
    pub(crate) async fn migrated(&self) -> Database {
        let database = self.open().await;
        database.migrate_up().await.unwrap();
        database
    }
}

/// Runs statements on the database as another program would.
pub(crate) async fn execute(place: &Place, statements: &[&str]) {
    let url = &place.options.url;
    for sql in statements {
        let sql = AssertSqlSafe((*sql).to_owned());
        if url.starts_with("sqlite:") {
            let mut connection = SqliteConnection::connect(url).await.unwrap();
            connection.execute(sql).await.unwrap();
            connection.close().await.unwrap();
        } else {
            let mut connection = PgConnection::connect(url).await.unwrap();
            connection.execute(sql).await.unwrap();
            connection.close().await.unwrap();
        }
    }
}

/// Creates a tenant and returns its id.
pub(crate) async fn tenant(database: &Database, name: &str) -> TenantId {
    let admin = SqlKeyStore::new(database);
    let created = admin
        .create_tenant(&sample::new_tenant(name), sample::NOW_MS, sample::ample())
        .await;
    created.unwrap().id
}

/// The deadline `milliseconds` from now.
pub(crate) fn within_ms(milliseconds: u64) -> Deadline {
    Deadline(Instant::now() + Duration::from_millis(milliseconds))
}
