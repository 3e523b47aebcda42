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
use crate::{
    call::Role,
    text::phrases::{Phrases, phrases},
};

/// What has a number worth keeping.
const KINDS: &Phrases = phrases![
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
const NUMBER: &Phrases = phrases![
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
    let (kind, behind) = (0..agent.words.len())
        .filter_map(|place| agent.phrase_at(place, KINDS))
        .find(|(_, behind)| agent.norm(*behind) == "number")?;
    let reads = read_out(agent, behind + 1 + usize::from(agent.norm(behind + 1) == "is"), true).is_some();
    let other = agent.has(phrases!["account number", "card number"]);
    (!reads && !other).then_some(kind)
}

/// Numbers that stand behind their kind; whether there were any.
fn named(heard: &Heard<'_>, findings: &mut Vec<Finding>) -> bool {
    let mut found = false;
    let mut behind = 0;
    for start in 0..heard.words.len() {
        // The "order" of a "work order" is in it already.
        let Some((kind, end)) = heard.phrase_at(start, KINDS).filter(|_| start >= behind) else {
            continue;
        };
        behind = end;
        let number = heard.behind(end, NUMBER);
        let first = number.unwrap_or(end);
        let Some(spoken) = read_out(heard, first, true) else {
            continue;
        };
        // Without the word "number" only figures that look like one count.
        let figures = spoken.end == first + 1 && spoken.digits() >= FEWEST;
        if number.is_none() && !figures {
            continue;
        }
        found = true;
        if heard.asks(start) || heard.has_before(start, 4, phrases!["isn't", "not", "wasn't", "wrong"]) {
            findings.push(Finding::Doubt(FactKey::Reference));
            continue;
        }
        keep(heard, kind, &spoken, start, findings);
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
