//! One fixture for everything: a storage, from which the fixtures of all the ports' suites are made.

use std::{any::Any, sync::Arc};

use domain::{
    access::TenantId,
    port::{Storage, StorageDriver, StorageOptions},
};

use super::{
    AccessFixture, BacklogFixture, CallerAdminFixture, CallerMemoryFixture, EnrichmentCacheFixture, OldCallsFixture,
    OpenCallsFixture, ReceiptFixture, SpendFixture,
};
use crate::sample::{NOW_MS, ample, new_tenant};

/// What the suite of [`Storage`] works on.
pub struct StorageFixture {
    /// The implementation.
    pub driver: Arc<dyn StorageDriver>,
    /// A place at which nothing was ever opened.
    pub options: StorageOptions,
    /// Whether what is acknowledged is there when the storage was closed and is opened again. The clauses about that
    /// are skipped otherwise.
    pub persists: bool,
    /// Whether the storage can be opened while it is open, as other processes do. The clauses about several processes
    /// are skipped otherwise.
    pub is_shared: bool,
    /// What has to live as long as the storage.
    pub keep: Box<dyn Any + Send>,
}

impl StorageFixture {
    /// Opens the storage, as one more process would.
    pub(super) async fn open(&self) -> Arc<dyn Storage> {
        let opened = self.driver.open(self.options.clone()).await;
        opened.unwrap_or_else(|error| panic!("a healthy storage opens: {error}"))
    }

    /// Opens the storage and applies every schema step.
    pub(super) async fn migrated(&self) -> Arc<dyn Storage> {
        let storage = self.open().await;
        storage.migrate_up().await.expect("a healthy storage migrates");
        storage
    }

    /// A second process over the storage, when there can be one.
    pub(super) async fn other_process(&self) -> Option<Arc<dyn Storage>> {
        if self.is_shared { Some(self.open().await) } else { None }
    }
}

/// Creates a tenant of this name.
pub(super) async fn tenant(storage: &dyn Storage, name: &str) -> TenantId {
    let created = storage.access().create_tenant(&new_tenant(name), NOW_MS, ample()).await;
    created.expect("a healthy storage creates tenants").id
}

async fn two_tenants(storage: &dyn Storage) -> [(TenantId, String); 2] {
    [
        (tenant(storage, "one").await, "one".to_owned()),
        (tenant(storage, "two").await, "two".to_owned()),
    ]
}

/// The fixture of [`caller_memory_contract!`](crate::caller_memory_contract) and
/// [`caller_facts_contract!`](crate::caller_facts_contract) over a storage.
pub async fn caller_memory(fixture: Option<StorageFixture>) -> Option<CallerMemoryFixture> {
    let fixture = fixture?;
    let (here, there) = (fixture.migrated().await, fixture.other_process().await);
    Some(CallerMemoryFixture {
        memory: here.memory(),
        other_process: there.as_ref().map(|storage| storage.memory()),
        tenants: two_tenants(&*here).await.map(|(id, _)| id),
        keep: Box::new((here, there, fixture.keep)),
    })
}

/// The fixture of [`open_calls_contract!`](crate::open_calls_contract) over a storage.
pub async fn open_calls(fixture: Option<StorageFixture>) -> Option<OpenCallsFixture> {
    let fixture = fixture?;
    let storage = fixture.migrated().await;
    Some(OpenCallsFixture {
        memory: storage.memory(),
        open: storage.open_calls()?,
        tenants: two_tenants(&*storage).await.map(|(id, _)| id),
        keep: Box::new((storage, fixture.keep)),
    })
}

/// The fixture of [`enrichment_cache_contract!`](crate::enrichment_cache_contract) over a storage.
pub async fn enrichment_cache(fixture: Option<StorageFixture>) -> Option<EnrichmentCacheFixture> {
    let fixture = fixture?;
    let storage = fixture.migrated().await;
    Some(EnrichmentCacheFixture {
        cache: storage.lookups(),
        memory: storage.memory(),
        tenants: two_tenants(&*storage).await.map(|(id, _)| id),
        keep: Box::new((storage, fixture.keep)),
    })
}

/// The fixture of [`caller_admin_contract!`](crate::caller_admin_contract) over a storage.
pub async fn caller_admin(fixture: Option<StorageFixture>) -> Option<CallerAdminFixture> {
    let fixture = fixture?;
    let storage = fixture.migrated().await;
    Some(CallerAdminFixture {
        admin: storage.callers()?,
        memory: storage.memory(),
        tenants: two_tenants(&*storage).await.map(|(id, _)| id),
        keep: Box::new((storage, fixture.keep)),
    })
}

/// The fixture of [`key_store_contract!`](crate::key_store_contract) and
/// [`access_admin_contract!`](crate::access_admin_contract) over a storage.
pub async fn access(fixture: Option<StorageFixture>) -> Option<AccessFixture> {
    let fixture = fixture?;
    let storage = fixture.migrated().await;
    Some(AccessFixture {
        keys: storage.keys(),
        admin: storage.access(),
        keep: Box::new((storage, fixture.keep)),
    })
}

/// The fixture of [`spend_ledger_contract!`](crate::spend_ledger_contract) and
/// [`spend_admin_contract!`](crate::spend_admin_contract) over a storage.
pub async fn spend(fixture: Option<StorageFixture>) -> Option<SpendFixture> {
    let fixture = fixture?;
    let (here, there) = (fixture.migrated().await, fixture.other_process().await);
    Some(SpendFixture {
        ledger: here.spend()?,
        other_process: there.as_ref().and_then(|storage| storage.spend()),
        admin: here.spend_admin()?,
        tenants: two_tenants(&*here).await,
        keep: Box::new((here, there, fixture.keep)),
    })
}

/// The fixture of [`receipt_store_contract!`](crate::receipt_store_contract) over a storage.
pub async fn receipts(fixture: Option<StorageFixture>) -> Option<ReceiptFixture> {
    let fixture = fixture?;
    let (here, there) = (fixture.migrated().await, fixture.other_process().await);
    Some(ReceiptFixture {
        store: here.receipts()?,
        other_process: there.as_ref().and_then(|storage| storage.receipts()),
        memory: here.memory(),
        tenants: two_tenants(&*here).await,
        keep: Box::new((here, there, fixture.keep)),
    })
}

/// The fixture of [`summary_backlog_contract!`](crate::summary_backlog_contract) over a storage.
pub async fn backlog(fixture: Option<StorageFixture>) -> Option<BacklogFixture> {
    let fixture = fixture?;
    let (here, there) = (fixture.migrated().await, fixture.other_process().await);
    Some(BacklogFixture {
        backlog: here.backlog()?,
        other_process: there.as_ref().unwrap_or(&here).backlog()?,
        memory: here.memory(),
        tenants: two_tenants(&*here).await.map(|(id, _)| id),
        keep: Box::new((here, there, fixture.keep)),
    })
}

/// The fixture of [`old_calls_contract!`](crate::old_calls_contract) over a storage.
pub async fn old_calls(fixture: Option<StorageFixture>) -> Option<OldCallsFixture> {
    let fixture = fixture?;
    let storage = fixture.migrated().await;
    Some(OldCallsFixture {
        old_calls: storage.old_calls()?,
        callers: storage.callers(),
        memory: storage.memory(),
        backlog: storage.backlog(),
        access: storage.access(),
        tenants: two_tenants(&*storage).await,
        keep: Box::new((storage, fixture.keep)),
    })
}
