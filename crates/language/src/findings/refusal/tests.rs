//! What is found in the phrasings, and how often that is right.

use super::{
    find,
    phrasings::{DEVELOPED_WITH, Expected, HELD_OUT, TRIED_LAST, TRIED_LATER},
};
use crate::{
    findings::{Finding, Topic},
    transcript::{Speaker, Transcript},
};

fn turns(call: &str) -> impl Iterator<Item = (Speaker, &str)> {
    call.split(" | ").map(|turn| match turn.strip_prefix("A: ") {
        Some(said) => (Speaker::Agent, said),
        None => (Speaker::Caller, turn),
    })
}

fn found_in(call: &str) -> Vec<Expected> {
    let transcript = Transcript::read(turns(call));
    let mut findings = Vec::new();
    find(&transcript, &mut findings);
    let statements = findings.iter().filter_map(|finding| match finding {
        Finding::Statement(statement) => Some(statement),
        Finding::Doubt(_) => None,
    });
    statements
        .map(|statement| {
            let quote = transcript.quote(statement);
            let spoken = turns(call).nth(statement.turn).expect("a turn of the call");
            assert!(
                spoken.0 == Speaker::Caller && !quote.is_empty() && spoken.1.contains(quote),
                "{call}"
            );
            match (statement.topic, statement.value.as_str()) {
                (Topic::DoNotCall, _) => Expected::Calls,
                (Topic::Consent, "recording refused") => Expected::Recording,
                (Topic::Consent, _) => Expected::Storing,
                (topic, _) => panic!("{topic:?} in {call}"),
            }
        })
        .collect()
}

#[test]
fn phrasings_are_read_as_a_listener_reads_them() {
    for (call, expected) in [DEVELOPED_WITH, HELD_OUT, TRIED_LATER, TRIED_LAST].concat() {
        let expected: Vec<Expected> = (expected != Expected::Nothing)
            .then_some(expected)
            .into_iter()
            .collect();
        assert_eq!(found_in(call), expected, "{call}");
        // A recogniser writes no punctuation and no capitals, and people hesitate.
        let hesitant = call.replacen(' ', " uh ", 1);
        if !call.starts_with("A: ") {
            assert_eq!(found_in(&hesitant), expected, "{hesitant}");
        }
    }
}

#[test]
fn a_wish_over_two_turns_is_quoted_from_the_turn_in_which_it_begins() {
    let transcript = Transcript::read([
        (Speaker::Caller, "well i want you to stop"),
        (Speaker::Agent, "mhm"),
        (Speaker::Caller, "calling me"),
    ]);
    let mut findings = Vec::new();
    find(&transcript, &mut findings);
    let [Finding::Statement(statement)] = &findings[..] else {
        panic!("one statement")
    };
    assert_eq!((statement.turn, transcript.quote(statement)), (0, "stop"));
}

#[test]
fn the_first_wish_of_a_call_is_the_one_that_is_quoted() {
    let transcript = Transcript::read([
        (Speaker::Caller, "Take me off your list. And don't record this."),
        (Speaker::Agent, "May we store this conversation?"),
        (Speaker::Caller, "Nope. Stop calling me."),
    ]);
    let mut findings = Vec::new();
    find(&transcript, &mut findings);
    let quotes: Vec<&str> = findings
        .iter()
        .filter_map(|finding| match finding {
            Finding::Statement(statement) => Some(transcript.quote(statement)),
            Finding::Doubt(_) => None,
        })
        .collect();
    assert_eq!(quotes, ["Take me off your list", "don't record this", "Nope"]);
}
