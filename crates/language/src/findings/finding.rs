//! What the extractors make of a call.

use std::{fmt, ops::Range};

use super::{agreement::Terms, utterance::Utterance};
use crate::transcript::{Evidence, Speaker, Transcript};

/// What a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// The caller's name, as they introduce themselves.
    Name,
    /// The caller's e-mail address.
    Email,
    /// A telephone number of the caller.
    CallbackNumber,
    /// The caller's postal address.
    Address,
    /// Where the caller lives.
    City,
    /// When the caller likes to be reached.
    PreferredTime,
    /// How the caller likes to be reached.
    PreferredChannel,
    /// The number of an order, policy, case or the like.
    Reference,
    /// An amount of money that both sides agreed on.
    Amount,
    /// Something that was agreed for a day or an hour.
    Appointment,
    /// Something that was ordered, booked or bought, without a time.
    Order,
    /// What the caller was promised.
    Promise,
    /// The caller's refusal of being recorded, or of having kept what is said.
    Consent,
    /// The caller's wish not to be called any more.
    DoNotCall,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Self; 14] = [
        Self::Name,
        Self::Email,
        Self::CallbackNumber,
        Self::Address,
        Self::City,
        Self::PreferredTime,
        Self::PreferredChannel,
        Self::Reference,
        Self::Amount,
        Self::Appointment,
        Self::Order,
        Self::Promise,
        Self::Consent,
        Self::DoNotCall,
    ];

    /// Who may state it: callers speak for themselves, and agents make promises.
    #[must_use]
    pub const fn speakers(self) -> &'static [Speaker] {
        match self {
            Self::Amount | Self::Promise => &[Speaker::Agent],
            Self::Appointment | Self::Order | Self::Reference => &[Speaker::Caller, Speaker::Agent],
            _ => &[Speaker::Caller],
        }
    }
}

/// A statement and the words that prove it.
#[derive(Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it is about.
    pub topic: Topic,
    /// What holds, in the topic's form. One line, never empty.
    pub value: String,
    /// The turn's place in the transcript. Where the value was put together from several turns, the last of them.
    pub turn: usize,
    /// The bytes of the turn's text that say so. Never empty.
    pub span: Range<usize>,
    /// What says so in earlier turns, in the order in which the value needs it. Empty for most statements.
    pub earlier: Vec<Evidence>,
    /// What an agreement comes to, and by when a promise is to be kept; `None` for other topics.
    pub terms: Option<Terms>,
}

impl fmt::Debug for Statement {
    /// Leaves the value out: what people say never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statement")
            .field("topic", &self.topic)
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}

/// What an extractor makes of a place that looks like a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// It is one.
    Statement(Statement),
    /// It may be one, but is not sure enough to be kept.
    Doubt(Topic),
}

impl Transcript<'_> {
    /// The words that prove `statement`, verbatim. Empty when it was found in another transcript and does not fit this
    /// one.
    #[must_use]
    pub fn quote(&self, statement: &Statement) -> &str {
        self.said(statement.turn, &statement.span)
    }

    /// The words of every turn that prove `statement`, the last being its quote: what was said in several turns has one
    /// for each part.
    pub fn quotes<'q>(&'q self, statement: &'q Statement) -> impl Iterator<Item = &'q str> {
        let earlier = statement.earlier.iter();
        earlier
            .map(|evidence| self.said(evidence.turn, &evidence.span))
            .chain(std::iter::once(self.quote(statement)))
    }

    fn said(&self, turn: usize, span: &Range<usize>) -> &str {
        let turn = self.turns.get(turn);
        turn.and_then(|turn| turn.text.get(span.clone())).unwrap_or_default()
    }
}

/// The most characters of a name.
pub const NAME_CHARACTERS: usize = 100;

/// The most characters of any other value.
pub const VALUE_CHARACTERS: usize = 200;

/// The most characters of a quote; whoever says more than that at a time is not stating one thing.
pub const QUOTE_CHARACTERS: usize = 500;

/// Whether neither what was stated about `topic` nor the words that prove it are longer than what is shown.
pub(crate) fn is_within_bounds(topic: Topic, value: &str, quote: &str) -> bool {
    let most = match topic {
        Topic::Name => NAME_CHARACTERS,
        _ => VALUE_CHARACTERS,
    };
    value.chars().nth(most).is_none() && quote.chars().nth(QUOTE_CHARACTERS).is_none()
}

/// The statement that the words at the places `words` prove.
pub(super) fn statement(topic: Topic, value: String, utterance: &Utterance<'_>, words: Range<usize>) -> Finding {
    let span = utterance.span(words);
    let quote = &utterance.text[span.clone()];
    let is_unfit = quote.is_empty() || !is_within_bounds(topic, &value, quote) || quote.contains('\0');
    let mut earlier = utterance.evidence(&span);
    let Some(Evidence { turn, span }) = earlier.pop().filter(|_| !value.is_empty() && !is_unfit) else {
        return Finding::Doubt(topic);
    };
    Finding::Statement(Statement {
        topic,
        value,
        turn,
        span,
        earlier,
        terms: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Speaker, Transcript};

    #[test]
    fn what_is_longer_than_its_bound_is_not_stated() {
        let is_stated = |topic, value: usize, quote: usize| {
            let text = "é".repeat(quote);
            let call = Transcript::read([(Speaker::Caller, text.as_str())]);
            let utterance = Utterance::new(0, &call.turns[0]);
            let found = statement(topic, "ü".repeat(value), &utterance, 0..1);
            matches!(found, Finding::Statement(_))
        };
        for (topic, value, quote) in [
            (Topic::Name, NAME_CHARACTERS, 1),
            (Topic::City, VALUE_CHARACTERS, 1),
            (Topic::City, 1, QUOTE_CHARACTERS),
        ] {
            assert!(is_stated(topic, value, quote), "{topic:?} {value} {quote}");
        }
        for (topic, value, quote) in [
            (Topic::Name, NAME_CHARACTERS + 1, 1),
            (Topic::City, VALUE_CHARACTERS + 1, 1),
            (Topic::City, 1, QUOTE_CHARACTERS + 1),
        ] {
            assert!(!is_stated(topic, value, quote), "{topic:?} {value} {quote}");
        }
    }
}
