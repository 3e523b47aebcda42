//! What a newer release stored is tolerated after a return to this one: a word that it does not know degrades nobody.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use adapters_sqlorm::{Database, SqlCallerAdmin, SqlCallerMemory, SqlKeyStore, SqlReceiptStore, SqlSummaryBacklog};
use domain::{
    access::{Scopes, TenantId, TenantSettings},
    call::CallOutcome,
    facts::FactKey,
    port::{AccessAdmin, CallerAdmin, CallerMemory, KeyStore, MigrateError, OpenCalls, ReceiptStore, SummaryBacklog},
    rewrite::Rewrite,
};
use support::{Place, execute, tenant};
use testkit::sample::{self, NOW_MS, ample, number, query, query_in, record, said};

#[tokio::test(flavor = "multi_thread")]
async fn words_of_a_newer_release_degrade_nobody_on_sqlite() {
    tolerates(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_a_newer_release_degrade_nobody_on_postgres() {
    if let Some(place) = Place::postgres().await {
        tolerates(place).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_of_a_newer_release_are_named() {
    let place = Place::sqlite();
    let database = place.migrated().await;
    execute(
        &place,
        &["INSERT INTO seaql_migrations VALUES ('m20990101_000001_moon', 0)"],
    )
    .await;
    for told in [
        database.migrations().await.map(drop),
        database.migrate_up().await.map(drop),
        database.migrate_down(1).await.map(drop),
    ] {
        assert!(
            matches!(&told, Err(MigrateError::Newer(step)) if step == "m20990101_000001_moon"),
            "{told:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_a_newer_release_migrates_stays_ready_on_sqlite() {
    stays_ready(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_a_newer_release_migrates_stays_ready_on_postgres() {
    if let Some(place) = Place::postgres().await {
        stays_ready(place).await;
    }
}

/// While replicas are replaced one by one, those of this release go on beside the newer one, which has migrated.
async fn stays_ready(place: Place) {
    let database = place.migrated().await;
    execute(
        &place,
        &["INSERT INTO seaql_migrations VALUES ('m20990101_000001_moon', 0)"],
    )
    .await;
    database.ping(ample()).await.unwrap();
    database.close(ample()).await;
    place.open().await.ping(ample()).await.unwrap();
}

async fn tolerates(place: Place) {
    let database = place.migrated().await;
    let tenant = tenant(&database, "one").await;
    let memory = SqlCallerMemory::new(&database);
    let caller = number(0);
    let mut first = record(&caller, "first", NOW_MS, 1);
    first.facts = vec![
        said(FactKey::City, "Lisbon", NOW_MS - 30),
        said(FactKey::Email, "ana@example.com", NOW_MS - 20),
    ];
    memory.record_end(tenant, &first, ample()).await.unwrap();
    let mut receipt = sample::receipt(tenant, Some("first"), NOW_MS);
    receipt.number = caller.clone();
    let receipts = SqlReceiptStore::new(&database);
    receipts.keep(&[receipt.clone()], ample()).await.unwrap();
    let keys = SqlKeyStore::new(&database);
    keys.create_key("one", &sample::new_key(0), NOW_MS, ample())
        .await
        .unwrap();

    execute(
        &place,
        &[
            "UPDATE calls SET outcome = 'sold_to_the_moon'",
            "UPDATE facts SET key = 'shoe_size' WHERE key = 'city'",
            "UPDATE api_keys SET scopes = scopes || ' moon:write'",
            "UPDATE tenants SET region = 'QM', time_zone = 'Moon/Tranquility'",
        ],
    )
    .await;

    everything_can_be_read(&database, tenant).await;

    // Writing goes on, and what is not understood stays as it is.
    let mut second = record(&caller, "second", NOW_MS + 60_000, 2);
    second.facts = vec![said(FactKey::Email, "ruiz@example.com", NOW_MS + 1_000)];
    memory.record_end(tenant, &second, ample()).await.unwrap();
    let mut corrected = first.clone();
    corrected.call.outcome = CallOutcome::QuoteGiven;
    corrected.arrival.0 = 3;
    let read = memory
        .recall(tenant, &query(&caller, NOW_MS + 70_000), ample())
        .await
        .unwrap();
    let emails: Vec<_> = read.facts.iter().map(|fact| fact.value.as_str()).collect();
    assert_eq!(emails, ["ruiz@example.com"]);

    rewritten(&place, &database, tenant).await;

    memory.record_end(tenant, &corrected, ample()).await.unwrap();
    let read = memory
        .recall(tenant, &query(&caller, NOW_MS + 80_000), ample())
        .await
        .unwrap();
    assert!(
        read.facts.iter().any(|fact| fact.key == FactKey::City),
        "a correction brings its own facts"
    );

    let shown = receipts.show(None, receipt.id, ample()).await.unwrap().unwrap();
    assert_eq!(shown.outcome, Some(CallOutcome::QuoteGiven));
    let found = keys
        .find_key(&sample::key_hash(&sample::key_text(0)), ample())
        .await
        .unwrap();
    let principal = found.unwrap().principal;
    assert_eq!(
        principal.scopes,
        Scopes::all(),
        "a key keeps the scopes that this release knows"
    );
    let services_own = TenantSettings::default();
    assert_eq!(principal.settings, services_own, "the service's own apply");
    assert_eq!(keys.tenants(ample()).await.unwrap()[0].settings, services_own);
    assert_eq!(keys.keys("one", ample()).await.unwrap().len(), 1);
}

/// A model's rewrite of the first call adds a fact beside the one that is not understood, which stands as before.
async fn rewritten(place: &Place, database: &Database, tenant: TenantId) {
    let backlog = SqlSummaryBacklog::new(database);
    let claim = backlog
        .claim(NOW_MS + 120_000, NOW_MS + 180_000, ample())
        .await
        .unwrap()
        .unwrap();
    let rewrite = Rewrite {
        summary: "Ana asked about a car.".to_owned(),
        facts: vec![said(FactKey::Name, "Ana", NOW_MS).fact],
    };
    let settled = backlog.settle(&claim, Some(rewrite), NOW_MS + 130_000, ample()).await;
    assert!(settled.unwrap());

    // The newer release is back for a moment.
    execute(place, &["UPDATE facts SET key = 'city' WHERE key = 'shoe_size'"]).await;
    let read = SqlCallerMemory::new(database)
        .recall(tenant, &query(&number(0), NOW_MS + 70_000), ample())
        .await
        .unwrap();
    let mut facts: Vec<_> = read.facts.iter().map(|fact| (fact.key, fact.value.as_str())).collect();
    facts.sort_by_key(|(key, _)| key.as_str());
    assert_eq!(
        facts,
        [
            (FactKey::City, "Lisbon"),
            (FactKey::Email, "ruiz@example.com"),
            (FactKey::Name, "Ana")
        ]
    );
    assert!(
        read.recent_calls
            .iter()
            .any(|call| call.summary == "Ana asked about a car.")
    );
    execute(place, &["UPDATE facts SET key = 'shoe_size' WHERE key = 'city'"]).await;
}

async fn everything_can_be_read(database: &Database, tenant: TenantId) {
    let memory = SqlCallerMemory::new(database);
    let caller = number(0);
    let read = memory
        .recall(tenant, &query_in(&caller, NOW_MS + 1, "open"), ample())
        .await
        .unwrap();
    assert!(read.known);
    assert_eq!(read.recent_calls[0].outcome, CallOutcome::Other);
    let keys: Vec<_> = read.facts.iter().map(|fact| fact.key).collect();
    assert_eq!(keys, [FactKey::Email], "a fact that is not understood is not shown");
    assert!(memory.caller(tenant, &caller, ample()).await.unwrap().is_some());

    let admin = SqlCallerAdmin::new(database);
    let history = admin.history(tenant, &caller, ample()).await.unwrap().unwrap();
    assert_eq!(history.calls[0].call.outcome, CallOutcome::Other);
    assert_eq!(admin.facts(tenant, &caller, ample()).await.unwrap().len(), 1);
    let receipts = SqlReceiptStore::new(database);
    receipts.stats(None, 0, ample()).await.unwrap();
    testkit::eventually("the contact is listed", async || {
        let open = memory.open_calls(tenant, NOW_MS + 1, 10, ample()).await.unwrap();
        (open.len() == 1).then_some(())
    })
    .await;
}
