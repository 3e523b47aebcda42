//! Writes that fail on SQLite in every way that can be brought about: what is acknowledged is on disk all the same, and
//! the next write that can succeed does.

use std::{sync::Arc, time::Duration};

use domain::{
    access::TenantId,
    error::{PortError, SchemaTooOld},
    port::CallerMemory,
};
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, Statement,
    sqlx::{self, ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions},
};
use testkit::sample::{NOW_MS, ample, number, query_in, record};

use crate::{
    Database, SqlCallerMemory, connect,
    database::Backend,
    support::{Place, tenant, within_ms},
    transaction::{Decision, TransactionFuture, run},
    writer::Writer,
};

/// A database and what was acknowledged and refused by it.
struct Scene {
    place: Place,
    database: Database,
    memory: Arc<SqlCallerMemory>,
    tenant: TenantId,
    acknowledged: Vec<usize>,
    refused: Vec<usize>,
}

impl Scene {
    async fn new() -> Self {
        let place = Place::sqlite();
        let database = place.migrated().await;
        Self::over(place, database).await
    }

    /// A database whose connections never let the file grow beyond its size of now, however often they are opened.
    async fn that_cannot_grow() -> Self {
        let place = Place::sqlite();
        let database = place.migrated().await;
        tenant(&database, "one").await;
        database.close(ample()).await;
        let options = connect::sqlite_options(&place.options.url).unwrap();
        let mut other = place.other().await;
        // A limit below the size stands for the size.
        execute(&mut other, "CREATE TABLE filler AS SELECT zeroblob(400000) AS filler").await;
        execute(&mut other, "DROP TABLE filler").await;
        other.close().await.unwrap();
        let options = options.pragma("max_page_count", "1");
        let database = Database::over(Database::sqlite(options, 2).await.unwrap());
        Self::over(place, database).await
    }

    async fn over(place: Place, database: Database) -> Self {
        let memory = Arc::new(SqlCallerMemory::new(&database));
        let tenant = match place.tenant().await {
            Some(tenant) => tenant,
            None => tenant(&database, "one").await,
        };
        Self {
            place,
            database,
            memory,
            tenant,
            acknowledged: Vec::new(),
            refused: Vec::new(),
        }
    }

    fn writer(&self) -> &Writer {
        match self.database.backend() {
            Backend::Sqlite { writer, .. } => writer,
            Backend::Postgres { .. } => unreachable!("the scenes are on SQLite"),
        }
    }

    /// Runs a statement on the connection that writes, behind the writer's back.
    async fn on_the_writer(&self, sql: &str) {
        self.writer().connection.execute_unprepared(sql).await.unwrap();
    }

    /// Reports a call of a caller of its own.
    async fn end(&mut self) -> Result<(), PortError> {
        let caller = self.acknowledged.len() + self.refused.len();
        let call = record(&number(caller), &format!("session {caller}"), NOW_MS, 1);
        let written = self.memory.record_end(self.tenant, &call, ample()).await;
        let list = match written {
            Ok(()) => &mut self.acknowledged,
            Err(_) => &mut self.refused,
        };
        list.push(caller);
        written
    }

    async fn succeeds(&mut self, times: usize) {
        for _ in 0..times {
            self.end().await.unwrap();
            assert!(self.database.ping(ample()).await.is_ok(), "ready while writes succeed");
        }
    }

    async fn fails(&mut self, times: usize) {
        for _ in 0..times {
            let written = self.end().await;
            assert!(matches!(written, Err(PortError::Unavailable(_))), "{written:?}");
        }
    }

    /// Another process finds every call that was acknowledged and nothing of those that were refused, while this one
    /// still runs, and can write.
    async fn holds_what_it_acknowledged(&self) {
        let mut other = self.place.other().await;
        for (callers, expected) in [(&self.acknowledged, 1), (&self.refused, 0)] {
            for caller in callers {
                let rows: Vec<(i64,)> = sqlx::query_as(
                    "SELECT total_calls FROM callers JOIN calls ON calls.caller_id = callers.id
                     WHERE phone_number = $1",
                )
                .bind(number(*caller).as_e164())
                .fetch_all(&mut other)
                .await
                .unwrap();
                assert_eq!(rows.len(), expected, "caller {caller}");
            }
        }
        execute(&mut other, "BEGIN IMMEDIATE").await;
        execute(&mut other, "ROLLBACK").await;
        other.close().await.unwrap();
    }
}

impl Place {
    /// A connection as another process has one.
    async fn other(&self) -> SqliteConnection {
        let file = self.options.url.strip_prefix("sqlite://").unwrap();
        let options = SqliteConnectOptions::new().filename(file);
        options.busy_timeout(Duration::from_secs(1)).connect().await.unwrap()
    }

    async fn tenant(&self) -> Option<TenantId> {
        let mut other = self.other().await;
        let found: Option<(uuid::Uuid,)> = sqlx::query_as("SELECT id FROM tenants")
            .fetch_optional(&mut other)
            .await
            .unwrap();
        found.map(|(id,)| TenantId(id))
    }
}

async fn execute(connection: &mut SqliteConnection, sql: &'static str) {
    sqlx::query(sql).execute(connection).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_file_refuses_and_loses_nothing_however_often_it_fails() {
    for failures in [1, 2, 3, 20] {
        let mut scene = Scene::that_cannot_grow().await;
        scene.succeeds(3).await;
        let mut other = scene.place.other().await;
        // Takes every page that is free, and lets the file grow beyond what the database may.
        execute(&mut other, "CREATE TABLE filler AS SELECT zeroblob(800000) AS filler").await;
        while scene.end().await.is_ok() {
            assert!(scene.acknowledged.len() < 50, "a full file takes no more calls");
        }
        scene.fails(failures - 1).await;
        let nothing = scene
            .database
            .transaction("nothing", ample(), |_| Box::pin(async { Ok(Decision::Discard(())) }));
        nothing.await.unwrap();
        assert!(
            scene.database.ping(ample()).await.is_err(),
            "not ready while writes fail, whatever else succeeds"
        );
        scene.holds_what_it_acknowledged().await;

        execute(&mut other, "DROP TABLE filler").await;
        assert!(scene.database.ping(ample()).await.is_ok(), "ready again by itself");
        scene.succeeds(5).await;
        scene.holds_what_it_acknowledged().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_sqlite_ends_by_itself_is_refused_whole() {
    for failures in [1, 2, 20] {
        let mut scene = Scene::new().await;
        scene.succeeds(2).await;
        let mut other = scene.place.other().await;
        // The caller is written before the call, which then takes the caller away again.
        execute(
            &mut other,
            "CREATE TRIGGER full BEFORE INSERT ON calls BEGIN SELECT RAISE(ROLLBACK, 'full'); END",
        )
        .await;
        for _ in 0..failures {
            assert!(scene.end().await.is_err());
        }
        scene.holds_what_it_acknowledged().await;
        execute(&mut other, "DROP TRIGGER full").await;
        scene.succeeds(5).await;
        scene.holds_what_it_acknowledged().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_may_not_write_is_replaced() {
    let mut scene = Scene::new().await;
    scene.succeeds(1).await;
    for _ in 0..3 {
        scene.on_the_writer("PRAGMA query_only = on").await;
        scene.fails(1).await;
        scene.succeeds(2).await;
    }
    scene.holds_what_it_acknowledged().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_inside_a_stray_transaction_is_not_acknowledged() {
    let mut scene = Scene::new().await;
    scene.succeeds(1).await;
    // The driver knows nothing of this transaction, which would take everything after it with it.
    scene.on_the_writer("BEGIN").await;
    assert!(scene.end().await.is_err());
    scene.succeeds(2).await;

    scene.on_the_writer("BEGIN").await;
    let mark = || Statement::from_string(DbBackend::Sqlite, "UPDATE tenants SET region = 'FR'");
    assert!(scene.writer().execute(mark()).await.is_err(), "nothing was committed");
    let mut other = scene.place.other().await;
    let region: (Option<String>,) = sqlx::query_as("SELECT region FROM tenants")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(region, (None,));
    scene.writer().execute(mark()).await.unwrap();
    let region: (Option<String>,) = sqlx::query_as("SELECT region FROM tenants")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(region.0.as_deref(), Some("FR"));
    scene.holds_what_it_acknowledged().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_changes_nothing_is_acknowledged() {
    let scene = Scene::new().await;
    for sql in [
        "UPDATE tenants SET region = 'FR' WHERE false",
        "DELETE FROM calls",
        "INSERT INTO tenants (id, name, created_at_ms)
         SELECT id, name, created_at_ms FROM tenants WHERE true ON CONFLICT DO NOTHING",
    ] {
        let statement = Statement::from_string(DbBackend::Sqlite, sql);
        assert_eq!(scene.writer().execute(statement).await.unwrap(), 0, "{sql}");
    }
    let nothing = scene
        .database
        .transaction("nothing", ample(), |_| Box::pin(async { Ok(Decision::Commit(7)) }))
        .await;
    assert_eq!(nothing.unwrap(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_ends_early_is_not_acknowledged() {
    let mut scene = Scene::new().await;
    for end in ["ROLLBACK", "COMMIT"] {
        let ended = scene
            .database
            .transaction("ends early", ample(), move |transaction| {
                Box::pin(async move {
                    run(transaction, "UPDATE tenants SET region = 'FR'", []).await?;
                    transaction.execute_unprepared(end).await?;
                    Ok(Decision::Commit(()))
                })
            })
            .await;
        assert!(ended.is_err(), "{end}");
        scene.succeeds(2).await;
    }
    scene.holds_what_it_acknowledged().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_a_transaction_leaves_nothing_behind() {
    let mut scene = Scene::new().await;
    for _ in 0..3 {
        let panicked = scene
            .database
            .transaction::<(), _>("panic", ample(), |transaction| {
                Box::pin(async {
                    run(transaction, "UPDATE tenants SET region = 'FR'", []).await?;
                    panic!("a test panics in the middle of a write");
                })
            })
            .await;
        assert!(matches!(panicked, Err(PortError::Unavailable(_))));
        scene.succeeds(2).await;
    }
    scene.holds_what_it_acknowledged().await;
}

fn mark(transaction: &DatabaseTransaction) -> TransactionFuture<'_, ()> {
    Box::pin(async {
        run(transaction, "UPDATE tenants SET rate_burst = 1", []).await?;
        Ok(Decision::Commit(()))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_is_dropped_anywhere_leaves_nothing_behind() {
    let mut scene = Scene::new().await;
    for pause in 0..60 {
        let writer = scene.writer().clone();
        let writing = tokio::spawn(async move { writer.transact(&mark).await });
        tokio::time::sleep(Duration::from_micros(pause * 100)).await;
        writing.abort();
        let _ = writing.await;
        if pause % 10 == 0 {
            scene.succeeds(1).await;
        }
    }
    scene.holds_what_it_acknowledged().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_is_held_for_longer_than_sqlite_waits_makes_it_unready_until_it_is_free() {
    let mut scene = Scene::new().await;
    scene.succeeds(1).await;
    let mut other = scene.place.other().await;
    execute(&mut other, "BEGIN IMMEDIATE").await;
    scene.fails(1).await;
    assert!(
        scene.database.ping(within_ms(300)).await.is_err(),
        "not ready while nothing can be written"
    );
    execute(&mut other, "ROLLBACK").await;
    assert!(scene.database.ping(ample()).await.is_ok(), "ready again by itself");
    scene.succeeds(3).await;
    scene.holds_what_it_acknowledged().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_missed_its_deadline_makes_it_unready_until_a_write_succeeds() {
    let mut scene = Scene::new().await;
    scene.succeeds(1).await;
    let mut other = scene.place.other().await;
    execute(&mut other, "BEGIN IMMEDIATE").await;
    let late = record(&number(0), "late", NOW_MS, 99);
    let ended = scene.memory.record_end(scene.tenant, &late, within_ms(50)).await;
    assert!(matches!(ended, Err(PortError::Unavailable(_))), "{ended:?}");
    assert!(
        scene.database.ping(within_ms(100)).await.is_err(),
        "a write is tried, and does not end while the lock is held"
    );
    execute(&mut other, "ROLLBACK").await;
    assert!(scene.database.ping(ample()).await.is_ok(), "ready again by itself");
    assert!(!scene.database.backend().writer().is_in_doubt());
}

#[tokio::test(flavor = "multi_thread")]
async fn contacts_that_meet_a_full_file_are_written_when_there_is_room() {
    let mut scene = Scene::that_cannot_grow().await;
    scene.succeeds(2).await;
    let mut other = scene.place.other().await;
    execute(&mut other, "CREATE TABLE filler AS SELECT zeroblob(800000) AS filler").await;
    while scene.end().await.is_ok() {
        assert!(scene.acknowledged.len() < 50, "a full file takes no more calls");
    }
    // What needs no room is written, so that the next failure is the contacts'.
    scene.writer().transact(&mark).await.unwrap();
    assert!(!scene.writer().is_in_doubt());
    for session in 0..80 {
        let query = query_in(
            &number(0),
            NOW_MS + session,
            &format!("{}{session}", "long ".repeat(40)),
        );
        scene.memory.recall(scene.tenant, &query, ample()).await.unwrap();
    }
    testkit::eventually("the contacts meet the full file", async || {
        scene.writer().is_in_doubt().then_some(())
    })
    .await;
    assert!(
        scene.database.pool().contacts_waiting > 0,
        "{:?}",
        scene.database.pool()
    );
    execute(&mut other, "DROP TABLE filler").await;
    testkit::eventually("the contacts are written", async || {
        (scene.database.pool().contacts_waiting == 0).then_some(())
    })
    .await;
    assert_eq!(scene.database.pool().contacts_dropped, 0);
    let seen = scene
        .memory
        .caller(scene.tenant, &number(0), ample())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(seen.last_seen_ms, NOW_MS + 79);
    scene.succeeds(3).await;
    scene.holds_what_it_acknowledged().await;
}

/// Writing goes on in files that nobody finds any more.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_acknowledged_in_files_that_were_removed_or_replaced() {
    for (removed, replaced) in [
        (&["", "-wal", "-shm"][..], false),
        (&["-wal", "-shm"], false),
        (&["", "-wal", "-shm"], true),
    ] {
        let mut scene = Scene::new().await;
        scene.succeeds(2).await;
        let file = scene.place.options.url.strip_prefix("sqlite://").unwrap().to_owned();
        let copy = std::fs::read(&file).unwrap();
        for ending in removed {
            std::fs::remove_file(format!("{file}{ending}")).unwrap();
        }
        if replaced {
            std::fs::write(&file, copy).unwrap();
        }
        let unready = scene.database.ping(ample()).await;
        assert!(unready.is_err(), "ready without {removed:?}");
        let written = scene.end().await;
        assert!(written.is_err(), "acknowledged without {removed:?}");
        assert!(
            scene.database.ping(ample()).await.is_err(),
            "ready again without {removed:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_makes_it_unready() {
    for reads in [true, false] {
        let mut scene = Scene::new().await;
        scene.succeeds(1).await;
        let mut other = scene.place.other().await;
        let (page_size,): (i64,) = sqlx::query_as("PRAGMA page_size").fetch_one(&mut other).await.unwrap();
        let pages: Vec<(i64,)> =
            sqlx::query_as("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'callers' AND rootpage > 0")
                .fetch_all(&mut other)
                .await
                .unwrap();
        other.close().await.unwrap();
        scene.database.close(ample()).await;
        let file = scene.place.options.url.strip_prefix("sqlite://").unwrap();
        let mut bytes = std::fs::read(file).unwrap();
        let page_size = usize::try_from(page_size).unwrap();
        for (page,) in pages {
            let begin = (usize::try_from(page).unwrap() - 1) * page_size;
            bytes[begin..begin + page_size].fill(0xff);
        }
        std::fs::write(file, bytes).unwrap();

        let database = scene.place.open().await;
        let memory = SqlCallerMemory::new(&database);
        assert!(database.ping(ample()).await.is_ok(), "nothing was read yet");
        let failed = if reads {
            let read = memory.caller(scene.tenant, &number(0), ample()).await;
            read.map(drop)
        } else {
            let call = record(&number(9), "a session", NOW_MS, 1);
            memory.record_end(scene.tenant, &call, ample()).await
        };
        assert!(matches!(failed, Err(PortError::Internal(_))), "{failed:?}");
        for _ in 0..2 {
            let ready = database.ping(ample()).await;
            assert!(matches!(ready, Err(PortError::Internal(_))), "{ready:?}");
        }
        // What mends a missing step does not mend this.
        let mut other = scene.place.other().await;
        let newest = "DELETE FROM seaql_migrations WHERE version = (SELECT max(version) FROM seaql_migrations)";
        let undone = sqlx::query(newest).execute(&mut other).await.unwrap();
        assert_eq!(undone.rows_affected(), 1);
        other.close().await.unwrap();
        match database.ping(ample()).await {
            Err(PortError::Internal(cause)) => assert!(!cause.is::<SchemaTooOld>(), "{cause}"),
            ready => panic!("{ready:?}"),
        }
    }
}
