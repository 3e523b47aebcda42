//! What each suite works on.

use std::{any::Any, sync::Arc};

use domain::{
    access::TenantId,
    port::{
        AccessAdmin, CallerAdmin, CallerMemory, EnrichmentCache, KeyStore, OldCalls, OpenCalls, ReceiptStore,
        SpendAdmin, SpendLedger, SummaryBacklog,
    },
};

/// What the suite of [`CallerMemory`] works on.
pub struct CallerMemoryFixture {
    /// The implementation.
    pub memory: Arc<dyn CallerMemory>,
    /// A second instance over the same store, as another process or a restarted one would have. The clauses about
    /// several processes are skipped when there is none.
    pub other_process: Option<Arc<dyn CallerMemory>>,
    /// Two tenants that exist in the store and have no callers. The store may hold other tenants with callers, so tests
    /// may share one database.
    pub tenants: [TenantId; 2],
    /// What has to live as long as the memory.
    pub keep: Box<dyn Any + Send>,
}

/// What the suite of [`OpenCalls`] works on.
///
/// The store must hold the two tenants and nothing else, because open calls are counted of all. So every test needs its
/// own.
pub struct OpenCallsFixture {
    /// The memory in which calls begin and end.
    pub memory: Arc<dyn CallerMemory>,
    /// The implementation, over the same store.
    pub open: Arc<dyn OpenCalls>,
    /// Two tenants that exist in the store and have no callers.
    pub tenants: [TenantId; 2],
    /// What has to live as long as the memory.
    pub keep: Box<dyn Any + Send>,
}

/// What the suite of [`CallerAdmin`] works on.
pub struct CallerAdminFixture {
    /// The implementation.
    pub admin: Arc<dyn CallerAdmin>,
    /// The memory over the same store, whose recall shows the profiles.
    pub memory: Arc<dyn CallerMemory>,
    /// Two tenants that exist in the store and have no callers.
    pub tenants: [TenantId; 2],
    /// What has to live as long as the store.
    pub keep: Box<dyn Any + Send>,
}

/// What the suite of [`EnrichmentCache`] works on.
pub struct EnrichmentCacheFixture {
    /// The implementation.
    pub cache: Arc<dyn EnrichmentCache>,
    /// The memory over the same store, whose recall shows what the cache holds.
    pub memory: Arc<dyn CallerMemory>,
    /// Two tenants that exist in the store and have no callers.
    pub tenants: [TenantId; 2],
    /// What has to live as long as the cache.
    pub keep: Box<dyn Any + Send>,
}

/// What the suites of [`KeyStore`] and [`AccessAdmin`] work on.
///
/// The store must be empty, without any tenant: `bootstrap` is about the first start. So every test needs its own.
pub struct AccessFixture {
    /// The implementation that finds keys.
    pub keys: Arc<dyn KeyStore>,
    /// The implementation that manages the same store.
    pub admin: Arc<dyn AccessAdmin>,
    /// What has to live as long as the store.
    pub keep: Box<dyn Any + Send>,
}

/// What the suite of [`ReceiptStore`] works on.
///
/// The store must hold the two tenants and no receipt, because what is old is deleted of all. So every test needs its
/// own.
pub struct ReceiptFixture {
    /// The implementation.
    pub store: Arc<dyn ReceiptStore>,
    /// A second instance over the same store, as another process would have. Without it, the clauses about several
    /// processes use the first twice.
    pub other_process: Option<Arc<dyn ReceiptStore>>,
    /// The memory over the same store, whose ended calls give the outcomes.
    pub memory: Arc<dyn CallerMemory>,
    /// Two tenants with their names, without calls.
    pub tenants: [(TenantId, String); 2],
    /// What has to live as long as the store.
    pub keep: Box<dyn Any + Send>,
}

/// What the suites of [`SpendLedger`] and [`SpendAdmin`] work on.
///
/// The store must hold the two tenants and nothing else, because usage and caps are listed of all. So every test needs
/// its own.
pub struct SpendFixture {
    /// The implementation that counts.
    pub ledger: Arc<dyn SpendLedger>,
    /// A second instance over the same store, as another process would have. Without it, the clauses about several
    /// processes use the first twice.
    pub other_process: Option<Arc<dyn SpendLedger>>,
    /// The implementation that lists the counts and sets the caps of the same store.
    pub admin: Arc<dyn SpendAdmin>,
    /// Two tenants with their names, without purchases and caps.
    pub tenants: [(TenantId, String); 2],
    /// What has to live as long as the store.
    pub keep: Box<dyn Any + Send>,
}

/// What the suite of [`SummaryBacklog`] works on.
///
/// The store must hold the two tenants and nothing else, because work is claimed of all. So every test needs its own.
pub struct BacklogFixture {
    /// The implementation.
    pub backlog: Arc<dyn SummaryBacklog>,
    /// A second instance over the same store, as another process would have.
    pub other_process: Arc<dyn SummaryBacklog>,
    /// The memory over the same store.
    pub memory: Arc<dyn CallerMemory>,
    /// Two tenants without callers.
    pub tenants: [TenantId; 2],
    /// What has to live as long as the store.
    pub keep: Box<dyn Any + Send>,
}

/// What the suite of [`OldCalls`] works on.
///
/// The store must hold the two tenants and nothing else, because calls are read of all. So every test needs its own.
pub struct OldCallsFixture {
    /// The implementation.
    pub old_calls: Arc<dyn OldCalls>,
    /// The memory over the same store.
    pub memory: Arc<dyn CallerMemory>,
    /// The summaries of the same store that wait for a language model. The clauses about them are skipped when there is
    /// none.
    pub backlog: Option<Arc<dyn SummaryBacklog>>,
    /// The administration of the same store's callers. The clause about it is skipped when there is none.
    pub callers: Option<Arc<dyn CallerAdmin>>,
    /// The tenants of the same store.
    pub access: Arc<dyn AccessAdmin>,
    /// Two tenants with their names, without callers.
    pub tenants: [(TenantId, String); 2],
    /// What has to live as long as the store.
    pub keep: Box<dyn Any + Send>,
}
