//! The clauses of [`CallerMemory`].

use std::{
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use domain::{
    access::TenantId,
    call::{CallId, CallOutcome, Contact, RecentCall, Role, Turn},
    caller::Caller,
    error::PortError,
    json::JsonObject,
    memory::{Arrival, CallRecord, RECENT_CALLS, Recollection},
    phone::PhoneNumber,
    port::CallerMemory,
    themes::Themes,
};
use uuid::Uuid;

use super::{CallerMemoryFixture, GRACE, at_once, is_unavailable, promptly};
use crate::{
    eventually,
    sample::{NOW_MS, ample, number, passed, query, query_in, record, turn, within},
};

/// How many contacts arrive at once in the clauses about that.
const CROWD: usize = 25;

/// How often a future is polled before it is dropped, from hardly begun to most likely done.
const POLLS: [usize; 12] = [1, 2, 3, 5, 8, 13, 34, 89, 233, 610, 1_597, 4_181];

/// One tenant's view of the memory, with deadlines that a healthy store keeps.
#[derive(Clone)]
struct View {
    memory: Arc<dyn CallerMemory>,
    tenant: TenantId,
}

impl View {
    fn first(fixture: &CallerMemoryFixture) -> Self {
        Self {
            memory: Arc::clone(&fixture.memory),
            tenant: fixture.tenants[0],
        }
    }

    fn second(fixture: &CallerMemoryFixture) -> Self {
        Self {
            tenant: fixture.tenants[1],
            ..Self::first(fixture)
        }
    }

    /// The first tenant seen from another process, when the fixture has one.
    fn elsewhere(fixture: &CallerMemoryFixture) -> Option<Self> {
        let memory = fixture.other_process.clone();
        if memory.is_none() {
            println!("skipped: the fixture has no second process");
        }
        memory.map(|memory| Self {
            memory,
            tenant: fixture.tenants[0],
        })
    }

    async fn recall(&self, number: &PhoneNumber, now_ms: i64) -> Recollection {
        let read = self.memory.recall(self.tenant, &query(number, now_ms), ample()).await;
        read.expect("a healthy memory recalls")
    }

    async fn recall_in(&self, number: &PhoneNumber, now_ms: i64, session: &str) -> Recollection {
        let query = query_in(number, now_ms, session);
        let read = self.memory.recall(self.tenant, &query, ample()).await;
        read.expect("a healthy memory recalls")
    }

    async fn end(&self, record: &CallRecord) {
        let written = self.memory.record_end(self.tenant, record, ample()).await;
        written.expect("a healthy memory records");
    }

    async fn caller(&self, number: &PhoneNumber) -> Option<Caller> {
        let read = self.memory.caller(self.tenant, number, ample()).await;
        read.expect("a healthy memory reads")
    }

    async fn transcript(&self, call_id: CallId) -> Option<Vec<Turn>> {
        let read = self.memory.transcript(self.tenant, call_id, ample()).await;
        read.expect("a healthy memory reads")
    }

    async fn total_calls(&self, number: &PhoneNumber) -> u64 {
        self.caller(number).await.map_or(0, |caller| caller.total_calls)
    }

    /// The calls of a caller; looking at them marks a contact at the epoch, which moves nothing.
    async fn calls(&self, number: &PhoneNumber) -> Vec<RecentCall> {
        self.recall(number, 0).await.recent_calls
    }

    async fn only_call(&self, number: &PhoneNumber) -> RecentCall {
        let mut calls = self.calls(number).await;
        assert_eq!(calls.len(), 1, "the caller has one call");
        calls.remove(0)
    }

    /// Waits until the contact at `at_ms` is noted.
    async fn seen_at(&self, number: &PhoneNumber, at_ms: i64) {
        eventually("the contact is noted", async || {
            let caller = self.caller(number).await?;
            (caller.last_seen_ms == at_ms).then_some(())
        })
        .await;
    }

    /// Waits until the caller's only call began at `at_ms`.
    async fn started_at(&self, number: &PhoneNumber, at_ms: i64) {
        eventually("the recall gives the start of its call", async || {
            let call = self.only_call(number).await;
            (call.started_at_ms == at_ms).then_some(())
        })
        .await;
    }

    /// Checks in one read that the call of `record`, the only one of its number, is there as a whole or not at all;
    /// whether it is there.
    async fn is_whole(&self, record: &CallRecord) -> bool {
        let read = self.recall(&record.call.number, 0).await;
        let is_there = read.caller.total_calls == 1;
        assert!(read.caller.total_calls <= 1, "the call counts once");
        assert_eq!(
            read.recent_calls.len(),
            usize::from(is_there),
            "the count and the call come together"
        );
        assert_eq!(
            read.memory_changed_ms,
            is_there.then_some(record.received_at_ms),
            "the count and the change of the memory come together"
        );
        if let Some(call) = read.recent_calls.first() {
            let transcript = self.transcript(call.call_id).await;
            assert!(
                transcript.as_ref() == Some(&record.call.transcript),
                "the call and its transcript come together"
            );
        }
        is_there
    }
}

/// `recall` MUST 1: simultaneous first recalls create one caller, and exactly one of them sees `known: false`.
pub async fn simultaneous_first_recalls_make_one_caller(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let reads = at_once((0..CROWD).map(|i| {
        let view = view.clone();
        async move { view.recall_in(&number(0), NOW_MS, &format!("session {i}")).await }
    }))
    .await;

    let strangers = reads.iter().filter(|read| !read.known).count();
    assert_eq!(strangers, 1, "exactly one first contact sees an unknown caller");
    for read in reads {
        assert_eq!(read.caller.first_seen_ms, NOW_MS);
        assert_eq!(read.caller.total_calls, 0);
        assert!(read.recent_calls.is_empty());
    }
    assert!(view.recall(&number(0), NOW_MS).await.known);
}

/// `recall` MUST 1, `record_end` MUST 1: simultaneous first recalls and call ends leave one caller and an exact count.
pub async fn simultaneous_first_recalls_and_ends_make_one_caller(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    crowd_of_recalls_and_ends(&view, &view).await;
}

/// The same over two processes at once.
pub async fn first_contacts_in_two_processes_make_one_caller(fixture: &CallerMemoryFixture) {
    if let Some(elsewhere) = View::elsewhere(fixture) {
        crowd_of_recalls_and_ends(&View::first(fixture), &elsewhere).await;
    }
}

async fn crowd_of_recalls_and_ends(here: &View, there: &View) {
    let known = at_once((0..CROWD).map(|i| {
        let view = if i % 4 < 2 { here.clone() } else { there.clone() };
        async move {
            let session = format!("session {i}");
            if i % 2 == 0 {
                view.end(&record(&number(0), &session, NOW_MS, 1)).await;
                None
            } else {
                Some(view.recall_in(&number(0), NOW_MS, &session).await.known)
            }
        }
    }))
    .await;

    let strangers = known.iter().filter(|known| **known == Some(false)).count();
    assert!(strangers <= 1, "at most one first contact sees an unknown caller");
    let ends = known.iter().filter(|known| known.is_none()).count() as u64;
    for view in [here, there] {
        assert_eq!(view.total_calls(&number(0)).await, ends, "every end counts once");
    }
}

/// `recall` MUST 1: a created caller has no calls, nobody's name, and is seen first and last at the time of the recall.
pub async fn a_first_contact_has_an_empty_profile(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let read = view.recall(&number(0), NOW_MS).await;
    assert!(!read.known);
    let expected = Caller {
        name: None,
        first_seen_ms: NOW_MS,
        last_seen_ms: NOW_MS,
        total_calls: 0,
        tags: Vec::new(),
        custom_attributes: JsonObject::default(),
        corrections: Vec::new(),
        do_not_call: None,
    };
    assert_eq!(read.caller, expected);
    assert_eq!(
        read.memory_changed_ms, None,
        "there is no memory that could have an age"
    );
    assert!(read.recent_calls.is_empty());
    assert!(read.lookups.is_empty());
    assert_eq!(
        view.caller(&number(0)).await,
        Some(expected),
        "the caller exists from now on"
    );
    assert_eq!(view.caller(&number(1)).await, None, "and nobody else does");
}

/// `recall` MUST 1: a caller whom a call end created is known to the first recall.
pub async fn a_caller_created_by_an_end_is_known(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    view.end(&record(&number(0), "session", NOW_MS, 1)).await;
    let read = view.recall(&number(0), NOW_MS + 1).await;
    assert!(read.known);
    assert_eq!(read.caller.total_calls, 1);
}

/// `recall` MUST 2: the profile is the one before this contact.
pub async fn a_recall_shows_the_profile_before_this_contact(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    view.recall(&number(0), NOW_MS).await;
    let second = view.recall(&number(0), NOW_MS + 1_000).await;
    assert!(second.known);
    assert_eq!(second.caller.last_seen_ms, NOW_MS, "the contact before this one");
    view.seen_at(&number(0), NOW_MS + 1_000).await;
    let third = view.recall(&number(0), NOW_MS + 2_000).await;
    assert_eq!(third.caller.last_seen_ms, NOW_MS + 1_000);
    assert_eq!(third.caller.first_seen_ms, NOW_MS);
}

/// `recall` MUST 2: at most five calls, the newest start first, whatever the order of the commits; the count has them
/// all.
pub async fn recent_calls_are_the_five_newest_by_start(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let minutes = [3, 7, 1, 6, 2, 5, 4];
    for (i, minute) in minutes.into_iter().enumerate() {
        let mut record = record(&number(0), &format!("minute {minute}"), NOW_MS, 1);
        record.started_at_ms = NOW_MS + minute * 60_000;
        view.end(&record).await;
        assert_eq!(view.calls(&number(0)).await.len(), (i + 1).min(RECENT_CALLS));
    }
    let calls = view.calls(&number(0)).await;
    let starts: Vec<_> = calls
        .iter()
        .map(|call| (call.started_at_ms - NOW_MS) / 60_000)
        .collect();
    assert_eq!(starts, [7, 6, 5, 4, 3]);
    assert_eq!(
        calls[0].summary, "Caller asked about minute 7.",
        "each start goes with its own call"
    );
    assert_eq!(view.total_calls(&number(0)).await, minutes.len() as u64);
}

/// `recall` MUST 2: calls that began at the same time are ordered by commit, the later one first.
pub async fn calls_of_one_start_are_ordered_by_commit(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for i in 1..=7 {
        view.end(&record(&number(0), &i.to_string(), NOW_MS, i)).await;
    }
    let calls = view.calls(&number(0)).await;
    let summaries: Vec<_> = calls.iter().map(|call| call.summary.as_str()).collect();
    let expected: Vec<_> = (3..=7).rev().map(|i| format!("Caller asked about {i}.")).collect();
    assert_eq!(summaries, expected);
}

/// `recall` MUST 3: a recall that begins after a call end returned shows the call, under load too.
pub async fn a_recall_shows_every_call_that_was_acknowledged(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    at_once((0..CROWD).map(|i| {
        let view = view.clone();
        async move {
            for turn in 0..4 {
                let own = record(&number(i), &format!("caller {i} call {turn}"), NOW_MS + turn, turn);
                view.end(&own).await;
                let read = view.recall(&number(i), NOW_MS + turn).await;
                assert_eq!(read.caller.total_calls, u64::try_from(turn).unwrap() + 1);
                assert_eq!(
                    read.recent_calls[0].summary, own.summary,
                    "the call just acknowledged is shown"
                );
                assert_eq!(read.memory_changed_ms, Some(NOW_MS + turn));
            }
        }
    }))
    .await;
}

/// `recall` MUST 3, over processes: what one acknowledged, another shows.
pub async fn a_recall_shows_calls_acknowledged_by_another_process(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let Some(elsewhere) = View::elsewhere(fixture) else {
        return;
    };
    for i in 1..=5 {
        let (writes, reads) = if i % 2 == 0 {
            (&view, &elsewhere)
        } else {
            (&elsewhere, &view)
        };
        writes
            .end(&record(&number(0), &format!("session {i}"), NOW_MS, i))
            .await;
        assert_eq!(
            reads.recall(&number(0), NOW_MS).await.caller.total_calls,
            u64::try_from(i).unwrap()
        );
    }
}

/// `recall` MUST 4: the contact is noted afterwards.
pub async fn a_recall_notes_the_contact(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    view.end(&record(&number(0), "session", NOW_MS, 1)).await;
    view.recall(&number(0), NOW_MS + 5_000).await;
    view.seen_at(&number(0), NOW_MS + 5_000).await;
    assert_eq!(view.total_calls(&number(0)).await, 1, "a recall is no call");
}

/// `recall` MUST 4, `record_end` MUST 6: neither an older recall nor an older call moves `last_seen_ms` back.
pub async fn last_seen_only_moves_forward(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let caller = number(0);
    view.end(&record(&caller, "session", NOW_MS, 1)).await;

    view.recall_in(&caller, NOW_MS - 9_000, "session").await;
    // The start of the call tells when the contact is noted.
    view.started_at(&caller, NOW_MS - 9_000).await;
    assert_eq!(view.caller(&caller).await.unwrap().last_seen_ms, NOW_MS);

    view.end(&record(&caller, "an older call", NOW_MS - 5_000, 2)).await;
    assert_eq!(view.caller(&caller).await.unwrap().last_seen_ms, NOW_MS);

    view.end(&record(&caller, "a newer call", NOW_MS + 5_000, 3)).await;
    let profile = view.caller(&caller).await.unwrap();
    assert_eq!(
        (profile.first_seen_ms, profile.last_seen_ms),
        (NOW_MS - 5_000, NOW_MS + 5_000)
    );
}

/// `record_end` MUST 1 and 6: the contact of a call is when the call was made, however late it is reported: for a new
/// caller, and for one who is known. The memory changes when it is reported.
pub async fn replayed_calls_are_seen_when_they_happened(fixture: &CallerMemoryFixture) {
    const DAY_MS: i64 = 86_400_000;
    let view = View::first(fixture);
    let caller = number(0);
    let replay = |session: &str, arrival, days: i64| {
        let first_ms = NOW_MS - days * DAY_MS;
        CallRecord {
            started_at_ms: first_ms,
            contact: Contact {
                first_ms,
                last_ms: first_ms + 60_000,
            },
            ..record(&caller, session, NOW_MS + arrival, arrival)
        }
    };
    let seen = async || {
        let profile = view.caller(&caller).await.expect("a caller");
        (
            (NOW_MS - profile.first_seen_ms) / DAY_MS,
            NOW_MS - profile.last_seen_ms + 60_000,
        )
    };
    for (arrival, days, expected) in [
        (1, 20, (20, 20 * DAY_MS)),
        (2, 30, (30, 20 * DAY_MS)),
        (3, 10, (30, 10 * DAY_MS)),
        (4, 15, (30, 10 * DAY_MS)),
    ] {
        view.end(&replay(&format!("{days} days ago"), arrival, days)).await;
        assert_eq!(seen().await, expected, "after the call {days} days ago");
    }
    let recalled = view.recall(&caller, NOW_MS + 60_000).await;
    assert_eq!(recalled.caller.last_seen_ms, NOW_MS - 10 * DAY_MS + 60_000);
    assert_eq!(recalled.memory_changed_ms, Some(NOW_MS + 4));

    // A first recall comes before its history.
    let caller = number(1);
    view.recall(&caller, NOW_MS).await;
    let older = CallRecord {
        contact: Contact {
            first_ms: NOW_MS - DAY_MS,
            last_ms: NOW_MS - DAY_MS + 60_000,
        },
        ..record(&caller, "before the recall", NOW_MS + 5, 5)
    };
    view.end(&older).await;
    let profile = view.caller(&caller).await.expect("a caller");
    assert_eq!((profile.first_seen_ms, profile.last_seen_ms), (NOW_MS - DAY_MS, NOW_MS));
}

/// `recall` MUST 4, `record_end` MUST 5: the recall of a session gives the start of its call.
pub async fn a_recall_gives_the_start_of_its_call(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    view.recall_in(&number(0), NOW_MS, "session").await;
    view.end(&record(&number(0), "session", NOW_MS + 300_000, 1)).await;
    view.started_at(&number(0), NOW_MS).await;
}

/// `recall` MUST 4: so it does even when the call end was quicker than the note.
pub async fn a_late_note_gives_the_start_of_a_quicker_call(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    view.end(&record(&number(0), "session", NOW_MS + 300_000, 1)).await;
    view.recall_in(&number(0), NOW_MS, "session").await;
    view.started_at(&number(0), NOW_MS).await;
}

/// `recall` MUST 4: of several recalls of one session the first one counts, in whatever order they are noted.
pub async fn the_first_recall_of_a_session_gives_the_start(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for (i, times) in [[1_000, 2_000], [2_000, 1_000]].into_iter().enumerate() {
        let (caller, session) = (number(i), format!("session {i}"));
        for time in times {
            view.recall_in(&caller, NOW_MS + time, &session).await;
        }
        view.seen_at(&caller, NOW_MS + 2_000).await;
        view.end(&record(&caller, &session, NOW_MS + 300_000, 1)).await;
        view.started_at(&caller, NOW_MS + 1_000).await;
        // A recall after the end is no longer the first one. Its contact tells when it is noted.
        view.recall_in(&caller, NOW_MS + 400_000, &session).await;
        view.seen_at(&caller, NOW_MS + 400_000).await;
        view.started_at(&caller, NOW_MS + 1_000).await;
    }
}

/// `record_end` MUST 5: a correction does not lose the start that the recall gave.
pub async fn a_correction_keeps_the_start_of_the_recall(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    view.recall_in(&number(0), NOW_MS, "session").await;
    let mut record = record(&number(0), "session", NOW_MS + 300_000, 1);
    view.end(&record).await;
    view.started_at(&number(0), NOW_MS).await;
    record.call.outcome = CallOutcome::QuoteGiven;
    record.arrival = Arrival(2);
    record.started_at_ms += 777;
    view.end(&record).await;
    let call = view.only_call(&number(0)).await;
    assert_eq!((call.outcome, call.started_at_ms), (CallOutcome::QuoteGiven, NOW_MS));
}

/// `record_end` MUST 1: a call end needs no recall; it creates the caller with the call, the count and the change.
pub async fn an_end_creates_the_caller(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let record = record(&number(0), "session", NOW_MS, 1);
    view.end(&record).await;
    let profile = view.caller(&number(0)).await.unwrap();
    assert_eq!((profile.first_seen_ms, profile.last_seen_ms), (NOW_MS, NOW_MS));
    assert_eq!(profile.total_calls, 1);
    assert_eq!(profile.name, None);

    let read = view.recall(&number(0), NOW_MS).await;
    assert_eq!(read.memory_changed_ms, Some(NOW_MS));
    let call = &read.recent_calls[0];
    assert_eq!(call.started_at_ms, record.started_at_ms);
    assert_eq!(call.summary, record.summary);
    assert_eq!(call.outcome, record.call.outcome);
    assert_eq!(view.transcript(call.call_id).await, Some(record.call.transcript));
}

/// `record_end` MUST 9: what a caller speaks of adds up over calls; the correction of a call takes away what it said
/// before, and a call that moves to another caller takes its themes along.
pub async fn themes_add_up_and_follow_corrections(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let themes = |text: &str| Themes::stored(text.to_owned());
    let (boiler, tax) = (themes("4 boiler\n2 garden gate\n"), themes("3 boiler\n1 Lisbon\n"));
    let ended = |caller, session, arrival, themes: &Themes| {
        let mut record = record(&number(caller), session, NOW_MS, arrival);
        record.call.duration_s += f64::from(u32::try_from(arrival).unwrap_or_default());
        CallRecord {
            themes: themes.clone(),
            ..record
        }
    };
    assert_eq!(view.recall(&number(0), NOW_MS).await.themes, Themes::default());
    let first = Themes::default().with(&boiler);
    view.end(&ended(0, "first", 1, &boiler)).await;
    assert_eq!(view.recall(&number(0), NOW_MS).await.themes, first);
    // The same report again counts nothing twice.
    view.end(&ended(0, "first", 1, &boiler)).await;
    view.end(&ended(0, "second", 2, &tax)).await;
    assert_eq!(view.recall(&number(0), NOW_MS).await.themes, first.with(&tax));
    view.end(&ended(0, "third", 3, &Themes::default())).await;
    let corrected = themes("1 orchard\n");
    view.end(&ended(0, "second", 4, &corrected)).await;
    let now = view.recall(&number(0), NOW_MS).await.themes;
    let words: Vec<&str> = now.words().collect();
    assert_eq!(words, ["boiler", "garden gate", "orchard"]);
    assert_eq!(view.recall(&number(1), NOW_MS).await.themes, Themes::default());
    view.end(&ended(1, "second", 5, &corrected)).await;
    let now = view.recall(&number(0), NOW_MS).await.themes;
    assert_eq!(now.words().collect::<Vec<_>>(), ["boiler", "garden gate"]);
    let other = view.recall(&number(1), NOW_MS).await.themes;
    assert_eq!(other, Themes::default().with(&corrected));
    assert_eq!(
        View::second(fixture).recall(&number(0), NOW_MS).await.themes,
        Themes::default()
    );
}

/// `record_end` MUST 1: simultaneous ends of different calls of one caller all count.
pub async fn simultaneous_ends_count_exactly(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    at_once((0..CROWD).map(|i| {
        let view = view.clone();
        async move { view.end(&record(&number(0), &format!("session {i}"), NOW_MS, 1)).await }
    }))
    .await;
    assert_eq!(view.total_calls(&number(0)).await, CROWD as u64);
}

/// `record_end` MUST 2: a repeat counts once, one after the other and all at once.
pub async fn a_repeated_end_counts_once(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for arrival in 1..=3 {
        view.end(&record(&number(0), "in turn", NOW_MS, arrival)).await;
    }
    assert_eq!(view.total_calls(&number(0)).await, 1);
    view.only_call(&number(0)).await;

    at_once((0..CROWD).map(|i| {
        let view = view.clone();
        async move {
            let repeat = record(&number(1), "at once", NOW_MS, i64::try_from(i).unwrap());
            view.end(&repeat).await;
        }
    }))
    .await;
    assert_eq!(view.total_calls(&number(1)).await, 1);
    view.only_call(&number(1)).await;
}

/// `record_end` MUST 2: the same report again, which arrives later and is stamped later, changes nothing of the call.
pub async fn the_same_report_again_changes_nothing(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let first = record(&number(0), "session", NOW_MS, 1);
    view.end(&first).await;
    let before = view.recall(&number(0), NOW_MS).await;
    let again = CallRecord {
        received_at_ms: first.received_at_ms + 30_000,
        started_at_ms: first.started_at_ms + 30_000,
        arrival: Arrival(2),
        ..first
    };
    view.end(&again).await;
    let after = view.recall(&number(0), NOW_MS).await;
    assert_eq!(after.recent_calls, before.recent_calls);
    assert_eq!(after.memory_changed_ms, before.memory_changed_ms);
    assert_eq!(after.caller.total_calls, 1);
}

/// `record_end` MUST 2: a different report of a session replaces the first in every field, and the call keeps its
/// identity.
pub async fn a_correction_replaces_every_field(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let first = record(&number(0), "session", NOW_MS, 1);
    view.end(&first).await;
    let before = view.only_call(&number(0)).await;

    let mut second = record(&number(0), "session", NOW_MS + 10_000, 2);
    second.call.transcript = vec![turn(Role::User, "Nobody listens to me.", 7.25)];
    second.call.duration_s = 12.5;
    second.call.outcome = CallOutcome::NoAnswer;
    second.call.agent_metadata = Some(JsonObject::from_validated(r#"{"take":2}"#.to_owned()));
    second.summary = String::from("Nobody answered.");
    second.started_at_ms = NOW_MS - 123_456;
    view.end(&second).await;

    let read = view.recall(&number(0), NOW_MS).await;
    let expected = RecentCall {
        call_id: before.call_id,
        started_at_ms: second.started_at_ms,
        duration_s: second.call.duration_s,
        summary: second.summary,
        outcome: second.call.outcome,
    };
    assert_eq!(read.recent_calls, [expected]);
    assert_eq!(read.caller.total_calls, 1);
    assert_eq!(read.memory_changed_ms, Some(second.received_at_ms));
    assert_eq!(view.transcript(before.call_id).await, Some(second.call.transcript));
}

/// `record_end` MUST 2: whichever field of the report differs, it is a correction and not a repeat.
pub async fn a_difference_in_any_field_is_a_correction(fixture: &CallerMemoryFixture) {
    type Change = fn(&mut CallRecord);
    let view = View::first(fixture);
    let changes: [(&str, Change); 8] = [
        ("the text of a turn", |record| record.call.transcript[1].text.push('!')),
        ("the role of a turn", |record| {
            record.call.transcript[1].role = Role::Agent;
        }),
        ("the time of a turn", |record| record.call.transcript[1].ts_ms += 0.001),
        ("one turn less", |record| record.call.transcript.truncate(1)),
        ("no turn at all", |record| record.call.transcript.clear()),
        ("the duration", |record| record.call.duration_s = 60.000_000_000_000_01),
        ("the outcome", |record| {
            record.call.outcome = CallOutcome::CallbackRequested;
        }),
        ("the metadata", |record| {
            record.call.agent_metadata = Some(JsonObject::default());
        }),
    ];
    for (i, (what, change)) in changes.into_iter().enumerate() {
        let session = format!("session {i}");
        let mut corrected = record(&number(i), &session, NOW_MS + 1_000, 2);
        view.end(&record(&number(i), &session, NOW_MS, 1)).await;
        change(&mut corrected);
        view.end(&corrected).await;
        let read = view.recall(&number(i), NOW_MS).await;
        assert_eq!(read.memory_changed_ms, Some(NOW_MS + 1_000), "corrected: {what}");
        assert_eq!(read.caller.total_calls, 1, "corrected: {what}");
        let call = &read.recent_calls[0];
        let shown = (call.duration_s.to_bits(), call.outcome);
        assert_eq!(
            shown,
            (corrected.call.duration_s.to_bits(), corrected.call.outcome),
            "corrected: {what}"
        );
        let transcript = view.transcript(call.call_id).await;
        assert_eq!(transcript, Some(corrected.call.transcript), "corrected: {what}");
    }
}

/// `record_end` MUST 2: a correction of the number moves the call, and both counts are right.
pub async fn a_correction_of_the_number_moves_the_call(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let (wrong, right) = (number(0), number(1));
    for session in ["stays", "moves"] {
        view.end(&record(&wrong, session, NOW_MS, 1)).await;
    }
    let moved = record(&right, "moves", NOW_MS + 1_000, 2);
    view.end(&moved).await;

    assert_eq!(view.total_calls(&wrong).await, 1);
    assert_eq!(view.total_calls(&right).await, 1);
    assert_eq!(view.only_call(&wrong).await.summary, "Caller asked about stays.");
    let call = view.only_call(&right).await;
    assert_eq!(call.summary, moved.summary);
    assert_eq!(view.transcript(call.call_id).await, Some(moved.call.transcript));

    // And back again, which leaves a caller without a call.
    view.end(&record(&wrong, "moves", NOW_MS + 2_000, 3)).await;
    assert_eq!(view.total_calls(&wrong).await, 2);
    let left = view.recall(&right, NOW_MS).await;
    assert!(left.known, "a caller without calls is still a caller");
    assert_eq!(left.caller.total_calls, 0);
    assert!(left.recent_calls.is_empty());
}

/// `record_end` MUST 3: the later arrival wins although the earlier one is written last, which changes nothing.
pub async fn the_later_arrival_wins(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let mut later = record(&number(0), "session", NOW_MS, 8);
    later.summary = String::from("The later report.");
    view.end(&later).await;

    let mut earlier = record(&number(0), "session", NOW_MS - 1_000, 7);
    earlier.call.outcome = CallOutcome::QuoteGiven;
    earlier.summary = String::from("The earlier report.");
    view.end(&earlier).await;
    let mut elsewhere = record(&number(1), "session", NOW_MS - 2_000, 6);
    elsewhere.summary = String::from("The earliest report, of another number.");
    view.end(&elsewhere).await;

    let read = view.recall(&number(0), NOW_MS).await;
    assert_eq!(read.recent_calls.len(), 1);
    assert_eq!(read.recent_calls[0].summary, later.summary);
    assert_eq!(read.recent_calls[0].outcome, later.call.outcome);
    assert_eq!(read.caller.total_calls, 1);
    assert_eq!(read.memory_changed_ms, Some(NOW_MS));
    assert_eq!(
        view.transcript(read.recent_calls[0].call_id).await,
        Some(later.call.transcript)
    );
    assert_eq!(
        view.total_calls(&number(1)).await,
        0,
        "an overtaken report moves no call"
    );
}

/// `record_end` MUST 3: a repeat changes nothing of the call, but it has arrived: an earlier report does not undo it.
pub async fn a_repeat_counts_as_an_arrival(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let original = record(&number(0), "session", NOW_MS, 1);
    view.end(&original).await;
    view.end(&CallRecord {
        arrival: Arrival(3),
        ..original.clone()
    })
    .await;
    let mut between = record(&number(0), "session", NOW_MS, 2);
    between.call.outcome = CallOutcome::QuoteGiven;
    view.end(&between).await;
    assert_eq!(view.only_call(&number(0)).await.outcome, original.call.outcome);
}

/// `record_end` MUST 2 and 3: of simultaneous corrections that also move the call, the last arrival is what remains.
pub async fn simultaneous_corrections_leave_the_last_arrival(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for round in 0..4 {
        let session = format!("session {round}");
        at_once((0..CROWD).map(|i| {
            let (view, session) = (view.clone(), session.clone());
            async move {
                let mut record = record(&number(2 * round + i % 2), &session, NOW_MS, i64::try_from(i).unwrap());
                record.summary = format!("Report {i}.");
                record.call.transcript[1].text = format!("Take {i}.");
                view.end(&record).await;
            }
        }))
        .await;
        let last = CROWD - 1;
        let (winner, loser) = (number(2 * round + last % 2), number(2 * round + 1 - last % 2));
        assert_eq!(view.only_call(&winner).await.summary, format!("Report {last}."));
        assert_eq!(view.total_calls(&winner).await, 1);
        assert_eq!(view.total_calls(&loser).await, 0);
        assert!(view.calls(&loser).await.is_empty());
    }
}

/// `record_end` MUST 3: arrivals of different processes are not compared; the last commit wins, as after a restart.
pub async fn another_process_corrects_whatever_its_arrival(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let Some(elsewhere) = View::elsewhere(fixture) else {
        return;
    };
    view.end(&record(&number(0), "session", NOW_MS, 1_000)).await;
    let mut correction = record(&number(0), "session", NOW_MS + 1_000, 0);
    correction.call.outcome = CallOutcome::AppointmentBooked;
    elsewhere.end(&correction).await;
    for view in [&view, &elsewhere] {
        assert_eq!(view.only_call(&number(0)).await.outcome, CallOutcome::AppointmentBooked);
    }
    let mut back = record(&number(0), "session", NOW_MS + 2_000, 1_001);
    back.call.outcome = CallOutcome::NoAnswer;
    view.end(&back).await;
    assert_eq!(elsewhere.only_call(&number(0)).await.outcome, CallOutcome::NoAnswer);
    assert_eq!(elsewhere.total_calls(&number(0)).await, 1);
}

/// Texts that storage and its drivers like to change, refuse or take for something else. None holds NUL.
fn texts() -> Vec<String> {
    let long: String = (0..40_000).map(|i| ["naïve ", "日本 ", "🙂", "x"][i % 4]).collect();
    let mut seed = 1_u32;
    let noise = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from_u32(seed >> 11).filter(|c| *c != '\0').unwrap_or('?')
    });
    [
        "",
        " ",
        "  spaces at both ends  ",
        "line\nbreaks\r\nand\ttabs\u{b}\u{c}",
        "control \u{1}\u{8}\u{1b}[31m\u{1f}\u{7f}\u{80}\u{85}\u{9f}",
        "'; DROP TABLE calls; -- \" ` \\ \\' $1 ?1 :name %s %% {} {{}} $$ E'\\x00'",
        "{\"text\": null, \"a\": [1, \"\\u0000\"]}",
        "null",
        "NULL",
        "0",
        "1e999",
        "\\N",
        "👩\u{200d}👩\u{200d}👧\u{200d}👦 🇺🇳 👍🏽 ❤\u{fe0f}",
        "مرحبا بالعالم שלום עולם \u{202e}desrever\u{202c} \u{2066}isolated\u{2069}",
        "e\u{301} é \u{1100}\u{1161}\u{11a8} 각 ﬁ ſ İ ı ß ẞ",
        "Z\u{351}\u{36b}\u{343}\u{32a}\u{302}a\u{36e}\u{352}\u{31e}l\u{36c}\u{300}g\u{337}\u{35b}o\u{35c}\u{321}",
        "zero width \u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{34f}",
        "separators \u{2028}\u{2029}\u{a0}\u{3000}\u{180e}",
        "\u{feff}a byte order mark",
        "\u{e000}\u{f8ff}\u{fffd}\u{fffe}\u{ffff}\u{1ffff}\u{10ffff}",
        "\u{d7ff}\u{e0001}\u{e007f}",
        "<script>alert(1)</script> &amp; &#0; ]]>",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([long, noise.take(30_000).collect()])
    .collect()
}

/// `record_end` MUST 4: transcripts survive any text exactly, NUL and the empty transcript included.
pub async fn transcripts_survive_any_text(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let mut texts = texts();
    texts.push("NUL \0 inside".to_owned());
    let all = texts.iter().map(|text| turn(Role::User, text, 0.0)).collect();
    let each = texts.iter().map(|text| vec![turn(Role::Agent, text, 1.0)]);
    for (i, transcript) in [Vec::new(), all].into_iter().chain(each).enumerate() {
        let mut record = record(&number(i), &format!("session {i}"), NOW_MS, 1);
        record.call.transcript = transcript;
        view.end(&record).await;
        let call = view.only_call(&number(i)).await;
        let kept = view.transcript(call.call_id).await;
        assert!(kept == Some(record.call.transcript), "transcript {i} came back changed");
    }
}

/// `record_end` MUST 4: so do transcripts of thousands of turns and of megabytes.
pub async fn transcripts_of_any_length_survive(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let role = |i: u16| if i.is_multiple_of(2) { Role::Agent } else { Role::User };
    let many = (0..10_000_u16)
        .map(|i| turn(role(i), &format!("turn {i}"), f64::from(i)))
        .collect();
    let large = vec![turn(Role::User, &texts().concat().repeat(8), 0.0)];
    for (i, transcript) in [many, large].into_iter().enumerate() {
        let mut record = record(&number(i), &format!("session {i}"), NOW_MS, 1);
        record.call.transcript = transcript;
        view.end(&record).await;
        let call = view.only_call(&number(i)).await;
        let kept = view.transcript(call.call_id).await;
        assert!(
            kept == Some(record.call.transcript),
            "long transcript {i} came back changed"
        );
    }
}

/// Finite numbers that lose digits where a float travels as decimal text of a fixed length.
const FLOATS: [f64; 13] = [
    0.0,
    0.1,
    0.1 + 0.2,
    1.0 / 3.0,
    1.5,
    59.999_999_999_999_99,
    86_400.0,
    123_456.789_012_345_67,
    1_790_856_000_123.456_8,
    9_007_199_254_740_993.0,
    5e-324,
    f64::MIN_POSITIVE,
    f64::MAX,
];

/// `record_end` MUST 4: the times of turns are kept to the last bit, negative ones too.
pub async fn the_times_of_turns_are_exact(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let mut record = record(&number(0), "session", NOW_MS, 1);
    let times = FLOATS.into_iter().flat_map(|time| [time, -time]);
    record.call.transcript = times.map(|time| turn(Role::User, "then", time)).collect();
    view.end(&record).await;
    let call = view.only_call(&number(0)).await;
    assert_eq!(view.transcript(call.call_id).await, Some(record.call.transcript));
}

/// `recall` MUST 2: durations are shown to the last bit.
pub async fn durations_are_exact(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for (i, duration_s) in FLOATS.into_iter().enumerate() {
        let mut record = record(&number(i), &format!("session {i}"), NOW_MS, 1);
        record.call.duration_s = duration_s;
        view.end(&record).await;
        let shown = view.only_call(&number(i)).await.duration_s;
        assert_eq!(
            shown.to_bits(),
            duration_s.to_bits(),
            "{duration_s:?} was shown as {shown:?}"
        );
    }
}

/// `recall` MUST 2: each outcome and any time of the start is shown as it was recorded.
pub async fn outcomes_and_starts_are_exact(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let starts = [0, 1, 946_684_800_000, NOW_MS, 253_402_300_799_999];
    for (i, (outcome, started_at_ms)) in CallOutcome::ALL.into_iter().zip(starts).enumerate() {
        let mut record = record(&number(i), &format!("session {i}"), NOW_MS, 1);
        record.call.outcome = outcome;
        record.started_at_ms = started_at_ms;
        view.end(&record).await;
        let call = view.only_call(&number(i)).await;
        assert_eq!((call.outcome, call.started_at_ms), (outcome, started_at_ms));
    }
}

/// `recall` MUST 2: summaries are shown exactly, whatever text they hold.
pub async fn summaries_survive_any_text(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for (i, text) in texts().into_iter().enumerate() {
        let mut record = record(&number(i), &format!("session {i}"), NOW_MS, 1);
        record.summary = text;
        view.end(&record).await;
        let call = view.only_call(&number(i)).await;
        assert!(call.summary == record.summary, "summary {i} came back changed");
    }
}

/// `record_end` MUST 2: sessions are told apart exactly: by case, spaces, Unicode form, and the last of 10,000
/// characters.
pub async fn session_ids_are_told_apart_exactly(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let long = "🙂 session-".repeat(1_000);
    let mut sessions: Vec<String> = texts().into_iter().filter(|text| !text.is_empty()).collect();
    sessions.extend(
        [
            "session",
            "Session",
            "session ",
            " session",
            "se\u{301}ssion",
            "séssion",
        ]
        .map(str::to_owned),
    );
    sessions.extend([format!("{long}1"), format!("{long}2"), long]);
    for arrival in 1..=2 {
        for session in &sessions {
            let mut record = record(&number(0), session, NOW_MS, arrival);
            record.summary = String::from("A call.");
            view.end(&record).await;
        }
        assert_eq!(
            view.total_calls(&number(0)).await,
            sessions.len() as u64,
            "round {arrival}"
        );
    }
    // A recall finds the call of such a session too.
    for (i, session) in sessions.iter().rev().take(9).enumerate() {
        let caller = number(i + 1);
        let began_at_ms = NOW_MS - 500_000;
        view.recall_in(&caller, began_at_ms, session).await;
        let mut record = record(&caller, session, NOW_MS, 3);
        record.summary = String::from("Another call.");
        view.end(&record).await;
        view.started_at(&caller, began_at_ms).await;
    }
}

/// `record_end` MUST 1: any JSON object is taken as metadata, escapes that no text can hold included.
pub async fn any_metadata_is_taken(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100));
    let objects = [
        "{}",
        r#"{"a":1,"a":2,"":null}"#,
        r#"{"nul":"\u0000","half":"\ud800","emoji":"🙂"}"#,
        r#"{"large":1e400,"long":123456789012345678901234567890,"tiny":-0.0}"#,
        r#"{"quotes":"'; DROP TABLE calls; --"}"#,
        &deep,
    ];
    for (i, object) in objects.into_iter().enumerate() {
        let mut record = record(&number(i), &format!("session {i}"), NOW_MS, 1);
        record.call.agent_metadata = Some(JsonObject::from_validated(object.to_owned()));
        view.end(&record).await;
        assert_eq!(view.total_calls(&number(i)).await, 1);
    }
}

/// `caller`: reading a profile creates no caller and notes no contact.
pub async fn reading_a_profile_changes_nothing(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for _ in 0..2 {
        assert_eq!(view.caller(&number(0)).await, None);
    }
    let read = view.recall(&number(0), NOW_MS).await;
    assert!(!read.known, "reading did not create the caller");

    let before = view.caller(&number(0)).await;
    assert!(before.is_some());
    for _ in 0..3 {
        assert_eq!(view.caller(&number(0)).await, before);
    }
}

/// `transcript`: there is none of a call that does not exist.
pub async fn an_unknown_call_has_no_transcript(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    view.end(&record(&number(0), "session", NOW_MS, 1)).await;
    assert_eq!(view.transcript(CallId(Uuid::now_v7())).await, None);
    assert_eq!(view.transcript(CallId(Uuid::nil())).await, None);
}

/// MUST 2: a caller, their calls and counts are not shown to another tenant.
pub async fn callers_and_counts_stay_in_their_tenant(fixture: &CallerMemoryFixture) {
    let (own, other) = (View::first(fixture), View::second(fixture));
    own.end(&record(&number(0), "one", NOW_MS, 1)).await;
    own.end(&record(&number(0), "two", NOW_MS, 2)).await;
    let call = own.calls(&number(0)).await.remove(0);

    assert_eq!(other.caller(&number(0)).await, None);
    assert_eq!(other.transcript(call.call_id).await, None);
    let read = other.recall(&number(0), NOW_MS + 9_000).await;
    assert!(!read.known, "another tenant's caller is unknown");
    assert_eq!(read.caller.first_seen_ms, NOW_MS + 9_000);
    assert_eq!(read.caller.total_calls, 0);
    assert_eq!(read.memory_changed_ms, None);
    assert!(read.recent_calls.is_empty());

    other.end(&record(&number(0), "three", NOW_MS + 20_000, 3)).await;
    assert_eq!(other.total_calls(&number(0)).await, 1);
    let profile = own.caller(&number(0)).await.unwrap();
    assert_eq!((profile.total_calls, profile.last_seen_ms), (2, NOW_MS));
}

/// MUST 2: one session id in two tenants names two calls, of which each has its own start, text and corrections.
pub async fn sessions_stay_in_their_tenant(fixture: &CallerMemoryFixture) {
    let (own, other) = (View::first(fixture), View::second(fixture));
    let began_at_ms = NOW_MS - 777_000;
    own.recall_in(&number(0), began_at_ms, "session").await;
    let ours = record(&number(0), "session", NOW_MS, 9);
    own.end(&ours).await;
    own.started_at(&number(0), began_at_ms).await;

    let mut theirs = record(&number(0), "session", NOW_MS + 1_000, 5);
    theirs.call.transcript = vec![turn(Role::User, "Quite another call.", 0.0)];
    theirs.summary = String::from("Quite another call.");
    other.end(&theirs).await;

    let (our_call, their_call) = (own.only_call(&number(0)).await, other.only_call(&number(0)).await);
    assert_ne!(our_call.call_id, their_call.call_id);
    assert_eq!(our_call.summary, ours.summary);
    assert_eq!(their_call.summary, theirs.summary);
    assert_eq!(
        their_call.started_at_ms, theirs.started_at_ms,
        "another tenant's recall gives no start"
    );
    assert_eq!(own.transcript(our_call.call_id).await, Some(ours.call.transcript));
    assert_eq!(other.transcript(their_call.call_id).await, Some(theirs.call.transcript));
    assert_eq!(own.transcript(their_call.call_id).await, None);
    assert_eq!(other.transcript(our_call.call_id).await, None);

    // A correction that moves their call to another number leaves ours where it is.
    other.end(&record(&number(1), "session", NOW_MS + 2_000, 6)).await;
    assert_eq!(
        (own.total_calls(&number(0)).await, own.total_calls(&number(1)).await),
        (1, 0)
    );
    assert_eq!(
        (other.total_calls(&number(0)).await, other.total_calls(&number(1)).await),
        (0, 1)
    );
}

/// MUST 1 and 3: with a deadline that has passed, every method says so promptly; none takes it for "not found".
pub async fn a_passed_deadline_is_unavailable(fixture: &CallerMemoryFixture) {
    let View { memory, tenant } = View::first(fixture);
    let known = record(&number(0), "session", NOW_MS, 1);
    memory.record_end(tenant, &known, ample()).await.unwrap();
    let call_id = View::first(fixture).only_call(&number(0)).await.call_id;

    for i in [0, 1] {
        let asked = query_in(&number(i), NOW_MS, "another session");
        let read = promptly("recall", memory.recall(tenant, &asked, passed())).await;
        assert!(is_unavailable(&read), "recall with a passed deadline: {read:?}");
        let read = promptly("caller", memory.caller(tenant, &number(i), passed())).await;
        assert!(is_unavailable(&read), "caller with a passed deadline: {read:?}");
    }
    for id in [call_id, CallId(Uuid::nil())] {
        let read = promptly("transcript", memory.transcript(tenant, id, passed())).await;
        assert!(is_unavailable(&read), "transcript with a passed deadline: {read:?}");
    }
    let another = record(&number(2), "another session", NOW_MS, 2);
    let written = promptly("record_end", memory.record_end(tenant, &another, passed())).await;
    assert!(
        is_unavailable(&written),
        "record_end with a passed deadline: {written:?}"
    );
}

/// MUST 1: whatever the deadline, `record_end` returns by it and leaves the call whole or not at all; a retry mends it.
pub async fn a_missed_deadline_leaves_all_or_nothing(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    let steps = [0, 20, 50, 100, 200, 400, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000];
    for (i, micros) in steps.into_iter().enumerate() {
        let time = Duration::from_micros(micros);
        let record = record(&number(i), &format!("session {i}"), NOW_MS, 1);
        let began = Instant::now();
        let written = view.memory.record_end(view.tenant, &record, within(time)).await;
        let took = began.elapsed();
        assert!(
            took < time + GRACE,
            "record_end returned {took:?} after it began; the deadline was {time:?}"
        );
        assert!(
            written.is_ok() || is_unavailable(&written),
            "a missed deadline is {written:?}"
        );
        let is_there = view.is_whole(&record).await;
        assert!(is_there || written.is_err(), "what was acknowledged is there");
        view.end(&record).await;
        assert!(view.is_whole(&record).await, "the retry is acknowledged and there");
    }
    // The reads keep their deadlines too.
    for (i, micros) in steps.into_iter().enumerate() {
        let time = Duration::from_micros(micros);
        let began = Instant::now();
        let query = query_in(&number(i), NOW_MS, "session");
        let read = view.memory.recall(view.tenant, &query, within(time)).await;
        assert!(began.elapsed() < time + GRACE, "recall is late");
        match read {
            Ok(read) => assert!(read.known && read.caller.total_calls == 1),
            Err(error) => assert!(
                matches!(error, PortError::Unavailable(_)),
                "a missed deadline is {error:?}"
            ),
        }
    }
}

/// Polls `work` so many times and drops it; what it gave when it was quick enough.
async fn dropped_after<T>(polls: usize, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    for _ in 0..polls {
        let polled = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
        if let Poll::Ready(done) = polled {
            return Some(done);
        }
        tokio::task::yield_now().await;
    }
    None
}

/// MUST 1: a call end that is dropped midway is done as a whole, now or later, or not at all; a retry counts once.
pub async fn a_dropped_end_leaves_all_or_nothing(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for (i, polls) in POLLS.into_iter().enumerate() {
        let record = record(&number(i), &format!("session {i}"), NOW_MS, 1);
        let work = view.memory.record_end(view.tenant, &record, ample());
        let done = dropped_after(polls, work).await;
        let is_there = view.is_whole(&record).await;
        assert!(is_there || done.is_none(), "what was acknowledged is there");
        view.end(&record).await;
        assert!(view.is_whole(&record).await, "the retry is acknowledged and there");
    }
    // Nothing that was dropped counts again later, and the store still takes calls.
    for i in 0..POLLS.len() {
        view.end(&record(&number(i), &format!("second session {i}"), NOW_MS, 2))
            .await;
        assert_eq!(view.total_calls(&number(i)).await, 2);
    }
}

/// MUST 1: a correction that is dropped while it moves a call leaves the call with one of the two callers.
pub async fn a_dropped_correction_leaves_all_or_nothing(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for (i, polls) in POLLS.into_iter().enumerate() {
        let (wrong, right) = (number(2 * i), number(2 * i + 1));
        let session = format!("session {i}");
        view.end(&record(&wrong, &session, NOW_MS, 1)).await;
        let correction = record(&right, &session, NOW_MS + 1_000, 2);
        let work = view.memory.record_end(view.tenant, &correction, ample());
        dropped_after(polls, work).await;
        // The two reads are not one: the correction may still land between them.
        eventually("the call is with one caller", async || {
            let (before, after) = (view.recall(&wrong, 0).await, view.recall(&right, 0).await);
            for read in [&before, &after] {
                assert_eq!(read.caller.total_calls, read.recent_calls.len() as u64);
            }
            (before.caller.total_calls + after.caller.total_calls == 1).then_some(())
        })
        .await;
        view.end(&correction).await;
        assert_eq!((view.total_calls(&wrong).await, view.total_calls(&right).await), (0, 1));
    }
}

/// MUST 1: a recall that is dropped midway has made the caller or has not; the next one is right in either case.
pub async fn a_dropped_recall_leaves_all_or_nothing(fixture: &CallerMemoryFixture) {
    let view = View::first(fixture);
    for (i, polls) in POLLS.into_iter().enumerate() {
        let caller = number(i);
        let query = query_in(&caller, NOW_MS, &format!("session {i}"));
        let work = view.memory.recall(view.tenant, &query, ample());
        let done = dropped_after(polls, work).await;
        let next = view.recall(&caller, NOW_MS + 1_000).await;
        assert!(next.known || done.is_none(), "a caller who was shown exists");
        assert_eq!(next.caller.total_calls, 0);
        let first_seen = [NOW_MS, NOW_MS + 1_000];
        assert!(first_seen.contains(&next.caller.first_seen_ms), "the caller is whole");
        assert!(view.recall(&caller, NOW_MS + 2_000).await.known);
    }
}

/// Expands to the contract suite of [`CallerMemory`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`CallerMemoryFixture`]`>`; see
/// [`contract`](crate::contract) for an example.
#[macro_export]
macro_rules! caller_memory_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, caller_memory:
            simultaneous_first_recalls_make_one_caller,
            simultaneous_first_recalls_and_ends_make_one_caller,
            first_contacts_in_two_processes_make_one_caller,
            a_first_contact_has_an_empty_profile,
            a_caller_created_by_an_end_is_known,
            a_recall_shows_the_profile_before_this_contact,
            recent_calls_are_the_five_newest_by_start,
            calls_of_one_start_are_ordered_by_commit,
            a_recall_shows_every_call_that_was_acknowledged,
            a_recall_shows_calls_acknowledged_by_another_process,
            a_recall_notes_the_contact,
            last_seen_only_moves_forward,
            replayed_calls_are_seen_when_they_happened,
            a_recall_gives_the_start_of_its_call,
            a_late_note_gives_the_start_of_a_quicker_call,
            the_first_recall_of_a_session_gives_the_start,
            a_correction_keeps_the_start_of_the_recall,
            an_end_creates_the_caller,
            themes_add_up_and_follow_corrections,
            simultaneous_ends_count_exactly,
            a_repeated_end_counts_once,
            the_same_report_again_changes_nothing,
            a_correction_replaces_every_field,
            a_difference_in_any_field_is_a_correction,
            a_correction_of_the_number_moves_the_call,
            the_later_arrival_wins,
            a_repeat_counts_as_an_arrival,
            simultaneous_corrections_leave_the_last_arrival,
            another_process_corrects_whatever_its_arrival,
            transcripts_survive_any_text,
            transcripts_of_any_length_survive,
            the_times_of_turns_are_exact,
            durations_are_exact,
            outcomes_and_starts_are_exact,
            summaries_survive_any_text,
            session_ids_are_told_apart_exactly,
            any_metadata_is_taken,
            reading_a_profile_changes_nothing,
            an_unknown_call_has_no_transcript,
            callers_and_counts_stay_in_their_tenant,
            sessions_stay_in_their_tenant,
            a_passed_deadline_is_unavailable,
            a_missed_deadline_leaves_all_or_nothing,
            a_dropped_end_leaves_all_or_nothing,
            a_dropped_correction_leaves_all_or_nothing,
            a_dropped_recall_leaves_all_or_nothing,
        }
    };
}
