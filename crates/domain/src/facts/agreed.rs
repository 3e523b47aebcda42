//! What was agreed: appointments, and what the caller was promised.

use super::{FactKey, Finding, fact, heard::Heard, timing::timing};
use crate::{call::Role, text::plain::plain};

/// Looks for appointments in the turns of both sides, and for promises in the agent's.
pub(super) fn find(call: &[Heard<'_>], findings: &mut Vec<Finding>) {
    for heard in call {
        match heard.role {
            Role::Agent => {
                appointments(heard, BOOKED, findings);
                promises(heard, findings);
            }
            Role::User => appointments(heard, HAVING, findings),
        }
    }
}

/// How agents confirm an appointment.
const BOOKED: &[&str] = &[
    "appointment is",
    "appointment is set",
    "appointment is scheduled",
    "appointment is booked",
    "appointment is confirmed",
    "appointment has been scheduled",
    "appointment has been booked",
    "appointment has been moved",
    "appointment was moved",
    "appointment booked",
    "appointment scheduled",
    "appointment set",
    "appointment set up",
    "booked you",
    "booked you in",
    "scheduled you",
    "scheduled an appointment",
    "booked an appointment",
    "made an appointment",
    "rescheduled you",
    "you're booked",
    "you are booked",
    "you're scheduled",
    "you are scheduled",
    "you're confirmed",
    "you're all set",
    "you are all set",
    "we'll see you",
    "see you",
    "have you down",
    "put you down",
    "got you down",
    "you down",
    "reservation is",
    "reservation is confirmed",
    "rescheduled your appointment",
    "moved your appointment",
    "rescheduled it",
    "moved it",
    "moved you",
];

/// Words behind a time that make it an offer.
const OFFERED: &[&str] = &[
    "would that",
    "does that",
    "is that okay",
    "is that ok",
    "is that good",
    "is that fine",
    "if that",
    "will that",
    "how does",
    "would it",
    "or",
    "okay with you",
    "right",
];

/// How callers tell that they have one.
const HAVING: &[&str] = &[
    "i have an appointment",
    "my appointment is",
    "i've got an appointment",
    "i'm booked",
    "i'm scheduled",
    "i have a reservation",
];

/// Words in the sentence that leave it open.
const OPEN: &[&str] = &[
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

fn appointments(heard: &Heard<'_>, cues: &[&str], findings: &mut Vec<Finding>) {
    for cue in heard.find(cues) {
        let Some(time) = (cue.end..heard.words.len().min(cue.end + 7))
            .take_while(|place| *place == cue.end || !heard.stops_before(*place))
            .find_map(|place| timing(heard, place))
            .filter(|timing| timing.day || timing.clock)
        else {
            continue;
        };
        let open = heard.has_before(cue.start, 8, OPEN)
            || (cue.end..time.places.start).any(|place| OPEN.contains(&heard.norm(place)));
        let asks = heard.asks(cue.start) || heard.behind_any(time.places.end, OFFERED).is_some();
        if open || asks || heard.lost(time.places.end) {
            findings.push(Finding::Doubt(FactKey::Appointment));
            continue;
        }
        let start = (time.places.start..time.places.end)
            .find(|place| !matches!(heard.norm(*place), "for" | "at" | "on" | "to" | "in"))
            .unwrap_or(time.places.start);
        let value = plain(heard.quote(start..time.places.end));
        findings.push(fact(FactKey::Appointment, value, heard, cue.start..time.places.end));
        return;
    }
}

/// Who promises.
const PROMISERS: &[&str] = &[
    "i will",
    "i'll",
    "we will",
    "we'll",
    "i'm going to",
    "we're going to",
    "i am going to",
    "we are going to",
    "you will",
    "you'll",
    "someone will",
    "somebody will",
    "a technician will",
    "the technician will",
    "our technician will",
    "a manager will",
    "the manager will",
    "my manager will",
    "our team will",
    "a specialist will",
    "the driver will",
    "a supervisor will",
    "my supervisor will",
    "a colleague will",
    "my colleague will",
    "the doctor will",
    "a representative will",
    "someone from our team will",
];

/// What may stand between "will" and the verb.
const BETWEEN: &[&str] = &[
    "also",
    "be",
    "then",
    "definitely",
    "certainly",
    "personally",
    "go",
    "ahead",
    "and",
    "make",
    "sure",
    "to",
    "have",
    "someone",
    "somebody",
    "a",
    "technician",
    "manager",
    "now",
    "gladly",
    "get",
];

/// What is promised: what the agent, or somebody for it, does after the call.
const DEEDS: &[&str] = &[
    "call",
    "calling",
    "contact",
    "contacting",
    "credit",
    "deliver",
    "email",
    "emailing",
    "e-mail",
    "escalate",
    "fix",
    "follow",
    "get",
    "issue",
    "issuing",
    "mail",
    "mailing",
    "notify",
    "order",
    "receive",
    "refund",
    "refunding",
    "reimburse",
    "remind",
    "repair",
    "replace",
    "send",
    "sending",
    "ship",
    "shipping",
    "text",
    "texting",
    "waive",
    "reach",
    "come",
    "deliver",
    "forward",
    "sent",
    "arrange",
    "deposit",
];

/// The most words of a promise that are kept.
const LONGEST: usize = 24;

fn promises(heard: &Heard<'_>, findings: &mut Vec<Finding>) {
    let mut behind = 0;
    for promiser in heard.find(PROMISERS) {
        if promiser.start < behind {
            continue;
        }
        let Some(deed) = (promiser.end..heard.words.len().min(promiser.end + 6))
            .take_while(|place| *place == promiser.end || BETWEEN.contains(&heard.norm(*place - 1)))
            .find(|place| DEEDS.contains(&heard.norm(*place)))
        else {
            continue;
        };
        let end = (deed + 1..heard.words.len().min(promiser.start + LONGEST))
            .find(|place| heard.stops_before(*place) || begins_anew(heard, *place))
            .unwrap_or(heard.words.len().min(promiser.start + LONGEST));
        behind = end;
        if !is_done_for_caller(heard, promiser.start, deed, end) {
            continue;
        }
        let open = heard.asks(promiser.start)
            || heard.has_before(
                promiser.start,
                12,
                &[
                    "if", "unless", "once", "before", "would", "do", "should", "that", "whether", "when", "until",
                    "can",
                ],
            )
            || (deed..end).any(|place| heard.lost(place) || matches!(heard.norm(place), "if" | "unless"));
        if open {
            findings.push(Finding::Doubt(FactKey::Promise));
            continue;
        }
        let value = plain(heard.quote(deed..end));
        findings.push(fact(FactKey::Promise, value, heard, promiser.start..end));
    }
}

/// Whether the deed is for the caller and after the call: "get" only as in "get back to you", "you will" only as in "you will
/// receive", "call" and "order" only with an object.
fn is_done_for_caller(heard: &Heard<'_>, promiser: usize, deed: usize, end: usize) -> bool {
    let to_caller = heard.norm(promiser) == "you" || heard.norm(promiser) == "you'll";
    let next = heard.norm(deed + 1);
    match heard.norm(deed) {
        "get" if to_caller => (deed + 1..end).any(|place| {
            matches!(
                heard.norm(place),
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
                        heard.norm(place),
                        "sent" | "refunded" | "replaced" | "mailed" | "shipped"
                    )
                })
        }
        "receive" => to_caller,
        "come" => matches!(heard.norm(promiser), "a" | "the" | "our" | "someone" | "somebody"),
        "reach" => next == "out",
        "follow" => next == "up",
        "sent" => false,
        _ if to_caller => false,
        _ => end > deed + 1,
    }
}

/// Whether unpunctuated speech begins a new sentence at `place`.
fn begins_anew(heard: &Heard<'_>, place: usize) -> bool {
    heard
        .behind_any(
            place,
            &[
                "is there anything",
                "anything else",
                "is that",
                "thank you",
                "thanks for",
                "have a",
                "can i",
                "do you",
                "what is",
                "would you",
                "okay",
                "alright",
                "are you",
            ],
        )
        .is_some()
}
