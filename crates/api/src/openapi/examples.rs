//! Examples for each operation: what to send, what comes back, and every refusal in the service's own words.

use std::{collections::BTreeMap, time::Duration};

use actix_web::http::StatusCode;
use domain::{
    access::Scope,
    error::{Error, PortError},
    phone::PhoneError,
};
use serde_json::{Value, json};
use utoipa::openapi::{Content, OpenApi, RefOr, Schema, example::ExampleBuilder, path::Operation};

use crate::{
    error::{InputError, Refusal, envelope},
    middleware::rate_limit::USED_UP,
    rest::number,
};

/// The id in the examples of refusals.
const REQUEST_ID: &str = "01980c2e5d1e7c6f9a2b3c4d5e6f7a8b";

/// Writes the examples into the document. Those that a schema has of its own are repeated where the schema is used.
pub(super) fn add(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    let of_schema = |(name, schema): (&String, &RefOr<Schema>)| match schema {
        RefOr::T(Schema::Object(object)) => Some((name.clone(), object.examples.first()?.clone())),
        _ => None,
    };
    let own: BTreeMap<String, Value> = components.schemas.iter().filter_map(of_schema).collect();
    for item in document.paths.paths.values_mut() {
        for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
            add_to(operation, &|schema: &str| own.get(schema).cloned().unwrap_or_default());
        }
    }
}

fn add_to(operation: &mut Operation, own: &impl Fn(&str) -> Value) {
    let id = operation.operation_id.clone().unwrap_or_default();
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        for content in body.content.values_mut() {
            for (summary, value) in requests(&id, own) {
                show(content, summary, value);
            }
        }
    }
    let answered = answers(&id, own).into_iter();
    let answered = answered.map(|(summary, value)| (StatusCode::OK, summary, value));
    let refused = refusals(&id).into_iter().map(|(summary, refusal)| {
        let body = envelope(refusal.code(), refusal.to_string().into(), Some(REQUEST_ID));
        let (status, _) = refusal.code().row();
        (status, summary, serde_json::from_str(&body).unwrap_or_default())
    });
    for (status, summary, value) in answered.chain(refused) {
        if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status.as_str()) {
            for content in response.content.values_mut() {
                show(content, summary, value.clone());
            }
        }
    }
}

/// Puts an example where it belongs, under a name made of its summary.
fn show(content: &mut RefOr<Content>, summary: &str, value: Value) {
    if let RefOr::T(content) = content {
        let words = summary.to_lowercase();
        let words: Vec<&str> = words
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let example = ExampleBuilder::new().summary(summary).value(Some(value)).build();
        content.examples.insert(words.join("_"), RefOr::T(example));
    }
}

type Examples = Vec<(&'static str, Value)>;

fn requests(operation: &str, own: &impl Fn(&str) -> Value) -> Examples {
    match operation {
        "recallAndEnrich" => vec![
            ("A number and the call's name", own("RecallAndEnrichRequest")),
            (
                "The number alone, in any format",
                json!({"phone_number": "(202) 555-0142"}),
            ),
        ],
        "callsEnd" => vec![
            ("A call", own("CallsEndRequest")),
            (
                "Nobody answered",
                json!({
                    "session_id": "call-2", "phone_number": "+12025550142", "transcript": [], "duration_s": 0,
                    "outcome": "no_answer"
                }),
            ),
        ],
        _ => vec![],
    }
}

fn answers(operation: &str, own: &impl Fn(&str) -> Value) -> Examples {
    match operation {
        "recallAndEnrich" => vec![
            ("A known caller", own("RecallAndEnrichResponse")),
            (
                "A new caller",
                json!({
                    "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                    "known": false,
                    "caller": {
                        "name": null, "first_seen_ms": 1_763_892_000_000_i64, "last_seen_ms": 1_763_892_000_000_i64,
                        "total_calls": 0,
                        "tags": [], "custom_attributes": {}
                    },
                    "memory": {"summary": "", "recent_calls": [], "gaps": 0},
                    "facts": [],
                    "enrichment": {"person": null, "company": null, "phone": null},
                    "timing_ms": {"total": 0.874, "memory_ms": 0.602, "enrichment_ms": 0, "cache_hit": false},
                    "freshness": {"memory_age_ms": null, "enrichment_age_ms": null}
                }),
            ),
            (
                "Degraded: the memory could not be read",
                json!({
                    "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                    "known": false,
                    "degraded": true,
                    "caller": {
                        "name": null, "first_seen_ms": null, "last_seen_ms": null, "total_calls": null, "tags": [],
                        "custom_attributes": {}
                    },
                    "memory": {"summary": "", "recent_calls": [], "gaps": null},
                    "facts": null,
                    "enrichment": {"person": null, "company": null, "phone": null},
                    "timing_ms": {"total": 285.214, "memory_ms": 285.107, "enrichment_ms": 0, "cache_hit": false},
                    "freshness": {"memory_age_ms": null, "enrichment_age_ms": null}
                }),
            ),
        ],
        "getCaller" => vec![("A caller", own("Caller"))],
        _ => vec![],
    }
}

fn refusals(operation: &str) -> Vec<(&'static str, Refusal)> {
    let validation = |message: &str| Refusal::from(InputError::Validation(message.to_owned()));
    let number = |error: PhoneError| Refusal::from(number::fault(error));
    let not_json = || {
        Refusal::from(InputError::BadRequest(
            "the body is not JSON: EOF while parsing an object at line 1 column 1".to_owned(),
        ))
    };
    let scope = match operation {
        "recallAndEnrich" => Scope::Recall,
        "callsEnd" => Scope::CallsWrite,
        _ => Scope::CallersRead,
    };
    let mut refusals = vec![
        ("The caller ID is withheld", number(PhoneError::Withheld)),
        ("No valid key", Refusal::unauthorized()),
        ("The key lacks the scope", Error::InsufficientScope(scope).into()),
        (
            "The bucket is empty",
            Refusal::rate_limited(USED_UP, Duration::from_secs(1)),
        ),
        ("A fault of the service", Refusal::internal("an example")),
        (
            "A dependency is away",
            PortError::Unavailable("an example".into()).into(),
        ),
    ];
    refusals.extend(match operation {
        "recallAndEnrich" => vec![
            ("Not JSON", not_json()),
            ("Not a phone number", number(PhoneError::Unparseable)),
            ("A field is missing", validation("phone_number: is missing")),
        ],
        "callsEnd" => vec![
            ("Not JSON", not_json()),
            ("Not a phone number", number(PhoneError::Unparseable)),
            (
                "A field has another type",
                validation("transcript[1].text: expected a string"),
            ),
        ],
        _ => vec![
            ("Not in E.164", number(PhoneError::NotE164)),
            ("Nobody has this number", Error::NotFound.into()),
            // The interface reserves this status.
            ("Reserved: there is no body", validation("the body: expected an object")),
        ],
    });
    refusals
}
