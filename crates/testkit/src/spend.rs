//! The ledger of paid look-ups without a database.

use std::collections::BTreeMap;

use domain::{
    access::TenantId,
    async_trait,
    context::Deadline,
    error::PortError,
    port::{AdminError, CapChanges, DailyCaps, Day, NoSuchTenant, Purchase, SpendAdmin, SpendLedger, Usage},
};

use crate::{
    state::State,
    world::{PartGuard, World},
};

/// Paid look-ups and caps in memory. Clones share everything, as processes over one store do.
#[derive(Debug, Clone, Default)]
pub struct InMemorySpendLedger {
    world: World,
}

impl InMemorySpendLedger {
    /// An empty ledger.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The look-ups and caps of the world.
    pub(crate) fn over(world: World) -> Self {
        Self { world }
    }

    /// Makes a tenant, which purchases need.
    #[must_use]
    pub fn add_tenant(&self, name: &str) -> TenantId {
        self.world.now().access.add_named(name)
    }

    fn open(&self, during: &'static str, deadline: Deadline) -> Result<PartGuard<'_, State>, PortError> {
        self.world.open(during, deadline)
    }
}

#[async_trait]
impl SpendLedger for InMemorySpendLedger {
    async fn reserve(&self, purchase: &Purchase, deadline: Deadline) -> Result<bool, PortError> {
        let mut state = self.open("reserve", deadline)?;
        if !state.access.has(purchase.tenant) {
            return Err(PortError::Internal(Box::new(NoSuchTenant(purchase.tenant))));
        }
        let spend = &mut state.spend;
        let day = spend
            .bought
            .iter()
            .filter(|((day, tenant, _), _)| *day == purchase.day && *tenant == purchase.tenant);
        let after = day.fold((1, purchase.price_micro_usd), |sum, (_, one)| {
            (sum.0 + one.0, sum.1 + one.1)
        });
        let caps = spend.caps.get(&purchase.tenant).copied().unwrap_or_default();
        let fits =
            caps.lookups.is_none_or(|cap| after.0 <= cap) && caps.spend_micro_usd.is_none_or(|cap| after.1 <= cap);
        if fits {
            let key = (purchase.day, purchase.tenant, purchase.vendor.clone());
            let (lookups, price) = spend.bought.entry(key).or_default();
            *lookups += 1;
            *price += purchase.price_micro_usd;
        }
        Ok(fits)
    }
}

#[async_trait]
impl SpendAdmin for InMemorySpendLedger {
    async fn usage(&self, tenant: Option<String>, since: Day, deadline: Deadline) -> Result<Vec<Usage>, AdminError> {
        let state = self.open("usage", deadline)?;
        let only = tenant.map(|name| state.access.id(&name)).transpose()?;
        let counted = state
            .spend
            .bought
            .iter()
            .filter(|((day, tenant, _), _)| *day >= since && only.is_none_or(|only| only == *tenant));
        let mut usage: Vec<_> = counted
            .map(|((day, tenant, vendor), (lookups, spend_micro_usd))| Usage {
                tenant: state.access.name(*tenant),
                vendor: vendor.clone(),
                day: *day,
                lookups: *lookups,
                spend_micro_usd: *spend_micro_usd,
            })
            .collect();
        usage.sort_by(|a, b| (a.day, &a.tenant, &a.vendor).cmp(&(b.day, &b.tenant, &b.vendor)));
        Ok(usage)
    }

    async fn change_caps(
        &self,
        tenant: &str,
        changes: CapChanges,
        deadline: Deadline,
    ) -> Result<DailyCaps, AdminError> {
        let mut state = self.open("change_caps", deadline)?;
        let id = state.access.id(tenant)?;
        let caps = state.spend.caps.entry(id).or_default();
        *caps = changes.apply(*caps);
        Ok(*caps)
    }

    async fn caps(&self, deadline: Deadline) -> Result<BTreeMap<String, DailyCaps>, AdminError> {
        let state = self.open("caps", deadline)?;
        let capped = state
            .spend
            .caps
            .iter()
            .filter(|(_, caps)| **caps != DailyCaps::default());
        Ok(capped
            .map(|(tenant, caps)| (state.access.name(*tenant), *caps))
            .collect())
    }
}
