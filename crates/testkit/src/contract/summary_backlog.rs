//! The clauses of [`SummaryBacklog`].

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    access::TenantId,
    call::SessionId,
    facts::{Fact, FactKey, SaidFact},
    memory::{CallRecord, Recollection},
    port::{
        Claim, Day, RequestId, Subject, SummaryBacklog,
        rewrite::{ATTEMPTS, WORTH_MS},
    },
    rewrite::Rewrite,
};
use uuid::Uuid;

use super::{BacklogFixture, GRACE, at_once, is_unavailable, promptly};
use crate::sample::{NOW_MS, ample, number, passed, query, record, said, within};

/// How long a claim is leased here, in milliseconds.
const LEASE_MS: i64 = 60_000;

/// The day of the reservations.
const TODAY: Day = Day(20_727);

async fn claim(backlog: &dyn SummaryBacklog, now_ms: i64) -> Option<Claim> {
    let claimed = backlog.claim(now_ms, now_ms + LEASE_MS, ample()).await;
    claimed.expect("a healthy backlog claims")
}

async fn settle(backlog: &dyn SummaryBacklog, claim: &Claim, summary: Option<&str>, now_ms: i64) -> bool {
    let rewrite = summary.map(|summary| Rewrite {
        summary: summary.to_owned(),
        facts: Vec::new(),
    });
    let settled = backlog.settle(claim, rewrite, now_ms, ample()).await;
    settled.expect("a healthy backlog settles")
}

/// A request that nobody has asked about.
fn new_request() -> RequestId {
    RequestId(Uuid::now_v7())
}

async fn reserve(backlog: &dyn SummaryBacklog, tenant: TenantId, day: Day, request: RequestId, cap: u32) -> bool {
    let reserved = backlog.reserve(tenant, day, request, cap, ample()).await;
    reserved.expect("a healthy backlog counts")
}

async fn put_back(backlog: &dyn SummaryBacklog, claim: &Claim, due_ms: i64, counts: bool) {
    let done = backlog.put_back(claim, due_ms, counts, ample()).await;
    done.expect("a healthy backlog takes work back");
}

async fn end(fixture: &BacklogFixture, tenant: usize, record: &CallRecord) {
    let written = fixture
        .memory
        .record_end(fixture.tenants[tenant], record, ample())
        .await;
    written.expect("a healthy memory commits");
}

/// Ends a call of the first number in the first tenant.
async fn end_one(fixture: &BacklogFixture, session: &str, arrival: i64) -> CallRecord {
    let record = record(&number(0), session, NOW_MS, arrival);
    end(fixture, 0, &record).await;
    record
}

async fn recall(fixture: &BacklogFixture, tenant: TenantId, caller: usize) -> Recollection {
    let read = fixture
        .memory
        .recall(tenant, &query(&number(caller), NOW_MS), ample())
        .await;
    read.expect("a healthy memory recalls")
}

fn is_call(claim: &Claim) -> bool {
    matches!(claim.subject, Subject::Call { .. })
}

/// MUST 3 and 4: a committed call is claimed with its transcript, once, and its settled summary takes the place of the
/// rules' one; then its caller is claimed with the calls and the facts as they are.
pub async fn a_call_and_then_its_caller_are_rewritten(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    assert_eq!(claim(backlog, NOW_MS).await, None, "nothing lacks a rewrite");
    let mut record = record(&number(0), "one", NOW_MS, 1);
    record.facts = vec![
        said(FactKey::City, "Faro", NOW_MS - 2),
        said(FactKey::City, "Porto", NOW_MS - 1),
    ];
    end(fixture, 0, &record).await;
    let tenant = fixture.tenants[0];

    let call = claim(backlog, NOW_MS).await.expect("the call lacks a rewrite");
    assert_eq!(
        (call.tenant, call.attempt, call.leased_until_ms),
        (tenant, 1, NOW_MS + LEASE_MS)
    );
    let shown = recall(fixture, tenant, 0).await;
    let Subject::Call { call: id, transcript } = &call.subject else {
        panic!("a call comes before its caller: {:?}", call.subject);
    };
    assert_eq!(
        (*id, transcript),
        (shown.recent_calls[0].call_id, &record.call.transcript)
    );
    assert_eq!(
        shown.recent_calls[0].summary, record.summary,
        "a claim changes nothing that is shown"
    );
    assert_eq!(claim(backlog, NOW_MS).await, None, "the caller waits for the call");

    assert!(settle(backlog, &call, Some("Caller asked well."), NOW_MS + 5).await);
    let shown = recall(fixture, tenant, 0).await;
    assert_eq!(shown.recent_calls[0].summary, "Caller asked well.");
    assert_eq!(
        shown.memory_changed_ms,
        Some(NOW_MS),
        "a rewrite is no change of the memory"
    );
    assert_eq!(
        claim(backlog, NOW_MS + 4).await,
        None,
        "the caller is due from the settlement on"
    );

    let caller = claim(backlog, NOW_MS + 5).await.expect("the caller lacks a rewrite");
    let Subject::Caller {
        total_calls,
        recent_calls,
        facts,
        ..
    } = &caller.subject
    else {
        panic!("the call is settled: {:?}", caller.subject);
    };
    assert_eq!((*total_calls, recent_calls), (1, &shown.recent_calls));
    assert_eq!(facts.len(), 1, "those that stand");
    assert_eq!(facts, &shown.facts);
    assert_eq!(recall(fixture, tenant, 0).await.summary, None);
    assert!(settle(backlog, &caller, Some("Caller called once."), NOW_MS + 6).await);
    assert_eq!(
        recall(fixture, tenant, 0).await.summary.as_deref(),
        Some("Caller called once.")
    );
    assert_eq!(
        claim(backlog, NOW_MS + LEASE_MS * 2).await,
        None,
        "nothing is lacking any more"
    );
}

/// MUST 4: the facts of a rewrite join those of the rules, with their evidence, and supersede none of the same call; a
/// correction takes them away.
pub async fn facts_of_a_rewrite_join_those_of_the_rules(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    let fact = |key, value: &str| Fact {
        key,
        value: value.to_owned(),
        quote: "calling about one".to_owned(),
        turn: 1,
        terms: None,
    };
    let mut record = record(&number(0), "one", NOW_MS, 1);
    record.facts = vec![SaidFact {
        fact: fact(FactKey::City, "Austin"),
        said_at_ms: NOW_MS - 58_750,
        order_ms: NOW_MS,
    }];
    end(fixture, 0, &record).await;
    let call = claim(backlog, NOW_MS).await.expect("work");
    let rewrite = Rewrite {
        summary: "Caller asked well.".to_owned(),
        facts: vec![fact(FactKey::City, "Boston"), fact(FactKey::Name, "Maren")],
    };
    let settled = backlog.settle(&call, Some(rewrite), NOW_MS, ample()).await;
    assert!(settled.expect("a healthy backlog settles"));
    let tenant = fixture.tenants[0];
    let shown = recall(fixture, tenant, 0).await;
    let mut known: Vec<_> = shown.facts.iter().map(|fact| (fact.key, fact.value.as_str())).collect();
    known.sort_unstable();
    assert_eq!(known, [(FactKey::Name, "Maren"), (FactKey::City, "Austin")]);
    let name = shown
        .facts
        .iter()
        .find(|fact| fact.key == FactKey::Name)
        .expect("the name");
    assert_eq!(
        (name.quote.as_str(), name.call_id),
        ("calling about one", Some(shown.recent_calls[0].call_id))
    );
    assert_eq!(name.said_at_ms, NOW_MS - 60_000 + 1_250, "when the turn was said");
    assert_eq!(shown.caller.name.as_deref(), Some("Maren"));

    record.call.duration_s += 1.0;
    record.facts.clear();
    end(fixture, 0, &record).await;
    assert!(recall(fixture, tenant, 0).await.facts.is_empty());
}

/// MUST 4: a call without a rewrite to keep is no longer lacking, and keeps the text that the rules made; so does a
/// caller.
pub async fn nothing_to_keep_leaves_the_text_of_the_rules(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    let record = end_one(fixture, "one", 1).await;
    for _ in 0..2 {
        let claimed = claim(backlog, NOW_MS).await.expect("work");
        assert!(settle(backlog, &claimed, None, NOW_MS).await);
    }
    assert_eq!(claim(backlog, NOW_MS + LEASE_MS * 2).await, None);
    let shown = recall(fixture, fixture.tenants[0], 0).await;
    assert_eq!(
        (shown.recent_calls[0].summary.as_str(), shown.summary),
        (record.summary.as_str(), None)
    );
}

/// MUST 4: a caller's rewrite is shown until the memory changes, and again when it was made anew.
pub async fn a_callers_rewrite_is_shown_while_the_memory_stands(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    end_one(fixture, "one", 1).await;
    for summary in ["Caller asked.", "Caller called once."] {
        let claimed = claim(backlog, NOW_MS).await.expect("work");
        assert!(settle(backlog, &claimed, Some(summary), NOW_MS).await);
    }
    let tenant = fixture.tenants[0];
    assert!(recall(fixture, tenant, 0).await.summary.is_some());
    end(fixture, 0, &record(&number(0), "two", NOW_MS + 10, 2)).await;
    assert_eq!(recall(fixture, tenant, 0).await.summary, None, "the memory changed");
    for summary in ["Caller asked again.", "Caller called twice."] {
        let claimed = claim(backlog, NOW_MS + 10).await.expect("work");
        assert!(settle(backlog, &claimed, Some(summary), NOW_MS + 10).await);
    }
    assert_eq!(
        recall(fixture, tenant, 0).await.summary.as_deref(),
        Some("Caller called twice.")
    );
}

/// MUST 5: the memory of a claimed caller changes before the rewrite is settled.
pub async fn a_change_of_the_memory_overtakes_a_callers_rewrite(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    end_one(fixture, "one", 1).await;
    let call = claim(backlog, NOW_MS).await.expect("work");
    assert!(settle(backlog, &call, None, NOW_MS).await);
    let caller = claim(backlog, NOW_MS).await.expect("work");
    assert!(!is_call(&caller));
    end(fixture, 0, &record(&number(0), "two", NOW_MS + 10, 2)).await;
    assert!(!settle(backlog, &caller, Some("Caller called once."), NOW_MS + 11).await);
    assert_eq!(recall(fixture, fixture.tenants[0], 0).await.summary, None);
}

/// MUST 5 and 6: a correction that comes while a call is claimed wins, and lacks a rewrite at once, with every attempt.
pub async fn a_correction_overtakes_a_rewrite(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    end_one(fixture, "one", 1).await;
    let early = claim(backlog, NOW_MS).await.expect("work");
    let mut corrected = record(&number(0), "one", NOW_MS + 10, 2);
    corrected.call.transcript[1].text = "I am calling about something else.".into();
    corrected.summary = "Caller asked about something else.".into();
    end(fixture, 0, &corrected).await;

    assert!(!settle(backlog, &early, Some("Caller asked about one."), NOW_MS + 11).await);
    put_back(backlog, &early, NOW_MS + LEASE_MS * 9, true).await;
    let tenant = fixture.tenants[0];
    assert_eq!(
        recall(fixture, tenant, 0).await.recent_calls[0].summary,
        corrected.summary
    );
    let late = claim(backlog, NOW_MS + 10)
        .await
        .expect("the correction lacks a rewrite");
    let Subject::Call { transcript, .. } = &late.subject else {
        panic!("the call was not settled: {:?}", late.subject);
    };
    assert_eq!((transcript, late.attempt), (&corrected.call.transcript, 1));
    assert!(settle(backlog, &late, Some("Caller asked better."), NOW_MS + 12).await);

    end(fixture, 0, &corrected).await;
    let shown = recall(fixture, tenant, 0).await;
    assert_eq!(
        shown.recent_calls[0].summary, "Caller asked better.",
        "a repeat is no correction"
    );
}

/// MUST 6: a call that moves to another number leaves a caller behind who lacks a rewrite.
pub async fn a_correction_of_the_number_makes_both_callers_lack(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    end_one(fixture, "stays", 1).await;
    end_one(fixture, "moves", 2).await;
    while let Some(claimed) = claim(backlog, NOW_MS).await {
        assert!(settle(backlog, &claimed, Some("Caller asked."), NOW_MS).await);
    }
    end(fixture, 0, &record(&number(1), "moves", NOW_MS + 10, 3)).await;
    let mut totals = Vec::new();
    while let Some(claimed) = claim(backlog, NOW_MS + 10).await {
        if let Subject::Caller {
            total_calls,
            recent_calls,
            ..
        } = &claimed.subject
        {
            assert_eq!(*total_calls, recent_calls.len() as u64);
            totals.push((*total_calls, recent_calls[0].summary.clone()));
        }
        assert!(settle(backlog, &claimed, Some("Caller asked more."), NOW_MS + 10).await);
    }
    totals.sort();
    let one = |summary: &str| (1, summary.to_owned());
    assert_eq!(totals, [one("Caller asked more."), one("Caller asked.")]);
}

/// MUST 2 and 5: when the lease has ended somebody else may claim, and the first one's result no longer counts.
pub async fn a_lease_ends(fixture: &BacklogFixture) {
    let (backlog, other) = (&*fixture.backlog, &*fixture.other_process);
    end_one(fixture, "one", 1).await;
    let first = claim(backlog, NOW_MS).await.expect("work");
    assert_eq!(claim(other, NOW_MS + LEASE_MS - 1).await, None);
    let second = claim(other, NOW_MS + LEASE_MS).await.expect("the lease has ended");
    assert_eq!((second.attempt, &second.subject), (2, &first.subject));
    assert!(!settle(backlog, &first, Some("Caller was first."), NOW_MS + LEASE_MS).await);
    assert!(settle(other, &second, Some("Caller was second."), NOW_MS + LEASE_MS).await);
    assert!(!settle(other, &second, Some("Caller was third."), NOW_MS + LEASE_MS).await);
    let shown = recall(fixture, fixture.tenants[0], 0).await;
    assert_eq!(shown.recent_calls[0].summary, "Caller was second.");
}

/// MUST 2: two processes that claim at the same time share the work: each piece is claimed once and none is left.
pub async fn processes_share_the_work(fixture: &BacklogFixture) {
    const CALLS: usize = 24;
    for i in 0..CALLS {
        end(fixture, i % 2, &record(&number(i), &format!("call {i}"), NOW_MS, 1)).await;
    }
    let workers = (0..6).map(|i| {
        let backlog = Arc::clone(if i % 2 == 0 {
            &fixture.backlog
        } else {
            &fixture.other_process
        });
        async move {
            let mut claimed = Vec::new();
            let mut idle = 0;
            // A claim may miss what another transaction holds at that moment.
            while idle < 3 {
                match claim(&*backlog, NOW_MS).await {
                    Some(work) => claimed.push(work),
                    None => idle += 1,
                }
            }
            claimed
        }
    });
    let claimed: Vec<Claim> = at_once(workers).await.into_iter().flatten().collect();
    let calls: HashSet<_> = claimed
        .iter()
        .map(|work| match &work.subject {
            Subject::Call { call, .. } => (work.tenant, *call),
            Subject::Caller { .. } => panic!("no call is settled"),
        })
        .collect();
    assert_eq!((claimed.len(), calls.len()), (CALLS, CALLS));
}

/// MUST 3: what has been due for longest comes first, and only what is due, young enough and has attempts left.
pub async fn only_work_that_is_worth_it_is_claimed(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    for (i, (session, age_ms)) in [("new", 0), ("old", WORTH_MS), ("older", WORTH_MS + 1), ("coming", -1)]
        .into_iter()
        .enumerate()
    {
        end(fixture, 0, &record(&number(i), session, NOW_MS - age_ms, 1)).await;
    }
    for session in ["old", "new"] {
        let claimed = claim(backlog, NOW_MS).await.expect("work");
        let Subject::Call { transcript, .. } = &claimed.subject else {
            panic!("no call is settled")
        };
        assert!(transcript[1].text.contains(&format!("{session}.")), "{session} is next");
    }
    assert_eq!(claim(backlog, NOW_MS).await, None);

    end(fixture, 1, &record(&number(9), "tried", NOW_MS, 1)).await;
    for attempt in 1..=ATTEMPTS {
        let claimed = claim(backlog, NOW_MS).await.expect("an attempt is left");
        assert_eq!(claimed.attempt, attempt);
        put_back(backlog, &claimed, NOW_MS, true).await;
    }
    assert_eq!(claim(backlog, NOW_MS).await, None, "every attempt is used up");
}

/// MUST 8: what is put back is claimed when it is due and not earlier; an attempt that does not count is given back.
pub async fn what_is_put_back_waits(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    end_one(fixture, "one", 1).await;
    for _ in 0..2 {
        let call = claim(backlog, NOW_MS).await.expect("work");
        assert_eq!(call.attempt, 1);
        put_back(backlog, &call, NOW_MS, false).await;
    }
    let call = claim(backlog, NOW_MS).await.expect("work");
    put_back(backlog, &call, NOW_MS + 1_000, true).await;
    assert_eq!(claim(backlog, NOW_MS + 999).await, None);
    let call = claim(backlog, NOW_MS + 1_000).await.expect("it is due");
    assert_eq!(call.attempt, 2);
    assert!(settle(backlog, &call, None, NOW_MS + 1_000).await);
    let caller = claim(backlog, NOW_MS + 1_000).await.expect("work");
    put_back(backlog, &caller, NOW_MS + 2_000, true).await;
    assert_eq!(claim(backlog, NOW_MS + 1_999).await, None);
    let again = claim(backlog, NOW_MS + 2_000).await.expect("it is due");
    assert_eq!((again.attempt, again.subject), (2, caller.subject));
}

/// MUST 7: the cap of a tenant and a day is reached and not passed, also by simultaneous reservations of two processes.
pub async fn a_cap_is_reached_and_not_passed(fixture: &BacklogFixture) {
    let reserve = |backlog: &Arc<dyn SummaryBacklog>, tenant: usize, day: Day, cap: u32| {
        let (backlog, tenant) = (Arc::clone(backlog), fixture.tenants[tenant]);
        async move { reserve(&*backlog, tenant, day, new_request(), cap).await }
    };
    let requests = (0..20).map(|i| {
        let backlog = if i % 2 == 0 {
            &fixture.backlog
        } else {
            &fixture.other_process
        };
        reserve(backlog, 0, TODAY, 7)
    });
    let let_through = at_once(requests).await.into_iter().filter(|through| *through).count();
    assert_eq!(let_through, 7);
    let backlog = &fixture.backlog;
    assert!(!reserve(backlog, 0, TODAY, 7).await);
    assert!(
        reserve(backlog, 0, TODAY, 8).await,
        "the cap is what it is at the moment"
    );
    assert!(!reserve(backlog, 0, TODAY, 0).await);
    assert!(
        reserve(backlog, 0, Day(TODAY.0 + 1), 1).await,
        "a day has a count of its own"
    );
    assert!(reserve(backlog, 1, TODAY, 1).await, "so has a tenant");
    assert!(
        !reserve(backlog, 1, Day(TODAY.0 + 1), 0).await,
        "a cap of nothing forbids the first"
    );
}

/// MUST 9: a request that asks again is let through again and counted once, whoever it asks, also at the same time and
/// when the cap is reached; another tenant's request of the same name is another one.
pub async fn a_request_that_asks_again_is_counted_once(fixture: &BacklogFixture) {
    let [one, two] = fixture.tenants;
    let (backlog, other) = (&*fixture.backlog, &*fixture.other_process);
    let (first, second, third) = (new_request(), new_request(), new_request());
    let asking = (0..10).map(|i| {
        let backlog = Arc::clone(if i % 2 == 0 {
            &fixture.backlog
        } else {
            &fixture.other_process
        });
        async move { reserve(&*backlog, one, TODAY, first, 2).await }
    });
    assert!(at_once(asking).await.into_iter().all(|through| through));
    assert!(
        reserve(other, one, TODAY, second, 2).await,
        "the first was counted once"
    );
    assert!(!reserve(backlog, one, TODAY, third, 2).await, "both were counted");
    for request in [first, second] {
        assert!(
            reserve(backlog, one, TODAY, request, 0).await,
            "it was let through before"
        );
    }
    assert!(
        !reserve(backlog, one, TODAY, third, 2).await,
        "what is refused is not let through by asking again"
    );
    assert!(reserve(backlog, one, TODAY, third, 3).await, "it was not counted");
    assert!(!reserve(backlog, two, TODAY, first, 0).await, "it is another tenant's");

    let tomorrow = Day(TODAY.0 + 1);
    assert!(reserve(backlog, one, tomorrow, new_request(), 1).await);
    assert!(
        reserve(backlog, one, TODAY, first, 0).await,
        "a request of the day before is still known"
    );
    assert!(!reserve(backlog, one, tomorrow, new_request(), 1).await);
}

/// MUST 5: a claim under another tenant's name changes nothing of another's.
pub async fn a_claim_is_of_one_tenant(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    let record = end_one(fixture, "one", 1).await;
    let call = claim(backlog, NOW_MS).await.expect("work");
    let stolen = Claim {
        tenant: fixture.tenants[1],
        ..call.clone()
    };
    assert!(!settle(backlog, &stolen, Some("Caller was stolen."), NOW_MS).await);
    put_back(backlog, &stolen, NOW_MS, true).await;
    assert_eq!(claim(backlog, NOW_MS).await, None, "the claim stands");
    let shown = recall(fixture, fixture.tenants[0], 0).await;
    assert_eq!(shown.recent_calls[0].summary, record.summary);
    assert!(settle(backlog, &call, None, NOW_MS).await);
}

/// MUST 4: sessions, transcripts and summaries survive whatever text they hold.
pub async fn any_text_is_kept(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    let mut record = record(&number(0), "one", NOW_MS, 1);
    record.call.session_id = SessionId("\u{202e}'; -- \"".to_owned());
    record.call.transcript[1].text = "\u{0}' \" \\ \u{1f4de}".into();
    end(fixture, 0, &record).await;
    let call = claim(backlog, NOW_MS).await.expect("work");
    assert!(matches!(&call.subject, Subject::Call { transcript, .. } if *transcript == record.call.transcript));
    let summary = "Caller said: \"it's 5 o'clock \\ \u{1f4de}\".";
    assert!(settle(backlog, &call, Some(summary), NOW_MS).await);
    assert_eq!(
        recall(fixture, fixture.tenants[0], 0).await.recent_calls[0].summary,
        summary
    );
}

/// MUST 1: with a passed deadline every method is unavailable at once, and has done nothing.
pub async fn a_passed_deadline_is_unavailable(fixture: &BacklogFixture) {
    let backlog = &*fixture.backlog;
    end_one(fixture, "one", 1).await;
    let late = promptly("claim", backlog.claim(NOW_MS, NOW_MS + LEASE_MS, passed())).await;
    assert!(is_unavailable(&late));
    let call = claim(backlog, NOW_MS).await.expect("nothing was claimed");
    assert_eq!(call.attempt, 1);
    assert!(is_unavailable(
        &promptly("settle", backlog.settle(&call, None, NOW_MS, passed())).await
    ));
    let late = promptly("put_back", backlog.put_back(&call, NOW_MS, true, passed())).await;
    assert!(is_unavailable(&late));
    let late = promptly(
        "reserve",
        backlog.reserve(call.tenant, TODAY, new_request(), 1, passed()),
    )
    .await;
    assert!(is_unavailable(&late));
    assert!(
        reserve(backlog, call.tenant, TODAY, new_request(), 1).await,
        "nothing was counted"
    );
    assert!(settle(backlog, &call, None, NOW_MS).await, "the claim stands");
}

/// MUST 1: a method returns by its deadline.
pub async fn methods_return_by_the_deadline(fixture: &BacklogFixture) {
    end_one(fixture, "one", 1).await;
    for time in [Duration::ZERO, Duration::from_millis(1), Duration::from_millis(20)] {
        let began = Instant::now();
        // Whether it was quick enough does not matter here.
        let _ = fixture.backlog.claim(NOW_MS, NOW_MS + LEASE_MS, within(time)).await;
        assert!(began.elapsed() <= time + GRACE);
    }
}

/// Expands to the contract suite of [`SummaryBacklog`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`BacklogFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! summary_backlog_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, summary_backlog:
            a_call_and_then_its_caller_are_rewritten,
            facts_of_a_rewrite_join_those_of_the_rules,
            nothing_to_keep_leaves_the_text_of_the_rules,
            a_callers_rewrite_is_shown_while_the_memory_stands,
            a_change_of_the_memory_overtakes_a_callers_rewrite,
            a_correction_overtakes_a_rewrite,
            a_correction_of_the_number_makes_both_callers_lack,
            a_lease_ends,
            processes_share_the_work,
            only_work_that_is_worth_it_is_claimed,
            what_is_put_back_waits,
            a_cap_is_reached_and_not_passed,
            a_request_that_asks_again_is_counted_once,
            a_claim_is_of_one_tenant,
            any_text_is_kept,
            a_passed_deadline_is_unavailable,
            methods_return_by_the_deadline,
        }
    };
}
