//! The first check that fails answers, in the order of the interface, and nothing reaches the memory.

use actix_web::test::TestRequest;
use domain::access::Scope;
use testkit::Fault;

use crate::harness::{END, Fixture, RECALL, Setup, recall, with_key};

#[actix_web::test]
async fn each_check_comes_before_the_next() {
    let fixture = Fixture::with(Setup {
        burst: 5,
        ..Setup::default()
    })
    .await;
    let without_scope = fixture.new_key("one", &[Scope::CallersRead]).await;
    let wrong = "sk_live_000000000000000000000000";
    for path in [RECALL, END] {
        let post = || TestRequest::post().uri(path).insert_header(("X-Deadline-Ms", "1"));
        // Each line has every fault of the lines below it.
        let no_path = TestRequest::post().uri(&format!("{path}/more")).set_payload("{");
        fixture.send(no_path).await.refused(404, "not_found");
        let no_method = TestRequest::put().uri(path).set_payload("{");
        let refused = fixture.send(no_method).await;
        refused.refused(405, "method_not_allowed");
        assert_eq!(refused.header("allow"), Some("POST"));
        fixture
            .send(with_key(post(), wrong).set_payload("{"))
            .await
            .refused(401, "unauthorized");

        let limited = fixture.new_key("one", &[]).await;
        for _ in 0..5 {
            fixture
                .send(with_key(post(), &limited).set_payload("{"))
                .await
                .refused(403, "insufficient_scope");
        }
        fixture
            .send(with_key(post(), &limited).set_payload("{"))
            .await
            .refused(429, "rate_limited");
    }
    let scope = fixture
        .send(with_key(TestRequest::post().uri(RECALL), &without_scope).set_payload("{"))
        .await;
    assert!(scope.refused(403, "insufficient_scope").contains("`recall`"));
    fixture
        .post(RECALL, r#"{"phone_number": "anonymous", "trigger": 5"#)
        .await
        .refused(400, "bad_request");
    fixture
        .post(RECALL, r#"{"phone_number": "anonymous", "trigger": 5}"#)
        .await
        .refused(422, "validation_error");
    fixture
        .post(RECALL, r#"{"phone_number": "anonymous"}"#)
        .await
        .refused(400, "bad_request");
    assert_eq!(fixture.memory.calls(), 0, "what is refused changes nothing");
    assert_eq!(fixture.recall(&recall()).await.status, 200);
}

#[actix_web::test]
async fn a_key_that_cannot_be_verified_is_503_before_anything_else() {
    let fixture = Fixture::new().await;
    for fault in [
        Fault::Unavailable,
        Fault::Internal,
        Fault::HangUntilDeadline,
        Fault::HangForever,
    ] {
        fixture.keys.set(fault);
        let answer = fixture.post(RECALL, "{").await;
        answer.refused(503, "service_unavailable");
        assert!(answer.took.as_millis() <= 350, "{fault:?}: {:?}", answer.took);
    }
    fixture.keys.set(Fault::Healthy);
    let recovered = async || (fixture.recall(&recall()).await.status == 200).then_some(());
    testkit::eventually("keys are verified again", recovered).await;
}

#[actix_web::test]
async fn credentials_of_every_wrong_shape_are_401() {
    let fixture = Fixture::new().await;
    let key = fixture.key.clone();
    for value in [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        key.clone(),
        format!("Basic {key}"),
        format!("Bearer {key}x"),
        format!("Bearer {}", key.replace("sk_live_", "sk_test_")),
        format!("Bearer {}", key.to_uppercase()),
        format!("Bearer {key} {key}"),
        format!("Bearer {}", "x".repeat(20_000)),
    ] {
        let request = TestRequest::post().uri(RECALL).insert_header(("Authorization", value));
        fixture
            .send(request.set_payload(recall().to_string()))
            .await
            .refused(401, "unauthorized");
    }
    let none = TestRequest::post().uri(RECALL).set_payload(recall().to_string());
    fixture.send(none).await.refused(401, "unauthorized");
    let twice =
        with_key(TestRequest::post().uri(RECALL), &key).append_header(("Authorization", format!("Bearer {key}")));
    fixture
        .send(twice.set_payload(recall().to_string()))
        .await
        .refused(401, "unauthorized");
    let lower = TestRequest::post()
        .uri(RECALL)
        .insert_header(("authorization", format!("bearer {key}")));
    assert_eq!(fixture.send(lower.set_payload(recall().to_string())).await.status, 200);
}
