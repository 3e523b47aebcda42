//! The clauses of [`CallerMemory`] about facts.

use std::sync::Arc;

use domain::{
    access::TenantId,
    facts::{self, FactKey, KnownFact, SaidFact, Status, Terms},
    identity::{SILENCE_MS, Trace},
    memory::{CallRecord, Wish},
    phone::PhoneNumber,
    port::CallerMemory,
};

use super::{CallerMemoryFixture, at_once};
use crate::{
    eventually,
    sample::{NOW_MS, ample, number, query, query_in, record, said},
};

/// One tenant's view of the memory.
#[derive(Clone)]
struct View {
    memory: Arc<dyn CallerMemory>,
    tenant: TenantId,
}

impl View {
    fn of(fixture: &CallerMemoryFixture, tenant: usize) -> Self {
        Self {
            memory: Arc::clone(&fixture.memory),
            tenant: fixture.tenants[tenant],
        }
    }

    async fn end(&self, record: &CallRecord) {
        let written = self.memory.record_end(self.tenant, record, ample()).await;
        written.expect("a healthy memory records");
    }

    /// Ends a call of `number` in which `facts` were said.
    async fn told(&self, number: &PhoneNumber, session: &str, arrival: i64, facts: Vec<SaidFact>) {
        self.end(&telling(number, session, arrival, facts)).await;
    }

    async fn facts(&self, number: &PhoneNumber) -> Vec<KnownFact> {
        let read = self.memory.recall(self.tenant, &query(number, 0), ample()).await;
        read.expect("a healthy memory recalls").facts
    }

    /// The values that stand, newest first.
    async fn values(&self, number: &PhoneNumber) -> Vec<String> {
        self.facts(number).await.into_iter().map(|fact| fact.value).collect()
    }

    /// What tells who the caller is, as it is read alone; a recall has to show the same.
    async fn trace(&self, number: &PhoneNumber) -> Trace {
        let trace = self.memory.trace(self.tenant, number, ample()).await;
        let trace = trace.expect("a healthy memory reads");
        let read = self.memory.recall(self.tenant, &query(number, 0), ample()).await;
        assert_eq!(read.expect("a healthy memory recalls").trace, trace);
        trace
    }

    /// The stated names, oldest first.
    async fn stated(&self, number: &PhoneNumber) -> Vec<String> {
        let names = self.trace(number).await.names().to_vec();
        names.into_iter().map(|stated| stated.name).collect()
    }

    /// The name as a profile shows it; a recall has to show the same.
    async fn name(&self, number: &PhoneNumber) -> Option<String> {
        let read = self.memory.caller(self.tenant, number, ample()).await;
        let profile = read.expect("a healthy memory reads").expect("the caller exists");
        let read = self.memory.recall(self.tenant, &query(number, 0), ample()).await;
        assert_eq!(read.expect("a healthy memory recalls").caller.name, profile.name);
        profile.name
    }
}

/// A report whose transcript differs with its facts, so that other facts are another report.
fn telling(number: &PhoneNumber, session: &str, arrival: i64, facts: Vec<SaidFact>) -> CallRecord {
    let mut record = record(number, session, NOW_MS + arrival, arrival);
    let quotes: Vec<&str> = facts.iter().map(|said| said.fact.quote.as_str()).collect();
    record.call.transcript[1].text = quotes.join(", ");
    record.facts = facts;
    record
}

/// `recall` MUST 6: a fact is shown with its value, quote, call and times, exactly.
pub async fn a_fact_is_shown_with_its_evidence(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    assert_eq!(view.facts(&number(0)).await, []);
    let values = [
        "\"Zoë\" O'Neill\\ <b>",
        "ana@example.com",
        "5 \u{1f44b} {}[],:$1 'x' %s",
    ];
    let keys = [FactKey::Name, FactKey::Email, FactKey::Reference];
    let facts: Vec<SaidFact> = (0..3)
        .map(|i| {
            said(
                keys[i],
                values[i],
                NOW_MS - 50_000 + i64::try_from(i).unwrap_or_default(),
            )
        })
        .collect();
    view.told(&number(0), "session", 1, facts.clone()).await;
    let read = view.memory.recall(view.tenant, &query(&number(0), 0), ample()).await;
    let read = read.expect("a healthy memory recalls");
    let expected: Vec<KnownFact> = facts
        .into_iter()
        .rev()
        .map(|said| KnownFact {
            key: said.fact.key,
            value: said.fact.value,
            quote: said.fact.quote,
            call_id: Some(read.recent_calls[0].call_id),
            said_at_ms: said.said_at_ms,
            observed_at_ms: NOW_MS + 1,
            terms: said.fact.terms,
        })
        .collect();
    for (shown, expected) in read.facts.iter().zip(&expected) {
        assert_eq!(shown, expected);
        assert_eq!((&shown.value, &shown.quote), (&expected.value, &expected.quote));
    }
    assert_eq!(read.facts.len(), expected.len());
}

/// A report in which the caller asks not to be called any more, in words that differ with `arrival`.
fn wishing(number: &PhoneNumber, session: &str, arrival: i64) -> CallRecord {
    let mut record = telling(number, session, arrival, Vec::new());
    record.call.transcript[1].text = format!("stop calling me, {arrival}");
    record.no_more_calls = Some(Wish {
        quote: format!("stop calling me, {arrival}"),
        at_ms: NOW_MS + arrival,
    });
    record
}

/// `record_end` MUST 11: the first wish not to be called marks the caller until an operator takes the mark away. Later
/// calls and corrections, also those that say nothing of it, leave it as it is.
pub async fn a_wish_not_to_be_called_marks_the_caller(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let shown = async |number: &PhoneNumber| {
        let read = view.memory.recall(view.tenant, &query(number, 0), ample()).await;
        let recalled = read.expect("a healthy memory recalls").caller.do_not_call;
        let read = view.memory.caller(view.tenant, number, ample()).await;
        let profile = read.expect("a healthy memory reads").expect("the caller exists");
        assert_eq!(profile.do_not_call, recalled);
        recalled.map(|mark| (mark.at_ms, mark.quote.unwrap_or_default(), mark.call_id))
    };
    view.end(&telling(&number(0), "calm", 1, Vec::new())).await;
    assert_eq!(shown(&number(0)).await, None);
    view.end(&wishing(&number(0), "one", 2)).await;
    let first = shown(&number(0)).await.expect("a mark");
    assert_eq!((first.0, first.1.as_str()), (NOW_MS + 2, "stop calling me, 2"));
    let read = view.memory.recall(view.tenant, &query(&number(0), 0), ample()).await;
    let newest = read.expect("a healthy memory recalls").recent_calls[0].call_id;
    assert_eq!(first.2, Some(newest));
    for later in [
        wishing(&number(0), "two", 3),
        wishing(&number(0), "one", 4),
        telling(&number(0), "one", 5, Vec::new()),
        telling(&number(0), "three", 6, Vec::new()),
    ] {
        view.end(&later).await;
        assert_eq!(shown(&number(0)).await.as_ref(), Some(&first));
    }
    let moved = wishing(&number(1), "one", 7);
    view.end(&moved).await;
    assert_eq!(shown(&number(1)).await.map(|mark| mark.0), Some(NOW_MS + 7));
    assert_eq!(shown(&number(0)).await, Some(first), "only an operator takes it away");
}

/// An agreement of a call, said at `at_ms` after the start.
fn agreement(value: &str, at_ms: i64, when: Option<&str>, status: Status) -> SaidFact {
    let mut said = said(FactKey::Appointment, value, NOW_MS + at_ms);
    said.fact.terms = Some(Terms {
        when: when.map(str::to_owned),
        status,
    });
    said
}

/// `record_end` MUST 8: the time of a fact counts from the recall that began the call, and a correction's does as well;
/// without a recall it is the report's.
pub async fn a_fact_is_said_after_the_recall_that_began_its_call(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let caller = number(0);
    // The second turn of the transcript comes 1,250 ms after the start of the call, which lasts a minute.
    let report = |session: &str, value: &str, received_at_ms: i64, arrival: i64| {
        let facts = vec![SaidFact {
            order_ms: received_at_ms,
            ..said(FactKey::City, value, received_at_ms - 60_000 + 1_250)
        }];
        CallRecord {
            facts,
            ..record(&caller, session, received_at_ms, arrival)
        }
    };
    view.end(&report("another", "Lisbon", NOW_MS, 1)).await;
    assert_eq!(view.facts(&caller).await[0].said_at_ms, NOW_MS - 58_750);

    let begun_at_ms = NOW_MS + 10_000;
    let query = query_in(&caller, begun_at_ms, "session");
    let read = view.memory.recall(view.tenant, &query, ample()).await;
    read.expect("a healthy memory recalls");
    eventually("the recall is noted", async || {
        let profile = view.memory.caller(view.tenant, &caller, ample()).await;
        let profile = profile.expect("a healthy memory reads").expect("the caller exists");
        (profile.last_seen_ms == begun_at_ms).then_some(())
    })
    .await;
    for (value, arrival) in [("Porto", 2), ("Faro", 3)] {
        let mut report = report("session", value, NOW_MS + 15_000, arrival);
        value.clone_into(&mut report.call.transcript[0].text);
        view.end(&report).await;
        let shown = view.facts(&caller).await;
        assert_eq!(
            (shown[0].value.as_str(), shown[0].said_at_ms),
            (value, begun_at_ms + 1_250),
            "of {shown:?}"
        );
    }
}

/// `recall` MUST 6: an agreement is shown with its day, its hour and how it stands, exactly.
pub async fn an_agreement_is_shown_with_its_terms(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let said = vec![
        agreement("table for two", 1, Some("2026-03-08T16:15"), Status::Agreed),
        agreement("room with a view", 2, Some("2026-03-09"), Status::Requested),
        agreement("sometime", 3, None, Status::Agreed),
    ];
    let expected: Vec<Option<Terms>> = said.iter().rev().map(|said| said.fact.terms.clone()).collect();
    view.told(&number(0), "session", 1, said).await;
    let shown: Vec<Option<Terms>> = view
        .facts(&number(0))
        .await
        .into_iter()
        .map(|fact| fact.terms)
        .collect();
    assert_eq!(shown, expected);
}

/// `recall` MUST 6: what was moved or called off closes an agreement before it, whatever the order in which the
/// calls arrive, and a correction that takes it back lets that stand again.
pub async fn what_is_called_off_closes_the_agreement(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let monday = || vec![agreement("monday", 1, Some("2026-03-09"), Status::Agreed)];
    let friday = || vec![agreement("friday", 2, Some("2026-03-13"), Status::Agreed)];
    let off = |at_ms, when| vec![agreement("off", at_ms, when, Status::Cancelled)];
    view.told(&number(0), "friday", 1, friday()).await;
    view.told(&number(0), "off", 2, off(3, Some("2026-03-09"))).await;
    assert_eq!(view.values(&number(0)).await, ["off", "friday"]);
    // The call in which it was agreed arrives last.
    view.told(&number(0), "monday", 3, monday()).await;
    assert_eq!(view.values(&number(0)).await, ["off", "friday"]);

    view.told(&number(1), "one", 4, monday()).await;
    view.told(&number(1), "two", 5, friday()).await;
    let moved = vec![agreement("tuesday", 4, Some("2026-03-17"), Status::Moved)];
    view.told(&number(1), "three", 6, moved).await;
    assert_eq!(view.values(&number(1)).await, ["tuesday", "monday"]);
    view.told(&number(1), "three", 7, vec![said(FactKey::City, "Lisbon", NOW_MS + 5)])
        .await;
    assert_eq!(view.values(&number(1)).await, ["Lisbon", "friday", "monday"]);
}

/// `recall` MUST 6: an agreement that was called off closes one agreement, once, whatever is said after it.
pub async fn what_was_called_off_closes_nothing_later(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let one = |value: &str, at_ms, status| vec![agreement(value, at_ms, None, status)];
    view.told(&number(0), "first", 1, one("haircut for Ana", 1, Status::Agreed))
        .await;
    view.told(&number(0), "second", 2, one("haircut for Ben", 2, Status::Agreed))
        .await;
    view.told(&number(0), "off", 3, one("haircut", 3, Status::Cancelled))
        .await;
    let left = ["haircut", "haircut for Ana"];
    assert_eq!(view.values(&number(0)).await, left);
    view.told(&number(0), "city", 4, vec![said(FactKey::City, "Lisbon", NOW_MS + 4)])
        .await;
    assert_eq!(view.values(&number(0)).await, ["Lisbon", "haircut", "haircut for Ana"]);
    view.told(&number(0), "table", 5, one("table for two", 5, Status::Agreed))
        .await;
    let left = ["table for two", "Lisbon", "haircut", "haircut for Ana"];
    assert_eq!(view.values(&number(0)).await, left);
    // Another thing is closed by no word about haircuts.
    view.told(&number(0), "off again", 6, one("taxi", 6, Status::Cancelled))
        .await;
    assert_eq!(
        view.values(&number(0)).await,
        ["taxi", "table for two", "Lisbon", "haircut", "haircut for Ana"]
    );
}

/// `record_end` MUST 7: however much was said since, what stands can be called off, and a correction lets it stand
/// again.
pub async fn what_stands_is_called_off_after_a_long_history(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let haircut = vec![agreement("haircut", 1, None, Status::Agreed)];
    view.told(&number(0), "haircut", 1, haircut).await;
    let again = |i: usize| said(FactKey::City, &format!("city {i}"), NOW_MS + 2);
    let long = (0..=facts::LOOK_BACK).map(again).collect();
    view.told(&number(0), "long", 2, long).await;
    let newest = format!("city {}", facts::LOOK_BACK);
    assert_eq!(view.values(&number(0)).await, [newest.as_str(), "haircut"]);
    let off = vec![agreement("haircut", 3, None, Status::Cancelled)];
    view.told(&number(0), "off", 3, off).await;
    let facts = view.facts(&number(0)).await;
    let statuses: Vec<Option<Status>> = facts.iter().map(|fact| Some(fact.terms.as_ref()?.status)).collect();
    assert_eq!(statuses, [Some(Status::Cancelled), None]);
    view.told(&number(0), "long", 4, Vec::new()).await;
    let off = vec![said(FactKey::City, "Lisbon", NOW_MS + 3)];
    view.told(&number(0), "off", 5, off).await;
    assert_eq!(view.values(&number(0)).await, ["Lisbon", "haircut"]);
}

/// `recall` MUST 6: the newest statement of a single key stands, whatever the order in which the calls arrive; each
/// value of the other keys stands, the newest first, and as many as the rule says.
pub async fn what_stands_is_the_newest(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let city = |value: &str, at_ms| vec![said(FactKey::City, value, NOW_MS + at_ms)];
    view.told(&number(0), "second", 1, city("Lisbon", 2)).await;
    view.told(&number(0), "third", 2, city("Porto", 3)).await;
    view.told(&number(0), "first", 3, city("Faro", 1)).await;
    assert_eq!(view.values(&number(0)).await, ["Porto"]);

    let orders = |from: i64, to: i64| {
        let order = |i: i64| said(FactKey::Reference, &format!("order {i}"), NOW_MS + 10 + i);
        (from..to).map(order).collect::<Vec<_>>()
    };
    view.told(&number(1), "orders", 4, orders(0, 5)).await;
    view.told(&number(1), "more orders", 5, orders(5, 10)).await;
    view.told(
        &number(1),
        "said again",
        6,
        vec![said(FactKey::Reference, "order 3", NOW_MS + 99)],
    )
    .await;
    let standing = [
        "order 3", "order 9", "order 8", "order 7", "order 6", "order 5", "order 4", "order 2",
    ];
    assert_eq!(view.values(&number(1)).await, standing);
}

/// `recall` MUST 6: of facts said at one time, the later commit stands, and in one call the later words.
pub async fn facts_of_one_time_are_ordered_by_commit(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let name = |value: &str| said(FactKey::Name, value, NOW_MS);
    view.told(&number(0), "one", 1, vec![name("Ana")]).await;
    view.told(&number(0), "two", 2, vec![name("Anna"), name("Hannah")])
        .await;
    assert_eq!(view.values(&number(0)).await, ["Hannah"]);
    assert_eq!(view.name(&number(0)).await.as_deref(), Some("Hannah"));
}

/// `caller`: the name that stands among the facts is the caller's.
pub async fn a_stated_name_is_the_callers(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    view.told(&number(0), "nameless", 1, vec![said(FactKey::City, "Lisbon", NOW_MS)])
        .await;
    assert_eq!(view.name(&number(0)).await, None);
    view.told(&number(0), "named", 2, vec![said(FactKey::Name, "Ana Ruiz", NOW_MS)])
        .await;
    assert_eq!(view.name(&number(0)).await.as_deref(), Some("Ana Ruiz"));
    view.told(&number(0), "named", 3, Vec::new()).await;
    assert_eq!(view.name(&number(0)).await, None);
}

/// `record_end` MUST 7: a correction takes its call's facts away, and what they had superseded stands again.
pub async fn a_correction_replaces_the_facts(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let email = |value: &str, at_ms| said(FactKey::Email, value, NOW_MS + at_ms);
    view.told(&number(0), "old", 1, vec![email("old@example.com", 1)]).await;
    view.told(&number(0), "new", 2, vec![email("wrong@example.com", 2)])
        .await;
    assert_eq!(view.values(&number(0)).await, ["wrong@example.com"]);
    view.told(&number(0), "new", 3, vec![email("right@example.com", 2)])
        .await;
    assert_eq!(view.values(&number(0)).await, ["right@example.com"]);
    view.told(&number(0), "new", 4, Vec::new()).await;
    assert_eq!(view.values(&number(0)).await, ["old@example.com"]);
}

/// `record_end` MUST 10, `recall` MUST 8: the names of the calls are kept in their order, the last one of each call,
/// and go with a report that is replaced.
pub async fn stated_names_are_kept_by_call(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let name = |value: &str, at_ms| said(FactKey::Name, value, NOW_MS + at_ms);
    assert_eq!(
        view.memory.trace(view.tenant, &number(0), ample()).await.unwrap(),
        Trace::default()
    );
    view.told(
        &number(0),
        "second",
        1,
        vec![name("Tom", 20), name("Tom \"B\" Baker", 21)],
    )
    .await;
    view.told(&number(0), "first", 2, vec![name("Ana Ruiz", 10)]).await;
    view.told(&number(0), "nameless", 3, vec![said(FactKey::City, "Lisbon", NOW_MS)])
        .await;
    assert_eq!(view.stated(&number(0)).await, ["Ana Ruiz", "Tom \"B\" Baker"]);
    let read = view.memory.recall(view.tenant, &query(&number(0), 0), ample()).await;
    let facts = read.expect("a healthy memory recalls").facts;
    let (trace, standing) = (
        view.trace(&number(0)).await,
        facts.iter().find(|fact| fact.key == FactKey::Name),
    );
    let newest = trace.names().last().map(|stated| (stated.call_id, stated.at_ms));
    assert_eq!(
        newest,
        standing.map(|fact| (fact.call_id.expect("a call"), NOW_MS + 21))
    );
    view.told(&number(0), "second", 4, vec![name("Ana", 20)]).await;
    assert_eq!(view.stated(&number(0)).await, ["Ana Ruiz", "Ana"]);
    view.told(&number(0), "first", 5, Vec::new()).await;
    assert_eq!(view.stated(&number(0)).await, ["Ana"]);
    view.told(&number(1), "second", 6, vec![name("Ana", 20)]).await;
    assert_eq!(view.stated(&number(0)).await, [""; 0]);
    assert_eq!(view.stated(&number(1)).await, ["Ana"]);
    assert_eq!(View::of(fixture, 1).stated(&number(1)).await, [""; 0]);
}

/// `record_end` MUST 10: the time of the last call is kept, and of the call that followed a silence.
pub async fn a_call_after_a_silence_is_noted(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let mut expected = Trace::default();
    let calls = [
        0,
        SILENCE_MS,
        2 * SILENCE_MS + 120_000,
        SILENCE_MS / 2,
        2 * SILENCE_MS + 240_000,
    ];
    for (arrival, at_ms) in (1..).zip(calls) {
        let mut record = record(&number(0), &format!("session {arrival}"), NOW_MS + at_ms, arrival);
        record.call.duration_s = 1.0;
        record.started_at_ms = NOW_MS + at_ms - 1_000;
        view.end(&record).await;
        expected.call(record.span());
        assert_eq!(view.trace(&number(0)).await, expected, "call {arrival}");
    }
    assert_eq!(expected.returned_ms, Some(NOW_MS + 2 * SILENCE_MS + 119_000));
}

/// `record_end` MUST 7: a repeat of the report leaves the facts as they are, and an overtaken report brings none.
pub async fn repeats_and_overtaken_reports_bring_no_facts(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let city = |value: &str| vec![said(FactKey::City, value, NOW_MS)];
    let report = telling(&number(0), "session", 5, city("Lisbon"));
    view.end(&report).await;
    view.end(&report).await;
    view.told(&number(0), "session", 4, city("Porto")).await;
    assert_eq!(view.values(&number(0)).await, ["Lisbon"]);
}

/// `record_end` MUST 7: a correction of the number moves the facts with the call.
pub async fn facts_move_with_their_call(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    let city = |value: &str, at_ms| vec![said(FactKey::City, value, NOW_MS + at_ms)];
    view.told(&number(0), "stays", 1, city("Lisbon", 1)).await;
    view.told(&number(0), "moves", 2, city("Porto", 2)).await;
    view.told(&number(1), "moves", 3, city("Porto", 2)).await;
    assert_eq!(view.values(&number(0)).await, ["Lisbon"]);
    assert_eq!(view.values(&number(1)).await, ["Porto"]);
}

/// `record_end` MUST 7: simultaneous ends of one caller leave one fact of a single key, the newest.
pub async fn simultaneous_ends_leave_the_newest_fact(fixture: &CallerMemoryFixture) {
    let view = View::of(fixture, 0);
    at_once((0..25).map(|i| {
        let view = view.clone();
        async move {
            let city = said(FactKey::City, &format!("City {i}"), NOW_MS + i);
            view.told(&number(0), &format!("session {i}"), i, vec![city]).await;
        }
    }))
    .await;
    assert_eq!(view.values(&number(0)).await, ["City 24"]);
}

/// MUST 2: facts and names are not shown to another tenant, nor touched by its calls.
pub async fn facts_stay_in_their_tenant(fixture: &CallerMemoryFixture) {
    let (own, other) = (View::of(fixture, 0), View::of(fixture, 1));
    let name = |value: &str| vec![said(FactKey::Name, value, NOW_MS)];
    own.told(&number(0), "session", 1, name("Ana")).await;
    assert_eq!(other.values(&number(0)).await, [""; 0]);
    assert_eq!(other.name(&number(0)).await, None);
    other.told(&number(0), "session", 2, name("Ben")).await;
    other.told(&number(0), "session", 3, Vec::new()).await;
    assert_eq!(own.name(&number(0)).await.as_deref(), Some("Ana"));
    assert_eq!(other.name(&number(0)).await, None);
}

/// Expands to the clauses about facts: a module with one test for each. The fixture is that of
/// [`caller_memory_contract!`](crate::caller_memory_contract).
#[macro_export]
macro_rules! caller_facts_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, caller_facts:
            a_fact_is_shown_with_its_evidence,
            a_wish_not_to_be_called_marks_the_caller,
            what_stands_is_the_newest,
            a_fact_is_said_after_the_recall_that_began_its_call,
            an_agreement_is_shown_with_its_terms,
            what_is_called_off_closes_the_agreement,
            what_was_called_off_closes_nothing_later,
            what_stands_is_called_off_after_a_long_history,
            facts_of_one_time_are_ordered_by_commit,
            a_stated_name_is_the_callers,
            a_correction_replaces_the_facts,
            stated_names_are_kept_by_call,
            a_call_after_a_silence_is_noted,
            repeats_and_overtaken_reports_bring_no_facts,
            facts_move_with_their_call,
            simultaneous_ends_leave_the_newest_fact,
            facts_stay_in_their_tenant,
        }
    };
}
