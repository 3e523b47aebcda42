//! `receipt show` and `receipt stats` as scripts and people meet them: the real program over a database with receipts.

use domain::{
    access::TenantId,
    call::{CallOutcome, EndedCall},
    memory::CallRecord,
    receipt::{CallerState, Group, Receipt},
};
use serde_json::{Value, json};
use testkit::sample;

use super::program::{Program, deadline, now_ms};

const RESPONSE: &str = r#"{"trace_id":"4bf9","known":true,"memory":{"summary":"é \u001b[2J \u202e \"x\""}, "n":1.50}"#;

/// Keeps receipts and ends calls of these sessions as a running service does.
fn put(program: &Program, receipts: &[Receipt], ended: &[(TenantId, &str, CallOutcome)]) {
    program.with_storage(async |storage| {
        let store = storage.receipts().expect("a store of receipts");
        store.keep(receipts, deadline()).await.expect("they are kept");
        let memory = storage.memory();
        for (tenant, session, outcome) in ended {
            let record = sample::record(&sample::number(0), session, sample::NOW_MS, 1);
            let call = EndedCall {
                outcome: *outcome,
                ..record.call
            };
            let record = CallRecord { call, ..record };
            let ended = memory.record_end(*tenant, &record, deadline()).await;
            ended.expect("it is kept");
        }
    });
}

fn receipt(tenant: TenantId, session: Option<&str>, caller: CallerState, enriched: bool) -> Receipt {
    Receipt {
        group: Group { caller, enriched },
        response: RESPONSE.as_bytes().to_vec(),
        ..sample::receipt(tenant, session, now_ms())
    }
}

#[test]
fn a_receipt_is_shown() {
    let program = Program::new();
    let acme = program.tenant("acme");
    program.tenant("beta");
    let [mut ended, open, alone] =
        [Some("s-1"), Some("s-2\u{1b}"), None].map(|session| receipt(acme, session, CallerState::Known, true));
    ended.cut = vec!["enrichment.pdl".to_owned()];
    ended.at_ms = 1_591_060_431_793;
    put(
        &program,
        &[ended.clone(), open.clone(), alone.clone()],
        &[(acme, "s-1", CallOutcome::QuoteGiven)],
    );
    let id = ended.id.to_string();
    let shown = program.json(&["receipt", "show", &id]);
    assert_eq!(
        shown,
        json!({
            "id": id, "tenant": "acme", "trace_id": ended.trace_id, "at_ms": ended.at_ms,
            "phone_number": "+12025550100", "session_id": "s-1", "deadline_ms": 300, "cut": ["enrichment.pdl"],
            "known": true, "degraded": false, "enriched": true, "outcome": "quote_given",
            "response": serde_json::from_str::<Value>(RESPONSE).expect("JSON"), "response_text": RESPONSE,
        })
    );
    let card = program.done(&["receipt", "show", &id, "--tenant", "acme"]);
    let (head, response) = card.split_once("{\n").expect("the response comes last");
    let expected = format!(
        "receipt   {id}\ntenant    acme\ntrace     {}\nwhen      2020-06-02 01:13 UTC\n\
         number    +12025550100\nsession   s-1\n\
         deadline  300 ms\ncut       enrichment.pdl\ncaller    known, with enrichment\noutcome   quote_given\n",
        ended.trace_id
    );
    assert_eq!(head, expected);
    assert!(response.contains("  \"known\": true"), "{response}");
    assert!(
        !card.contains('\u{1b}') && !card.contains('\u{202e}'),
        "a terminal is given no orders"
    );

    let card = program.done(&["receipt", "show", &open.id.to_string()]);
    assert!(
        card.contains("\nsession   s-2 \n") && card.contains("\noutcome   not ended\n"),
        "{card}"
    );
    assert!(card.contains("\ncut       nothing\n"), "{card}");
    let card = program.done(&["receipt", "show", &alone.id.to_string()]);
    assert!(
        card.contains("\nsession   -\n") && card.contains("\noutcome   unknown: "),
        "{card}"
    );
    let shown = program.json(&["receipt", "show", &alone.id.to_string()]);
    assert_eq!((&shown["session_id"], &shown["outcome"]), (&Value::Null, &Value::Null));
}

#[test]
fn what_cannot_be_shown_is_said_in_one_line() {
    let program = Program::new();
    let acme = program.tenant("acme");
    program.tenant("beta");
    let kept = receipt(acme, None, CallerState::New, false);
    put(&program, std::slice::from_ref(&kept), &[]);
    let id = kept.id.to_string();
    let unknown = "019ab001-2c00-7000-8000-000000000001";
    for (code, args, says) in [
        (
            1,
            &["receipt", "show", unknown][..],
            "no receipt has the id 019ab001-2c00",
        ),
        (1, &["receipt", "show", unknown, "--json"], "CALLER_MEMORY_RECEIPT_DAYS"),
        (1, &["receipt", "show", unknown], "CALLER_MEMORY_FEEDBACK_LOOP"),
        (
            1,
            &["receipt", "show", &id, "--tenant", "beta"],
            "no receipt has the id",
        ),
        (
            1,
            &["receipt", "show", &id, "--tenant", "nobody"],
            "no tenant is named `nobody`",
        ),
        (
            1,
            &["receipt", "stats", "--tenant", "nobody"],
            "no tenant is named `nobody`",
        ),
        (2, &["receipt", "show", "12"], "expected a context_audit_id"),
        (2, &["receipt", "show", ""], "needs a value"),
        (2, &["receipt", "show"], "<ID>"),
        (
            2,
            &["receipt", "stats", "--days", "0"],
            "expected a whole number from 1 to 3650",
        ),
        (2, &["receipt", "stats", "--days", "-1"], "--days"),
        (
            2,
            &["receipt", "stats", "--days", "3651"],
            "expected a whole number from 1 to 3650",
        ),
        (
            2,
            &["receipt", "stats", "--tenant", "a b"],
            "a tenant's name has 1 to 64",
        ),
    ] {
        let line = program.fails(code, args);
        assert!(line.contains(says), "{args:?}: {line}");
    }
}

#[test]
fn outcomes_are_counted() {
    let program = Program::new();
    let (acme, beta) = (program.tenant("acme"), program.tenant("beta"));
    let mut old = receipt(acme, Some("s-1"), CallerState::Known, true);
    old.at_ms -= 3 * 24 * 60 * 60 * 1000;
    put(
        &program,
        &[
            receipt(acme, Some("s-1"), CallerState::Known, true),
            receipt(acme, Some("s-1"), CallerState::Known, true),
            receipt(acme, Some("s-2"), CallerState::Known, false),
            receipt(acme, Some("s-3"), CallerState::New, false),
            receipt(acme, None, CallerState::New, false),
            receipt(beta, Some("s-3"), CallerState::Degraded, false),
            old,
        ],
        &[
            (acme, "s-1", CallOutcome::AppointmentBooked),
            (acme, "s-3", CallOutcome::NoAnswer),
            (beta, "s-3", CallOutcome::Other),
        ],
    );
    let table = program.done(&["receipt", "stats", "--days", "2"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        rows,
        [
            "CALLER ENRICHMENT RECALLS ENDED APPOINTMENT_BOOKED QUOTE_GIVEN CALLBACK_REQUESTED NO_ANSWER OTHER",
            "known without 1 0 0 0 0 0 0",
            "known with 2 2 2 0 0 0 0",
            "new without 2 1 0 0 0 1 0",
            "new with 0 0 0 0 0 0 0",
            "degraded without 1 1 0 0 0 0 1",
            "degraded with 0 0 0 0 0 0 0",
        ]
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
    );
    let enriched = |stats: &Value| stats["groups"][1].clone();
    let stats = program.json(&["receipt", "stats", "--tenant", "acme"]);
    assert_eq!(
        enriched(&stats),
        json!({
            "caller": "known", "enriched": true, "receipts": 3, "ended": 3,
            "outcomes": {"appointment_booked": 3, "quote_given": 0, "callback_requested": 0, "no_answer": 0, "other": 0}
        })
    );
    assert_eq!(stats["tenant"], "acme");
    assert_eq!(
        stats["groups"][5]["receipts"], 0,
        "the degraded one is of the other tenant"
    );
    let ago = now_ms() - stats["since_ms"].as_i64().expect("a time");
    assert!((ago - 30 * 24 * 60 * 60 * 1000).abs() < 60_000, "{ago}");
    let none = program.json(&["receipt", "stats", "--tenant", "beta", "--days", "1"]);
    assert_eq!(
        (&enriched(&none)["receipts"], &none["groups"][4]["receipts"]),
        (&json!(0), &json!(1))
    );
}
