//! Faults do what their names say, to every method of a port, and leave what is behind them alone.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeMap,
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    call::CallId,
    error::PortError,
    port::{CallerAdmin, CallerMemory, EnrichmentCache, KeyStore},
};
use testkit::{
    Fault, Faulty, InMemoryCallerMemory, InMemoryKeyStore,
    sample::{NOW_MS, ample, lookup, new_key, number, query, record, tenant, within},
};
use uuid::Uuid;

type Memory = Faulty<InMemoryCallerMemory>;

/// The error of each method of the memory, called one after the other with a deadline of 30 ms.
async fn errors_of(memory: &Memory) -> Vec<(&'static str, PortError)> {
    let (tenant, caller) = (tenant(), number(0));
    let time = Duration::from_millis(30);
    let mut errors = Vec::new();
    let mut fails = |method, error: Option<PortError>| errors.push((method, error.expect(method)));
    let read = memory.recall(tenant, &query(&caller, NOW_MS), within(time)).await;
    fails("recall", read.err());
    let written = memory
        .record_end(tenant, &record(&caller, "session", NOW_MS, 1), within(time))
        .await;
    fails("record_end", written.err());
    fails("caller", memory.caller(tenant, &caller, within(time)).await.err());
    fails(
        "transcript",
        memory.transcript(tenant, CallId(Uuid::nil()), within(time)).await.err(),
    );
    let stored = memory
        .store_lookup(tenant, &caller, &lookup("twilio", NOW_MS), within(time))
        .await;
    fails("store_lookup", stored.err());
    let imported = memory.import(tenant, &BTreeMap::new(), NOW_MS, within(time)).await;
    fails("import", imported.err());
    fails("history", memory.history(tenant, &caller, within(time)).await.err());
    errors
}

fn faulty(fault: Fault) -> Memory {
    let memory = Faulty::new(Arc::new(InMemoryCallerMemory::new()));
    memory.set(fault);
    memory
}

#[tokio::test]
async fn unavailable_and_internal_fail_at_once() {
    for (method, error) in errors_of(&faulty(Fault::Unavailable)).await {
        assert!(matches!(error, PortError::Unavailable(_)), "{method}: {error:?}");
    }
    for (method, error) in errors_of(&faulty(Fault::Internal)).await {
        assert!(matches!(error, PortError::Internal(_)), "{method}: {error:?}");
    }
}

#[tokio::test]
async fn hanging_until_the_deadline_ends_at_it_and_not_before() {
    let began = Instant::now();
    let errors = errors_of(&faulty(Fault::HangUntilDeadline)).await;
    let least = Duration::from_millis(30) * u32::try_from(errors.len()).unwrap();
    assert!(began.elapsed() >= least, "each method waits for its deadline");
    for (method, error) in errors {
        let PortError::Unavailable(cause) = error else {
            panic!("{method}: {error:?}")
        };
        assert_eq!(cause.to_string(), format!("the deadline passed during {method}"));
    }
}

#[tokio::test]
async fn hanging_for_ever_outlasts_the_deadline() {
    async fn hangs<T>(work: impl Future<Output = T>) -> bool {
        tokio::time::timeout(Duration::from_millis(40), work).await.is_err()
    }

    let memory = faulty(Fault::HangForever);
    assert!(hangs(memory.caller(tenant(), &number(0), within(Duration::from_millis(5)))).await);
    let keys = Faulty::new(Arc::new(InMemoryKeyStore::new()));
    keys.set(Fault::HangForever);
    assert!(hangs(keys.find_key(&new_key(0).hash, within(Duration::from_millis(5)))).await);
}

#[tokio::test]
async fn a_fault_ends_when_it_is_switched_off_and_leaves_nothing() {
    let memory = faulty(Fault::Unavailable);
    let tenant = tenant();
    let call = record(&number(0), "session", NOW_MS, 1);
    assert!(memory.record_end(tenant, &call, ample()).await.is_err());
    memory.set(Fault::Healthy);
    assert!(matches!(memory.caller(tenant, &number(0), ample()).await, Ok(None)));
    memory.record_end(tenant, &call, ample()).await.unwrap();
    assert_eq!(memory.calls(), 3, "failed calls count too");
}
