//! Schema steps on both databases: from nothing, back, and by several processes at once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::time::Duration;

use adapters_sqlorm::{Database, SqlCallerMemory};
use domain::{
    error::{CannotRead, PortError},
    port::CallerMemory,
};
use support::{Place, execute, tenant};
use testkit::sample::{self, NOW_MS, ample, number, query};

/// Processes that start at once.
const PROCESSES: usize = 6;

async fn up_and_down(place: Place) {
    let database = place.open().await;
    let states = database.migrations().await.unwrap();
    assert!(!states.is_empty());
    assert!(
        states.iter().all(|step| !step.applied),
        "opening a database migrates nothing"
    );

    let names: Vec<_> = states.iter().map(|step| step.name.clone()).collect();
    assert_eq!(database.migrate_up().await.unwrap(), names);
    assert!(database.migrations().await.unwrap().iter().all(|step| step.applied));
    assert_eq!(database.migrate_up().await.unwrap(), [""; 0], "nothing is left to do");
    assert_usable(&database, "first").await;

    let steps = u32::try_from(names.len()).unwrap();
    let reverted = database.migrate_down(steps).await.unwrap();
    assert_eq!(reverted, names.iter().rev().cloned().collect::<Vec<_>>());
    assert!(database.migrations().await.unwrap().iter().all(|step| !step.applied));
    assert_eq!(database.migrate_down(1).await.unwrap(), [""; 0]);

    assert_eq!(database.migrate_up().await.unwrap(), names);
    let reopened = place.open().await;
    assert_usable(&reopened, "second").await;
}

/// A tenant that was lost with the schema, while a key is still cached, is not there yet: its calls are to be sent
/// again.
async fn lost_tenant(place: Place) {
    let database = place.migrated().await;
    let lost = tenant(&database, "one").await;
    database.migrate_down(u32::MAX).await.unwrap();
    database.migrate_up().await.unwrap();
    let end = sample::record(&number(0), "session", NOW_MS, 1);
    let written = SqlCallerMemory::new(&database).record_end(lost, &end, ample()).await;
    assert!(matches!(written, Err(PortError::Unavailable(_))), "{written:?}");
    assert_usable(&database, "one").await;
}

/// Without a table that serving needs, whatever the applied steps say, the database is not ready.
async fn missing_table(place: Place) {
    let database = place.migrated().await;
    for table in [
        "tenants",
        "api_keys",
        "callers",
        "calls",
        "contacts",
        "facts",
        "enrichment_cache",
    ] {
        execute(&place, &[&format!("ALTER TABLE {table} RENAME TO elsewhere")]).await;
        match database.ping(ample()).await {
            Err(PortError::Unavailable(cause)) => assert!(cause.is::<CannotRead>(), "{table}: {cause}"),
            ready => panic!("{table}: {ready:?}"),
        }
        execute(&place, &[&format!("ALTER TABLE elsewhere RENAME TO {table}")]).await;
        database.ping(ample()).await.unwrap();
    }
}

/// A caller can be stored and found.
async fn assert_usable(database: &Database, name: &str) {
    let tenant = tenant(database, name).await;
    let memory = SqlCallerMemory::new(database);
    memory
        .record_end(tenant, &sample::record(&number(0), "session", NOW_MS, 1), ample())
        .await
        .unwrap();
    let read = memory
        .recall(tenant, &query(&number(0), NOW_MS), ample())
        .await
        .unwrap();
    assert_eq!(read.recent_calls.len(), 1);
}

async fn at_once(place: Place) {
    let starts = (0..PROCESSES).map(|_| {
        let options = place.options.clone();
        tokio::spawn(async move {
            let database = Database::open(options).await.unwrap();
            let applied = database.migrate_up().await.unwrap();
            assert!(
                database.migrations().await.unwrap().iter().all(|step| step.applied),
                "whoever returns finds the schema complete"
            );
            applied.len()
        })
    });
    let mut applied = 0;
    for start in starts.collect::<Vec<_>>() {
        applied += start.await.unwrap();
    }
    let steps = place.open().await.migrations().await.unwrap().len();
    assert_eq!(applied, steps, "each step is applied once");
}

#[tokio::test(flavor = "multi_thread")]
async fn up_down_and_up_again_on_sqlite() {
    up_and_down(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn up_down_and_up_again_on_postgres() {
    if let Some(place) = Place::postgres().await {
        up_and_down(place).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn six_processes_migrate_an_empty_sqlite_database_at_once() {
    at_once(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn six_processes_migrate_an_empty_postgres_database_at_once() {
    if let Some(place) = Place::postgres().await {
        at_once(place).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_that_was_lost_is_unavailable_on_sqlite() {
    lost_tenant(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_that_was_lost_is_unavailable_on_postgres() {
    if let Some(place) = Place::postgres().await {
        lost_tenant(place).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_table_makes_sqlite_unready() {
    missing_table(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_table_makes_postgres_unready() {
    if let Some(place) = Place::postgres().await {
        missing_table(place).await;
    }
}

/// Who holds the lock holds up no process that has nothing to migrate.
#[tokio::test]
async fn an_up_to_date_database_waits_for_no_lock() {
    let place = Place::sqlite();
    let database = place.migrated().await;
    let file = place.options.url.strip_prefix("sqlite://").unwrap();
    let lock = std::fs::File::open(format!("{file}.migrate.lock")).unwrap();
    lock.lock_shared().unwrap();
    let up = tokio::time::timeout(Duration::from_secs(5), database.migrate_up()).await;
    assert_eq!(up.expect("no wait").unwrap(), [""; 0]);
    database.close(ample()).await;
}
