//! The OpenAPI document: what is served, what is committed, what the interface says, and that no operation is open.

use std::path::Path;

use actix_web::test::TestRequest;
use domain::access::Scope;
use serde_json::{Value, json};

use crate::harness::{Fixture, with_key};

pub(crate) fn document() -> Value {
    serde_json::to_value(api::openapi::document()).unwrap()
}

/// The operations of the document: path, method, operation.
pub(crate) fn operations() -> Vec<(String, String, Value)> {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, item): (&String, &Value)| {
        let methods = item.as_object().unwrap().iter();
        methods
            .map(|(method, operation)| (path.clone(), method.clone(), operation.clone()))
            .collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).collect()
}

/// A request for an operation that is right but for its key.
fn request(path: &str, method: &str) -> TestRequest {
    let path = path.replace("{phone_number}", "%2B12025550142");
    TestRequest::with_uri(&path).method(method.to_uppercase().parse().unwrap())
}

#[actix_web::test]
async fn the_document_is_served_without_a_key() {
    let fixture = Fixture::new().await;
    let answer = fixture.send(TestRequest::get().uri("/.well-known/openapi.json")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type")),
        (200, Some("application/json"))
    );
    assert_eq!(answer.json(), document());
    assert!(answer.header("x-request-id").is_some());
}

#[test]
fn the_committed_document_is_this_one() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json"));
    let mut now = serde_json::to_string_pretty(&document()).unwrap();
    now.push('\n');
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == now,
        "docs/openapi.json is out of date; run `UPDATE_OPENAPI=1 cargo test -p api --test http openapi`"
    );
}

#[actix_web::test]
async fn every_operation_needs_a_key_with_its_scope() {
    let fixture = Fixture::new().await;
    let operations = operations();
    assert_eq!(operations.len(), 3);
    for (path, method, operation) in operations {
        assert_eq!(operation["security"], json!([{"bearer": []}]), "{path}");
        fixture.send(request(&path, &method)).await.refused(401, "unauthorized");
        let needed = match operation["operationId"].as_str() {
            Some("recallAndEnrich") => Scope::Recall,
            Some("callsEnd") => Scope::CallsWrite,
            Some("getCaller") => Scope::CallersRead,
            other => panic!("which scope does {other:?} need?"),
        };
        let others: Vec<Scope> = Scope::ALL.into_iter().filter(|scope| *scope != needed).collect();
        let lacking = fixture.new_key("one", &others).await;
        let message = fixture
            .send(with_key(request(&path, &method), &lacking))
            .await
            .refused(403, "insufficient_scope");
        assert!(message.contains(needed.as_str()), "{message}");
        let having = fixture.new_key("one", &[needed]).await;
        let status = fixture
            .send(with_key(request(&path, &method), &having))
            .await
            .status
            .as_u16();
        assert!(![401, 403].contains(&status), "{path}: {status}");
    }
    assert_eq!(fixture.memory.calls(), 1, "only the profile was read");
}

#[test]
fn operations_have_the_interfaces_ids_and_statuses() {
    let refusals = ["400", "401", "403", "422", "429", "500", "503"];
    for (path, method, id, ok) in [
        ("/v1/recall_and_enrich", "post", "recallAndEnrich", "200"),
        ("/v1/calls/end", "post", "callsEnd", "204"),
        ("/v1/caller/{phone_number}", "get", "getCaller", "200"),
    ] {
        let operation = &document()["paths"][path][method];
        assert_eq!(operation["operationId"], id);
        let mut expected: Vec<&str> = refusals.to_vec();
        expected.push(ok);
        if id == "getCaller" {
            expected.push("404");
        }
        expected.sort_unstable();
        let responses = operation["responses"].as_object().unwrap();
        assert_eq!(
            responses.keys().map(String::as_str).collect::<Vec<_>>(),
            expected,
            "{id}"
        );
        for (status, response) in responses {
            let schema = &response["content"]["application/json"]["schema"]["$ref"];
            let expected = match (status.as_str(), id) {
                ("200", "recallAndEnrich") => json!("#/components/schemas/RecallAndEnrichResponse"),
                ("200", _) => json!("#/components/schemas/Caller"),
                ("204", _) => Value::Null,
                _ => json!("#/components/schemas/ErrorEnvelope"),
            };
            assert_eq!(*schema, expected, "{id} {status}");
        }
    }
    assert_eq!(document()["openapi"], "3.1.0");
    assert_eq!(
        document()["components"]["securitySchemes"]["bearer"]["scheme"],
        "bearer"
    );
    let parameter = &document()["paths"]["/v1/caller/{phone_number}"]["get"]["parameters"][0];
    assert_eq!(
        (&parameter["name"], &parameter["in"], &parameter["required"]),
        (&json!("phone_number"), &json!("path"), &json!(true))
    );
}

#[test]
fn schemas_say_what_the_interface_says() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let required = |name: &str| {
        let mut fields: Vec<String> = serde_json::from_value(schemas[name]["required"].clone()).unwrap_or_default();
        fields.sort_unstable();
        fields.join(" ")
    };
    for (name, fields, additional) in [
        ("RecallAndEnrichRequest", "phone_number", None),
        (
            "CallsEndRequest",
            "duration_s outcome phone_number session_id transcript",
            None,
        ),
        ("TranscriptEntry", "role text ts_ms", None),
        (
            "Caller",
            "custom_attributes first_seen_ms last_seen_ms name tags total_calls",
            Some(false),
        ),
        (
            "RecallAndEnrichResponse",
            "caller enrichment freshness known memory timing_ms trace_id",
            Some(true),
        ),
        ("Memory", "recent_calls summary", Some(true)),
        (
            "RecentCall",
            "call_id duration_s outcome started_at_ms summary",
            Some(true),
        ),
        ("Enrichment", "company person phone", Some(true)),
        ("EnrichmentPerson", "name", Some(true)),
        ("EnrichmentCompany", "name", Some(true)),
        ("EnrichmentPhone", "carrier line_type", Some(true)),
        ("Timing", "cache_hit enrichment_ms memory_ms total", Some(true)),
        ("Freshness", "enrichment_age_ms memory_age_ms", Some(true)),
        ("ErrorEnvelope", "error", None),
        ("ErrorBody", "code message", Some(false)),
    ] {
        assert_eq!(required(name), fields, "{name}");
        assert_eq!(schemas[name]["additionalProperties"].as_bool(), additional, "{name}");
    }
    for (pointer, value) in [
        ("/RecallAndEnrichRequest/properties/phone_number/minLength", json!(1)),
        ("/RecallAndEnrichRequest/properties/phone_number/type", json!("string")),
        ("/RecallAndEnrichRequest/properties/session_id/type", json!("string")),
        ("/RecallAndEnrichRequest/properties/agent_id/type", json!("string")),
        ("/RecallAndEnrichRequest/properties/metadata/type", json!("object")),
        ("/Trigger/enum", json!(["ringing", "answered"])),
        ("/CallsEndRequest/properties/session_id/minLength", json!(1)),
        ("/CallsEndRequest/properties/phone_number/minLength", json!(1)),
        ("/CallsEndRequest/properties/duration_s/minimum", json!(0)),
        ("/CallsEndRequest/properties/duration_s/type", json!("number")),
        ("/CallsEndRequest/properties/transcript/type", json!("array")),
        ("/CallsEndRequest/properties/agent_metadata/type", json!("object")),
        (
            "/CallsEndRequest/properties/outcome/enum",
            json!([
                "appointment_booked",
                "quote_given",
                "callback_requested",
                "no_answer",
                "other"
            ]),
        ),
        ("/TranscriptEntry/properties/role/enum", json!(["user", "agent"])),
        ("/TranscriptEntry/properties/ts_ms/type", json!("number")),
        ("/Caller/properties/name/type", json!(["string", "null"])),
        ("/Caller/properties/first_seen_ms/type", json!(["number", "null"])),
        ("/Caller/properties/last_seen_ms/type", json!(["number", "null"])),
        ("/Caller/properties/total_calls/type", json!(["integer", "null"])),
        ("/Caller/properties/tags/type", json!("array")),
        ("/Caller/properties/custom_attributes/type", json!("object")),
        ("/RecallAndEnrichResponse/properties/degraded/enum", json!([true])),
        (
            "/RecallAndEnrichResponse/properties/context_audit_id/type",
            json!("string"),
        ),
        ("/Memory/properties/recent_calls/maxItems", json!(5)),
        ("/RecentCall/properties/started_at_ms/type", json!(["number", "null"])),
        ("/RecentCall/properties/outcome/type", json!(["string", "null"])),
        ("/EnrichmentPerson/properties/name/type", json!(["string", "null"])),
        ("/EnrichmentPhone/properties/line_type/type", json!(["string", "null"])),
        ("/Freshness/properties/memory_age_ms/type", json!(["number", "null"])),
        ("/ErrorBody/properties/request_id/type", json!("string")),
    ] {
        assert_eq!(schemas.pointer(pointer), Some(&value), "{pointer}: {schemas:#}");
    }
    assert_eq!(
        schemas.pointer("/EnrichmentCompany/properties/address/type"),
        None,
        "any type"
    );
    for member in ["person", "company", "phone"] {
        let choices = schemas["Enrichment"]["properties"][member]["oneOf"].as_array().unwrap();
        assert!(choices.contains(&json!({"type": "null"})), "{choices:?}");
    }
}
