//! The clauses of [`Storage`] and [`StorageDriver`](domain::port::StorageDriver).

use std::sync::Arc;

use domain::{
    access::{KeyGrant, TenantId},
    call::{CallId, CallOutcome},
    caller::{Caller, Profile},
    error::{PortError, SchemaTooOld},
    port::{CallerMemory, CapChange, CapChanges, Day, Purchase, Storage, Subject},
};

use super::{StorageFixture, at_once, of_storage::tenant, promptly};
use crate::{
    eventually,
    sample::{NOW_MS, ample, key_hash, key_text, lookup, new_key, number, passed, query, query_in, receipt, record},
};

/// How many processes start at once.
const REPLICAS: usize = 4;

/// The day of the purchases.
const TODAY: Day = Day(20_727);

/// Whether every schema step is applied, oldest first.
async fn applied(storage: &dyn Storage) -> Vec<bool> {
    let migrations = storage.migrations().await.expect("a healthy storage tells its steps");
    migrations.into_iter().map(|migration| migration.applied).collect()
}

async fn steps(storage: &dyn Storage) -> Vec<String> {
    let migrations = storage.migrations().await.expect("a healthy storage tells its steps");
    migrations.into_iter().map(|migration| migration.name).collect()
}

async fn end(memory: &dyn CallerMemory, tenant: TenantId, session: &str, arrival: i64) {
    let record = record(&number(0), session, NOW_MS + arrival, arrival);
    let written = memory.record_end(tenant, &record, ample()).await;
    written.expect("a healthy storage commits");
}

async fn caller(storage: &dyn Storage, tenant: TenantId) -> Option<Caller> {
    let read = storage.memory().caller(tenant, &number(0), ample()).await;
    read.expect("a healthy storage reads")
}

async fn grant(storage: &dyn Storage) -> Option<KeyGrant> {
    let found = storage.keys().find_key(&key_hash(&key_text(0)), ample()).await;
    found.expect("a healthy storage finds keys")
}

/// Says that the storage leaves a part out.
fn left_out(part: &str) {
    println!("skipped: this storage leaves out {part}");
}

/// Opening applies no schema step.
pub async fn opening_migrates_nothing(fixture: &StorageFixture) {
    let storage = fixture.open().await;
    assert!(applied(&*storage).await.iter().all(|applied| !applied));
}

/// Migrating applies every step once, oldest first.
pub async fn migrating_again_changes_nothing(fixture: &StorageFixture) {
    let storage = fixture.open().await;
    let names = steps(&*storage).await;
    assert_eq!(storage.migrate_up().await.expect("a healthy storage migrates"), names);
    assert!(applied(&*storage).await.iter().all(|applied| *applied));
    let again = storage.migrate_up().await.expect("a healthy storage migrates");
    assert_eq!(again, [""; 0]);
    assert_eq!(steps(&*storage).await, names);
}

/// Steps are undone from the newest, as many as are asked for, and can be applied again.
pub async fn steps_are_undone_from_the_newest(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    let names = steps(&*storage).await;
    let newest: Vec<_> = names.iter().rev().cloned().collect();
    let down = async |count| storage.migrate_down(count).await.expect("a healthy storage migrates");
    assert_eq!(down(1).await, newest[..newest.len().min(1)]);
    let pending = applied(&*storage).await.into_iter().filter(|applied| !applied).count();
    assert_eq!(pending, newest.len().min(1));
    assert_eq!(down(u32::MAX).await, newest[newest.len().min(1)..]);
    assert_eq!(down(1).await, [""; 0]);
    assert_eq!(storage.migrate_up().await.expect("a healthy storage migrates"), names);
    tenant(&*storage, "one").await;
}

/// Processes that start at once apply each step once between them.
pub async fn simultaneous_migrations_apply_each_step_once(fixture: &StorageFixture) {
    if !fixture.is_shared {
        return left_out("a second process");
    }
    let mut processes = Vec::new();
    for _ in 0..REPLICAS {
        processes.push(fixture.open().await);
    }
    let names = steps(&*processes[0]).await;
    let migrations = processes.iter().cloned();
    let mut taken = Vec::new();
    for done in at_once(migrations.map(|storage| async move { storage.migrate_up().await })).await {
        taken.extend(done.expect("a healthy storage migrates"));
    }
    taken.sort();
    let mut expected = names;
    expected.sort();
    assert_eq!(taken, expected);
}

/// A key works as soon as it is made, and no longer when it is revoked.
pub async fn keys_are_found_as_they_are_administered(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    let access = storage.access();
    let id = tenant(&*storage, "one").await;
    assert_eq!(grant(&*storage).await, None);
    let key = access.create_key("one", &new_key(0), NOW_MS, ample()).await;
    let key = key.expect("a healthy storage creates keys");
    let found = grant(&*storage).await.expect("the key was created");
    assert_eq!((found.principal.tenant_id, found.principal.key_id), (id, key.id));
    access
        .revoke_key(key.id, NOW_MS, ample())
        .await
        .expect("the key exists");
    assert_eq!(grant(&*storage).await, None);
}

/// What is stored of a look-up is shown by recalls.
pub async fn look_ups_are_seen_by_recalls(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    let id = tenant(&*storage, "one").await;
    let stored = lookup("twilio", NOW_MS);
    let kept = storage.lookups().store_lookup(id, &number(0), &stored, ample()).await;
    kept.expect("a healthy storage keeps look-ups");
    let read = storage.memory().recall(id, &query(&number(0), NOW_MS), ample()).await;
    assert_eq!(read.expect("a healthy storage recalls").lookups, [stored]);
}

/// What the operator writes of a caller is read by the memory, and what the memory commits is in the operator's
/// history.
pub async fn profiles_and_calls_are_one(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    let Some(callers) = storage.callers() else {
        return left_out("the operator's side of callers");
    };
    let id = tenant(&*storage, "one").await;
    let named = Arc::new(|stored: Profile| {
        Ok(Profile {
            name: Some("Maren Okafor".to_owned()),
            ..stored
        })
    });
    let changed = callers.change(id, &number(0), named, NOW_MS, ample()).await;
    changed.expect("a healthy storage changes profiles");
    let read = caller(&*storage, id).await.expect("the caller was written");
    assert_eq!(read.name.as_deref(), Some("Maren Okafor"));
    end(&*storage.memory(), id, "first", 1).await;
    let history = callers.history(id, &number(0), ample()).await;
    let history = history.expect("a healthy storage reads").expect("the caller exists");
    assert_eq!((history.caller.total_calls, history.calls.len()), (1, 1));
}

/// A call that was begun by a recall is open until the memory has committed its end.
pub async fn open_calls_are_those_of_the_memory(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    let Some(open_calls) = storage.open_calls() else {
        return left_out("open calls");
    };
    let id = tenant(&*storage, "one").await;
    let begun = storage
        .memory()
        .recall(id, &query_in(&number(0), NOW_MS, "begun"), ample())
        .await;
    begun.expect("a healthy storage recalls");
    let count = async || {
        let open = open_calls.open_calls(id, i64::MAX, 10, ample()).await;
        open.expect("a healthy storage reads").len()
    };
    eventually("the session is noted", async || (count().await == 1).then_some(())).await;
    end(&*storage.memory(), id, "begun", 1).await;
    assert_eq!(count().await, 0);
}

/// A receipt is shown with its tenant's name and its call's outcome.
pub async fn receipts_know_tenants_and_calls(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    let Some(receipts) = storage.receipts() else {
        return left_out("receipts");
    };
    let id = tenant(&*storage, "one").await;
    let kept = receipt(id, Some("said"), NOW_MS);
    receipts
        .keep(std::slice::from_ref(&kept), ample())
        .await
        .expect("a healthy storage keeps");
    end(&*storage.memory(), id, "said", 1).await;
    let shown = receipts.show(Some("one".to_owned()), kept.id, ample()).await;
    let shown = shown.expect("a healthy storage shows").expect("the receipt was kept");
    assert_eq!(
        (shown.tenant.as_str(), shown.outcome),
        ("one", Some(CallOutcome::Other))
    );
}

/// The ledger holds the caps that are administered, and what it counts is listed under the tenant's name. A storage has
/// both or none.
pub async fn spend_is_counted_where_it_is_administered(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    assert_eq!(storage.spend().is_some(), storage.spend_admin().is_some());
    let Some((ledger, admin)) = storage.spend().zip(storage.spend_admin()) else {
        return left_out("spend");
    };
    let id = tenant(&*storage, "one").await;
    let one = CapChanges {
        lookups: CapChange::Set(1),
        ..CapChanges::default()
    };
    admin.change_caps("one", one, ample()).await.expect("the tenant exists");
    let purchase = Purchase {
        tenant: id,
        vendor: "twilio".to_owned(),
        day: TODAY,
        price_micro_usd: 5,
    };
    let buys = async || {
        ledger
            .reserve(&purchase, ample())
            .await
            .expect("a healthy storage counts")
    };
    assert_eq!((buys().await, buys().await), (true, false));
    let usage = admin.usage(Some("one".to_owned()), TODAY, ample()).await;
    let usage = usage.expect("a healthy storage lists");
    assert_eq!((usage.len(), usage[0].tenant.as_str(), usage[0].lookups), (1, "one", 1));
}

/// A call that the memory has committed waits for a rewrite.
pub async fn the_backlog_is_of_the_memorys_calls(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    let Some(backlog) = storage.backlog() else {
        return left_out("a backlog of summaries");
    };
    let id = tenant(&*storage, "one").await;
    end(&*storage.memory(), id, "said", 1).await;
    let claimed = backlog.claim(NOW_MS + 1_000, NOW_MS + 60_000, ample()).await;
    let claim = claimed.expect("a healthy storage claims").expect("a call waits");
    assert_eq!(claim.tenant, id);
    let Subject::Call { call, .. } = claim.subject else {
        panic!("the call comes before its caller");
    };
    let transcript = storage.memory().transcript(id, call, ample()).await;
    assert!(transcript.expect("a healthy storage reads").is_some());
}

/// A port is the same however often it is asked for: the arrivals of one process are of one order.
pub async fn a_port_is_one_for_the_whole_process(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    let id = tenant(&*storage, "one").await;
    let (early, late) = (
        record(&number(0), "same", NOW_MS, 1),
        record(&number(1), "same", NOW_MS, 2),
    );
    for record in [&late, &early] {
        let written = storage.memory().record_end(id, record, ample()).await;
        written.expect("a healthy storage commits");
    }
    let read = storage.memory().caller(id, &number(1), ample()).await;
    let read = read
        .expect("a healthy storage reads")
        .expect("the later report made the caller");
    assert_eq!(read.total_calls, 1, "the earlier report came too late");
}

/// Another process sees what one has acknowledged.
pub async fn another_process_sees_what_was_acknowledged(fixture: &StorageFixture) {
    let here = fixture.migrated().await;
    let Some(there) = fixture.other_process().await else {
        return left_out("a second process");
    };
    let id = tenant(&*here, "one").await;
    here.access()
        .create_key("one", &new_key(0), NOW_MS, ample())
        .await
        .expect("the tenant exists");
    assert!(grant(&*there).await.is_some());
    end(&*there.memory(), id, "said", 1).await;
    assert_eq!(caller(&*here, id).await.map(|caller| caller.total_calls), Some(1));
}

/// What was acknowledged is there when the storage was closed and is opened again.
pub async fn what_was_acknowledged_survives_closing(fixture: &StorageFixture) {
    if !fixture.persists {
        return left_out("what outlives the process");
    }
    let storage = fixture.migrated().await;
    let id = tenant(&*storage, "one").await;
    storage
        .access()
        .create_key("one", &new_key(0), NOW_MS, ample())
        .await
        .expect("the tenant exists");
    end(&*storage.memory(), id, "said", 1).await;
    storage.close(ample()).await;
    drop(storage);

    let storage = fixture.open().await;
    assert!(applied(&*storage).await.iter().all(|applied| *applied));
    assert!(grant(&*storage).await.is_some());
    let read = storage
        .memory()
        .recall(id, &query(&number(0), NOW_MS + 10), ample())
        .await;
    let read = read.expect("a healthy storage recalls");
    assert_eq!(
        (read.known, read.caller.total_calls, read.recent_calls.len()),
        (true, 1, 1)
    );
    let CallId(call) = read.recent_calls[0].call_id;
    let transcript = storage.memory().transcript(id, CallId(call), ample()).await;
    assert_eq!(
        transcript.expect("a healthy storage reads").map(|turns| turns.len()),
        Some(2)
    );
}

/// The contacts that recalls have noted are written before the storage is closed.
pub async fn closing_writes_what_waits(fixture: &StorageFixture) {
    if !fixture.persists {
        return left_out("what outlives the process");
    }
    let storage = fixture.migrated().await;
    let id = tenant(&*storage, "one").await;
    end(&*storage.memory(), id, "said", 1).await;
    let later = NOW_MS + 3_600_000;
    let read = storage.memory().recall(id, &query(&number(0), later), ample()).await;
    read.expect("a healthy storage recalls");
    storage.close(ample()).await;
    drop(storage);
    let storage = fixture.open().await;
    assert_eq!(
        caller(&*storage, id).await.map(|caller| caller.last_seen_ms),
        Some(later)
    );
}

/// Closing ends by its deadline, even one that has passed.
pub async fn closing_ends_by_its_deadline(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    promptly("close", storage.close(passed())).await;
}

/// A storage that can be read and written says that it is ready.
pub async fn a_healthy_storage_is_ready(fixture: &StorageFixture) {
    let storage = fixture.migrated().await;
    storage.ready(ample()).await.expect("a migrated storage is ready");
    tenant(&*storage, "one").await;
    storage
        .ready(ample())
        .await
        .expect("a storage that was written is ready");
    let _ = promptly("ready", storage.ready(passed())).await;
}

/// A storage is not ready, and says why, while a step of its schema is missing: before it is migrated, and after the
/// step was undone.
pub async fn a_storage_that_lacks_a_step_is_not_ready(fixture: &StorageFixture) {
    let storage = fixture.open().await;
    if steps(&*storage).await.is_empty() {
        return left_out("schema steps");
    }
    let lacks_a_step = async || match storage.ready(ample()).await {
        Err(PortError::Internal(cause)) => cause.is::<SchemaTooOld>(),
        _ => false,
    };
    assert!(lacks_a_step().await, "nothing is migrated yet");
    storage.migrate_up().await.expect("a healthy storage migrates");
    for undone in [1, u32::MAX] {
        storage.ready(ample()).await.expect("a migrated storage is ready");
        storage.migrate_down(undone).await.expect("a healthy storage migrates");
        assert!(lacks_a_step().await, "{undone} steps are undone");
        storage.migrate_up().await.expect("a healthy storage migrates");
    }
    storage.ready(ample()).await.expect("a migrated storage is ready");
}

/// The file that the driver names for a URL is the one that opening creates; naming it creates nothing.
pub async fn the_file_is_made_by_opening(fixture: &StorageFixture) {
    let Some(file) = fixture.driver.file(&fixture.options.url) else {
        return left_out("a file");
    };
    assert!(!file.exists(), "{} was there before", file.display());
    let storage = fixture.migrated().await;
    assert!(file.exists(), "{} is not there", file.display());
    storage.close(ample()).await;
}

/// Expands to the contract suite of [`Storage`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`StorageFixture`]`>`; see [`contract`](crate::contract) for an example.
#[macro_export]
macro_rules! storage_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, storage:
            opening_migrates_nothing,
            migrating_again_changes_nothing,
            steps_are_undone_from_the_newest,
            simultaneous_migrations_apply_each_step_once,
            keys_are_found_as_they_are_administered,
            look_ups_are_seen_by_recalls,
            profiles_and_calls_are_one,
            open_calls_are_those_of_the_memory,
            receipts_know_tenants_and_calls,
            spend_is_counted_where_it_is_administered,
            the_backlog_is_of_the_memorys_calls,
            a_port_is_one_for_the_whole_process,
            another_process_sees_what_was_acknowledged,
            what_was_acknowledged_survives_closing,
            closing_writes_what_waits,
            closing_ends_by_its_deadline,
            a_healthy_storage_is_ready,
            a_storage_that_lacks_a_step_is_not_ready,
            the_file_is_made_by_opening,
        }
    };
}
