//! Amounts of money that both sides agree on.

use super::{
    finding::{Finding, Topic, statement},
    utterance::Utterance,
};
use crate::{
    text::{
        numbers::is_number,
        phrases::{Phrases, phrases},
        plain::plain,
    },
    transcript::Speaker,
};

/// How agents tell an amount that holds, with what it is.
const STATED: &[(&str, &Phrases)] = &[
    (
        "total",
        phrases![
            "all together that's",
            "altogether that's",
            "comes out to",
            "comes to",
            "grand total is",
            "that'll be",
            "that will be",
            "the total will be",
            "the total would be",
            "total comes to",
            "total is",
            "your total is",
        ],
    ),
    (
        "refund",
        phrases![
            "a refund of",
            "refund of",
            "refund you",
            "the refund is",
            "the refund of"
        ],
    ),
    (
        "credit",
        phrases!["a credit of", "credit of", "credit you", "the credit of"],
    ),
    ("discount", phrases!["a discount of", "discount of", "the discount of"]),
    (
        "deposit",
        phrases!["a deposit of", "deposit is", "deposit of", "the deposit of"],
    ),
    ("fee", phrases!["a fee of", "fee is", "fee of", "the fee of"]),
    (
        "payment",
        phrases!["a payment of", "payment is", "payment of", "the payment of"],
    ),
];

/// Words of the agent's turn that leave the amount open.
const OPEN: &Phrases = phrases![
    "about", "almost", "around", "between", "can't", "cannot", "could", "depends", "estimate", "from", "if", "instead",
    "less", "may", "maybe", "might", "more", "not", "or", "per", "roughly", "starting", "unless", "up to", "usually",
    "would",
];

/// With what a caller takes it.
const AGREES: &Phrases = phrases![
    "absolutely",
    "agreed",
    "all right",
    "alright",
    "deal",
    "fine",
    "go ahead",
    "good",
    "great",
    "i agree",
    "i'll take it",
    "okay",
    "ok",
    "perfect",
    "please do",
    "sounds good",
    "sure",
    "that works",
    "works for me",
    "yeah",
    "yep",
    "yes",
];

/// With what they do not, or not yet.
const OBJECTS: &Phrases = phrases![
    "a lot",
    "but",
    "can't",
    "cannot",
    "don't",
    "expensive",
    "instead",
    "isn't",
    "less",
    "no",
    "not",
    "only",
    "really",
    "supposed",
    "thought",
    "too",
    "wait",
    "what",
    "why",
    "wrong",
];

/// Looks for amounts that the agent states and the caller takes in their next turn.
pub(super) fn find(call: &[&Utterance<'_>], findings: &mut Vec<Finding>) {
    for (place, utterance) in call.iter().enumerate() {
        if utterance.speaker != Speaker::Agent || !has_money(utterance) {
            continue;
        }
        let mut behind = call[place + 1..].iter().filter(|turn| !turn.words.is_empty());
        let Some(answer) = behind.next().filter(|answer| answer.speaker == Speaker::Caller) else {
            continue;
        };
        let agrees = answer.has_between(&(0..answer.words.len().min(5)), AGREES);
        for (kind, cues) in STATED {
            let stated = utterance
                .find(cues)
                .find_map(|cue| Some((cue.start, amount(utterance, cue.end)?)));
            let Some((start, places)) = stated else { continue };
            let is_open = utterance.has_before(start, 8, OPEN) || utterance.has_between(&(start..places.end + 2), OPEN);
            let is_taken = agrees && !answer.has(OBJECTS) && !(0..answer.words.len()).any(|place| answer.asks(place));
            if is_open || !is_taken {
                findings.push(Finding::Doubt(Topic::Amount));
            } else {
                let value = format!("{kind} {}", plain(utterance.quote(places.clone())));
                findings.push(statement(Topic::Amount, value, utterance, start..places.end));
            }
            break;
        }
    }
}

fn is_currency(norm: &str) -> bool {
    matches!(
        norm,
        "bucks" | "cents" | "dollar" | "dollars" | "euro" | "euros" | "pence" | "pound" | "pounds" | "usd"
    )
}

fn is_price(norm: &str) -> bool {
    norm.starts_with(['$', '€', '£']) && norm.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_money(utterance: &Utterance<'_>) -> bool {
    (0..utterance.words.len()).any(|place| is_price(utterance.norm(place)) || is_currency(utterance.norm(place)))
}

/// The places of the amount at `place`: "$45.20", "thirty dollars and fifty cents".
fn amount(utterance: &Utterance<'_>, place: usize) -> Option<std::ops::Range<usize>> {
    if is_price(utterance.norm(place)) {
        return Some(place..place + 1);
    }
    let mut end = place;
    let mut is_money = false;
    while end < place + 12 {
        let norm = utterance.norm(end);
        if is_currency(norm) {
            is_money = true;
        } else if !(is_number(norm) || norm == "and" && end > place && is_number(utterance.norm(end + 1))) {
            break;
        }
        end += 1;
        if utterance.ends_before(end) {
            break;
        }
    }
    (is_money && end > place + 1).then_some(place..end)
}
