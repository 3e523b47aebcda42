//! Traces, from the real binary to a collector on the loopback.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "the end-to-end tests use all of it")]
#[path = "end_to_end/service.rs"]
mod service;

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use service::{Database, KEY, Service, eventually, free_address, program};

const NUMBER: &str = "+12025550142";
const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const MCP_TRACE_ID: &str = "00112233445566778899aabbccddeeff";
const PARENT_ID: &str = "00f067aa0ba902b7";

/// What stands in the `kind` of a span that serves a request.
const SERVER: u8 = 2;

/// A collector that takes whatever it is sent.
struct Collector {
    address: SocketAddr,
    /// Heads and bodies, one after the other.
    received: Arc<Mutex<Vec<u8>>>,
}

#[derive(Debug)]
struct Span {
    id: Vec<u8>,
    parent: Vec<u8>,
    name: String,
    kind: u8,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let collector = Self {
            address: listener.local_addr().expect("an address"),
            received: Arc::default(),
        };
        let received = Arc::clone(&collector.received);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let received = Arc::clone(&received);
                std::thread::spawn(move || take(stream, &received));
            }
        });
        collector
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn bytes(&self) -> Vec<u8> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn has(&self, text: &str) -> bool {
        contains(&self.bytes(), text.as_bytes())
    }

    /// The spans of a trace, read from where protobuf puts the fields of a span that has a parent.
    fn spans(&self, trace_id: &str) -> Vec<Span> {
        let bytes = self.bytes();
        let start: Vec<u8> = [&[0x0a, 16][..], &from_hex(trace_id), &[0x12, 8]].concat();
        let places = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(&start));
        let mut spans = Vec::new();
        for at in places {
            let (id, rest) = bytes[at + start.len()..].split_at(8);
            let (parent, rest) = match rest {
                [0x22, 8, rest @ ..] => rest.split_at(8),
                rest => (&[][..], rest),
            };
            let [0x2a, length, rest @ ..] = rest else {
                panic!("a span has a name")
            };
            let (name, rest) = rest.split_at(usize::from(*length));
            spans.push(Span {
                id: id.to_vec(),
                parent: parent.to_vec(),
                name: String::from_utf8_lossy(name).into_owned(),
                kind: if rest[0] == 0x30 { rest[1] } else { 0 },
            });
        }
        spans
    }
}

/// Answers every request of a connection.
fn take(stream: TcpStream, received: &Mutex<Vec<u8>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let from = head.len();
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = head[from..].to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
        received.extend_from_slice(head.as_bytes());
        received.extend_from_slice(&body);
        drop(received);
        let answered = reader
            .get_mut()
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n");
        if answered.is_err() {
            return;
        }
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn from_hex(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn recall_body() -> Value {
    json!({"phone_number": NUMBER, "session_id": "session-of-the-trace"})
}

fn trace_id(body: &Value) -> &str {
    body["trace_id"].as_str().expect("a trace id")
}

/// Stops a service and says how long it took.
fn stop(mut service: Service) -> Duration {
    let began = Instant::now();
    service.signal("TERM");
    assert!(service.wait().success(), "{}", service.output());
    began.elapsed()
}

#[test]
fn requests_and_their_stages_are_spans_of_the_callers_trace() {
    let collector = Collector::start();
    let database = Database::sqlite();
    let service = Service::start(
        &database,
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url()),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-collector-key=of-the-collector"),
            ("OTEL_BSP_SCHEDULE_DELAY", "20"),
        ],
    );
    let traceparent = format!("00-{TRACE_ID}-{PARENT_ID}-01");
    let of_a_trace = service.recall(&recall_body(), &[("traceparent", &traceparent)]);
    assert_eq!((of_a_trace.status, trace_id(&of_a_trace.body)), (200, TRACE_ID));
    let of_none = service.recall(&recall_body(), &[]);
    assert_eq!(service.end("session-of-the-trace", NUMBER).status, 204);
    assert_eq!(service.get(NUMBER, KEY).status, 200);
    let traceparent = format!("00-{MCP_TRACE_ID}-{PARENT_ID}-01");
    let params = json!({"name": "recall_and_enrich", "arguments": recall_body()});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let of_a_tool = service.try_post("/mcp", &message, &[("traceparent", &traceparent)]);
    assert_eq!(of_a_tool.expect("an answer").status, 200);
    // A path that matches nothing may hold anything.
    assert_eq!(service.get(&format!("x/{NUMBER}"), KEY).status, 404);

    for name in [
        "POST /v1/calls/end",
        "GET /v1/caller/{phone_number}",
        "memory_record_end",
        "memory_caller",
    ] {
        eventually(name, || collector.has(name));
    }
    eventually("the whole trace is there", || collector.spans(TRACE_ID).len() >= 3);
    let spans = collector.spans(TRACE_ID);
    let request = spans
        .iter()
        .find(|span| span.kind == SERVER)
        .expect("a span of the request");
    assert_eq!(request.name, "POST /v1/recall_and_enrich");
    assert_eq!(request.parent, from_hex(PARENT_ID));
    let stages: Vec<_> = spans.iter().filter(|span| span.id != request.id).collect();
    assert!(stages.iter().all(|stage| stage.parent == request.id), "{spans:?}");
    for name in ["memory_recall", "enrichment"] {
        assert!(stages.iter().any(|stage| stage.name == name), "{spans:?}");
    }
    eventually("the stages of a tool are there", || {
        collector.spans(MCP_TRACE_ID).len() >= 3
    });
    let spans = collector.spans(MCP_TRACE_ID);
    let request = spans
        .iter()
        .find(|span| span.kind == SERVER)
        .expect("a span of the request");
    assert_eq!(request.name, "POST /mcp");
    let stage = spans
        .iter()
        .find(|span| span.name == "memory_recall")
        .expect("a span of the stage");
    assert_eq!(stage.parent, request.id);
    eventually("a request without traceparent has a trace of its own", || {
        let spans = collector.spans(trace_id(&of_none.body));
        spans.iter().any(|span| span.kind == SERVER && span.parent.is_empty())
    });

    let took = stop(service);
    assert!(took < Duration::from_secs(10), "{took:?}");
    let line = "POST /v1/traces HTTP/1.1\r\n";
    assert!(collector.has(line) && collector.has("x-collector-key: of-the-collector"));
    for part in [
        "caller-memory",
        "http.request.method",
        "http.route",
        "http.response.status_code",
    ] {
        assert!(collector.has(part), "{part}");
    }
    for secret in [
        "2025550142",
        KEY,
        "sk_live",
        "session-of-the-trace",
        "water heater",
        "/x/",
    ] {
        assert!(!collector.has(secret), "`{secret}` was exported");
    }
}

#[test]
fn what_is_queued_is_exported_at_the_stop() {
    let collector = Collector::start();
    let database = Database::sqlite();
    let service = Service::start(
        &database,
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("{}/prefix/", collector.url())),
            ("OTEL_SERVICE_NAME", "memory-of-the-test"),
            ("OTEL_BSP_SCHEDULE_DELAY", "3600000"),
        ],
    );
    let recall = service.recall(&recall_body(), &[]);
    stop(service);
    assert!(!collector.spans(trace_id(&recall.body)).is_empty());
    assert!(collector.has("POST /prefix/v1/traces") && collector.has("memory-of-the-test"));
}

#[test]
fn the_sampler_of_the_settings_holds() {
    let collector = Collector::start();
    let database = Database::sqlite();
    let service = Service::start(
        &database,
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url()),
            ("OTEL_TRACES_SAMPLER", "always_off"),
        ],
    );
    let traceparent = format!("00-{TRACE_ID}-{PARENT_ID}-01");
    let recall = service.recall(&recall_body(), &[("traceparent", &traceparent)]);
    assert_eq!(trace_id(&recall.body), TRACE_ID);
    let recall = service.recall(&recall_body(), &[]);
    assert!(trace_id(&recall.body).len() == 32 && trace_id(&recall.body) != "0".repeat(32));
    stop(service);
    assert_eq!(collector.bytes(), Vec::<u8>::new());
}

#[test]
fn a_collector_that_hangs_or_refuses_changes_nothing() {
    // Connections stand in the backlog, and nobody ever answers.
    let hanging = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let hanging_address = hanging.local_addr().expect("an address");
    for address in [hanging_address, free_address()] {
        let database = Database::sqlite();
        let service = Service::start(
            &database,
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{address}")),
                ("OTEL_BSP_SCHEDULE_DELAY", "20"),
                ("OTEL_BSP_MAX_QUEUE_SIZE", "16"),
                ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8"),
            ],
        );
        // Many times what the queue holds.
        for _ in 0..100 {
            let recall = service.recall(&recall_body(), &[]);
            assert_eq!((recall.status, &recall.body["degraded"]), (200, &Value::Null));
            assert!(recall.took < Duration::from_secs(2), "{:?}", recall.took);
        }
        assert_eq!(service.end("session-of-the-trace", NUMBER).status, 204);
        assert_eq!(service.admin_status("/readyz"), Some(200));
        let took = stop(service);
        assert!(took < Duration::from_secs(10), "{address}: {took:?}");
    }
}

/// What the binary says when it does not start with these settings.
fn refusal(settings: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = program(folder.path())
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    assert!(!output.status.success(), "{settings:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_address_that_is_no_url_stops_the_start() {
    for wrong in ["localhost:4318", "grpc://localhost:4317", "http://user:s3cret@ho st"] {
        let printed = refusal(&[("OTEL_EXPORTER_OTLP_ENDPOINT", wrong)]);
        assert!(printed.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{printed}");
        assert!(!printed.contains("s3cret"), "{printed}");
    }
    let printed = refusal(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://user:s3cret@ho st"),
    ]);
    assert!(printed.contains("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), "{printed}");
    assert!(!printed.contains("s3cret"), "{printed}");
}

#[test]
fn missing_certificates_are_named() {
    let printed = refusal(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://localhost:4318"),
        ("SSL_CERT_FILE", "/nonexistent"),
        ("SSL_CERT_DIR", "/nonexistent"),
    ]);
    assert!(
        printed.contains("OTEL_EXPORTER_OTLP_ENDPOINT") && printed.contains("CA certificates"),
        "{printed}"
    );
}
