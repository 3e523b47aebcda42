//! [`SpendLedger`] and [`SpendAdmin`]: what look-ups cost, and the caps.

use std::collections::BTreeMap;

use domain::{
    async_trait,
    context::Deadline,
    error::PortError,
    port::{AdminError, CapChanges, DailyCaps, Day, NoSuchTenant, Purchase, SpendAdmin, SpendLedger, Usage},
};

use crate::{
    Redb, access,
    rows::TenantRow,
    schema::{SPEND, TENANTS},
    table::{LAST_TEXT, Order},
};

#[async_trait]
impl SpendLedger for Redb {
    async fn reserve(&self, purchase: &Purchase, deadline: Deadline) -> Result<bool, PortError> {
        let purchase = purchase.clone();
        let write = move |write: &_| {
            let (tenant, day) = (purchase.tenant.0, purchase.day.0);
            let range = (tenant, day, "")..=(tenant, day, LAST_TEXT);
            let (mut lookups, mut spend_micro_usd) = (1_u64, purchase.price_micro_usd);
            SPEND.scan(write, range, Order::Ascending, usize::MAX, |_, row| {
                lookups = lookups.saturating_add(row.lookups);
                spend_micro_usd = spend_micro_usd.saturating_add(row.micro_usd);
                Ok(None::<()>)
            })?;
            let row = TENANTS.get(write, tenant)?;
            let row = row.ok_or_else(|| PortError::Internal(Box::new(NoSuchTenant(purchase.tenant))))?;
            let caps = row.caps();
            if caps.lookups.is_some_and(|cap| lookups > cap)
                || caps.spend_micro_usd.is_some_and(|cap| spend_micro_usd > cap)
            {
                return Ok(false);
            }
            let key = (tenant, day, purchase.vendor.as_str());
            let mut row = SPEND.get(write, key)?.unwrap_or_default();
            row.lookups += 1;
            row.micro_usd = row.micro_usd.saturating_add(purchase.price_micro_usd);
            SPEND.put(write, key, &row)?;
            Ok(true)
        };
        self.store.write("purchase", deadline, write).await
    }
}

#[async_trait]
impl SpendAdmin for Redb {
    async fn usage(&self, tenant: Option<String>, since: Day, deadline: Deadline) -> Result<Vec<Usage>, AdminError> {
        let read = move |view: &_| {
            let mut usage = Vec::new();
            for (tenant, name) in access::tenants_named(view, tenant.as_deref())? {
                let range = (tenant, since.0, "")..=(tenant, i32::MAX, LAST_TEXT);
                let of_tenant = SPEND.scan(view, range, Order::Ascending, usize::MAX, |(_, day, vendor), row| {
                    Ok(Some(Usage {
                        tenant: name.clone(),
                        vendor: vendor.to_owned(),
                        day: Day(day),
                        lookups: row.lookups,
                        spend_micro_usd: row.micro_usd,
                    }))
                })?;
                usage.extend(of_tenant);
            }
            // Each tenant's is in order already, and the tenants are.
            usage.sort_by_key(|row| row.day);
            Ok(usage)
        };
        self.store.read("usage", deadline, read).await
    }

    async fn change_caps(
        &self,
        tenant: &str,
        changes: CapChanges,
        deadline: Deadline,
    ) -> Result<DailyCaps, AdminError> {
        let name = tenant.to_owned();
        let write = move |write: &_| {
            let id = access::tenant_id(write, &name)?;
            let row: Option<TenantRow> = TENANTS.get(write, id)?;
            let mut row = row.ok_or(AdminError::UnknownTenant(name))?;
            let caps = changes.apply(row.caps());
            row.set_caps(caps);
            TENANTS.put(write, id, &row)?;
            Ok(caps)
        };
        self.store.write("caps", deadline, write).await
    }

    async fn caps(&self, deadline: Deadline) -> Result<BTreeMap<String, DailyCaps>, AdminError> {
        let read = |view: &_| {
            let mut capped = BTreeMap::new();
            for (id, name) in access::tenants_named(view, None)? {
                let caps = TENANTS.get(view, id)?.map(|row| row.caps());
                capped.extend(
                    caps.filter(|caps| *caps != DailyCaps::default())
                        .map(|caps| (name, caps)),
                );
            }
            Ok(capped)
        };
        self.store.read("caps", deadline, read).await
    }
}
