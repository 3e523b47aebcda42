//! What was agreed: appointments, and what the caller was promised.

use super::{
    agreement::{self, Agreement, Day, Status},
    finding::{Finding, Topic, statement},
    timing::timing,
    utterance::Utterance,
};
use crate::{
    text::{
        phrases::{Phrases, phrases},
        plain::plain,
    },
    transcript::Speaker,
};

/// Looks for what both sides agreed, for appointments that one of them states, and for promises of the agent.
pub(super) fn find(call: &[Utterance<'_>], today: Option<Day>, findings: &mut Vec<Finding>) {
    let first = findings.len();
    let mut settled = Vec::new();
    // What a caller has is gone when something is moved or called off.
    let mut is_changed = false;
    for agreement in agreement::of_call(call, today) {
        is_changed |= matches!(agreement.terms.status, Status::Moved | Status::Cancelled);
        settled.push(agreement.settled_at);
        findings.extend(of_agreement(call, agreement));
    }
    for (place, utterance) in call.iter().enumerate() {
        // The course of the call tells more than the sentence with which it was settled.
        let is_told = settled.contains(&place);
        match utterance.speaker {
            Speaker::Agent => {
                if !is_told && !agreement::asks_to_confirm(utterance) {
                    appointments(utterance, BOOKED, today, findings);
                }
                promises(utterance, findings);
            }
            Speaker::Caller if is_changed => {}
            Speaker::Caller => appointments(utterance, HAVING, today, findings),
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

/// How agents confirm an appointment.
const BOOKED: &Phrases = phrases![
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
const OFFERED: &Phrases = phrases![
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
const HAVING: &Phrases = phrases![
    "i have a reservation",
    "i have an appointment",
    "i'm booked",
    "i'm scheduled",
    "i've got an appointment",
    "my appointment is",
];

/// Words in the sentence that leave it open.
const OPEN: &Phrases = phrases![
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

fn appointments(utterance: &Utterance<'_>, cues: &Phrases, today: Option<Day>, findings: &mut Vec<Finding>) {
    for cue in utterance.find(cues) {
        let Some(time) = (cue.end..utterance.words.len().min(cue.end + 7))
            .take_while(|place| *place == cue.end || !utterance.stops_before(*place))
            .find_map(|place| timing(utterance, place))
            .filter(|timing| timing.day || timing.clock)
        else {
            continue;
        };
        let is_of_others = utterance.speaker == Speaker::Agent && agreement::is_of_others(utterance, cue.start);
        let open = is_of_others
            || utterance.has_before(cue.start, 8, OPEN)
            || (cue.end..time.places.start).any(|place| utterance.behind(place, OPEN).is_some());
        let asks = utterance.asks(cue.start) || utterance.behind(time.places.end, OFFERED).is_some();
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
                statement.terms = Some(agreement::stated_terms(utterance, &time.places, today));
            }
        }
        findings.push(finding);
        return;
    }
}

/// Who promises.
const PROMISERS: &Phrases = phrases![
    "a colleague will",
    "a manager will",
    "a representative will",
    "a specialist will",
    "a supervisor will",
    "a technician will",
    "i am going to",
    "i will",
    "i'll",
    "i'm going to",
    "my colleague will",
    "my manager will",
    "my supervisor will",
    "our team will",
    "our technician will",
    "somebody will",
    "someone from our team will",
    "someone will",
    "the doctor will",
    "the driver will",
    "the manager will",
    "the technician will",
    "we are going to",
    "we will",
    "we'll",
    "we're going to",
    "you will",
    "you'll",
];

/// What may stand between "will" and the verb.
const BETWEEN: &[&str] = &[
    "a",
    "ahead",
    "also",
    "and",
    "be",
    "certainly",
    "definitely",
    "get",
    "gladly",
    "go",
    "have",
    "make",
    "manager",
    "now",
    "personally",
    "somebody",
    "someone",
    "sure",
    "technician",
    "then",
    "to",
];

/// What is promised: what the agent, or somebody for it, does after the call.
const DEEDS: &[&str] = &[
    "arrange",
    "call",
    "calling",
    "come",
    "contact",
    "contacting",
    "credit",
    "deliver",
    "deposit",
    "e-mail",
    "email",
    "emailing",
    "escalate",
    "fix",
    "follow",
    "forward",
    "get",
    "issue",
    "issuing",
    "mail",
    "mailing",
    "notify",
    "order",
    "reach",
    "receive",
    "refund",
    "refunding",
    "reimburse",
    "remind",
    "repair",
    "replace",
    "send",
    "sending",
    "sent",
    "ship",
    "shipping",
    "text",
    "texting",
    "waive",
];

/// The most words of a promise that are kept.
const LONGEST: usize = 24;

fn promises(utterance: &Utterance<'_>, findings: &mut Vec<Finding>) {
    let mut behind = 0;
    for promiser in utterance.find(PROMISERS) {
        if promiser.start < behind {
            continue;
        }
        let Some(deed) = (promiser.end..utterance.words.len().min(promiser.end + 6))
            .take_while(|place| *place == promiser.end || BETWEEN.contains(&utterance.norm(*place - 1)))
            .find(|place| DEEDS.contains(&utterance.norm(*place)))
        else {
            continue;
        };
        let end = (deed + 1..utterance.words.len().min(promiser.start + LONGEST))
            .find(|place| utterance.stops_before(*place) || begins_anew(utterance, *place))
            .unwrap_or(utterance.words.len().min(promiser.start + LONGEST));
        behind = end;
        if !is_done_for_caller(utterance, promiser.start, deed, end) {
            continue;
        }
        let open = utterance.asks(promiser.start)
            || utterance.has_before(
                promiser.start,
                12,
                phrases![
                    "before", "can", "do", "if", "once", "should", "that", "unless", "until", "when", "whether",
                    "would",
                ],
            )
            || (deed..end).any(|place| utterance.lost(place) || matches!(utterance.norm(place), "if" | "unless"));
        if open {
            findings.push(Finding::Doubt(Topic::Promise));
            continue;
        }
        let value = plain(utterance.quote(deed..end));
        findings.push(statement(Topic::Promise, value, utterance, promiser.start..end));
    }
}

/// Whether the deed is for the caller and after the call: "get" only as in "get back to you", "you will" only as in
/// "you will receive", "call" and "order" only with an object.
fn is_done_for_caller(utterance: &Utterance<'_>, promiser: usize, deed: usize, end: usize) -> bool {
    let to_caller = utterance.norm(promiser) == "you" || utterance.norm(promiser) == "you'll";
    let next = utterance.norm(deed + 1);
    match utterance.norm(deed) {
        "get" if to_caller => (deed + 1..end).any(|place| {
            matches!(
                utterance.norm(place),
                "email"
                    | "e-mail"
                    | "text"
                    | "call"
                    | "refund"
                    | "confirmation"
                    | "credit"
                    | "letter"
                    | "replacement"
                    | "card"
            )
        }),
        "get" => {
            matches!(next, "back")
                || (deed + 1..end).any(|place| {
                    matches!(
                        utterance.norm(place),
                        "sent" | "refunded" | "replaced" | "mailed" | "shipped"
                    )
                })
        }
        "receive" => to_caller,
        "come" => matches!(utterance.norm(promiser), "a" | "the" | "our" | "someone" | "somebody"),
        "reach" => next == "out",
        "follow" => next == "up",
        "sent" => false,
        _ if to_caller => false,
        _ => end > deed + 1,
    }
}

/// Whether unpunctuated speech begins a new sentence at `place`.
fn begins_anew(utterance: &Utterance<'_>, place: usize) -> bool {
    utterance
        .behind(
            place,
            phrases![
                "alright",
                "anything else",
                "are you",
                "can i",
                "do you",
                "have a",
                "is that",
                "is there anything",
                "okay",
                "thank you",
                "thanks for",
                "what is",
                "would you",
            ],
        )
        .is_some()
}
