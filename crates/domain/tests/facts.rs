//! Facts from what people say: what must hold of any transcript, and what stands of what was said.

use domain::{
    call::{self, Role, Turn},
    facts::{self, Extraction, Fact, FactKey, FactOutcome, FactView, SaidFact, Status},
};
use language::findings::{self, Finding, Statement, Terms, Topic};
use proptest::prelude::*;

fn turns(lines: &[&str]) -> Vec<Turn> {
    lines
        .iter()
        .map(|line| {
            let agent = line.strip_prefix("A: ");
            Turn {
                role: if agent.is_some() { Role::Agent } else { Role::User },
                text: agent.unwrap_or(line).to_owned(),
                ts_ms: 0.0,
            }
        })
        .collect()
}

fn of_call(transcript: &[Turn]) -> Extraction {
    let read = call::read(transcript);
    facts::of_call(&read, &findings::of_call(&read, None))
}

#[test]
fn a_newer_statement_supersedes_the_older_which_stays() {
    let call = turns(&[
        "my number is 202-555-0142",
        "A: okay",
        "sorry my number is 202-555-0143",
        "order number 48213",
        "order number 48214",
    ]);
    let found = of_call(&call);
    assert_eq!(
        found
            .facts
            .iter()
            .filter(|fact| fact.key == FactKey::CallbackNumber)
            .count(),
        2
    );
    let standing = facts::standing(&found.facts, |fact| FactView::new(fact.key, &fact.value, None));
    let values: Vec<&str> = standing.iter().map(|fact| fact.value.as_str()).collect();
    assert_eq!(values, ["order 48214", "order 48213", "2025550143"]);
}

#[test]
fn each_key_ends_in_a_named_outcome() {
    let found = of_call(&turns(&[
        "my name is ana ruiz",
        "my email is jane doe at example dot com",
    ]));
    let outcome = |key| {
        found
            .outcomes
            .iter()
            .find(|(other, _)| *other == key)
            .map(|(_, outcome)| outcome.as_str())
    };
    assert_eq!(found.outcomes.len(), FactKey::ALL.len());
    assert_eq!(outcome(FactKey::Name), Some(FactOutcome::Found.as_str()));
    assert_eq!(outcome(FactKey::Email), Some("doubtful"));
    assert_eq!(outcome(FactKey::City), Some("nothing"));
}

#[test]
fn debug_output_shows_no_words() {
    let found = of_call(&turns(&["my name is ana ruiz"]));
    assert!(!format!("{found:?}").to_lowercase().contains("ana"));
}

/// Words that make transcripts in which the rules find something.
fn words() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "my name is",
        "ana",
        "Ruiz",
        "this is",
        "calling",
        "it's",
        "no",
        "with an h",
        "my email is",
        "jane",
        "at",
        "dot",
        "com",
        "example",
        "my number is",
        "two",
        "oh",
        "five",
        "202-555-0142",
        "my address is",
        "12",
        "main street",
        "i live in",
        "springfield",
        "call me",
        "after 5 pm",
        "tuesday",
        "mornings",
        "work best",
        "text me",
        "instead",
        "order number",
        "AB-1234",
        "your appointment is",
        "at nine",
        "we will",
        "send you",
        "the invoice",
        "<unk>",
        "[noise]",
        "car~",
        "uh",
        ",",
        ".",
        "?",
        "İ",
        "ß’s",
        "日本",
        "\u{202e}",
        "\u{0}",
        "👩‍👩‍👧",
        "a",
        "b",
        "c",
        "what is your name",
        "your email",
        "phone number",
        "s-m-i-t-h",
    ]);
    prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn quotes_are_spans_of_turns_of_the_right_speaker(
        lines in prop::collection::vec((any::<bool>(), prop_oneof![words(), any::<String>()]), 0..8)
    ) {
        let call: Vec<Turn> = lines
            .into_iter()
            .map(|(agent, text)| Turn { role: if agent { Role::Agent } else { Role::User }, text, ts_ms: 0.0 })
            .collect();
        let found = of_call(&call);
        for fact in &found.facts {
            let role = call[fact.turn].role;
            prop_assert!(facts::is_evidence(&call, fact.turn, role, &fact.quote), "{}", fact.key.as_str());
            prop_assert!(!fact.value.is_empty() && !fact.value.chars().any(char::is_control));
            match fact.key {
                FactKey::Amount | FactKey::Promise => prop_assert_eq!(role, Role::Agent),
                FactKey::Reference | FactKey::Appointment | FactKey::Order => {}
                _ => prop_assert_eq!(role, Role::User),
            }
        }
        prop_assert_eq!(&found, &of_call(&call));
    }
}

#[test]
fn what_is_said_again_stands_once_and_so_many_of_a_key_stand() {
    let said: Vec<(FactKey, String)> = (0..20)
        .map(|i| (FactKey::Promise, format!("promise {}", i % 12)))
        .collect();
    let standing = facts::standing(&said, |(key, value)| FactView::new(*key, value, None));
    let values: Vec<&str> = standing.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, (0..8).rev().map(|i| format!("promise {i}")).collect::<Vec<_>>());
}

#[test]
fn what_was_called_off_keeps_out_nothing_that_is_agreed() {
    let mut said = vec![("checkup".to_owned(), Status::Agreed)];
    for thing in [
        "table", "taxi", "haircut", "room", "massage", "lesson", "repair", "tour", "wash",
    ] {
        said.push((thing.to_owned(), Status::Agreed));
        said.push((format!("{thing} today"), Status::Cancelled));
    }
    let standing = facts::standing(&said, |(value, status)| FactView {
        key: FactKey::Appointment,
        value,
        when: None,
        status: Some(*status),
    });
    let values: Vec<&str> = standing.iter().map(|(value, _)| value.as_str()).collect();
    assert_eq!(values, ["wash today", "tour today", "checkup"]);
}

/// A fact of the property below: its order, and what the rule goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    order: usize,
    key: FactKey,
    value: &'static str,
    when: Option<&'static str>,
    status: Option<Status>,
}

impl Known {
    fn stated(&self) -> FactView<'_> {
        FactView {
            key: self.key,
            value: self.value,
            when: self.when,
            status: self.status,
        }
    }
}

fn known() -> impl Strategy<Value = Vec<Known>> {
    let key = prop_oneof![Just(FactKey::City), Just(FactKey::Order), Just(FactKey::Appointment)];
    let value = prop::sample::select(vec![
        "haircut",
        "haircut for Ana",
        "haircut for Ben",
        "Ben's haircut with a shave",
        "taxi",
        "taxi to the station",
        "table for two",
        "table at Nonna's",
        "boiler inspection",
        "technician",
        "room with a view",
        "appointment",
        "friday",
    ]);
    let when = prop::sample::select(vec![None, Some("2026-01-02"), Some("2026-01-03T10:00")]);
    let status = prop::sample::select(vec![
        None,
        Some(Status::Agreed),
        Some(Status::Agreed),
        Some(Status::Requested),
        Some(Status::Moved),
        Some(Status::Cancelled),
    ]);
    let one = (key, value, when, status).prop_map(|(key, value, when, status)| Known {
        order: 0,
        key,
        value,
        when: status.and(when),
        status: status.filter(|_| key != FactKey::City),
    });
    // Now and then more than the rule of closing reaches back.
    let several = prop_oneof![
        4 => prop::collection::vec(one.clone(), 1..30),
        1 => prop::collection::vec(one, 100..140),
    ];
    let several = several.prop_map(|mut said| {
        for (order, said) in said.iter_mut().enumerate() {
            said.order = order;
        }
        said
    });
    several.prop_shuffle()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_stands_is_the_same_when_calls_arrive_one_by_one(arriving in known(), together in 1..4_usize) {
        let mut all: Vec<Known> = Vec::new();
        let mut standing: Vec<Known> = Vec::new();
        // Long histories arrive in fewer parts, so that the test stays quick.
        let together = together * (1 + arriving.len() / 20);
        for new in arriving.chunks(together) {
            all.extend_from_slice(new);
            all.sort_by_key(|fact| fact.order);
            let of_all = facts::standing(all.clone(), Known::stated);
            let with = facts::standing_with(standing, new.to_vec(), Known::stated, |fact| fact.order);
            if let Some(with) = with {
                prop_assert_eq!(&with, &of_all);
            }
            standing = of_all;
        }
    }
}

#[test]
fn what_is_called_off_may_have_been_kept_under_another_key() {
    let said = |order, key, value, status| Known {
        order,
        key,
        value,
        when: None,
        status: Some(status),
    };
    let booked = said(0, FactKey::Appointment, "haircut for Ana", Status::Agreed);
    let off = said(1, FactKey::Order, "haircut", Status::Cancelled);
    let of_all = facts::standing([booked.clone(), off.clone()], Known::stated);
    assert_eq!(of_all, std::slice::from_ref(&off));
    let with = facts::standing_with(vec![off], vec![booked], Known::stated, |fact| fact.order);
    assert_eq!(with, None);
}

#[test]
fn what_is_booked_again_in_the_same_call_stands() {
    let stated = |turn, value: &str, status| {
        Finding::Statement(Statement {
            topic: Topic::Appointment,
            value: value.to_owned(),
            turn,
            span: 0..1,
            earlier: Vec::new(),
            terms: Some(Terms {
                day: None,
                clock: None,
                status,
            }),
        })
    };
    let transcript = turns(&["A: one", "A: two", "A: three", "A: four"]);
    let read = call::read(&transcript);
    let booked = |turn| stated(turn, "haircut for Ana", Status::Agreed);
    let off = |turn| stated(turn, "haircut", Status::Cancelled);
    let standing = |findings: &[Finding]| {
        let facts = facts::of_call(&read, findings).facts;
        let standing = facts::standing(facts, |fact| FactView::new(fact.key, &fact.value, fact.terms.as_ref()));
        standing.into_iter().map(|fact| fact.value).collect::<Vec<_>>()
    };
    assert_eq!(
        standing(&[booked(0), off(1), booked(2)]),
        ["haircut for Ana", "haircut"]
    );
    assert_eq!(standing(&[booked(0), off(1), booked(2), off(3)]), ["haircut"]);
    let other = stated(0, "haircut for Ben", Status::Agreed);
    // What is only said again closes nothing more.
    assert_eq!(
        standing(&[other, booked(1), off(2), off(3)]),
        ["haircut", "haircut for Ben"]
    );
}

#[test]
fn everything_is_asked_only_for_what_may_have_been_closed() {
    let said = |order, value, status| Known {
        order,
        key: FactKey::Appointment,
        value,
        when: None,
        status: Some(status),
    };
    let follows = |stood: Known, new: Known| {
        facts::standing_with(vec![stood], vec![new], Known::stated, |fact| fact.order).is_some()
    };
    let off = said(1, "haircut", Status::Cancelled);
    assert!(follows(off.clone(), said(2, "taxi", Status::Agreed)));
    assert!(!follows(off.clone(), said(0, "taxi", Status::Agreed)));
    assert!(!follows(said(0, "haircut", Status::Agreed), off.clone()));
    assert!(!follows(off, said(2, "haircut", Status::Agreed)));
}

#[test]
fn a_statement_is_timed_by_its_turn_and_ordered_by_its_clock_or_the_report() {
    const STARTED_MS: i64 = 1_790_000_000_000;
    const RECEIVED_MS: i64 = STARTED_MS + 60_000;
    for (ts_ms, said_at_ms, order_ms) in [
        (0.0, STARTED_MS, RECEIVED_MS),
        (1_500.7, STARTED_MS + 1_500, RECEIVED_MS),
        (-3.0, STARTED_MS, RECEIVED_MS),
        (f64::from(i32::MAX), RECEIVED_MS, RECEIVED_MS),
        (1_790_000_010_000.0, STARTED_MS + 10_000, STARTED_MS + 10_000),
        (1_690_000_000_000.0, 1_690_000_000_000, 1_690_000_000_000),
        (f64::MAX, RECEIVED_MS, RECEIVED_MS),
    ] {
        let turn = Turn {
            role: Role::User,
            text: String::new(),
            ts_ms,
        };
        let fact = Fact {
            key: FactKey::Name,
            value: "Ana".to_owned(),
            quote: "ana".to_owned(),
            turn: 0,
            terms: None,
        };
        let said = SaidFact::new(fact, &turn, STARTED_MS, RECEIVED_MS);
        assert_eq!((said.said_at_ms, said.order_ms), (said_at_ms, order_ms), "{ts_ms}");
    }
}
