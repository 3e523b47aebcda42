//! What must hold of a fact that a model found: its quote was said by the right speaker, and its value is in the quote.

use super::{DraftFact, FACTS, Numbers};
use crate::{
    call::{Role, Turn},
    facts::{Fact, FactKey, is_evidence},
    text::{plain::plain, small::is_small},
};

/// The longest value and the longest quote, in bytes.
const LONGEST: (usize, usize) = (160, 400);

/// Ways to be reached.
const CHANNELS: [&str; 5] = ["phone", "text", "email", "whatsapp", "mail"];

/// The facts among `drafts` that the transcript proves, at most [`FACTS`].
pub(super) fn facts(drafts: &[DraftFact], transcript: &[Turn]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    for fact in drafts.iter().filter_map(|draft| proved(draft, transcript)) {
        let known = facts
            .iter()
            .any(|other| other.key == fact.key && other.value == fact.value);
        if !known && facts.len() < FACTS {
            facts.push(fact);
        }
    }
    facts
}

fn proved(draft: &DraftFact, transcript: &[Turn]) -> Option<Fact> {
    let key = FactKey::ALL.into_iter().find(|key| key.as_str() == draft.key)?;
    let value = shaped(key, draft.value.trim())?;
    let fits = !value.is_empty() && value.len() <= LONGEST.0 && draft.quote.len() <= LONGEST.1;
    let said = speakers(key)
        .iter()
        .any(|role| is_evidence(transcript, draft.turn, *role, &draft.quote));
    (fits && said && plain(&value) == value && tells(&draft.quote, &value)).then(|| Fact {
        key,
        value,
        quote: draft.quote.clone(),
        turn: draft.turn,
    })
}

/// Who may say it: callers tell of themselves, agents promise.
const fn speakers(key: FactKey) -> &'static [Role] {
    match key {
        FactKey::Promise => &[Role::Agent],
        FactKey::Appointment | FactKey::Reference => &[Role::User, Role::Agent],
        _ => &[Role::User],
    }
}

/// The value in the key's form.
fn shaped(key: FactKey, value: &str) -> Option<String> {
    match key {
        FactKey::CallbackNumber => {
            let digits: String = value.chars().filter(char::is_ascii_digit).collect();
            let plus = if value.starts_with('+') { "+" } else { "" };
            (digits.len() >= 7).then(|| format!("{plus}{digits}"))
        }
        FactKey::PreferredChannel => {
            let channel = value.to_lowercase();
            CHANNELS.contains(&channel.as_str()).then_some(channel)
        }
        FactKey::Email => value.contains('@').then(|| value.to_lowercase()),
        _ => Some(value.to_owned()),
    }
}

/// Whether every word of `value` that says something is a word of `quote`, and every number one of its numbers.
fn tells(quote: &str, value: &str) -> bool {
    let mut numbers = Numbers::default();
    numbers.add(quote);
    let quoted: Vec<String> = pieces(quote).collect();
    let says_something = |piece: &String| {
        let letter = piece.chars().count() == 1 && !piece.bytes().all(|b| b.is_ascii_digit());
        !letter && !is_small(piece)
    };
    let mut telling = pieces(value).filter(says_something).peekable();
    telling.peek().is_some()
        && telling.all(|piece| {
            if piece.bytes().any(|b| b.is_ascii_digit()) {
                quoted.contains(&piece) || numbers.hold_all_of(&piece)
            } else {
                quoted.contains(&piece)
            }
        })
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript() -> Vec<Turn> {
        [
            (Role::Agent, "How may I reach you?"),
            (
                Role::User,
                "I'm Maren Okafor, text me at two zero two five five five oh one four two or maren dot okafor at example dot com",
            ),
            (Role::Agent, "We will send a technician on Tuesday at 9:30, your order is A-4711."),
        ]
        .map(|(role, text)| Turn {
            role,
            text: text.to_owned(),
            ts_ms: 0.0,
        })
        .to_vec()
    }

    fn draft(key: &str, value: &str, quote: &str, turn: usize) -> DraftFact {
        DraftFact {
            key: key.to_owned(),
            value: value.to_owned(),
            quote: quote.to_owned(),
            turn,
        }
    }

    fn kept(drafts: &[DraftFact]) -> Vec<(&'static str, String)> {
        let facts = facts(drafts, &transcript());
        facts.into_iter().map(|fact| (fact.key.as_str(), fact.value)).collect()
    }

    #[test]
    fn what_the_quote_tells_is_kept() {
        let number = "text me at two zero two five five five oh one four two";
        let drafts = [
            draft("name", "Maren Okafor", "I'm Maren Okafor", 1),
            draft("name", "Maren Okafor", "Maren Okafor", 1),
            draft("callback_number", "202-555-0142", number, 1),
            draft("preferred_channel", "Text", "text me", 1),
            draft(
                "email",
                "Maren.Okafor@example.com",
                "maren dot okafor at example dot com",
                1,
            ),
            draft(
                "promise",
                "send a technician on Tuesday",
                "We will send a technician on Tuesday at 9:30",
                2,
            ),
            draft("appointment", "Tuesday at 9:30", "on Tuesday at 9:30", 2),
            draft("reference", "order A-4711", "your order is A-4711", 2),
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
            draft("name", "John Smith", "I'm Maren Okafor", 1),
            draft("name", "Maren Okafor", "My name is Maren Okafor", 1),
            draft("name", "Maren Okafor", "I'm Maren Okafor", 0),
            draft("name", "Maren Okafor", "I'm Maren Okafor", 9),
            draft("name", "", "I'm Maren Okafor", 1),
            draft("name", "I'm", "I'm", 1),
            draft("name", "Maren\nOkafor", "Maren Okafor", 1),
            draft("name", "Maren Okafor", "", 1),
            draft("vip", "Maren", "Maren", 1),
            draft("promise", "text me", "text me", 1),
            draft(
                "callback_number",
                "202-555-0199",
                "two zero two five five five oh one four two",
                1,
            ),
            draft("preferred_channel", "fax", "text me", 1),
            draft("appointment", "Tuesday at 10:30", "on Tuesday at 9:30", 2),
        ] {
            assert_eq!(kept(std::slice::from_ref(&wrong)), [], "{} {}", wrong.key, wrong.value);
        }
        let many: Vec<DraftFact> = (0..100).map(|n| draft("city", &format!("{n}"), "0", 1)).collect();
        assert!(kept(&many).len() <= FACTS);
    }
}
