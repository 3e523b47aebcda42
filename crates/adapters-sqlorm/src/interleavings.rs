//! On PostgreSQL: a session's recall and its call's end are written at the same moment, under different numbers.

use domain::{
    access::TenantId,
    port::{CallerMemory, OpenCalls},
};
use sea_orm::{DatabaseTransaction, TransactionTrait};
use testkit::sample::{NOW_MS, ample, number, query, query_in, record};
use uuid::Uuid;

use crate::{
    Database, SqlCallerMemory,
    contact::{self, ContactNote},
    end::EndedRow,
    support::{Place, tenant},
    transaction::{Decision, query_one},
};

struct Scene {
    database: Database,
    memory: SqlCallerMemory,
    tenant: TenantId,
}

/// A PostgreSQL database with two callers.
async fn scene() -> Option<Scene> {
    let database = Place::postgres().await?.migrated().await;
    let memory = SqlCallerMemory::new(&database);
    let tenant = tenant(&database, "one").await;
    for caller in [0, 1] {
        memory
            .recall(tenant, &query(&number(caller), NOW_MS - 1_000), ample())
            .await
            .unwrap();
    }
    testkit::eventually("the contacts are written", async || {
        (database.pool().contacts_waiting == 0).then_some(())
    })
    .await;
    Some(Scene {
        database,
        memory,
        tenant,
    })
}

impl Scene {
    /// The session was recalled once, ended, and began with its recall.
    async fn is_closed(&self) {
        let open = self
            .memory
            .open_calls(self.tenant, i64::MAX, 10, ample())
            .await
            .unwrap();
        assert_eq!(open, Vec::new());
        let read = self
            .memory
            .recall(self.tenant, &query(&number(1), NOW_MS), ample())
            .await
            .unwrap();
        assert_eq!(read.recent_calls[0].started_at_ms, NOW_MS);
    }
}

/// Waits until somebody waits for a lock that `holder` has on a session.
async fn somebody_waits(holder: &DatabaseTransaction) {
    let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    testkit::eventually("somebody waits for the session", async || {
        let count = query_one(holder, waiting, []).await.unwrap().unwrap();
        let count: i64 = count.try_get_by_index(0).unwrap();
        (count > 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_waits_for_the_recall_of_its_session_that_is_being_written() {
    let Some(scene) = scene().await else { return };
    let connection = &scene.database.backend().writer().connection;
    let recalling = connection.begin().await.unwrap();
    let find = "SELECT id FROM callers WHERE phone_number = $1";
    let caller = query_one(&recalling, find, [number(0).as_e164().into()]).await.unwrap();
    let caller: Uuid = caller.unwrap().try_get_by_index(0).unwrap();
    let contact = ContactNote {
        tenant: scene.tenant.0,
        caller,
        session: Some(domain::call::SessionId("moved".to_owned())),
        at_ms: NOW_MS,
    };
    contact::write_now(&recalling, contact).await.unwrap();

    let end = record(&number(1), "moved", NOW_MS + 60_500, 1);
    let ending = scene.memory.record_end(scene.tenant, &end, ample());
    let committing = async {
        somebody_waits(&recalling).await;
        recalling.commit().await.unwrap();
    };
    let (ended, ()) = tokio::join!(ending, committing);
    ended.unwrap();
    scene.is_closed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recall_waits_for_the_end_of_its_session_that_is_being_written() {
    let Some(scene) = scene().await else { return };
    let connection = &scene.database.backend().writer().connection;
    let ending = connection.begin().await.unwrap();
    let end = record(&number(1), "moved", NOW_MS + 60_500, 1);
    let row = EndedRow::new(scene.tenant.0, &end, Uuid::now_v7()).unwrap();
    assert!(matches!(row.commit(&ending).await.unwrap(), Decision::Commit(())));

    let recalled = query_in(&number(0), NOW_MS, "moved");
    scene.memory.recall(scene.tenant, &recalled, ample()).await.unwrap();
    somebody_waits(&ending).await;
    assert_eq!(
        scene.database.pool().contacts_waiting,
        1,
        "the contact waits for the end"
    );
    ending.commit().await.unwrap();
    testkit::eventually("the contact is written", async || {
        (scene.database.pool().contacts_waiting == 0).then_some(())
    })
    .await;
    scene.is_closed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_ends_no_statement_before_the_longest_deadline() {
    let Some(scene) = scene().await else { return };
    let limit = scene
        .database
        .query_one(
            "limit",
            ample(),
            "SELECT extract(epoch FROM current_setting('statement_timeout')::interval)::int",
            Vec::new,
        )
        .await
        .unwrap();
    let seconds: i32 = limit.unwrap().try_get_by_index(0).unwrap();
    assert!(
        (61..=120).contains(&seconds),
        "{seconds} s, while settings allow deadlines of 60 s"
    );
}
