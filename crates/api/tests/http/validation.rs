//! What bodies and numbers are refused, with which words, and what is taken.

use actix_web::test::TestRequest;
use api::RequestLimits;
use serde_json::{Value, json};

use crate::harness::{END, Fixture, NUMBER, RECALL, Setup, call, recall, with_key};

/// A value that must never come back in a message.
const MARK: &str = "zebra";

#[actix_web::test]
async fn what_is_not_json_is_400() {
    let fixture = Fixture::new().await;
    let long = format!("{{\"phone_number\": \"{}\"}}", "1".repeat(2 * 1024 * 1024));
    for (body, words) in [
        (&b""[..], "empty"),
        (b"   ", "empty"),
        (b"zebra", "not JSON"),
        (b"{\"zebra\": ", "not JSON"),
        (b"{\"phone_number\": \"zebra\"} zebra", "not JSON"),
        (b"{'phone_number': 1}", "not JSON"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"{\"phone_number\": \"\x01\"}", "not JSON"),
        (long.as_bytes(), "larger than 2097152 bytes"),
    ] {
        for path in [RECALL, END] {
            let message = fixture.post(path, body).await.refused(400, "bad_request");
            assert!(message.contains(words) && !message.contains(MARK), "{message}");
        }
    }
    for path in [RECALL, END] {
        fixture
            .post(path, "[".repeat(1_000_000))
            .await
            .refused(400, "bad_request");
        fixture
            .post(path, "[".repeat(500_000) + &"]".repeat(500_000))
            .await
            .refused(422, "validation_error");
    }
}

#[actix_web::test]
async fn the_content_type_is_json_or_absent() {
    let fixture = Fixture::new().await;
    let body = recall().to_string();
    for (name, value, status) in [
        ("content-type", "application/json", 200),
        ("content-type", "application/json; charset=utf-8", 200),
        ("content-type", "application/vnd.acme.v1+json", 200),
        ("content-type", "text/plain", 400),
        ("content-type", "application/x-www-form-urlencoded", 400),
        ("content-type", "zebra", 400),
        ("content-encoding", "gzip", 400),
        ("content-encoding", "identity", 200),
    ] {
        let request = with_key(TestRequest::post().uri(RECALL), &fixture.key).insert_header((name, value));
        let answer = fixture.send(request.set_payload(body.clone())).await;
        assert_eq!(answer.status, status, "{name}: {value}");
        if status == 400 {
            assert!(!answer.refused(400, "bad_request").contains(MARK));
        }
    }
}

#[actix_web::test]
async fn the_limit_of_bodies_is_a_setting() {
    let limits = RequestLimits {
        max_body_bytes: 100,
        ..RequestLimits::default()
    };
    let fixture = Fixture::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    let body = |length: usize| format!("{:<length$}", recall().to_string());
    assert_eq!(fixture.post(RECALL, body(100)).await.status, 200);
    fixture.post(RECALL, body(101)).await.refused(400, "bad_request");
}

/// A recall body with `field` set to `value`.
fn recall_with(field: &str, value: Value) -> String {
    let mut body = recall();
    body[field] = value;
    body.to_string()
}

#[actix_web::test]
async fn a_recall_that_does_not_fit_the_schema_is_422() {
    let fixture = Fixture::new().await;
    for (body, message) in [
        ("[]".to_owned(), "the body: expected an object"),
        ("null".to_owned(), "the body: expected an object"),
        ("\"zebra\"".to_owned(), "the body: expected an object"),
        ("{}".to_owned(), "phone_number: is missing"),
        (
            recall_with("phone_number", json!(null)),
            "phone_number: expected a string",
        ),
        (
            recall_with("phone_number", json!(12_025_550_142_i64)),
            "phone_number: expected a string",
        ),
        (
            recall_with("phone_number", json!(["zebra"])),
            "phone_number: expected a string",
        ),
        (
            recall_with("phone_number", json!("")),
            "phone_number: must not be empty",
        ),
        (
            recall_with("phone_number", json!("a\u{0}b")),
            "phone_number: the string holds \\u0000; remove it",
        ),
        (
            recall_with("trigger", json!("zebra")),
            "trigger: expected one of ringing, answered",
        ),
        (recall_with("trigger", json!(1)), "trigger: expected a string"),
        (recall_with("trigger", json!(null)), "trigger: expected a string"),
        (recall_with("session_id", json!(7)), "session_id: expected a string"),
        (recall_with("session_id", json!(null)), "session_id: expected a string"),
        (recall_with("agent_id", json!({})), "agent_id: expected a string"),
        (recall_with("metadata", json!("zebra")), "metadata: expected an object"),
        (recall_with("metadata", json!([])), "metadata: expected an object"),
        (
            recall_with("zebra", json!("\u{0}")),
            "the body: a string in it holds \\u0000; remove it",
        ),
        (
            r#"{"phone_number": "+12025550142", "phone_number": "+12025550143"}"#.to_owned(),
            "phone_number: is there twice",
        ),
        (
            r#"{"phone_number": "+1202555\ud8000142"}"#.to_owned(),
            "phone_number: the string holds half of a surrogate pair, which is not valid Unicode",
        ),
    ] {
        assert_eq!(
            fixture
                .post(RECALL, body.clone())
                .await
                .refused(422, "validation_error"),
            message,
            "{body}"
        );
    }
    assert_eq!(fixture.memory.calls(), 0);
}

/// A call report with the value at `pointer` replaced, or removed.
fn call_with(pointer: &str, value: Option<Value>) -> String {
    let mut body = call("s-1", NUMBER);
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match (body.pointer_mut(parent).unwrap(), value) {
        (Value::Array(parent), Some(value)) => parent[name.parse::<usize>().unwrap()] = value,
        (parent, Some(value)) => parent[name] = value,
        (parent, None) => drop(parent.as_object_mut().unwrap().remove(name).unwrap()),
    }
    body.to_string()
}

#[actix_web::test]
async fn a_call_report_that_does_not_fit_the_schema_is_422() {
    let fixture = Fixture::new().await;
    for field in ["session_id", "phone_number", "transcript", "duration_s", "outcome"] {
        let message = fixture
            .post(END, call_with(&format!("/{field}"), None))
            .await
            .refused(422, "validation_error");
        assert_eq!(message, format!("{field}: is missing"));
    }
    for field in ["role", "text", "ts_ms"] {
        let body = call_with(&format!("/transcript/1/{field}"), None);
        let message = fixture.post(END, body).await.refused(422, "validation_error");
        assert_eq!(message, format!("transcript[1].{field}: is missing"));
    }
    let outcomes = "outcome: expected one of appointment_booked, quote_given, callback_requested, no_answer, other";
    for (pointer, value, message) in [
        ("/session_id", json!(""), "session_id: must not be empty"),
        ("/session_id", json!(1), "session_id: expected a string"),
        (
            "/session_id",
            json!("a\u{0}"),
            "session_id: the string holds \\u0000; remove it",
        ),
        ("/phone_number", json!(""), "phone_number: must not be empty"),
        ("/transcript", json!("zebra: hello"), "transcript: expected an array"),
        ("/transcript", json!({}), "transcript: expected an array"),
        ("/transcript", json!(null), "transcript: expected an array"),
        ("/transcript/0", json!("zebra"), "transcript[0]: expected an object"),
        ("/transcript/1", json!(null), "transcript[1]: expected an object"),
        (
            "/transcript/1/role",
            json!("zebra"),
            "transcript[1].role: expected one of user, agent",
        ),
        (
            "/transcript/1/role",
            json!("User"),
            "transcript[1].role: expected one of user, agent",
        ),
        ("/transcript/1/text", json!(5), "transcript[1].text: expected a string"),
        (
            "/transcript/1/text",
            json!(null),
            "transcript[1].text: expected a string",
        ),
        (
            "/transcript/1/text",
            json!("a\u{0}"),
            "transcript[1].text: the string holds \\u0000; remove it",
        ),
        (
            "/transcript/1/ts_ms",
            json!("1800"),
            "transcript[1].ts_ms: expected a number",
        ),
        (
            "/transcript/1/ts_ms",
            json!(null),
            "transcript[1].ts_ms: expected a number",
        ),
        ("/duration_s", json!(-1), "duration_s: must be 0 or more"),
        ("/duration_s", json!(-0.001), "duration_s: must be 0 or more"),
        ("/duration_s", json!("61"), "duration_s: expected a number"),
        ("/duration_s", json!(true), "duration_s: expected a number"),
        ("/outcome", json!("zebra"), outcomes),
        ("/outcome", json!("Other"), outcomes),
        ("/outcome", json!(null), "outcome: expected a string"),
        ("/agent_metadata", json!("zebra"), "agent_metadata: expected an object"),
        ("/agent_metadata", json!(null), "agent_metadata: expected an object"),
        (
            "/agent_metadata",
            json!({"a": ["\u{0}"]}),
            "agent_metadata: a string in it holds \\u0000; remove it",
        ),
    ] {
        let body = call_with(pointer, Some(value));
        assert_eq!(
            fixture.post(END, body.clone()).await.refused(422, "validation_error"),
            message,
            "{body}"
        );
    }
    let huge = call_with("/duration_s", Some(json!(0))).replace("\"duration_s\":0", "\"duration_s\":1e400");
    assert_eq!(
        fixture.post(END, huge).await.refused(422, "validation_error"),
        "duration_s: the number is too large"
    );
    assert_eq!(fixture.memory.calls(), 0);
}

#[actix_web::test]
async fn what_fits_is_taken() {
    let fixture = Fixture::new().await;
    let recalls = [
        json!({"phone_number": NUMBER, "trigger": "ringing", "session_id": "s", "agent_id": "a",
            "metadata": {"a": [1, {}]}}),
        json!({"phone_number": NUMBER, "trigger": "answered", "tenant_id": "two", "unknown": [null, 1e300]}),
        json!({"phone_number": NUMBER, "session_id": "", "agent_id": ""}),
    ];
    for body in recalls {
        assert_eq!(fixture.recall(&body).await.status, 200, "{body}");
    }
    let mut report = call("s-2", NUMBER);
    report["transcript"] = json!([]);
    report["duration_s"] = json!(0);
    report["agent_metadata"] = json!({"any": {"thing": [1.5, null]}});
    report["unknown"] = json!("field");
    assert_eq!(fixture.end(&report).await.status, 204);
    for outcome in [
        "appointment_booked",
        "quote_given",
        "callback_requested",
        "no_answer",
        "other",
    ] {
        report["outcome"] = json!(outcome);
        let answer = fixture.end(&report).await;
        assert_eq!((answer.status.as_u16(), answer.text.as_str()), (204, ""));
    }
    let strange =
        "\u{202e}\u{200b}\u{1f468}\u{200d}\u{1f469} \u{fffd} \\u0000 \" ' ; DROP TABLE callers; -- \r\n\t\u{7f}";
    report["transcript"] = json!([{"role": "user", "text": strange, "ts_ms": -1.5}]);
    report["session_id"] = json!(strange.repeat(4));
    assert_eq!(fixture.end(&report).await.status, 204);
}

/// An object whose text has so many bytes.
fn object_of(bytes: usize) -> Value {
    json!({"a": "m".repeat(bytes - "{\"a\":\"\"}".len())})
}

#[actix_web::test]
async fn what_is_at_its_bound_is_taken_and_what_is_beyond_it_is_422() {
    let fixture = Fixture::new().await;
    let turns = |count: usize| json!(vec![json!({"role": "user", "text": "", "ts_ms": 0}); count]);
    for (path, pointer, at_bound, beyond, message) in [
        (
            END,
            "/session_id",
            json!("ü".repeat(256)),
            json!("ü".repeat(257)),
            "session_id: must have at most 256 characters",
        ),
        (
            END,
            "/agent_metadata",
            object_of(16 * 1024),
            object_of(16 * 1024 + 1),
            "agent_metadata: must be at most 16 KiB as JSON",
        ),
        (
            END,
            "/transcript",
            turns(10_000),
            turns(10_001),
            "transcript: must have at most 10000 items",
        ),
        (
            END,
            "/transcript/1/text",
            json!("ü".repeat(32 * 1024)),
            json!("ü".repeat(32 * 1024) + "x"),
            "transcript[1].text: must be at most 64 KiB",
        ),
        (
            RECALL,
            "/session_id",
            json!("ü".repeat(256)),
            json!("ü".repeat(257)),
            "session_id: must have at most 256 characters",
        ),
        (
            RECALL,
            "/metadata",
            object_of(16 * 1024),
            object_of(16 * 1024 + 1),
            "metadata: must be at most 16 KiB as JSON",
        ),
    ] {
        let body = |value| match path {
            RECALL => recall_with(pointer.trim_start_matches('/'), value),
            _ => call_with(pointer, Some(value)),
        };
        let answer = fixture.post(path, body(at_bound)).await;
        assert!(answer.status.is_success(), "{pointer}: {}", answer.text);
        let answer = fixture.post(path, body(beyond)).await;
        assert_eq!(answer.refused(422, "validation_error"), message);
    }
    // Blanks count as well: it is the text of the object that is kept.
    let spaced = call_with("/agent_metadata", Some(json!({}))).replace("{}", &format!("{{{}}}", " ".repeat(16 * 1024)));
    assert_eq!(
        fixture.post(END, spaced).await.refused(422, "validation_error"),
        "agent_metadata: must be at most 16 KiB as JSON"
    );
}

#[actix_web::test]
async fn numbers_that_cannot_be_a_memorys_key_are_400() {
    let fixture = Fixture::new().await;
    for number in [
        "zebra",
        "+",
        "12",
        "++++",
        "anonymous",
        "sip:anonymous@anonymous.invalid",
        "\u{202e}",
        "\u{1f4de}",
        "   ",
    ] {
        for answer in [
            fixture.recall(&json!({"phone_number": number})).await,
            fixture.end(&call("s", number)).await,
        ] {
            let message = answer.refused(400, "bad_request");
            assert!(
                message.starts_with("phone_number: ") && !message.contains(MARK),
                "{message}"
            );
        }
    }
    let withheld = fixture
        .recall(&json!({"phone_number": "anonymous"}))
        .await
        .refused(400, "bad_request");
    assert!(withheld.contains("withheld"), "{withheld}");
    assert_eq!(fixture.memory.calls(), 0);
}

#[actix_web::test]
async fn a_profile_is_read_by_e164_only() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.end(&call("s-1", NUMBER)).await.status, 204);
    for number in ["%2B12025550142", "+12025550142", "%2b12025550142", "%2B%31%32025550142"] {
        assert_eq!(fixture.get(number).await.status, 200, "{number}");
    }
    for number in [
        "12025550142",
        "%2B1%20202%20555%200142",
        "%252B12025550142",
        "zebra",
        "%2B",
        "%",
        "%zz",
        "%2",
        "%ff",
        "%00",
        "%2B1202555014%D9%A2",
        "tel:%2B12025550142",
        "%20%2B12025550142",
        "%2B12025550142%2F",
    ] {
        let message = fixture.get(number).await.refused(400, "bad_request");
        assert!(
            message.starts_with("phone_number: ") && !message.contains(MARK),
            "{number}: {message}"
        );
    }
    let unknown = fixture.get("%2B12025550199").await.refused(404, "not_found");
    assert!(!unknown.contains("0199"), "{unknown}");
    fixture.get("%2B12025550199").await.refused(404, "not_found");
}
