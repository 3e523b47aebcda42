//! REST and MCP give the same answers for the same inputs, errors included.

use std::{collections::BTreeSet, time::Duration};

use actix_web::test::TestRequest;
use api::RequestLimits;
use domain::access::Scope;
use serde_json::{Value, json};
use testkit::Fault;

use crate::harness::{Answer, END, Fixture, MCP, NUMBER, RECALL, Setup, call, recall, tool_call, with_key};

/// What an answer comes to, whoever carried it.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// A body, without what is of this one request: its trace id and its times.
    Answered(Value),
    /// Code and message.
    Refused(String, String),
}

fn answered(mut body: Value) -> Outcome {
    if let Some(object) = body.as_object_mut().filter(|object| object.contains_key("trace_id")) {
        assert!(object.remove("trace_id").is_some_and(|id| id.is_string()));
        let cache_hit = object["timing_ms"]["cache_hit"].take();
        object.insert("timing_ms".to_owned(), cache_hit);
        for call in object["memory"]["recent_calls"].as_array_mut().unwrap() {
            assert!(call["call_id"].take().is_string());
        }
    }
    Outcome::Answered(body)
}

fn refused(body: &Value) -> Outcome {
    let text = |name: &str| body["error"][name].as_str().unwrap().to_owned();
    Outcome::Refused(text("code"), text("message"))
}

/// The way into the service.
#[derive(Debug, Clone, Copy)]
enum Transport {
    Rest,
    Mcp,
}

/// One call of a tool, or of its REST twin.
#[derive(Debug, Clone)]
struct Input {
    tool: &'static str,
    /// The arguments or the body, in this very text.
    text: String,
    scopes: Vec<Scope>,
    fault: Fault,
    deadline: Option<&'static str>,
}

impl Input {
    fn new(tool: &'static str, text: impl Into<String>) -> Self {
        Self {
            tool,
            text: text.into(),
            scopes: Scope::ALL.to_vec(),
            fault: Fault::Healthy,
            deadline: None,
        }
    }

    fn request(&self, transport: Transport) -> TestRequest {
        let mut request = match (transport, self.tool) {
            (Transport::Mcp, tool) => TestRequest::post().uri(MCP).set_payload(tool_call(tool, &self.text)),
            (Transport::Rest, "recall_and_enrich") => TestRequest::post().uri(RECALL).set_payload(self.text.clone()),
            (Transport::Rest, "calls_end") => TestRequest::post().uri(END).set_payload(self.text.clone()),
            (Transport::Rest, _) => {
                let arguments: Value = serde_json::from_str(&self.text).unwrap();
                let number = arguments["phone_number"].as_str().unwrap();
                let encoded: Vec<String> = number.bytes().map(|byte| format!("%{byte:02X}")).collect();
                TestRequest::get().uri(&format!("/v1/caller/{}", encoded.concat()))
            }
        };
        if let Some(deadline) = self.deadline {
            request = request.insert_header(("X-Deadline-Ms", deadline));
        }
        request
    }

    /// Sends it to a service of its own, in which one caller has called once, and reads what the service then holds.
    async fn outcome(&self, transport: Transport) -> (Outcome, Vec<Value>) {
        let limits = RequestLimits {
            write_deadline: Duration::from_millis(400),
            ..RequestLimits::default()
        };
        let fixture = Fixture::with(Setup {
            limits,
            ..Setup::default()
        })
        .await;
        assert_eq!(fixture.end(&call("s-0", NUMBER)).await.status, 204);
        let key = fixture.new_key("one", &self.scopes).await;
        fixture.memory.set(self.fault);
        let answer = fixture.send(with_key(self.request(transport), &key)).await;
        fixture.memory.set(Fault::Healthy);
        let outcome = match transport {
            Transport::Rest => of_rest(&answer),
            Transport::Mcp => of_mcp(&answer),
        };
        let mut held = Vec::new();
        for number in [NUMBER, "+12025550143", "+442079460123"] {
            held.push(fixture.get(number).await.json()["total_calls"].take());
        }
        (outcome, held)
    }
}

fn of_rest(answer: &Answer) -> Outcome {
    match answer.status.as_u16() {
        200 => answered(answer.json()),
        // An empty body has no equal among values.
        204 => Outcome::Answered(json!({"committed": true})),
        _ => refused(&answer.json()),
    }
}

fn of_mcp(answer: &Answer) -> Outcome {
    if answer.status != 200 {
        refused(&answer.json())
    } else if answer.json()["result"]["isError"] == true {
        let (code, message) = answer.tool_failure();
        Outcome::Refused(code, message)
    } else {
        answered(answer.tool_answer())
    }
}

fn with(body: &Value, field: &str, value: Value) -> String {
    let mut body = body.clone();
    body[field] = value;
    body.to_string()
}

/// Recalls and call reports: taken ones, and ones with every fault a body can have.
fn bodies() -> Vec<Input> {
    let recalls = [
        recall().to_string(),
        r#"{"phone_number": "(202) 555-0142", "trigger": "ringing", "session_id": "s-1", "agent_id": "a",
            "metadata": {"a": [1, {}]}}"#
            .to_owned(),
        r#"{"phone_number": "+44 20 7946 0123", "tenant_id": "two", "unknown": [null, 1e999],
            "session_id": ""}"#
            .to_owned(),
        "{}".to_owned(),
        with(&recall(), "phone_number", json!(null)),
        with(&recall(), "phone_number", json!(12_025_550_142_i64)),
        with(&recall(), "phone_number", json!("")),
        with(&recall(), "phone_number", json!("a\u{0}b")),
        with(&recall(), "phone_number", json!("12")),
        with(&recall(), "phone_number", json!("anonymous")),
        with(&recall(), "phone_number", json!("sip:anonymous@anonymous.invalid")),
        with(&recall(), "trigger", json!("later")),
        with(&recall(), "session_id", json!(7)),
        with(&recall(), "metadata", json!([])),
        with(&recall(), "session_id", json!("s".repeat(257))),
        with(&recall(), "metadata", json!({"a": "m".repeat(16 * 1024)})),
        with(&recall(), "unknown", json!("\u{0}")),
        r#"{"phone_number": "+12025550142", "phone_number": "+12025550143"}"#.to_owned(),
        r#"{"phone_number": "+1202555\ud8000142"}"#.to_owned(),
    ];
    let report = call("s-1", "+12025550143");
    let number = |text: &str| report.to_string().replace("61.5", text);
    let reports = [
        report.to_string(),
        call("s-0", NUMBER).to_string(),
        with(&report, "agent_metadata", json!({"any": {"thing": [1.5, null]}})),
        with(&report, "transcript", json!([])),
        "{}".to_owned(),
        with(&report, "session_id", json!("")),
        with(&report, "transcript", json!("user: hello")),
        with(
            &report,
            "transcript",
            json!([{"role": "caller", "text": "hi", "ts_ms": 0}]),
        ),
        with(&report, "transcript", json!([{"role": "user", "text": 5, "ts_ms": 0}])),
        with(&report, "transcript", json!([{"role": "user", "text": "hi"}])),
        with(&report, "duration_s", json!(-1)),
        number("1e400"),
        number("12345678901234567890123"),
        with(&report, "outcome", json!("sold")),
        with(&report, "agent_metadata", json!("x")),
        with(&report, "session_id", json!("s".repeat(257))),
        with(&report, "agent_metadata", json!({"a": "m".repeat(16 * 1024)})),
        with(
            &report,
            "transcript",
            json!([{"role": "user", "text": "t".repeat(64 * 1024 + 1), "ts_ms": 0}]),
        ),
        with(&report, "agent_metadata", json!({"a": ["\u{0}"]})),
        with(&report, "phone_number", json!("restricted")),
        with(&report, "phone_number", json!("abc")),
    ];
    let recalls = recalls.into_iter().map(|text| Input::new("recall_and_enrich", text));
    recalls
        .chain(reports.into_iter().map(|text| Input::new("calls_end", text)))
        .collect()
}

#[actix_web::test]
async fn the_same_inputs_have_the_same_outcomes() {
    let mut table = bodies();
    for number in [
        NUMBER,
        "+12025550143",
        "2025550142",
        "+1 202 555 0142",
        "anonymous",
        "+",
        "+12025550142x",
        "\u{661}",
    ] {
        table.push(Input::new("caller_lookup", json!({"phone_number": number}).to_string()));
    }
    let good = [
        Input::new("recall_and_enrich", recall().to_string()),
        Input::new("calls_end", call("s-1", NUMBER).to_string()),
        Input::new("caller_lookup", recall().to_string()),
    ];
    let faults = [
        Fault::Unavailable,
        Fault::Internal,
        Fault::HangUntilDeadline,
        Fault::HangForever,
    ];
    for input in good {
        for fault in faults {
            table.push(Input { fault, ..input.clone() });
        }
        for scope in Scope::ALL {
            let scopes = vec![scope];
            table.push(Input {
                scopes: scopes.clone(),
                ..input.clone()
            });
            if input.tool != "caller_lookup" {
                let text = "{}".to_owned();
                table.push(Input {
                    text,
                    scopes,
                    ..input.clone()
                });
            }
        }
        for deadline in ["20", "5000", "19", "soon"] {
            table.push(Input {
                deadline: Some(deadline),
                ..input.clone()
            });
        }
    }
    let mut codes = BTreeSet::new();
    for input in table {
        let rest = input.outcome(Transport::Rest).await;
        assert_eq!(input.outcome(Transport::Mcp).await, rest, "{input:?}");
        codes.insert(match rest.0 {
            Outcome::Answered(_) => "answered".to_owned(),
            Outcome::Refused(code, _) => code,
        });
    }
    let expected = [
        "answered",
        "bad_request",
        "insufficient_scope",
        "internal_error",
        "not_found",
        "service_unavailable",
        "validation_error",
    ];
    assert!(
        codes.iter().eq(expected),
        "the table has every code of a tool: {codes:?}"
    );
}

#[actix_web::test]
async fn requests_that_are_refused_as_a_whole_are_refused_alike() {
    let input = Input::new("recall_and_enrich", recall().to_string());
    for transport in [Transport::Rest, Transport::Mcp] {
        let fixture = Fixture::with(Setup {
            burst: 1,
            ..Setup::default()
        })
        .await;
        let none = fixture.send(input.request(transport)).await;
        none.refused(401, "unauthorized");
        let unscoped = fixture.new_key("one", &[]).await;
        fixture
            .send(with_key(input.request(transport), &unscoped))
            .await
            .refused(403, "insufficient_scope");
        assert_eq!(
            fixture
                .send(with_key(input.request(transport), &fixture.key))
                .await
                .status,
            200
        );
        fixture
            .send(with_key(input.request(transport), &fixture.key))
            .await
            .refused(429, "rate_limited");
        let unverified = fixture.new_key("one", &Scope::ALL).await;
        fixture.keys.set(Fault::Unavailable);
        fixture
            .send(with_key(input.request(transport), &unverified))
            .await
            .refused(503, "service_unavailable");
    }
}

#[actix_web::test]
async fn what_one_transport_wrote_the_other_reads() {
    let fixture = Fixture::new().await;
    let report = call("s-1", NUMBER);
    assert_eq!(
        fixture.tool("calls_end", &report.to_string()).await.tool_answer(),
        json!({"committed": true})
    );
    assert_eq!(fixture.end(&report).await.status, 204, "a repeat");
    assert_eq!(fixture.recall(&recall()).await.json()["caller"]["total_calls"], 1);
    let other = fixture.new_key("two", &Scope::ALL).await;
    let lookup = TestRequest::post()
        .uri(MCP)
        .set_payload(tool_call("caller_lookup", &recall().to_string()));
    let (code, _) = fixture.send(with_key(lookup, &other)).await.tool_failure();
    assert_eq!(code, "not_found", "no tenant sees another's callers");
}
