//! No tenant sees anything of another, at any endpoint, and no request can choose its tenant.

use actix_web::test::TestRequest;
use domain::access::Scope;
use serde_json::{Value, json};

use crate::harness::{END, Fixture, NUMBER, RECALL, call, recall, with_key};

#[actix_web::test]
async fn each_tenant_has_callers_of_its_own() {
    let fixture = Fixture::new().await;
    let other = fixture.new_key("two", &Scope::ALL).await;
    let post =
        |path: &'static str, body: Value| with_key(TestRequest::post().uri(path), &other).set_payload(body.to_string());
    let get = || with_key(TestRequest::get().uri("/v1/caller/%2B12025550142"), &other);
    assert_eq!(fixture.end(&call("s-1", NUMBER)).await.status, 204);

    fixture.send(get()).await.refused(404, "not_found");
    let mut body = recall();
    body["tenant_id"] = json!("one");
    let seen = fixture.send(post(RECALL, body)).await.json();
    assert_eq!(
        (&seen["known"], &seen["caller"]["total_calls"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(seen["memory"], json!({"summary": "", "recent_calls": [], "gaps": 0}));

    let mut report = call("s-1", NUMBER);
    report["outcome"] = json!("other");
    report["tenant_id"] = json!("one");
    assert_eq!(fixture.send(post(END, report)).await.status, 204);
    assert_eq!(fixture.send(get()).await.json()["total_calls"], 1);
    let first = fixture.recall(&recall()).await.json();
    assert_eq!(first["caller"]["total_calls"], 1);
    assert_eq!(
        first["memory"]["recent_calls"][0]["outcome"], "callback_requested",
        "the call of the first tenant stands"
    );
}
