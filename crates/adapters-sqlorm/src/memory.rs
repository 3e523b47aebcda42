//! The memory of callers and calls.
use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, CallRecord, Turn},
    caller::Caller,
    context::Deadline,
    enrichment::CachedLookup,
    error::PortError,
    memory::Recollection,
    phone::PhoneNumber,
    port::{CallerMemory, EnrichmentCache, RecallQuery},
};

use crate::Database;

/// [`CallerMemory`] and [`EnrichmentCache`] on SQL.
pub struct SqlCallerMemory {
    _db: Database,
}

impl SqlCallerMemory {
    /// The memory kept in `db`. Each value counts as a process of its own in the order of reports.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self { _db: db.clone() }
    }
}

#[async_trait]
impl CallerMemory for SqlCallerMemory {
    async fn recall(&self, _: TenantId, _: &RecallQuery, _: Deadline) -> Result<Recollection, PortError> {
        todo!()
    }
    async fn record_end(&self, _: TenantId, _: &CallRecord, _: Deadline) -> Result<(), PortError> {
        todo!()
    }
    async fn caller(&self, _: TenantId, _: &PhoneNumber, _: Deadline) -> Result<Option<Caller>, PortError> {
        todo!()
    }
    async fn transcript(&self, _: TenantId, _: CallId, _: Deadline) -> Result<Option<Vec<Turn>>, PortError> {
        todo!()
    }
}

#[async_trait]
impl EnrichmentCache for SqlCallerMemory {
    async fn store_lookup(&self, _: TenantId, _: &PhoneNumber, _: &CachedLookup, _: Deadline) -> Result<(), PortError> {
        todo!()
    }
}
