//! The client against a server on the loopback.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use outgoing::{
    Client, ClientLimits, Method, NoAnswer, Request, TooLong, UnusableSecret, basic_header, secret_header, web_url,
};
use secrecy::SecretString;
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::path};

const LIMITS: ClientLimits = ClientLimits {
    connect: Duration::from_secs(5),
    body: 1000,
};

fn client() -> Client {
    Client::new(LIMITS).expect("a client")
}

fn get(server: &MockServer, path: &str) -> Request {
    let url = web_url(&format!("{}{path}", server.uri())).expect("a URL");
    Request::new(Method::GET, url)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

async fn answering(at: &str, answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(path(at)).respond_with(answer).mount(&server).await;
    server
}

#[tokio::test]
async fn an_answer_of_any_status_comes_with_its_body_and_headers() {
    let body = "x".repeat(LIMITS.body);
    let teapot = ResponseTemplate::new(418).set_body_string(&body);
    let server = answering("/tea", teapot.insert_header("retry-after", "7")).await;
    let answer = client().send(get(&server, "/tea"), soon()).await.expect("an answer");
    assert_eq!(answer.status, 418);
    assert_eq!(answer.headers["retry-after"], "7");
    assert_eq!(answer.retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(answer.body.expect("a body"), body.as_bytes());
    assert_eq!(client().status(get(&server, "/"), soon()).await.expect("a status"), 404);
    for no_seconds in ["Fri, 31 Dec 1999 23:59:59 GMT", "soon", "-1"] {
        let server = answering("/", ResponseTemplate::new(503).insert_header("retry-after", no_seconds)).await;
        let answer = client().send(get(&server, "/"), soon()).await.expect("an answer");
        assert_eq!(answer.retry_after(), None, "{no_seconds}");
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_not_read_and_its_status_is_known() {
    let long = ResponseTemplate::new(401).set_body_string("x".repeat(LIMITS.body + 1));
    let server = answering("/", long).await;
    let answer = client().send(get(&server, "/"), soon()).await.expect("an answer");
    assert_eq!(answer.status, 401);
    assert_eq!(answer.body, Err(TooLong));
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let server = answering("/", ResponseTemplate::new(307).insert_header("location", "/elsewhere")).await;
    let answer = client().send(get(&server, "/"), soon()).await.expect("an answer");
    assert_eq!(answer.status, 307);
    assert_eq!(server.received_requests().await.expect("they are recorded").len(), 1);
}

#[tokio::test]
async fn failures_are_told_apart_and_do_not_name_the_address() {
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(20));
    let server = answering("/secret-path", slow).await;
    let deadline = Instant::now() + Duration::from_millis(50);
    let late = client().send(get(&server, "/secret-path"), deadline).await;
    assert!(matches!(late, Err(NoAnswer::Late)), "{late:?}");

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let closed = format!("http://{}/secret-path", listener.local_addr().expect("an address"));
    drop(listener);
    let request = Request::new(Method::GET, web_url(&closed).expect("a URL"));
    let error = client().send(request, soon()).await.expect_err("nobody is there");
    assert!(matches!(error, NoAnswer::Unconnected(_)), "{error:?}");
    assert!(!format!("{error:?}").contains("secret-path"), "{error:?}");
}

/// A slim container has no CA certificates, and a model or a service on the loopback needs none.
#[tokio::test]
async fn a_client_for_a_plain_address_needs_no_certificates() {
    let server = answering("/", ResponseTemplate::new(204)).await;
    let origin = web_url(&server.uri()).expect("a URL");
    let client = Client::to(&origin, LIMITS).expect("a client");
    assert_eq!(client.status(get(&server, "/"), soon()).await.expect("a status"), 204);
}

#[test]
fn a_secret_header_is_not_shown_and_must_be_sendable() {
    let value = secret_header("Bearer ", &SecretString::from("hush")).expect("a header");
    assert_eq!(value.to_str().expect("text"), "Bearer hush");
    assert!(!format!("{value:?}").contains("hush"));
    assert_eq!(secret_header("", &SecretString::from("a\nb")), Err(UnusableSecret));

    let value = basic_header(&client(), "AC1", &SecretString::from("hush")).expect("a header");
    assert_eq!(value.to_str().expect("text"), "Basic QUMxOmh1c2g=");
    assert!(value.is_sensitive());
    assert_eq!(
        basic_header(&client(), "a:b", &SecretString::from("hush")),
        Err(UnusableSecret)
    );
}
