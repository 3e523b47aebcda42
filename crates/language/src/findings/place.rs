//! Where the caller lives: postal address and city.

use super::{
    contact::answer_start,
    exchange::Exchange,
    finding::{Finding, Topic, statement},
    utterance::Utterance,
};
use crate::text::{
    numbers::{is_number, spoken_digit},
    ordinary::is_ordinary,
    phrases::{Phrases, phrases},
    plain::plain,
    small::is_small,
    words::After,
};

/// Looks for addresses and cities that callers give as theirs.
pub(super) fn find(exchanges: &[Exchange<'_, '_>], findings: &mut Vec<Finding>) {
    for exchange in exchanges {
        addresses(exchange, findings);
        cities(exchange, findings);
    }
}

const ADDRESS_CUES: &Phrases = phrases![
    "come to",
    "deliver it to",
    "i live at",
    "i moved to",
    "i'm living at",
    "i've moved to",
    "mail it to",
    "my address is",
    "my address's",
    "my billing address is",
    "my current address is",
    "my delivery address is",
    "my home address is",
    "my mailing address is",
    "my new address is",
    "my shipping address is",
    "my street address is",
    "send it to",
    "ship it to",
    "we live at",
    "we moved to",
];

/// What an agent asks for with these is not where the caller lives.
const OTHER_ADDRESS: &Phrases = phrases![
    "biller",
    "business",
    "company",
    "company's",
    "e-mail",
    "email",
    "her address",
    "his address",
    "payee",
    "recipient",
    "store",
    "their address",
];

const STREETS: &[&str] = &[
    "alley",
    "ave",
    "avenue",
    "blvd",
    "boulevard",
    "cir",
    "circle",
    "close",
    "court",
    "crescent",
    "ct",
    "dr",
    "drive",
    "gardens",
    "grove",
    "highway",
    "hill",
    "hwy",
    "lane",
    "ln",
    "loop",
    "mews",
    "parkway",
    "path",
    "pike",
    "pkwy",
    "pl",
    "place",
    "plaza",
    "rd",
    "road",
    "row",
    "sq",
    "square",
    "st",
    "street",
    "terrace",
    "trail",
    "walk",
    "way",
];

/// Words that go on with an address although they are ordinary ones.
const INSIDE: &[&str] = &[
    "apartment",
    "apt",
    "building",
    "city",
    "code",
    "east",
    "flat",
    "floor",
    "fort",
    "lake",
    "little",
    "long",
    "new",
    "north",
    "northeast",
    "northwest",
    "number",
    "salt",
    "san",
    "south",
    "southeast",
    "southwest",
    "springs",
    "suite",
    "unit",
    "west",
    "zip",
];

/// Whether the word is a kind of street.
pub(super) fn is_street(norm: &str) -> bool {
    STREETS.contains(&norm)
}

/// Whether the word at `place` can be part of an address.
pub(super) fn is_address_word(utterance: &Utterance<'_>, place: usize) -> bool {
    let norm = utterance.norm(place);
    let is_plain = || !(is_small(norm) || is_ordinary(norm)) && norm.len() > 1;
    let is_unit = || norm.len() == 1 && norm != "i" && place > 0;
    let is_named = || is_street(utterance.norm(place + 1)) && !is_small(norm);
    let is_digit = spoken_digit(norm).is_some();
    !norm.is_empty()
        && (is_number(norm)
            || is_digit
            || is_street(norm)
            || is_named()
            || INSIDE.contains(&norm)
            || is_plain()
            || is_unit())
}

/// The most words between the house number and the kind of street, and behind it.
const STREET_WORDS: usize = 5;
const REST_WORDS: usize = 12;

/// Where callers may give their address: the places before and behind the words that say so.
pub(super) fn address_cues(exchange: &Exchange<'_, '_>) -> Vec<(usize, usize)> {
    let utterance = exchange.answer;
    let mut cues: Vec<(usize, usize)> = utterance.find(ADDRESS_CUES).map(|cue| (cue.start, cue.end)).collect();
    if cues.is_empty()
        && exchange.question.is_some_and(|agent| {
            agent.has(phrases![
                "address for the delivery",
                "address should we",
                "the delivery address",
                "the mailing address",
                "the shipping address",
                "where do we send",
                "where do you live",
                "where should we deliver",
                "where should we send",
                "your address",
                "your billing address",
                "your current address",
                "your delivery address",
                "your home address",
                "your mailing address",
                "your new address",
                "your shipping address",
                "your street address"
            ]) && !agent.has(OTHER_ADDRESS)
                && !agent.asks_back(phrases!["is your address"])
        })
    {
        let start = answer_start(utterance);
        let start = start + usize::from(utterance.norm(start) == "to");
        cues.push((start, start));
    }
    cues
}

fn addresses(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) {
    let utterance = exchange.answer;
    for (start, end) in address_cues(exchange) {
        if utterance.asks(start)
            || utterance.has_before(end, 6, phrases!["didn't", "don't", "never", "no", "not", "old", "used"])
        {
            continue;
        }
        match address(utterance, end) {
            Some(Ok(behind)) => {
                let value = plain(utterance.quote(end..behind));
                findings.push(statement(Topic::Address, value, utterance, start..behind));
                return;
            }
            Some(Err(())) => findings.push(Finding::Doubt(Topic::Address)),
            None => {}
        }
    }
}

/// The place behind the address at `place`: a house number, a street and what follows. `Err` when it may be one.
fn address(utterance: &Utterance<'_>, place: usize) -> Option<Result<usize, ()>> {
    let mut at = place;
    while at < utterance.words.len() && is_number(utterance.norm(at)) {
        at += 1;
    }
    if at == place || utterance.norm(place).len() > 8 {
        return None;
    }
    // "12 b".
    at += usize::from(utterance.norm(at).len() == 1 && utterance.norm(at) != "i");
    let kind = (at + 1..(at + 1 + STREET_WORDS).min(utterance.words.len()))
        .take_while(|word| !utterance.stops_before(*word) && !utterance.lost(*word))
        .find(|word| is_street(utterance.norm(*word)));
    let Some(kind) = kind else {
        return if utterance.lost(at) || utterance.lost(at + 1) {
            Some(Err(()))
        } else {
            None
        };
    };
    if (at..kind).any(|word| is_small(utterance.norm(word)) && !matches!(utterance.norm(word), "of" | "the")) {
        return None;
    }
    let mut end = kind + 1;
    while end < utterance.words.len() && end < kind + REST_WORDS && !full_stop(utterance, end) {
        let norm = utterance.norm(end);
        if utterance.lost(end) {
            return Some(Err(()));
        }
        let number = is_number(norm) || spoken_digit(norm).is_some() && is_number(utterance.norm(end - 1));
        let capital = utterance.shown(end).chars().next().is_some_and(char::is_uppercase);
        let goes_on = number
            || INSIDE.contains(&norm)
            || (norm == "in" && !is_small(utterance.norm(end + 1)) && !is_ordinary(utterance.norm(end + 1)))
            || (capital && norm != "i" && !norm.starts_with("i'"))
            || !(is_small(norm) || is_ordinary(norm));
        if !goes_on {
            break;
        }
        end += 1;
    }
    Some(Ok(end))
}

/// Whether the address ends before `place`. The full stop of "St." ends nothing.
fn full_stop(utterance: &Utterance<'_>, place: usize) -> bool {
    let last = &utterance.words[place - 1];
    match last.after {
        After::Question => true,
        After::Stop => !is_street(&last.norm) || is_small(utterance.norm(place)),
        After::Pause | After::Nothing => false,
    }
}

const CITY_CUES: &Phrases = phrases![
    "i am based in",
    "i am located in",
    "i currently live in",
    "i live in",
    "i now live in",
    "i reside in",
    "i'm based in",
    "i'm living in",
    "i'm located in",
    "we are located in",
    "we live in",
    "we're based in",
    "we're located in",
];

/// Words that belong to names of cities although they are ordinary ones.
const CITY_WORDS: &[&str] = &[
    "beach", "cape", "city", "east", "falls", "fort", "grand", "green", "lake", "little", "long", "mount", "new",
    "north", "palm", "park", "port", "rock", "saint", "salt", "south", "spring", "springs", "st", "west",
];

fn cities(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) {
    let utterance = exchange.answer;
    let mut cues: Vec<(usize, usize)> = utterance.find(CITY_CUES).map(|cue| (cue.start, cue.end)).collect();
    if cues.is_empty()
        && exchange.question.is_some_and(|agent| {
            // "Which city should I search?" does not ask where the caller lives.
            agent.has(phrases![
                "city are you calling from",
                "city are you in",
                "city are you located",
                "city do you live",
                "city you live",
                "town are you in",
                "town do you live",
                "town you live",
            ]) && !agent.has(OTHER_ADDRESS)
        })
    {
        let start = answer_start(utterance);
        let start = utterance
            .behind(start, phrases!["i am in", "i'm in", "in"])
            .unwrap_or(start);
        cues.push((start, start));
    }
    for (start, end) in cues {
        if utterance.asks(start)
            || utterance.has_before(start, 4, phrases!["don't", "if", "not", "used", "when", "wish"])
        {
            continue;
        }
        if let Some(behind) = city(utterance, end) {
            let value = titled(&plain(utterance.quote(end..behind)));
            findings.push(statement(Topic::City, value, utterance, start..behind));
            return;
        }
    }
}

/// The place behind the name of a city at `place`.
fn city(utterance: &Utterance<'_>, place: usize) -> Option<usize> {
    let cased = utterance.shown(place).chars().next().is_some_and(char::is_uppercase);
    let mut end = place;
    let mut own = false;
    while end < utterance.words.len() && end < place + 4 {
        let norm = utterance.norm(end);
        let capital = utterance.shown(end).chars().next().is_some_and(char::is_uppercase);
        let letters =
            norm.chars().count() > 1 && norm.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '.'));
        let ordinary = is_small(norm) || is_ordinary(norm) || is_number(norm);
        if !letters || (cased && !capital) || (!cased && ordinary && !CITY_WORDS.contains(&norm)) {
            break;
        }
        if is_small(norm) && !(capital && norm == "the") {
            break;
        }
        // A capital that begins a sentence says nothing of its word.
        own |= !ordinary || (capital && !utterance.stops_before(end));
        end += 1;
        // "Austin, Texas" is one place; "Austin. Can you" is not.
        match utterance.words[end - 1].after {
            After::Stop | After::Question => break,
            After::Pause if !utterance.shown(end).chars().next().is_some_and(char::is_uppercase) => break,
            _ => {}
        }
    }
    let followed = end < utterance.words.len() && !utterance.ends_before(end) && utterance.lost(end);
    let outside = end > place && utterance.norm(end - 1) == "i";
    (own && !followed && !outside).then_some(end)
}

fn titled(name: &str) -> String {
    let words: Vec<String> = name
        .split(' ')
        .map(|word| {
            let mut letters = word.chars();
            match letters.next() {
                Some(first) => first.to_uppercase().chain(letters).collect(),
                None => String::new(),
            }
        })
        .collect();
    words.join(" ")
}
