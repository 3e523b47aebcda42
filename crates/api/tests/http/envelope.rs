//! Every answer that is not 2xx is the envelope, whatever the path and the cause; the headers that go with it.

use std::sync::Arc;

use actix_web::{http::Method, test::TestRequest};
use api::Metrics;
use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, Turn},
    caller::Caller,
    context::Deadline,
    error::PortError,
    identity::Trace,
    memory::{CallRecord, Recollection},
    phone::PhoneNumber,
    port::{CallerMemory, RecallQuery},
};
use testkit::Fault;

use crate::harness::{END, Fixture, MCP, NUMBER, RECALL, Setup, call, recall, with_key};

#[actix_web::test]
async fn paths_that_do_not_exist() {
    let fixture = Fixture::new().await;
    for path in [
        "//",
        "/v1",
        "/v1/",
        "/v1/caller",
        "/v1/caller/",
        "/v1/caller/%2B1/x",
        "/v1/recall_and_enrich/",
        "/V1/recall_and_enrich",
        "/v1//calls/end",
        "/healthz",
        "/readyz",
        "/metrics",
        "/.well-known/openapi.yaml",
        "/mcp/",
        "/mcp/sse",
        "/mcp/mcp",
        "/v1/mcp",
        "/sse",
        "/%00",
        "/%zz",
        "/%ff%fe",
        "/..%2f..%2fetc/passwd",
        "/v1/caller/%2B12025550142/../x?token=secret",
    ] {
        for method in [Method::GET, Method::POST, Method::OPTIONS, Method::HEAD, Method::DELETE] {
            let message = fixture
                .send(TestRequest::with_uri(path).method(method))
                .await
                .refused(404, "not_found");
            assert!(!message.contains("passwd") && !message.contains("secret"));
        }
    }
}

#[actix_web::test]
async fn methods_that_a_path_does_not_take() {
    let fixture = Fixture::new().await;
    let routes = [
        (RECALL, "POST"),
        (END, "POST"),
        (MCP, "POST"),
        ("/v1/caller/%2B12025550142", "GET"),
        ("/.well-known/openapi.json", "GET, HEAD"),
    ];
    let invented = Method::from_bytes(b"BREW").unwrap();
    let methods = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        invented,
    ];
    for (path, allow) in routes {
        for method in methods
            .iter()
            .filter(|method| !allow.split(", ").any(|allowed| allowed == method.as_str()))
        {
            let request = with_key(TestRequest::with_uri(path), &fixture.key).method(method.clone());
            let answer = fixture
                .send(request.insert_header(("Origin", "https://example.com")))
                .await;
            answer.refused(405, "method_not_allowed");
            assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
            let cors = answer
                .headers
                .keys()
                .any(|name| name.as_str().starts_with("access-control"));
            assert!(!cors, "keys belong on servers");
        }
    }
}

#[actix_web::test]
async fn an_inbound_request_id_of_sane_form_is_kept() {
    let fixture = Fixture::new().await;
    for (sent, kept) in [
        ("call-1:2.3_X", true),
        (&"a".repeat(128), true),
        ("a b", false),
        ("", false),
        (&"a".repeat(129), false),
    ] {
        let request = || TestRequest::get().uri("/nowhere").insert_header(("x-request-id", sent));
        let answer = fixture.send(request()).await;
        answer.refused(404, "not_found");
        assert_eq!(answer.header("x-request-id") == Some(sent), kept, "{sent}");
        let served = with_key(TestRequest::post().uri(RECALL), &fixture.key).insert_header(("x-request-id", sent));
        let answer = fixture.send(served.set_payload(recall().to_string())).await;
        assert_eq!(
            answer.header("x-request-id") == Some(sent),
            kept,
            "a 200 carries it too"
        );
        assert!(answer.header("x-request-id").is_some());
    }
}

#[actix_web::test]
async fn a_5xx_says_nothing_of_the_inside() {
    let fixture = Fixture::new().await;
    for (fault, status, code) in [
        (Fault::Unavailable, 503, "service_unavailable"),
        (Fault::Internal, 500, "internal_error"),
    ] {
        fixture.memory.set(fault);
        for answer in [fixture.end(&call("s-1", NUMBER)).await, fixture.get(NUMBER).await] {
            let message = answer.refused(status, code);
            assert!(!message.contains("injected"), "{message}");
        }
    }
}

#[actix_web::test]
async fn a_panic_is_a_500_and_counts_for_its_route() {
    let metrics = Arc::new(Metrics::new());
    let fixture = Fixture::with(Setup {
        memory: Arc::new(Panicking),
        metrics: Arc::clone(&metrics),
        ..Setup::default()
    })
    .await;
    for answer in [
        fixture.recall(&recall()).await,
        fixture.end(&call("s-1", NUMBER)).await,
        fixture.get("%2B12025550142").await,
    ] {
        let message = answer.refused(500, "internal_error");
        assert!(!message.contains("zebra"), "{message}");
    }
    let text = metrics.text().unwrap();
    for labels in [
        r#"route="/v1/recall_and_enrich",method="POST",status="500""#,
        r#"route="/v1/calls/end",method="POST",status="500""#,
        r#"route="/v1/caller/{phone_number}",method="GET",status="500""#,
    ] {
        let line = format!("caller_memory_http_requests_total{{{labels}}} 1");
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
    assert!(!text.contains("unmatched"), "{text}");
}

/// A memory with a fault that nobody foresaw.
pub(crate) struct Panicking;

#[async_trait]
impl CallerMemory for Panicking {
    async fn recall(&self, _: TenantId, _: &RecallQuery, _: Deadline) -> Result<Recollection, PortError> {
        panic!("zebra")
    }

    async fn record_end(&self, _: TenantId, _: &CallRecord, _: Deadline) -> Result<(), PortError> {
        panic!("zebra")
    }

    async fn caller(&self, _: TenantId, _: &PhoneNumber, _: Deadline) -> Result<Option<Caller>, PortError> {
        panic!("zebra")
    }

    async fn trace(&self, _: TenantId, _: &PhoneNumber, _: Deadline) -> Result<Trace, PortError> {
        panic!("zebra")
    }

    async fn transcript(&self, _: TenantId, _: CallId, _: Deadline) -> Result<Option<Vec<Turn>>, PortError> {
        panic!("zebra")
    }
}

#[actix_web::test]
async fn answers_of_authenticated_routes_tell_how_the_bucket_stands() {
    let fixture = Fixture::with(Setup {
        burst: 3,
        ..Setup::default()
    })
    .await;
    let policy = Some("\"key\";q=3;w=3");
    for (body, status, state) in [
        (recall().to_string(), 200, "\"key\";r=2;t=1"),
        ("{".to_owned(), 400, "\"key\";r=1;t=2"),
        ("{}".to_owned(), 422, "\"key\";r=0;t=3"),
    ] {
        let answer = fixture.post(RECALL, body).await;
        assert_eq!(answer.status, status);
        assert_eq!(
            (answer.header("ratelimit-policy"), answer.header("ratelimit")),
            (policy, Some(state))
        );
    }
    let answer = fixture.recall(&recall()).await;
    answer.refused(429, "rate_limited");
    assert_eq!(
        (answer.header("ratelimit-policy"), answer.header("ratelimit")),
        (policy, Some("\"key\";r=0;t=1"))
    );
    assert_eq!(answer.header("retry-after"), Some("1"));
    let other = fixture.new_key("one", &domain::access::Scope::ALL).await;
    let request = with_key(TestRequest::post().uri(RECALL), &other).set_payload(recall().to_string());
    assert_eq!(
        fixture.send(request).await.status,
        200,
        "each key has a bucket of its own"
    );
    let unauthorized = fixture.send(TestRequest::post().uri(RECALL)).await;
    assert_eq!(unauthorized.header("ratelimit"), None);
}

#[actix_web::test]
async fn guessing_is_slowed_down_without_harm_to_known_keys() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.recall(&recall()).await.status, 200);
    let mut statuses = Vec::new();
    for n in 0..150 {
        let request = with_key(TestRequest::post().uri(RECALL), &format!("sk_live_{n:024}"));
        let answer = fixture.send(request).await;
        statuses.push(answer.status.as_u16());
        if answer.status == 429 {
            answer.refused(429, "rate_limited");
        }
    }
    assert!(statuses.contains(&401) && statuses.last() == Some(&429), "{statuses:?}");
    assert_eq!(fixture.recall(&recall()).await.status, 200);
}
