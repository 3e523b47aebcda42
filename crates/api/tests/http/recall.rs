//! What a recall answers, and what a profile does.

use std::time::Duration;

use actix_web::test::TestRequest;
use domain::{facts::FactKey, port::CallerMemory};
use serde_json::{Value, json};
use testkit::{Fault, sample};

use crate::harness::{Answer, Fixture, NUMBER, RECALL, call, recall, with_key};

/// Takes the measured fields out of a recall, having checked them.
fn without_measures(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let mut body = answer.json();
    let object = body.as_object_mut().unwrap();
    let trace_id = object.remove("trace_id").unwrap();
    assert!(
        trace_id
            .as_str()
            .is_some_and(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()))
    );
    let timing = object.remove("timing_ms").unwrap();
    for part in ["total", "memory_ms", "enrichment_ms"] {
        assert!(timing[part].as_f64().is_some_and(|ms| ms >= 0.0), "{timing}");
    }
    assert!(timing["total"].as_f64() > timing["memory_ms"].as_f64(), "{timing}");
    assert_eq!(timing["cache_hit"], false);
    body
}

#[actix_web::test]
async fn a_first_contact_creates_the_caller() {
    let fixture = Fixture::new().await;
    let first = without_measures(&fixture.recall(&recall()).await);
    let profile = json!({
        "name": null, "first_seen_ms": sample::NOW_MS, "last_seen_ms": sample::NOW_MS, "total_calls": 0, "tags": [],
        "custom_attributes": {}
    });
    assert_eq!(
        first,
        json!({
            "known": false,
            "caller": profile,
            "memory": {"summary": "", "recent_calls": [], "gaps": 0},
            "facts": [],
            "identity": {"recommendation": "use", "signals": []},
            "do_not_call": null,
            "enrichment": {"person": null, "company": null, "phone": null},
            "freshness": {"memory_age_ms": null, "enrichment_age_ms": null},
        })
    );
    assert_eq!(without_measures(&fixture.recall(&recall()).await)["known"], true);
    let mut alone = profile;
    alone["do_not_call"] = Value::Null;
    assert_eq!(fixture.get(NUMBER).await.json(), alone);
}

#[actix_web::test]
async fn a_wish_not_to_be_called_is_shown_at_once_and_stays() {
    let fixture = Fixture::new().await;
    let ending = |session: &str, said: &str| {
        let mut call: Value = call(session, NUMBER);
        call["transcript"][1]["text"] = said.into();
        call
    };
    let wish = ending("s-1", "Please take me off your list.");
    assert_eq!(fixture.end(&wish).await.status, 204);
    let body = without_measures(&fixture.recall(&recall()).await);
    assert_eq!(body["do_not_call"]["quote"], "take me off your list");
    assert_eq!(
        body["do_not_call"]["call_id"],
        body["memory"]["recent_calls"][0]["call_id"]
    );
    let summary = body["memory"]["summary"].as_str().unwrap();
    assert!(summary.starts_with("Asked not to be called again ("), "{summary}");
    assert_eq!(fixture.get(NUMBER).await.json()["do_not_call"], body["do_not_call"]);
    assert!(body["caller"].get("do_not_call").is_none());

    for later in [
        wish,
        ending("s-1", "What time is it?"),
        ending("s-2", "You can call me again."),
        ending("s-3", "Stop calling me."),
    ] {
        assert_eq!(fixture.end(&later).await.status, 204);
        let recalled = without_measures(&fixture.recall(&recall()).await);
        assert_eq!(recalled["do_not_call"], body["do_not_call"]);
    }
}

#[actix_web::test]
async fn a_call_is_remembered() {
    let fixture = Fixture::new().await;
    let end = fixture.end(&call("s-1", "(202) 555-0142")).await;
    assert_eq!(
        (end.status.as_u16(), end.text.as_str(), end.header("content-type")),
        (204, "", None)
    );
    let body = without_measures(&fixture.recall(&recall()).await);
    assert_eq!(
        (&body["known"], &body["caller"]["total_calls"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(body["freshness"]["memory_age_ms"], 0);
    assert!(
        body["memory"]["summary"]
            .as_str()
            .is_some_and(|summary| !summary.is_empty())
    );
    let calls = body["memory"]["recent_calls"].as_array().unwrap();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (&calls[0]["duration_s"], &calls[0]["outcome"]),
        (&json!(61.5), &json!("callback_requested"))
    );
    assert_eq!(calls[0]["started_at_ms"], sample::NOW_MS - 61_500);
    assert!(calls[0]["call_id"].is_string() && calls[0]["summary"].is_string());

    for n in 2..8 {
        assert_eq!(fixture.end(&call(&format!("s-{n}"), NUMBER)).await.status, 204);
    }
    let body = without_measures(&fixture.recall(&recall()).await);
    assert_eq!(body["memory"]["recent_calls"].as_array().map(Vec::len), Some(5));
    assert_eq!(body["caller"]["total_calls"], 7);
}

#[actix_web::test]
async fn a_degraded_recall_is_a_200_of_which_nothing_is_known() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.end(&call("s-1", NUMBER)).await.status, 204);
    for fault in [Fault::Unavailable, Fault::Internal] {
        fixture.memory.set(fault);
        assert_eq!(
            without_measures(&fixture.recall(&recall()).await),
            json!({
                "known": false,
                "degraded": true,
                "caller": {
                    "name": null, "first_seen_ms": null, "last_seen_ms": null, "total_calls": null, "tags": [],
                    "custom_attributes": {}
                },
                "memory": {"summary": "", "recent_calls": [], "gaps": null},
                "facts": null,
                "identity": null,
                "do_not_call": null,
                "enrichment": {"person": null, "company": null, "phone": null},
                "freshness": {"memory_age_ms": null, "enrichment_age_ms": null},
            })
        );
    }
    fixture.memory.set(Fault::Healthy);
    assert_eq!(without_measures(&fixture.recall(&recall()).await)["known"], true);
}

#[actix_web::test]
async fn a_traceparent_gives_the_trace_id() {
    let fixture = Fixture::new().await;
    let id = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (traceparent, kept) in [
        (format!("00-{id}-00f067aa0ba902b7-01"), true),
        (format!("00-{id}-0-01"), false),
    ] {
        let request =
            with_key(TestRequest::post().uri(RECALL), &fixture.key).insert_header(("traceparent", traceparent));
        let body = fixture.send(request.set_payload(recall().to_string())).await.json();
        assert_eq!(body["trace_id"] == id, kept, "{body}");
    }
}

#[actix_web::test]
async fn reading_a_profile_creates_nothing() {
    let fixture = Fixture::new().await;
    for _ in 0..2 {
        fixture.get("%2B12025550142").await.refused(404, "not_found");
    }
    assert_eq!(fixture.recall(&recall()).await.json()["known"], false);
}

#[actix_web::test]
async fn facts_and_the_stated_name_are_shown() {
    let fixture = Fixture::new().await;
    let mut report = call("s-1", NUMBER);
    report["transcript"] = json!([
        {"role": "agent", "text": "Good morning, my name is John. How can I help?", "ts_ms": 0},
        {"role": "user", "text": "Hi, my name is Ana Ruiz.", "ts_ms": 1800},
        {"role": "user", "text": "My email is ana at example dot com.", "ts_ms": 4200},
    ]);
    assert_eq!(fixture.end(&report).await.status, 204);

    let body = fixture.recall(&recall()).await.json();
    assert_eq!(body["caller"]["name"], "Ana Ruiz");
    let call_id = &body["memory"]["recent_calls"][0]["call_id"];
    let facts = body["facts"].as_array().expect("facts are shown");
    let started_at_ms = body["memory"]["recent_calls"][0]["started_at_ms"].as_i64().unwrap();
    assert_eq!(facts.len(), 2, "{body}");
    let (email, name) = (&facts[0], &facts[1]);
    assert_eq!(
        *email,
        json!({
            "key": "email", "value": "ana@example.com", "call_id": call_id,
            "quote": "My email is ana at example dot com",
            "said_at_ms": started_at_ms + 4200, "observed_at_ms": email["observed_at_ms"],
        })
    );
    assert_eq!((&name["key"], &name["value"]), (&json!("name"), &json!("Ana Ruiz")));
    assert!(email["observed_at_ms"].as_i64() >= Some(started_at_ms + 4200));
    let summary = body["memory"]["summary"].as_str().unwrap();
    assert!(summary.contains("On record: e-mail \"ana@example.com\"."), "{summary}");
    assert_eq!(fixture.get(NUMBER).await.json()["name"], "Ana Ruiz");

    // A correction of the call takes its facts away.
    assert_eq!(fixture.end(&call("s-1", NUMBER)).await.status, 204);
    let body = fixture.recall(&recall()).await.json();
    assert_eq!((&body["caller"]["name"], &body["facts"]), (&json!(null), &json!([])));
}

#[actix_web::test]
async fn a_call_that_was_never_written_back_is_a_gap_until_it_is() {
    let fixture = Fixture::new().await;
    let begun = json!({"phone_number": NUMBER, "session_id": "lost"});
    assert_eq!(fixture.recall(&begun).await.json()["memory"]["gaps"], 0);
    fixture.clock.advance(Duration::from_secs(7_199));
    assert_eq!(fixture.recall(&recall()).await.json()["memory"]["gaps"], 0);
    fixture.clock.advance(Duration::from_secs(1));
    assert_eq!(fixture.recall(&recall()).await.json()["memory"]["gaps"], 1);
    assert_eq!(fixture.end(&call("lost", NUMBER)).await.status, 204);
    assert_eq!(fixture.recall(&recall()).await.json()["memory"]["gaps"], 0);
}

/// The most bytes of an answer.
const ANSWER_BYTES: usize = 64 * 1024;

#[track_caller]
fn assert_bounded(answer: &Answer) {
    assert!(answer.text.len() <= ANSWER_BYTES, "{} bytes", answer.text.len());
    let body = answer.json();
    let within = |text: &Value, most: usize| text.as_str().is_none_or(|text| text.chars().count() <= most);
    assert!(within(&body["caller"]["name"], 100) && within(&body["memory"]["summary"], 1_000));
    for call in body["memory"]["recent_calls"].as_array().unwrap() {
        assert!(within(&call["summary"], 400));
    }
    for fact in body["facts"].as_array().unwrap() {
        assert!(within(&fact["value"], 200) && within(&fact["quote"], 500));
    }
}

#[actix_web::test]
async fn endless_words_in_calls_do_not_make_an_endless_answer() {
    let fixture = Fixture::new().await;
    let long = "w".repeat(20_000);
    for number in 0..6 {
        let mut report = call(&format!("s-{number}"), NUMBER);
        report["transcript"] = json!([
            {"role": "user", "ts_ms": 0, "text": format!("i would like to order a {long}{number} {long} and a {long}")},
            {"role": "agent", "ts_ms": 1, "text": format!("okay {long} {long}")},
            {"role": "user", "ts_ms": 2, "text": format!("my name is {long} and my order number is {long}")},
            {"role": "user", "ts_ms": 3, "text": "my kitchen sink is leaking"},
        ]);
        assert_eq!(fixture.end(&report).await.status, 204);
    }
    let answer = fixture.recall(&recall()).await;
    assert_bounded(&answer);
    let newest = &answer.json()["memory"]["recent_calls"][0]["summary"];
    assert!(newest.as_str().unwrap().contains("sink is leaking"), "{newest}");
}

#[actix_web::test]
async fn what_an_earlier_release_stored_without_bounds_is_shown_within_them() {
    let fixture = Fixture::new().await;
    let tenant = fixture.tenant_id("one").await;
    for n in 0..5_i32 {
        let mut record = sample::record(&sample::number(42), &format!("s-{n}"), sample::NOW_MS, i64::from(n));
        record.summary = format!("Caller called. Caller said {}.", "w".repeat(100_000));
        let keys = [
            FactKey::Appointment,
            FactKey::Order,
            FactKey::Promise,
            FactKey::Reference,
        ];
        for (key, m) in keys.into_iter().flat_map(|key| [(key, 0), (key, 1), (key, 2)]) {
            let mut said = sample::said(key, &format!("{n} {m}"), sample::NOW_MS);
            said.fact.quote = "\u{1}".repeat(100_000);
            record.facts.push(said);
        }
        record.facts.push(sample::said(
            FactKey::Name,
            &format!("Maren {}", "n".repeat(1_000)),
            sample::NOW_MS,
        ));
        record
            .facts
            .push(sample::said(FactKey::City, &"c".repeat(100_000), sample::NOW_MS));
        fixture
            .memory
            .record_end(tenant, &record, sample::ample())
            .await
            .unwrap();
    }
    let answer = fixture.recall(&recall()).await;
    assert_bounded(&answer);
    let body = answer.json();
    assert_eq!(body["caller"]["name"], "Maren");
    assert_eq!(body["memory"]["recent_calls"][0]["summary"], "Caller called.");
    let facts = body["facts"].as_array().unwrap();
    assert!(
        facts.len() > 10 && facts[0]["value"].as_str().unwrap().starts_with("4 "),
        "the newest are kept"
    );
    assert_eq!(fixture.get(NUMBER).await.json()["name"], "Maren");
}
