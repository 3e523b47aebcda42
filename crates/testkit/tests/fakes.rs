//! The fakes keep the contracts that they stand in for.

use std::sync::Arc;

use domain::{context::Deadline, port::CallerMemory};
use testkit::{
    Fault, Faulty, InMemoryCallerMemory, InMemoryKeyStore,
    contract::{AccessFixture, CallerMemoryFixture, EnrichmentCacheFixture},
    sample,
};

async fn memory() -> Option<CallerMemoryFixture> {
    let memory = InMemoryCallerMemory::new();
    Some(CallerMemoryFixture {
        other_process: Some(Arc::new(memory.other_process())),
        memory: Arc::new(memory),
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    })
}

/// A switch in front changes nothing as long as it is healthy.
async fn memory_behind_a_switch() -> Option<CallerMemoryFixture> {
    let fixture = memory().await?;
    Some(CallerMemoryFixture {
        memory: Arc::new(Faulty::new(fixture.memory)),
        ..fixture
    })
}

async fn cache() -> Option<EnrichmentCacheFixture> {
    let memory = Arc::new(InMemoryCallerMemory::new());
    Some(EnrichmentCacheFixture {
        cache: Arc::new(Faulty::new(Arc::clone(&memory))),
        memory,
        tenants: [sample::tenant(), sample::tenant()],
        keep: Box::new(()),
    })
}

async fn access() -> Option<AccessFixture> {
    let store = Arc::new(InMemoryKeyStore::new());
    Some(AccessFixture {
        keys: Arc::new(Faulty::new(Arc::clone(&store))),
        admin: store,
        keep: Box::new(()),
    })
}

testkit::caller_memory_contract!(in_memory_caller_memory, memory());
testkit::caller_memory_contract!(healthy_caller_memory, memory_behind_a_switch());
testkit::enrichment_cache_contract!(in_memory_enrichment_cache, cache());
testkit::key_store_contract!(in_memory_key_store, access());
testkit::access_admin_contract!(in_memory_access_admin, access());
testkit::caller_memory_contract!(skipped_when_there_is_no_fixture, async { None });
