//! The contract suites of the storage ports, on SQLite and on PostgreSQL.

mod support;

use std::sync::Arc;

use adapters_sqlorm::{
    SqlCallerAdmin, SqlCallerMemory, SqlDriver, SqlKeyStore, SqlOldCalls, SqlReceiptStore, SqlSpendLedger,
    SqlSummaryBacklog,
};
use support::{Place, tenant};
use testkit::contract::{
    AccessFixture, BacklogFixture, CallerAdminFixture, CallerMemoryFixture, EnrichmentCacheFixture, OldCallsFixture,
    OpenCallsFixture, ReceiptFixture, SpendFixture, StorageFixture,
};

fn storage(place: Place) -> StorageFixture {
    StorageFixture {
        driver: Arc::new(SqlDriver),
        options: place.options.clone(),
        persists: true,
        is_shared: true,
        keep: Box::new(place),
    }
}

async fn memory(place: Option<Place>) -> Option<CallerMemoryFixture> {
    let place = place?;
    let (here, there) = (place.migrated().await, place.open().await);
    Some(CallerMemoryFixture {
        memory: Arc::new(SqlCallerMemory::new(&here)),
        other_process: Some(Arc::new(SqlCallerMemory::new(&there))),
        tenants: [tenant(&here, "one").await, tenant(&here, "two").await],
        keep: Box::new((here, there, place)),
    })
}

async fn open_calls(place: Option<Place>) -> Option<OpenCallsFixture> {
    let place = place?;
    let database = place.migrated().await;
    let memory = Arc::new(SqlCallerMemory::new(&database));
    Some(OpenCallsFixture {
        memory: Arc::clone(&memory) as _,
        open: memory,
        tenants: [tenant(&database, "one").await, tenant(&database, "two").await],
        keep: Box::new((database, place)),
    })
}

async fn cache(place: Option<Place>) -> Option<EnrichmentCacheFixture> {
    let place = place?;
    let database = place.migrated().await;
    let memory = Arc::new(SqlCallerMemory::new(&database));
    Some(EnrichmentCacheFixture {
        cache: Arc::clone(&memory) as _,
        memory,
        tenants: [tenant(&database, "one").await, tenant(&database, "two").await],
        keep: Box::new((database, place)),
    })
}

async fn caller_admin(place: Option<Place>) -> Option<CallerAdminFixture> {
    let place = place?;
    let database = place.migrated().await;
    Some(CallerAdminFixture {
        admin: Arc::new(SqlCallerAdmin::new(&database)),
        memory: Arc::new(SqlCallerMemory::new(&database)),
        tenants: [tenant(&database, "one").await, tenant(&database, "two").await],
        keep: Box::new((database, place)),
    })
}

async fn access(place: Option<Place>) -> Option<AccessFixture> {
    let place = place?;
    let database = place.migrated().await;
    let keys = Arc::new(SqlKeyStore::new(&database));
    Some(AccessFixture {
        keys: Arc::clone(&keys) as _,
        admin: keys,
        keep: Box::new((database, place)),
    })
}

async fn spend(place: Option<Place>) -> Option<SpendFixture> {
    let place = place?;
    let (here, there) = (place.migrated().await, place.open().await);
    let ledger = Arc::new(SqlSpendLedger::new(&here));
    Some(SpendFixture {
        ledger: Arc::clone(&ledger) as _,
        other_process: Some(Arc::new(SqlSpendLedger::new(&there))),
        admin: ledger,
        tenants: [
            (tenant(&here, "one").await, "one".to_owned()),
            (tenant(&here, "two").await, "two".to_owned()),
        ],
        keep: Box::new((here, there, place)),
    })
}

async fn receipts(place: Option<Place>) -> Option<ReceiptFixture> {
    let place = place?;
    let (here, there) = (place.migrated().await, place.open().await);
    Some(ReceiptFixture {
        store: Arc::new(SqlReceiptStore::new(&here)),
        other_process: Some(Arc::new(SqlReceiptStore::new(&there))),
        memory: Arc::new(SqlCallerMemory::new(&here)),
        tenants: [
            (tenant(&here, "one").await, "one".to_owned()),
            (tenant(&here, "two").await, "two".to_owned()),
        ],
        keep: Box::new((here, there, place)),
    })
}

async fn backlog(place: Option<Place>) -> Option<BacklogFixture> {
    let place = place?;
    let (here, there) = (place.migrated().await, place.open().await);
    Some(BacklogFixture {
        backlog: Arc::new(SqlSummaryBacklog::new(&here)),
        other_process: Arc::new(SqlSummaryBacklog::new(&there)),
        memory: Arc::new(SqlCallerMemory::new(&here)),
        tenants: [tenant(&here, "one").await, tenant(&here, "two").await],
        keep: Box::new((here, there, place)),
    })
}

async fn old_calls(place: Option<Place>) -> Option<OldCallsFixture> {
    let place = place?;
    let database = place.migrated().await;
    Some(OldCallsFixture {
        old_calls: Arc::new(SqlOldCalls::new(&database)),
        callers: Some(Arc::new(SqlCallerAdmin::new(&database))),
        memory: Arc::new(SqlCallerMemory::new(&database)),
        backlog: Some(Arc::new(SqlSummaryBacklog::new(&database))),
        access: Arc::new(SqlKeyStore::new(&database)),
        tenants: [
            (tenant(&database, "one").await, "one".to_owned()),
            (tenant(&database, "two").await, "two".to_owned()),
        ],
        keep: Box::new((database, place)),
    })
}

testkit::storage_contract!(storage_on_sqlite, async { Some(storage(Place::sqlite())) });
testkit::storage_contract!(storage_on_postgres, async { Place::postgres().await.map(storage) });
testkit::caller_memory_contract!(caller_memory_on_sqlite, memory(Some(Place::sqlite())));
testkit::caller_memory_contract!(caller_memory_on_postgres, async {
    memory(Place::postgres().await).await
});
testkit::caller_facts_contract!(caller_facts_on_sqlite, memory(Some(Place::sqlite())));
testkit::caller_facts_contract!(caller_facts_on_postgres, async {
    memory(Place::postgres().await).await
});
testkit::open_calls_contract!(open_calls_on_sqlite, open_calls(Some(Place::sqlite())));
testkit::open_calls_contract!(open_calls_on_postgres, async {
    open_calls(Place::postgres().await).await
});
testkit::enrichment_cache_contract!(enrichment_cache_on_sqlite, cache(Some(Place::sqlite())));
testkit::enrichment_cache_contract!(enrichment_cache_on_postgres, async {
    cache(Place::postgres().await).await
});
testkit::caller_admin_contract!(caller_admin_on_sqlite, caller_admin(Some(Place::sqlite())));
testkit::caller_admin_contract!(caller_admin_on_postgres, async {
    caller_admin(Place::postgres().await).await
});
testkit::key_store_contract!(key_store_on_sqlite, access(Some(Place::sqlite())));
testkit::key_store_contract!(key_store_on_postgres, async { access(Place::postgres().await).await });
testkit::access_admin_contract!(access_admin_on_sqlite, access(Some(Place::sqlite())));
testkit::access_admin_contract!(access_admin_on_postgres, async {
    access(Place::postgres().await).await
});
testkit::spend_ledger_contract!(spend_ledger_on_sqlite, spend(Some(Place::sqlite())));
testkit::spend_ledger_contract!(spend_ledger_on_postgres, async { spend(Place::postgres().await).await });
testkit::spend_admin_contract!(spend_admin_on_sqlite, spend(Some(Place::sqlite())));
testkit::spend_admin_contract!(spend_admin_on_postgres, async { spend(Place::postgres().await).await });
testkit::receipt_store_contract!(receipt_store_on_sqlite, receipts(Some(Place::sqlite())));
testkit::receipt_store_contract!(receipt_store_on_postgres, async {
    receipts(Place::postgres().await).await
});
testkit::summary_backlog_contract!(summary_backlog_on_sqlite, backlog(Some(Place::sqlite())));
testkit::summary_backlog_contract!(summary_backlog_on_postgres, async {
    backlog(Place::postgres().await).await
});
testkit::old_calls_contract!(old_calls_on_sqlite, old_calls(Some(Place::sqlite())));
testkit::old_calls_contract!(old_calls_on_postgres, async {
    old_calls(Place::postgres().await).await
});
