//! The contract suite of every port: what the documentation of a port says an implementation MUST do, as tests.
//!
//! Each clause is one public function that takes a fixture and panics when the implementation breaks it. One macro for
//! each port expands to a module with one `#[test]` for each clause, so that a failure carries the name of what was
//! broken:
//!
//! | Port | Macro | Fixture |
//! |---|---|---|
//! | [`CallerMemory`] | [`caller_memory_contract!`](crate::caller_memory_contract) | [`CallerMemoryFixture`] |
//! | [`CallerMemory`], facts | [`caller_facts_contract!`](crate::caller_facts_contract) | [`CallerMemoryFixture`] |
//! | [`OpenCalls`], gaps | [`open_calls_contract!`](crate::open_calls_contract) | [`OpenCallsFixture`] |
//! | [`EnrichmentCache`] | [`enrichment_cache_contract!`](crate::enrichment_cache_contract) | [`EnrichmentCacheFixture`] |
//! | [`KeyStore`] | [`key_store_contract!`](crate::key_store_contract) | [`AccessFixture`] |
//! | [`AccessAdmin`] | [`access_admin_contract!`](crate::access_admin_contract) | [`AccessFixture`] |
//! | [`Authenticator`](domain::port::Authenticator) | [`authenticator_contract!`](crate::authenticator_contract) | [`AuthenticatorFixture`] |
//! | [`RateLimiter`](domain::port::RateLimiter) | [`rate_limiter_contract!`](crate::rate_limiter_contract) | [`RateLimiterFixture`] |
//! | [`EnrichmentProvider`](domain::port::EnrichmentProvider) | [`enrichment_provider_contract!`](crate::enrichment_provider_contract) | [`EnrichmentProviderFixture`] |
//! | [`SpendLedger`] | [`spend_ledger_contract!`](crate::spend_ledger_contract) | [`SpendFixture`] |
//! | [`SpendAdmin`] | [`spend_admin_contract!`](crate::spend_admin_contract) | [`SpendFixture`] |
//! | [`CallerAdmin`] | [`caller_admin_contract!`](crate::caller_admin_contract) | [`CallerAdminFixture`] |
//! | [`SummaryBacklog`] | [`summary_backlog_contract!`](crate::summary_backlog_contract) | [`BacklogFixture`] |
//! | [`ReceiptStore`] | [`receipt_store_contract!`](crate::receipt_store_contract) | [`ReceiptFixture`] |
//! | [`Storage`](domain::port::Storage) | [`storage_contract!`](crate::storage_contract) | [`StorageFixture`] |
//!
//! A storage is held to all of it by one line: [`every_contract!`](crate::every_contract) takes a [`StorageFixture`] and expands to the
//! suite of `Storage` and of every port that the storage hands out.
//!
//! # How to use a suite
//!
//! Every macro takes the name of the module it makes and a fixture expression: a future (an `async` block, or a call of
//! an `async fn`) that gives `Option<Fixture>`. The expression is evaluated anew for every test, inside a Tokio runtime
//! with two worker threads and all drivers. `None` skips the test: print why before you return it. The fixture lives
//! until the clause has ended and is dropped inside the runtime; what has to live as long (a temporary folder, a
//! server) goes into [`CallerMemoryFixture::keep`] and its like.
//!
//! ```
//! use std::sync::Arc;
//! use testkit::{InMemoryCallerMemory, contract::CallerMemoryFixture, sample};
//!
//! fn fixture() -> CallerMemoryFixture {
//!     let memory = InMemoryCallerMemory::new();
//!     CallerMemoryFixture {
//!         other_process: Some(Arc::new(memory.other_process())),
//!         memory: Arc::new(memory),
//!         tenants: [sample::tenant(), sample::tenant()],
//!         keep: Box::new(()),
//!     }
//! }
//!
//! testkit::caller_memory_contract!(in_memory, async { Some(fixture()) });
//! # fn main() {}
//! ```
//!
//! The tests need no dependency but `testkit`, run in parallel, and share nothing but what the fixtures share. A clause
//! that does not end within [`CLAUSE_LIMIT`] fails.

pub mod access_admin;
pub mod authenticator;
pub mod caller_admin;
pub mod caller_facts;
pub mod caller_memory;
pub mod enrichment_cache;
pub mod enrichment_provider;
pub mod key_store;
pub mod of_storage;
pub mod open_calls;
pub mod rate_limiter;
pub mod receipt_store;
pub mod spend_admin;
pub mod spend_ledger;
pub mod storage;
pub mod summary_backlog;
mod timing;

use std::{any::Any, future::Future, sync::Arc, time::Duration};

use domain::{
    access::TenantId,
    port::{
        AccessAdmin, CallerAdmin, CallerMemory, EnrichmentCache, KeyStore, OpenCalls, ReceiptStore, SpendAdmin,
        SpendLedger, SummaryBacklog,
    },
};

pub use authenticator::{AuthenticatorFixture, CacheTimes};
pub use enrichment_provider::{EnrichmentProviderFixture, Made};
pub use of_storage::StorageFixture;
pub use rate_limiter::RateLimiterFixture;
use timing::{GRACE, at_once, is_unavailable, promptly};

/// A clause that has not ended after this time has found a method that hangs.
pub const CLAUSE_LIMIT: Duration = Duration::from_mins(2);

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

/// Builds the fixture and runs one clause on it, in a runtime of its own; the macros expand to calls of this.
///
/// # Panics
/// When the clause does, and when it does not end within [`CLAUSE_LIMIT`].
pub fn run<F, C>(clause: &str, fixture: impl Future<Output = Option<F>>, check: C)
where
    C: AsyncFnOnce(&F),
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime starts");
    runtime.block_on(async {
        let Some(fixture) = fixture.await else {
            println!("skipped: there is no fixture for {clause}");
            return;
        };
        let ended = tokio::time::timeout(CLAUSE_LIMIT, check(&fixture)).await;
        assert!(ended.is_ok(), "{clause} did not end within {CLAUSE_LIMIT:?}");
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
}

/// Expands to one test for each clause; the macros of the ports list them.
#[doc(hidden)]
#[macro_export]
macro_rules! contract_tests {
    ($module:ident, $fixture:expr, $suite:ident: $($clause:ident),+ $(,)?) => {
        mod $module {
            #[allow(unused_imports, reason = "the fixture expression may use names of the surrounding module or not")]
            use super::*;

            $(
                #[test]
                fn $clause() {
                    $crate::contract::run(stringify!($clause), $fixture, $crate::contract::$suite::$clause);
                }
            )+
        }
    };
}

/// Expands to the contract suite of [`Storage`] and to those of all the ports that it hands out, in a module with one module for each
/// suite. What a storage leaves out is skipped, and the tests say so.
///
/// The fixture is a future that gives `Option<`[`StorageFixture`]`>`; see [`contract`](crate::contract) for an example.
#[macro_export]
macro_rules! every_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        mod $module {
            #[allow(
                unused_imports,
                reason = "the fixture expression may use names of the surrounding module or not"
            )]
            use super::*;
            use $crate::contract::of_storage;

            $crate::storage_contract!(storage, $fixture);
            $crate::caller_memory_contract!(caller_memory, async {
                of_storage::caller_memory($fixture.await).await
            });
            $crate::caller_facts_contract!(caller_facts, async {
                of_storage::caller_memory($fixture.await).await
            });
            $crate::open_calls_contract!(open_calls, async { of_storage::open_calls($fixture.await).await });
            $crate::enrichment_cache_contract!(enrichment_cache, async {
                of_storage::enrichment_cache($fixture.await).await
            });
            $crate::caller_admin_contract!(caller_admin, async {
                of_storage::caller_admin($fixture.await).await
            });
            $crate::key_store_contract!(key_store, async { of_storage::access($fixture.await).await });
            $crate::access_admin_contract!(access_admin, async { of_storage::access($fixture.await).await });
            $crate::spend_ledger_contract!(spend_ledger, async { of_storage::spend($fixture.await).await });
            $crate::spend_admin_contract!(spend_admin, async { of_storage::spend($fixture.await).await });
            $crate::receipt_store_contract!(receipt_store, async {
                of_storage::receipts($fixture.await).await
            });
            $crate::summary_backlog_contract!(summary_backlog, async {
                of_storage::backlog($fixture.await).await
            });
        }
    };
}
