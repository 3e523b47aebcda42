//! Whether the memory of a number is shown to whoever calls now, through REST and MCP.

use domain::{access::SettingsChange, caller::Change, identity::IdentityMode};
use serde_json::{Value, json};
use testkit::sample;

use crate::harness::{Fixture, NUMBER, call, recall};

/// A service whose tenant `one` is of this mode.
async fn service(mode: IdentityMode) -> Fixture {
    let fixture = Fixture::new().await;
    let change = SettingsChange {
        identity: Change::Set(mode),
        ..SettingsChange::default()
    };
    fixture
        .admin
        .change_tenant("one", &change, sample::ample())
        .await
        .unwrap();
    fixture
}

/// Reports a call whose caller says these words.
async fn end(fixture: &Fixture, session: &str, words: &str) {
    let mut report = call(session, NUMBER);
    report["transcript"][1]["text"] = json!(words);
    assert_eq!(fixture.end(&report).await.status, 204);
}

const ANA: &str = "My name is Ana Ruiz. My email is ana@example.com.";
const TOM: &str = "My name is Tom Baker. My email is tom@example.com.";

/// The texts of an answer that say something of a person.
fn told(answer: &Value) -> String {
    json!([
        answer["caller"]["name"],
        answer["memory"],
        answer["facts"],
        answer["enrichment"]
    ])
    .to_string()
}

#[actix_web::test]
async fn a_strict_tenant_hears_of_another_person_only_that_there_was_one() {
    let fixture = service(IdentityMode::Strict).await;
    end(&fixture, "s-1", ANA).await;
    let before = fixture.recall(&recall()).await.json();
    assert_eq!(before["identity"], json!({"recommendation": "use", "signals": []}));
    assert!(told(&before).contains("ana@example.com"), "{before}");

    end(&fixture, "s-2", TOM).await;
    let after = fixture.recall(&recall()).await.json();
    assert_eq!(
        after["identity"],
        json!({"recommendation": "withhold", "signals": ["names_differ"], "withheld": {"facts": 2, "calls": 2}})
    );
    assert_eq!(after["memory"], json!({"summary": "", "recent_calls": [], "gaps": 0}));
    assert_eq!((&after["facts"], &after["caller"]["name"]), (&json!([]), &Value::Null));
    assert_eq!(
        (&after["known"], &after["caller"]["total_calls"]),
        (&json!(true), &json!(2))
    );
    assert_eq!(fixture.get(NUMBER).await.json()["name"], Value::Null);
    let tool = fixture
        .tool("recall_and_enrich", &recall().to_string())
        .await
        .tool_answer();
    assert_eq!(
        (&tool["identity"], &tool["memory"]),
        (&after["identity"], &after["memory"])
    );

    // Named once more: what is his own is released, and hers is not.
    end(&fixture, "s-3", "This is Tom calling.").await;
    let confirmed = fixture.recall(&recall()).await.json();
    assert_eq!(confirmed["identity"]["recommendation"], "confirm");
    assert_eq!(confirmed["identity"]["withheld"], json!({"facts": 0, "calls": 1}));
    assert!(told(&confirmed).contains("tom@example.com"), "{confirmed}");
    assert!(!told(&confirmed).to_lowercase().contains("ana"), "{confirmed}");

    // A correction takes the name away, as if it had never been said.
    end(&fixture, "s-2", "Is my order ready?").await;
    end(&fixture, "s-3", "Is my order there?").await;
    let corrected = fixture.recall(&recall()).await.json();
    assert_eq!(corrected["identity"], json!({"recommendation": "use", "signals": []}));
    assert_eq!(corrected["caller"]["name"], "Ana Ruiz");
}

#[actix_web::test]
async fn a_tenant_that_set_nothing_is_advised_and_shown_everything() {
    let fixture = Fixture::new().await;
    end(&fixture, "s-1", ANA).await;
    end(&fixture, "s-2", TOM).await;
    let advised = fixture.recall(&recall()).await.json();
    assert_eq!(
        advised["identity"],
        json!({"recommendation": "withhold", "signals": ["names_differ"]})
    );
    assert_eq!(advised["memory"]["recent_calls"].as_array().map(Vec::len), Some(2));
    assert_eq!(advised["caller"]["name"], "Tom Baker");

    let fixture = service(IdentityMode::Off).await;
    end(&fixture, "s-1", ANA).await;
    end(&fixture, "s-2", TOM).await;
    let silent = fixture.recall(&recall()).await.json();
    assert_eq!(silent["identity"], json!({"recommendation": "use", "signals": []}));
}

#[actix_web::test]
async fn a_number_that_was_silent_for_long_may_be_somebody_elses() {
    let fixture = service(IdentityMode::Strict).await;
    let mut report = call("s-1", NUMBER);
    let long_ago = sample::NOW_MS - 91 * 24 * 60 * 60 * 1000;
    report["transcript"] = json!([{"role": "user", "text": ANA, "ts_ms": long_ago}]);
    assert_eq!(fixture.end(&report).await.status, 204);
    for _ in 0..2 {
        // That somebody asked who is calling does not end the silence.
        let answer = fixture.recall(&recall()).await.json();
        assert_eq!(answer["identity"]["recommendation"], "withhold", "{answer}");
        assert_eq!(answer["identity"]["signals"], json!(["silence"]));
        assert!(!told(&answer).to_lowercase().contains("ana"), "{answer}");
    }
    end(&fixture, "s-2", "Hi, this is Ana.").await;
    let released = fixture.recall(&recall()).await.json();
    assert_eq!(released["identity"], json!({"recommendation": "use", "signals": []}));
    assert!(told(&released).contains("ana@example.com"), "{released}");
}

#[actix_web::test]
async fn what_the_client_attests_is_heeded() {
    let fixture = Fixture::new().await;
    end(&fixture, "s-1", ANA).await;
    for (attestation, recommendation, signals) in [
        (json!("A"), "use", json!([])),
        (json!("TN-Validation-Passed-C"), "confirm", json!(["attestation_weak"])),
        (json!(false), "confirm", json!(["attestation_weak"])),
        (json!("TN-Validation-Failed"), "withhold", json!(["attestation_failed"])),
        (json!({"any": "thing"}), "use", json!([])),
    ] {
        let mut body = recall();
        body["metadata"] = json!({"attestation": attestation});
        let identity = fixture.recall(&body).await.json()["identity"].take();
        assert_eq!(identity, json!({"recommendation": recommendation, "signals": signals}));
    }
}
