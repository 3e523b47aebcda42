//! Asking third parties about a number.
//!
//! [`Enricher`] is what the recall uses; [`EnrichmentProvider`] is one vendor behind it; [`EnrichmentCache`] keeps the
//! answers and is read as part of [`super::CallerMemory::recall`], so that a recall stays one round trip. What a
//! look-up may cost is the matter of [`super::SpendLedger`].

use std::time::Duration;

use async_trait::async_trait;

use crate::{
    access::TenantId,
    context::Deadline,
    enrichment::{Blocks, CachedLookup, LookupOutcome},
    error::PortError,
    phone::PhoneNumber,
};

/// Keeps vendors' answers, for each tenant by itself.
///
/// Implementations MUST:
/// 1. return by the deadline and be safe to cancel;
/// 2. replace an older answer of the same tenant, number and vendor, and never let an older answer replace a newer one;
/// 3. show what was stored to every later recall and reading of the same tenant and number, and to no other;
/// 4. create no caller;
/// 5. remember with an answer what it replaced, as [`CachedLookup::replacing`] says.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait EnrichmentCache: Send + Sync {
    /// Stores one vendor's answer.
    async fn store_lookup(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        lookup: &CachedLookup,
        deadline: Deadline,
    ) -> Result<(), PortError>;

    /// Every answer stored for the number, of any age; what a recall shows, without a recall.
    async fn lookups(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<CachedLookup>, PortError>;
}

/// One vendor.
///
/// Implementations MUST:
/// 1. return by the deadline, with [`LookupOutcome::Transient`] when there is no answer by then, and be safe to cancel;
/// 2. send at most one request for a look-up: no retry, no redirect followed; what is sent may have to be paid for;
/// 3. fill only blocks of [`EnrichmentProvider::fills`], with texts that say something: never empty, never a
///    placeholder;
/// 4. answer [`LookupOutcome::Miss`] only when the vendor said that it knows nothing of the number; an answer that
///    cannot be read is [`LookupOutcome::Transient`], one that a source was missing from is [`LookupOutcome::Partial`];
/// 5. answer [`LookupOutcome::Denied`] when the vendor refuses the account: key, plan, quota or balance;
/// 6. read no more than 256 KiB of an answer;
/// 7. never show the secret or the number, not in `Debug`, not in a log.
#[async_trait]
pub trait EnrichmentProvider: Send + Sync {
    /// The vendor's short name: lower-case ASCII letters, unique among the vendors in use.
    fn name(&self) -> &'static str;

    /// The blocks that the vendor can fill.
    fn fills(&self) -> Blocks;

    /// Asks the vendor.
    async fn look_up(&self, number: &PhoneNumber, deadline: Deadline) -> LookupOutcome;
}

/// What is to be enriched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnrichmentQuery {
    /// For whom.
    pub tenant: TenantId,
    /// Which number.
    pub number: PhoneNumber,
    /// What the cache holds, of any age.
    pub cached: Vec<CachedLookup>,
}

/// What is known when the answer has to leave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnrichmentAnswer {
    /// Every answer there is, cached and new; [`crate::enrichment::merge`] picks from them.
    pub lookups: Vec<CachedLookup>,
    /// The vendors among them that were called for this query.
    pub called: Vec<String>,
    /// The vendors that were needed and whose answers were not there in time.
    pub cut: Vec<String>,
}

/// Completes what the cache knows with what vendors answer in time.
///
/// Implementations MUST:
/// 1. return by the deadline whatever a vendor does, and never fail;
/// 2. ask only vendors for which [`crate::enrichment::CachedLookups::need`] says so, all of them at once, and wait only
///    for those whose need is [`crate::enrichment::Need::Answer`];
/// 3. finish what was begun after the answer has left, within the vendor's limit, and store it in the cache;
/// 4. ask a vendor once for any number of simultaneous queries of one tenant and number;
/// 5. count each paid request with the ledger before it is sent, and send none that the ledger refuses.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Enricher: Send + Sync {
    /// Enriches one number.
    async fn enrich(&self, query: EnrichmentQuery, deadline: Deadline) -> EnrichmentAnswer;
}

/// Why a vendor that was needed was not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skip {
    /// The vendor has been failing; it is left alone for a while.
    OutOfOrder,
    /// The vendor refuses the account; it is left alone for a longer while.
    Refused,
    /// The tenant's daily cap is reached.
    Capped,
    /// The ledger could not be asked, so what the look-up costs could not be counted.
    Uncounted,
    /// As many look-ups are under way as may be, or the service is stopping.
    Busy,
}

impl Skip {
    /// The reason's name in metrics and logs.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::OutOfOrder => "out_of_order",
            Self::Refused => "refused",
            Self::Capped => "capped",
            Self::Uncounted => "uncounted",
            Self::Busy => "busy",
        }
    }
}

/// Observes look-ups; metrics are made of it. Implementations must return at once and never fail.
pub trait LookupProbe: Send + Sync {
    /// A look-up ended with the outcome of this [`LookupOutcome::label`] after `took`.
    fn ended(&self, vendor: &str, outcome: &'static str, took: Duration);

    /// A vendor that was needed was not asked.
    fn skipped(&self, vendor: &str, why: Skip);
}
