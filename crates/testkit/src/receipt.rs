//! Receipts without a database.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use domain::{
    access::TenantId,
    async_trait,
    call::CallOutcome,
    context::Deadline,
    error::PortError,
    port::{AdminError, ReceiptStore},
    receipt::{Receipt, ReceiptId, ShownReceipt, Stats},
};
use uuid::Uuid;

use crate::InMemoryCallerMemory;

/// Receipts in memory, with the outcomes of a memory's calls. Every tenant exists, and has its id for a name unless it
/// got one with [`InMemoryReceiptStore::add_tenant`]; clones share everything, as processes over one store do.
#[derive(Debug, Clone)]
pub struct InMemoryReceiptStore {
    calls: Arc<InMemoryCallerMemory>,
    rows: Arc<Mutex<Rows>>,
}

#[derive(Debug, Default)]
struct Rows {
    tenants: BTreeMap<String, TenantId>,
    receipts: BTreeMap<ReceiptId, Receipt>,
}

impl InMemoryReceiptStore {
    /// No receipts, and the outcomes of the calls that `memory` holds.
    #[must_use]
    pub fn over(memory: &InMemoryCallerMemory) -> Self {
        Self {
            calls: Arc::new(memory.other_process()),
            rows: Arc::default(),
        }
    }

    /// Makes a tenant that commands can name.
    #[must_use]
    pub fn add_tenant(&self, name: &str) -> TenantId {
        let id = TenantId(Uuid::now_v7());
        self.rows().tenants.insert(name.to_owned(), id);
        id
    }

    /// Everything that is kept, by id.
    #[must_use]
    pub fn receipts(&self) -> Vec<Receipt> {
        self.rows().receipts.values().cloned().collect()
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

    fn outcome(&self, receipt: &Receipt) -> Option<CallOutcome> {
        let session = receipt.session_id.as_ref()?;
        self.calls.outcome(receipt.tenant, session)
    }
}

impl Rows {
    fn tenant(&self, name: Option<String>) -> Result<Option<TenantId>, AdminError> {
        let Some(name) = name else { return Ok(None) };
        let tenant = self.tenants.get(&name).copied();
        tenant.map(Some).ok_or(AdminError::UnknownTenant(name))
    }

    fn name(&self, tenant: TenantId) -> String {
        let named = self.tenants.iter().find(|(_, id)| **id == tenant);
        named.map_or_else(|| tenant.to_string(), |(name, _)| name.clone())
    }
}

#[async_trait]
impl ReceiptStore for InMemoryReceiptStore {
    async fn keep(&self, receipts: &[Receipt], deadline: Deadline) -> Result<(), PortError> {
        let mut rows = self.open("keep receipts", deadline)?;
        for receipt in receipts {
            rows.receipts.entry(receipt.id).or_insert_with(|| receipt.clone());
        }
        Ok(())
    }

    async fn show(
        &self,
        tenant: Option<String>,
        id: ReceiptId,
        deadline: Deadline,
    ) -> Result<Option<ShownReceipt>, AdminError> {
        let rows = self.open("show a receipt", deadline)?;
        let only = rows.tenant(tenant)?;
        let receipt = rows.receipts.get(&id);
        let receipt = receipt.filter(|receipt| only.is_none_or(|only| receipt.tenant == only));
        Ok(receipt.map(|receipt| ShownReceipt {
            receipt: receipt.clone(),
            tenant: rows.name(receipt.tenant),
            outcome: self.outcome(receipt),
        }))
    }

    async fn stats(&self, tenant: Option<String>, since_ms: i64, deadline: Deadline) -> Result<Stats, AdminError> {
        let rows = self.open("receipt stats", deadline)?;
        let only = rows.tenant(tenant)?;
        let mut stats = Stats::default();
        for receipt in rows.receipts.values() {
            if receipt.at_ms >= since_ms && only.is_none_or(|only| receipt.tenant == only) {
                stats.add(receipt.group, self.outcome(receipt), 1);
            }
        }
        Ok(stats)
    }

    async fn purge(&self, before_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError> {
        let mut rows = self.open("purge receipts", deadline)?;
        let mut old: Vec<_> = rows
            .receipts
            .values()
            .filter(|receipt| receipt.at_ms < before_ms)
            .map(|receipt| (receipt.at_ms, receipt.id))
            .collect();
        old.sort_unstable();
        old.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        for (_, id) in &old {
            rows.receipts.remove(id);
        }
        Ok(old.len() as u64)
    }
}
