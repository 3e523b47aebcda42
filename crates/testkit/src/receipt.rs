//! Receipts without a database.

use domain::{
    access::TenantId,
    async_trait,
    call::CallOutcome,
    context::Deadline,
    error::PortError,
    port::{AdminError, ReceiptStore},
    receipt::{Receipt, ReceiptId, ShownReceipt, Stats},
};

use crate::{
    InMemoryCallerMemory,
    state::State,
    world::{PartGuard, World},
};

/// Receipts in memory, with the outcomes of a memory's calls. Every tenant exists, and has its id for a name unless it
/// got one with [`InMemoryReceiptStore::add_tenant`]; clones share everything, as processes over one store do.
#[derive(Debug, Clone)]
pub struct InMemoryReceiptStore {
    pub(crate) world: World,
}

impl InMemoryReceiptStore {
    /// The receipts beside the calls that `memory` holds; none at first.
    #[must_use]
    pub fn over(memory: &InMemoryCallerMemory) -> Self {
        let world = memory.world.clone();
        Self { world }
    }

    /// Makes a tenant that commands can name.
    #[must_use]
    pub fn add_tenant(&self, name: &str) -> TenantId {
        self.world.now().access.add_named(name)
    }

    /// Everything that is kept, by id.
    #[must_use]
    pub fn receipts(&self) -> Vec<Receipt> {
        self.world.now().receipts.values().cloned().collect()
    }

    fn open(&self, during: &'static str, deadline: Deadline) -> Result<PartGuard<'_, State>, PortError> {
        self.world.open(during, deadline)
    }
}

impl State {
    /// How the call of a receipt ended.
    fn outcome(&self, receipt: &Receipt) -> Option<CallOutcome> {
        let session = receipt.session_id.as_ref()?;
        self.callers.get(&receipt.tenant)?.outcome(session)
    }
}

#[async_trait]
impl ReceiptStore for InMemoryReceiptStore {
    async fn keep(&self, receipts: &[Receipt], deadline: Deadline) -> Result<(), PortError> {
        let mut state = self.open("keep receipts", deadline)?;
        for receipt in receipts {
            state.receipts.entry(receipt.id).or_insert_with(|| receipt.clone());
        }
        Ok(())
    }

    async fn show(
        &self,
        tenant: Option<String>,
        id: ReceiptId,
        deadline: Deadline,
    ) -> Result<Option<ShownReceipt>, AdminError> {
        let state = self.open("show a receipt", deadline)?;
        let only = tenant.map(|name| state.access.id(&name)).transpose()?;
        let receipt = state.receipts.get(&id);
        let receipt = receipt.filter(|receipt| only.is_none_or(|only| receipt.tenant == only));
        Ok(receipt.map(|receipt| ShownReceipt {
            receipt: receipt.clone(),
            tenant: state.access.name(receipt.tenant),
            outcome: state.outcome(receipt),
        }))
    }

    async fn stats(&self, tenant: Option<String>, since_ms: i64, deadline: Deadline) -> Result<Stats, AdminError> {
        let state = self.open("receipt stats", deadline)?;
        let only = tenant.map(|name| state.access.id(&name)).transpose()?;
        let mut counts = Stats::default();
        for receipt in state.receipts.values() {
            if receipt.at_ms >= since_ms && only.is_none_or(|only| receipt.tenant == only) {
                counts.add(receipt.group, state.outcome(receipt), 1);
            }
        }
        Ok(counts)
    }

    async fn purge(&self, before_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError> {
        let mut state = self.open("purge receipts", deadline)?;
        let mut old: Vec<_> = state
            .receipts
            .values()
            .filter(|receipt| receipt.at_ms < before_ms)
            .map(|receipt| (receipt.at_ms, receipt.id))
            .collect();
        old.sort_unstable();
        old.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        for (_, id) in &old {
            state.receipts.remove(id);
        }
        Ok(old.len() as u64)
    }
}
