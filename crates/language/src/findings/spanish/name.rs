//! The caller's name, where they introduce themselves.
//!
//! As in English, a name is known by where it stands and ends where ordinary words begin; there is no list of names.

use std::ops::Range;

use super::{
    super::{
        finding::{Finding, Topic, statement},
        name::{is_capital, titled},
        utterance::Utterance,
    },
    numbers::is_number,
    small::{is_interjection, is_ordinary},
};
use crate::{
    text::phrases::{Phrases, phrases},
    transcript::Speaker,
};

/// Looks for introductions in all of a call. The first name that is stated counts, and a longer one that holds it.
pub(super) fn find(call: &[Utterance<'_>], findings: &mut Vec<Finding>) {
    let mut known: Vec<String> = Vec::new();
    let mut asked = false;
    for utterance in call.iter().filter(|utterance| !utterance.words.is_empty()) {
        if utterance.speaker == Speaker::Agent {
            asked = asks_name(utterance) || asked && utterance.words.len() < 4;
            continue;
        }
        let lead = lead(utterance);
        let introduced = (0..utterance.words.len()).find_map(|place| introduction(utterance, place, lead, asked));
        match introduced.or_else(|| answer(utterance).filter(|_| asked)) {
            Some(Introduction::Name { parts, quote }) => {
                if known.iter().all(|part| parts.contains(part)) {
                    if known.len() < parts.len() {
                        findings.push(statement(Topic::Name, parts.join(" "), utterance, quote));
                        known = parts;
                    }
                } else {
                    findings.push(Finding::Doubt(Topic::Name));
                }
            }
            Some(Introduction::Doubtful) => findings.push(Finding::Doubt(Topic::Name)),
            None => {}
        }
        if !utterance.words.iter().all(|word| is_interjection(&word.norm)) {
            asked = false;
        }
    }
}

enum Introduction {
    Name { parts: Vec<String>, quote: Range<usize> },
    Doubtful,
}

const ASKS: &Phrases = phrases![
    "a nombre de quien",
    "como se llama",
    "como te llamas",
    "con quien hablo",
    "con quien tengo el gusto",
    "nombre completo",
    "nombre por favor",
    "nombre y apellido",
    "nombre y apellidos",
    "quien habla",
    "quien llama",
    "su apellido",
    "su nombre",
    "sus apellidos",
    "tu apellido",
    "tu nombre",
];

/// Words behind a question for a name that ask for another one.
const OF_OTHERS: &Phrases = phrases![
    "como se llama el",
    "como se llama la",
    "como se llama su",
    "como se llama tu",
    "nombre de la",
    "nombre de su",
    "nombre de tu",
    "nombre del",
];

fn asks_name(agent: &Utterance<'_>) -> bool {
    agent.has(ASKS) && !agent.has(OF_OTHERS)
}

/// The introduction that begins at `place`. The first words, as many as `lead`, say nothing.
fn introduction(utterance: &Utterance<'_>, place: usize, lead: usize, asked: bool) -> Option<Introduction> {
    const NAMED: &Phrases = phrases!["me llamo", "mi nombre completo es", "mi nombre es"];
    const SPEAKING: &Phrases = phrases!["habla", "habla con", "le habla", "soy", "yo soy"];
    let is_start = utterance.ends_before(place) || place <= lead;
    let last = if place == 0 { "" } else { utterance.norm(place - 1) };
    if let Some(start) = utterance.behind(place, NAMED) {
        // "Me llamó" is somebody else's call.
        if utterance.shown(start - 1).ends_with('ó') || last == "no" {
            return None;
        }
        let is_reported = matches!(last, "que" | "donde")
            || last == "si" && !is_start && !asked
            || last == "si" && !asked && !utterance.ends_before(place);
        return match candidate(utterance, start) {
            Some(_) if is_reported || utterance.asks(place) => Some(Introduction::Doubtful),
            Some(found) => Some(found.introduction(utterance, place)),
            None => None,
        };
    }
    if !is_start || last == "no" {
        return None;
    }
    let aqui = || (utterance.norm(place) == "aqui").then_some(place + 1);
    let start = utterance.behind(place, SPEAKING).or_else(aqui)?;
    let found = candidate(utterance, start)?;
    let is_sure = asked || found.is_cased || found.parts.len() > 1 && tells_call(utterance, found.end);
    (is_sure && !utterance.asks(place)).then(|| found.introduction(utterance, place))
}

/// How many words that say nothing stand before all others.
fn lead(utterance: &Utterance<'_>) -> usize {
    let says_nothing = |place: &usize| {
        matches!(utterance.norm(*place), "con" | "muy" | "por" | "que" | "yo")
            || is_interjection(utterance.norm(*place))
    };
    (0..utterance.words.len()).take_while(says_nothing).count()
}

/// Whether the caller goes on with why they call.
fn tells_call(utterance: &Utterance<'_>, place: usize) -> bool {
    let at = place + usize::from(utterance.norm(place) == "y");
    utterance
        .behind(
            at,
            phrases!["estoy llamando", "le llamo", "les llamo", "llamaba", "llamo"],
        )
        .is_some()
}

/// The name that answers a question for it.
fn answer(utterance: &Utterance<'_>) -> Option<Introduction> {
    const LEADS: &Phrases = phrases![
        "a nombre de",
        "anote",
        "apunte",
        "claro que si",
        "con",
        "con mucho gusto",
        "es",
        "por supuesto",
        "que"
    ];
    let mut start = 0;
    while start < utterance.words.len() {
        match utterance.behind(start, LEADS) {
            Some(behind) => start = behind,
            None if is_interjection(utterance.norm(start)) => start += 1,
            None => break,
        }
    }
    let found = candidate(utterance, start)?;
    utterance
        .ends_before(found.end)
        .then(|| found.introduction(utterance, start))
}

/// What may be a name.
struct Candidate {
    parts: Vec<String>,
    /// The place behind it.
    end: usize,
    /// Whether capitals tell that it is one.
    is_cased: bool,
    /// Whether what stands around it is unclear.
    is_doubtful: bool,
}

impl Candidate {
    /// The introduction whose first word stands at `place`.
    fn introduction(self, utterance: &Utterance<'_>, place: usize) -> Introduction {
        if self.is_doubtful || !is_behind_name(utterance, self.end) {
            return Introduction::Doubtful;
        }
        Introduction::Name {
            parts: self.parts,
            quote: place..self.end,
        }
    }
}

/// Small words inside names.
const PARTICLES: &[&str] = &["de", "del", "la", "las", "los"];

/// The most parts of a name, particles left out, in text with capitals and without.
const MOST_CASED: usize = 5;
const MOST: usize = 4;

/// The name at `place`, courtesy left out: "el señor Benítez, Óscar Benítez" is the latter.
fn candidate(utterance: &Utterance<'_>, place: usize) -> Option<Candidate> {
    const TITLES: &Phrases = phrases![
        "don",
        "dona",
        "dr",
        "dra",
        "el doctor",
        "el senor",
        "la doctora",
        "la senora",
        "la senorita",
        "senor",
        "senora",
        "sr",
        "sra",
    ];
    let titled = utterance.behind(place, TITLES);
    let found = name_at(utterance, titled.unwrap_or(place))?;
    if titled.is_some()
        && let [surname] = &found.parts[..]
        && utterance.ends_before(found.end)
        && let Some(whole) = name_at(utterance, found.end)
        && whole.parts.last() == Some(surname)
    {
        return Some(whole);
    }
    Some(found)
}

fn name_at(utterance: &Utterance<'_>, place: usize) -> Option<Candidate> {
    let is_cased = is_capital(utterance.shown(place)) && utterance.text.chars().any(char::is_lowercase);
    let is_part = |at: usize| {
        let word = utterance.norm(at);
        let is_word = word.chars().count() > 1 && word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-'));
        let is_cased_part = is_capital(utterance.shown(at));
        is_word && !is_number(word) && (!is_cased || is_cased_part) && !is_ordinary(word)
    };
    let mut parts: Vec<String> = Vec::new();
    let (mut at, mut particles) = (place, 0);
    let mut is_doubtful = false;
    while at < utterance.words.len() {
        if at > place && utterance.ends_before(at) {
            break;
        }
        if is_part(at) {
            parts.push(titled(utterance.shown(at)));
            at += 1;
            continue;
        }
        is_doubtful |= utterance.lost(at);
        // "De la Cruz", but not "Juan de la oficina" where capitals tell.
        let mut behind = at;
        while behind < at + 2 && PARTICLES.contains(&utterance.norm(behind)) && !utterance.ends_before(behind + 1) {
            behind += 1;
        }
        if behind == at || parts.is_empty() || !is_part(behind) {
            break;
        }
        particles += behind - at;
        parts.extend((at..behind).map(|particle| utterance.shown(particle).to_owned()));
        at = behind;
    }
    let names = parts.len() - particles;
    let most = if is_cased { MOST_CASED } else { MOST };
    (names > 0).then_some(Candidate {
        parts,
        end: at,
        is_cased,
        is_doubtful: is_doubtful || names > most,
    })
}

/// Whether what follows a name may follow one.
fn is_behind_name(utterance: &Utterance<'_>, place: usize) -> bool {
    utterance.ends_before(place)
        || matches!(
            utterance.norm(place),
            "con"
                | "de"
                | "del"
                | "desde"
                | "estoy"
                | "llamaba"
                | "llamo"
                | "necesito"
                | "para"
                | "por"
                | "queria"
                | "quiero"
                | "quisiera"
                | "soy"
                | "tengo"
                | "y"
        )
}
