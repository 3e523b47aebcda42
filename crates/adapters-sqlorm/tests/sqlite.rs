//! What is particular to SQLite: one writer, a lock that another process may hold, and notes that a stop must not lose.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use adapters_sqlorm::{Database, SqlCallerAdmin, SqlCallerMemory, SqlSummaryBacklog};
use domain::{
    access::TenantId,
    context::Deadline,
    error::PortError,
    json::JsonObject,
    port::{CallerAdmin, CallerMemory, Day, EnrichmentCache, RequestId, SummaryBacklog},
};
use sea_orm::sqlx::{self, ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use support::{Place, tenant, within_ms};
use testkit::{
    eventually,
    sample::{NOW_MS, ample, lookup, number, query, query_in, record},
};
use uuid::Uuid;

/// How much later than its deadline an answer may come.
const GRACE: Duration = Duration::from_millis(50);

/// More writes than may wait.
const TOO_MANY: usize = 1_200;

struct Scene {
    place: Place,
    database: Database,
    memory: Arc<SqlCallerMemory>,
    tenant: TenantId,
}

/// A database with one caller and one call.
async fn scene() -> Scene {
    let place = Place::sqlite();
    let database = place.migrated().await;
    let memory = Arc::new(SqlCallerMemory::new(&database));
    let tenant = tenant(&database, "one").await;
    memory
        .record_end(tenant, &record(&number(0), "before", NOW_MS, 1), ample())
        .await
        .unwrap();
    Scene {
        place,
        database,
        memory,
        tenant,
    }
}

impl Scene {
    /// Takes the lock for writing as another process would.
    async fn lock(&self) -> SqliteConnection {
        let file = self.place.options.url.strip_prefix("sqlite://").unwrap();
        let mut other = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
        sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
        other
    }
}

async fn unlock(mut other: SqliteConnection) {
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn recalls_go_on_while_another_process_holds_the_lock_and_writes_give_up_in_time() {
    let scene = scene().await;
    let Scene { memory, tenant, .. } = &scene;
    let other = scene.lock().await;

    let deadline = within_ms(300);
    let end = record(&number(0), "during", NOW_MS + 1, 2);
    let written = memory.record_end(*tenant, &end, deadline).await;
    assert!(matches!(written, Err(PortError::Unavailable(_))));
    assert!(Instant::now() < deadline.0 + GRACE, "a write gives up at its deadline");

    let deadline = within_ms(300);
    let first_contact = memory.recall(*tenant, &query(&number(1), NOW_MS), deadline).await;
    assert!(matches!(first_contact, Err(PortError::Unavailable(_))));
    assert!(
        Instant::now() < deadline.0 + GRACE,
        "a first contact gives up at its deadline"
    );

    let known = memory
        .recall(*tenant, &query(&number(0), NOW_MS + 7), within_ms(300))
        .await
        .unwrap();
    assert!(known.known);
    assert_eq!(scene.database.pool().contacts_waiting, 1);

    unlock(other).await;
    memory.record_end(*tenant, &end, ample()).await.unwrap();
    eventually("the contact is written", async || {
        let caller = memory.caller(*tenant, &number(0), ample()).await.unwrap().unwrap();
        assert_eq!(
            caller.total_calls, 2,
            "the report counts once, however often it was tried"
        );
        (caller.last_seen_ms == NOW_MS + 7).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_beyond_the_queue_are_refused_at_once() {
    let scene = scene().await;
    let other = scene.lock().await;
    let deadline = Deadline(Instant::now() + Duration::from_secs(2));
    let writes: Vec<_> = (0..TOO_MANY)
        .map(|i| {
            let (memory, tenant) = (Arc::clone(&scene.memory), scene.tenant);
            tokio::spawn(async move {
                let written = memory
                    .record_end(tenant, &record(&number(0), &i.to_string(), NOW_MS, 1), deadline)
                    .await;
                assert!(matches!(written, Err(PortError::Unavailable(_))));
                Instant::now() < deadline.0
            })
        })
        .collect();
    let mut refused_early = 0;
    for write in writes {
        refused_early += usize::from(write.await.unwrap());
    }
    assert!(
        refused_early >= TOO_MANY - 1_024 - 8,
        "{refused_early} were refused early"
    );
    unlock(other).await;
    // What waited has given up and is not done any more, and the queue is free again.
    eventually("a write gets through", async || {
        let end = record(&number(0), "after", NOW_MS, 1);
        scene.memory.record_end(scene.tenant, &end, ample()).await.ok()
    })
    .await;
    let caller = scene
        .memory
        .caller(scene.tenant, &number(0), ample())
        .await
        .unwrap()
        .unwrap();
    assert!(caller.total_calls <= 3, "{} calls", caller.total_calls);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_writes_the_contacts_that_wait() {
    let scene = scene().await;
    for i in 0..50 {
        let query = query_in(&number(0), NOW_MS + i, &format!("session {i}"));
        scene.memory.recall(scene.tenant, &query, ample()).await.unwrap();
    }
    scene.database.close(within_ms(5_000)).await;
    assert_eq!(scene.database.pool().contacts_waiting, 0);
    assert_eq!(scene.database.pool().contacts_dropped, 0);

    let reopened = scene.place.open().await;
    let caller = SqlCallerMemory::new(&reopened)
        .caller(scene.tenant, &number(0), ample())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(caller.last_seen_ms, NOW_MS + 49);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_contacts_than_may_wait_are_dropped_and_counted() {
    let scene = scene().await;
    let other = scene.lock().await;
    let recalls = 16_384 + 8_000_u32;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (memory, tenant) = (Arc::clone(&scene.memory), scene.tenant);
            tokio::spawn(async move {
                for i in 0..recalls / 8 {
                    let query = query(&number(0), NOW_MS + i64::from(i));
                    memory.recall(tenant, &query, ample()).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let state = scene.database.pool();
    assert!(state.contacts_dropped > 0, "{state:?}");
    assert!(state.contacts_waiting <= 16_384 + 4_096, "{state:?}");
    assert_eq!(
        state.contacts_dropped + state.contacts_waiting as u64,
        u64::from(recalls / 8 * 8)
    );
    unlock(other).await;
    eventually("the contacts are written", async || {
        (scene.database.pool().contacts_waiting == 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_to_the_model_are_remembered_for_two_days() {
    let scene = scene().await;
    let backlog = SqlSummaryBacklog::new(&scene.database);
    for day in [10, 10, 11, 11, 12, 13] {
        let request = RequestId(Uuid::now_v7());
        let reserved = backlog.reserve(scene.tenant, Day(day), request, 5, ample()).await;
        assert!(reserved.unwrap());
    }
    let file = scene.place.options.url.strip_prefix("sqlite://").unwrap();
    let mut other = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    let days: Vec<(i32,)> = sqlx::query_as("SELECT day FROM rewrite_reservations ORDER BY day")
        .fetch_all(&mut other)
        .await
        .unwrap();
    assert_eq!(days, [(12,), (13,)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_decoded_is_left_out_of_a_recall() {
    let scene = scene().await;
    let after = record(&number(0), "after", NOW_MS + 1_000, 2);
    scene.memory.record_end(scene.tenant, &after, ample()).await.unwrap();
    for vendor in ["one", "other", "third"] {
        let (number, lookup) = (number(0), lookup(vendor, NOW_MS));
        let stored = scene.memory.store_lookup(scene.tenant, &number, &lookup, ample());
        stored.await.unwrap();
    }
    let file = scene.place.options.url.strip_prefix("sqlite://").unwrap();
    let mut other = SqliteConnectOptions::new()
        .filename(file)
        .foreign_keys(false)
        .connect()
        .await
        .unwrap();
    for damage in [
        "UPDATE callers SET tags = 'vip, gold', custom_attributes = 'plan: gold'",
        "UPDATE enrichment_cache SET found = 'nothing' WHERE vendor = 'one'",
        "UPDATE enrichment_cache SET found = '7' WHERE vendor = 'third'",
        "UPDATE calls SET id = X'01' WHERE session_id = 'before'",
    ] {
        sqlx::query(damage).execute(&mut other).await.unwrap();
    }
    let recalled = scene
        .memory
        .recall(scene.tenant, &query(&number(0), NOW_MS + 2_000), ample())
        .await;
    let recalled = recalled.unwrap();
    assert_eq!((recalled.known, recalled.caller.total_calls), (true, 2));
    assert!(recalled.caller.tags.is_empty(), "{:?}", recalled.caller.tags);
    assert_eq!(recalled.caller.custom_attributes, JsonObject::default());
    assert_eq!(recalled.lookups, [lookup("other", NOW_MS)]);
    let summaries: Vec<_> = recalled.recent_calls.iter().map(|call| &call.summary).collect();
    assert_eq!(
        summaries,
        [&after.summary],
        "the call that cannot be decoded is left out"
    );
    let shown = scene
        .memory
        .caller(scene.tenant, &number(0), ample())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(shown.total_calls, 2);
    assert_eq!(shown.custom_attributes, JsonObject::default());
    let whole = SqlCallerAdmin::new(&scene.database)
        .history(scene.tenant, &number(0), ample())
        .await;
    assert!(whole.is_err(), "what the operator sees may miss nothing");
}
