//! A profile that cannot be read is not overwritten, and a batch that fails in its middle leaves nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{collections::BTreeMap, sync::Arc};

use adapters_sqlorm::{Database, SqlCallerAdmin, SqlCallerMemory};
use domain::{
    access::TenantId,
    caller::{Change, Profile, ProfileChange, ProfileFault},
    error::PortError,
    phone::PhoneNumber,
    port::{CallerAdmin, CallerMemory, ChangeError},
};
use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use support::{Place, tenant};
use testkit::sample::{NOW_MS, ample, number};

struct Scene {
    place: Place,
    database: Database,
    admin: SqlCallerAdmin,
    tenant: TenantId,
}

async fn scene() -> Scene {
    let place = Place::sqlite();
    let database = place.migrated().await;
    Scene {
        admin: SqlCallerAdmin::new(&database),
        tenant: tenant(&database, "one").await,
        database,
        place,
    }
}

impl Scene {
    /// Writes to the database behind the program's back.
    async fn other(&self) -> SqliteConnection {
        let file = self.place.options.url.strip_prefix("sqlite://").unwrap();
        SqliteConnectOptions::new().filename(file).connect().await.unwrap()
    }

    async fn run(&self, sql: &str) {
        let mut other = self.other().await;
        sqlx::query(AssertSqlSafe(sql.to_owned()))
            .execute(&mut other)
            .await
            .unwrap();
        other.close().await.unwrap();
    }

    async fn row(&self) -> (Option<String>, String, String) {
        let mut other = self.other().await;
        let row = sqlx::query_as("SELECT name, tags, custom_attributes FROM callers")
            .fetch_one(&mut other)
            .await
            .unwrap();
        other.close().await.unwrap();
        row
    }
}

fn named(name: &str) -> ProfileChange {
    ProfileChange {
        name: Change::Set(name.to_owned()),
        ..ProfileChange::default()
    }
}

#[tokio::test]
async fn a_profile_that_cannot_be_read_is_not_overwritten() {
    let scene = scene().await;
    let rows = BTreeMap::from([(number(0), named("Maren"))]);
    scene.admin.import(scene.tenant, &rows, NOW_MS, ample()).await.unwrap();
    scene.run("UPDATE callers SET tags = 'vip, gold'").await;

    let edit = Arc::new(|_: Profile| -> Result<Profile, ProfileFault> { panic!("there is nothing to edit") });
    let changed = scene
        .admin
        .change(scene.tenant, &number(0), edit, NOW_MS, ample())
        .await;
    assert!(
        matches!(changed, Err(ChangeError::Port(PortError::Internal(_)))),
        "{changed:?}"
    );
    let read = scene.admin.history(scene.tenant, &number(0), ample()).await;
    assert!(matches!(read, Err(PortError::Internal(_))), "{read:?}");
    assert_eq!(
        scene.row().await,
        (Some("Maren".to_owned()), "vip, gold".to_owned(), "{}".to_owned())
    );
}

#[tokio::test]
async fn a_batch_that_fails_in_its_middle_leaves_nothing() {
    let scene = scene().await;
    let rows = BTreeMap::from([(number(5), named("Before"))]);
    scene.admin.import(scene.tenant, &rows, NOW_MS, ample()).await.unwrap();
    // The batch has created nine callers when it comes to the one that was there.
    scene
        .run("CREATE TRIGGER no BEFORE UPDATE ON callers BEGIN SELECT RAISE(ABORT, 'no'); END")
        .await;
    let rows: BTreeMap<PhoneNumber, _> = (0..10).map(|index| (number(index), named("After"))).collect();
    let imported = scene.admin.import(scene.tenant, &rows, NOW_MS, ample()).await;
    assert!(matches!(imported, Err(PortError::Internal(_))), "{imported:?}");
    assert_eq!(
        scene.row().await.0.as_deref(),
        Some("Before"),
        "the first row is the only one"
    );
    let memory = SqlCallerMemory::new(&scene.database);
    assert_eq!(memory.caller(scene.tenant, &number(0), ample()).await.unwrap(), None);

    scene.run("DROP TRIGGER no").await;
    let again = scene.admin.import(scene.tenant, &rows, NOW_MS, ample()).await.unwrap();
    assert_eq!((again.created, again.updated, again.unchanged), (9, 1, 0));
}
