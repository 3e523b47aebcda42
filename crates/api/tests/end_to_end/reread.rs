//! Old calls catch up with the rules: by themselves when a service starts, and by command.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use adapters_sqlorm::SqlDriver;
use domain::{
    call::EndedCall,
    context::Deadline,
    facts::{Fact, FactKey, SaidFact},
    memory::CallRecord,
    port::{OldCall, Settled, Storage, StorageDriver, StorageOptions},
    reading::{self, RULES},
    themes::Themes,
};
use serde_json::{Value, json};
use testkit::InMemoryDriver;

use super::{NUMBER, on_each_database, recall_body};
use crate::service::{Database, PATIENCE, Service, command, eventually};

fn report(session: &str, said: &[&str]) -> Value {
    let turns = said.iter().zip(0..).map(|(text, i)| {
        let (role, text) = text
            .strip_prefix("agent: ")
            .map_or(("user", *text), |text| ("agent", text));
        json!({"role": role, "text": text, "ts_ms": i * 2_000})
    });
    json!({
        "session_id": session, "phone_number": NUMBER, "duration_s": 30, "outcome": "other",
        "transcript": turns.collect::<Vec<_>>(),
    })
}

const CALLS: [(&str, &[&str]); 3] = [
    (
        "s-1",
        &[
            "agent: which city should i search",
            "find me a hotel",
            "my name is ana ruiz",
        ],
    ),
    (
        "s-2",
        &["my email is ana at example dot com", "agent: thank you i have noted it"],
    ),
    (
        "s-3",
        &["my email is now ana dot ruiz at example dot com", "i live in lisbon"],
    ),
];

/// Does `work` on the storage, as another process would.
fn with_storage(database: &Database, work: impl AsyncFnOnce(&dyn Storage)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let options = StorageOptions::new(database.url.clone());
        let opened: Arc<dyn Storage> = if database.is_in_memory() {
            InMemoryDriver.open(options).await.expect("it opens")
        } else {
            SqlDriver.open(options).await.expect("it opens")
        };
        work(&*opened).await;
        opened.close(deadline()).await;
    });
}

fn deadline() -> Deadline {
    Deadline(Instant::now() + PATIENCE)
}

/// Makes of every call what these rules do not: another summary, and the city "Find" alone.
fn spoil(database: &Database, rules: u32) {
    with_storage(database, async |storage| {
        let old_calls = storage.old_calls().expect("the storage finds old calls");
        let calls = old_calls.following(None, None, 100, deadline()).await;
        for call in calls.expect("calls are found") {
            let spoilt = spoilt(&call, rules);
            let settled = old_calls.settle(&call, Some(&spoilt), deadline()).await;
            assert_eq!(settled.expect("it is kept"), Settled::Changed);
        }
    });
}

fn spoilt(call: &OldCall, rules: u32) -> CallRecord {
    let record = reading::read(call.report.clone().expect("a report"), |_| ()).record;
    let EndedCall { transcript, .. } = &record.call;
    let fact = Fact {
        key: FactKey::City,
        value: "Find".to_owned(),
        quote: transcript[0].text.clone(),
        turn: 0,
        terms: None,
    };
    CallRecord {
        summary: "Caller says something.".to_owned(),
        facts: vec![SaidFact::new(
            fact,
            &transcript[0],
            record.started_at_ms,
            record.received_at_ms,
        )],
        themes: Themes::stored("9 nonsense\n".to_owned()),
        rules,
        ..record
    }
}

/// What a recall tells, but for what changes from recall to recall, and for the caller's summary: what a caller often
/// speaks of weighs a little more when its call was read later.
fn remembered(service: &Service) -> [Value; 3] {
    let mut read = service.recall(&recall_body(), &[]).body;
    ["memory", "facts", "caller"].map(|part| {
        let mut told = read[part].take();
        if let Some(told) = told.as_object_mut() {
            told.remove("last_seen_ms");
            told.remove("summary");
        }
        told
    })
}

fn stop(mut service: Service) {
    service.signal("TERM");
    assert!(service.wait().success());
}

#[test]
fn calls_of_before_are_read_again_by_themselves_and_by_command() {
    on_each_database(|database| {
        let service = Service::start(database, &[]);
        for (session, said) in CALLS {
            let ended = service.try_post("/v1/calls/end", &report(session, said), &[]);
            assert_eq!(ended.expect("the service answers").status, 204);
        }
        command(database, &["caller", "set", NUMBER, "--tag", "vip"]);
        command(database, &["caller", "fact", "set", NUMBER, "city", "Porto"]);
        let expected = remembered(&service);
        stop(service);

        spoil(database, RULES - 1);
        let service = Service::start(database, &[]);
        eventually("the calls are read again", || remembered(&service) == expected);
        let changed = "caller_memory_calls_reread_total{outcome=\"changed\"} 3";
        eventually("they are counted", || service.metrics().contains(changed));

        // What the present rules are said to have read, only the command reads again; the service goes on meanwhile.
        let reread = || command(database, &["memory", "reread"]);
        assert_eq!(reread(), json!({"read": 3, "changed": 0, "unreadable": 0}));
        spoil(database, RULES);
        assert_ne!(remembered(&service), expected);
        let named = command(database, &["memory", "reread", "--tenant", "default"]);
        assert_eq!(named, json!({"read": 3, "changed": 3, "unreadable": 0}));
        assert_eq!(remembered(&service), expected);
        assert_eq!(reread(), json!({"read": 3, "changed": 0, "unreadable": 0}));
    });
}

#[test]
fn a_report_during_the_sweep_wins_and_a_stop_is_quick() {
    on_each_database(|database| {
        let service = Service::start(database, &[]);
        let many = 60;
        for i in 0..many {
            let said = ["my name is ana ruiz", "i live in lisbon"];
            let ended = service.try_post("/v1/calls/end", &report(&format!("s-{i}"), &said), &[]);
            assert_eq!(ended.expect("the service answers").status, 204);
        }
        stop(service);
        spoil(database, RULES - 1);

        let service = Service::start(database, &[]);
        let corrected = ["my name is bea ruiz", "i live in porto"];
        for i in 0..many {
            let ended = service.try_post("/v1/calls/end", &report(&format!("s-{i}"), &corrected), &[]);
            assert_eq!(ended.expect("the service answers").status, 204);
        }
        let began = Instant::now();
        stop(service);
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());

        let service = Service::start(database, &[]);
        eventually("nothing is left to be read again", || {
            let mut left = 0;
            with_storage(database, async |storage| {
                let old_calls = storage.old_calls().expect("the storage finds old calls");
                left = old_calls
                    .outdated(100, deadline())
                    .await
                    .expect("calls are found")
                    .len();
            });
            left == 0
        });
        let read = service.recall(&recall_body(), &[]).body;
        let facts = read["facts"].as_array().expect("facts").iter();
        let mut values: Vec<_> = facts.map(|fact| fact["value"].as_str().unwrap_or_default()).collect();
        values.sort_unstable();
        assert_eq!(values, ["Bea Ruiz", "Porto"], "{read}");
        assert_eq!(read["caller"]["total_calls"], many);
    });
}
