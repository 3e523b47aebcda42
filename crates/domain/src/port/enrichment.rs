//! The cache of look-ups. It is read as part of [`super::CallerMemory::recall`], so that a recall stays one round trip.

use async_trait::async_trait;

use crate::{access::TenantId, context::Deadline, enrichment::CachedLookup, error::PortError, phone::PhoneNumber};

/// Keeps vendors' answers, for each tenant by itself.
///
/// Implementations MUST:
/// 1. return by the deadline and be safe to cancel;
/// 2. replace an older answer of the same tenant, number and vendor, and never let an older answer replace a newer one;
/// 3. show what was stored to every later recall of the same tenant and number, and to no other;
/// 4. create no caller.
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
}
