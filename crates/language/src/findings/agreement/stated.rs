//! Appointments that one of the two sides states in one sentence.

use std::ops::Range;

use super::{
    super::{
        finding::{Finding, Topic, statement},
        timing::timing,
        utterance::Utterance,
    },
    course::is_of_others,
    moment::{Day, Moment, mentions},
    terms::{Status, Terms},
};
use crate::{
    text::{
        phrases::{Phrases, phrases},
        plain::plain,
    },
    transcript::Speaker,
};

/// How agents confirm an appointment.
const AGENT_STATES: &Phrases = phrases![
    "appointment booked",
    "appointment has been booked",
    "appointment has been moved",
    "appointment has been scheduled",
    "appointment is",
    "appointment is booked",
    "appointment is confirmed",
    "appointment is scheduled",
    "appointment is set",
    "appointment scheduled",
    "appointment set",
    "appointment set up",
    "appointment was moved",
    "booked an appointment",
    "booked you",
    "booked you in",
    "got you down",
    "have you down",
    "made an appointment",
    "moved it",
    "moved you",
    "moved your appointment",
    "put you down",
    "rescheduled it",
    "rescheduled you",
    "rescheduled your appointment",
    "reservation is confirmed",
    "scheduled an appointment",
    "scheduled you",
    "see you",
    "we'll see you",
    "you are all set",
    "you are booked",
    "you are scheduled",
    "you down",
    "you're all set",
    "you're booked",
    "you're confirmed",
    "you're scheduled",
];

/// Words behind a time that make it an offer.
const OFFERING: &Phrases = phrases![
    "does that",
    "how does",
    "if that",
    "is that fine",
    "is that good",
    "is that ok",
    "is that okay",
    "okay with you",
    "or",
    "right",
    "will that",
    "would it",
    "would that",
];

/// How callers tell that they have one.
const CALLER_STATES: &Phrases = phrases![
    "i have a reservation",
    "i have an appointment",
    "i'm booked",
    "i'm scheduled",
    "i've got an appointment",
    "my appointment is",
];

/// Words in the sentence that leave it open.
const LEFT_OPEN: &Phrases = phrases![
    "another",
    "available",
    "can",
    "can't",
    "cancel",
    "canceled",
    "cancelled",
    "cannot",
    "could",
    "didn't",
    "don't",
    "earliest",
    "first",
    "hasn't",
    "haven't",
    "if",
    "isn't",
    "last",
    "may",
    "maybe",
    "might",
    "need",
    "needs",
    "next",
    "not",
    "old",
    "only",
    "opening",
    "previous",
    "should",
    "soonest",
    "unless",
    "want",
    "wanted",
    "wants",
    "was",
    "when",
    "whether",
    "won't",
    "would",
];

/// Looks for the appointment that `utterance` states.
pub(super) fn find(utterance: &Utterance<'_>, today: Option<Day>, findings: &mut Vec<Finding>) {
    let cues = match utterance.speaker {
        Speaker::Agent => AGENT_STATES,
        Speaker::Caller => CALLER_STATES,
    };
    for cue in utterance.find(cues) {
        let Some(time) = (cue.end..utterance.words.len().min(cue.end + 7))
            .take_while(|place| *place == cue.end || !utterance.stops_before(*place))
            .find_map(|place| timing(utterance, place))
            .filter(|timing| timing.day || timing.clock)
        else {
            continue;
        };
        let is_of_others = utterance.speaker == Speaker::Agent && is_of_others(utterance, cue.start);
        let open = is_of_others
            || utterance.has_before(cue.start, 8, LEFT_OPEN)
            || (cue.end..time.places.start).any(|place| utterance.behind(place, LEFT_OPEN).is_some());
        let asks = utterance.asks(cue.start) || utterance.behind(time.places.end, OFFERING).is_some();
        if open || asks || utterance.lost(time.places.end) {
            findings.push(Finding::Doubt(Topic::Appointment));
            continue;
        }
        let start = (time.places.start..time.places.end)
            .find(|place| !matches!(utterance.norm(*place), "for" | "at" | "on" | "to" | "in"))
            .unwrap_or(time.places.start);
        let value = plain(utterance.quote(start..time.places.end));
        let mut finding = statement(Topic::Appointment, value, utterance, cue.start..time.places.end);
        if let Finding::Statement(statement) = &mut finding {
            // What a caller says of earlier agreements is their word alone.
            if utterance.speaker == Speaker::Agent {
                statement.terms = Some(terms_at(utterance, &time.places, today));
            }
        }
        findings.push(finding);
        return;
    }
}

/// What the time that is named at `places` comes to, agreed as it is.
pub(in super::super) fn terms_at(utterance: &Utterance<'_>, places: &Range<usize>, today: Option<Day>) -> Terms {
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
