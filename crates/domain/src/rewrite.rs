//! What a language model may add to the memory after a call, and what must hold of its words before they are kept.
//!
//! A model is asked with [`excerpt`] or [`lines_of_caller`] and answers a [`Draft`], which is as untrusted as the
//! transcript that it read: somebody on the telephone may have told the model what to write. Only what passes
//! [`of_call`] or [`of_caller`] is a [`Rewrite`]. The rules refuse too much rather than too little: what is refused
//! leaves the text that the rules of [`language::summary`] and [`crate::summary`] made.

use std::fmt;

use language::{
    checks::{self, Most, Source},
    findings::Topic,
    summary::{CALL_CHARACTERS, CALL_WORDS},
};

use crate::{
    call::{RecentCall, Role, Turn},
    facts::{Fact, FactKey, KnownFact, SaidFact, is_evidence},
    summary::{CALLER_CHARACTERS, CALLER_WORDS, line_of_call},
};

pub use language::checks::Rejection;

/// How much of a transcript a model is asked with, in bytes of text: half of it from the beginning, half from the end.
pub const EXCERPT_BYTES: usize = 24_000;

/// What each turn counts beside its text, so that many short turns are bounded too.
const TURN_BYTES: usize = 24;

/// How long the summary of a call may be, and that of a caller.
const OF_CALL: Most = Most {
    words: CALL_WORDS,
    characters: CALL_CHARACTERS,
};
const OF_CALLER: Most = Most {
    words: CALLER_WORDS,
    characters: CALLER_CHARACTERS,
};

/// The most facts that are taken from one answer.
pub const FACTS: usize = 20;

/// What a model answered, unchecked.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// The summary.
    pub summary: String,
    /// What the model takes for facts.
    pub facts: Vec<DraftFact>,
}

/// What a model takes for a fact.
#[derive(Clone, PartialEq, Eq)]
pub struct DraftFact {
    /// The name of a [`crate::facts::FactKey`], or any other text.
    pub key: String,
    /// What holds.
    pub value: String,
    /// The words that say so.
    pub quote: String,
    /// The turn's place in the transcript.
    pub turn: usize,
}

/// A model's answer that may be kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The summary: one line of third-person sentences within its limit of words.
    pub summary: String,
    /// Facts whose quotes are words of the call; none for a caller.
    pub facts: Vec<Fact>,
}

impl fmt::Debug for Draft {
    /// Leaves the words out: what people say never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft")
            .field("facts", &self.facts.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Rewrite {
    /// Leaves the words out: what people say never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rewrite")
            .field("facts", &self.facts.len())
            .finish_non_exhaustive()
    }
}

/// A turn, or its beginning, that a model is asked with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Part<'t> {
    /// The turn's place in the transcript.
    pub turn: usize,
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: &'t str,
}

/// What a model is asked with about a call: the beginning and the end within [`EXCERPT_BYTES`]. Empty when nothing was
/// said.
#[must_use]
pub fn excerpt(transcript: &[Turn]) -> Vec<Part<'_>> {
    let spoken = || {
        let turns = transcript.iter().enumerate();
        turns.filter(|(_, turn)| !turn.text.trim().is_empty())
    };
    let mut parts = take(spoken(), EXCERPT_BYTES / 2);
    let behind = parts.last().map_or(0, |last| last.turn + 1);
    let mut end = take(
        spoken().rev().take_while(|(place, _)| *place >= behind),
        EXCERPT_BYTES / 2,
    );
    end.reverse();
    parts.append(&mut end);
    parts
}

/// Turns until `room` bytes are full. The last one is cut where they are.
fn take<'t>(turns: impl Iterator<Item = (usize, &'t Turn)>, mut room: usize) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    for (place, turn) in turns {
        let text = &turn.text[..turn.text.floor_char_boundary(room)];
        if text.is_empty() {
            break;
        }
        parts.push(Part {
            turn: place,
            role: turn.role,
            text,
        });
        room = room.saturating_sub(text.len() + TURN_BYTES);
    }
    parts
}

/// What a model is asked with about a caller: how often they called, then a line for each of `recent_calls`, newest
/// first. Of what was agreed in them, the lines tell what stands by `facts`.
#[must_use]
pub fn lines_of_caller(total_calls: u64, recent_calls: &[RecentCall], facts: &[KnownFact]) -> Vec<String> {
    let count = std::iter::once(format!("Calls so far: {total_calls}."));
    let lines = recent_calls.iter().map(|call| line_of_call(call, facts));
    count.chain(lines).collect()
}

/// Checks what a model made of a call. A fact that does not pass is left out; a summary that does not pass refuses the
/// whole.
///
/// # Errors
/// [`Rejection`] with the first rule that the summary breaks.
pub fn of_call(draft: &Draft, transcript: &[Turn]) -> Result<Rewrite, Rejection> {
    let parts = excerpt(transcript);
    let source = Source::of(parts.iter().map(|part| part.text));
    Ok(Rewrite {
        summary: checks::prose(&draft.summary, OF_CALL, &source)?,
        facts: proven(&draft.facts, transcript),
    })
}

/// The facts among `drafts` that the transcript proves, at most [`FACTS`].
fn proven(drafts: &[DraftFact], transcript: &[Turn]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for fact in drafts.iter().filter_map(|draft| proven_fact(draft, transcript)) {
        let known = facts
            .iter()
            .any(|other| other.key == fact.key && other.value == fact.value);
        if !known && facts.len() < FACTS {
            facts.push(fact);
        }
    }
    facts
}

/// The fact, when the right speaker said its quote and the quote tells its value.
fn proven_fact(draft: &DraftFact, transcript: &[Turn]) -> Option<Fact> {
    let topic = Topic::ALL
        .into_iter()
        .find(|topic| FactKey::of(*topic).is_some_and(|key| key.as_str() == draft.key))?;
    let key = FactKey::of(topic).filter(|key| *key != FactKey::Consent)?;
    let role = transcript.get(draft.turn)?.role;
    let said = topic.speakers().contains(&role.into()) && is_evidence(transcript, draft.turn, role, &draft.quote);
    let value = checks::proven_value(topic, &draft.value, &draft.quote).filter(|_| said)?;
    Some(Fact {
        key,
        value,
        quote: draft.quote.clone(),
        turn: draft.turn,
        terms: None,
    })
}

/// Checks what a model made of the [`lines_of_caller`] `lines`. Facts are left out: they belong to calls.
///
/// # Errors
/// [`Rejection`] with the first rule that the summary breaks.
pub fn of_caller(draft: &Draft, lines: &[String]) -> Result<Rewrite, Rejection> {
    let source = Source::of(lines.iter().map(String::as_str));
    Ok(Rewrite {
        summary: checks::prose(&draft.summary, OF_CALLER, &source)?,
        facts: Vec::new(),
    })
}

/// The facts of `found` that join those which the rules found in the same call: no key gets more than
/// [`FactKey::most_standing`], so that none of them is superseded, and nothing is told twice.
#[must_use]
pub fn beside<'a>(of_rules: impl Iterator<Item = (FactKey, &'a str)>, found: Vec<SaidFact>) -> Vec<SaidFact> {
    let mut known: Vec<(FactKey, String)> = of_rules.map(|(key, value)| (key, value.to_lowercase())).collect();
    let mut is_new = |said: &SaidFact| {
        let fact = (said.fact.key, said.fact.value.to_lowercase());
        let of_key = known.iter().filter(|(key, _)| *key == fact.0).count();
        let joins = of_key < fact.0.most_standing() && !known.contains(&fact);
        if joins {
            known.push(fact);
        }
        joins
    };
    found.into_iter().filter(|said| is_new(said)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{CallId, CallOutcome};
    use proptest::prelude::*;
    use uuid::Uuid;

    fn turn(role: Role, text: &str) -> Turn {
        Turn {
            role,
            text: text.to_owned(),
            ts_ms: 0.0,
        }
    }

    fn draft(summary: &str, facts: Vec<DraftFact>) -> Draft {
        Draft {
            summary: summary.to_owned(),
            facts,
        }
    }

    #[test]
    fn a_short_transcript_is_asked_with_as_it_is() {
        let transcript = [
            turn(Role::Agent, "hello"),
            turn(Role::User, " "),
            turn(Role::User, "hi"),
        ];
        let parts: Vec<_> = excerpt(&transcript).iter().map(|part| (part.turn, part.text)).collect();
        assert_eq!(parts, [(0, "hello"), (2, "hi")]);
        assert!(excerpt(&[]).is_empty());
        assert!(excerpt(&[turn(Role::User, "\n")]).is_empty());
    }

    #[test]
    fn of_a_long_transcript_the_middle_is_left_out() {
        let long: Vec<Turn> = (0..1_000)
            .map(|n| turn(Role::User, &format!("{n} {}", "é".repeat(50))))
            .collect();
        let parts = excerpt(&long);
        assert_eq!((parts[0].turn, parts[parts.len() - 1].turn), (0, 999));
        assert!(!parts.iter().any(|part| part.turn == 500));
        let endless = [turn(Role::User, &"é".repeat(100_000)), turn(Role::Agent, "bye")];
        let parts = excerpt(&endless);
        assert_eq!(parts.len(), 2);
        assert!(parts[0].text.len() <= EXCERPT_BYTES / 2 && parts[1].text == "bye");
    }

    #[test]
    fn a_call_is_checked_against_what_was_said() {
        let transcript = [
            turn(Role::Agent, "How can I help?"),
            turn(Role::User, "I'm Maren Okafor and my boiler leaks."),
        ];
        let fact = DraftFact {
            key: "name".to_owned(),
            value: "Maren Okafor".to_owned(),
            quote: "I'm Maren Okafor".to_owned(),
            turn: 1,
        };
        let invented = DraftFact {
            value: "John".to_owned(),
            ..fact.clone()
        };
        let checked = of_call(
            &draft("Caller Maren Okafor reported a leak.", vec![invented, fact]),
            &transcript,
        );
        let kept = checked.expect("it may be kept");
        assert_eq!(kept.summary, "Caller Maren Okafor reported a leak.");
        assert_eq!((kept.facts.len(), kept.facts[0].key), (1, FactKey::Name));
        assert_eq!(
            of_call(&draft("Caller reported 3 leaks.", Vec::new()), &transcript),
            Err(Rejection::Invents)
        );
        assert!(!format!("{kept:?}{:?}", draft("Maren", Vec::new())).contains("Maren"));
    }

    #[test]
    fn a_caller_is_checked_against_the_lines_that_were_asked_with() {
        let call = RecentCall {
            call_id: CallId(Uuid::nil()),
            started_at_ms: 1_790_856_000_000,
            duration_s: 60.0,
            summary: "Caller reported a leak. Agreed: plumber on Monday.".to_owned(),
            outcome: CallOutcome::CallbackRequested,
        };
        // Nothing stands of what was agreed.
        let lines = lines_of_caller(3, &[call], &[]);
        assert_eq!(
            lines,
            [
                "Calls so far: 3.",
                "On 1 October 2026: a callback was requested. Caller reported a leak."
            ]
        );
        let good = draft(
            "Caller called 3 times, last on 1 October 2026 about a leak.",
            Vec::new(),
        );
        assert!(of_caller(&good, &lines).is_ok());
        let bad = draft("Caller called 4 times.", Vec::new());
        assert_eq!(of_caller(&bad, &lines), Err(Rejection::Invents));
    }

    #[test]
    fn facts_of_a_model_join_those_of_the_rules_and_supersede_none() {
        let said = |key, value: &str| SaidFact {
            fact: Fact {
                key,
                value: value.to_owned(),
                quote: value.to_owned(),
                turn: 0,
                terms: None,
            },
            said_at_ms: 0,
            order_ms: 0,
        };
        let rules = [(FactKey::Name, "Ana"), (FactKey::Reference, "order 1")];
        let found = vec![
            said(FactKey::Name, "Ana Lopez"),
            said(FactKey::Reference, "Order 1"),
            said(FactKey::Reference, "order 2"),
            said(FactKey::City, "Austin"),
            said(FactKey::City, "Boston"),
        ];
        let joined = beside(rules.into_iter(), found);
        let shown: Vec<&str> = joined.iter().map(|said| said.fact.value.as_str()).collect();
        assert_eq!(shown, ["order 2", "Austin"]);
    }

    fn conversation() -> Vec<Turn> {
        [
            (Role::Agent, "How may I reach you?"),
            (
                Role::User,
                "I'm Maren Okafor, text me at two zero two five five five oh one four two or maren dot okafor at \
                 example dot com",
            ),
            (
                Role::Agent,
                "We will send a technician on Tuesday at 9:30, your order is A-4711.",
            ),
        ]
        .map(|(role, text)| Turn {
            role,
            text: text.to_owned(),
            ts_ms: 0.0,
        })
        .to_vec()
    }

    fn draft_fact(key: &str, value: &str, quote: &str, turn: usize) -> DraftFact {
        DraftFact {
            key: key.to_owned(),
            value: value.to_owned(),
            quote: quote.to_owned(),
            turn,
        }
    }

    fn kept(drafts: &[DraftFact]) -> Vec<(&'static str, String)> {
        let facts = proven(drafts, &conversation());
        facts.into_iter().map(|fact| (fact.key.as_str(), fact.value)).collect()
    }

    #[test]
    fn what_the_quote_tells_is_kept() {
        let number = "text me at two zero two five five five oh one four two";
        let drafts = [
            draft_fact("name", "Maren Okafor", "I'm Maren Okafor", 1),
            draft_fact("name", "Maren Okafor", "Maren Okafor", 1),
            draft_fact("callback_number", "202-555-0142", number, 1),
            draft_fact("preferred_channel", "Text", "text me", 1),
            draft_fact(
                "email",
                "Maren.Okafor@example.com",
                "maren dot okafor at example dot com",
                1,
            ),
            draft_fact(
                "promise",
                "send a technician on Tuesday",
                "We will send a technician on Tuesday at 9:30",
                2,
            ),
            draft_fact("appointment", "Tuesday at 9:30", "on Tuesday at 9:30", 2),
            draft_fact("reference", "order A-4711", "your order is A-4711", 2),
        ];
        let kept = kept(&drafts);
        let shown: Vec<(&str, &str)> = kept.iter().map(|(key, value)| (*key, value.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("name", "Maren Okafor"),
                ("callback_number", "2025550142"),
                ("preferred_channel", "text"),
                ("email", "maren.okafor@example.com"),
                ("promise", "send a technician on Tuesday"),
                ("appointment", "Tuesday at 9:30"),
                ("reference", "order A-4711"),
            ]
        );
    }

    #[test]
    fn what_the_quote_does_not_tell_is_left_out() {
        for wrong in [
            draft_fact("name", "John Smith", "I'm Maren Okafor", 1),
            draft_fact("name", "Maren Okafor", "My name is Maren Okafor", 1),
            draft_fact("name", "Maren Okafor", "I'm Maren Okafor", 0),
            draft_fact("name", "Maren Okafor", "I'm Maren Okafor", 9),
            draft_fact("name", "", "I'm Maren Okafor", 1),
            draft_fact("name", "I'm", "I'm", 1),
            draft_fact("name", "Maren\nOkafor", "Maren Okafor", 1),
            draft_fact("name", "Maren Okafor", "", 1),
            draft_fact("vip", "Maren", "Maren", 1),
            draft_fact("promise", "text me", "text me", 1),
            draft_fact(
                "callback_number",
                "202-555-0199",
                "two zero two five five five oh one four two",
                1,
            ),
            draft_fact("preferred_channel", "fax", "text me", 1),
            draft_fact("appointment", "Tuesday at 10:30", "on Tuesday at 9:30", 2),
        ] {
            assert_eq!(kept(std::slice::from_ref(&wrong)), [], "{} {}", wrong.key, wrong.value);
        }
        let many: Vec<DraftFact> = (0..100).map(|n| draft_fact("city", &format!("{n}"), "0", 1)).collect();
        assert!(kept(&many).len() <= FACTS);
    }

    proptest! {
        #[test]
        fn an_excerpt_is_bounded_and_in_order(texts in prop::collection::vec("\\PC{0,9}|[é]{0,9000}", 0..60)) {
            let transcript: Vec<Turn> = texts.iter().map(|text| turn(Role::User, text)).collect();
            let parts = excerpt(&transcript);
            prop_assert!(parts.iter().map(|part| part.text.len()).sum::<usize>() <= EXCERPT_BYTES);
            prop_assert!(parts.windows(2).all(|pair| pair[0].turn < pair[1].turn));
            for part in parts {
                prop_assert!(transcript[part.turn].text.starts_with(part.text));
            }
        }
    }
}
