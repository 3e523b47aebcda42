//! Faults in front of a port, switched while the test runs.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use domain::{
    access::{KeyGrant, KeyHash, TenantId},
    async_trait,
    call::{CallId, Turn},
    caller::{Caller, DoNotCall, History, HistoryFact, ImportCounts, ProfileChange, ProfileEdit},
    context::Deadline,
    enrichment::CachedLookup,
    error::PortError,
    identity::Trace,
    memory::{CallRecord, Recollection},
    phone::PhoneNumber,
    port::{
        AdminError, CallerAdmin, CallerMemory, ChangeError, EnrichmentCache, KeyStore, Purchase, RecallQuery,
        ReceiptStore, SpendLedger,
    },
    receipt::{Receipt, ReceiptId, ShownReceipt, Stats},
};

/// What happens to a call of a port before the port sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing: the port answers.
    #[default]
    Healthy,
    /// Fails at once with [`PortError::Unavailable`], as a refused connection does.
    Unavailable,
    /// Fails at once with [`PortError::Internal`], as a refused statement does.
    Internal,
    /// Answers [`PortError::Unavailable`] at the deadline and not earlier, as an adapter does whose database is frozen.
    HangUntilDeadline,
    /// Never answers. No port may do this; it shows that a caller guards itself all the same.
    HangForever,
}

/// A port with a switchable fault in front. It is healthy until [`Faulty::set`] says otherwise; a call takes the fault
/// that is set when it begins.
#[derive(Debug)]
pub struct Faulty<P: ?Sized> {
    fault: Mutex<Fault>,
    calls: AtomicUsize,
    port: Arc<P>,
}

/// The cause inside the errors that [`Faulty`] makes.
#[derive(Debug)]
struct InjectedFault;

impl std::fmt::Display for InjectedFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a fault was injected by a test")
    }
}

impl std::error::Error for InjectedFault {}

impl<P: ?Sized> Faulty<P> {
    /// Puts a switch in front of `port`.
    #[must_use]
    pub fn new(port: Arc<P>) -> Self {
        Self {
            fault: Mutex::new(Fault::Healthy),
            calls: AtomicUsize::new(0),
            port,
        }
    }

    /// Sets the fault of every call that begins from now on.
    pub fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    /// How many calls began so far, the failed ones included.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    async fn pass(&self, during: &'static str, deadline: Deadline) -> Result<(), PortError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let fault = *self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match fault {
            Fault::Healthy => Ok(()),
            Fault::Unavailable => Err(PortError::Unavailable(Box::new(InjectedFault))),
            Fault::Internal => Err(PortError::Internal(Box::new(InjectedFault))),
            Fault::HangUntilDeadline => {
                tokio::time::sleep_until(deadline.0.into()).await;
                Err(PortError::deadline(during))
            }
            Fault::HangForever => std::future::pending().await,
        }
    }
}

#[async_trait]
impl<P: CallerMemory + ?Sized> CallerMemory for Faulty<P> {
    async fn recall(
        &self,
        tenant: TenantId,
        query: &RecallQuery,
        deadline: Deadline,
    ) -> Result<Recollection, PortError> {
        self.pass("recall", deadline).await?;
        self.port.recall(tenant, query, deadline).await
    }

    async fn record_end(&self, tenant: TenantId, record: &CallRecord, deadline: Deadline) -> Result<(), PortError> {
        self.pass("record_end", deadline).await?;
        self.port.record_end(tenant, record, deadline).await
    }

    async fn caller(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<Caller>, PortError> {
        self.pass("caller", deadline).await?;
        self.port.caller(tenant, number, deadline).await
    }

    async fn trace(&self, tenant: TenantId, number: &PhoneNumber, deadline: Deadline) -> Result<Trace, PortError> {
        self.pass("trace", deadline).await?;
        self.port.trace(tenant, number, deadline).await
    }

    async fn transcript(
        &self,
        tenant: TenantId,
        call_id: CallId,
        deadline: Deadline,
    ) -> Result<Option<Vec<Turn>>, PortError> {
        self.pass("transcript", deadline).await?;
        self.port.transcript(tenant, call_id, deadline).await
    }
}

#[async_trait]
impl<P: EnrichmentCache + ?Sized> EnrichmentCache for Faulty<P> {
    async fn store_lookup(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        lookup: &CachedLookup,
        deadline: Deadline,
    ) -> Result<(), PortError> {
        self.pass("store_lookup", deadline).await?;
        self.port.store_lookup(tenant, number, lookup, deadline).await
    }

    async fn lookups(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<CachedLookup>, PortError> {
        self.pass("lookups", deadline).await?;
        self.port.lookups(tenant, number, deadline).await
    }
}

#[async_trait]
impl<P: KeyStore + ?Sized> KeyStore for Faulty<P> {
    async fn find_key(&self, hash: &KeyHash, deadline: Deadline) -> Result<Option<KeyGrant>, PortError> {
        self.pass("find_key", deadline).await?;
        self.port.find_key(hash, deadline).await
    }
}

#[async_trait]
impl<P: SpendLedger + ?Sized> SpendLedger for Faulty<P> {
    async fn reserve(&self, purchase: &Purchase, deadline: Deadline) -> Result<bool, PortError> {
        self.pass("reserve", deadline).await?;
        self.port.reserve(purchase, deadline).await
    }
}

#[async_trait]
impl<P: ReceiptStore + ?Sized> ReceiptStore for Faulty<P> {
    async fn keep(&self, receipts: &[Receipt], deadline: Deadline) -> Result<(), PortError> {
        self.pass("keep receipts", deadline).await?;
        self.port.keep(receipts, deadline).await
    }

    async fn show(
        &self,
        tenant: Option<String>,
        id: ReceiptId,
        deadline: Deadline,
    ) -> Result<Option<ShownReceipt>, AdminError> {
        self.pass("show a receipt", deadline).await?;
        self.port.show(tenant, id, deadline).await
    }

    async fn stats(&self, tenant: Option<String>, since_ms: i64, deadline: Deadline) -> Result<Stats, AdminError> {
        self.pass("receipt stats", deadline).await?;
        self.port.stats(tenant, since_ms, deadline).await
    }

    async fn purge(&self, before_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError> {
        self.pass("purge receipts", deadline).await?;
        self.port.purge(before_ms, most, deadline).await
    }
}

#[async_trait]
impl<P: CallerAdmin + ?Sized> CallerAdmin for Faulty<P> {
    async fn import(
        &self,
        tenant: TenantId,
        profiles: &BTreeMap<PhoneNumber, ProfileChange>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<ImportCounts, PortError> {
        self.pass("import", deadline).await?;
        self.port.import(tenant, profiles, now_ms, deadline).await
    }

    async fn change(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        edit: ProfileEdit,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<Caller, ChangeError> {
        self.pass("change", deadline).await?;
        self.port.change(tenant, number, edit, now_ms, deadline).await
    }

    async fn history(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<History>, PortError> {
        self.pass("history", deadline).await?;
        self.port.history(tenant, number, deadline).await
    }

    async fn facts(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<HistoryFact>, PortError> {
        self.pass("facts", deadline).await?;
        self.port.facts(tenant, number, deadline).await
    }

    async fn mark_do_not_call(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        mark: Option<DoNotCall>,
        deadline: Deadline,
    ) -> Result<Option<DoNotCall>, PortError> {
        self.pass("mark do not call", deadline).await?;
        self.port.mark_do_not_call(tenant, number, mark, deadline).await
    }

    async fn do_not_call(
        &self,
        tenant: TenantId,
        after: Option<&PhoneNumber>,
        most: u32,
        deadline: Deadline,
    ) -> Result<Vec<(PhoneNumber, DoNotCall)>, PortError> {
        self.pass("do not call", deadline).await?;
        self.port.do_not_call(tenant, after, most, deadline).await
    }
}
