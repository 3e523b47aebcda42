//! The feedback loop: what a recall leaves behind it, and that it never stands in its way.

use std::{sync::Arc, time::Duration};

use actix_web::test::TestRequest;
use api::{RequestLimits, receipts::ReceiptLimits};
use domain::{
    access::Scope,
    async_trait,
    call::{CallOutcome, SessionId},
    context::Deadline,
    port::{Enricher, EnrichmentAnswer, EnrichmentQuery, ReceiptStore},
    receipt::{CallerState, Group, ReceiptId, ShownReceipt},
};
use serde_json::json;
use testkit::{Fault, Faulty, InMemoryCallerMemory, InMemoryReceiptStore, eventually, sample};

use crate::harness::{Answer, Fixture, NUMBER, RECALL, Setup, call, recall, with_key};

type Store = Faulty<InMemoryReceiptStore>;

/// The application with the feedback loop on, and where its receipts go.
async fn looping(setup: Setup) -> (Fixture, Arc<Store>, InMemoryReceiptStore) {
    let memory = InMemoryCallerMemory::new();
    let receipts = InMemoryReceiptStore::over(&memory);
    let store = Arc::new(Faulty::new(Arc::new(receipts.clone())));
    let fixture = Fixture::with(Setup {
        memory: Arc::new(memory),
        receipts: Some((store.clone(), ReceiptLimits::default())),
        ..setup
    })
    .await;
    (fixture, store, receipts)
}

fn receipt_id(answer: &Answer) -> ReceiptId {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let body = answer.json();
    let id = body["context_audit_id"].as_str().expect("an id");
    id.parse().expect("a UUID")
}

/// The receipt of the answer, when it has been written.
async fn receipt_of(receipts: &InMemoryReceiptStore, answer: &Answer) -> ShownReceipt {
    let id = receipt_id(answer);
    eventually("the receipt is written", async || {
        receipts.show(None, id, sample::ample()).await.unwrap()
    })
    .await
}

#[actix_web::test]
async fn without_the_loop_there_is_no_field() {
    let fixture = Fixture::new().await;
    for body in [recall(), json!({"phone_number": NUMBER, "session_id": "s-1"})] {
        let answer = fixture.recall(&body).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.json().get("context_audit_id"), None);
        assert!(!answer.text.contains("audit"), "{}", answer.text);
    }
}

#[actix_web::test]
async fn a_receipt_holds_exactly_what_the_client_got() {
    let (fixture, _, receipts) = looping(Setup::default()).await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let request = with_key(TestRequest::post().uri(RECALL), &fixture.key)
        .insert_header(("X-Deadline-Ms", "450"))
        .insert_header(("traceparent", format!("00-{trace}-00f067aa0ba902b7-01")))
        .set_payload(json!({"phone_number": "(202) 555-0142", "session_id": "s-1"}).to_string());
    let first = fixture.send(request).await;
    let ShownReceipt { receipt, outcome, .. } = receipt_of(&receipts, &first).await;
    assert_eq!(String::from_utf8(receipt.response).unwrap(), first.text);
    assert_eq!(receipt.trace_id, trace);
    assert_eq!(receipt.number.as_e164(), NUMBER);
    assert_eq!(receipt.session_id, Some(SessionId("s-1".to_owned())));
    assert_eq!((receipt.at_ms, receipt.deadline_ms), (sample::NOW_MS, 450));
    assert_eq!(receipt.cut, [""; 0]);
    assert_eq!(
        (receipt.group.caller, receipt.group.enriched),
        (CallerState::New, false)
    );
    assert_eq!(outcome, None);

    assert_eq!(fixture.end(&call("s-1", NUMBER)).await.status, 204);
    let ended = receipt_of(&receipts, &first).await.outcome;
    assert_eq!(ended, Some(CallOutcome::CallbackRequested));

    let second = fixture.recall(&recall()).await;
    assert_ne!(receipt_id(&second), receipt_id(&first), "each recall has its own");
    let ShownReceipt { receipt, outcome, .. } = receipt_of(&receipts, &second).await;
    assert_eq!(String::from_utf8(receipt.response).unwrap(), second.text);
    assert_eq!((receipt.session_id, receipt.deadline_ms, outcome), (None, 300, None));
    assert_eq!(receipt.group.caller, CallerState::Known);
}

#[actix_web::test]
async fn a_recall_by_a_tool_has_the_same_receipt() {
    let (fixture, _, receipts) = looping(Setup::default()).await;
    let answer = fixture.tool("recall_and_enrich", &recall().to_string()).await;
    let id: ReceiptId = answer.tool_answer()["context_audit_id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let written = async || receipts.show(None, id, sample::ample()).await.unwrap();
    let ShownReceipt { receipt, .. } = eventually("the receipt is written", written).await;
    let text = answer.result()["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(String::from_utf8(receipt.response).unwrap(), text);
    assert_eq!((receipt.number.as_e164(), receipt.deadline_ms), (NUMBER, 300));
}

#[actix_web::test]
async fn a_degraded_recall_has_a_receipt() {
    let (fixture, _, receipts) = looping(Setup::default()).await;
    for fault in [Fault::Unavailable, Fault::HangUntilDeadline, Fault::HangForever] {
        fixture.memory.set(fault);
        let answer = fixture
            .recall(&json!({"phone_number": NUMBER, "session_id": "s-1"}))
            .await;
        assert_eq!(answer.json()["degraded"], true);
        let ShownReceipt { receipt, .. } = receipt_of(&receipts, &answer).await;
        assert_eq!(String::from_utf8(receipt.response).unwrap(), answer.text);
        assert_eq!(receipt.number.as_e164(), NUMBER);
        assert_eq!(receipt.session_id, Some(SessionId("s-1".to_owned())));
        let group = Group {
            caller: CallerState::Degraded,
            enriched: false,
        };
        assert_eq!(receipt.group, group, "{fault:?}");
    }
}

/// Knows something from one vendor, and waits in vain for another.
struct Halfway;

#[async_trait]
impl Enricher for Halfway {
    async fn enrich(&self, _: EnrichmentQuery, _: Deadline) -> EnrichmentAnswer {
        EnrichmentAnswer {
            lookups: vec![sample::lookup("twilio", sample::NOW_MS)],
            called: Vec::new(),
            cut: vec!["pdl".to_owned()],
        }
    }
}

#[actix_web::test]
async fn enrichment_and_cuts_are_noted() {
    let setup = Setup {
        enricher: Arc::new(Halfway),
        ..Setup::default()
    };
    let (fixture, _, receipts) = looping(setup).await;
    let answer = fixture.recall(&recall()).await;
    let ShownReceipt { receipt, .. } = receipt_of(&receipts, &answer).await;
    assert_eq!(receipt.cut, ["enrichment.pdl"]);
    assert!(receipt.group.enriched);
    assert_eq!(String::from_utf8(receipt.response).unwrap(), answer.text);
}

#[actix_web::test]
async fn a_refused_request_leaves_no_receipt() {
    let (fixture, _, receipts) = looping(Setup::default()).await;
    let lacking = fixture.new_key("one", &[Scope::CallsWrite]).await;
    let valid = || TestRequest::post().uri(RECALL).set_payload(recall().to_string());
    fixture.send(valid()).await.refused(401, "unauthorized");
    fixture
        .send(with_key(valid(), &lacking))
        .await
        .refused(403, "insufficient_scope");
    let late = with_key(valid(), &fixture.key).insert_header(("X-Deadline-Ms", "1"));
    fixture.send(late).await.refused(400, "bad_request");
    fixture.post(RECALL, "{").await.refused(400, "bad_request");
    fixture.post(RECALL, "{}").await.refused(422, "validation_error");
    fixture
        .recall(&json!({"phone_number": "anonymous"}))
        .await
        .refused(400, "bad_request");
    // Receipts are written in the order of recalls, so that one of a refusal would be there with the next.
    let answer = fixture.recall(&recall()).await;
    receipt_of(&receipts, &answer).await;
    assert_eq!(receipts.receipts().len(), 1);
}

#[actix_web::test]
async fn a_lost_store_neither_fails_nor_delays_a_recall() {
    let limits = RequestLimits::default();
    let (fixture, store, _) = looping(Setup::default()).await;
    assert_eq!(fixture.recall(&recall()).await.status, 200);
    for fault in [
        Fault::Unavailable,
        Fault::Internal,
        Fault::HangUntilDeadline,
        Fault::HangForever,
    ] {
        store.set(fault);
        for _ in 0..20 {
            let answer = fixture.recall(&recall()).await;
            receipt_id(&answer);
            let body = answer.json();
            assert_eq!(
                (&body["known"], body.get("degraded")),
                (&json!(true), None),
                "{fault:?}"
            );
            assert!(answer.took < limits.recall_deadline, "{fault:?}: {:?}", answer.took);
        }
    }
    eventually("the store was asked", async || (store.calls() > 1).then_some(())).await;
}

#[actix_web::test]
async fn more_recalls_than_may_wait_are_answered() {
    let memory = InMemoryCallerMemory::new();
    let store = Arc::new(Faulty::new(Arc::new(InMemoryReceiptStore::over(&memory))));
    store.set(Fault::HangForever);
    let limits = ReceiptLimits {
        waiting: 2,
        ..ReceiptLimits::default()
    };
    let fixture = Fixture::with(Setup {
        receipts: Some((store.clone(), limits)),
        ..Setup::default()
    })
    .await;
    for _ in 0..20 {
        let answer = fixture.recall(&recall()).await;
        receipt_id(&answer);
        assert!(answer.took < Duration::from_millis(300), "{:?}", answer.took);
    }
}

#[actix_web::test]
async fn receipts_belong_to_the_tenant_of_the_key() {
    let (fixture, _, receipts) = looping(Setup::default()).await;
    let other_key = fixture.new_key("two", &Scope::ALL).await;
    let mut tenants = Vec::new();
    for key in [&fixture.key, &other_key] {
        let request = with_key(TestRequest::post().uri(RECALL), key);
        let body = json!({"phone_number": NUMBER, "session_id": "s-1"});
        let answer = fixture.send(request.set_payload(body.to_string())).await;
        let shown = receipt_of(&receipts, &answer).await;
        tenants.push((shown.receipt.tenant, answer));
    }
    assert_ne!(tenants[0].0, tenants[1].0);
    assert_eq!(fixture.end(&call("s-1", NUMBER)).await.status, 204);
    assert!(receipt_of(&receipts, &tenants[0].1).await.outcome.is_some());
    assert_eq!(
        receipt_of(&receipts, &tenants[1].1).await.outcome,
        None,
        "the call of the same session id is the other tenant's"
    );
}
