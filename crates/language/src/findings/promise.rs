//! What the caller was promised.

use std::ops::Range;

use super::{
    agreement::{Day, Status, Terms, terms_at},
    finding::{Finding, Topic, statement},
    utterance::Utterance,
};
use crate::{
    text::{
        phrases::{Phrases, phrases},
        plain::plain,
    },
    transcript::Speaker,
};

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
const FILLING: &[&str] = &[
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

/// Looks for what the agent promises in `call`.
pub(super) fn find(call: &[Utterance<'_>], today: Option<Day>, findings: &mut Vec<Finding>) {
    for utterance in call.iter().filter(|utterance| utterance.speaker == Speaker::Agent) {
        promises(utterance, today, findings);
    }
}

fn promises(utterance: &Utterance<'_>, today: Option<Day>, findings: &mut Vec<Finding>) {
    let mut behind = 0;
    for promiser in utterance.find(PROMISERS) {
        if promiser.start < behind {
            continue;
        }
        let Some(deed) = (promiser.end..utterance.words.len().min(promiser.end + 6))
            .take_while(|place| *place == promiser.end || FILLING.contains(&utterance.norm(*place - 1)))
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
        let mut finding = statement(Topic::Promise, value, utterance, promiser.start..end);
        if let Finding::Statement(statement) = &mut finding {
            statement.terms = Some(terms(utterance, deed..end, today));
        }
        findings.push(finding);
    }
}

/// By when the promise at `places` is to be kept: the time with which it ends, unless it may be the time of what is
/// sent or spoken of, as in "send you a reminder of your visit on Friday".
fn terms(utterance: &Utterance<'_>, places: Range<usize>, today: Option<Day>) -> Terms {
    const OF_ANOTHER: &Phrases = phrases![
        "about",
        "after",
        "appointment",
        "before",
        "booking",
        "for",
        "from",
        "of",
        "reminder",
        "reservation",
        "that",
        "until",
        "visit",
        "when",
        "your order",
    ];
    let none = Terms {
        day: None,
        clock: None,
        status: Status::Agreed,
    };
    if utterance.has_between(&places, OF_ANOTHER) {
        return none;
    }
    terms_at(utterance, &places, today)
}

/// Whether the deed is for the caller and after the call: "get" only as in "get back to you", "you will" only as in
/// "you will receive", "call" and "order" only with an object.
fn is_done_for_caller(utterance: &Utterance<'_>, promiser: usize, deed: usize, end: usize) -> bool {
    let to_caller = utterance.norm(promiser) == "you" || utterance.norm(promiser) == "you'll";
    let next = utterance.norm(deed + 1);
    // "I'll call her" and "we'll send him a card" are done for somebody else, and whom they send they refer.
    let is_for_others =
        matches!(next, "her" | "him" | "them") && !utterance.has_between(&(deed..end), phrases!["to you"]);
    let refers = next == "you"
        && matches!(utterance.norm(deed + 2), "down" | "over" | "through" | "to" | "up")
        && matches!(utterance.norm(deed), "forward" | "get" | "refer" | "send" | "sending");
    if is_for_others || refers {
        return false;
    }
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
        "call" | "calling" | "contact" | "contacting" | "notify" | "remind" | "text" | "texting" => {
            !to_caller
                && (matches!(next, "you" | "your")
                    || terms(utterance, deed..end, Some(Day(0))).day.is_some() && deed + 3 >= end)
        }
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
