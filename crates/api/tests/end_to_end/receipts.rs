//! The feedback loop as its user meets it: an answer's id, the program's `receipt` commands, stops and restarts.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use adapters_sqlorm::SqlDriver;
use domain::{
    access::TenantId,
    context::Deadline,
    port::{StorageDriver, StorageOptions},
    receipt::Receipt,
};
use serde_json::{Value, json};
use testkit::InMemoryDriver;

use crate::{
    NUMBER, on_each_database,
    service::{Answer, Database, Service, eventually},
};

const ON: (&str, &str) = ("CALLER_MEMORY_FEEDBACK_LOOP", "true");

/// What a command prints as JSON; `None` when it fails.
fn run(database: &Database, arguments: &[&str]) -> Option<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let output = database
        .program(folder.path())
        .args(arguments)
        .arg("--json")
        .output()
        .expect("the binary runs");
    let printed = || serde_json::from_slice(&output.stdout).expect("one JSON value");
    output.status.success().then(printed)
}

fn recall(service: &Service, session: &str) -> Answer {
    let answer = service.recall(&json!({"phone_number": NUMBER, "session_id": session}), &[]);
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer
}

fn id(answer: &Answer) -> &str {
    answer.body["context_audit_id"].as_str().expect("an id")
}

/// Recalls, calls that ended, and booked callbacks of a group.
fn counts(database: &Database, caller: &str) -> [u64; 3] {
    let stats = run(database, &["receipt", "stats", "--tenant", "default", "--days", "1"]).expect("stats");
    let groups = stats["groups"].as_array().expect("groups");
    let group = groups
        .iter()
        .find(|group| group["caller"] == caller && group["enriched"] == false);
    let group = group.expect("every group is there");
    [
        &group["receipts"],
        &group["ended"],
        &group["outcomes"]["callback_requested"],
    ]
    .map(|n| n.as_u64().expect("a count"))
}

#[test]
fn a_receipt_is_what_the_client_got_with_the_outcome_of_its_call() {
    on_each_database(|database| {
        let service = Service::start(database, &[ON, ("CALLER_MEMORY_LOG", "trace")]);
        let answer = recall(&service, "session of Zebulon");
        let mut shown = None;
        eventually("the receipt is written", || {
            shown = run(database, &["receipt", "show", id(&answer)]);
            shown.is_some()
        });
        let shown = shown.expect("it was found");
        assert_eq!(shown["response_text"], answer.text, "byte for byte");
        assert_eq!(shown["response"], answer.body);
        assert_eq!(
            (&shown["trace_id"], &shown["tenant"], &shown["outcome"]),
            (&answer.body["trace_id"], &json!("default"), &Value::Null)
        );
        assert_eq!(counts(database, "new"), [1, 0, 0]);

        assert_eq!(service.end("session of Zebulon", NUMBER).status, 204);
        let shown = run(database, &["receipt", "show", id(&answer)]).expect("it is still there");
        assert_eq!(shown["outcome"], "callback_requested");
        assert_eq!(counts(database, "new"), [1, 1, 1]);

        let second = recall(&service, "s-2");
        eventually("the second is written", || counts(database, "known") == [1, 0, 0]);
        assert_ne!(id(&answer), id(&second));
        assert!(service.metrics().contains("caller_memory_receipts_kept_total 2"));
        let log = service.output();
        assert!(!log.contains("2025550142") && !log.contains("Zebulon"), "{log}");
    });
}

#[test]
fn a_stop_writes_the_receipts_that_wait() {
    on_each_database(|database| {
        let mut service = Service::start(database, &[ON]);
        let answers: Vec<_> = (0..50).map(|n| recall(&service, &format!("s-{n}"))).collect();
        service.signal("TERM");
        assert!(service.wait().success());
        for answer in answers {
            let shown = run(database, &["receipt", "show", id(&answer)]).expect("it was written");
            assert_eq!(shown["response_text"], answer.text);
        }
    });
}

#[test]
fn without_the_loop_there_is_no_field_and_no_row() {
    on_each_database(|database| {
        let mut service = Service::start(database, &[]);
        for n in 0..10 {
            let answer = recall(&service, &format!("s-{n}"));
            assert!(!answer.text.contains("context_audit_id"), "{}", answer.text);
        }
        service.signal("TERM");
        assert!(service.wait().success());
        let stats = run(database, &["receipt", "stats"]).expect("stats");
        let groups = stats["groups"].as_array().expect("groups");
        assert_eq!(groups.len(), 6);
        assert!(groups.iter().all(|group| group["receipts"] == 0), "{stats}");
    });
}

fn deadline() -> Deadline {
    Deadline(Instant::now() + Duration::from_secs(30))
}

/// Puts a receipt into the database as a service did `age` ago.
fn put(database: &Database, tenant: TenantId, age: Duration) -> Receipt {
    let then = SystemTime::now() - age;
    let since = then.duration_since(UNIX_EPOCH).expect("after 1970");
    let receipt = testkit::sample::receipt(tenant, None, i64::try_from(since.as_millis()).expect("in range"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let options = StorageOptions {
            url: database.url.clone(),
            connections: 1,
        };
        let opening = if database.is_in_memory() {
            InMemoryDriver.open(options)
        } else {
            SqlDriver.open(options)
        };
        let storage = opening.await.expect("a storage");
        let store = storage.receipts().expect("it keeps receipts");
        store
            .keep(std::slice::from_ref(&receipt), deadline())
            .await
            .expect("it is kept");
        storage.close(deadline()).await;
    });
    receipt
}

#[test]
fn receipts_that_are_too_old_are_deleted_at_the_start() {
    on_each_database(|database| {
        let created = run(database, &["tenant", "create", "acme"]).expect("a tenant");
        let tenant = TenantId(created["id"].as_str().expect("an id").parse().expect("a UUID"));
        let hours = |hours| put(database, tenant, Duration::from_hours(hours)).id.to_string();
        let (old, young) = (hours(3 * 24 + 1), hours(3 * 24 - 1));
        let is_there = |id: &str| run(database, &["receipt", "show", id]).is_some();
        assert!(is_there(&old) && is_there(&young));

        let _service = Service::start(database, &[ON, ("CALLER_MEMORY_RECEIPT_DAYS", "3")]);
        eventually("the old one is deleted", || !is_there(&old));
        assert!(is_there(&young));
    });
}
