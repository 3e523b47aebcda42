//! Answers leave in time, whatever hangs.

use std::time::Duration;

use actix_web::test::TestRequest;
use api::RequestLimits;
use testkit::Fault;

use crate::harness::{Answer, Fixture, NUMBER, RECALL, Setup, call, recall, with_key};

/// How much later than its deadline an answer may be on a busy machine.
const SLACK: Duration = Duration::from_millis(50);

const HANGS: [Fault; 2] = [Fault::HangUntilDeadline, Fault::HangForever];

async fn recall_within(fixture: &Fixture, header: &str) -> Answer {
    let request = with_key(TestRequest::post().uri(RECALL), &fixture.key).insert_header(("X-Deadline-Ms", header));
    fixture.send(request.set_payload(recall().to_string())).await
}

#[actix_web::test]
async fn a_recall_is_degraded_in_time() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.recall(&recall()).await.status, 200);
    for fault in HANGS {
        fixture.memory.set(fault);
        for deadline_ms in [20, 50, 300] {
            let answer = recall_within(&fixture, &deadline_ms.to_string()).await;
            assert_eq!(
                (answer.status.as_u16(), &answer.json()["degraded"]),
                (200, &true.into())
            );
            let deadline = Duration::from_millis(deadline_ms);
            assert!(
                answer.took < deadline + SLACK,
                "{fault:?} {deadline_ms}: {:?}",
                answer.took
            );
        }
        let answer = fixture.recall(&recall()).await;
        assert_eq!(answer.json()["degraded"], true);
        assert!(
            answer.took < Duration::from_millis(300) + SLACK,
            "the service's own deadline: {:?}",
            answer.took
        );
    }
}

#[actix_web::test]
async fn the_deadline_header_is_20_to_5000() {
    let fixture = Fixture::new().await;
    for header in ["20", "5000", " 300 "] {
        assert_eq!(recall_within(&fixture, header).await.status, 200, "{header}");
    }
    for header in ["19", "5001", "0", "-1", "abc", "1e3", "300ms", ""] {
        let message = recall_within(&fixture, header).await.refused(400, "bad_request");
        assert_eq!(
            message,
            "X-Deadline-Ms: expected a whole number of milliseconds from 20 to 5000"
        );
    }
}

#[actix_web::test]
async fn writes_and_profiles_are_503_in_time() {
    let limits = RequestLimits {
        write_deadline: Duration::from_millis(200),
        ..RequestLimits::default()
    };
    let fixture = Fixture::with(Setup {
        limits,
        ..Setup::default()
    })
    .await;
    for fault in HANGS {
        fixture.memory.set(fault);
        for answer in [fixture.end(&call("s-1", NUMBER)).await, fixture.get(NUMBER).await] {
            answer.refused(503, "service_unavailable");
            assert_eq!(answer.header("retry-after"), Some("1"));
            assert!(
                answer.took < limits.write_deadline + SLACK,
                "{fault:?}: {:?}",
                answer.took
            );
        }
    }
    fixture.memory.set(Fault::Healthy);
    assert_eq!(fixture.end(&call("s-1", NUMBER)).await.status, 204);
}
