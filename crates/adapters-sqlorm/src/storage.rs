//! The door to it all: a database as the storage that the program runs over.

use std::{path::PathBuf, sync::Arc};

use domain::{
    async_trait,
    context::Deadline,
    error::PortError,
    port::{
        AccessAdmin, CallerAdmin, CallerMemory, EnrichmentCache, KeyStore, MigrateError, Migration, OldCalls,
        OpenCalls, OpenError, PoolState, ReceiptStore, SpendAdmin, SpendLedger, Storage, StorageDriver, StorageOptions,
        SummaryBacklog,
    },
};

use crate::{
    Database, SqlCallerAdmin, SqlCallerMemory, SqlKeyStore, SqlOldCalls, SqlReceiptStore, SqlSpendLedger,
    SqlSummaryBacklog, connect,
};

/// Opens SQLite files (`sqlite://PATH`) and PostgreSQL databases (`postgres://` and `postgresql://`).
#[derive(Debug, Clone, Copy)]
pub struct SqlDriver;

#[async_trait]
impl StorageDriver for SqlDriver {
    async fn open(&self, options: StorageOptions) -> Result<Arc<dyn Storage>, OpenError> {
        Ok(Arc::new(SqlStorage::new(Database::open(options).await?)))
    }

    fn file(&self, url: &str) -> Option<PathBuf> {
        url.starts_with("sqlite:")
            .then(|| connect::sqlite_file(url).ok())
            .flatten()
    }
}

/// A database and the ports over it. Each port exists once: what it bounds or orders, it does for the whole process.
struct SqlStorage {
    database: Database,
    memory: Arc<SqlCallerMemory>,
    keys: Arc<SqlKeyStore>,
    callers: Arc<SqlCallerAdmin>,
    old_calls: Arc<SqlOldCalls>,
    spend: Arc<SqlSpendLedger>,
    receipts: Arc<SqlReceiptStore>,
    backlog: Arc<SqlSummaryBacklog>,
}

impl SqlStorage {
    fn new(database: Database) -> Self {
        Self {
            memory: Arc::new(SqlCallerMemory::new(&database)),
            keys: Arc::new(SqlKeyStore::new(&database)),
            callers: Arc::new(SqlCallerAdmin::new(&database)),
            old_calls: Arc::new(SqlOldCalls::new(&database)),
            spend: Arc::new(SqlSpendLedger::new(&database)),
            receipts: Arc::new(SqlReceiptStore::new(&database)),
            backlog: Arc::new(SqlSummaryBacklog::new(&database)),
            database,
        }
    }
}

#[async_trait]
impl Storage for SqlStorage {
    fn memory(&self) -> Arc<dyn CallerMemory> {
        self.memory.clone()
    }

    fn lookups(&self) -> Arc<dyn EnrichmentCache> {
        self.memory.clone()
    }

    fn keys(&self) -> Arc<dyn KeyStore> {
        self.keys.clone()
    }

    fn access(&self) -> Arc<dyn AccessAdmin> {
        self.keys.clone()
    }

    fn callers(&self) -> Option<Arc<dyn CallerAdmin>> {
        Some(self.callers.clone())
    }

    fn open_calls(&self) -> Option<Arc<dyn OpenCalls>> {
        Some(self.memory.clone())
    }

    fn old_calls(&self) -> Option<Arc<dyn OldCalls>> {
        Some(self.old_calls.clone())
    }

    fn spend(&self) -> Option<Arc<dyn SpendLedger>> {
        Some(self.spend.clone())
    }

    fn spend_admin(&self) -> Option<Arc<dyn SpendAdmin>> {
        Some(self.spend.clone())
    }

    fn receipts(&self) -> Option<Arc<dyn ReceiptStore>> {
        Some(self.receipts.clone())
    }

    fn backlog(&self) -> Option<Arc<dyn SummaryBacklog>> {
        Some(self.backlog.clone())
    }

    async fn ready(&self, deadline: Deadline) -> Result<(), PortError> {
        self.database.ping(deadline).await
    }

    async fn migrations(&self) -> Result<Vec<Migration>, MigrateError> {
        self.database.migrations().await
    }

    async fn migrate_up(&self) -> Result<Vec<String>, MigrateError> {
        self.database.migrate_up().await
    }

    async fn migrate_down(&self, steps: u32) -> Result<Vec<String>, MigrateError> {
        self.database.migrate_down(steps).await
    }

    fn pool(&self) -> PoolState {
        self.database.pool()
    }

    async fn close(&self, deadline: Deadline) {
        self.database.close(deadline).await;
    }
}
