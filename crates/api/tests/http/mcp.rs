//! MCP at `/mcp`: the protocol, its versions, the tools that are listed, who may use them, and what is refused before a
//! tool is asked.

use std::{sync::Arc, time::Duration};

use actix_web::test::TestRequest;
use api::RequestLimits;
use domain::{
    access::{Scope, TenantId},
    async_trait,
    call::{CallId, Turn},
    caller::Caller,
    context::Deadline,
    error::PortError,
    identity::Trace,
    json::JsonObject,
    memory::{CallRecord, Recollection},
    phone::PhoneNumber,
    port::{CallerMemory, RecallQuery},
    themes::Themes,
};
use serde_json::{Value, json};
use testkit::{Fault, sample};

use crate::{
    envelope::Panicking,
    harness::{Answer, Fixture, MCP, NUMBER, Setup, call, recall, tool_call, with_key},
};

const TOOLS: [(&str, Scope); 3] = [
    ("recall_and_enrich", Scope::Recall),
    ("calls_end", Scope::CallsWrite),
    ("caller_lookup", Scope::CallersRead),
];

/// Arguments that fit a tool.
fn arguments(tool: &str) -> String {
    match tool {
        "calls_end" => call("s-1", NUMBER).to_string(),
        _ => recall().to_string(),
    }
}

fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn initialize(version: &str) -> Value {
    let client = json!({"name": "test", "version": "1"});
    message(
        "initialize",
        &json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client}),
    )
}

async fn listed(fixture: &Fixture) -> Vec<Value> {
    let mut result = fixture.mcp(&message("tools/list", &json!({}))).await.result();
    serde_json::from_value(result["tools"].take()).unwrap()
}

/// Sends a message with headers of the protocol.
async fn with_headers(fixture: &Fixture, message: &Value, headers: &[(&str, &str)]) -> Answer {
    let mut request = with_key(TestRequest::post().uri(MCP), &fixture.key);
    for header in headers {
        request = request.insert_header(*header);
    }
    fixture.send(request.set_payload(message.to_string())).await
}

#[actix_web::test]
async fn every_version_with_a_handshake_is_spoken() {
    let fixture = Fixture::new().await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let result = fixture.mcp(&initialize(version)).await.result();
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "caller-memory");
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert!(
            result["instructions"]
                .as_str()
                .is_some_and(|text| text.contains("recall_and_enrich"))
        );
        let spoken = [("MCP-Protocol-Version", version)];
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let accepted = with_headers(&fixture, &initialized, &spoken).await;
        assert_eq!((accepted.status.as_u16(), accepted.text.as_str()), (202, ""));
        let pong = with_headers(&fixture, &message("ping", &json!({})), &spoken).await;
        assert_eq!(pong.result(), json!({}));
        let list = with_headers(&fixture, &message("tools/list", &json!({})), &spoken).await;
        assert_eq!(list.result()["tools"].as_array().map(Vec::len), Some(3));
    }
    let newest = fixture.mcp(&initialize("2999-01-01")).await.result();
    assert_eq!(
        newest["protocolVersion"], "2025-11-25",
        "the newest with a handshake is offered instead"
    );
}

#[actix_web::test]
async fn the_version_without_a_handshake_is_spoken() {
    let fixture = Fixture::new().await;
    let version = "2026-07-28";
    let meta = |version: &str| {
        json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    };
    let discover = message("server/discover", &json!({"_meta": meta(version)}));
    let headers = [("MCP-Protocol-Version", version), ("Mcp-Method", "server/discover")];
    let result = with_headers(&fixture, &discover, &headers).await.result();
    let versions: Vec<&str> = result["supportedVersions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(
        versions,
        ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", version]
    );

    let params = json!({"name": "recall_and_enrich", "arguments": recall(), "_meta": meta(version)});
    let headers = [
        ("MCP-Protocol-Version", version),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "recall_and_enrich"),
    ];
    let answer = with_headers(&fixture, &message("tools/call", &params), &headers).await;
    assert_eq!(answer.tool_answer()["known"], false);
    assert_eq!(answer.json()["result"]["resultType"], "complete");

    // What is wrong with the protocol is said in its own words, and not in the envelope.
    let other = [headers[0], headers[1], ("Mcp-Name", "calls_end")];
    let contradiction = with_headers(&fixture, &message("tools/call", &params), &other).await;
    assert_eq!(
        (
            contradiction.status.as_u16(),
            contradiction.json()["error"]["code"].as_i64()
        ),
        (400, Some(-32_020))
    );
    let params = json!({"name": "recall_and_enrich", "arguments": recall(), "_meta": meta("2999-01-01")});
    let headers = [("MCP-Protocol-Version", "2999-01-01"), headers[1], headers[2]];
    let unsupported = with_headers(&fixture, &message("tools/call", &params), &headers).await;
    assert_eq!(
        (
            unsupported.status.as_u16(),
            unsupported.json()["error"]["code"].as_i64()
        ),
        (400, Some(-32_022))
    );
    assert!(unsupported.header("x-request-id").is_some());
}

#[actix_web::test]
async fn a_version_in_the_header_that_is_not_spoken_is_400() {
    let fixture = Fixture::new().await;
    for version in ["2999-01-01", "zebra", ""] {
        for body in [message("tools/list", &json!({})), message("ping", &json!({}))] {
            let answer = with_headers(&fixture, &body, &[("MCP-Protocol-Version", version)]).await;
            let message = answer.refused(400, "bad_request");
            assert!(
                message.contains("MCP-Protocol-Version") && !message.contains("zebra"),
                "{message}"
            );
        }
    }
    assert_eq!(listed(&fixture).await.len(), 3, "none is needed");
}

#[actix_web::test]
async fn replicas_answer_in_turn() {
    let first = Fixture::new().await;
    let replicas = [first.replica(), first];
    assert_eq!(
        replicas[0].mcp(&initialize("2025-11-25")).await.result()["protocolVersion"],
        "2025-11-25"
    );
    let accepted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(replicas[1].mcp(&accepted).await.status, 202);
    assert_eq!(listed(&replicas[0]).await.len(), 3);
    let ended = replicas[1].tool("calls_end", &arguments("calls_end")).await;
    assert_eq!(ended.tool_answer(), json!({"committed": true}));
    let remembered = replicas[0]
        .tool("recall_and_enrich", &arguments("recall_and_enrich"))
        .await
        .tool_answer();
    assert_eq!(
        (&remembered["known"], &remembered["caller"]["total_calls"]),
        (&json!(true), &json!(1))
    );
    let mut profile = remembered["caller"].clone();
    profile["do_not_call"] = Value::Null;
    assert_eq!(
        replicas[1]
            .tool("caller_lookup", &arguments("caller_lookup"))
            .await
            .tool_answer(),
        profile
    );
}

/// `schema` of the OpenAPI document, its references followed.
fn of_the_document(schema: &Value) -> Value {
    let document = serde_json::to_value(api::openapi::document()).unwrap();
    let follow = |schema: &Value| match schema {
        Value::Object(fields) => {
            let mut all = serde_json::Map::new();
            if let Some(reference) = schema["$ref"].as_str() {
                let named = document.pointer(reference.trim_start_matches('#')).unwrap();
                all.extend(of_the_document(named).as_object().unwrap().clone());
            }
            let own = fields.iter().filter(|(name, _)| name.as_str() != "$ref");
            all.extend(own.map(|(name, value)| (name.clone(), of_the_document(value))));
            Value::Object(all)
        }
        Value::Array(items) => items.iter().map(of_the_document).collect(),
        other => other.clone(),
    };
    follow(schema)
}

#[actix_web::test]
async fn the_schemas_are_those_of_the_rest_bodies() {
    let fixture = Fixture::new().await;
    let document = serde_json::to_value(api::openapi::document()).unwrap();
    let tools = listed(&fixture).await;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, TOOLS.map(|(name, _)| name));
    for tool in &tools {
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            assert!(!tool[schema].to_string().contains("$ref"), "{tool}");
        }
    }
    for (tool, path) in [(0, "/v1/recall_and_enrich"), (1, "/v1/calls/end")] {
        let body = &document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(tools[tool]["inputSchema"], of_the_document(body));
    }
    for (tool, operation) in [
        (0, &document["paths"]["/v1/recall_and_enrich"]["post"]),
        (2, &document["paths"]["/v1/caller/{phone_number}"]["get"]),
    ] {
        let body = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(tools[tool]["outputSchema"], of_the_document(body));
    }
    assert_eq!(tools[1]["outputSchema"]["required"], json!(["committed"]));
    assert_eq!(tools[2]["inputSchema"]["required"], json!(["phone_number"]));
    assert_eq!(tools[2]["inputSchema"]["properties"]["phone_number"]["type"], "string");
}

#[actix_web::test]
async fn annotations_and_descriptions_tell_when_to_use_a_tool() {
    let fixture = Fixture::new().await;
    let hints = |read_only: bool, destructive: bool, idempotent: bool, open_world: bool| {
        json!({
            "readOnlyHint": read_only, "destructiveHint": destructive,
            "idempotentHint": idempotent, "openWorldHint": open_world
        })
    };
    let expected = [
        hints(false, false, false, true),
        hints(false, true, true, false),
        hints(true, false, true, false),
    ];
    for (tool, expected) in listed(&fixture).await.iter().zip(expected) {
        assert_eq!(tool["annotations"], expected, "{}", tool["name"]);
        assert!(tool["title"].is_string());
        let description = tool["description"].as_str().unwrap();
        assert!(
            description.contains("Use it ") && !description.contains("  "),
            "{description}"
        );
    }
}

#[actix_web::test]
async fn every_tool_needs_a_key_with_its_scope() {
    let fixture = Fixture::new().await;
    let tools = listed(&fixture).await;
    assert_eq!(tools.len(), TOOLS.len());
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let (_, needed) = TOOLS
            .into_iter()
            .find(|(tool, _)| *tool == name)
            .expect("a scope for each tool");
        let call = || {
            TestRequest::post()
                .uri(MCP)
                .set_payload(tool_call(name, &arguments(name)))
        };
        fixture.send(call()).await.refused(401, "unauthorized");
        let others: Vec<Scope> = Scope::ALL.into_iter().filter(|scope| *scope != needed).collect();
        let lacking = fixture.new_key("one", &others).await;
        // Even arguments that do not fit are not looked at.
        for arguments in [arguments(name), "{}".to_owned()] {
            let call = TestRequest::post().uri(MCP).set_payload(tool_call(name, &arguments));
            let (code, message) = fixture.send(with_key(call, &lacking)).await.tool_failure();
            assert_eq!(code, "insufficient_scope");
            assert!(message.contains(needed.as_str()), "{message}");
        }
        let list = TestRequest::post()
            .uri(MCP)
            .set_payload(message("tools/list", &json!({})).to_string());
        let seen = fixture.send(with_key(list, &lacking)).await.result();
        assert_eq!(seen["tools"].as_array(), Some(&tools), "each key sees all tools");
    }
    assert_eq!(fixture.memory.calls(), 0);
    for (name, needed) in TOOLS {
        let having = fixture.new_key("one", &[needed]).await;
        let call = TestRequest::post()
            .uri(MCP)
            .set_payload(tool_call(name, &arguments(name)));
        fixture.send(with_key(call, &having)).await.tool_answer();
    }
}

#[actix_web::test]
async fn what_is_wrong_with_the_request_as_a_whole_is_refused_in_order() {
    let fixture = Fixture::with(Setup {
        burst: 3,
        ..Setup::default()
    })
    .await;
    let post = || {
        TestRequest::post()
            .uri(MCP)
            .insert_header(("Origin", "https://evil.example"))
            .set_payload("{")
    };
    let wrong = "sk_live_000000000000000000000000";
    fixture.send(with_key(post(), wrong)).await.refused(401, "unauthorized");
    let key = fixture.new_key("one", &[]).await;
    fixture
        .send(with_key(post(), &key))
        .await
        .refused(403, "forbidden_origin");
    let local = || {
        TestRequest::post()
            .uri(MCP)
            .insert_header(("Origin", "http://localhost:6274"))
            .set_payload("{")
    };
    for _ in 0..2 {
        let refused = fixture.send(with_key(local(), &key)).await;
        refused.refused(403, "insufficient_scope");
        assert!(refused.header("ratelimit").is_some());
    }
    let refused = fixture.send(with_key(local(), &key)).await;
    refused.refused(429, "rate_limited");
    assert_eq!(refused.header("ratelimit"), Some("\"key\";r=0;t=1"));
    assert_eq!(fixture.memory.calls(), 0);

    let fixture = Fixture::new().await;
    let request = with_key(local(), &fixture.key);
    fixture.send(request).await.refused(400, "bad_request");
    let request = with_key(local(), &fixture.key).set_payload(message("ping", &json!({})).to_string());
    let answer = fixture.send(request).await;
    assert_eq!(answer.result(), json!({}));
    assert!(
        !answer
            .headers
            .keys()
            .any(|name| name.as_str().starts_with("access-control"))
    );
}

#[actix_web::test]
async fn a_message_takes_one_token() {
    let fixture = Fixture::with(Setup {
        burst: 3,
        ..Setup::default()
    })
    .await;
    for left in [2, 1, 0] {
        let answer = fixture.tool("recall_and_enrich", &arguments("recall_and_enrich")).await;
        answer.tool_answer();
        assert!(
            answer
                .header("ratelimit")
                .is_some_and(|state| state.contains(&format!("r={left};")))
        );
    }
    fixture.tool("caller_lookup", "{}").await.refused(429, "rate_limited");
}

#[actix_web::test]
async fn bodies_that_are_no_message_are_400() {
    let limits = RequestLimits {
        max_body_bytes: 1000,
        ..RequestLimits::default()
    };
    let fixture = Fixture::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    for (body, words) in [
        (String::new(), "empty"),
        ("{".to_owned(), "not JSON"),
        ("zebra".to_owned(), "not JSON"),
        (" ".repeat(1001), "larger than 1000 bytes"),
        ("5".to_owned(), "not a JSON-RPC"),
        ("{}".to_owned(), "not a JSON-RPC"),
        (
            r#"{"jsonrpc": "1.0", "id": 1, "method": "zebra"}"#.to_owned(),
            "not a JSON-RPC",
        ),
        (json!([message("ping", &json!({}))]).to_string(), "not a JSON-RPC"),
        ("[".repeat(500) + &"]".repeat(500), "not a JSON-RPC"),
        (
            format!("{{\"a\": {}{}}}", "[".repeat(400), "]".repeat(400)),
            "not a JSON-RPC",
        ),
    ] {
        let message = fixture.post(MCP, body).await.refused(400, "bad_request");
        assert!(message.contains(words) && !message.contains("zebra"), "{message}");
    }
    let text = with_key(TestRequest::post().uri(MCP), &fixture.key).insert_header(("content-type", "text/plain"));
    fixture
        .send(text.set_payload(message("ping", &json!({})).to_string()))
        .await
        .refused(400, "bad_request");
    let deep = format!(
        "{{\"phone_number\": \"{NUMBER}\", \"x\": {}{}}}",
        "[".repeat(300),
        "]".repeat(300)
    );
    fixture.tool("recall_and_enrich", &deep).await.tool_answer();
}

#[actix_web::test]
async fn errors_of_the_protocol_are_in_its_own_words() {
    let fixture = Fixture::new().await;
    let without_params = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
    let arguments = |arguments: Value| {
        let params = json!({"name": "calls_end", "arguments": arguments});
        message("tools/call", &params).to_string()
    };
    for (message, code) in [
        (message("tools/call", &json!({"name": "zebra"})).to_string(), -32_602),
        (message("zebra/list", &json!({})).to_string(), -32_601),
        (without_params("zebra/list"), -32_601),
        (without_params("tools/call"), -32_602),
        (without_params("initialize"), -32_602),
        (message("tools/call", &json!({})).to_string(), -32_602),
        (message("tools/call", &json!({"name": 5})).to_string(), -32_602),
        (arguments(json!([])), -32_602),
        (arguments(json!("zebra")), -32_602),
        (arguments(json!(5)), -32_602),
    ] {
        let answer = fixture.post(MCP, message.clone()).await;
        assert_eq!(answer.status, 200, "{message}");
        let body = answer.json();
        assert_eq!(
            (&body["error"]["code"], &body["id"]),
            (&json!(code), &json!(1)),
            "{message}: {body}"
        );
        assert!(!body.to_string().contains("calls_end"));
    }
    assert_eq!(fixture.memory.calls(), 0);
}

#[actix_web::test]
async fn a_response_of_a_client_is_refused_because_nothing_was_asked() {
    let fixture = Fixture::new().await;
    for response in [
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "zebra"}}),
    ] {
        let answer = fixture.post(MCP, response.to_string()).await;
        let body = answer.json();
        assert_eq!(
            (answer.status.as_u16(), &body["error"]["code"]),
            (400, &json!(-32_600)),
            "{body}"
        );
        assert_eq!(body.get("id"), None, "it would be the client's own");
        let why = body["error"]["message"].as_str().unwrap_or_default();
        assert!(why.contains("does not accept JSON-RPC responses"), "{why}");
    }
}

/// A memory of one caller with these attributes.
struct CallerWithAttributes(&'static str);

impl CallerWithAttributes {
    fn caller(&self) -> Caller {
        Caller {
            name: None,
            first_seen_ms: sample::NOW_MS,
            last_seen_ms: sample::NOW_MS,
            total_calls: 0,
            tags: Vec::new(),
            custom_attributes: JsonObject::from_validated(self.0.to_owned()),
            corrections: Vec::new(),
            do_not_call: None,
        }
    }
}

#[async_trait]
impl CallerMemory for CallerWithAttributes {
    async fn recall(&self, _: TenantId, _: &RecallQuery, _: Deadline) -> Result<Recollection, PortError> {
        Ok(Recollection {
            known: true,
            caller: self.caller(),
            memory_changed_ms: None,
            summary: None,
            recent_calls: Vec::new(),
            facts: Vec::new(),
            themes: Themes::default(),
            gaps: 0,
            trace: Trace::default(),
            lookups: Vec::new(),
        })
    }

    async fn record_end(&self, _: TenantId, _: &CallRecord, _: Deadline) -> Result<(), PortError> {
        Ok(())
    }

    async fn caller(&self, _: TenantId, _: &PhoneNumber, _: Deadline) -> Result<Option<Caller>, PortError> {
        Ok(Some(self.caller()))
    }

    async fn trace(&self, _: TenantId, _: &PhoneNumber, _: Deadline) -> Result<Trace, PortError> {
        Ok(Trace::default())
    }

    async fn transcript(&self, _: TenantId, _: CallId, _: Deadline) -> Result<Option<Vec<Turn>>, PortError> {
        Ok(None)
    }
}

#[actix_web::test]
async fn numbers_that_no_value_holds_are_strings_in_it_and_as_they_are_in_the_text() {
    const ATTRIBUTES: &str = r#"{"large": 1e400, "account": 98765432109876543210987, "small": -1.5}"#;
    let fixture = Fixture::with(Setup {
        memory: Arc::new(CallerWithAttributes(ATTRIBUTES)),
        ..Setup::default()
    })
    .await;
    assert!(fixture.get("%2B12025550142").await.text.contains(ATTRIBUTES));
    for (tool, place) in [
        ("caller_lookup", "/custom_attributes"),
        ("recall_and_enrich", "/caller/custom_attributes"),
    ] {
        let result = fixture.tool(tool, &arguments(tool)).await.result();
        assert_eq!(result["isError"], false, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(ATTRIBUTES), "{text}");
        let shown = result["structuredContent"].pointer(place);
        let expected = json!({"large": "1e400", "account": "98765432109876543210987", "small": -1.5});
        assert_eq!(shown, Some(&expected));
    }
}

#[actix_web::test]
async fn a_tool_that_panics_fails_alone() {
    let fixture = Fixture::with(Setup {
        memory: Arc::new(Panicking),
        ..Setup::default()
    })
    .await;
    for (tool, _) in TOOLS {
        let (code, message) = fixture.tool(tool, &arguments(tool)).await.tool_failure();
        assert_eq!(code, "internal_error");
        assert!(!message.contains("zebra"), "{message}");
    }
}

#[actix_web::test]
async fn tools_keep_their_deadlines() {
    const SLACK: Duration = Duration::from_millis(50);
    let limits = RequestLimits {
        write_deadline: Duration::from_millis(400),
        ..RequestLimits::default()
    };
    let fixture = Fixture::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    for fault in [Fault::HangUntilDeadline, Fault::HangForever] {
        fixture.memory.set(fault);
        for (header, deadline_ms) in [(Some("50"), 50), (None, 300)] {
            let mut request = with_key(TestRequest::post().uri(MCP), &fixture.key);
            if let Some(header) = header {
                request = request.insert_header(("X-Deadline-Ms", header));
            }
            let call = tool_call("recall_and_enrich", &arguments("recall_and_enrich"));
            let answer = fixture.send(request.set_payload(call)).await;
            assert_eq!(answer.tool_answer()["degraded"], true);
            let deadline = Duration::from_millis(deadline_ms);
            assert!(
                answer.took < deadline + SLACK,
                "{fault:?} {deadline_ms}: {:?}",
                answer.took
            );
        }
        for tool in ["calls_end", "caller_lookup"] {
            let request = with_key(TestRequest::post().uri(MCP), &fixture.key).insert_header(("X-Deadline-Ms", "20"));
            let answer = fixture
                .send(request.set_payload(tool_call(tool, &arguments(tool))))
                .await;
            assert_eq!(answer.tool_failure().0, "service_unavailable");
            let took = answer.took;
            assert!(
                took > Duration::from_millis(300) && took < limits.write_deadline + SLACK,
                "{fault:?} {tool}: {took:?}"
            );
        }
    }
}

#[actix_web::test]
async fn a_traceparent_gives_the_trace_id() {
    let fixture = Fixture::new().await;
    let id = "4bf92f3577b34da6a3ce929d0e0e4736";
    let message = serde_json::from_str(&tool_call("recall_and_enrich", &arguments("recall_and_enrich"))).unwrap();
    let answer = with_headers(
        &fixture,
        &message,
        &[("traceparent", &format!("00-{id}-00f067aa0ba902b7-01"))],
    )
    .await;
    assert_eq!(answer.tool_answer()["trace_id"], id);
}
