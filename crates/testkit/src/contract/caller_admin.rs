//! The clauses of [`CallerAdmin`].

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    access::TenantId,
    call::RecentCall,
    caller::{
        Caller, Change, DoNotCall, HISTORY_CALLS, History, ImportCounts, Profile, ProfileChange, ProfileEdit,
        ProfileFault,
    },
    correction::{self, Correction, Word},
    error::PortError,
    facts::{FactKey, Status, Terms},
    json::JsonObject,
    memory::{Recollection, Wish},
    phone::PhoneNumber,
    port::{CallerAdmin, CallerMemory, ChangeError},
};

use super::{CallerAdminFixture, at_once, is_unavailable, promptly};
use crate::sample::{NOW_MS, ample, number, passed, query, record, said};

/// Later than every sample call.
const LATER_MS: i64 = NOW_MS + 3_600_000;

/// One tenant's callers, with deadlines that a healthy store keeps.
#[derive(Clone)]
struct View {
    admin: Arc<dyn CallerAdmin>,
    memory: Arc<dyn CallerMemory>,
    tenant: TenantId,
}

impl View {
    fn of(fixture: &CallerAdminFixture, tenant: usize) -> Self {
        Self {
            admin: Arc::clone(&fixture.admin),
            memory: Arc::clone(&fixture.memory),
            tenant: fixture.tenants[tenant],
        }
    }

    async fn import(&self, rows: impl IntoIterator<Item = (PhoneNumber, ProfileChange)>) -> ImportCounts {
        let rows: BTreeMap<_, _> = rows.into_iter().collect();
        let imported = self.admin.import(self.tenant, &rows, LATER_MS, ample()).await;
        imported.expect("a healthy store imports")
    }

    async fn change(&self, number: &PhoneNumber, edit: ProfileEdit) -> Caller {
        let changed = self.admin.change(self.tenant, number, edit, LATER_MS, ample()).await;
        changed.expect("a healthy store changes")
    }

    async fn mark(&self, number: &PhoneNumber, mark: Option<DoNotCall>) -> Option<DoNotCall> {
        let before = self.admin.mark_do_not_call(self.tenant, number, mark, ample()).await;
        before.expect("a healthy store marks")
    }

    async fn marked(&self, after: Option<&PhoneNumber>, most: u32) -> Vec<(PhoneNumber, DoNotCall)> {
        let read = self.admin.do_not_call(self.tenant, after, most, ample()).await;
        read.expect("a healthy store reads")
    }

    async fn history(&self, number: &PhoneNumber) -> Option<History> {
        let read = self.admin.history(self.tenant, number, ample()).await;
        read.expect("a healthy store reads")
    }

    async fn caller(&self, number: &PhoneNumber) -> Option<Caller> {
        let read = self.memory.caller(self.tenant, number, ample()).await;
        read.expect("a healthy memory reads")
    }

    async fn profile(&self, number: &PhoneNumber) -> Option<Profile> {
        self.caller(number).await.map(|caller| profile_of(&caller))
    }

    async fn recall(&self, number: &PhoneNumber) -> Recollection {
        let read = self.memory.recall(self.tenant, &query(number, LATER_MS), ample()).await;
        read.expect("a healthy memory recalls")
    }

    async fn end(&self, number: &PhoneNumber, session: &str, received_at_ms: i64) {
        let call = record(number, session, received_at_ms, 1);
        let written = self.memory.record_end(self.tenant, &call, ample()).await;
        written.expect("a healthy memory records");
    }
}

fn profile_of(caller: &Caller) -> Profile {
    Profile {
        name: caller.name.clone(),
        tags: caller.tags.clone(),
        custom_attributes: caller.custom_attributes.clone(),
        corrections: caller.corrections.clone(),
    }
}

/// The calls of a history as a recall shows them.
fn recalled_of(history: &History) -> Vec<RecentCall> {
    history.calls.iter().map(|shown| shown.call.clone()).collect()
}

fn json(text: &str) -> JsonObject {
    JsonObject::from_validated(text.to_owned())
}

fn profile(name: &str, tags: &[&str], attributes: &str) -> Profile {
    Profile {
        name: Some(name.to_owned()),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        custom_attributes: json(attributes),
        corrections: Vec::new(),
    }
}

/// The change that makes any profile this one.
fn all_of(profile: &Profile) -> ProfileChange {
    ProfileChange {
        name: profile.name.clone().map_or(Change::Clear, Change::Set),
        tags: Change::Set(profile.tags.clone()),
        custom_attributes: Change::Set(profile.custom_attributes.clone()),
    }
}

fn named(name: &str) -> ProfileChange {
    ProfileChange {
        name: Change::Set(name.to_owned()),
        ..ProfileChange::default()
    }
}

/// An edit that makes any profile this one.
fn to(profile: Profile) -> ProfileEdit {
    Arc::new(move |_| Ok(profile.clone()))
}

/// An edit that adds a tag.
fn tag(tag: &str) -> ProfileEdit {
    let tag = tag.to_owned();
    Arc::new(move |mut profile| {
        profile.tags.push(tag.clone());
        Ok(profile)
    })
}

fn refuse() -> ProfileEdit {
    Arc::new(|_| Err(ProfileFault::LongName))
}

/// An import creates the callers that there are not; a recall knows them, without calls.
pub async fn an_import_creates_callers_that_recalls_know(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let given = profile("Maren Okafor", &["vip", "gold"], r#"{"plan":"gold"}"#);
    let imported = view
        .import([(number(0), all_of(&given)), (number(1), ProfileChange::default())])
        .await;
    assert_eq!(
        imported,
        ImportCounts {
            created: 2,
            ..ImportCounts::default()
        }
    );
    let recalled = view.recall(&number(0)).await;
    assert!(recalled.known, "an imported caller is known");
    assert_eq!(profile_of(&recalled.caller), given);
    assert_eq!(
        (recalled.caller.first_seen_ms, recalled.caller.last_seen_ms),
        (LATER_MS, LATER_MS)
    );
    assert_eq!((recalled.caller.total_calls, recalled.recent_calls), (0, Vec::new()));
    assert_eq!(recalled.memory_changed_ms, None, "a profile is no memory");
    let bare = view.recall(&number(1)).await;
    assert!(bare.known);
    assert_eq!(profile_of(&bare.caller), Profile::default());
}

/// An import sets and clears what it names, each part by itself, and keeps what it does not name.
pub async fn an_import_changes_each_part_by_itself(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let caller = number(0);
    let first = profile("Maren", &["a", "b"], r#"{"k":1}"#);
    view.import([(caller.clone(), all_of(&first))]).await;
    let keep = ProfileChange::default;
    let steps: [(ProfileChange, Profile); 7] = [
        (keep(), first.clone()),
        (named("Noor"), profile("Noor", &["a", "b"], r#"{"k":1}"#)),
        (
            ProfileChange {
                tags: Change::Set(vec!["c".to_owned()]),
                ..keep()
            },
            profile("Noor", &["c"], r#"{"k":1}"#),
        ),
        (
            ProfileChange {
                custom_attributes: Change::Set(json(r#"{"l":2}"#)),
                ..keep()
            },
            profile("Noor", &["c"], r#"{"l":2}"#),
        ),
        (
            ProfileChange {
                tags: Change::Clear,
                ..keep()
            },
            profile("Noor", &[], r#"{"l":2}"#),
        ),
        (
            ProfileChange {
                custom_attributes: Change::Clear,
                ..keep()
            },
            profile("Noor", &[], "{}"),
        ),
        (
            ProfileChange {
                name: Change::Clear,
                ..keep()
            },
            Profile::default(),
        ),
    ];
    for (change, expected) in steps {
        view.import([(caller.clone(), change.clone())]).await;
        assert_eq!(view.profile(&caller).await, Some(expected), "after {change:?}");
    }
}

/// An import leaves the calls and when a caller was seen.
pub async fn an_import_leaves_calls_and_contacts(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let caller = number(0);
    view.end(&caller, "one", NOW_MS).await;
    view.end(&caller, "two", NOW_MS + 60_000).await;
    let before = view.history(&caller).await.expect("a caller");
    view.import([(caller.clone(), all_of(&profile("Maren", &["vip"], r#"{"k":1}"#)))])
        .await;
    let after = view.history(&caller).await.expect("a caller");
    assert_eq!(after.calls, before.calls);
    assert_eq!(
        (
            after.caller.first_seen_ms,
            after.caller.last_seen_ms,
            after.caller.total_calls
        ),
        (NOW_MS, NOW_MS + 60_000, 2)
    );
    let recalled = view.recall(&caller).await;
    assert_eq!(recalled.memory_changed_ms, Some(NOW_MS + 60_000));
    assert_eq!(recalled.recent_calls, recalled_of(&before));
}

/// Every caller of an import is counted once: created, updated or unchanged.
pub async fn an_import_counts_each_caller_once(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let all: Vec<_> = (0..60)
        .map(|index| {
            (
                number(index),
                all_of(&profile(&format!("Caller {index}"), &["a"], "{}")),
            )
        })
        .collect();
    let counts = |created, updated, unchanged| ImportCounts {
        created,
        updated,
        unchanged,
    };
    assert_eq!(view.import([]).await, counts(0, 0, 0));
    assert_eq!(view.import(all[..40].to_vec()).await, counts(40, 0, 0));
    assert_eq!(view.import(all.clone()).await, counts(20, 0, 40));
    assert_eq!(view.import(all).await, counts(0, 0, 60), "a repeat changes nothing");
    let clear = |name, tags| ProfileChange {
        name,
        tags,
        custom_attributes: Change::Keep,
    };
    let mixed = [
        (number(0), named("Another")),
        (number(1), named("Caller 1")),
        (number(2), ProfileChange::default()),
        (number(3), clear(Change::Clear, Change::Keep)),
        (number(4), clear(Change::Keep, Change::Clear)),
        (number(60), named("Caller 60")),
        (number(61), clear(Change::Clear, Change::Clear)),
    ];
    assert_eq!(view.import(mixed.clone()).await, counts(2, 3, 2));
    assert_eq!(view.import(mixed).await, counts(0, 0, 7));
}

/// Simultaneous imports and first contacts make one caller, who has what was imported.
pub async fn an_import_meets_simultaneous_first_contacts(fixture: &CallerAdminFixture) {
    for round in 0..5 {
        let view = View::of(fixture, 0);
        let callers = || (round * 10..round * 10 + 10).map(number);
        let given = profile("Maren", &["vip"], r#"{"k":1}"#);
        let work = (0..12).map(|task| {
            let (view, given) = (view.clone(), given.clone());
            let callers: Vec<_> = callers().collect();
            async move {
                if task % 3 == 0 {
                    let rows = callers.iter().map(|caller| (caller.clone(), all_of(&given)));
                    let imported = view.import(rows).await;
                    imported.created + imported.updated + imported.unchanged
                } else {
                    for caller in &callers {
                        view.recall(caller).await;
                    }
                    10
                }
            }
        });
        assert!(at_once(work).await.iter().all(|counted| *counted == 10));
        for caller in callers() {
            assert_eq!(view.profile(&caller).await, Some(given.clone()));
        }
    }
}

/// Names, tags and attributes are kept exactly, whatever text they hold, by imports and by changes.
pub async fn profiles_survive_any_text(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let texts = [
        "O'Brien \"Bob\" \\ % _ ; --",
        "Größe 中文 العربية 👩‍👩‍👧 e\u{301}",
        "null",
        "[]",
        "{}",
        "$1 ? :name",
        "line\nbreak\ttab\r\u{1b}",
        "\u{2028}\u{feff}\u{e000}",
    ];
    let attributes = [
        r#"{"b": 1.00, "a": 1e400, "a" : [null, true, {"x": "\\u0000 \u00e9 \" '"}], "": ""}"#,
        "{\n  \"k\" : \"v\"\n}",
        r#"{"n":12345678901234567890123456789,"f":0.1}"#,
    ];
    for (index, text) in texts.into_iter().enumerate() {
        let given = profile(text, &[text, "x"], attributes[index % attributes.len()]);
        let (imported, changed) = (number(index), number(50 + index));
        view.import([(imported.clone(), all_of(&given))]).await;
        assert_eq!(
            view.profile(&imported).await,
            Some(given.clone()),
            "created by an import"
        );
        view.import([(imported.clone(), all_of(&Profile::default()))]).await;
        view.import([(imported.clone(), all_of(&given))]).await;
        assert_eq!(
            view.profile(&imported).await,
            Some(given.clone()),
            "updated by an import"
        );
        let returned = view.change(&changed, to(given.clone())).await;
        assert_eq!(profile_of(&returned), given, "returned by a change");
        assert_eq!(view.profile(&changed).await, Some(given.clone()), "stored by a change");
        let shown = view.history(&changed).await.expect("a caller");
        assert_eq!(profile_of(&shown.caller), given, "shown in a history");
    }
}

/// A change is given what is stored, and what it makes of it is stored; nothing else of the caller changes.
pub async fn a_change_edits_what_is_stored(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let caller = number(0);
    view.end(&caller, "one", NOW_MS).await;
    let before = view.history(&caller).await.expect("a caller");
    let stored = profile("Maren", &["vip"], r#"{"k":1}"#);
    view.import([(caller.clone(), all_of(&stored))]).await;

    let returned = view.change(&caller, tag("gold")).await;
    let expected = Caller {
        name: stored.name.clone(),
        tags: vec!["vip".to_owned(), "gold".to_owned()],
        custom_attributes: stored.custom_attributes.clone(),
        ..before.caller.clone()
    };
    assert_eq!(returned, expected);
    assert_eq!(view.caller(&caller).await, Some(expected));
    assert_eq!(view.history(&caller).await.expect("a caller").calls, before.calls);

    let cleared = view.change(&caller, to(Profile::default())).await;
    assert_eq!(cleared, before.caller);
    assert_eq!(view.caller(&caller).await, Some(cleared));
}

/// A change of an unknown caller begins with an empty profile and creates the caller.
pub async fn a_change_creates_the_caller(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let caller = number(0);
    let edit: ProfileEdit = Arc::new(|profile| {
        assert_eq!(profile, Profile::default(), "nothing is stored");
        Ok(Profile {
            name: Some("Maren".to_owned()),
            ..profile
        })
    });
    let created = view.change(&caller, edit).await;
    assert_eq!(
        (created.first_seen_ms, created.last_seen_ms, created.total_calls),
        (LATER_MS, LATER_MS, 0)
    );
    assert_eq!(view.caller(&caller).await, Some(created));
    let recalled = view.recall(&caller).await;
    assert!(recalled.known && recalled.caller.name.as_deref() == Some("Maren"));
}

fn corrected_by(corrections: &[Correction]) -> ProfileEdit {
    let corrections = corrections.to_vec();
    Arc::new(move |mut stored: Profile| {
        for correction in corrections.clone() {
            correction::add(&mut stored.corrections, correction)?;
        }
        Ok(stored)
    })
}

fn dropped(key: FactKey, at_ms: i64) -> Correction {
    let word = Word::Drop { value: None };
    Correction { key, word, at_ms }
}

fn set(key: FactKey, value: &str, terms: Option<Terms>) -> Correction {
    let word = Word::Set {
        value: value.to_owned(),
        terms,
    };
    let at_ms = LATER_MS;
    Correction { key, word, at_ms }
}

/// MUST 3 and 4: the operator's word stands over what was heard, in recalls and as the name, whatever is said later;
/// what was dropped is heard again when it is said again.
pub async fn corrections_stand_over_what_was_heard(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let caller = number(0);
    let mut call = record(&caller, "one", NOW_MS, 1);
    call.facts = vec![
        said(FactKey::Name, "Pete", NOW_MS),
        said(FactKey::City, "York", NOW_MS),
        said(FactKey::Email, "pete@example.com", NOW_MS),
    ];
    view.memory.record_end(view.tenant, &call, ample()).await.unwrap();
    let before = view.recall(&caller).await;
    assert_eq!(before.caller.name.as_deref(), Some("Pete"));

    let terms = Terms {
        when: Some("2026-10-09T16:15".to_owned()),
        status: Status::Agreed,
    };
    let corrections = [
        set(FactKey::City, "Leeds \u{1f600} \"'", None),
        set(FactKey::Appointment, "haircut", Some(terms.clone())),
        dropped(FactKey::Name, LATER_MS),
    ];
    let returned = view.change(&caller, corrected_by(&corrections)).await;
    assert_eq!(returned.corrections, corrections);
    let read = view.recall(&caller).await;
    let shown: Vec<_> = read
        .facts
        .iter()
        .map(|fact| {
            (
                fact.key,
                fact.value.as_str(),
                fact.call_id.is_some(),
                fact.terms.clone(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (FactKey::Appointment, "haircut", false, Some(terms)),
            (FactKey::City, "Leeds \u{1f600} \"'", false, None),
            (FactKey::Email, "pete@example.com", true, None),
        ]
    );
    assert_eq!(read.caller.name, None, "in a recall");
    assert!(read.memory_changed_ms > before.memory_changed_ms, "the memory changed");
    assert_eq!(view.caller(&caller).await.expect("a caller").name, None, "in a profile");
    assert_eq!(
        view.history(&caller).await.expect("a caller").caller.corrections,
        corrections
    );

    let mut later = record(&caller, "two", LATER_MS + 1_000, 2);
    later.facts = vec![
        said(FactKey::City, "Hull", LATER_MS + 1_000),
        said(FactKey::Name, "Ana", LATER_MS + 1_000),
    ];
    view.memory.record_end(view.tenant, &later, ample()).await.unwrap();
    let read = view.recall(&caller).await;
    assert!(
        read.facts
            .iter()
            .all(|fact| fact.key != FactKey::City || fact.value.starts_with("Leeds")),
        "{:?}",
        read.facts
    );
    assert_eq!(read.caller.name.as_deref(), Some("Ana"), "said again");
    assert_eq!(
        view.caller(&caller).await.expect("a caller").name.as_deref(),
        Some("Ana")
    );
    view.import([(caller.clone(), named("Maren"))]).await;
    let kept = view.history(&caller).await.expect("a caller").caller;
    assert_eq!(kept.corrections, corrections, "an import leaves corrections");
}

/// A change whose edit refuses changes nothing and creates nobody.
pub async fn a_refused_change_changes_nothing(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let stored = profile("Maren", &["vip"], r#"{"k":1}"#);
    view.import([(number(0), all_of(&stored))]).await;
    for caller in [number(0), number(1)] {
        let refused = view
            .admin
            .change(view.tenant, &caller, refuse(), LATER_MS, ample())
            .await;
        assert!(
            matches!(refused, Err(ChangeError::Refused(ProfileFault::LongName))),
            "{refused:?}"
        );
    }
    assert_eq!(view.profile(&number(0)).await, Some(stored));
    assert_eq!(view.caller(&number(1)).await, None, "nobody is created");
}

/// `mark_do_not_call`: the first mark stays until it is taken away; every recall and profile shows it, and the list has
/// all who are marked, by number, a page at a time.
pub async fn a_mark_is_set_once_listed_and_taken_away(fixture: &CallerAdminFixture) {
    let (view, other) = (View::of(fixture, 0), View::of(fixture, 1));
    view.end(&number(1), "one", NOW_MS).await;
    let before = view.caller(&number(1)).await.expect("a caller");
    let noted = |at_ms| DoNotCall {
        at_ms,
        quote: None,
        call_id: None,
    };
    assert_eq!(view.mark(&number(0), None).await, None, "there is nothing to take away");
    assert_eq!(view.caller(&number(0)).await, None, "and nobody is created for that");
    for (index, at_ms) in [(2, 7), (0, 5), (1, 6)] {
        assert_eq!(view.mark(&number(index), Some(noted(at_ms))).await, None);
        let again = view.mark(&number(index), Some(noted(99))).await;
        assert_eq!(again, Some(noted(at_ms)), "the first stays");
        assert_eq!(view.recall(&number(index)).await.caller.do_not_call, Some(noted(at_ms)));
    }
    let created = view.caller(&number(0)).await.expect("created by the mark");
    assert_eq!((created.first_seen_ms, created.total_calls), (5, 0));
    let marked = view.caller(&number(1)).await.expect("a caller");
    let expected = Caller {
        do_not_call: Some(noted(6)),
        ..before.clone()
    };
    assert_eq!((marked.total_calls, &marked.do_not_call), (1, &expected.do_not_call));

    let all = [(number(0), noted(5)), (number(1), noted(6)), (number(2), noted(7))];
    assert_eq!(view.marked(None, 9).await, all);
    assert_eq!(view.marked(None, 2).await, all[..2]);
    assert_eq!(view.marked(Some(&number(1)), 2).await, all[2..]);
    assert_eq!(view.marked(Some(&number(2)), 2).await, []);
    assert_eq!(other.marked(None, 9).await, [], "marks stay in their tenant");
    assert_eq!(other.mark(&number(1), None).await, None);

    assert_eq!(view.mark(&number(1), None).await, Some(noted(6)));
    assert_eq!(view.caller(&number(1)).await.expect("a caller").do_not_call, None);
    assert_eq!(view.marked(None, 9).await, [all[0].clone(), all[2].clone()]);
}

/// `record_end` MUST 11: a mark that was taken away is not set again by a correction of the call that set it, but by a
/// new call.
pub async fn a_call_marks_its_caller_once(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let wishing = async |session: &str, arrival: i64| {
        let mut call = record(&number(0), session, NOW_MS + arrival, arrival);
        call.call.duration_s = 60.0 + f64::from(i32::try_from(arrival).expect("a small number"));
        call.no_more_calls = Some(Wish {
            quote: "stop calling me".to_owned(),
            at_ms: NOW_MS + arrival,
        });
        let written = view.memory.record_end(view.tenant, &call, ample()).await;
        written.expect("a healthy memory records");
        view.caller(&number(0)).await.expect("a caller").do_not_call
    };
    let first = wishing("one", 1).await.expect("a mark");
    assert_eq!(view.mark(&number(0), None).await, Some(first));
    assert_eq!(wishing("one", 2).await, None, "a correction");
    assert_eq!(
        wishing("two", 3).await.map(|mark| mark.at_ms),
        Some(NOW_MS + 3),
        "a new call"
    );
}

/// Simultaneous changes of one caller all take effect, also those that create the caller.
pub async fn simultaneous_changes_all_take_effect(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    for round in 0..3 {
        let caller = number(round);
        let tags: Vec<String> = (0..6).map(|index| format!("tag {index}")).collect();
        at_once(tags.clone().into_iter().map(|one| {
            let (view, caller) = (view.clone(), caller.clone());
            async move { view.change(&caller, tag(&one)).await }
        }))
        .await;
        let mut stored = view.profile(&caller).await.expect("a caller").tags;
        stored.sort();
        assert_eq!(stored, tags);
    }
}

/// A history has the newest calls first, ties by commit, at most a hundred, with all that a recall shows of them.
pub async fn a_history_has_the_newest_calls_first(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let caller = number(0);
    for index in 0..3 {
        view.end(&caller, &format!("tie {index}"), NOW_MS).await;
    }
    view.end(&number(1), "of somebody else", NOW_MS + 1).await;
    let shown = view.history(&caller).await.expect("a caller");
    assert_eq!(recalled_of(&shown), view.recall(&caller).await.recent_calls);
    assert_eq!(shown.calls[0].call.summary, record(&caller, "tie 2", NOW_MS, 1).summary);

    for index in 0..HISTORY_CALLS {
        let at_ms = NOW_MS + 1_000 * i64::try_from(index + 1).expect("a small number");
        view.end(&caller, &format!("call {index}"), at_ms).await;
    }
    let shown = view.history(&caller).await.expect("a caller");
    assert_eq!(shown.caller.total_calls, 103, "more than are shown");
    assert_eq!(shown.calls.len(), HISTORY_CALLS);
    let calls = recalled_of(&shown);
    assert!(calls.is_sorted_by(|a, b| a.started_at_ms > b.started_at_ms));
    assert_eq!(calls[..5], view.recall(&caller).await.recent_calls);
}

/// A history shows exactly what the agent reported beside each call, and what the last report says after a correction.
pub async fn a_history_shows_what_agents_reported_beside_calls(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let caller = number(0);
    let objects = [
        None,
        Some("{}"),
        Some(r#"{"agent": "v2", "b": 1.00, "a": 1e400, "a" : [null, {"x": "\u00e9 \" '"}], "": ""}"#),
        Some("{\n  \"k\" : \"中文 👩‍👩‍👧\"\n}"),
    ];
    let report = async |session: usize, arrival: i64, object: Option<&str>| {
        let at_ms = NOW_MS + i64::try_from(session).unwrap_or_default();
        let mut call = record(&caller, &format!("session {session}"), at_ms, arrival);
        call.call.agent_metadata = object.map(json);
        let written = view.memory.record_end(view.tenant, &call, ample()).await;
        written.expect("a healthy memory records");
    };
    for (session, object) in objects.into_iter().enumerate() {
        report(session, 1, object).await;
    }
    let reported = async || -> Vec<Option<JsonObject>> {
        let shown = view.history(&caller).await.expect("a caller");
        shown.calls.into_iter().rev().map(|call| call.agent_metadata).collect()
    };
    assert_eq!(reported().await, objects.map(|object| object.map(json)));

    report(0, 2, Some(r#"{"take":2}"#)).await;
    report(1, 2, None).await;
    let corrected = [Some(r#"{"take":2}"#), None, objects[2], objects[3]];
    assert_eq!(reported().await, corrected.map(|object| object.map(json)));
}

/// An unknown number has no history, and asking for it creates nobody; asking for a known one is no contact.
pub async fn reading_a_history_changes_nothing(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    assert_eq!(view.history(&number(0)).await, None);
    assert_eq!(view.caller(&number(0)).await, None);
    view.import([(number(1), named("Maren"))]).await;
    let before = view.caller(&number(1)).await;
    let history = view.history(&number(1)).await.expect("a caller without calls");
    assert_eq!((Some(history.caller), history.calls), (before.clone(), Vec::new()));
    assert_eq!(view.caller(&number(1)).await, before);
}

/// Nothing of a tenant is shown to another or changed by another.
pub async fn profiles_and_histories_stay_in_their_tenant(fixture: &CallerAdminFixture) {
    let (one, two) = (View::of(fixture, 0), View::of(fixture, 1));
    let first = profile("Maren", &["vip"], r#"{"k":1}"#);
    one.import([(number(0), all_of(&first))]).await;
    one.end(&number(0), "one", NOW_MS).await;
    assert_eq!(two.history(&number(0)).await, None);
    assert_eq!(two.caller(&number(0)).await, None);

    let imported = two.import([(number(0), named("Noor"))]).await;
    assert_eq!(
        imported,
        ImportCounts {
            created: 1,
            ..ImportCounts::default()
        },
        "the caller is new in this tenant"
    );
    let changed = two.change(&number(0), tag("theirs")).await;
    assert_eq!((changed.name.as_deref(), changed.tags.len()), (Some("Noor"), 1));
    assert_eq!(two.history(&number(0)).await.map(|shown| shown.calls), Some(Vec::new()));
    assert_eq!(one.profile(&number(0)).await, Some(first));
    two.change(&number(1), tag("theirs")).await;
    assert_eq!(one.caller(&number(1)).await, None);
}

/// `facts`: what was superseded is shown as such, newest first; an unknown caller has none, and neither has another
/// tenant's.
pub async fn facts_are_shown_with_what_no_longer_stands(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let read = async |tenant: usize| {
        let read = fixture.admin.facts(fixture.tenants[tenant], &number(0), ample()).await;
        read.expect("a healthy store reads")
    };
    assert_eq!(read(0).await, []);
    for (arrival, city) in [(1, "Faro"), (2, "Lisbon"), (3, "Porto")] {
        let mut report = record(&number(0), city, NOW_MS, arrival);
        report.facts = vec![said(FactKey::City, city, NOW_MS + arrival)];
        let ended = fixture.memory.record_end(view.tenant, &report, ample()).await;
        ended.expect("a healthy memory records");
    }
    let facts = read(0).await;
    let shown: Vec<_> = facts
        .iter()
        .map(|shown| (shown.fact.value.as_str(), shown.stands))
        .collect();
    assert_eq!(shown, [("Porto", true), ("Lisbon", false), ("Faro", false)]);
    assert_eq!(facts[1].fact.said_at_ms, NOW_MS + 2);
    assert_eq!(facts[1].fact.quote, "it is Lisbon");
    assert_eq!(read(1).await, []);
}

/// With a deadline that has passed, every method says so promptly and changes nothing.
pub async fn a_passed_deadline_is_unavailable(fixture: &CallerAdminFixture) {
    let view = View::of(fixture, 0);
    let stored = profile("Maren", &["vip"], "{}");
    view.import([(number(0), all_of(&stored))]).await;
    let admin = &*fixture.admin;
    let rows: BTreeMap<_, _> = [(number(0), named("Noor")), (number(1), named("Noor"))].into();
    let imported = promptly("import", admin.import(view.tenant, &rows, LATER_MS, passed())).await;
    assert!(is_unavailable(&imported), "{imported:?}");
    for caller in [number(0), number(1)] {
        let change = admin.change(view.tenant, &caller, tag("late"), LATER_MS, passed());
        let changed = promptly("change", change).await;
        assert!(
            matches!(changed, Err(ChangeError::Port(PortError::Unavailable(_)))),
            "{changed:?}"
        );
        let read = promptly("history", admin.history(view.tenant, &caller, passed())).await;
        assert!(is_unavailable(&read), "a late read is not an unknown caller: {read:?}");
    }
    assert_eq!(view.profile(&number(0)).await, Some(stored));
    assert_eq!(view.caller(&number(1)).await, None);
}

/// Expands to the contract suite of [`CallerAdmin`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`CallerAdminFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! caller_admin_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, caller_admin:
            an_import_creates_callers_that_recalls_know,
            an_import_changes_each_part_by_itself,
            an_import_leaves_calls_and_contacts,
            an_import_counts_each_caller_once,
            an_import_meets_simultaneous_first_contacts,
            profiles_survive_any_text,
            a_change_edits_what_is_stored,
            corrections_stand_over_what_was_heard,
            a_change_creates_the_caller,
            a_refused_change_changes_nothing,
            a_mark_is_set_once_listed_and_taken_away,
            a_call_marks_its_caller_once,
            simultaneous_changes_all_take_effect,
            a_history_has_the_newest_calls_first,
            a_history_shows_what_agents_reported_beside_calls,
            reading_a_history_changes_nothing,
            facts_are_shown_with_what_no_longer_stands,
            profiles_and_histories_stay_in_their_tenant,
            a_passed_deadline_is_unavailable,
        }
    };
}
