//! A whole storage without a database.

use std::{path::PathBuf, sync::Arc};

use domain::{
    async_trait,
    context::Deadline,
    error::{PortError, SchemaTooOld},
    port::{
        AccessAdmin, CallerAdmin, CallerMemory, EnrichmentCache, KeyStore, MigrateError, Migration, OldCalls,
        OpenCalls, OpenError, PoolState, ReceiptStore, SpendAdmin, SpendLedger, Storage, StorageDriver, StorageOptions,
        SummaryBacklog,
    },
};

use crate::{
    InMemoryCallerMemory, InMemoryKeyStore, InMemoryReceiptStore, InMemorySpendLedger, state::State, world::World,
};

/// The schema steps. Only readiness depends on them; they are there so that programs which migrate can be tested.
const STEPS: [&str; 2] = ["callers", "receipts"];

/// Opens a storage in memory by `memory:`, which is the process's own, and by `memory:PATH` one in a file, which
/// processes share. The scheme may be another one.
#[derive(Debug, Clone, Copy, Default)]
pub struct InMemoryDriver;

#[async_trait]
impl StorageDriver for InMemoryDriver {
    async fn open(&self, options: StorageOptions) -> Result<Arc<dyn Storage>, OpenError> {
        let storage = match self.file(&options.url) {
            None => InMemoryStorage::new(),
            Some(path) => {
                let shown = path.display().to_string();
                let world = World::in_file(path).map_err(|error| OpenError(format!("cannot open {shown}: {error}")))?;
                InMemoryStorage::over(world)
            }
        };
        Ok(Arc::new(storage))
    }

    fn file(&self, url: &str) -> Option<PathBuf> {
        let (_, path) = url.split_once(':')?;
        (!path.is_empty()).then(|| PathBuf::from(path))
    }
}

/// Everything in memory, over one world.
pub struct InMemoryStorage {
    world: World,
    memory: Arc<InMemoryCallerMemory>,
    keys: Arc<InMemoryKeyStore>,
    spend: Arc<InMemorySpendLedger>,
    receipts: Arc<InMemoryReceiptStore>,
}

impl InMemoryStorage {
    /// An empty storage.
    #[must_use]
    pub fn new() -> Self {
        Self::over(World::default())
    }

    fn over(world: World) -> Self {
        let memory = Arc::new(InMemoryCallerMemory::over(world.clone()));
        Self {
            keys: Arc::new(InMemoryKeyStore::over(world.clone())),
            spend: Arc::new(InMemorySpendLedger::over(world.clone())),
            receipts: Arc::new(InMemoryReceiptStore::over(&memory)),
            memory,
            world,
        }
    }
}

impl Default for InMemoryStorage {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    fn migrate(&mut self, steps: usize) -> Vec<String> {
        let before = std::mem::replace(&mut self.steps, steps);
        let taken = before.min(steps)..before.max(steps);
        STEPS[taken].iter().copied().map(str::to_owned).collect()
    }
}

#[async_trait]
impl Storage for InMemoryStorage {
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
        Some(self.memory.clone())
    }

    fn open_calls(&self) -> Option<Arc<dyn OpenCalls>> {
        Some(self.memory.clone())
    }

    fn old_calls(&self) -> Option<Arc<dyn OldCalls>> {
        Some(self.memory.clone())
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
        Some(self.memory.clone())
    }

    async fn ready(&self, deadline: Deadline) -> Result<(), PortError> {
        let state = self.world.open::<State>("ready", deadline)?;
        if state.steps < STEPS.len() {
            return Err(PortError::Internal(Box::new(SchemaTooOld)));
        }
        Ok(())
    }

    async fn migrations(&self) -> Result<Vec<Migration>, MigrateError> {
        let applied = self.world.now().steps;
        let steps = STEPS.iter().enumerate().map(|(at, name)| Migration {
            name: (*name).to_owned(),
            applied: at < applied,
        });
        Ok(steps.collect())
    }

    async fn migrate_up(&self) -> Result<Vec<String>, MigrateError> {
        Ok(self.world.now().migrate(STEPS.len()))
    }

    async fn migrate_down(&self, steps: u32) -> Result<Vec<String>, MigrateError> {
        let mut state = self.world.now();
        let left = state.steps.saturating_sub(steps as usize);
        let mut undone = state.migrate(left);
        undone.reverse();
        if left < STEPS.len() {
            state.receipts.clear();
        }
        if left == 0 {
            *state = State {
                generation: state.generation,
                ..State::default()
            };
        }
        Ok(undone)
    }

    fn pool(&self) -> PoolState {
        PoolState::default()
    }

    async fn close(&self, _: Deadline) {}
}

/// Opens the storages of another driver and leaves out all that a storage may leave out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bare<D>(pub D);

struct BareStorage(Arc<dyn Storage>);

#[async_trait]
impl<D: StorageDriver> StorageDriver for Bare<D> {
    async fn open(&self, options: StorageOptions) -> Result<Arc<dyn Storage>, OpenError> {
        let storage = self.0.open(options).await?;
        // Nobody else will: it leaves out its steps, too.
        let migrated = storage.migrate_up().await;
        migrated.map_err(|error| OpenError::new(error.to_string()))?;
        Ok(Arc::new(BareStorage(storage)))
    }
}

#[async_trait]
impl Storage for BareStorage {
    fn memory(&self) -> Arc<dyn CallerMemory> {
        self.0.memory()
    }

    fn lookups(&self) -> Arc<dyn EnrichmentCache> {
        self.0.lookups()
    }

    fn keys(&self) -> Arc<dyn KeyStore> {
        self.0.keys()
    }

    fn access(&self) -> Arc<dyn AccessAdmin> {
        self.0.access()
    }

    async fn ready(&self, deadline: Deadline) -> Result<(), PortError> {
        self.0.ready(deadline).await
    }

    async fn migrations(&self) -> Result<Vec<Migration>, MigrateError> {
        Ok(Vec::new())
    }

    async fn migrate_up(&self) -> Result<Vec<String>, MigrateError> {
        Ok(Vec::new())
    }

    async fn migrate_down(&self, _: u32) -> Result<Vec<String>, MigrateError> {
        Ok(Vec::new())
    }

    fn pool(&self) -> PoolState {
        self.0.pool()
    }

    async fn close(&self, deadline: Deadline) {
        self.0.close(deadline).await;
    }
}
