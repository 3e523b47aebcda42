//! What the rules note of phrasings, and that every part of it is proven.

mod table;

use language::{
    Evidence, Speaker, Transcript,
    findings::{self, Finding, Statement},
};
use proptest::prelude::*;

use table::{Phrasing, counts, key, noted, phrasings};

#[test]
fn phrasings_give_the_facts_that_a_listener_would_note() {
    let phrasings = phrasings();
    let of_nothing = phrasings.iter().filter(|phrasing| phrasing.wanted.is_empty()).count();
    assert!(
        phrasings.len() >= 400 && of_nothing * 2 >= phrasings.len(),
        "{of_nothing} of {}",
        phrasings.len()
    );
    let wrong = phrasings.iter().filter_map(|Phrasing { turns, wanted }| {
        let noted = noted(turns);
        (*wanted != noted).then(|| format!("{turns:?}: wanted {wanted:?}, noted {noted:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{:?}\n{}", counts(&phrasings), wrong.join("\n"));
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
        let transcript = Transcript::read(turns.iter().copied());
        for finding in findings::of_call(&transcript, None) {
            if let Finding::Statement(statement) = finding {
                is_proven(&turns, &statement);
            }
        }
    }
}
