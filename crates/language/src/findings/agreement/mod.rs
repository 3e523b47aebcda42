//! What was agreed in a call: the parts of an agreement, put together over the turns in which they were said.

mod course;
mod cues;
mod moment;
mod wording;

use std::ops::Range;

pub(super) use course::of_call;
pub use moment::{Clock, Day};
use moment::{Moment, mentions};

use super::{finding::Terms, utterance::Utterance};

/// How it stands with an agreement at the end of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The agent said that it is done.
    Agreed,
    /// The caller confirmed it, and nobody said that it is done.
    Requested,
    /// It was moved to the time given.
    Moved,
    /// It was called off.
    Cancelled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Agreed, Self::Requested, Self::Moved, Self::Cancelled];

    /// The status's name in the interface and in storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agreed => "agreed",
            Self::Requested => "requested",
            Self::Moved => "moved",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Something that was agreed.
pub(super) struct Agreement {
    /// What, in words of the call. One line, never empty.
    pub(super) what: String,
    /// Its day, when the words settle it.
    pub(super) day: Option<Day>,
    /// Its hour, when the words settle it.
    pub(super) clock: Option<Clock>,
    /// Whether a day or an hour was named, settled or not.
    pub(super) is_timed: bool,
    /// How it stands.
    pub(super) status: Status,
    /// The place of the utterance that proves it best.
    pub(super) utterance: usize,
    /// The places of the proving words in it.
    pub(super) places: Range<usize>,
    /// The place of the utterance that settled it.
    pub(super) settled_at: usize,
}

/// Whether a day of the calendar is named at `places`, rather than a day of every week.
pub(super) fn names_a_date(utterance: &Utterance<'_>, places: &Range<usize>) -> bool {
    places
        .clone()
        .any(|place| moment::date(utterance, place, None).is_some())
}

/// Whether the agent asks in `utterance` whether something is right, so that nothing is settled yet.
pub(super) fn asks_to_confirm(utterance: &Utterance<'_>) -> bool {
    utterance.has(cues::CONFIRM)
}

/// What the time that is named at `places` comes to, when it is agreed.
pub(super) fn terms(utterance: &Utterance<'_>, places: &Range<usize>, today: Option<Day>) -> Terms {
    let mut terms = Terms {
        day: None,
        clock: None,
        status: Status::Agreed,
    };
    for mention in mentions(utterance, today) {
        if !places.contains(&mention.places.start) {
            continue;
        }
        match mention.moment {
            Moment::Day(day) => terms.day = terms.day.or(day.0),
            Moment::Clock(hour) => terms.clock = terms.clock.or(hour.clock()),
        }
    }
    terms
}
