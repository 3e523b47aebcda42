//! What only a socket shows: requests that are not HTTP, clients that are slow, and the stop.

use std::{
    net::{SocketAddr, TcpListener},
    time::{Duration, Instant},
};

use actix_web::dev::ServerHandle;
use api::{
    RequestLimits,
    serve::{Patience, public_server},
};
use serde_json::{Value, json};
use testkit::Fault;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::harness::{Fixture, RECALL, Setup, recall};

struct Server {
    fixture: Fixture,
    address: SocketAddr,
    handle: ServerHandle,
}

impl Server {
    async fn start(limits: RequestLimits, patience: Patience) -> Self {
        let fixture = Fixture::with(Setup {
            limits,
            ..Setup::default()
        })
        .await;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = public_server(listener, fixture.api.clone(), patience).unwrap();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self {
            fixture,
            address,
            handle,
        }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    fn head(&self, length: usize) -> String {
        let key = &self.fixture.key;
        format!("POST {RECALL} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Length: {length}\r\n")
    }

    /// Sends `bytes` and reads until the service closes the connection.
    async fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        // The service may close before it has read everything.
        let _ = stream.write_all(bytes).await;
        rest_of(&mut stream).await
    }
}

async fn rest_of(stream: &mut TcpStream) -> String {
    let mut rest = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut rest)).await;
    assert!(
        read.is_ok(),
        "the service closes the connection: {}",
        String::from_utf8_lossy(&rest)
    );
    String::from_utf8(rest).unwrap()
}

/// The status, the head and the body of one answer.
fn parts(answer: &str) -> (u16, &str, Value) {
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head, serde_json::from_str(body).unwrap_or(Value::Null))
}

#[track_caller]
fn assert_enveloped(answer: &str, status: u16) {
    assert_refused(answer, status, "bad_request");
}

/// The request may be sent again as it is.
#[track_caller]
fn assert_incomplete(answer: &str) {
    assert_refused(answer, 503, "service_unavailable");
    assert!(answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
}

#[track_caller]
fn assert_refused(answer: &str, status: u16, code: &str) {
    let (got, head, body) = parts(answer);
    assert_eq!(got, status, "{answer}");
    assert_eq!(body["error"]["code"], code, "{answer}");
    let id = body["error"]["request_id"].as_str().unwrap();
    assert!(head.contains(&format!("x-request-id: {id}")), "{answer}");
}

#[actix_web::test]
async fn what_is_not_http_gets_the_envelope() {
    let server = Server::start(RequestLimits::default(), Patience::default()).await;
    for request in [
        "GARBAGE\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET /\u{7f}é HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
    ] {
        let answer = server.exchange(request.as_bytes()).await;
        assert_enveloped(&answer, 400);
    }
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200));
    assert_enveloped(&server.exchange(many.as_bytes()).await, 431);
    let long = format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(1_000_000));
    assert_enveloped(&server.exchange(long.as_bytes()).await, 431);
}

#[actix_web::test]
async fn a_body_that_breaks_off_is_503_and_one_that_breaks_the_rules_400() {
    let patience = Patience {
        unanswered: Duration::from_secs(2),
        ..Patience::default()
    };
    let server = Server::start(RequestLimits::default(), patience).await;
    let chunked = server
        .head(0)
        .replace("Content-Length: 0", "Transfer-Encoding: chunked");
    // actix takes a broken chunk for a client that is gone.
    assert_eq!(
        server.exchange(format!("{chunked}\r\nzz\r\n{{\r\n").as_bytes()).await,
        ""
    );

    let mut stream = server.connect().await;
    stream
        .write_all(format!("{}\r\n{{", server.head(100)).as_bytes())
        .await
        .unwrap();
    stream.shutdown().await.unwrap();
    let answer = rest_of(&mut stream).await;
    assert_incomplete(&answer);
    assert!(answer.contains("ended early"), "{answer}");

    let announced = server
        .exchange(format!("{}\r\n", server.head(3_000_000)).as_bytes())
        .await;
    assert_enveloped(&announced, 400);
    assert!(
        announced.contains("larger than 2097152 bytes"),
        "refused before it is sent: {announced}"
    );

    let chunk = format!("{:x}\r\n{}\r\n", 64 * 1024, " ".repeat(64 * 1024));
    let endless = format!("{chunked}\r\n{}", chunk.repeat(40));
    let answer = server.exchange(endless.as_bytes()).await;
    assert!(
        answer.is_empty() || answer.contains("larger than 2097152 bytes"),
        "{answer}"
    );
}

#[actix_web::test]
async fn a_slow_body_has_its_own_time_and_does_not_eat_the_deadline() {
    let limits = RequestLimits {
        body_time: Duration::from_millis(400),
        ..RequestLimits::default()
    };
    let server = Server::start(limits, Patience::default()).await;
    let body = recall().to_string();
    let head = format!(
        "{}X-Deadline-Ms: 100\r\nConnection: close\r\n\r\n",
        server.head(body.len())
    );

    let mut stream = server.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    stream.write_all(body.as_bytes()).await.unwrap();
    let text = rest_of(&mut stream).await;
    let (status, _, answer) = parts(&text);
    assert_eq!((status, answer.get("degraded")), (200, None), "{answer}");
    assert!(answer["timing_ms"]["total"].as_f64().unwrap() < 100.0, "{answer}");

    server.fixture.memory.set(Fault::HangForever);
    let mut stream = server.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    stream.write_all(body.as_bytes()).await.unwrap();
    let began = Instant::now();
    let text = rest_of(&mut stream).await;
    let (status, _, answer) = parts(&text);
    assert_eq!((status, &answer["degraded"]), (200, &json!(true)), "{answer}");
    assert!(began.elapsed() < Duration::from_millis(150), "{:?}", began.elapsed());

    let mut stream = server.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    let began = Instant::now();
    let answer = rest_of(&mut stream).await;
    assert_incomplete(&answer);
    assert!(answer.contains("did not arrive within"), "{answer}");
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[actix_web::test]
async fn clients_that_fall_silent_are_let_go() {
    // actix counts its times on a clock that ticks twice a second, so a shorter one could be over before it began.
    let short = Duration::from_millis(1200);
    let patience = Patience {
        head: short,
        unanswered: short,
        keep_alive: short,
    };
    let server = Server::start(RequestLimits::default(), patience).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /nothing HTTP/1.1\r\nHost: x\r\n").await.unwrap();
    assert_enveloped(&rest_of(&mut stream).await, 408);

    // A whole request, and then half of a second one.
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\nGET /no")
        .await
        .unwrap();
    let answer = rest_of(&mut stream).await;
    assert_eq!(answer.matches("HTTP/1.1 404").count(), 1, "{answer}");

    let mut idle = server.connect().await;
    idle.write_all(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    assert!(rest_of(&mut idle).await.starts_with("HTTP/1.1 404"));
}

#[actix_web::test]
async fn one_connection_serves_many_requests() {
    let server = Server::start(RequestLimits::default(), Patience::default()).await;
    let body = recall().to_string();
    let one = format!("{}\r\n{body}", server.head(body.len()));
    let last = format!("{}Connection: close\r\n\r\n{body}", server.head(body.len()));
    let answers = server.exchange(format!("{one}{one}{last}").as_bytes()).await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3, "{answers}");
}

#[actix_web::test]
async fn a_stop_takes_no_more_but_finishes_what_is_in_flight() {
    let server = Server::start(RequestLimits::default(), Patience::default()).await;
    let body = recall().to_string();
    let mut idle = server.connect().await;
    idle.write_all(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    let mut head = [0; 12];
    idle.read_exact(&mut head).await.unwrap();

    let mut in_flight = server.connect().await;
    in_flight
        .write_all(format!("{}\r\n", server.head(body.len())).as_bytes())
        .await
        .unwrap();
    // The key has been looked up when the request is in the handler, waiting for its body.
    testkit::eventually("the request is in flight", async || {
        (server.fixture.keys.calls() > 0).then_some(())
    })
    .await;
    let stopped = actix_web::rt::spawn(server.handle.stop(true));
    testkit::eventually("no new connection", async || {
        TcpStream::connect(server.address).await.err()
    })
    .await;
    in_flight.write_all(body.as_bytes()).await.unwrap();
    let answer = rest_of(&mut in_flight).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    tokio::time::timeout(Duration::from_secs(5), stopped)
        .await
        .expect("it stops in time")
        .unwrap();
    rest_of(&mut idle).await;
}
