//! How to reach the caller: e-mail address and telephone number.

use super::{
    exchange::Exchange,
    finding::{Finding, Topic, statement},
    readout::{REFUSALS, as_heard, read_out},
    utterance::Utterance,
};
use crate::text::{
    numbers::spoken_digit,
    ordinary::is_ordinary,
    phrases::{Phrases, phrases},
    small::{is_interjection, is_small},
};

/// Looks for e-mail addresses and telephone numbers that callers give as theirs.
pub(super) fn find(exchanges: &[Exchange<'_, '_>], findings: &mut Vec<Finding>) {
    let mut given = None;
    for exchange in exchanges {
        emails(exchange, findings);
        let first = findings.len();
        given = match given {
            Some(place) if corrected(exchange, place, findings) => Some(place),
            _ => {
                numbers(exchange, findings);
                (first..findings.len()).find(|place| is_number_given(&findings[*place]))
            }
        };
    }
}

const EMAIL_CUES: &Phrases = phrases![
    "change my email address to",
    "change my email to",
    "contact me at",
    "e-mail me at",
    "email address is",
    "email is",
    "email it to me at",
    "email me at",
    "email's",
    "my e mail address is",
    "my e mail is",
    "my e-mail address is",
    "my e-mail is",
    "my email address is",
    "my email is",
    "my email's",
    "my new email address is",
    "my new email is",
    "my personal email is",
    "my work email is",
    "reach me at",
    "reach me by email at",
    "send it to me at",
    "the email is",
    "update my email to",
    "write to me at",
];

/// Words that show that the address is not the caller's, or not any more.
const NOT_MINE: &Phrases = phrases![
    "boss's",
    "company's",
    "daughter's",
    "don't",
    "father's",
    "her",
    "his",
    "husband's",
    "isn't",
    "mother's",
    "never",
    "not",
    "old",
    "previous",
    "son's",
    "stop",
    "their",
    "used",
    "wasn't",
    "wife's",
    "wrong",
    "your",
];

/// Where callers may give their e-mail address: the places before and behind the words that say so.
pub(super) fn email_cues(exchange: &Exchange<'_, '_>) -> Vec<(usize, usize)> {
    let utterance = exchange.answer;
    let mut cues: Vec<(usize, usize)> = utterance.find(EMAIL_CUES).map(|cue| (cue.start, cue.end)).collect();
    if cues.is_empty()
        && exchange.question.is_some_and(|agent| {
            agent.has(phrases![
                "best email",
                "e-mail address",
                "email address",
                "your e mail",
                "your e-mail",
                "your email",
            ]) && !agent.has(phrases!["company email", "our email"])
                && !agent.asks_back(phrases!["is that your email", "is your email"])
        })
    {
        let start = answer_start(utterance);
        cues.push((start, start));
    }
    cues
}

fn emails(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) {
    let utterance = exchange.answer;
    for (start, end) in email_cues(exchange) {
        if utterance.asks(start) || utterance.has_before(end, 5, NOT_MINE) {
            findings.push(Finding::Doubt(Topic::Email));
            continue;
        }
        match address(utterance, end) {
            Address::Found(value, end) => {
                findings.push(statement(Topic::Email, value, utterance, start..end));
                return;
            }
            Address::Doubtful => findings.push(Finding::Doubt(Topic::Email)),
            Address::Nothing => {}
        }
    }
}

/// The place behind what an answer begins with.
pub(super) fn answer_start(utterance: &Utterance<'_>) -> usize {
    const LEADS: &Phrases = phrases![
        "it is",
        "it's",
        "that is",
        "that would be",
        "that's",
        "the address is",
        "the number is",
        "use",
        "yes it's",
        "you can reach me at",
        "you can use",
    ];
    let mut at = 0;
    while at < utterance.words.len() {
        match utterance.behind(at, LEADS) {
            Some(end) => at = end,
            None if is_interjection(utterance.norm(at)) && spoken_digit(utterance.norm(at)).is_none() => at += 1,
            None => break,
        }
    }
    at
}

enum Address {
    Found(String, usize),
    Doubtful,
    Nothing,
}

/// The e-mail address at `place`, written or spelled out ("jane dot doe at example dot com").
fn address(utterance: &Utterance<'_>, place: usize) -> Address {
    let start = place + usize::from(matches!(utterance.norm(place), "actually" | "still" | "now" | "is"));
    let shown = utterance.shown(start);
    if shown.contains('@') {
        let value = shown.to_lowercase();
        return if is_address(&value) {
            Address::Found(value, start + 1)
        } else {
            Address::Doubtful
        };
    }
    let Some(at) = (start + 1..utterance.words.len().min(start + 24)).find(|at| utterance.norm(*at) == "at") else {
        return Address::Nothing;
    };
    let Some((local, _)) = part(utterance, start, at) else {
        return Address::Doubtful;
    };
    let last = (at + 1..utterance.words.len().min(at + 12))
        .take_while(|word| *word == at + 1 || !utterance.stops_before(*word))
        .last();
    let Some(last) = last else { return Address::Doubtful };
    let domain_end = last_label(utterance, at + 1, last + 1);
    let Some((domain, end)) = part(utterance, at + 1, domain_end) else {
        return Address::Doubtful;
    };
    let value = format!("{local}@{domain}");
    if is_address(&value) && !utterance.lost(end) {
        Address::Found(value, end)
    } else {
        Address::Doubtful
    }
}

/// Whether the word can be part of a spelled-out address.
pub(super) fn is_email_word(norm: &str) -> bool {
    !norm.is_empty()
        && (norm.len() == 1 || norm == "at" || spoken_digit(norm).is_some() || !is_small(norm))
        && norm
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

/// Where a spelled-out domain ends: behind the word after its last "dot".
fn last_label(utterance: &Utterance<'_>, start: usize, end: usize) -> usize {
    // "example.com" in one word needs no "dot".
    if utterance.shown(start).contains('.') {
        return start + 1;
    }
    (start..end)
        .rev()
        .find(|place| matches!(utterance.norm(*place), "dot" | "point"))
        .map_or(end.min(start + 1), |dot| (dot + 2).min(end))
}

/// One side of a spelled-out address. Letters and digits run together; two words in a row could be one or have a dot
/// between, so that nobody knows the address.
fn part(utterance: &Utterance<'_>, start: usize, end: usize) -> Option<(String, usize)> {
    let mut written = String::new();
    let mut word_before = false;
    let mut skipped = 0;
    for place in start..end {
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        let norm = utterance.norm(place);
        let (piece, is_word) = match norm {
            "" => return None,
            "dot" | "point" | "period" => (".".to_owned(), false),
            "underscore" => ("_".to_owned(), false),
            "dash" | "hyphen" | "minus" => ("-".to_owned(), false),
            "plus" => ("+".to_owned(), false),
            _ => match spoken_digit(norm) {
                Some(digit) if norm != "o" => (digit.to_string(), false),
                _ if norm.chars().all(|c| c.is_ascii_digit()) => (norm.to_owned(), false),
                _ if norm
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')) =>
                {
                    (norm.to_owned(), norm.len() > 1)
                }
                _ => return None,
            },
        };
        if is_word && (word_before || is_small(norm)) {
            return None;
        }
        word_before = is_word;
        written.push_str(&piece);
        // "jane, j a n e": the word is spelled, not followed by letters.
        if is_word {
            let letters = |place: &usize| *place < end && utterance.norm(*place).len() == 1;
            let spelled: String = (place + 1..)
                .take_while(letters)
                .map(|place| utterance.norm(place))
                .collect();
            if spelled.len() > 1 && spelled == norm {
                skipped = spelled.len();
            } else if spelled.len() > 2 && spelled.starts_with(&norm[..1]) {
                return None;
            }
        }
    }
    (!written.is_empty()).then_some((written, end))
}

pub(super) fn is_address(value: &str) -> bool {
    let Some((local, domain)) = value.split_once('@') else {
        return false;
    };
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let top = domain.rsplit('.').next().unwrap_or_default();
    !local.is_empty()
        && local.len() <= 64
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local.chars().all(|c| c.is_ascii_alphanumeric() || "._%+-'".contains(c))
        && domain.contains('.')
        && domain.split('.').all(label)
        && (2..=12).contains(&top.len())
        && top.chars().all(|c| c.is_ascii_alphabetic())
}

const NUMBER_CUES: &Phrases = phrases![
    "best number for me is",
    "best number is",
    "best number to call is",
    "best number to reach me is",
    "call back number is",
    "call me at",
    "call me back at",
    "call me back on",
    "call me on",
    "callback number is",
    "contact me at",
    "contact me on",
    "my call back number is",
    "my callback number is",
    "my cell is",
    "my cell number is",
    "my cell phone is",
    "my cell phone number is",
    "my contact number is",
    "my direct line is",
    "my home number is",
    "my mobile is",
    "my mobile number is",
    "my new number is",
    "my new phone number is",
    "my number is",
    "my number's",
    "my phone is",
    "my phone number is",
    "my telephone number is",
    "my work number is",
    "new number is",
    "reach me at",
    "reach me on",
    "ring me on",
    "text me at",
];

/// The fewest and the most digits of a telephone number with its area.
const FEWEST: usize = 7;
const MOST: usize = 15;

/// Where callers may give their telephone number: the places before and behind the words that say so.
pub(super) fn number_cues(exchange: &Exchange<'_, '_>) -> Vec<(usize, usize)> {
    let utterance = exchange.answer;
    let mut cues: Vec<(usize, usize)> = utterance.find(NUMBER_CUES).map(|cue| (cue.start, cue.end)).collect();
    if cues.is_empty()
        && exchange.question.is_some_and(|agent| {
            agent.has(phrases![
                "a good number",
                "a number in case",
                "best number",
                "call back number",
                "call you back",
                "callback number",
                "contact number",
                "get a number",
                "number can we",
                "number to call",
                "number to reach",
                "number we can",
                "phone number",
                "reach you",
                "your cell",
                "your mobile",
                "your number"
            ]) && !agent.has(phrases![
                "account number",
                "card number",
                "order number",
                "our number",
                "our phone number",
                "policy number",
            ]) && !agent.asks_back(phrases!["is your number", "is your phone number"])
        })
    {
        let start = answer_start(utterance);
        cues.push((start, start));
    }
    for (_, end) in &mut cues {
        let is_filling = matches!(utterance.norm(*end), "actually" | "area" | "it's" | "now" | "still");
        *end += usize::from(is_filling);
    }
    cues
}

fn numbers(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) {
    let utterance = exchange.answer;
    for (start, end) in number_cues(exchange) {
        let Some(readout) = read_out(utterance, end, false) else {
            continue;
        };
        let behind = utterance.ends_before(readout.end)
            || is_small(utterance.norm(readout.end))
            || is_ordinary(utterance.norm(readout.end));
        let long = (FEWEST..=MOST).contains(&readout.digits());
        if readout.digits() < 4 {
            continue;
        }
        if !long
            || readout.doubtful
            || !behind
            || utterance.asks(start)
            || utterance.has_before(end, 6, NOT_MINE)
            || extension(utterance, readout.end)
        {
            findings.push(Finding::Doubt(Topic::CallbackNumber));
            continue;
        }
        let value = as_heard(readout.code, utterance.speaker, exchange.behind);
        findings.push(statement(Topic::CallbackNumber, value, utterance, start..readout.end));
        return;
    }
}

fn is_number_given(finding: &Finding) -> bool {
    matches!(finding, Finding::Statement(statement) if statement.topic == Topic::CallbackNumber)
}

/// Whether the caller takes back the number that stands at `place` of `findings`, which they gave in the turn before:
/// "no, it's 202 555 0143". A part of a number that is not in the one given leaves it in doubt.
fn corrected(exchange: &Exchange<'_, '_>, place: usize, findings: &mut [Finding]) -> bool {
    let utterance = exchange.answer;
    let reach = 0..utterance.words.len().min(6);
    if !utterance.has_between(&reach, REFUSALS) {
        return false;
    }
    let mut places = reach;
    let Some((start, readout)) = places.find_map(|start| Some((start, read_out(utterance, start, false)?))) else {
        return false;
    };
    let Finding::Statement(given) = &findings[place] else {
        return false;
    };
    let is_whole = (FEWEST..=MOST).contains(&readout.digits());
    if is_whole && !readout.doubtful && !utterance.asks(start) {
        let value = as_heard(readout.code, utterance.speaker, exchange.behind);
        findings[place] = statement(Topic::CallbackNumber, value, utterance, start..readout.end);
    } else if !given.value.contains(&readout.code) {
        findings[place] = Finding::Doubt(Topic::CallbackNumber);
    }
    true
}

/// A number goes on in a way that digits alone do not tell.
fn extension(utterance: &Utterance<'_>, place: usize) -> bool {
    matches!(utterance.norm(place), "extension" | "ext" | "x")
}
