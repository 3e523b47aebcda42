//! The document's examples: each fits its schema, and each refusal is worded as the service words it.

use std::sync::Arc;

use actix_web::test::TestRequest;
use serde_json::{Value, json};
use testkit::Fault;

use crate::{
    envelope::Panicking,
    harness::{Answer, END, Fixture, NUMBER, RECALL, Setup, call, recall, with_key},
    openapi::{document, operations},
};

/// What is wrong with `value` as `schema` of the document.
fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut schema = schema.clone();
    schema["components"] = document()["components"].clone();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    validator.iter_errors(value).map(|fault| fault.to_string()).collect()
}

/// The examples of a media type, each with its name.
fn examples(content: &Value) -> Vec<(&str, &Value)> {
    let examples = content["examples"].as_object().into_iter().flatten();
    examples
        .map(|(name, example)| (name.as_str(), &example["value"]))
        .collect()
}

#[test]
fn every_body_has_examples_and_they_fit_its_schema() {
    let caller = json!({"$ref": "#/components/schemas/Caller"});
    assert!(
        !faults(&caller, &json!({"name": 5})).is_empty(),
        "what does not fit is seen"
    );
    let mut seen = 0;
    for (path, method, operation) in operations() {
        let bodies = operation.get("requestBody").into_iter().map(|body| ("request", body));
        let responses = operation["responses"].as_object().unwrap().iter();
        let responses = responses.map(|(status, response)| (status.as_str(), response));
        for (of, body) in bodies.chain(responses) {
            let Some(content) = body.pointer("/content/application~1json") else {
                assert_eq!(of, "204", "{method} {path}");
                continue;
            };
            let examples = examples(content);
            assert!(!examples.is_empty(), "{method} {path} {of}");
            for (name, value) in examples {
                assert_eq!(
                    faults(&content["schema"], value),
                    [""; 0],
                    "{method} {path} {of} {name}"
                );
                seen += 1;
            }
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if let Some(value) = parameter.get("example") {
                assert_eq!(
                    faults(&parameter["schema"], value),
                    [""; 0],
                    "{method} {path} {parameter}"
                );
            }
        }
    }
    assert!(seen > 30, "{seen}");
    for (name, schema) in document()["components"]["schemas"].as_object().unwrap() {
        for value in schema["examples"].as_array().into_iter().flatten() {
            assert_eq!(faults(schema, value), [""; 0], "{name}");
        }
    }
}

#[actix_web::test]
async fn every_refusal_is_worded_as_in_its_example() {
    let mut reserved = 0;
    for (path, method, operation) in operations() {
        let id = operation["operationId"].as_str().unwrap();
        for (status, response) in operation["responses"].as_object().unwrap() {
            if status.starts_with('2') {
                continue;
            }
            for (name, example) in examples(&response["content"]["application/json"]) {
                if name == "reserved_there_is_no_body" {
                    reserved += 1;
                    continue;
                }
                let (code, message) = (&example["error"]["code"], &example["error"]["message"]);
                let said = provoked(id, name)
                    .await
                    .refused(status.parse().unwrap(), code.as_str().unwrap());
                assert_eq!(said, *message, "{method} {path} {status} {name}");
            }
        }
    }
    assert_eq!(reserved, 1, "422 of the operation that has no body");
}

/// The answer to a request that deserves the example of this name.
async fn provoked(operation: &str, name: &str) -> Answer {
    let mut setup = Setup::default();
    match name {
        "the_bucket_is_empty" => setup.burst = 1,
        "a_fault_of_the_service" => setup.memory = Arc::new(Panicking),
        _ => {}
    }
    let fixture = Fixture::with(setup).await;
    let key = match name {
        "no_valid_key" => "sk_live_nobodyHasThisKey0123456789".to_owned(),
        "the_key_lacks_the_scope" => fixture.new_key("one", &[]).await,
        _ => fixture.key.clone(),
    };
    if name == "a_dependency_is_away" {
        fixture.keys.set(Fault::Unavailable);
    }
    let number = match (name, operation) {
        ("the_caller_id_is_withheld", "getCaller") => "+266696687",
        ("the_caller_id_is_withheld", _) => "anonymous",
        ("not_a_phone_number", _) => "call me",
        ("not_in_e_164", _) => "2025550142",
        _ => NUMBER,
    };
    let mut body = if operation == "callsEnd" {
        call("s-1", number)
    } else {
        recall()
    };
    body["phone_number"] = json!(number);
    match name {
        "a_field_is_missing" => body = json!({}),
        "a_field_has_another_type" => body["transcript"][1]["text"] = json!(5),
        _ => {}
    }
    let text = if name == "not_json" {
        "{".to_owned()
    } else {
        body.to_string()
    };
    let send = || {
        let request = match operation {
            "recallAndEnrich" => TestRequest::post().uri(RECALL).set_payload(text.clone()),
            "callsEnd" => TestRequest::post().uri(END).set_payload(text.clone()),
            _ => TestRequest::get().uri(&format!("/v1/caller/{}", number.replace('+', "%2B"))),
        };
        fixture.send(with_key(request, &key))
    };
    if name == "the_bucket_is_empty" {
        send().await;
    }
    send().await
}
