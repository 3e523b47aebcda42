//! The clauses of [`OldCalls`](domain::port::OldCalls).

use std::time::{Duration, Instant};

use domain::{
    access::SettingsChange,
    call::CallId,
    caller::Change,
    facts::{Fact, FactKey, SaidFact},
    memory::{Arrival, CallRecord, Recollection, Wish},
    port::{OldCall, Settled, SummaryBacklog},
    rewrite::Rewrite,
    themes::Themes,
    time_zone::TimeZone,
};

use super::{GRACE, OldCallsFixture, at_once, is_unavailable, promptly};
use crate::{
    eventually,
    sample::{NOW_MS, ample, number, passed, query, query_in, record, said, within},
};

/// Ends a call as rules before the present ones read it.
async fn end(fixture: &OldCallsFixture, tenant: usize, record: &CallRecord) {
    let tenant = fixture.tenants[tenant].0;
    let record = CallRecord {
        rules: 0,
        ..record.clone()
    };
    let written = fixture.memory.record_end(tenant, &record, ample()).await;
    written.expect("a healthy memory commits");
}

/// Ends a call of the first number in the first tenant.
async fn end_one(fixture: &OldCallsFixture, session: &str, arrival: i64) -> CallRecord {
    let record = record(&number(0), session, NOW_MS + arrival, arrival);
    end(fixture, 0, &record).await;
    record
}

async fn outdated(fixture: &OldCallsFixture) -> Vec<OldCall> {
    let read = fixture.old_calls.outdated(100, ample()).await;
    read.expect("a healthy store reads")
}

/// The one call that is out of date.
async fn the_outdated(fixture: &OldCallsFixture) -> OldCall {
    let mut calls = outdated(fixture).await;
    assert_eq!(calls.len(), 1);
    calls.remove(0)
}

async fn settle(fixture: &OldCallsFixture, call: &OldCall, reading: Option<&CallRecord>) -> Settled {
    let settled = fixture.old_calls.settle(call, reading, ample()).await;
    settled.expect("a healthy store settles")
}

async fn recall(fixture: &OldCallsFixture, caller: usize) -> Recollection {
    let tenant = fixture.tenants[0].0;
    let query = query(&number(caller), NOW_MS);
    let read = fixture.memory.recall(tenant, &query, ample()).await;
    read.expect("a healthy memory recalls")
}

fn session(call: &OldCall) -> &str {
    let report = call.report.as_ref().expect("a report that can be decoded");
    &report.call.session_id.0
}

fn values(read: &Recollection) -> Vec<&str> {
    read.facts.iter().map(|fact| fact.value.as_str()).collect()
}

/// What the present rules make of `record`.
fn reading(record: &CallRecord, summary: &str, facts: Vec<SaidFact>) -> CallRecord {
    CallRecord {
        summary: summary.to_owned(),
        facts,
        ..record.clone()
    }
}

/// MUST 2: calls of every tenant that other rules have read are found, with their reports; those that the present rules
/// have read are not.
pub async fn outdated_calls_are_found_with_their_reports(fixture: &OldCallsFixture) {
    assert_eq!(outdated(fixture).await, []);
    let first = end_one(fixture, "first", 1).await;
    let second = record(&number(1), "second \u{1f44b}", NOW_MS, 2);
    end(fixture, 1, &second).await;
    let current = record(&number(2), "current", NOW_MS, 3);
    let written = fixture.memory.record_end(fixture.tenants[0].0, &current, ample()).await;
    written.expect("a healthy memory commits");

    let mut found = outdated(fixture).await;
    found.sort_by_key(|call| call.tenant != fixture.tenants[0].0);
    let expected = [(&fixture.tenants[0].0, &first), (&fixture.tenants[1].0, &second)];
    assert_eq!(found.len(), 2);
    for (call, (tenant, record)) in found.iter().zip(expected) {
        let report = call.report.as_ref().expect("a report that can be decoded");
        assert_eq!((&call.tenant, &report.call), (tenant, &record.call));
        assert_eq!(
            (report.received_at_ms, report.arrival),
            (record.received_at_ms, record.arrival)
        );
        assert_eq!(report.time_zone, TimeZone::default());
    }
    assert_eq!(found[0].call, recall(fixture, 0).await.recent_calls[0].call_id);
    let limited = fixture.old_calls.outdated(1, ample()).await;
    assert_eq!(limited.expect("a healthy store reads").len(), 1);
}

/// MUST 2: a report comes with the time zone that its tenant has now.
pub async fn a_report_comes_with_the_tenants_time_zone(fixture: &OldCallsFixture) {
    end_one(fixture, "one", 1).await;
    let lima: TimeZone = "America/Lima".parse().expect("a time zone");
    let change = SettingsChange {
        time_zone: Change::Set(lima),
        ..SettingsChange::default()
    };
    let changed = fixture
        .access
        .change_tenant(&fixture.tenants[0].1, &change, ample())
        .await;
    changed.expect("the tenant exists");
    let report = the_outdated(fixture)
        .await
        .report
        .expect("a report that can be decoded");
    assert_eq!(report.time_zone, lima);
}

/// Calls follow one another in the order of their ids, of one tenant or of all, whatever rules have read them.
pub async fn calls_follow_one_another(fixture: &OldCallsFixture) {
    for i in 0..4_i64 {
        let number = number(usize::from(i % 2 == 0));
        end(fixture, 0, &record(&number, &format!("call {i}"), NOW_MS, i)).await;
    }
    end(fixture, 1, &record(&number(0), "of another", NOW_MS, 9)).await;
    let current = record(&number(2), "current", NOW_MS, 10);
    let written = fixture.memory.record_end(fixture.tenants[0].0, &current, ample()).await;
    written.expect("a healthy memory commits");

    let mut of_one: Vec<String> = Vec::new();
    let mut of_all = 0;
    for tenant in [Some(fixture.tenants[0].0), None] {
        let mut after: Option<CallId> = None;
        loop {
            let page = fixture.old_calls.following(tenant, after, 2, ample()).await;
            let page = page.expect("a healthy store reads");
            assert!(page.len() <= 2);
            assert!(page.iter().all(|call| after.is_none_or(|after| call.call > after)));
            assert!(page.is_sorted_by_key(|call| call.call));
            assert!(
                page.iter()
                    .all(|call| tenant.is_none_or(|tenant| call.tenant == tenant))
            );
            let Some(last) = page.last() else { break };
            after = Some(last.call);
            if tenant.is_some() {
                of_one.extend(page.iter().map(|call| session(call).to_owned()));
            } else {
                of_all += page.len();
            }
        }
    }
    of_one.sort();
    assert_eq!(of_one, ["call 0", "call 1", "call 2", "call 3", "current"]);
    assert_eq!(of_all, 6);
}

/// MUST 3, 4 and 9: the summary, the facts and the themes of the reading take the place of the former ones, under the
/// same call, and nothing else changes.
pub async fn a_reading_takes_the_place_of_the_former_one(fixture: &OldCallsFixture) {
    let caller = number(0);
    let mut old = record(&caller, "one", NOW_MS, 1);
    old.facts = vec![
        said(FactKey::City, "Please", NOW_MS - 4),
        said(FactKey::Name, "Maren", NOW_MS - 3),
    ];
    old.themes = Themes::stored("2 find\n".to_owned());
    end(fixture, 0, &old).await;
    let before = recall(fixture, 0).await;
    let call = the_outdated(fixture).await;
    let mut now = reading(
        &old,
        "Caller asked well.",
        vec![
            said(FactKey::Name, "Maren Okafor", NOW_MS - 3),
            said(FactKey::Email, "maren@example.com", NOW_MS - 2),
        ],
    );
    now.themes = Themes::stored("3 orchard\n".to_owned());
    assert_eq!(settle(fixture, &call, Some(&now)).await, Settled::Changed);
    let after = recall(fixture, 0).await;
    assert_eq!(after.themes.words().collect::<Vec<_>>(), ["orchard"]);
    assert_eq!(values(&after), ["maren@example.com", "Maren Okafor"]);
    assert!(
        after
            .facts
            .iter()
            .all(|fact| fact.call_id == Some(call.call) && fact.observed_at_ms == NOW_MS)
    );
    assert_eq!(after.caller.name.as_deref(), Some("Maren Okafor"));
    let mut shown = before.recent_calls.clone();
    "Caller asked well.".clone_into(&mut shown[0].summary);
    assert_eq!(after.recent_calls, shown);
    assert_eq!(
        (
            after.caller.total_calls,
            after.caller.first_seen_ms,
            after.memory_changed_ms
        ),
        (
            before.caller.total_calls,
            before.caller.first_seen_ms,
            before.memory_changed_ms
        )
    );
    let kept = fixture
        .memory
        .transcript(fixture.tenants[0].0, call.call, ample())
        .await;
    assert_eq!(kept.expect("a healthy memory reads"), Some(old.call.transcript.clone()));
    assert_eq!(outdated(fixture).await, [], "it was read by the present rules");

    // The same report again changes nothing, as before, and an older one of the same process is still an older one.
    let repeat = CallRecord {
        arrival: Arrival(2),
        ..old.clone()
    };
    end(fixture, 0, &repeat).await;
    assert_eq!(values(&recall(fixture, 0).await), ["maren@example.com", "Maren Okafor"]);
}

/// MUST 3: what was said in a call that is read again is as old as it was, so that what was said later still stands;
/// what the former reading had superseded stands again.
pub async fn what_was_said_keeps_its_time(fixture: &OldCallsFixture) {
    let mut first = record(&number(0), "first", NOW_MS, 1);
    first.facts = vec![said(FactKey::City, "Faro", NOW_MS - 1_000)];
    let mut second = record(&number(0), "second", NOW_MS + 1, 2);
    second.facts = vec![said(FactKey::City, "Find", NOW_MS - 500)];
    for old in [&first, &second] {
        end(fixture, 0, old).await;
    }
    assert_eq!(values(&recall(fixture, 0).await), ["Find"]);
    let mut calls = outdated(fixture).await;
    calls.sort_by_key(|call| session(call).to_owned());
    // The second call tells no city, and the first one a name besides.
    let now = reading(&second, &second.summary, Vec::new());
    assert_eq!(settle(fixture, &calls[1], Some(&now)).await, Settled::Changed);
    assert_eq!(values(&recall(fixture, 0).await), ["Faro"]);
    let mut third = record(&number(0), "third", NOW_MS + 2, 3);
    third.facts = vec![said(FactKey::Name, "Ana Ruiz", NOW_MS)];
    end(fixture, 0, &third).await;
    let facts = vec![
        said(FactKey::City, "Porto", NOW_MS - 1_000),
        said(FactKey::Name, "Maren", NOW_MS - 900),
    ];
    let now = reading(&first, &first.summary, facts);
    assert_eq!(settle(fixture, &calls[0], Some(&now)).await, Settled::Changed);
    assert_eq!(values(&recall(fixture, 0).await), ["Ana Ruiz", "Porto"]);
}

/// MUST 3: the times of the facts count from the start that a recall gave, and the call keeps it.
pub async fn a_call_that_is_read_again_keeps_its_start(fixture: &OldCallsFixture) {
    let (tenant, caller) = (fixture.tenants[0].0, number(0));
    let begun_ms = NOW_MS - 90_000;
    let asked = fixture
        .memory
        .recall(tenant, &query_in(&caller, begun_ms, "one"), ample())
        .await;
    asked.expect("a healthy memory recalls");
    // The second turn comes 1,250 ms after the start of the call.
    let city = |value: &str| SaidFact {
        order_ms: NOW_MS,
        ..said(FactKey::City, value, NOW_MS - 60_000 + 1_250)
    };
    let mut old = record(&caller, "one", NOW_MS, 1);
    old.facts = vec![city("Find")];
    end(fixture, 0, &old).await;
    eventually("the start is noted", async || {
        let read = recall(fixture, 0).await;
        (read.recent_calls[0].started_at_ms == begun_ms).then_some(())
    })
    .await;
    let now = reading(&old, &old.summary, vec![city("Faro")]);
    assert_eq!(
        settle(fixture, &the_outdated(fixture).await, Some(&now)).await,
        Settled::Changed
    );
    let read = recall(fixture, 0).await;
    assert_eq!(
        (values(&read), read.facts[0].said_at_ms),
        (vec!["Faro"], begun_ms + 1_250)
    );
    assert_eq!(read.recent_calls[0].started_at_ms, begun_ms);
}

/// MUST 5: a correction that comes while a call is read again wins, also one that returns to the first report.
pub async fn a_correction_overtakes_a_reading(fixture: &OldCallsFixture) {
    let old = end_one(fixture, "one", 1).await;
    let call = the_outdated(fixture).await;
    let mut corrected = record(&number(0), "one", NOW_MS + 10, 2);
    corrected.call.duration_s += 1.0;
    corrected.summary = "Caller asked about something else.".into();
    end(fixture, 0, &corrected).await;
    let stale = reading(&old, "Caller asked badly.", vec![said(FactKey::City, "Faro", NOW_MS)]);
    assert_eq!(settle(fixture, &call, Some(&stale)).await, Settled::Overtaken);
    assert_eq!(settle(fixture, &call, None).await, Settled::Overtaken);
    let back = CallRecord {
        received_at_ms: NOW_MS + 20,
        arrival: Arrival(3),
        ..old.clone()
    };
    end(fixture, 0, &back).await;
    assert_eq!(settle(fixture, &call, Some(&stale)).await, Settled::Overtaken);
    let shown = recall(fixture, 0).await;
    assert_eq!(
        (shown.recent_calls[0].summary.as_str(), values(&shown)),
        (old.summary.as_str(), vec![])
    );
    assert_eq!(outdated(fixture).await.len(), 1, "it waits to be read as it is now");
}

/// MUST 9: rules that make the same of a call change nothing, nor does a call in which there is nothing to read; both
/// are read by the present rules then.
pub async fn the_same_reading_changes_nothing(fixture: &OldCallsFixture) {
    for (session, is_read) in [("one", true), ("two", false)] {
        let mut old = record(&number(0), session, NOW_MS, 1);
        old.facts = vec![
            said(FactKey::City, "Faro", NOW_MS),
            said(FactKey::City, "Porto", NOW_MS),
        ];
        end(fixture, 0, &old).await;
        let before = recall(fixture, 0).await;
        let call = the_outdated(fixture).await;
        assert_eq!(settle(fixture, &call, is_read.then_some(&old)).await, Settled::Same);
        assert_eq!(outdated(fixture).await, []);
        assert_eq!(recall(fixture, 0).await, before);
    }
}

/// Rewrites the one call of the first caller and then the caller; the call also gets `facts`.
async fn rewrite(fixture: &OldCallsFixture, backlog: &dyn SummaryBacklog, facts: Vec<Fact>) {
    for (summary, facts) in [("Caller asked nicely.", facts), ("Caller is nice.", Vec::new())] {
        let claimed = backlog.claim(NOW_MS + 100, NOW_MS + 60_000, ample()).await;
        let claim = claimed.expect("a healthy backlog claims").expect("work");
        let rewrite = Rewrite {
            summary: summary.to_owned(),
            facts,
        };
        let settled = backlog.settle(&claim, Some(rewrite), NOW_MS + 100, ample()).await;
        assert!(settled.expect("a healthy backlog settles"));
    }
    assert_eq!(recall(fixture, 0).await.summary.as_deref(), Some("Caller is nice."));
}

/// MUST 6 and 7: a language model's summary of a call stays, and so do its facts beside those of the reading; its
/// summary of the caller goes when the reading changes anything; neither is asked for again.
pub async fn a_models_words_about_a_call_stay(fixture: &OldCallsFixture) {
    let Some(backlog) = &fixture.backlog else {
        return println!("skipped: there is no backlog of summaries");
    };
    let fact = |key, value: &str| Fact {
        key,
        value: value.to_owned(),
        quote: "calling about one".to_owned(),
        turn: 1,
        terms: None,
    };
    let mut old = record(&number(0), "one", NOW_MS, 1);
    old.facts = vec![said(FactKey::City, "Find", NOW_MS - 9)];
    end(fixture, 0, &old).await;
    let found = vec![fact(FactKey::Name, "Maren"), fact(FactKey::Email, "maren@example.com")];
    rewrite(fixture, &**backlog, found).await;

    // The rules find the e-mail address themselves now, in other words.
    let facts = vec![said(FactKey::Email, "m@example.com", NOW_MS - 8)];
    let now = reading(&old, "Caller asked well.", facts);
    assert_eq!(
        settle(fixture, &the_outdated(fixture).await, Some(&now)).await,
        Settled::Changed
    );
    let read = recall(fixture, 0).await;
    let mut shown = values(&read);
    shown.sort_unstable();
    assert_eq!(shown, ["Maren", "m@example.com"]);
    assert_eq!(read.recent_calls[0].summary, "Caller asked nicely.");
    assert_eq!(read.summary, None, "it was made of other facts");
    let work = backlog.claim(NOW_MS + 200, NOW_MS + 60_000, ample()).await;
    assert_eq!(work.expect("a healthy backlog claims"), None, "nobody pays twice");

    // Once more, it is the same.
    let call = fixture.old_calls.following(None, None, 1, ample()).await;
    let call = call.expect("a healthy store reads").remove(0);
    assert_eq!(settle(fixture, &call, Some(&now)).await, Settled::Same);
}

/// MUST 7: rules that make the same of a call leave what the model wrote about the caller.
pub async fn a_models_words_about_the_caller_stay_while_nothing_changes(fixture: &OldCallsFixture) {
    let Some(backlog) = &fixture.backlog else {
        return println!("skipped: there is no backlog of summaries");
    };
    let old = end_one(fixture, "one", 1).await;
    rewrite(fixture, &**backlog, Vec::new()).await;
    let now = reading(&old, "Caller asked well.", Vec::new());
    assert_eq!(
        settle(fixture, &the_outdated(fixture).await, Some(&now)).await,
        Settled::Same
    );
    assert_eq!(recall(fixture, 0).await.summary.as_deref(), Some("Caller is nice."));
}

/// MUST 6: a call for which the model had nothing keeps the words of the rules, so that these follow the rules.
pub async fn a_call_without_a_models_words_follows_the_rules(fixture: &OldCallsFixture) {
    let Some(backlog) = &fixture.backlog else {
        return println!("skipped: there is no backlog of summaries");
    };
    let old = end_one(fixture, "one", 1).await;
    let claimed = backlog.claim(NOW_MS + 100, NOW_MS + 60_000, ample()).await;
    let claim = claimed.expect("a healthy backlog claims").expect("work");
    let settled = backlog.settle(&claim, None, NOW_MS + 100, ample()).await;
    assert!(settled.expect("a healthy backlog settles"));
    let now = reading(&old, "Caller asked well.", Vec::new());
    assert_eq!(
        settle(fixture, &the_outdated(fixture).await, Some(&now)).await,
        Settled::Changed
    );
    assert_eq!(recall(fixture, 0).await.recent_calls[0].summary, "Caller asked well.");
}

/// MUST 7: a model that writes about the caller while a call is read again writes about what is no more.
pub async fn a_reading_overtakes_a_models_words_about_the_caller(fixture: &OldCallsFixture) {
    let Some(backlog) = &fixture.backlog else {
        return println!("skipped: there is no backlog of summaries");
    };
    let mut old = record(&number(0), "one", NOW_MS, 1);
    old.facts = vec![said(FactKey::City, "Find", NOW_MS)];
    end(fixture, 0, &old).await;
    let mut claims = Vec::new();
    for _ in 0..2 {
        let claimed = backlog.claim(NOW_MS + 100, NOW_MS + 60_000, ample()).await;
        let claim = claimed.expect("a healthy backlog claims").expect("work");
        if claims.is_empty() {
            let settled = backlog.settle(&claim, None, NOW_MS + 100, ample()).await;
            assert!(settled.expect("a healthy backlog settles"));
        }
        claims.push(claim);
    }
    let now = reading(&old, &old.summary, Vec::new());
    assert_eq!(
        settle(fixture, &the_outdated(fixture).await, Some(&now)).await,
        Settled::Changed
    );
    let rewrite = Rewrite {
        summary: "Caller lives in Find.".to_owned(),
        facts: Vec::new(),
    };
    let settled = backlog.settle(&claims[1], Some(rewrite), NOW_MS + 200, ample()).await;
    assert!(
        !settled.expect("a healthy backlog answers"),
        "the memory was read again"
    );
    assert_eq!(recall(fixture, 0).await.summary, None);
}

/// MUST 8: a wish not to be called that is heard only now marks the caller, but not one whom a call marked before and
/// an operator cleared; no mark is taken away.
pub async fn a_wish_not_to_be_called_is_heard_once(fixture: &OldCallsFixture) {
    let wish = || {
        Some(Wish {
            quote: "calling about".to_owned(),
            at_ms: NOW_MS,
        })
    };
    let old = end_one(fixture, "one", 1).await;
    let mut now = reading(&old, &old.summary, Vec::new());
    now.no_more_calls = wish();
    let call = the_outdated(fixture).await;
    assert_eq!(settle(fixture, &call, Some(&now)).await, Settled::Changed);
    let marked = recall(fixture, 0).await.caller.do_not_call;
    assert_eq!(marked.as_ref().and_then(|mark| mark.call_id), Some(call.call));
    now.no_more_calls = None;
    assert_eq!(settle(fixture, &call, Some(&now)).await, Settled::Same);
    assert_eq!(recall(fixture, 0).await.caller.do_not_call, marked, "it stays");
    let Some(callers) = &fixture.callers else {
        return println!("skipped: there is no administration of callers");
    };
    let cleared = callers
        .mark_do_not_call(fixture.tenants[0].0, &number(0), None, ample())
        .await;
    assert_eq!(cleared.expect("a healthy store clears"), marked);
    let second = end_one(fixture, "two", 2).await;
    for old in [&old, &second] {
        let calls = fixture.old_calls.following(None, None, 10, ample()).await;
        let mut calls = calls.expect("a healthy store reads").into_iter();
        let of_session = |call: &OldCall| session(call) == old.call.session_id.0;
        let call = calls.find(of_session).expect("the call is there");
        let mut now = reading(old, &old.summary, Vec::new());
        now.no_more_calls = wish();
        assert_eq!(settle(fixture, &call, Some(&now)).await, Settled::Same);
        assert_eq!(
            recall(fixture, 0).await.caller.do_not_call,
            None,
            "an operator cleared it"
        );
    }
}

/// MUST 3: many processes that read one call again leave one reading of it.
pub async fn simultaneous_readings_leave_one(fixture: &OldCallsFixture) {
    let old = end_one(fixture, "one", 1).await;
    let call = the_outdated(fixture).await;
    let facts = vec![
        said(FactKey::City, "Faro", NOW_MS),
        said(FactKey::Name, "Maren", NOW_MS),
    ];
    let now = reading(&old, "Caller asked well.", facts);
    let settled = at_once((0..8).map(|_| {
        let (old_calls, call, now) = (fixture.old_calls.clone(), call.clone(), now.clone());
        async move { old_calls.settle(&call, Some(&now), ample()).await }
    }))
    .await;
    let changed = settled
        .iter()
        .filter(|settled| matches!(settled, Ok(Settled::Changed)))
        .count();
    assert_eq!(changed, 1, "{settled:?}");
    assert!(settled.iter().all(Result::is_ok), "{settled:?}");
    let read = recall(fixture, 0).await;
    assert_eq!((values(&read), read.caller.total_calls), (vec!["Maren", "Faro"], 1));
}

/// MUST 1: work that begins after its deadline is not done, and fails at once.
pub async fn a_passed_deadline_is_unavailable(fixture: &OldCallsFixture) {
    let old = end_one(fixture, "one", 1).await;
    let call = the_outdated(fixture).await;
    let old_calls = &*fixture.old_calls;
    assert!(is_unavailable(
        &promptly("outdated", old_calls.outdated(1, passed())).await
    ));
    let following = old_calls.following(None, None, 1, passed());
    assert!(is_unavailable(&promptly("following", following).await));
    let settling = old_calls.settle(&call, Some(&old), passed());
    assert!(is_unavailable(&promptly("settle", settling).await));
    assert_eq!(outdated(fixture).await, [call]);
}

/// MUST 1: the methods return by the deadline, however short the time.
pub async fn methods_return_by_the_deadline(fixture: &OldCallsFixture) {
    let old = end_one(fixture, "one", 1).await;
    let call = the_outdated(fixture).await;
    for ms in [1, 5] {
        let time = Duration::from_millis(ms);
        let began = Instant::now();
        // Whether it was quick enough does not matter here.
        let _ = fixture.old_calls.settle(&call, Some(&old), within(time)).await;
        assert!(began.elapsed() <= time + GRACE);
    }
}

/// A call that is not there is overtaken, and none of another tenant is reached.
pub async fn a_call_is_of_one_tenant(fixture: &OldCallsFixture) {
    let old = end_one(fixture, "one", 1).await;
    let call = the_outdated(fixture).await;
    let elsewhere = OldCall {
        tenant: fixture.tenants[1].0,
        ..call.clone()
    };
    let now = reading(&old, "Caller asked well.", Vec::new());
    assert_eq!(settle(fixture, &elsewhere, Some(&now)).await, Settled::Overtaken);
    assert_eq!(recall(fixture, 0).await.recent_calls[0].summary, old.summary);
    assert_eq!(outdated(fixture).await, [call]);
}

/// Expands to the contract suite of [`OldCalls`](domain::port::OldCalls): a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`OldCallsFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! old_calls_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, old_calls:
            outdated_calls_are_found_with_their_reports,
            a_report_comes_with_the_tenants_time_zone,
            calls_follow_one_another,
            a_reading_takes_the_place_of_the_former_one,
            what_was_said_keeps_its_time,
            a_call_that_is_read_again_keeps_its_start,
            a_correction_overtakes_a_reading,
            the_same_reading_changes_nothing,
            a_models_words_about_a_call_stay,
            a_models_words_about_the_caller_stay_while_nothing_changes,
            a_call_without_a_models_words_follows_the_rules,
            a_reading_overtakes_a_models_words_about_the_caller,
            a_wish_not_to_be_called_is_heard_once,
            simultaneous_readings_leave_one,
            a_passed_deadline_is_unavailable,
            methods_return_by_the_deadline,
            a_call_is_of_one_tenant,
        }
    };
}
