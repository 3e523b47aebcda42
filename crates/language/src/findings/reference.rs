//! Numbers that name an order, a policy, a case: what either side reads out of it.
//!
//! Numbers of accounts and cards are left alone on purpose: nobody needs them in a memory.

use super::{
    contact::answer_start,
    finding::{Finding, Topic, statement},
    readout::{Readout, as_heard, read_out},
    utterance::Utterance,
};
use crate::{
    text::phrases::{Phrases, phrases},
    transcript::Speaker,
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
pub(super) fn find(call: &[&Utterance<'_>], findings: &mut Vec<Finding>) {
    let mut asked: Option<&str> = None;
    for (place, utterance) in call.iter().copied().enumerate() {
        if utterance.words.is_empty() {
            continue;
        }
        let behind = &call[place + 1..];
        let found = named(utterance, behind, findings);
        if utterance.speaker == Speaker::Agent {
            asked = asks(utterance);
            continue;
        }
        if !found && let Some(kind) = asked.take() {
            let start = answer_start(utterance);
            if let Some(readout) = read_out(utterance, start, true) {
                keep(utterance, kind, readout, start, behind, findings);
            }
        }
    }
}

/// Where the last number begins that `utterance` names the kind of, or that it answers `question` with.
pub(super) fn number_start(utterance: &Utterance<'_>, question: Option<&Utterance<'_>>) -> Option<usize> {
    let named = (0..utterance.words.len())
        .rev()
        .find_map(|place| utterance.behind(utterance.behind(place, KINDS)?, NUMBER));
    named.or_else(|| question.and_then(asks).map(|_| answer_start(utterance)))
}

/// The kind of number that the agent asks for.
fn asks(agent: &Utterance<'_>) -> Option<&'static str> {
    let (kind, behind) = (0..agent.words.len())
        .filter_map(|place| agent.phrase_at(place, KINDS))
        .find(|(_, behind)| agent.norm(*behind) == "number")?;
    let reads = read_out(agent, behind + 1 + usize::from(agent.norm(behind + 1) == "is"), true).is_some();
    let other = agent.has(phrases!["account number", "card number"]);
    (!reads && !other).then_some(kind)
}

/// Numbers that stand behind their kind; whether there were any.
fn named(utterance: &Utterance<'_>, behind: &[&Utterance<'_>], findings: &mut Vec<Finding>) -> bool {
    let mut found = false;
    let mut from = 0;
    for start in 0..utterance.words.len() {
        // The "order" of a "work order" is in it already.
        let Some((kind, end)) = utterance.phrase_at(start, KINDS).filter(|_| start >= from) else {
            continue;
        };
        from = end;
        let number = utterance.behind(end, NUMBER);
        let first = number.unwrap_or(end);
        let Some(readout) = read_out(utterance, first, true) else {
            continue;
        };
        // Without the word "number" only figures that look like one count.
        let figures = readout.end == first + 1 && readout.digits() >= FEWEST;
        if number.is_none() && !figures {
            continue;
        }
        found = true;
        if utterance.asks(start) || utterance.has_before(start, 4, phrases!["isn't", "not", "wasn't", "wrong"]) {
            findings.push(Finding::Doubt(Topic::Reference));
            continue;
        }
        keep(utterance, kind, readout, start, behind, findings);
    }
    found
}

/// Keeps a number of `kind` that stands behind `start` in `utterance`; the turns `behind` follow it.
fn keep(
    utterance: &Utterance<'_>,
    kind: &str,
    readout: Readout,
    start: usize,
    behind: &[&Utterance<'_>],
    findings: &mut Vec<Finding>,
) {
    let length = readout.code.len();
    if length < FEWEST && readout.digits() < 3 {
        return;
    }
    if readout.doubtful || length < FEWEST || readout.digits() < 2 || length > 30 {
        findings.push(Finding::Doubt(Topic::Reference));
        return;
    }
    let places = start..readout.end;
    let code = as_heard(readout.code, utterance.speaker, behind);
    findings.push(statement(Topic::Reference, format!("{kind} {code}"), utterance, places));
}
