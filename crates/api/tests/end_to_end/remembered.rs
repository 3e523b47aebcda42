//! What callers state, across calls and corrections, and calls that were never written back.

use serde_json::{Value, json};

use super::{NUMBER, on_each_database, recall_body};
use crate::service::{KEY, Service, command, command_with, eventually};

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

fn values(facts: &Value) -> Vec<(&str, &str)> {
    let facts = facts.as_array().expect("facts are shown").iter();
    facts
        .map(|fact| (fact["key"].as_str().unwrap_or(""), fact["value"].as_str().unwrap_or("")))
        .collect()
}

#[test]
fn what_a_caller_states_stands_until_it_is_superseded_or_corrected() {
    on_each_database(|database| {
        let service = Service::start(database, &[]);
        let end = |report: &Value| {
            let answer = service
                .try_post("/v1/calls/end", report, &[])
                .expect("the service answers");
            assert_eq!(answer.status, 204);
        };
        end(&report(
            "s-1",
            &[
                "agent: hi my name is john",
                "my name is ana ruiz",
                "my email is ana at example dot com",
            ],
        ));
        end(&report(
            "s-2",
            &["my email is now ana dot ruiz at example dot com", "i live in lisbon"],
        ));
        let read = service.recall(&recall_body(), &[]).body;
        assert_eq!(read["caller"]["name"], "Ana Ruiz", "{read}");
        let email = |address| ("email", address);
        let facts = values(&read["facts"]);
        assert!(
            facts.contains(&email("ana.ruiz@example.com")) && !facts.contains(&email("ana@example.com")),
            "{facts:?}"
        );
        for fact in read["facts"].as_array().expect("facts") {
            let call = read["memory"]["recent_calls"].as_array().expect("calls").iter();
            assert!(call.clone().any(|call| call["call_id"] == fact["call_id"]), "{fact}");
        }

        let shown = command(database, &["caller", "show", NUMBER]);
        let former = shown["facts"].as_array().expect("facts").iter();
        let former: Vec<_> = former.filter(|fact| fact["stands"] == json!(false)).collect();
        assert_eq!(
            (former.len(), &former[0]["value"]),
            (1, &json!("ana@example.com")),
            "{shown}"
        );

        end(&report("s-2", &["never mind"]));
        let read = service.recall(&recall_body(), &[]).body;
        assert!(values(&read["facts"]).contains(&email("ana@example.com")), "{read}");
        assert_eq!(service.get(NUMBER, KEY).body["name"], "Ana Ruiz");

        command(database, &["caller", "set", NUMBER, "--name", "Dr Ruiz"]);
        assert_eq!(
            service.get(NUMBER, KEY).body["name"],
            "Dr Ruiz",
            "the operator's name goes first"
        );
        let counted = service.metrics();
        assert!(
            counted.contains("caller_memory_facts_total{key=\"email\",outcome=\"found\"} 2"),
            "{counted}"
        );
    });
}

#[test]
fn a_call_that_was_never_written_back_is_listed_until_it_is() {
    on_each_database(|database| {
        let unfinished = [("CALLER_MEMORY_UNFINISHED_AFTER_S", "1")];
        let service = Service::start(database, &unfinished);
        let begun = json!({"phone_number": NUMBER, "session_id": "lost"});
        assert_eq!(service.recall(&begun, &[]).body["memory"]["gaps"], 0);
        eventually("the call becomes a gap", || {
            service.recall(&recall_body(), &[]).body["memory"]["gaps"] == json!(1)
        });
        let open = command(database, &["calls", "open", "--older-than", "1s"]);
        assert_eq!(open.as_array().map(Vec::len), Some(1), "{open}");
        assert_eq!(
            (&open[0]["tenant"], &open[0]["phone_number"], &open[0]["session_id"]),
            (&json!("default"), &json!(NUMBER), &json!("lost"))
        );
        assert_eq!(
            command_with(database, &unfinished, &["calls", "open"]),
            open,
            "the service's own setting"
        );
        assert_eq!(
            command(database, &["calls", "open"]),
            json!([]),
            "two hours have not passed"
        );
        assert_eq!(service.end("lost", NUMBER).status, 204);
        assert_eq!(service.recall(&recall_body(), &[]).body["memory"]["gaps"], 0);
        assert_eq!(command(database, &["calls", "open", "--older-than", "1s"]), json!([]));
    });
}
