//! Look-ups as a client meets them: in time, once, from the cache afterwards, and never in the way.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    NUMBER, on_each_database, recall_body,
    service::{Answer, Database, KEY, Service, eventually},
    vendor::{TWILIO_HIT, Vendor},
};

/// A service that asks `vendor` in Twilio's place.
fn start(database: &Database, vendor: &Vendor) -> Service {
    let settings = [
        ("TWILIO_ACCOUNT_SID", "AC00000000000000000000000000000000"),
        ("TWILIO_AUTH_TOKEN", "not-a-secret"),
        ("CALLER_MEMORY_TWILIO_BASE_URL", vendor.url.as_str()),
        ("CALLER_MEMORY_TWILIO_PRICE_MICRO_USD", "8000"),
    ];
    Service::start(database, &settings)
}

fn patient_recall(service: &Service, number: &str) -> Answer {
    service.recall(&json!({"phone_number": number}), &[("X-Deadline-Ms", "5000")])
}

fn run(database: &Database, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
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
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

#[test]
fn an_answer_is_shown_bought_once_and_kept() {
    on_each_database(|database| {
        let vendor = Vendor::start(200, TWILIO_HIT, Duration::ZERO);
        let service = start(database, &vendor);
        let first = patient_recall(&service, NUMBER).body;
        assert_eq!(first["enrichment"]["person"]["name"], "Okafor Maren", "{first}");
        assert_eq!(first["enrichment"]["person"]["source"], "twilio");
        assert_eq!(first["enrichment"]["phone"]["carrier"], "Northwind Wireless");
        assert_eq!(first["enrichment"]["phone"]["line_type"], "mobile");
        assert_eq!(
            (&first["timing_ms"]["cache_hit"], first.get("cut")),
            (&json!(false), None)
        );
        assert_eq!(first["caller"]["name"], "Okafor Maren", "nobody else named the caller");

        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..250 {
                        assert_eq!(service.recall(&recall_body(), &[]).status, 200);
                    }
                });
            }
        });
        assert_eq!(
            vendor.asked(),
            1,
            "1,000 recalls within the time to live buy one look-up"
        );
        service.signal("TERM");
        drop(service);

        let service = start(database, &vendor);
        let kept = patient_recall(&service, NUMBER).body;
        assert_eq!(kept["enrichment"], first["enrichment"], "the cache survives a restart");
        assert_eq!(kept["timing_ms"]["cache_hit"], true);
        assert!(
            kept["freshness"]["enrichment_age_ms"]
                .as_i64()
                .is_some_and(|age| age > 0)
        );
        assert_eq!(vendor.asked(), 1);
        let profile = service.get(NUMBER, KEY);
        assert_eq!((profile.status, &profile.body["name"]), (200, &json!("Okafor Maren")));
        assert_eq!(service.get("+12025550143", KEY).status, 404);
        assert_eq!(vendor.asked(), 1, "GET looks nothing up");

        let usage = run(database, &["usage", "--json"]).to_string();
        assert!(usage.contains("\"twilio\"") && usage.contains("8000"), "{usage}");
    });
}

#[test]
fn simultaneous_recalls_buy_one_look_up() {
    let (database, vendor) = (
        Database::sqlite(),
        Vendor::start(200, TWILIO_HIT, Duration::from_millis(300)),
    );
    let service = start(&database, &vendor);
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| {
                let answer = patient_recall(&service, NUMBER).body;
                assert_eq!(answer["enrichment"]["phone"]["line_type"], "mobile", "{answer}");
            });
        }
    });
    assert_eq!(vendor.asked(), 1);
}

#[test]
fn a_late_answer_delays_nobody_and_reaches_the_next_recall() {
    let (database, vendor) = (
        Database::sqlite(),
        Vendor::start(200, TWILIO_HIT, Duration::from_millis(1200)),
    );
    let service = start(&database, &vendor);
    let answer = service.recall(&recall_body(), &[("X-Deadline-Ms", "200")]);
    assert_eq!(
        (answer.status, answer.body.get("degraded")),
        (200, None),
        "{}",
        answer.body
    );
    assert!(answer.took <= Duration::from_millis(250), "{:?}", answer.took);
    assert_eq!(answer.body["cut"], json!(["enrichment.twilio"]));
    eventually("the late answer is shown", || {
        service.recall(&recall_body(), &[]).body["enrichment"]["phone"]["source"] == "twilio"
    });
    assert_eq!(vendor.asked(), 1, "it was paid for once");
}

#[test]
fn a_refused_key_is_left_alone_and_degrades_nothing() {
    let refusal = r#"{"code":20003,"message":"Authenticate","status":401}"#;
    let (database, vendor) = (Database::sqlite(), Vendor::start(401, refusal, Duration::ZERO));
    let service = start(&database, &vendor);
    for n in 0..30 {
        let answer = patient_recall(&service, &format!("+120255501{n:02}"));
        assert_eq!(
            (answer.status, answer.body.get("degraded")),
            (200, None),
            "{}",
            answer.body
        );
        assert!(answer.took < Duration::from_secs(1), "{:?}", answer.took);
    }
    assert!(
        (1..=4).contains(&vendor.asked()),
        "{} requests with a revoked key",
        vendor.asked()
    );
    let metrics = service.metrics();
    assert!(metrics.contains("vendor=\"twilio\",outcome=\"denied\""), "{metrics}");
}

#[test]
fn a_cap_is_held_before_dialling() {
    let (database, vendor) = (Database::sqlite(), Vendor::start(200, TWILIO_HIT, Duration::ZERO));
    let service = start(&database, &vendor);
    run(&database, &["tenant", "set", "default", "--daily-lookups", "2"]);
    for n in 0..5 {
        assert_eq!(patient_recall(&service, &format!("+120255501{n:02}")).status, 200);
    }
    assert_eq!(vendor.asked(), 2);
}

#[test]
fn without_any_key_the_number_itself_tells() {
    let database = Database::sqlite();
    let service = Service::start(&database, &[]);
    let answer = patient_recall(&service, "+18005550199").body;
    assert_eq!(answer["enrichment"]["phone"]["line_type"], "toll_free", "{answer}");
    assert_eq!(answer["enrichment"]["phone"]["source"], "offline");
}

#[test]
fn half_a_credential_is_a_start_up_error_that_names_the_other_half() {
    let database = Database::sqlite();
    let mut service = Service::spawn(&database, &[("TWILIO_ACCOUNT_SID", "AC0")]);
    assert!(matches!(service.wait().code(), Some(1 | 2)));
    assert!(service.output().contains("TWILIO_AUTH_TOKEN"), "{}", service.output());
}
