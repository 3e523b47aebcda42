//! The contract suites of every port of a storage, each test on a file of its own.
//!
//! "Another process" is the file opened a second time, which redb keeps apart from the first as it does two processes.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use caller_memory_redb::RedbDriver;
use domain::{
    access::TenantId,
    port::{Storage, StorageDriver, StorageOptions},
};
use tempfile::TempDir;
use testkit::{
    contract::{
        AccessFixture, BacklogFixture, CallerAdminFixture, CallerMemoryFixture, EnrichmentCacheFixture,
        OpenCallsFixture, ReceiptFixture, SpendFixture,
    },
    sample::{NOW_MS, ample, new_tenant},
};

/// A folder for one file.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    async fn open(&self) -> Arc<dyn Storage> {
        let options = StorageOptions {
            url: format!("redb://{}", self.0.path().join("callers.redb").display()),
            connections: 4,
        };
        RedbDriver.open(options).await.expect("the file opens")
    }
}

async fn tenant(storage: &Arc<dyn Storage>, name: &str) -> TenantId {
    let created = storage.access().create_tenant(&new_tenant(name), NOW_MS, ample()).await;
    created.expect("a new name").id
}

async fn tenants(storage: &Arc<dyn Storage>) -> [TenantId; 2] {
    [tenant(storage, "one").await, tenant(storage, "two").await]
}

async fn named(storage: &Arc<dyn Storage>) -> [(TenantId, String); 2] {
    let [one, two] = tenants(storage).await;
    [(one, "one".to_owned()), (two, "two".to_owned())]
}

async fn memory() -> Option<CallerMemoryFixture> {
    let place = Place::new();
    let (here, there) = (place.open().await, place.open().await);
    Some(CallerMemoryFixture {
        memory: here.memory(),
        other_process: Some(there.memory()),
        tenants: tenants(&here).await,
        keep: Box::new(place),
    })
}

async fn open_calls() -> Option<OpenCallsFixture> {
    let place = Place::new();
    let storage = place.open().await;
    Some(OpenCallsFixture {
        memory: storage.memory(),
        open: storage.open_calls()?,
        tenants: tenants(&storage).await,
        keep: Box::new(place),
    })
}

async fn lookups() -> Option<EnrichmentCacheFixture> {
    let place = Place::new();
    let storage = place.open().await;
    Some(EnrichmentCacheFixture {
        cache: storage.lookups(),
        memory: storage.memory(),
        tenants: tenants(&storage).await,
        keep: Box::new(place),
    })
}

async fn callers() -> Option<CallerAdminFixture> {
    let place = Place::new();
    let storage = place.open().await;
    Some(CallerAdminFixture {
        admin: storage.callers()?,
        memory: storage.memory(),
        tenants: tenants(&storage).await,
        keep: Box::new(place),
    })
}

async fn access() -> Option<AccessFixture> {
    let place = Place::new();
    let storage = place.open().await;
    Some(AccessFixture {
        keys: storage.keys(),
        admin: storage.access(),
        keep: Box::new(place),
    })
}

async fn spend() -> Option<SpendFixture> {
    let place = Place::new();
    let (here, there) = (place.open().await, place.open().await);
    Some(SpendFixture {
        ledger: here.spend()?,
        other_process: there.spend(),
        admin: here.spend_admin()?,
        tenants: named(&here).await,
        keep: Box::new(place),
    })
}

async fn receipts() -> Option<ReceiptFixture> {
    let place = Place::new();
    let (here, there) = (place.open().await, place.open().await);
    Some(ReceiptFixture {
        store: here.receipts()?,
        other_process: there.receipts(),
        memory: here.memory(),
        tenants: named(&here).await,
        keep: Box::new(place),
    })
}

async fn backlog() -> Option<BacklogFixture> {
    let place = Place::new();
    let (here, there) = (place.open().await, place.open().await);
    Some(BacklogFixture {
        backlog: here.backlog()?,
        other_process: there.backlog()?,
        memory: here.memory(),
        tenants: tenants(&here).await,
        keep: Box::new(place),
    })
}

testkit::caller_memory_contract!(caller_memory, memory());
testkit::caller_facts_contract!(caller_facts, memory());
testkit::open_calls_contract!(open_calls_and_gaps, open_calls());
testkit::enrichment_cache_contract!(enrichment_cache, lookups());
testkit::caller_admin_contract!(caller_admin, callers());
testkit::key_store_contract!(key_store, access());
testkit::access_admin_contract!(access_admin, access());
testkit::spend_ledger_contract!(spend_ledger, spend());
testkit::spend_admin_contract!(spend_admin, spend());
testkit::receipt_store_contract!(receipt_store, receipts());
testkit::summary_backlog_contract!(summary_backlog, backlog());
