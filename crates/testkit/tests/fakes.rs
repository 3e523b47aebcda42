//! The fakes keep the contracts that they stand in for.

#![expect(clippy::expect_used, reason = "a test fails by panicking, its helpers included")]

use std::sync::Arc;

use domain::port::StorageOptions;
use testkit::{
    Bare, Faulty, InMemoryCallerMemory, InMemoryDriver, InMemoryKeyStore, InMemoryReceiptStore, InMemorySpendLedger,
    contract::{
        AccessFixture, BacklogFixture, CallerAdminFixture, CallerMemoryFixture, EnrichmentCacheFixture,
        OpenCallsFixture, ReceiptFixture, SpendFixture, StorageFixture,
    },
    sample,
};

fn memory() -> CallerMemoryFixture {
    let memory = InMemoryCallerMemory::new();
    CallerMemoryFixture {
        other_process: Some(Arc::new(memory.other_process())),
        memory: Arc::new(memory),
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    }
}

/// A switch in front changes nothing as long as it is healthy.
fn memory_behind_a_switch() -> CallerMemoryFixture {
    let fixture = memory();
    CallerMemoryFixture {
        memory: Arc::new(Faulty::new(fixture.memory)),
        ..fixture
    }
}

fn open_calls() -> OpenCallsFixture {
    let memory = Arc::new(InMemoryCallerMemory::new());
    OpenCallsFixture {
        memory: Arc::clone(&memory) as _,
        open: memory,
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    }
}

fn cache() -> EnrichmentCacheFixture {
    let memory = Arc::new(InMemoryCallerMemory::new());
    EnrichmentCacheFixture {
        cache: Arc::new(Faulty::new(Arc::clone(&memory))),
        memory,
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    }
}

fn caller_admin() -> CallerAdminFixture {
    let memory = Arc::new(InMemoryCallerMemory::new());
    CallerAdminFixture {
        admin: Arc::new(Faulty::new(Arc::clone(&memory))),
        memory,
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    }
}

fn access() -> AccessFixture {
    let store = Arc::new(InMemoryKeyStore::new());
    AccessFixture {
        keys: Arc::new(Faulty::new(Arc::clone(&store))),
        admin: store,
        keep: Box::new(()),
    }
}

fn spend() -> SpendFixture {
    let ledger = InMemorySpendLedger::new();
    SpendFixture {
        tenants: ["one", "two"].map(|name| (ledger.add_tenant(name), name.to_owned())),
        other_process: Some(Arc::new(ledger.clone())),
        admin: Arc::new(ledger.clone()),
        ledger: Arc::new(Faulty::new(Arc::new(ledger))),
        keep: Box::new(()),
    }
}

fn receipts() -> ReceiptFixture {
    let memory = InMemoryCallerMemory::new();
    let store = InMemoryReceiptStore::over(&memory);
    ReceiptFixture {
        tenants: ["one", "two"].map(|name| (store.add_tenant(name), name.to_owned())),
        other_process: Some(Arc::new(store.clone())),
        store: Arc::new(Faulty::new(Arc::new(store))),
        memory: Arc::new(memory),
        keep: Box::new(()),
    }
}

fn backlog() -> BacklogFixture {
    let memory = InMemoryCallerMemory::new();
    let other = Arc::new(memory.other_process());
    let memory = Arc::new(memory);
    BacklogFixture {
        backlog: memory.clone(),
        other_process: other,
        memory,
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    }
}

/// A storage in the memory of this process.
fn private_storage() -> StorageFixture {
    StorageFixture {
        driver: Arc::new(InMemoryDriver),
        options: StorageOptions {
            url: "memory:".to_owned(),
            connections: 1,
        },
        persists: false,
        is_shared: false,
        keep: Box::new(()),
    }
}

/// A storage in a file.
fn shared_storage() -> StorageFixture {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data").join("world");
    StorageFixture {
        options: StorageOptions {
            url: format!("memory:{}", path.display()),
            connections: 1,
        },
        persists: true,
        is_shared: true,
        keep: Box::new(folder),
        ..private_storage()
    }
}

/// A storage that leaves out all that may be left out.
fn bare_storage() -> StorageFixture {
    StorageFixture {
        driver: Arc::new(Bare(InMemoryDriver)),
        ..private_storage()
    }
}

testkit::every_contract!(in_memory_storage, async { Some(private_storage()) });
testkit::every_contract!(in_memory_storage_in_a_file, async { Some(shared_storage()) });
testkit::every_contract!(bare_storage_in_memory, async { Some(bare_storage()) });
testkit::caller_memory_contract!(in_memory_caller_memory, async { Some(memory()) });
testkit::caller_facts_contract!(in_memory_caller_facts, async { Some(memory()) });
testkit::caller_memory_contract!(healthy_caller_memory, async { Some(memory_behind_a_switch()) });
testkit::open_calls_contract!(in_memory_open_calls, async { Some(open_calls()) });
testkit::enrichment_cache_contract!(in_memory_enrichment_cache, async { Some(cache()) });
testkit::caller_admin_contract!(in_memory_caller_admin, async { Some(caller_admin()) });
testkit::key_store_contract!(in_memory_key_store, async { Some(access()) });
testkit::access_admin_contract!(in_memory_access_admin, async { Some(access()) });
testkit::spend_ledger_contract!(in_memory_spend_ledger, async { Some(spend()) });
testkit::spend_admin_contract!(in_memory_spend_admin, async { Some(spend()) });
testkit::receipt_store_contract!(in_memory_receipt_store, async { Some(receipts()) });
testkit::summary_backlog_contract!(in_memory_summary_backlog, async { Some(backlog()) });
// Without a fixture every clause is skipped, which is said and is no failure.
testkit::caller_memory_contract!(skipped_when_there_is_no_fixture, async { None });
