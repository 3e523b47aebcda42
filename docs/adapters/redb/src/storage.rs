//! The door: [`StorageDriver`] and [`Storage`].

use std::{error::Error, fmt::Display, path::PathBuf, sync::Arc, time::Duration};

use domain::{
    async_trait,
    context::Deadline,
    error::{CannotWrite, PortError},
    port::{
        AccessAdmin, CallerAdmin, CallerMemory, EnrichmentCache, KeyStore, MigrateError, Migration, OpenCalls,
        OpenError, PoolState, ReceiptStore, SpendAdmin, SpendLedger, Storage, StorageDriver, StorageOptions,
        SummaryBacklog,
    },
};
use redb::DatabaseError;
use tokio::{
    task::spawn_blocking,
    time::{timeout, timeout_at},
};

use crate::{Redb, schema::META, store::Store};

/// How long opening may take in all.
const OPENING: Duration = Duration::from_secs(5);

/// Opens files by URLs of the form `redb://PATH`.
#[derive(Debug, Clone, Copy, Default)]
pub struct RedbDriver;

#[async_trait]
impl StorageDriver for RedbDriver {
    async fn open(&self, options: StorageOptions) -> Result<Arc<dyn Storage>, OpenError> {
        let path = path(&options.url)?;
        let failed = |why: &dyn Display| OpenError::new(format!("cannot open {}: {why}", path.display()));
        let file = path.clone();
        let opening = spawn_blocking(move || Store::open(&file, options.connections));
        let store = match timeout(OPENING, opening).await {
            Ok(Ok(Ok(store))) => store,
            Ok(Ok(Err(error))) => return Err(failed(&why(error.as_ref()))),
            Ok(Err(panic)) => return Err(failed(&panic)),
            Err(_) => {
                return Err(failed(
                    &"it is not open after 5 s; a file that was not closed well takes long to repair",
                ));
            }
        };
        Ok(Arc::new(Redb::over(store)))
    }

    fn file(&self, url: &str) -> Option<PathBuf> {
        path(url).ok()
    }
}

/// Why a file cannot be opened, and what to do.
fn why(error: &(dyn Error + Send + Sync + 'static)) -> String {
    match error.downcast_ref::<DatabaseError>() {
        Some(DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch) => {
            "another program has it open and does not share it; stop that program, then try again".to_owned()
        }
        _ => error.to_string(),
    }
}

/// The path of `redb://PATH`: what follows is a relative path, and an absolute one with a third slash.
fn path(url: &str) -> Result<PathBuf, OpenError> {
    let path = url.strip_prefix("redb://").filter(|path| !path.is_empty());
    path.map(PathBuf::from).ok_or_else(|| {
        OpenError::new("the URL is not of the form redb://PATH; give for example redb:///var/lib/caller-memory.redb")
    })
}

#[async_trait]
impl Storage for Redb {
    fn memory(&self) -> Arc<dyn CallerMemory> {
        Arc::new(self.clone())
    }

    fn lookups(&self) -> Arc<dyn EnrichmentCache> {
        Arc::new(self.clone())
    }

    fn keys(&self) -> Arc<dyn KeyStore> {
        Arc::new(self.clone())
    }

    fn access(&self) -> Arc<dyn AccessAdmin> {
        Arc::new(self.clone())
    }

    fn callers(&self) -> Option<Arc<dyn CallerAdmin>> {
        Some(Arc::new(self.clone()))
    }

    fn open_calls(&self) -> Option<Arc<dyn OpenCalls>> {
        Some(Arc::new(self.clone()))
    }

    fn spend(&self) -> Option<Arc<dyn SpendLedger>> {
        Some(Arc::new(self.clone()))
    }

    fn spend_admin(&self) -> Option<Arc<dyn SpendAdmin>> {
        Some(Arc::new(self.clone()))
    }

    fn receipts(&self) -> Option<Arc<dyn ReceiptStore>> {
        Some(Arc::new(self.clone()))
    }

    fn backlog(&self) -> Option<Arc<dyn SummaryBacklog>> {
        Some(Arc::new(self.clone()))
    }

    async fn ready(&self, deadline: Deadline) -> Result<(), PortError> {
        let read = |view: &_| META.get(view, "format").map(drop);
        self.store.read("readiness", deadline, read).await?;
        // Nobody may write while this is not ready, so only an attempt tells that the disk serves again.
        if self.store.has_failed() {
            let write = |write: &_| META.put(write, "checked", &0);
            let written = self.store.write("readiness", deadline, write).await;
            written.map_err(|cause| PortError::Unavailable(Box::new(CannotWrite(cause))))?;
        }
        Ok(())
    }

    /// There are none: the tables are made when a file is created.
    async fn migrations(&self) -> Result<Vec<Migration>, MigrateError> {
        Ok(Vec::new())
    }

    async fn migrate_up(&self) -> Result<Vec<String>, MigrateError> {
        Ok(Vec::new())
    }

    async fn migrate_down(&self, _steps: u32) -> Result<Vec<String>, MigrateError> {
        Ok(Vec::new())
    }

    fn pool(&self) -> PoolState {
        PoolState {
            connections: self.store.connections(),
            idle: self.store.idle(),
            max_connections: self.store.connections(),
            writes_waiting: self.store.writes_waiting(),
            contacts_waiting: self.contacts.waiting(),
            contacts_dropped: self.contacts.dropped(),
        }
    }

    async fn close(&self, deadline: Deadline) {
        // What is cut off here was promised to nobody.
        let _ = timeout_at(deadline.0.into(), self.contacts.flush()).await;
        self.store.close(deadline).await;
    }
}
