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
//! | [`OldCalls`] | [`old_calls_contract!`](crate::old_calls_contract) | [`OldCallsFixture`] |
//! | [`EnrichmentCache`] | [`enrichment_cache_contract!`] | [`EnrichmentCacheFixture`] |
//! | [`KeyStore`] | [`key_store_contract!`](crate::key_store_contract) | [`AccessFixture`] |
//! | [`AccessAdmin`] | [`access_admin_contract!`](crate::access_admin_contract) | [`AccessFixture`] |
//! | [`Authenticator`] | [`authenticator_contract!`](crate::authenticator_contract) | [`AuthenticatorFixture`] |
//! | [`RateLimiter`] | [`rate_limiter_contract!`](crate::rate_limiter_contract) | [`RateLimiterFixture`] |
//! | [`EnrichmentProvider`] | [`enrichment_provider_contract!`] | [`EnrichmentProviderFixture`] |
//! | [`SpendLedger`] | [`spend_ledger_contract!`](crate::spend_ledger_contract) | [`SpendFixture`] |
//! | [`SpendAdmin`] | [`spend_admin_contract!`](crate::spend_admin_contract) | [`SpendFixture`] |
//! | [`CallerAdmin`] | [`caller_admin_contract!`](crate::caller_admin_contract) | [`CallerAdminFixture`] |
//! | [`SummaryBacklog`] | [`summary_backlog_contract!`](crate::summary_backlog_contract) | [`BacklogFixture`] |
//! | [`ReceiptStore`] | [`receipt_store_contract!`](crate::receipt_store_contract) | [`ReceiptFixture`] |
//! | [`Storage`](domain::port::Storage) | [`storage_contract!`](crate::storage_contract) | [`StorageFixture`] |
//!
//! [`Authenticator`]: domain::port::Authenticator
//! [`RateLimiter`]: domain::port::RateLimiter
//! [`EnrichmentProvider`]: domain::port::EnrichmentProvider
//! [`enrichment_cache_contract!`]: crate::enrichment_cache_contract
//! [`enrichment_provider_contract!`]: crate::enrichment_provider_contract
//!
//! A storage is held to all of it by one line: [`every_contract!`](crate::every_contract) takes a [`StorageFixture`]
//! and expands to the suite of `Storage` and of every port that the storage hands out.
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
//!
//! [`AccessAdmin`]: domain::port::AccessAdmin
//! [`CallerAdmin`]: domain::port::CallerAdmin
//! [`CallerMemory`]: domain::port::CallerMemory
//! [`EnrichmentCache`]: domain::port::EnrichmentCache
//! [`KeyStore`]: domain::port::KeyStore
//! [`OldCalls`]: domain::port::OldCalls
//! [`OpenCalls`]: domain::port::OpenCalls
//! [`ReceiptStore`]: domain::port::ReceiptStore
//! [`SpendAdmin`]: domain::port::SpendAdmin
//! [`SpendLedger`]: domain::port::SpendLedger
//! [`SummaryBacklog`]: domain::port::SummaryBacklog

pub mod access_admin;
pub mod authenticator;
pub mod caller_admin;
pub mod caller_facts;
pub mod caller_memory;
pub mod enrichment_cache;
pub mod enrichment_provider;
mod fixtures;
pub mod key_store;
pub mod of_storage;
pub mod old_calls;
pub mod open_calls;
pub mod rate_limiter;
pub mod receipt_store;
pub mod spend_admin;
pub mod spend_ledger;
pub mod storage;
pub mod summary_backlog;
mod timing;

use std::{future::Future, time::Duration};

pub use authenticator::{AuthenticatorFixture, CacheTimes};
pub use enrichment_provider::{EnrichmentProviderFixture, Made};
pub use fixtures::{
    AccessFixture, BacklogFixture, CallerAdminFixture, CallerMemoryFixture, EnrichmentCacheFixture, OldCallsFixture,
    OpenCallsFixture, ReceiptFixture, SpendFixture,
};
pub use of_storage::StorageFixture;
pub use rate_limiter::RateLimiterFixture;
use timing::{GRACE, at_once, is_unavailable, promptly};

/// A clause that has not ended after this time has found a method that hangs.
pub const CLAUSE_LIMIT: Duration = Duration::from_mins(2);

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

/// Expands to the contract suite of [`Storage`](domain::port::Storage) and to those of all the ports that it hands out,
/// in a module with one module for each suite. What a storage leaves out is skipped, and the tests say so.
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
            $crate::old_calls_contract!(old_calls, async { of_storage::old_calls($fixture.await).await });
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
