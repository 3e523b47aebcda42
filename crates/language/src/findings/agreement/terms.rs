//! What an agreement is made of, and what it comes to.

use std::{error::Error, fmt, ops::Range, str::FromStr};

use super::moment::{Day, Mention, Moment, TimeOfDay};

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

/// The text is not the name of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownStatus;

impl fmt::Display for UnknownStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a status of an agreement")
    }
}

impl Error for UnknownStatus {}

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|status| status.as_str() == name).ok_or(UnknownStatus)
    }
}

/// What an agreement comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Terms {
    /// Its day, when the words settle it.
    pub day: Option<Day>,
    /// Its hour, when the words settle it.
    pub clock: Option<TimeOfDay>,
    /// How it stands.
    pub status: Status,
}

impl Terms {
    /// `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`, as the clocks of the call go; `None` when no day is settled.
    #[must_use]
    pub fn when(&self) -> Option<String> {
        let day = self.day?;
        Some(match self.clock {
            Some(TimeOfDay { hour, minute }) => format!("{day}T{hour:02}:{minute:02}"),
            None => day.to_string(),
        })
    }
}

/// Something that was agreed.
pub(in super::super) struct Agreement {
    /// What, in words of the call. One line, never empty.
    pub(in super::super) what: String,
    /// What it comes to.
    pub(in super::super) terms: Terms,
    /// Whether a day or an hour was named, settled or not.
    pub(in super::super) is_timed: bool,
    /// The place of the utterance that it begins in.
    pub(in super::super) utterance: usize,
    /// The places of the proving words in it.
    pub(in super::super) places: Range<usize>,
    /// The place of the utterance that settled it.
    pub(in super::super) settled_at: usize,
}

/// A sentence of a proposal.
#[derive(Clone)]
pub(super) struct Clause {
    /// The place of the utterance in the call.
    pub(super) turn: usize,
    /// The places of its words.
    pub(super) places: Range<usize>,
    /// Whether another day holds than the one it names.
    pub(super) day_is_gone: bool,
    /// Whether another hour holds than the one it names.
    pub(super) hour_is_gone: bool,
}

impl Clause {
    /// Whether another time holds than the one that it names with `mention`.
    pub(super) fn is_gone(&self, mention: &Mention) -> bool {
        match mention.moment {
            Moment::Day(_) => self.day_is_gone,
            Moment::Clock(_) => self.hour_is_gone,
        }
    }

    pub(super) fn new(turn: usize, places: Range<usize>) -> Self {
        Self {
            turn,
            places,
            day_is_gone: false,
            hour_is_gone: false,
        }
    }
}
