//! Numbers that name an order, a policy, a case: what either side reads out of it.
//!
//! Numbers of accounts and cards are left alone on purpose: nobody needs them in a memory.

use super::{
    FactKey, Finding,
    contact::answer_start,
    fact,
    heard::Heard,
    spoken::{Spoken, read_out},
};
use crate::call::Role;

/// What has a number worth keeping.
const KINDS: &[&str] = &[
    "booking",
    "case",
    "claim",
    "confirmation",
    "invoice",
    "membership",
    "order",
    "policy",
    "reference",
    "reservation",
    "service request",
    "ticket",
    "tracking",
    "work order",
];

/// What stands between the kind and its number.
const NUMBER: &[&str] = &[
    "code",
    "code is",
    "id",
    "id is",
    "is",
    "is number",
    "no",
    "number",
    "number is",
    "number's",
];

/// The fewest characters of a number that names something.
const FEWEST: usize = 4;

/// Looks for the numbers of things in the turns of both sides.
pub(super) fn find(call: &[Heard<'_>], findings: &mut Vec<Finding>) {
    let mut asked: Option<&str> = None;
    for heard in call.iter().filter(|heard| !heard.words.is_empty()) {
        let found = named(heard, findings);
        if heard.role == Role::Agent {
            asked = asks(heard);
            continue;
        }
        if !found && let Some(kind) = asked.take() {
            let start = answer_start(heard);
            if let Some(spoken) = read_out(heard, start, true) {
                keep(heard, kind, &spoken, start, findings);
            }
        }
    }
}

/// The kind of number that the agent asks for.
fn asks(agent: &Heard<'_>) -> Option<&'static str> {
    KINDS.iter().copied().find(|kind| {
        let number = format!("{kind} number");
        agent.has(&[&number]) && !agent.has(&["account number", "card number"]) && named_number(agent, kind).is_none()
    })
}

fn named_number(heard: &Heard<'_>, kind: &str) -> Option<(usize, Spoken)> {
    heard.find(&[kind]).find_map(|places| {
        let start = heard.behind_any(places.end, NUMBER).unwrap_or(places.end);
        let start = start + usize::from(heard.norm(start) == "is");
        Some((places.start, read_out(heard, start, true)?))
    })
}

/// Numbers that stand behind their kind; whether there were any.
fn named(heard: &Heard<'_>, findings: &mut Vec<Finding>) -> bool {
    let mut found = false;
    for kind in KINDS {
        // "work order" is not an "order".
        for places in heard.find(&[kind]) {
            if *kind == "order" && places.start > 0 && heard.norm(places.start - 1) == "work" {
                continue;
            }
            let number = heard.behind_any(places.end, NUMBER);
            let start = number.unwrap_or(places.end);
            let Some(spoken) = read_out(heard, start, true) else {
                continue;
            };
            // Without the word "number" only figures that look like one count.
            let figures = spoken.end == start + 1 && spoken.digits() >= FEWEST;
            if number.is_none() && !figures {
                continue;
            }
            found = true;
            if heard.asks(places.start) || heard.has_before(places.start, 4, &["isn't", "not", "wasn't", "wrong"]) {
                findings.push(Finding::Doubt(FactKey::Reference));
                continue;
            }
            keep(heard, kind, &spoken, places.start, findings);
        }
    }
    found
}

fn keep(heard: &Heard<'_>, kind: &str, spoken: &Spoken, start: usize, findings: &mut Vec<Finding>) {
    let length = spoken.code.len();
    if length < FEWEST && spoken.digits() < 3 {
        return;
    }
    if spoken.doubtful || length < FEWEST || spoken.digits() < 2 || length > 30 {
        findings.push(Finding::Doubt(FactKey::Reference));
        return;
    }
    findings.push(fact(
        FactKey::Reference,
        format!("{kind} {}", spoken.code),
        heard,
        start..spoken.end,
    ));
}
