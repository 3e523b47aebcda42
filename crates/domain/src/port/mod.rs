//! What the use cases need from outside. Each trait's MUSTs are clauses of its contract suite in `testkit`.

pub mod access;
pub mod caller_admin;
pub mod clock;
pub mod enrichment;
pub mod memory;
pub mod old_calls;
pub mod probe;
pub mod receipt;
pub mod rewrite;
pub mod spend;
pub mod storage;

pub use access::{AccessAdmin, AdminError, AuthError, Authenticator, KeyStore, RateDecision, RateLimiter};
pub use caller_admin::{CallerAdmin, ChangeError};
pub use clock::Clock;
pub use enrichment::{
    Enricher, EnrichmentAnswer, EnrichmentCache, EnrichmentProvider, EnrichmentQuery, LookupProbe, Skip,
};
pub use memory::{CallerMemory, OpenCalls, RecallQuery};
pub use old_calls::{OldCall, OldCalls, Settled};
pub use probe::{Probe, Stage};
pub use receipt::ReceiptStore;
pub use rewrite::{Claim, ModelError, RequestId, RewriteProbe, Subject, Summarizer, SummaryBacklog};
pub use spend::{CapChange, CapChanges, DailyCaps, Day, NoSuchTenant, Purchase, SpendAdmin, SpendLedger, Usage};
pub use storage::{MigrateError, Migration, OpenError, PoolState, Storage, StorageDriver, StorageOptions};
