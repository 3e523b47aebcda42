//! What was agreed in a call: the parts of an agreement, put together over the turns in which they were said.

mod closing;
mod course;
mod cues;
mod moment;
mod terms;
mod wording;

use std::ops::Range;

pub use closing::{AgreementView, repeats, unclosed};
pub(super) use course::{is_of_others, of_call};
pub use moment::{Clock, Day};
use moment::{Moment, mentions};
pub(super) use terms::Agreement;
pub use terms::{Status, Terms};

use super::utterance::Utterance;

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

/// What the time that is named at `places` comes to, agreed as it is.
pub(super) fn stated_terms(utterance: &Utterance<'_>, places: &Range<usize>, today: Option<Day>) -> Terms {
    let mut terms = Terms {
        day: None,
        clock: None,
        status: Status::Agreed,
    };
    for mention in mentions(utterance, places, today) {
        match mention.moment {
            Moment::Day(day) => terms.day = terms.day.or(day.0),
            Moment::Clock(hour) => terms.clock = terms.clock.or(hour.clock()),
        }
    }
    terms
}
