//! The clauses of [`OpenCalls`], and those of [`CallerMemory`] about gaps.

use std::sync::Arc;

use domain::{
    access::TenantId,
    call::SessionId,
    memory::{MOST_GAPS, OpenCall},
    phone::PhoneNumber,
    port::{CallerMemory, OpenCalls, RecallQuery},
};

use super::{OpenCallsFixture, is_unavailable, promptly};
use crate::{
    eventually,
    sample::{NOW_MS, UNFINISHED_MS, ample, number, passed, query, query_in, record},
};

/// One tenant's view of the memory.
struct View {
    memory: Arc<dyn CallerMemory>,
    open: Arc<dyn OpenCalls>,
    tenant: TenantId,
}

impl View {
    fn of(fixture: &OpenCallsFixture, tenant: usize) -> Self {
        Self {
            memory: Arc::clone(&fixture.memory),
            open: Arc::clone(&fixture.open),
            tenant: fixture.tenants[tenant],
        }
    }

    /// Recalls at `at_ms` and gives the gaps that are shown.
    async fn asked(&self, query: &RecallQuery) -> u64 {
        let read = self.memory.recall(self.tenant, query, ample()).await;
        read.expect("a healthy memory recalls").gaps
    }

    /// Begins the call `session` by a recall, and waits until that is noted.
    async fn begun(&self, number: &PhoneNumber, at_ms: i64, session: &str) {
        self.asked(&query_in(number, at_ms, session)).await;
        eventually("the session is noted", async || {
            let open = self.open(i64::MAX, 10_000).await;
            let name = Some(SessionId(session.to_owned()));
            open.iter().any(|call| call.session_id == name).then_some(())
        })
        .await;
    }

    async fn ended(&self, number: &PhoneNumber, session: &str) {
        let record = record(number, session, NOW_MS, 1);
        let written = self.memory.record_end(self.tenant, &record, ample()).await;
        written.expect("a healthy memory records");
    }

    async fn open(&self, begun_by_ms: i64, limit: u32) -> Vec<OpenCall> {
        let read = self.open.open_calls(self.tenant, begun_by_ms, limit, ample()).await;
        read.expect("a healthy memory reads")
    }

    async fn sessions(&self) -> Vec<String> {
        let open = self.open(i64::MAX, 100).await.into_iter();
        open.filter_map(|call| Some(call.session_id?.0)).collect()
    }
}

/// `recall` MUST 7: a session that was begun long enough ago and has not ended is a gap of its caller.
pub async fn a_call_that_never_ended_is_a_gap(fixture: &OpenCallsFixture) {
    let view = View::of(fixture, 0);
    view.begun(&number(0), NOW_MS, "lost").await;
    view.begun(&number(0), NOW_MS + 1, "lost too").await;
    let due = NOW_MS + UNFINISHED_MS;
    assert_eq!(view.asked(&query(&number(0), due - 1)).await, 0);
    assert_eq!(view.asked(&query(&number(0), due)).await, 1);
    assert_eq!(view.asked(&query(&number(0), due + 1)).await, 2);
    assert_eq!(view.asked(&query(&number(1), due + 1)).await, 0, "of nobody else");
}

/// `recall` MUST 7: a recall without a session begins no call, and a session is no gap for its own recall.
pub async fn only_other_sessions_are_gaps(fixture: &OpenCallsFixture) {
    let view = View::of(fixture, 0);
    view.asked(&query(&number(0), NOW_MS)).await;
    view.begun(&number(0), NOW_MS, "slow").await;
    let due = NOW_MS + UNFINISHED_MS;
    assert_eq!(view.asked(&query_in(&number(0), due, "slow")).await, 0);
    assert_eq!(view.asked(&query_in(&number(0), due, "next")).await, 1);
}

/// `recall` MUST 7: no more gaps are counted than is said.
pub async fn gaps_are_counted_to_a_bound(fixture: &OpenCallsFixture) {
    let view = View::of(fixture, 0);
    for i in 0..=MOST_GAPS {
        view.asked(&query_in(&number(0), NOW_MS, &format!("session {i}"))).await;
    }
    eventually("the sessions are noted", async || {
        let gaps = view.asked(&query(&number(0), NOW_MS + UNFINISHED_MS)).await;
        (gaps == MOST_GAPS).then_some(())
    })
    .await;
}

/// MUST 2: the end of the call closes it, however late, and under whatever number.
pub async fn a_late_end_closes_the_call(fixture: &OpenCallsFixture) {
    let view = View::of(fixture, 0);
    view.begun(&number(0), NOW_MS, "late").await;
    view.begun(&number(0), NOW_MS + 1, "elsewhere").await;
    assert_eq!(view.sessions().await, ["elsewhere", "late"]);
    view.ended(&number(0), "late").await;
    assert_eq!(view.sessions().await, ["elsewhere"]);
    view.ended(&number(1), "elsewhere").await;
    assert_eq!(view.sessions().await, [""; 0]);
    assert_eq!(view.asked(&query(&number(0), NOW_MS + 10 * UNFINISHED_MS)).await, 0);
}

/// MUST 2: a call whose end came before its recall was noted is not open.
pub async fn an_end_before_the_note_leaves_nothing_open(fixture: &OpenCallsFixture) {
    let view = View::of(fixture, 0);
    view.ended(&number(0), "quick").await;
    view.asked(&query_in(&number(0), NOW_MS - 1_000, "quick")).await;
    // Notes are written in order: when the second session is there, so is the first.
    view.begun(&number(0), NOW_MS, "second").await;
    assert_eq!(view.sessions().await, ["second"]);
}

/// MUST 2: calls are listed with number, session and time, newest first, to the limit, from the time that is asked for.
pub async fn open_calls_are_listed_newest_first(fixture: &OpenCallsFixture) {
    let view = View::of(fixture, 0);
    let calls = [(0, NOW_MS), (1, NOW_MS + 1), (2, NOW_MS + 2)].map(|(i, begun_at_ms)| OpenCall {
        number: number(i),
        session_id: Some(SessionId(format!("session \"{i}\" ünïcode"))),
        begun_at_ms,
    });
    for (call, name) in calls.iter().zip(["0", "1", "2"]) {
        let session = format!("session \"{name}\" ünïcode");
        view.begun(&call.number, call.begun_at_ms, &session).await;
    }
    let [first, second, third] = calls;
    assert_eq!(view.open(i64::MAX, 2).await, [third, second.clone()]);
    assert_eq!(view.open(NOW_MS + 1, 5).await, [second, first]);
    assert_eq!(view.open(NOW_MS - 1, 5).await, []);
}

/// MUST 2 and `recall` MUST 7: of recalls that are noted out of order, the earliest begins the call, under its number.
pub async fn an_earlier_recall_is_the_first(fixture: &OpenCallsFixture) {
    let view = View::of(fixture, 0);
    view.asked(&query(&number(1), NOW_MS)).await;
    view.begun(&number(0), NOW_MS + 5, "moved").await;
    view.asked(&query_in(&number(1), NOW_MS + 1, "moved")).await;
    let expected = OpenCall {
        number: number(1),
        session_id: Some(SessionId("moved".to_owned())),
        begun_at_ms: NOW_MS + 1,
    };
    eventually("the earlier recall is noted", async || {
        (view.open(i64::MAX, 10).await == [expected.clone()]).then_some(())
    })
    .await;
    let due = NOW_MS + 10 + UNFINISHED_MS;
    let gaps = [
        view.asked(&query(&number(0), due)).await,
        view.asked(&query(&number(1), due)).await,
    ];
    assert_eq!(gaps, [0, 1]);
}

/// MUST 3: a tenant's sessions are listed and counted as gaps for it alone; the total counts all, to its bound.
pub async fn open_calls_stay_in_their_tenant(fixture: &OpenCallsFixture) {
    let (own, other) = (View::of(fixture, 0), View::of(fixture, 1));
    own.begun(&number(0), NOW_MS, "one name").await;
    own.begun(&number(0), NOW_MS, "ours").await;
    other.begun(&number(0), NOW_MS, "one name").await;
    other.ended(&number(0), "ours").await;
    own.ended(&number(0), "one name").await;
    assert_eq!(own.sessions().await, ["ours"]);
    assert_eq!(other.sessions().await, ["one name"]);
    let due = NOW_MS + UNFINISHED_MS;
    assert_eq!(other.asked(&query(&number(0), due)).await, 1);
    let count = |most| fixture.open.count_open_calls(NOW_MS, most, ample());
    assert_eq!(count(100).await.expect("a healthy memory reads"), 2);
    assert_eq!(count(1).await.expect("a healthy memory reads"), 1);
}

/// MUST 1: with a deadline that has passed, both methods say so promptly.
pub async fn a_passed_deadline_is_unavailable(fixture: &OpenCallsFixture) {
    let view = View::of(fixture, 0);
    let listed = promptly("open_calls", view.open.open_calls(view.tenant, NOW_MS, 10, passed())).await;
    assert!(is_unavailable(&listed), "{listed:?}");
    let counted = promptly("count_open_calls", view.open.count_open_calls(NOW_MS, 10, passed())).await;
    assert!(is_unavailable(&counted), "{counted:?}");
}

/// Expands to the contract suite of [`OpenCalls`], and the clauses about gaps: a module with one test for each.
///
/// The fixture is a future that gives `Option<`[`OpenCallsFixture`]`>`; see [`contract`](crate::contract) for an
/// example.
#[macro_export]
macro_rules! open_calls_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, open_calls:
            a_call_that_never_ended_is_a_gap,
            only_other_sessions_are_gaps,
            gaps_are_counted_to_a_bound,
            a_late_end_closes_the_call,
            an_end_before_the_note_leaves_nothing_open,
            open_calls_are_listed_newest_first,
            an_earlier_recall_is_the_first,
            open_calls_stay_in_their_tenant,
            a_passed_deadline_is_unavailable,
        }
    };
}
