//! The ledger of paid look-ups without a database.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use domain::{
    access::TenantId,
    async_trait,
    context::Deadline,
    error::PortError,
    port::{AdminError, CapChange, CapChanges, DailyCaps, Day, Purchase, SpendAdmin, SpendLedger, Usage},
};
use uuid::Uuid;

/// Paid look-ups and caps in memory. Every tenant exists, and has its id for a name unless it got one with
/// [`InMemorySpendLedger::add_tenant`]; clones share everything, as processes over one store do.
#[derive(Debug, Clone, Default)]
pub struct InMemorySpendLedger {
    rows: Arc<Mutex<Rows>>,
}

#[derive(Debug, Default)]
struct Rows {
    tenants: BTreeMap<String, TenantId>,
    caps: HashMap<TenantId, DailyCaps>,
    /// Look-ups and their price.
    bought: BTreeMap<(Day, TenantId, String), (u64, u64)>,
}

impl InMemorySpendLedger {
    /// An empty ledger.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a tenant that commands can name.
    #[must_use]
    pub fn add_tenant(&self, name: &str) -> TenantId {
        let id = TenantId(Uuid::now_v7());
        self.rows().tenants.insert(name.to_owned(), id);
        id
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, during: &'static str, deadline: Deadline) -> Result<MutexGuard<'_, Rows>, PortError> {
        if deadline.left(Instant::now()).is_zero() {
            return Err(PortError::deadline(during));
        }
        Ok(self.rows())
    }
}

impl Rows {
    fn tenant(&self, name: &str) -> Result<TenantId, AdminError> {
        let tenant = self.tenants.get(name).copied();
        tenant.ok_or_else(|| AdminError::UnknownTenant(name.to_owned()))
    }

    fn name(&self, tenant: TenantId) -> String {
        let named = self.tenants.iter().find(|(_, id)| **id == tenant);
        named.map_or_else(|| tenant.to_string(), |(name, _)| name.clone())
    }
}

#[async_trait]
impl SpendLedger for InMemorySpendLedger {
    async fn reserve(&self, purchase: &Purchase, deadline: Deadline) -> Result<bool, PortError> {
        let mut rows = self.open("reserve", deadline)?;
        let day = rows
            .bought
            .iter()
            .filter(|((day, tenant, _), _)| *day == purchase.day && *tenant == purchase.tenant);
        let after = day.fold((1, purchase.price_micro_usd), |sum, (_, one)| {
            (sum.0 + one.0, sum.1 + one.1)
        });
        let caps = rows.caps.get(&purchase.tenant).copied().unwrap_or_default();
        let fits =
            caps.lookups.is_none_or(|cap| after.0 <= cap) && caps.spend_micro_usd.is_none_or(|cap| after.1 <= cap);
        if fits {
            let key = (purchase.day, purchase.tenant, purchase.vendor.clone());
            let (lookups, spend) = rows.bought.entry(key).or_default();
            *lookups += 1;
            *spend += purchase.price_micro_usd;
        }
        Ok(fits)
    }
}

#[async_trait]
impl SpendAdmin for InMemorySpendLedger {
    async fn usage(&self, tenant: Option<String>, since: Day, deadline: Deadline) -> Result<Vec<Usage>, AdminError> {
        let rows = self.open("usage", deadline)?;
        let only = tenant.map(|name| rows.tenant(&name)).transpose()?;
        let counted = rows
            .bought
            .iter()
            .filter(|((day, tenant, _), _)| *day >= since && only.is_none_or(|only| only == *tenant));
        let mut usage: Vec<_> = counted
            .map(|((day, tenant, vendor), (lookups, spend_micro_usd))| Usage {
                tenant: rows.name(*tenant),
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
        fn change(cap: &mut Option<u64>, change: CapChange) {
            match change {
                CapChange::Keep => {}
                CapChange::Lift => *cap = None,
                CapChange::Set(to) => *cap = Some(to),
            }
        }

        let mut rows = self.open("change_caps", deadline)?;
        let id = rows.tenant(tenant)?;
        let caps = rows.caps.entry(id).or_default();
        change(&mut caps.lookups, changes.lookups);
        change(&mut caps.spend_micro_usd, changes.spend_micro_usd);
        Ok(*caps)
    }

    async fn caps(&self, deadline: Deadline) -> Result<BTreeMap<String, DailyCaps>, AdminError> {
        let rows = self.open("caps", deadline)?;
        let capped = rows.caps.iter().filter(|(_, caps)| **caps != DailyCaps::default());
        Ok(capped.map(|(tenant, caps)| (rows.name(*tenant), *caps)).collect())
    }
}
