//! Two persons behind one number, before a strict tenant.

use serde_json::{Value, json};

use super::{NUMBER, on_each_database, recall_body};
use crate::service::{Service, command, eventually};

#[test]
fn a_strict_tenant_is_kept_from_another_persons_memory() {
    on_each_database(|database| {
        let service = Service::start(database, &[("CALLER_MEMORY_AUTH_CACHE_S", "1")]);
        let end = |session: &str, words: &str| {
            let report = json!({
                "session_id": session, "phone_number": NUMBER, "duration_s": 30, "outcome": "other",
                "transcript": [{"role": "user", "text": words, "ts_ms": 0}],
            });
            let answer = service.try_post("/v1/calls/end", &report, &[]);
            assert_eq!(answer.expect("the service answers").status, 204);
        };
        let recall = || service.recall(&recall_body(), &[]).body;
        end("s-1", "my name is ana ruiz and my email is ana at example dot com");
        end("s-2", "my name is tom baker and my email is tom at example dot com");
        let advised = recall();
        assert_eq!(
            advised["identity"],
            json!({"recommendation": "withhold", "signals": ["names_differ"]}),
            "{advised}"
        );
        assert_eq!(advised["caller"]["name"], "Tom Baker");

        let tenant = command(database, &["tenant", "set", "default", "--identity", "strict"]);
        assert_eq!(tenant["identity"], "strict");
        eventually("the memory is withheld", || {
            recall()["identity"]["withheld"].is_object()
        });
        let withheld = recall();
        assert_eq!(withheld["facts"], json!([]), "{withheld}");
        assert_eq!(withheld["memory"]["recent_calls"], json!([]));
        assert_eq!(
            (&withheld["memory"]["summary"], &withheld["caller"]["name"]),
            (&json!(""), &Value::Null)
        );

        end("s-3", "this is tom calling");
        let released = recall();
        assert_eq!(released["identity"]["recommendation"], "confirm", "{released}");
        assert_eq!(released["identity"]["withheld"], json!({"facts": 0, "calls": 1}));
        let text = released.to_string().to_lowercase();
        assert!(text.contains("tom@example.com") && !text.contains("ana"), "{released}");
    });
}
