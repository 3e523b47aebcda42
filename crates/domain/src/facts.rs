//! What callers state of themselves, and what they are told: facts with the words that prove them, and which of them
//! stand.
//!
//! [`language::findings`] finds them in what was said. A fact's quote is a verbatim span of one turn of the right
//! speaker.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    str::FromStr,
};

pub use language::findings::Status;
use language::{
    Transcript,
    findings::{AgreementView, Day, Finding, Statement, Topic, repeats, unclosed},
};

use crate::call::{CallId, EARLIEST_EPOCH_MS, Role, Turn};

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
    /// `amount`: an amount of money that both sides agreed on, with what it is.
    Amount,
    /// `appointment`: something that was agreed for a day or an hour.
    Appointment,
    /// `order`: something that was ordered, booked or bought, without a time.
    Order,
    /// `promise`: what the caller was promised.
    Promise,
    /// `consent`: `recording refused` or `storing refused`.
    Consent,
}

impl FactKey {
    /// Every key.
    pub const ALL: [Self; 13] = [
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
            Self::Amount => "amount",
            Self::Appointment => "appointment",
            Self::Order => "order",
            Self::Promise => "promise",
            Self::Consent => "consent",
        }
    }

    /// The key under which a statement about `topic` is kept; `None` where it is no fact: the wish not to be called is
    /// a mark of the caller.
    #[must_use]
    pub const fn of(topic: Topic) -> Option<Self> {
        Some(match topic {
            Topic::Name => Self::Name,
            Topic::Email => Self::Email,
            Topic::CallbackNumber => Self::CallbackNumber,
            Topic::Address => Self::Address,
            Topic::City => Self::City,
            Topic::PreferredTime => Self::PreferredTime,
            Topic::PreferredChannel => Self::PreferredChannel,
            Topic::Reference => Self::Reference,
            Topic::Amount => Self::Amount,
            Topic::Appointment => Self::Appointment,
            Topic::Order => Self::Order,
            Topic::Promise => Self::Promise,
            Topic::Consent => Self::Consent,
            Topic::DoNotCall => return None,
        })
    }

    /// How many facts of the key stand at once: one, which a newer statement supersedes, except for references,
    /// amounts, agreements and promises, which stand beside each other, and the two kinds of consent.
    #[must_use]
    pub const fn most_standing(self) -> usize {
        match self {
            Self::Reference | Self::Amount | Self::Appointment | Self::Order | Self::Promise => 8,
            Self::Consent => 2,
            _ => 1,
        }
    }

    /// Whether what both sides agreed is kept under it.
    const fn is_agreed(self) -> bool {
        matches!(self, Self::Appointment | Self::Order)
    }
}

/// The text is not the name of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a key of a fact")]
pub struct UnknownFactKey;

impl FromStr for FactKey {
    type Err = UnknownFactKey;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|key| key.as_str() == name)
            .ok_or(UnknownFactKey)
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
    /// What an agreement comes to, and by when a promise is to be kept; `None` for other keys, and where a language
    /// model found it.
    pub terms: Option<Terms>,
}

/// What an agreement comes to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Terms {
    /// `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`, counted from the day of the call in UTC, with the hour as it was said;
    /// `None` when the words do not settle it.
    pub when: Option<String>,
    /// How it stands.
    pub status: Status,
}

impl Fact {
    /// What the rule of standing goes by.
    fn stated(&self) -> FactView<'_> {
        FactView::new(self.key, &self.value, self.terms.as_ref())
    }
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

/// A fact of an ended call, ready to be committed with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidFact {
    /// What was said, and where.
    pub fact: Fact,
    /// When it was said, in milliseconds since the epoch.
    pub said_at_ms: i64,
    /// What tells newer statements from older ones: when it was said by the transcript's own clock, and without one,
    /// when the call was reported; in milliseconds since the epoch.
    pub order_ms: i64,
}

impl SaidFact {
    /// The fact that was said in `turn` of a call that began at `started_at_ms` and was reported at `received_at_ms`,
    /// both in milliseconds since the epoch. Where the turn's time is no epoch time, it counts from the start of the
    /// call, which is known from the report alone: too little to order calls by that follow each other quickly. Nothing
    /// is said after the report.
    #[must_use]
    pub fn new(fact: Fact, turn: &Turn, started_at_ms: i64, received_at_ms: i64) -> Self {
        let said_at_ms = said_at_ms(turn, started_at_ms, received_at_ms);
        Self {
            fact,
            said_at_ms,
            order_ms: if turn.ts_ms >= EARLIEST_EPOCH_MS {
                said_at_ms
            } else {
                received_at_ms
            },
        }
    }

    /// The fact, said in `turn`, when its call turns out to have begun at `started_at_ms`; its place among other
    /// statements stays. Both times are milliseconds since the epoch.
    #[must_use]
    pub fn since(&self, turn: &Turn, started_at_ms: i64, received_at_ms: i64) -> Self {
        Self {
            order_ms: self.order_ms,
            ..Self::new(self.fact.clone(), turn, started_at_ms, received_at_ms)
        }
    }
}

/// When something was said in `turn` of a call that began at `started_at_ms` and was reported at `received_at_ms`, all
/// in milliseconds since the epoch: by the transcript's own clock, or counted from the start of the call.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float that is out of range becomes the nearest number, and is then bounded"
)]
pub fn said_at_ms(turn: &Turn, started_at_ms: i64, received_at_ms: i64) -> i64 {
    let ts_ms = turn.ts_ms as i64;
    let at_ms = if turn.ts_ms >= EARLIEST_EPOCH_MS {
        ts_ms
    } else {
        started_at_ms.saturating_add(ts_ms.max(0))
    };
    at_ms.min(received_at_ms.max(started_at_ms))
}

/// A fact as the memory shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct KnownFact {
    /// What it is about.
    pub key: FactKey,
    /// What holds, in the key's form.
    pub value: String,
    /// The words that say so, as they stand in the call's transcript; empty for the operator's word.
    pub quote: String,
    /// The call in which it was said; `None` for the operator's word.
    pub call_id: Option<CallId>,
    /// When it was said, in milliseconds since the epoch.
    pub said_at_ms: i64,
    /// When the service learned it, in milliseconds since the epoch.
    pub observed_at_ms: i64,
    /// What an agreement comes to, and by when a promise is to be kept.
    pub terms: Option<Terms>,
}

impl KnownFact {
    /// What an agreement comes to; `None` for everything else, promises among it.
    pub(crate) fn agreed(&self) -> Option<&Terms> {
        self.terms.as_ref().filter(|_| self.key.is_agreed())
    }
}

impl fmt::Debug for KnownFact {
    /// Leaves value and quote out, as [`Fact`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownFact")
            .field("key", &self.key)
            .field("call_id", &self.call_id)
            .field("said_at_ms", &self.said_at_ms)
            .finish_non_exhaustive()
    }
}

/// What became of looking for facts of one key in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FactOutcome {
    /// At least one fact was found.
    Found,
    /// Something was said, but too unclearly to be kept.
    Doubtful,
    /// Nothing was said.
    Nothing,
}

impl FactOutcome {
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
    pub outcomes: Vec<(FactKey, FactOutcome)>,
    /// The wish not to be called any more.
    pub no_more_calls: Option<Spoken>,
}

/// Words that were said.
#[derive(Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The words: a verbatim span of the turn.
    pub quote: String,
    /// The turn's place in the transcript.
    pub turn: usize,
}

impl fmt::Debug for Spoken {
    /// Leaves the words out, as [`Fact`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spoken")
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}

/// The most facts of one key in one call; of more, the last ones are kept.
const MOST_OF_A_KEY: usize = 16;

/// The facts of what was found in a call. Linear in its length.
#[must_use]
pub fn of_call(transcript: &Transcript<'_>, findings: &[Finding]) -> Extraction {
    let mut stated: Vec<Fact> = Vec::new();
    let mut doubts: Vec<FactKey> = Vec::new();
    let mut no_more_calls = None;
    for finding in findings {
        match finding {
            Finding::Statement(statement) if statement.topic == Topic::DoNotCall => {
                no_more_calls = Some(Spoken {
                    quote: transcript.quote(statement).to_owned(),
                    turn: statement.turn,
                });
            }
            Finding::Statement(statement) => stated.extend(fact(transcript, statement)),
            Finding::Doubt(topic) => doubts.extend(FactKey::of(*topic)),
        }
    }
    stated.sort_by_key(|fact| fact.turn);
    let mut facts = without_repeats(stated);
    for key in FactKey::ALL {
        let of_key = facts.iter().filter(|fact| fact.key == key).count();
        let mut surplus = of_key.saturating_sub(MOST_OF_A_KEY);
        facts.retain(|fact| {
            let is_surplus = fact.key == key && surplus > 0;
            surplus -= usize::from(is_surplus);
            !is_surplus
        });
    }
    let outcomes = FactKey::ALL
        .into_iter()
        .map(|key| {
            let outcome = if facts.iter().any(|fact| fact.key == key) {
                FactOutcome::Found
            } else if doubts.contains(&key) {
                FactOutcome::Doubtful
            } else {
                FactOutcome::Nothing
            };
            (key, outcome)
        })
        .collect();
    Extraction {
        facts,
        outcomes,
        no_more_calls,
    }
}

/// Leaves out what of several facts of a key that can stand beside each other was said before.
fn without_repeats(stated: Vec<Fact>) -> Vec<Fact> {
    let is_repeat = repeats(
        &stated,
        |fact| (fact.key.most_standing() > 1).then_some((fact.key, &fact.value, &fact.terms)),
        |fact| fact.stated().agreed(),
    );
    let facts = stated.into_iter().zip(is_repeat);
    facts
        .filter(|(_, is_repeat)| !is_repeat)
        .map(|(fact, _)| fact)
        .collect()
}

fn fact(transcript: &Transcript<'_>, statement: &Statement) -> Option<Fact> {
    Some(Fact {
        key: FactKey::of(statement.topic)?,
        quote: transcript.quote(statement).to_owned(),
        value: statement.value.clone(),
        turn: statement.turn,
        terms: statement.terms.map(|terms| Terms {
            when: terms.when(),
            status: terms.status,
        }),
    })
}

/// What the rule of standing goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactView<'f> {
    /// What the fact is about.
    pub key: FactKey,
    /// What holds.
    pub value: &'f str,
    /// An agreement's day, with its hour.
    pub when: Option<&'f str>,
    /// How an agreement stands.
    pub status: Option<Status>,
}

impl<'f> FactView<'f> {
    /// A statement of `value`, with the terms of an agreement.
    #[must_use]
    pub fn new(key: FactKey, value: &'f str, terms: Option<&'f Terms>) -> Self {
        Self {
            key,
            value,
            when: terms.and_then(|terms| terms.when.as_deref()),
            status: terms.map(|terms| terms.status),
        }
    }

    fn is_cancelled(&self) -> bool {
        self.status == Some(Status::Cancelled)
    }

    /// How many facts like this one stand at once.
    const fn most_standing(&self) -> usize {
        match self.status {
            Some(Status::Cancelled) => CANCELLED,
            _ => self.key.most_standing(),
        }
    }

    fn agreed(&self) -> Option<AgreementView<'f>> {
        let status = self.status.filter(|_| self.key.is_agreed())?;
        Some(AgreementView {
            what: self.value,
            day: self.when.and_then(Day::at_beginning_of),
            status,
        })
    }
}

/// How many agreements that were called off are shown of a key.
const CANCELLED: usize = 2;

/// How many of a caller's newest statements that stand no more a memory reads, besides those that stand, when
/// [`standing_with`] does not tell what stands: no report costs more than that, however long the caller's history is.
pub const LOOK_BACK: usize = 1_024;

/// What stands of facts that are given oldest first: each key's newest, newest first. What was said again stands once,
/// as it was said last; what was moved or called off closes an agreement before it, as [`unclosed`] says;
/// [`FactKey::most_standing`] limits how many of a key stand.
#[must_use]
pub fn standing<T>(oldest_first: impl IntoIterator<Item = T>, of: impl Fn(&T) -> FactView<'_>) -> Vec<T> {
    newest(unclosed(oldest_first, |fact| of(fact).agreed()), of)
}

/// The newest of each key, newest first. What was called off is counted apart, so that it keeps out nothing that is
/// agreed.
fn newest<T>(oldest_first: Vec<T>, of: impl Fn(&T) -> FactView<'_>) -> Vec<T> {
    let mut said: HashSet<(FactKey, &str)> = HashSet::new();
    let mut standing: HashMap<(FactKey, bool), usize> = HashMap::new();
    let stands = |fact| {
        let stated = of(fact);
        let standing = standing.entry((stated.key, stated.is_cancelled())).or_default();
        let stands = said.insert((stated.key, stated.value)) && *standing < stated.most_standing();
        *standing += usize::from(stands);
        stands
    };
    let stand: Vec<bool> = oldest_first.iter().rev().map(stands).collect();
    let newest_first = oldest_first.into_iter().rev().zip(stand);
    newest_first
        .filter(|(_, stands)| *stands)
        .map(|(fact, _)| fact)
        .collect()
}

/// What stands when `new` facts join those that `stood`, newest first. `None` when these do not tell, and [`standing`]
/// has to be asked about what was stated before, [`LOOK_BACK`] statements of it, not only about what stood: one of the
/// new ones closes an agreement, or is an agreement that others followed, and one of those may have closed it, or says
/// again what was called off and so makes room for what was called off before. `order` tells which was stated first.
#[must_use]
pub fn standing_with<T, O: Ord>(
    stood: Vec<T>,
    new: Vec<T>,
    of: impl Fn(&T) -> FactView<'_>,
    order: impl Fn(&T) -> O,
) -> Option<Vec<T>> {
    // What closed it may have been superseded since, but by others that can be agreements.
    let is_followed = |fact: &T| {
        let others = stood.iter().filter(|other| of(other).key.is_agreed());
        others.into_iter().any(|other| order(other) > order(fact))
    };
    let may_close = |fact: &T| {
        let stated = of(fact);
        stated.agreed().is_some_and(|agreed| agreed.closes()) || stated.key.is_agreed() && is_followed(fact)
    };
    let was_called_off = |fact: &T| {
        let fact = of(fact);
        let mut cancelled = stood.iter().map(&of).filter(FactView::is_cancelled);
        cancelled.any(|other| (other.key, other.value) == (fact.key, fact.value))
    };
    if new.iter().any(|fact| may_close(fact) || was_called_off(fact)) {
        return None;
    }
    let mut oldest_first = stood;
    oldest_first.extend(new);
    oldest_first.sort_by_key(order);
    // What they closed is closed.
    Some(newest(oldest_first, of))
}

/// Whether `quote` proves something said by `role`: a span of the turn at `place` of the transcript.
#[must_use]
pub fn is_evidence(transcript: &[Turn], place: usize, role: Role, quote: &str) -> bool {
    !quote.is_empty()
        && transcript
            .get(place)
            .is_some_and(|turn| turn.role == role && turn.text.contains(quote))
}
