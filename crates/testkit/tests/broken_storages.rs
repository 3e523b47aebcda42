//! The suite of the storage bites: each broken storage below fails the clause that is about its fault.
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{Arc, Mutex},
};

use domain::{
    async_trait,
    context::Deadline,
    error::{PortError, SchemaTooOld},
    port::{
        AccessAdmin, CallerAdmin, CallerMemory, EnrichmentCache, KeyStore, MigrateError, Migration, OpenCalls,
        OpenError, PoolState, ReceiptStore, SpendAdmin, SpendLedger, Storage, StorageDriver, StorageOptions,
        SummaryBacklog,
    },
};
use testkit::{
    InMemoryDriver, InMemoryStorage,
    contract::{self, StorageFixture, storage as suite},
};

/// What is wrong with a storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    MigratesWhenOpened,
    MigratesEveryTime,
    UndoesFromTheOldest,
    KeysAreElsewhere,
    LookupsAreElsewhere,
    ProfilesAreElsewhere,
    OpenCallsAreElsewhere,
    ReceiptsAreElsewhere,
    LedgerIsElsewhere,
    HasNoLedger,
    BacklogIsElsewhere,
    IsManyProcesses,
    IsEmptyWhenOpenedAgain,
    HangsWhenClosed,
    IsNeverReady,
    IsReadyWithoutItsSchema,
    NamesAnotherFile,
}

#[derive(Clone, Copy)]
struct Driver(Flaw);

struct Broken {
    flaw: Flaw,
    storage: Arc<dyn Storage>,
    /// The memories of other processes, which are handed out first.
    others: Mutex<Vec<Arc<dyn CallerMemory>>>,
    elsewhere: InMemoryStorage,
}

#[async_trait]
impl StorageDriver for Driver {
    async fn open(&self, options: StorageOptions) -> Result<Arc<dyn Storage>, OpenError> {
        let Self(flaw) = *self;
        let storage = if flaw == Flaw::IsEmptyWhenOpenedAgain {
            Arc::new(InMemoryStorage::new())
        } else {
            InMemoryDriver.open(options.clone()).await?
        };
        if flaw == Flaw::MigratesWhenOpened {
            storage.migrate_up().await.expect("a healthy storage migrates");
        }
        let mut others = Vec::new();
        if flaw == Flaw::IsManyProcesses {
            others.push(InMemoryDriver.open(options).await?.memory());
        }
        Ok(Arc::new(Broken {
            flaw,
            storage,
            others: Mutex::new(others),
            elsewhere: InMemoryStorage::new(),
        }))
    }

    fn file(&self, url: &str) -> Option<PathBuf> {
        let file = InMemoryDriver.file(url)?;
        Some(if self.0 == Flaw::NamesAnotherFile {
            file.join("x")
        } else {
            file
        })
    }
}

impl Broken {
    /// The storage, or another one when this is the fault.
    fn unless(&self, flaw: Flaw) -> &dyn Storage {
        if self.flaw == flaw {
            &self.elsewhere
        } else {
            &*self.storage
        }
    }
}

#[async_trait]
impl Storage for Broken {
    fn memory(&self) -> Arc<dyn CallerMemory> {
        let opened = self.others.lock().expect("no clause panicked").pop();
        opened.unwrap_or_else(|| self.storage.memory())
    }

    fn lookups(&self) -> Arc<dyn EnrichmentCache> {
        self.unless(Flaw::LookupsAreElsewhere).lookups()
    }

    fn keys(&self) -> Arc<dyn KeyStore> {
        self.unless(Flaw::KeysAreElsewhere).keys()
    }

    fn access(&self) -> Arc<dyn AccessAdmin> {
        self.storage.access()
    }

    fn callers(&self) -> Option<Arc<dyn CallerAdmin>> {
        self.unless(Flaw::ProfilesAreElsewhere).callers()
    }

    fn open_calls(&self) -> Option<Arc<dyn OpenCalls>> {
        self.unless(Flaw::OpenCallsAreElsewhere).open_calls()
    }

    fn spend(&self) -> Option<Arc<dyn SpendLedger>> {
        let ledger = self.unless(Flaw::LedgerIsElsewhere).spend();
        ledger.filter(|_| self.flaw != Flaw::HasNoLedger)
    }

    fn spend_admin(&self) -> Option<Arc<dyn SpendAdmin>> {
        self.storage.spend_admin()
    }

    fn receipts(&self) -> Option<Arc<dyn ReceiptStore>> {
        self.unless(Flaw::ReceiptsAreElsewhere).receipts()
    }

    fn backlog(&self) -> Option<Arc<dyn SummaryBacklog>> {
        self.unless(Flaw::BacklogIsElsewhere).backlog()
    }

    async fn ready(&self, deadline: Deadline) -> Result<(), PortError> {
        if self.flaw == Flaw::IsNeverReady {
            return Err(PortError::deadline("ready"));
        }
        match self.storage.ready(deadline).await {
            Err(PortError::Internal(cause))
                if self.flaw == Flaw::IsReadyWithoutItsSchema && cause.is::<SchemaTooOld>() =>
            {
                Ok(())
            }
            ready => ready,
        }
    }

    async fn migrations(&self) -> Result<Vec<Migration>, MigrateError> {
        self.storage.migrations().await
    }

    async fn migrate_up(&self) -> Result<Vec<String>, MigrateError> {
        let taken = self.storage.migrate_up().await?;
        if self.flaw == Flaw::MigratesEveryTime {
            let every = self.storage.migrations().await?;
            return Ok(every.into_iter().map(|migration| migration.name).collect());
        }
        Ok(taken)
    }

    async fn migrate_down(&self, steps: u32) -> Result<Vec<String>, MigrateError> {
        let mut undone = self.storage.migrate_down(steps).await?;
        if self.flaw == Flaw::UndoesFromTheOldest {
            let mut names: Vec<_> = self
                .storage
                .migrations()
                .await?
                .into_iter()
                .map(|step| step.name)
                .collect();
            names.truncate(undone.len());
            undone = names;
        }
        Ok(undone)
    }

    fn pool(&self) -> PoolState {
        self.storage.pool()
    }

    async fn close(&self, deadline: Deadline) {
        if self.flaw == Flaw::HangsWhenClosed {
            std::future::pending::<()>().await;
        }
        self.storage.close(deadline).await;
    }
}

fn fixture(flaw: Flaw) -> StorageFixture {
    let folder = tempfile::tempdir().expect("a folder");
    StorageFixture {
        driver: Arc::new(Driver(flaw)),
        options: StorageOptions {
            url: format!("memory:{}", folder.path().join("world").display()),
            connections: 1,
        },
        persists: true,
        is_shared: true,
        keep: Box::new(folder),
    }
}

/// Whether a storage with the flaw keeps the clause.
fn keeps(flaw: Flaw, clause: impl AsyncFnOnce(&StorageFixture)) -> bool {
    catch_unwind(AssertUnwindSafe(|| {
        contract::run("a clause", async { Some(fixture(flaw)) }, clause);
    }))
    .is_ok()
}

/// Checks that a storage with the flaw fails each of the clauses, which a sound one keeps.
macro_rules! fails {
    ($test:ident: $flaw:ident fails $($clause:ident),+) => {
        #[test]
        fn $test() {
            $(
                let clause = stringify!($clause);
                assert!(keeps(Flaw::None, suite::$clause), "a sound storage keeps {clause}");
                assert!(!keeps(Flaw::$flaw, suite::$clause), "{clause} does not notice");
            )+
        }
    };
}

fails!(migrates_when_opened: MigratesWhenOpened fails opening_migrates_nothing);
fails!(
    migrates_every_time: MigratesEveryTime fails
        migrating_again_changes_nothing,
        simultaneous_migrations_apply_each_step_once
);
fails!(undoes_from_the_oldest: UndoesFromTheOldest fails steps_are_undone_from_the_newest);
fails!(keys_elsewhere: KeysAreElsewhere fails keys_are_found_as_they_are_administered);
fails!(lookups_elsewhere: LookupsAreElsewhere fails look_ups_are_seen_by_recalls);
fails!(profiles_elsewhere: ProfilesAreElsewhere fails profiles_and_calls_are_one);
fails!(open_calls_elsewhere: OpenCallsAreElsewhere fails open_calls_are_those_of_the_memory);
fails!(receipts_elsewhere: ReceiptsAreElsewhere fails receipts_know_tenants_and_calls);
fails!(ledger_elsewhere: LedgerIsElsewhere fails spend_is_counted_where_it_is_administered);
fails!(no_ledger: HasNoLedger fails spend_is_counted_where_it_is_administered);
fails!(backlog_elsewhere: BacklogIsElsewhere fails the_backlog_is_of_the_memorys_calls);
fails!(many_processes: IsManyProcesses fails a_port_is_one_for_the_whole_process);
fails!(
    empty_again: IsEmptyWhenOpenedAgain fails
        what_was_acknowledged_survives_closing,
        closing_writes_what_waits,
        another_process_sees_what_was_acknowledged
);
fails!(hangs: HangsWhenClosed fails closing_ends_by_its_deadline);
fails!(never_ready: IsNeverReady fails a_healthy_storage_is_ready);
fails!(ready_without_its_schema: IsReadyWithoutItsSchema fails a_storage_that_lacks_a_step_is_not_ready);
fails!(another_file: NamesAnotherFile fails the_file_is_made_by_opening);
