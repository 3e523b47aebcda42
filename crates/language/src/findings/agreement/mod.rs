//! What was agreed in a call: the parts of an agreement, put together over the turns in which they were said.

mod closing;
mod course;
mod cues;
mod moment;
mod stated;
mod terms;
mod wording;

use std::ops::Range;

pub use closing::{AgreementView, repeats, unclosed};
pub use moment::{Day, TimeOfDay};
pub(super) use moment::{Mention, Moment, SaidDay, SaidHour};
pub(super) use stated::terms_at;
use terms::Agreement;
pub use terms::{Status, Terms, UnknownStatus};

use super::{
    finding::{Finding, Topic, statement},
    utterance::Utterance,
};
use crate::{text::numbers::is_number, transcript::Speaker};

/// Looks for what both sides agreed, and for appointments that one of them states.
pub(super) fn find(call: &[Utterance<'_>], today: Option<Day>, findings: &mut Vec<Finding>) {
    let first = findings.len();
    let mut settled = Vec::new();
    // What a caller has is gone when something is moved or called off.
    let mut is_changed = false;
    for agreement in course::of_call(call, today) {
        is_changed |= matches!(agreement.terms.status, Status::Moved | Status::Cancelled);
        settled.push(agreement.settled_at);
        findings.extend(of_agreement(call, agreement));
    }
    for (place, utterance) in call.iter().enumerate() {
        let is_stated = match utterance.speaker {
            // The course of the call tells more than the sentence with which it was settled.
            Speaker::Agent => !settled.contains(&place) && !utterance.has(cues::CONFIRM),
            Speaker::Caller => !is_changed,
        };
        if is_stated {
            stated::find(utterance, today, findings);
        }
    }
    findings[first..].sort_by_key(|finding| match finding {
        Finding::Statement(statement) => statement.turn,
        Finding::Doubt(_) => usize::MAX,
    });
}

/// Words of what is ordered, beside what is agreed for a time.
const ORDERS: &[&str] = &[
    "book",
    "booked",
    "booking",
    "bought",
    "buy",
    "cab",
    "delivery",
    "order",
    "ordered",
    "ordering",
    "purchase",
    "purchased",
    "purchasing",
    "rent",
    "rental",
    "renting",
    "reservation",
    "reserve",
    "reserved",
    "reserving",
    "ride",
    "seat",
    "seats",
    "ticket",
    "tickets",
];

/// The statement of an agreement; one without a time that orders nothing is only told in the summary.
fn of_agreement(call: &[Utterance<'_>], agreement: Agreement) -> Option<Finding> {
    let utterance = &call[agreement.utterance];
    let topic = if agreement.is_timed {
        // An hour alone tells nobody what was agreed, or for when.
        if agreement.terms.day.is_none() && is_hour(&agreement.what) {
            return Some(Finding::Doubt(Topic::Appointment));
        }
        Topic::Appointment
    } else {
        let lower = agreement.what.to_lowercase();
        let is_order = lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| ORDERS.contains(&word));
        match agreement.terms.status {
            _ if is_order => Topic::Order,
            Status::Cancelled => Topic::Appointment,
            _ => return None,
        }
    };
    let mut finding = statement(topic, agreement.what, utterance, agreement.places);
    if let Finding::Statement(statement) = &mut finding {
        statement.terms = Some(agreement.terms);
    }
    Some(finding)
}

/// The words of an hour beside its number.
const HOURS: &[&str] = &[
    "a",
    "a.m",
    "afternoon",
    "am",
    "at",
    "evening",
    "half",
    "in",
    "midday",
    "morning",
    "night",
    "noon",
    "o'clock",
    "p.m",
    "past",
    "pm",
    "quarter",
    "the",
    "to",
];

/// Whether `what` is nothing but an hour: "half past twelve", "at 10:30 in the morning".
fn is_hour(what: &str) -> bool {
    let lower = what.to_lowercase();
    let mut words = lower.split_whitespace().map(|word| word.trim_end_matches([',', '.']));
    words.all(|word| {
        let is_ordinal = ["nd", "rd", "st", "th"].iter().any(|ending| word.ends_with(ending));
        is_number(word) && !is_ordinal || HOURS.contains(&word)
    })
}

/// Whether a day of the calendar is named at `places`, rather than a day of every week.
pub(super) fn names_a_date(utterance: &Utterance<'_>, places: &Range<usize>) -> bool {
    places
        .clone()
        .any(|place| moment::date(utterance, place, None).is_some())
}
