//! The clauses of [`ReceiptStore`].

use std::sync::Arc;

use domain::{
    call::{CallOutcome, EndedCall},
    error::PortError,
    memory::CallRecord,
    port::{AdminError, ReceiptStore},
    receipt::{CallerState, Group, Receipt, ReceiptId, ShownReceipt, Stats, Tally},
};
use uuid::Uuid;

use super::{ReceiptFixture, at_once, is_unavailable, promptly};
use crate::sample::{NOW_MS, ample, number, passed, receipt, record};

async fn keep(fixture: &ReceiptFixture, receipts: &[Receipt]) {
    let kept = fixture.store.keep(receipts, ample()).await;
    kept.expect("a healthy store keeps");
}

/// The receipt as the administrator of all tenants sees it.
async fn show(fixture: &ReceiptFixture, receipt: &Receipt) -> Option<ShownReceipt> {
    let shown = fixture.store.show(None, receipt.id, ample()).await;
    shown.expect("a healthy store shows")
}

async fn stats(fixture: &ReceiptFixture, tenant: Option<&str>, since_ms: i64) -> Stats {
    let stats = fixture.store.stats(tenant.map(str::to_owned), since_ms, ample()).await;
    stats.expect("a healthy store counts")
}

fn receipts(stats: &Stats) -> u64 {
    stats.0.values().map(|tally| tally.receipts).sum()
}

/// A receipt of the tenant of this index in the session.
fn of(fixture: &ReceiptFixture, tenant: usize, session: Option<&str>) -> Receipt {
    receipt(fixture.tenants[tenant].0, session, NOW_MS)
}

async fn end(fixture: &ReceiptFixture, tenant: usize, session: &str, outcome: CallOutcome, arrival: i64) {
    let record = record(&number(0), session, NOW_MS + 60_000, arrival);
    let call = EndedCall { outcome, ..record.call };
    let record = CallRecord { call, ..record };
    let ended = fixture
        .memory
        .record_end(fixture.tenants[tenant].0, &record, ample())
        .await;
    ended.expect("a healthy memory commits");
}

/// What was kept is shown as it was, whatever bytes the response has and however long the session's name is.
pub async fn a_receipt_is_shown_as_it_was_kept(fixture: &ReceiptFixture) {
    let mut plain = of(fixture, 0, None);
    plain.response = Vec::new();
    let mut full = of(fixture, 0, Some(&"séance ".repeat(2_000)));
    full.cut = vec!["enrichment.twilio".to_owned(), "\"odd\", [one]".to_owned()];
    full.response = (0..=255).cycle().take(100_000).collect();
    full.group = Group {
        caller: CallerState::Degraded,
        enriched: true,
    };
    full.deadline_ms = 5_000;
    let mut early = of(fixture, 0, Some("x"));
    early.at_ms = 0;
    early.response = b"{\"known\": \xff\x00".to_vec();
    let all = [plain, full, early];
    keep(fixture, &all).await;
    for receipt in &all {
        let shown = show(fixture, receipt).await.expect("it was kept");
        assert!(
            shown.receipt == *receipt,
            "{:?} is shown as {:?}",
            receipt,
            shown.receipt
        );
        assert_eq!((&shown.tenant, shown.outcome), (&fixture.tenants[0].1, None));
    }
}

/// A receipt that is offered again is kept once, as it was first; what is new in the same batch is kept.
pub async fn a_receipt_is_kept_once(fixture: &ReceiptFixture) {
    let first = of(fixture, 0, Some("a"));
    keep(fixture, std::slice::from_ref(&first)).await;
    let mut changed = first.clone();
    changed.response = b"another".to_vec();
    let next = of(fixture, 1, Some("b"));
    keep(fixture, &[changed, next.clone(), next.clone()]).await;
    keep(fixture, &[]).await;
    assert_eq!(show(fixture, &first).await.map(|shown| shown.receipt), Some(first));
    assert_eq!(show(fixture, &next).await.map(|shown| shown.receipt), Some(next));
    assert_eq!(receipts(&stats(fixture, None, 0).await), 2);
}

/// Batches of any size that are kept at once by several processes are all there.
pub async fn simultaneous_batches_are_all_kept(fixture: &ReceiptFixture) {
    let other = fixture.other_process.as_ref().unwrap_or(&fixture.store);
    let work = (0..20).map(|n| {
        let batch: Vec<_> = (0..=n * 7).map(|_| of(fixture, n % 2, Some("busy"))).collect();
        let store = Arc::clone(if n % 2 == 0 { &fixture.store } else { other });
        async move { store.keep(&batch, ample()).await }
    });
    for kept in at_once(work).await {
        kept.expect("a healthy store keeps");
    }
    let expected: usize = (0..20).map(|n| n * 7 + 1).sum();
    assert_eq!(receipts(&stats(fixture, None, 0).await), expected as u64);
}

/// An id that no receipt has is none, and no error.
pub async fn an_unknown_receipt_is_none(fixture: &ReceiptFixture) {
    let unknown = of(fixture, 0, None);
    assert_eq!(show(fixture, &unknown).await, None);
    keep(fixture, &[of(fixture, 0, None)]).await;
    assert_eq!(show(fixture, &unknown).await, None);
    let nil = fixture.store.show(None, ReceiptId(Uuid::nil()), ample()).await;
    assert!(matches!(nil, Ok(None)), "{nil:?}");
}

/// The outcome is that of the session's call: none before its end, the corrected one after a correction, and never that
/// of another session or tenant.
pub async fn the_outcome_is_of_the_sessions_call(fixture: &ReceiptFixture) {
    let outcome = async |receipt: &Receipt| show(fixture, receipt).await.expect("it was kept").outcome;
    let [with, again, without] = [Some("a"), Some("a"), None].map(|session| of(fixture, 0, session));
    let [other, longer] = ["b", "a "].map(|session| of(fixture, 0, Some(session)));
    let elsewhere = of(fixture, 1, Some("a"));
    let all = [with, again, without, other, longer, elsewhere];
    keep(fixture, &all).await;
    for receipt in &all {
        assert_eq!(outcome(receipt).await, None);
    }
    let [with, again, without, other, longer, elsewhere] = &all;
    end(fixture, 0, "a", CallOutcome::QuoteGiven, 1).await;
    assert_eq!(outcome(with).await, Some(CallOutcome::QuoteGiven));
    assert_eq!(outcome(again).await, Some(CallOutcome::QuoteGiven));
    end(fixture, 0, "a", CallOutcome::AppointmentBooked, 2).await;
    assert_eq!(outcome(with).await, Some(CallOutcome::AppointmentBooked));
    for receipt in [without, other, longer, elsewhere] {
        assert_eq!(outcome(receipt).await, None);
    }
    end(fixture, 1, "a", CallOutcome::NoAnswer, 3).await;
    assert_eq!(outcome(elsewhere).await, Some(CallOutcome::NoAnswer));
    assert_eq!(outcome(with).await, Some(CallOutcome::AppointmentBooked));

    let late = of(fixture, 0, Some("a"));
    keep(fixture, std::slice::from_ref(&late)).await;
    assert_eq!(
        outcome(&late).await,
        Some(CallOutcome::AppointmentBooked),
        "a receipt may come after the end of its call"
    );
}

/// Through a tenant nothing of another is found or counted; whoever asks for any tenant is told which it is.
pub async fn receipts_stay_in_their_tenant(fixture: &ReceiptFixture) {
    let receipt = of(fixture, 0, Some("a"));
    keep(fixture, std::slice::from_ref(&receipt)).await;
    let [(_, one), (_, two)] = &fixture.tenants;
    for (tenant, is_found) in [(Some(one), true), (Some(two), false), (None, true)] {
        let shown = fixture.store.show(tenant.cloned(), receipt.id, ample()).await;
        let shown = shown.expect("a healthy store shows");
        assert_eq!(shown.is_some(), is_found, "{tenant:?}");
        assert!(shown.is_none_or(|shown| shown.tenant == *one));
    }
    assert_eq!(receipts(&stats(fixture, Some(one), 0).await), 1);
    assert_eq!(stats(fixture, Some(two), 0).await, Stats::default());
}

/// A tenant that does not exist is named, and not taken for one without receipts.
pub async fn an_unknown_tenant_is_named(fixture: &ReceiptFixture) {
    let receipt = of(fixture, 0, None);
    keep(fixture, std::slice::from_ref(&receipt)).await;
    let named = |error: Option<AdminError>| matches!(error, Some(AdminError::UnknownTenant(name)) if name == "nobody");
    let nobody = || Some("nobody".to_owned());
    let shown = fixture.store.show(nobody(), receipt.id, ample()).await;
    assert!(named(shown.err()));
    assert!(named(fixture.store.stats(nobody(), 0, ample()).await.err()));
}

/// Receipts are counted by standing, enrichment and outcome.
pub async fn receipts_are_counted_by_group_and_outcome(fixture: &ReceiptFixture) {
    let mut expected = Stats::default();
    let mut all = Vec::new();
    for (n, group) in Group::ALL.into_iter().enumerate() {
        for (m, outcome) in CallOutcome::ALL.map(Some).into_iter().chain([None]).enumerate() {
            let session = format!("{n}-{m}");
            let copies = n + m + 1;
            for _ in 0..copies {
                all.push(Receipt {
                    group,
                    ..of(fixture, 0, Some(&session))
                });
            }
            expected.add(group, outcome, copies as u64);
            if let Some(outcome) = outcome {
                end(fixture, 0, &session, outcome, 1).await;
            }
        }
    }
    keep(fixture, &all).await;
    assert_eq!(stats(fixture, None, 0).await, expected);
    assert_eq!(stats(fixture, Some(&fixture.tenants[0].1), 0).await, expected);
    let first: Tally = expected.0[&Group::ALL[0]];
    assert_eq!((first.receipts, first.ended()), (1 + 2 + 3 + 4 + 5 + 6, 15));
}

/// Statistics begin with the moment that is asked for, which is included.
pub async fn statistics_begin_with_the_moment(fixture: &ReceiptFixture) {
    let at = |at_ms| Receipt {
        at_ms,
        ..of(fixture, 0, None)
    };
    keep(fixture, &[at(NOW_MS - 1), at(NOW_MS), at(NOW_MS + 1)]).await;
    for (since_ms, count) in [(0, 3), (NOW_MS, 2), (NOW_MS + 1, 1), (NOW_MS + 2, 0), (i64::MIN, 3)] {
        assert_eq!(receipts(&stats(fixture, None, since_ms).await), count, "{since_ms}");
    }
}

/// A purge deletes what is older than the moment, of every tenant, the oldest first and no more than it may.
pub async fn a_purge_deletes_the_oldest_and_no_more_than_it_may(fixture: &ReceiptFixture) {
    let at = |tenant, at_ms| Receipt {
        at_ms,
        ..of(fixture, tenant, Some("a"))
    };
    let all = [at(0, 40), at(1, 10), at(0, 20), at(1, 30), at(0, 50), at(1, 50)];
    keep(fixture, &all).await;
    let left = async || {
        let mut left = Vec::new();
        for receipt in &all {
            left.extend(show(fixture, receipt).await.map(|shown| shown.receipt.at_ms));
        }
        left.sort_unstable();
        left
    };
    let purge = async |before_ms, most| fixture.store.purge(before_ms, most, ample()).await.ok();
    assert_eq!(purge(10, 100).await, Some(0), "older means older");
    assert_eq!(purge(50, 0).await, Some(0));
    assert_eq!(left().await, [10, 20, 30, 40, 50, 50]);
    assert_eq!(purge(50, 3).await, Some(3));
    assert_eq!(left().await, [40, 50, 50]);
    assert_eq!(purge(50, 3).await, Some(1));
    assert_eq!(left().await, [50, 50]);
    assert_eq!(purge(50, 3).await, Some(0));
}

/// When several processes purge at once, each deletes what the others do not, and none fails.
pub async fn simultaneous_purges_delete_each_receipt_once(fixture: &ReceiptFixture) {
    let old: Vec<_> = (0..300).map(|n| receipt(fixture.tenants[n % 2].0, None, 1)).collect();
    keep(fixture, &old).await;
    keep(fixture, &[of(fixture, 0, None)]).await;
    let other = fixture.other_process.as_ref().unwrap_or(&fixture.store);
    let mut deleted = 0;
    for _ in 0..20 {
        let purges = (0..6).map(|n| {
            let store = Arc::clone(if n % 2 == 0 { &fixture.store } else { other });
            async move { store.purge(NOW_MS, 20, ample()).await }
        });
        for purged in at_once(purges).await {
            deleted += purged.expect("no purge is in the way of another");
        }
    }
    assert_eq!(deleted, 300);
    assert_eq!(receipts(&stats(fixture, None, 0).await), 1);
}

/// With a deadline that has passed every method says so promptly: a late reading is no unknown receipt.
pub async fn every_method_keeps_its_deadline(fixture: &ReceiptFixture) {
    let receipt = of(fixture, 0, Some("a"));
    keep(fixture, std::slice::from_ref(&receipt)).await;
    let store: &dyn ReceiptStore = &*fixture.store;
    let late = |error: Option<AdminError>| matches!(error, Some(AdminError::Port(PortError::Unavailable(_))));
    let next = [of(fixture, 0, None)];
    assert!(is_unavailable(&promptly("keep", store.keep(&next, passed())).await));
    assert!(late(
        promptly("show", store.show(None, receipt.id, passed())).await.err()
    ));
    assert!(late(promptly("stats", store.stats(None, 0, passed())).await.err()));
    assert!(is_unavailable(
        &promptly("purge", store.purge(i64::MAX, 1, passed())).await
    ));
    assert!(show(fixture, &receipt).await.is_some());
}

/// Expands to the contract suite of [`ReceiptStore`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`ReceiptFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! receipt_store_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, receipt_store:
            a_receipt_is_shown_as_it_was_kept,
            a_receipt_is_kept_once,
            simultaneous_batches_are_all_kept,
            an_unknown_receipt_is_none,
            the_outcome_is_of_the_sessions_call,
            receipts_stay_in_their_tenant,
            an_unknown_tenant_is_named,
            receipts_are_counted_by_group_and_outcome,
            statistics_begin_with_the_moment,
            a_purge_deletes_the_oldest_and_no_more_than_it_may,
            simultaneous_purges_delete_each_receipt_once,
            every_method_keeps_its_deadline,
        }
    };
}
