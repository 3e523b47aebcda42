//! The program as its user meets it: the real binary, real databases, kills, freezes and restarts.

#![expect(clippy::expect_used, reason = "a test fails by panicking, its helpers included")]

mod callers;
mod enrichment;
mod full_disk;
mod identity;
mod llm;
mod receipts;
mod remembered;
mod reread;
mod service;
mod vendor;

use std::{
    collections::HashMap,
    io::{Read, Write},
    net::TcpStream,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use service::{Database, KEY, PATIENCE, Service, call, eventually};

const NUMBER: &str = "+12025550142";

/// Runs a test on a fresh SQLite database, with the example `in_memory` on a storage of its own, and on a fresh
/// PostgreSQL database where there is a server.
fn on_each_database(test: impl Fn(&Database)) {
    test(&Database::sqlite());
    test(&Database::in_memory());
    if let Some(database) = Database::postgres("CALLER_MEMORY_TEST_POSTGRES_URL") {
        test(&database);
    }
}

fn recall_body() -> Value {
    json!({"phone_number": NUMBER})
}

#[test]
fn a_call_is_remembered() {
    on_each_database(|database| {
        let service = Service::start(database, &[]);
        let first = service.recall(&json!({"phone_number": "(202) 555-0142", "session_id": "s-1"}), &[]);
        assert_eq!(
            (first.status, &first.body["known"]),
            (200, &json!(false)),
            "{}",
            first.body
        );
        assert_eq!(first.body["caller"]["total_calls"], 0);
        assert_eq!(
            first.body["memory"],
            json!({"summary": "", "recent_calls": [], "gaps": 0})
        );

        let end = service.end("s-1", "tel:+1-202-555-0142");
        assert_eq!((end.status, &end.body), (204, &Value::Null));

        let second = service.recall(&recall_body(), &[]);
        assert_eq!(
            (second.status, &second.body["known"]),
            (200, &json!(true)),
            "{}",
            second.body
        );
        assert_eq!(second.body["caller"]["total_calls"], 1);
        let recent = &second.body["memory"]["recent_calls"];
        assert_eq!(
            (&recent[0]["duration_s"], &recent[0]["outcome"]),
            (&json!(61.5), &json!("callback_requested"))
        );
        assert!(
            second.body["memory"]["summary"]
                .as_str()
                .is_some_and(|summary| !summary.is_empty())
        );
        assert_eq!(second.body.get("degraded"), None);

        let profile = service.get(NUMBER, KEY);
        assert_eq!((profile.status, &profile.body["total_calls"]), (200, &json!(1)));
        assert_eq!(service.get("+12025550143", KEY).status, 404);
    });
}

#[test]
fn the_first_start_prints_a_key_and_a_line_to_paste() {
    let database = Database::sqlite();
    let mut service = Service::spawn(&database, &[]);
    service.wait_until_ready();
    let printed = service.stdout();
    let start = printed.find("sk_live_").expect("a key is printed");
    let key: String = printed[start..]
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    assert_eq!(key.len(), "sk_live_".len() + 43, "{key}");
    assert_eq!(service.get(NUMBER, &key).status, 404, "the printed key works");

    let line = printed
        .lines()
        .position(|line| line.trim_start().starts_with("curl"))
        .expect("a curl line");
    let mut command = String::new();
    for part in printed.lines().skip(line) {
        command.push_str(part.trim_end_matches('\\'));
        if !part.ends_with('\\') {
            break;
        }
    }
    let output = Command::new("sh").args(["-c", &command]).output().expect("sh runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("the line gets JSON");
    assert_eq!(answer["caller"]["total_calls"], 0, "{answer}");

    service.signal("TERM");
    assert!(service.wait().success());
    let mut again = Service::spawn(&database, &[]);
    again.wait_until_ready();
    assert!(!again.output().contains("sk_live_"), "the key is printed once");
    assert_eq!(again.get(NUMBER, &key).status, 200);
}

#[test]
fn the_first_start_names_the_api_page_which_can_be_left_out() {
    let databases = [Database::sqlite(), Database::sqlite()];
    let mut with = Service::spawn(&databases[0], &[]);
    with.wait_until_ready();
    let page = format!("http://{}/docs", with.address);
    assert!(with.stdout().contains(&page), "{}", with.stdout());
    assert_eq!(with.public_status("/docs"), 200);
    let mut without = Service::spawn(&databases[1], &[("CALLER_MEMORY_DOCS", "false")]);
    without.wait_until_ready();
    assert!(!without.output().contains("/docs"), "{}", without.output());
    assert_eq!(without.public_status("/docs"), 404);
}

#[test]
fn simultaneous_first_contacts_leave_one_caller_and_an_exact_count() {
    on_each_database(|database| {
        let service = Service::start(database, &[]);
        let new = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for n in 0..25 {
                let (service, new) = (&service, &new);
                scope.spawn(move || {
                    if n % 2 == 0 {
                        assert_eq!(service.end(&format!("s-{}", n / 4), NUMBER).status, 204);
                    } else {
                        let answer = service.recall(&recall_body(), &[("X-Deadline-Ms", "5000")]);
                        assert_eq!(
                            (answer.status, answer.body.get("degraded")),
                            (200, None),
                            "{}",
                            answer.body
                        );
                        new.fetch_add(usize::from(answer.body["known"] == false), Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(new.into_inner() <= 1, "at most one sees a new caller");
        // The even numbers 0 to 24 name the sessions 0 to 6.
        assert_eq!(service.get(NUMBER, KEY).body["total_calls"], 7);
    });
}

#[test]
fn a_kill_under_load_loses_no_acknowledged_call() {
    on_each_database(|database| {
        let service = Service::start(database, &[]);
        let (acknowledged, sent) = (
            Mutex::new(HashMap::<String, u64>::new()),
            Mutex::new(HashMap::<String, u64>::new()),
        );
        let (killed, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let (service, acknowledged, sent) = (&service, &acknowledged, &sent);
                let (killed, count) = (&killed, &count);
                scope.spawn(move || {
                    for n in 0..10_000 {
                        if killed.load(Ordering::SeqCst) {
                            break;
                        }
                        let number = format!("+120255501{:02}", (worker * 7 + n) % 20);
                        *sent.lock().unwrap().entry(number.clone()).or_default() += 1;
                        let body = call(&format!("{worker}-{n}"), &number);
                        let Ok(answer) = service.try_post("/v1/calls/end", &body, &[]) else {
                            break;
                        };
                        if answer.status == 204 {
                            *acknowledged.lock().unwrap().entry(number).or_default() += 1;
                            count.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                });
            }
            eventually("enough calls are acknowledged", || count.load(Ordering::SeqCst) >= 400);
            service.signal("KILL");
            killed.store(true, Ordering::SeqCst);
        });
        drop(service);

        let service = Service::start(database, &[]);
        let (acknowledged, sent) = (acknowledged.into_inner().unwrap(), sent.into_inner().unwrap());
        for (number, acknowledged) in acknowledged {
            let stored = service.get(&number, KEY).body["total_calls"].as_u64().expect("a count");
            assert!(
                stored >= acknowledged,
                "{acknowledged} calls were acknowledged and {stored} are there"
            );
            assert!(
                stored <= sent[&number],
                "{} calls were sent and {stored} are there",
                sent[&number]
            );
        }
    });
}

#[test]
fn a_lost_postgres_degrades_recalls_refuses_writes_and_recovers() {
    let Some(database) = Database::postgres("CALLER_MEMORY_TEST_POSTGRES_VICTIM_URL") else {
        return;
    };
    let control = std::env::var("CALLER_MEMORY_TEST_POSTGRES_CTL").expect("the victim has a control script");
    let victim = |order: &str| {
        assert!(
            Command::new(&control).arg(order).status().expect("it runs").success(),
            "{order}"
        );
    };
    let service = Service::start(&database, &[("CALLER_MEMORY_WRITE_DEADLINE_MS", "1000")]);
    assert_eq!(service.end("before", NUMBER).status, 204);

    for (lose, restore) in [("freeze", "thaw"), ("stop", "start"), ("freeze", "thaw")] {
        victim(lose);
        for deadline_ms in [300_u64, 50, 20, 300] {
            let answer = service.recall(&recall_body(), &[("X-Deadline-Ms", &deadline_ms.to_string())]);
            assert_eq!(
                (answer.status, &answer.body["degraded"]),
                (200, &json!(true)),
                "{lose}: {}",
                answer.body
            );
            assert_eq!(answer.body["known"], false);
            assert_eq!(answer.body["caller"]["total_calls"], Value::Null);
            let limit = Duration::from_millis(deadline_ms + 50);
            assert!(
                answer.took <= limit,
                "{lose}: a recall of {deadline_ms} ms took {:?}",
                answer.took
            );
        }
        for (what, answer) in [
            ("end", service.end("during", NUMBER)),
            ("get", service.get(NUMBER, KEY)),
        ] {
            assert_eq!(
                (answer.status, &answer.body["error"]["code"]),
                (503, &json!("service_unavailable")),
                "{lose} {what}"
            );
            assert!(answer.headers.contains_key("retry-after"), "{lose} {what}");
            assert!(
                answer.took <= Duration::from_millis(1050),
                "{lose}: {what} took {:?}",
                answer.took
            );
        }
        eventually("the admin listener says that the database is away", || {
            service.admin_status("/readyz") == Some(503)
        });
        assert_eq!(service.admin_status("/healthz"), Some(200));

        victim(restore);
        let began = Instant::now();
        eventually("recalls remember again", || {
            service.recall(&recall_body(), &[]).body["known"] == true
        });
        eventually("calls are taken again", || service.end("after", NUMBER).status == 204);
        assert_eq!(service.get(NUMBER, KEY).status, 200);
        assert!(began.elapsed() < PATIENCE);
    }
    let total = service.get(NUMBER, KEY).body["total_calls"].as_u64();
    assert!(
        matches!(total, Some(2 | 3)),
        "before, after, and perhaps the one that got no 204: {total:?}"
    );
    assert!(service.metrics().contains("degraded"), "degraded recalls are counted");
}

#[test]
fn postgres_is_reached_over_tls_when_the_url_asks() {
    let Ok(ca) = std::env::var("CALLER_MEMORY_TEST_POSTGRES_CA") else {
        println!("skipped: CALLER_MEMORY_TEST_POSTGRES_CA is not set; `just test` sets it where openssl is installed");
        return;
    };
    let Some(plain) = Database::postgres("CALLER_MEMORY_TEST_POSTGRES_URL") else {
        return;
    };
    let encrypted = |database: &Database| {
        let (location, _) = database.url.split_once('?').expect("the URL asks for TLS");
        let (_, name) = location.rsplit_once('/').expect("the URL names a database");
        let sql = format!(
            "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = '{name}' AND ssl \
             AND pid <> pg_backend_pid()"
        );
        let output = Command::new("psql")
            .args([&plain.url, "-Atc", &sql])
            .output()
            .expect("psql runs");
        String::from_utf8_lossy(&output.stdout)
            .trim()
            .parse::<u32>()
            .expect("a count")
    };
    for mode in ["require".to_owned(), format!("verify-full&sslrootcert={ca}")] {
        let mut database = Database::postgres("CALLER_MEMORY_TEST_POSTGRES_URL").expect("there is a server");
        database.url = format!("{}?sslmode={mode}", database.url);
        let service = Service::start(&database, &[]);
        assert_eq!(service.end("s-1", NUMBER).status, 204, "{mode}");
        assert!(encrypted(&database) > 0, "{mode}");
    }
    let mut untrusted = Database::postgres("CALLER_MEMORY_TEST_POSTGRES_URL").expect("there is a server");
    untrusted.url = format!("{}?sslmode=verify-full", untrusted.url);
    let mut service = Service::spawn(&untrusted, &[]);
    assert_eq!(
        service.wait().code(),
        Some(1),
        "a certificate that nobody vouches for is refused"
    );
    assert!(
        service.output().contains("CALLER_MEMORY_DATABASE_URL"),
        "{}",
        service.output()
    );
}

#[test]
fn replicas_that_start_at_once_share_one_first_key() {
    let Some(database) = Database::postgres("CALLER_MEMORY_TEST_POSTGRES_URL") else {
        return;
    };
    let mut replicas: Vec<Service> = (0..4).map(|_| Service::spawn(&database, &[])).collect();
    for replica in &mut replicas {
        replica.wait_until_ready();
    }
    let printed: Vec<String> = replicas
        .iter()
        .map(Service::output)
        .filter(|out| out.contains("sk_live_"))
        .collect();
    assert_eq!(printed.len(), 1, "one replica makes the key");
    let start = printed[0].find("sk_live_").expect("found above");
    let key: String = printed[0][start..]
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    for replica in &replicas {
        assert_eq!(replica.get(NUMBER, &key).status, 404);
    }
}

#[test]
fn migrations_that_are_undone_beside_a_service_make_it_not_ready() {
    on_each_database(|database| {
        if database.is_in_memory() {
            // Another process has a world of its own.
            return;
        }
        let service = Service::start(database, &[]);
        assert_eq!(service.admin_text("/readyz"), "ready\n");
        service::command(database, &["migrate", "down", "--steps", "2"]);
        assert_eq!(service.admin_status("/readyz"), Some(503));
        assert_eq!(
            service.admin_text("/readyz"),
            "the database lacks a migration of this release; run `caller-memory migrate up`\n"
        );
        // A report is to be sent again, and none is lost.
        let mut booked = call("s-1", NUMBER);
        let said = "I have booked a table for two for you on Friday at 5 pm.";
        booked["transcript"] = json!([{"role": "agent", "text": said, "ts_ms": 0}]);
        let end = || {
            service
                .try_post("/v1/calls/end", &booked, &[])
                .expect("an answer")
                .status
        };
        assert_eq!(end(), 503);
        service::command(database, &["migrate", "up"]);
        assert_eq!(service.admin_text("/readyz"), "ready\n");
        assert_eq!(end(), 204);
    });
}

#[test]
fn another_tenant_sees_nothing() {
    on_each_database(|database| {
        let service = Service::start(database, &[]);
        assert_eq!(service.end("s-1", NUMBER).status, 204);
        let folder = tempfile::tempdir().expect("a folder");
        let run = |arguments: &[&str]| {
            let output = database
                .program(folder.path())
                .args(arguments)
                .output()
                .expect("the binary runs");
            assert!(
                output.status.success(),
                "{arguments:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            serde_json::from_slice::<Value>(&output.stdout).expect("one JSON value")
        };
        run(&["tenant", "create", "other", "--json"]);
        let key = run(&["key", "create", "--tenant", "other", "--json"])["key"]
            .as_str()
            .expect("a key")
            .to_owned();
        assert_eq!(service.get(NUMBER, &key).status, 404);
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", bearer.as_str())];
        let agent = ureq::agent();
        let post = |path: &str, body: &Value| {
            let mut request = agent.post(format!("http://{}{path}", service.address));
            for (name, value) in headers {
                request = request.header(name, value);
            }
            request.send_json(body).expect("an answer")
        };
        let recall: Value = post("/v1/recall_and_enrich", &recall_body())
            .body_mut()
            .read_json()
            .expect("the recall is JSON");
        assert_eq!(
            (&recall["known"], &recall["caller"]["total_calls"]),
            (&json!(false), &json!(0))
        );
        assert_eq!(
            post("/v1/calls/end", &call("s-1", NUMBER)).status(),
            204,
            "the same session id is another call"
        );
        assert_eq!(service.get(NUMBER, &key).body["total_calls"], 1);
        assert_eq!(service.get(NUMBER, KEY).body["total_calls"], 1);
    });
}

/// Opens a request, and sends its body only when told to.
fn half_a_recall(service: &Service) -> (TcpStream, String) {
    let body = recall_body().to_string();
    let mut stream = TcpStream::connect(service.address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let head = format!(
        "POST /v1/recall_and_enrich HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("the head is sent");
    (stream, body)
}

#[test]
fn a_stop_lets_requests_finish_and_writes_what_is_queued() {
    let database = Database::sqlite();
    let mut service = Service::start(&database, &[]);
    assert_eq!(service.end("s-1", NUMBER).status, 204);
    let before = service.get(NUMBER, KEY).body["last_seen_ms"].as_i64().expect("a time");
    std::thread::sleep(Duration::from_millis(5)); // so that the next contact is a later millisecond

    let (mut stream, body) = half_a_recall(&service);
    // Its turn has come when the service counts it as in flight; a second request has been through by then.
    assert_eq!(service.get(NUMBER, KEY).status, 200);
    service.signal("TERM");
    eventually("no new connection is taken", || {
        TcpStream::connect(service.address).is_err()
    });
    stream.write_all(body.as_bytes()).expect("the body is sent");
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("the request in flight is answered");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let began = Instant::now();
    assert!(service.wait().success());
    assert!(began.elapsed() < Duration::from_secs(11));

    let service = Service::start(&database, &[]);
    let after = service.get(NUMBER, KEY).body["last_seen_ms"].as_i64().expect("a time");
    assert!(after > before, "the contact of the last recall was written");
}

#[test]
fn a_client_that_never_finishes_its_head_is_let_go() {
    let database = Database::sqlite();
    let service = Service::start(&database, &[]);
    let mut stream = TcpStream::connect(service.address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    stream
        .write_all(b"GET /v1/caller/x HTTP/1.1\r\nHost: x\r\n")
        .expect("half a head is sent");
    let mut rest = Vec::new();
    stream
        .read_to_end(&mut rest)
        .expect("the service closes the connection");
    assert!(
        rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"),
        "{}",
        String::from_utf8_lossy(&rest)
    );
}

#[test]
fn what_cannot_be_opened_is_one_line_that_names_the_setting() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken
        .local_addr()
        .map(|address| (taken, address.to_string()))
        .expect("its address");
    let cases: [(&str, &str); 4] = [
        ("CALLER_MEMORY_LISTEN", &taken.1),
        ("CALLER_MEMORY_ADMIN_LISTEN", &taken.1),
        (
            "CALLER_MEMORY_DATABASE_URL",
            "postgres://postgres:s3cretWord@127.0.0.1:1/none",
        ),
        ("CALLER_MEMORY_BOOTSTRAP_KEY", "sk_live_short"),
    ];
    for (setting, value) in cases {
        let database = Database::sqlite();
        let mut service = Service::spawn(&database, &[(setting, value)]);
        assert!(matches!(service.wait().code(), Some(1 | 2)), "{setting}");
        let output = service.output();
        let errors: Vec<&str> = output.lines().filter(|line| line.contains("error")).collect();
        assert!(errors.len() == 1 && errors[0].contains(setting), "{setting}:\n{output}");
        assert!(
            !output.contains("s3cretWord") && !output.contains("panicked"),
            "{output}"
        );
    }
}

#[test]
fn logs_hold_no_key_number_name_or_word() {
    let database = Database::sqlite();
    let service = Service::start(
        &database,
        &[("CALLER_MEMORY_LOG", "trace"), ("CALLER_MEMORY_LOG_FORMAT", "json")],
    );
    let mut report = call("s-1", NUMBER);
    report["transcript"][1]["text"] = json!("my name is Zebulon Quartermain");
    assert_eq!(
        service
            .try_post("/v1/calls/end", &report, &[])
            .expect("an answer")
            .status,
        204
    );
    assert_eq!(service.recall(&recall_body(), &[]).status, 200);
    for (tool, arguments) in [
        ("calls_end", &report),
        ("recall_and_enrich", &recall_body()),
        (NUMBER, &report),
    ] {
        let params = json!({"name": tool, "arguments": arguments, "x": "Quartermain"});
        let message = json!({"jsonrpc": "2.0", "id": NUMBER, "method": "tools/call", "params": params});
        assert_eq!(service.try_post("/mcp", &message, &[]).expect("an answer").status, 200);
    }
    assert_eq!(service.get(NUMBER, KEY).status, 200);
    assert_eq!(service.get(NUMBER, "sk_live_wrongwrongwrongwrongwrong").status, 401);
    eventually("the requests are logged", || {
        service.output().matches("/v1/caller/").count() >= 2
    });
    let output = service.output();
    assert_eq!(output.matches(r#""route":"/mcp""#).count(), 3, "{output}");
    let metrics = service.metrics();
    assert!(
        metrics.contains(r#"route="/mcp",method="POST",status="200""#),
        "{metrics}"
    );
    for secret in ["2025550142", "Zebulon", "Quartermain", KEY, "sk_live_wrong"] {
        assert!(!output.contains(secret), "{secret} is in the log:\n{output}");
    }
}

#[test]
fn why_a_tool_failed_is_in_the_log_once() {
    let database = Database::sqlite();
    let settings = [
        ("CALLER_MEMORY_WRITE_DEADLINE_MS", "20"),
        ("CALLER_MEMORY_LOG_FORMAT", "json"),
    ];
    let service = Service::start(&database, &settings);
    // To read so long a transcript takes longer than the deadline.
    let turn =
        json!({"role": "user", "text": "I would like a table for seven on Tuesday at eight, please.", "ts_ms": 0});
    let mut long = call("s-1", NUMBER);
    long["transcript"] = vec![turn; 10_000].into();
    let params = json!({"name": "calls_end", "arguments": long});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let answer = service.try_post("/mcp", &message, &[("x-request-id", "of-the-tool")]);
    let result = &answer.expect("an answer").body["result"];
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert!(
        text.contains("service_unavailable") && text.contains("of-the-tool"),
        "{text}"
    );
    eventually("the request is logged", || {
        service.output().contains(r#""route":"/mcp""#)
    });
    let output = service.output();
    let failures: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("a request failed"))
        .collect();
    assert_eq!(failures.len(), 1, "{output}");
    assert!(
        failures[0].contains("of-the-tool") && failures[0].contains("deadline"),
        "{output}"
    );
}
