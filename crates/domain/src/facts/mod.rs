//! What callers state of themselves, and what they are told: facts with the words that prove them.
//!
//! Every rule goes by the form of what is said, in punctuated text and in raw speech recognition alike, and leaves out what is
//! doubtful: a wrong fact is worse than none. A fact's quote is a verbatim span of one turn of the right speaker.

mod agreed;
mod contact;
mod heard;
mod name;
mod place;
mod preference;
mod reference;
mod spoken;
mod timing;

use std::{fmt, ops::Range};

use crate::{
    call::{Role, Turn},
    text::small::is_interjection,
};
use heard::Heard;

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FactKey {
    /// `name`: the caller's name, as they introduce themselves.
    Name,
    /// `email`: the caller's e-mail address.
    Email,
    /// `callback_number`: a telephone number of the caller, digits with an optional `+` in front.
    CallbackNumber,
    /// `address`: the caller's postal address, as said.
    Address,
    /// `city`: where the caller lives.
    City,
    /// `preferred_time`: when the caller likes to be reached.
    PreferredTime,
    /// `preferred_channel`: `phone`, `text`, `email`, `whatsapp` or `mail`.
    PreferredChannel,
    /// `reference`: the number of an order, policy, case or the like, with its kind.
    Reference,
    /// `appointment`: a time that was agreed.
    Appointment,
    /// `promise`: what the caller was promised.
    Promise,
}

impl FactKey {
    /// Every key.
    pub const ALL: [Self; 10] = [
        Self::Name,
        Self::Email,
        Self::CallbackNumber,
        Self::Address,
        Self::City,
        Self::PreferredTime,
        Self::PreferredChannel,
        Self::Reference,
        Self::Appointment,
        Self::Promise,
    ];

    /// The key's name in the interface and in storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Email => "email",
            Self::CallbackNumber => "callback_number",
            Self::Address => "address",
            Self::City => "city",
            Self::PreferredTime => "preferred_time",
            Self::PreferredChannel => "preferred_channel",
            Self::Reference => "reference",
            Self::Appointment => "appointment",
            Self::Promise => "promise",
        }
    }

    /// Whether a newer statement supersedes an older one. References, appointments and promises stand beside each other.
    #[must_use]
    pub const fn is_single(self) -> bool {
        !matches!(self, Self::Reference | Self::Appointment | Self::Promise)
    }
}

/// A fact with its evidence.
#[derive(Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub key: FactKey,
    /// What holds, in the key's form. One line, never empty.
    pub value: String,
    /// The words that say so: a verbatim span of the turn.
    pub quote: String,
    /// The turn's place in the transcript.
    pub turn: usize,
}

impl fmt::Debug for Fact {
    /// Leaves value and quote out: what people say never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fact")
            .field("key", &self.key)
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}

/// What became of looking for facts of one key in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// At least one fact was found.
    Found,
    /// Something was said, but too unclearly to be kept.
    Doubtful,
    /// Nothing was said.
    Nothing,
}

impl Outcome {
    /// The outcome's name in metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Doubtful => "doubtful",
            Self::Nothing => "nothing",
        }
    }
}

/// What a call tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// The facts in the order in which they were said; superseded ones are among them.
    pub facts: Vec<Fact>,
    /// What became of each key, in the order of [`FactKey::ALL`].
    pub outcomes: Vec<(FactKey, Outcome)>,
}

/// What an extractor makes of a place that looks like a statement.
enum Finding {
    /// It holds.
    Fact(Fact),
    /// It may be one, but is not sure enough.
    Doubt(FactKey),
}

/// The fact that the words at `quote` prove.
fn fact(key: FactKey, value: String, heard: &Heard<'_>, quote: Range<usize>) -> Finding {
    let quote = heard.quote(quote);
    if value.is_empty() || quote.is_empty() {
        return Finding::Doubt(key);
    }
    Finding::Fact(Fact {
        key,
        value,
        quote: quote.to_owned(),
        turn: heard.turn,
    })
}

/// A turn of the caller with the agent's turn that it may answer.
struct Exchange<'c, 'a> {
    asked: Option<&'c Heard<'a>>,
    heard: &'c Heard<'a>,
}

/// The caller's turns. Only the first one with words behind an agent's turn answers it.
fn exchanges<'c, 'a>(call: &'c [Heard<'a>]) -> Vec<Exchange<'c, 'a>> {
    let mut asked = None;
    let mut exchanges = Vec::new();
    for heard in call.iter().filter(|heard| !heard.words.is_empty()) {
        match heard.role {
            // "Okay" and "sure" of the agent leave its question standing.
            Role::Agent if heard.words.iter().all(|word| is_interjection(&word.norm)) => {}
            Role::Agent => asked = Some(heard),
            Role::User => {
                exchanges.push(Exchange { asked, heard });
                if heard.words.iter().any(|word| !is_interjection(&word.norm)) {
                    asked = None;
                }
            }
        }
    }
    exchanges
}

/// The facts that a transcript states. Linear in its length.
#[must_use]
pub fn of_call(transcript: &[Turn]) -> Extraction {
    let heard: Vec<Heard<'_>> = transcript
        .iter()
        .enumerate()
        .map(|(place, turn)| Heard::new(place, turn))
        .collect();
    let mut findings = Vec::new();
    let exchanges = exchanges(&heard);
    name::find(&heard, &mut findings);
    contact::find(&exchanges, &mut findings);
    place::find(&exchanges, &mut findings);
    preference::find(&exchanges, &mut findings);
    reference::find(&heard, &mut findings);
    agreed::find(&heard, &mut findings);

    let mut facts: Vec<Fact> = Vec::new();
    let mut doubts: Vec<FactKey> = Vec::new();
    for finding in findings {
        match finding {
            Finding::Fact(fact) => {
                let known = facts
                    .iter()
                    .any(|other| other.key == fact.key && other.value == fact.value);
                if !known || fact.key.is_single() {
                    facts.push(fact);
                }
            }
            Finding::Doubt(key) => doubts.push(key),
        }
    }
    facts.sort_by_key(|fact| fact.turn);
    let outcomes = FactKey::ALL
        .into_iter()
        .map(|key| {
            let outcome = if facts.iter().any(|fact| fact.key == key) {
                Outcome::Found
            } else if doubts.contains(&key) {
                Outcome::Doubtful
            } else {
                Outcome::Nothing
            };
            (key, outcome)
        })
        .collect();
    Extraction { facts, outcomes }
}

/// What holds of `facts`, given oldest first: the newest of each single key, and each different value of the others, newest
/// statement first.
#[must_use]
pub fn current<'a>(facts: impl DoubleEndedIterator<Item = &'a Fact>) -> Vec<&'a Fact> {
    let mut current: Vec<&Fact> = Vec::new();
    for fact in facts.rev() {
        let superseded = current
            .iter()
            .any(|newer| newer.key == fact.key && (fact.key.is_single() || newer.value == fact.value));
        if !superseded {
            current.push(fact);
        }
    }
    current
}

/// Whether `quote` proves something said by `role`: a span of the turn at `place` of the transcript.
#[must_use]
pub fn is_evidence(transcript: &[Turn], place: usize, role: Role, quote: &str) -> bool {
    !quote.is_empty()
        && transcript
            .get(place)
            .is_some_and(|turn| turn.role == role && turn.text.contains(quote))
}
