//! Where the caller lives: postal address and city.

use super::{Exchange, FactKey, Finding, contact::answer_start, fact, heard::Heard};
use crate::text::{numbers::is_number, ordinary::is_ordinary, plain::plain, small::is_small, words::After};

/// Looks for addresses and cities that callers give as theirs.
pub(super) fn find(exchanges: &[Exchange<'_, '_>], findings: &mut Vec<Finding>) {
    for exchange in exchanges {
        addresses(exchange, findings);
        cities(exchange, findings);
    }
}

const ADDRESS_CUES: &[&str] = &[
    "my address is",
    "my home address is",
    "my mailing address is",
    "my new address is",
    "my street address is",
    "my billing address is",
    "my shipping address is",
    "my delivery address is",
    "my current address is",
    "my address's",
    "i live at",
    "we live at",
    "i'm living at",
    "i moved to",
    "we moved to",
    "i've moved to",
    "ship it to",
    "deliver it to",
    "send it to",
    "mail it to",
    "come to",
];

/// What an agent asks for with these is not where the caller lives.
const OTHER_ADDRESS: &[&str] = &[
    "company",
    "company's",
    "email",
    "e-mail",
    "their address",
    "business",
    "biller",
    "recipient",
    "payee",
    "his address",
    "her address",
    "store",
];

const STREETS: &[&str] = &[
    "alley",
    "ave",
    "avenue",
    "blvd",
    "boulevard",
    "circle",
    "cir",
    "close",
    "court",
    "crescent",
    "ct",
    "drive",
    "dr",
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
    "east",
    "flat",
    "floor",
    "fort",
    "lake",
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
    "suite",
    "unit",
    "west",
    "zip",
    "code",
    "springs",
    "little",
    "long",
];

/// The most words between the house number and the kind of street, and behind it.
const STREET_WORDS: usize = 5;
const REST_WORDS: usize = 12;

fn addresses(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) {
    let heard = exchange.heard;
    let mut cues: Vec<(usize, usize)> = heard.find(ADDRESS_CUES).map(|cue| (cue.start, cue.end)).collect();
    if cues.is_empty()
        && exchange.asked.is_some_and(|agent| {
            agent.has(&[
                "your address",
                "your home address",
                "your mailing address",
                "your street address",
                "your billing address",
                "your shipping address",
                "your delivery address",
                "your current address",
                "your new address",
                "where do you live",
                "address for the delivery",
                "address should we",
            ]) && !agent.has(OTHER_ADDRESS)
                && !agent.asks_back(&["is your address"])
        })
    {
        let start = answer_start(heard);
        cues.push((start, start));
    }
    for (start, end) in cues {
        if heard.asks(start) || heard.has_before(end, 6, &["not", "don't", "didn't", "used", "old", "never", "no"]) {
            continue;
        }
        match address(heard, end) {
            Some(Ok(behind)) => {
                let value = plain(heard.quote(end..behind));
                findings.push(fact(FactKey::Address, value, heard, start..behind));
                return;
            }
            Some(Err(())) => findings.push(Finding::Doubt(FactKey::Address)),
            None => {}
        }
    }
}

/// The place behind the address at `place`: a house number, a street and what follows. `Err` when it may be one.
fn address(heard: &Heard<'_>, place: usize) -> Option<Result<usize, ()>> {
    let mut at = place;
    while at < heard.words.len() && is_number(heard.norm(at)) {
        at += 1;
    }
    if at == place || heard.norm(place).len() > 8 {
        return None;
    }
    // "12 b".
    at += usize::from(heard.norm(at).len() == 1 && heard.norm(at) != "i");
    let kind = (at + 1..(at + 1 + STREET_WORDS).min(heard.words.len()))
        .take_while(|word| !heard.stops_before(*word) && !heard.lost(*word))
        .find(|word| STREETS.contains(&heard.norm(*word)));
    let Some(kind) = kind else {
        return if heard.lost(at) || heard.lost(at + 1) {
            Some(Err(()))
        } else {
            None
        };
    };
    if (at..kind).any(|word| is_small(heard.norm(word)) && !matches!(heard.norm(word), "of" | "the")) {
        return None;
    }
    let mut end = kind + 1;
    while end < heard.words.len() && end < kind + REST_WORDS && !full_stop(heard, end) {
        let norm = heard.norm(end);
        if heard.lost(end) {
            return Some(Err(()));
        }
        let number = is_number(norm);
        let capital = heard.shown(end).chars().next().is_some_and(char::is_uppercase);
        let goes_on = number
            || INSIDE.contains(&norm)
            || (norm == "in" && !is_small(heard.norm(end + 1)) && !is_ordinary(heard.norm(end + 1)))
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
fn full_stop(heard: &Heard<'_>, place: usize) -> bool {
    let last = &heard.words[place - 1];
    match last.after {
        After::Question => true,
        After::Stop => !STREETS.contains(&last.norm.as_ref()) || is_small(heard.norm(place)),
        After::Pause | After::Nothing => false,
    }
}

const CITY_CUES: &[&str] = &[
    "i live in",
    "we live in",
    "i'm living in",
    "i currently live in",
    "i'm based in",
    "i am based in",
    "we're based in",
    "i'm located in",
    "i am located in",
    "we're located in",
    "we are located in",
    "i now live in",
    "i reside in",
];

/// Words that belong to names of cities although they are ordinary ones.
const CITY_WORDS: &[&str] = &[
    "beach", "city", "east", "falls", "fort", "grand", "lake", "little", "long", "new", "north", "palm", "park",
    "rock", "salt", "south", "springs", "west", "st", "saint", "green", "cape", "mount", "port", "spring",
];

fn cities(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) {
    let heard = exchange.heard;
    let mut cues: Vec<(usize, usize)> = heard.find(CITY_CUES).map(|cue| (cue.start, cue.end)).collect();
    if cues.is_empty()
        && exchange.asked.is_some_and(|agent| {
            agent.has(&[
                "what city",
                "which city",
                "city do you",
                "city are you",
                "your city",
                "what town",
                "which town",
            ]) && !agent.has(OTHER_ADDRESS)
        })
    {
        let start = answer_start(heard);
        let start = heard.behind_any(start, &["i'm in", "i am in", "in"]).unwrap_or(start);
        cues.push((start, start));
    }
    for (start, end) in cues {
        if heard.asks(start) || heard.has_before(start, 4, &["if", "when", "used", "wish", "not", "don't"]) {
            continue;
        }
        if let Some(behind) = city(heard, end) {
            let value = titled(&plain(heard.quote(end..behind)));
            findings.push(fact(FactKey::City, value, heard, start..behind));
            return;
        }
    }
}

/// The place behind the name of a city at `place`.
fn city(heard: &Heard<'_>, place: usize) -> Option<usize> {
    let cased = heard.shown(place).chars().next().is_some_and(char::is_uppercase);
    let mut end = place;
    let mut own = false;
    while end < heard.words.len() && end < place + 4 {
        let norm = heard.norm(end);
        let capital = heard.shown(end).chars().next().is_some_and(char::is_uppercase);
        let letters =
            norm.chars().count() > 1 && norm.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '.'));
        let ordinary = is_small(norm) || is_ordinary(norm) || is_number(norm);
        if !letters || (cased && !capital) || (!cased && ordinary && !CITY_WORDS.contains(&norm)) {
            break;
        }
        if is_small(norm) && !capital {
            break;
        }
        own |= !ordinary || capital;
        end += 1;
        // "Austin, Texas" is one place; "Austin. Can you" is not.
        match heard.words[end - 1].after {
            After::Stop | After::Question => break,
            After::Pause if !heard.shown(end).chars().next().is_some_and(char::is_uppercase) => break,
            _ => {}
        }
    }
    let followed = end < heard.words.len() && !heard.ends_before(end) && heard.lost(end);
    let outside = end > place && heard.norm(end - 1) == "i";
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
