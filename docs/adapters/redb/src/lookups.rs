//! [`EnrichmentCache`]: vendors' answers.

use domain::{
    access::TenantId, async_trait, context::Deadline, enrichment::CachedLookup, error::PortError, phone::PhoneNumber,
    port::EnrichmentCache,
};
use uuid::Uuid;

use crate::{
    Redb,
    rows::LookupRow,
    schema::LOOKUPS,
    table::{LAST_TEXT, Order, View},
};

#[async_trait]
impl EnrichmentCache for Redb {
    async fn store_lookup(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        lookup: &CachedLookup,
        deadline: Deadline,
    ) -> Result<(), PortError> {
        let (number, lookup) = (number.clone(), lookup.clone());
        let write = move |write: &_| {
            let vendor = lookup.vendor.clone();
            let key = (tenant.0, number.as_e164(), vendor.as_str());
            let lookup = match LOOKUPS.get(write, key)? {
                Some(stored) if stored.fetched_at_ms >= lookup.fetched_at_ms => return Ok(()),
                Some(stored) => lookup.replacing(stored.lookup(&vendor)),
                None => lookup,
            };
            LOOKUPS.put(write, key, &LookupRow::new(&lookup))
        };
        self.store.write("look-up", deadline, write).await
    }

    async fn lookups(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<CachedLookup>, PortError> {
        let number = number.clone();
        let read = move |view: &_| of_number(view, tenant.0, number.as_e164());
        self.store.read("look-ups", deadline, read).await
    }
}

/// Every answer that is kept for the number; there are as many as vendors.
pub(crate) fn of_number(view: &impl View, tenant: Uuid, number: &str) -> Result<Vec<CachedLookup>, PortError> {
    let range = (tenant, number, "")..=(tenant, number, LAST_TEXT);
    LOOKUPS.scan(view, range, Order::Ascending, usize::MAX, |(.., vendor), row| {
        Ok(Some(row.lookup(vendor)))
    })
}
