//! Phrasings with what a careful listener would note.

use std::collections::{BTreeMap, BTreeSet};

use language::{
    Evidence, Speaker, Transcript,
    findings::{self, Finding, Statement, Topic},
};
use proptest::prelude::*;

const PHRASINGS: &str = include_str!("phrasings.txt");

/// A piece of a call, and what is to be noted, as `key=value`.
struct Phrasing<'t> {
    turns: Vec<(Speaker, &'t str)>,
    wanted: BTreeSet<String>,
}

fn phrasings() -> Vec<Phrasing<'static>> {
    let blocks = PHRASINGS.split("\n\n").map(|block| {
        let (mut turns, mut wanted) = (Vec::new(), BTreeSet::new());
        for line in block.lines().filter(|line| !line.starts_with('#')) {
            if let Some(text) = line.strip_prefix("user: ") {
                turns.push((Speaker::Caller, text));
            } else if let Some(text) = line.strip_prefix("agent: ") {
                turns.push((Speaker::Agent, text));
            } else if let Some(fact) = line.strip_prefix("= ") {
                wanted.insert(fact.to_owned());
            } else {
                assert!(line.is_empty(), "`{line}` is no line of a phrasing");
            }
        }
        Phrasing { turns, wanted }
    });
    blocks.filter(|phrasing| !phrasing.turns.is_empty()).collect()
}

const fn key(topic: Topic) -> &'static str {
    match topic {
        Topic::Name => "name",
        Topic::Email => "email",
        Topic::CallbackNumber => "callback_number",
        Topic::Address => "address",
        Topic::City => "city",
        Topic::PreferredTime => "preferred_time",
        Topic::PreferredChannel => "preferred_channel",
        Topic::Reference => "reference",
        Topic::Appointment => "appointment",
        Topic::Order => "order",
        Topic::Promise => "promise",
        Topic::Consent => "consent",
        Topic::DoNotCall => "do_not_call",
    }
}

/// Every part of what was stated is a span of a turn of somebody who may state it.
fn is_proven(turns: &[(Speaker, &str)], statement: &Statement) {
    let last = Evidence {
        turn: statement.turn,
        span: statement.span.clone(),
    };
    for Evidence { turn, span } in statement.earlier.iter().chain([&last]) {
        let (speaker, text) = turns[*turn];
        assert!(
            statement.topic.speakers().contains(&speaker),
            "{}",
            key(statement.topic)
        );
        assert!(
            text.get(span.clone()).is_some_and(|quote| !quote.is_empty()),
            "{span:?} of {text:?}"
        );
    }
}

/// What is noted.
fn noted(turns: &[(Speaker, &str)]) -> BTreeSet<String> {
    let transcript = Transcript::read(turns.iter().copied());
    let mut noted = BTreeSet::new();
    for finding in findings::of_call(&transcript, None) {
        let Finding::Statement(statement) = finding else {
            continue;
        };
        is_proven(turns, &statement);
        noted.insert(format!("{}={}", key(statement.topic), statement.value));
    }
    noted
}

#[test]
fn phrasings_give_the_facts_that_a_listener_would_note() {
    let phrasings = phrasings();
    let of_nothing = phrasings.iter().filter(|phrasing| phrasing.wanted.is_empty()).count();
    assert!(
        phrasings.len() >= 311 && of_nothing * 5 >= phrasings.len() * 2,
        "{of_nothing} of {}",
        phrasings.len()
    );
    // By key: right, noted, wanted.
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut faults = Vec::new();
    for Phrasing { turns, wanted } in &phrasings {
        let noted = noted(turns);
        let mut count = |facts: &BTreeSet<String>, place: usize| {
            for fact in facts {
                let key = fact.split('=').next().unwrap_or_default();
                counts.entry(key.to_owned()).or_default()[place] += 1;
            }
        };
        count(&wanted.intersection(&noted).cloned().collect(), 0);
        count(&noted, 1);
        count(wanted, 2);
        if *wanted != noted {
            faults.push(format!("{turns:?}: wanted {wanted:?}, noted {noted:?}"));
        }
    }
    assert!(faults.is_empty(), "{counts:?}\n{}", faults.join("\n"));
}

#[test]
fn every_part_has_its_quote() {
    let said = [
        "my number is two oh two",
        "mm-hm",
        "Five five five.",
        "555",
        "oh one four two",
    ];
    let turns = [
        Speaker::Caller,
        Speaker::Agent,
        Speaker::Caller,
        Speaker::Agent,
        Speaker::Caller,
    ];
    let transcript = Transcript::read(turns.into_iter().zip(said));
    let findings = findings::of_call(&transcript, None);
    let [Finding::Statement(statement)] = &findings[..] else {
        panic!("{findings:?}");
    };
    let quotes: Vec<&str> = transcript.quotes(statement).collect();
    assert_eq!(quotes, ["my number is two oh two", "Five five five", "oh one four two"]);
    assert_eq!((statement.turn, transcript.quote(statement)), (4, "oh one four two"));
}

/// Words of which calls are made in which something is read out.
fn words() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "my number is",
        "two",
        "oh",
        "five",
        "double",
        "202",
        "555.",
        "no,",
        "again",
        "my email is",
        "j",
        "a",
        "at",
        "dot",
        "example",
        "com",
        "my address is",
        "12",
        "Mill",
        "Lane,",
        "Leeds",
        "and the city",
        "order number",
        "AB-12",
        "mm-hm",
        "okay",
        "ß’s",
        "<unk>",
        "?",
        "thanks",
        "is",
    ]);
    prop::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn whatever_is_read_out_has_its_quotes(
        lines in prop::collection::vec((any::<bool>(), words()), 0..10)
    ) {
        let speaker = |is_agent: bool| if is_agent { Speaker::Agent } else { Speaker::Caller };
        let turns: Vec<(Speaker, &str)> = lines.iter().map(|(agent, text)| (speaker(*agent), text.as_str())).collect();
        noted(&turns);
    }
}
