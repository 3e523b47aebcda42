//! Schema steps on both databases: from nothing, back, and by several processes at once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use adapters_sqlorm::{Database, SqlCallerMemory};
use domain::port::CallerMemory;
use support::{Place, tenant};
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
