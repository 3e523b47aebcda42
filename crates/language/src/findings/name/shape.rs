//! What a name looks like, and where it ends.

use super::super::utterance::Utterance;
use crate::text::{numbers::is_number, ordinary::is_ordinary, phrases::phrases, small::is_small, words::After};

/// What stands where a name should.
pub(super) enum Candidate {
    /// No name: ordinary words.
    Nothing,
    /// Perhaps a name; the place behind it.
    Doubtful(usize),
    /// A name.
    Name { parts: Vec<String>, end: usize },
}

/// Courtesy titles. They are no part of a name.
pub(super) const TITLES: &[&str] = &[
    "doctor",
    "dr",
    "miss",
    "missus",
    "mister",
    "mr",
    "mrs",
    "ms",
    "prof",
    "professor",
];

/// Words after a name that prove it.
pub(super) const MARKERS: &[&str] = &["again", "calling", "here", "speaking"];

/// Small words inside surnames.
const PARTICLES: &[&str] = &[
    "al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "el", "la", "le", "van", "von",
];

/// The name at `place`. With `strict`, capital letters alone do not make an ordinary word part of a name.
pub(super) fn candidate(utterance: &Utterance<'_>, place: usize, strict: bool) -> Candidate {
    let mut at = place;
    while TITLES.contains(&utterance.norm(at)) {
        at += 1;
    }
    let first = at;
    let cased = is_capital(utterance.shown(at)) && !is_shouting(utterance.text);
    let mut parts: Vec<String> = Vec::new();
    let mut particles = 0;
    let mut closed = false;
    while at < utterance.words.len() && parts.len() < 6 {
        let norm = utterance.norm(at);
        if utterance.lost(at) {
            return Candidate::Doubtful(at + 1);
        }
        if at > first && utterance.ends_before(at) {
            closed = true;
            break;
        }
        let capital = is_capital(utterance.shown(at));
        let continues = is_name_word(utterance.norm(at + 1))
            && !is_small(utterance.norm(at + 1))
            && !is_ordinary(utterance.norm(at + 1));
        let initial = continues && !parts.is_empty() && is_letter(norm) && (cased || !matches!(norm, "i" | "a"));
        let given = continues && parts.is_empty() && matches!(norm, "will" | "may");
        let particle = continues && PARTICLES.contains(&norm);
        // "It's raining here." A surname may end like that, a first word of a name hardly does.
        let doing = parts.is_empty() && norm.len() > 5 && norm.ends_with("ing");
        let fits = if particle || initial {
            true
        } else if doing {
            false
        } else if cased {
            capital
                && is_name_word(norm)
                && !norm.starts_with("i'")
                && (!strict || given || !(is_small(norm) || is_ordinary(norm)))
        } else {
            is_name_word(norm) && (given || !(is_small(norm) || is_ordinary(norm) || MARKERS.contains(&norm)))
        };
        if !fits {
            break;
        }
        particles += usize::from(particle || initial);
        parts.push(if particle {
            utterance.shown(at).to_owned()
        } else {
            titled(utterance.shown(at))
        });
        at += 1;
    }
    if parts.is_empty() {
        return Candidate::Nothing;
    }
    let next = utterance.norm(at);
    let possessive = parts.iter().any(|part| part.ends_with("'s") || part.ends_with("’s"));
    let followed = !closed && at < utterance.words.len();
    // In recognised speech a name of one word that an ordinary word follows is often two mangled words.
    let mangled = !cased
        && parts.len() - particles == 1
        && followed
        && is_ordinary(next)
        && !MARKERS.contains(&next)
        && !is_verb(next);
    let most = if cased { 4 } else { 2 };
    if possessive || mangled || parts.len() - particles > most || parts.len() == particles {
        return Candidate::Doubtful(at);
    }
    let letters = spelling(utterance, at);
    if let Some((spelled, end)) = letters
        && let Some(part) = parts.iter_mut().find(|part| is_close(part, &spelled))
    {
        *part = titled(&spelled);
        return Candidate::Name { parts, end };
    }
    if followed && is_letter(next) && next != "i" && next != "a" {
        return Candidate::Doubtful(at);
    }
    Candidate::Name { parts, end: at }
}

/// Ordinary words that may follow a name, as in "my name is ana calling about ...".
fn is_verb(word: &str) -> bool {
    matches!(
        word,
        "calling" | "speaking" | "returning" | "spelled" | "phoning" | "regarding" | "following" | "last" | "surname"
    )
}

/// Whether the word can be part of a name at all.
fn is_name_word(norm: &str) -> bool {
    let letters = norm.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2
        && norm.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '.'))
        && (!is_number(norm))
        && !norm.ends_with("n't")
}

pub(super) fn is_letter(norm: &str) -> bool {
    let mut chars = norm.chars();
    chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
}

pub(in super::super) fn is_capital(shown: &str) -> bool {
    shown.chars().next().is_some_and(char::is_uppercase)
}

/// Whether a text is in capital letters throughout, so that they tell nothing.
pub(super) fn is_shouting(text: &str) -> bool {
    !text.chars().any(char::is_lowercase)
}

/// A part of a name with the capitals that it should have. A spelling of mixed case is kept.
pub(in super::super) fn titled(shown: &str) -> String {
    let mixed = shown.chars().any(char::is_lowercase) && shown.chars().any(char::is_uppercase);
    if mixed {
        return shown.trim_end_matches('.').to_owned();
    }
    let mut name = String::with_capacity(shown.len());
    let mut start = true;
    for c in shown.trim_end_matches('.').chars() {
        if start {
            name.extend(c.to_uppercase());
        } else {
            name.extend(c.to_lowercase());
        }
        // O'Brien, but not Dre's.
        start = c == '-' || (matches!(c, '\'' | '’') && name.chars().count() == 2);
    }
    match name.strip_prefix("Mc") {
        Some(rest) if rest.len() > 2 => format!("Mc{}", titled(rest)),
        _ => name,
    }
}

/// A run of at least three single letters from `place` on ("s m y t h", "s-m-y-t-h"), after "that's" or "spelled", and
/// the place behind it.
pub(super) fn spelling(utterance: &Utterance<'_>, place: usize) -> Option<(String, usize)> {
    let mut at = utterance
        .behind(
            place,
            phrases![
                "it's",
                "it's spelled",
                "it's spelt",
                "spelled",
                "spelt",
                "that is",
                "that's",
                "that's spelled",
                "which is spelled",
            ],
        )
        .unwrap_or(place);
    let dashed: String = utterance
        .shown(at)
        .split('-')
        .filter(|letter| is_letter(letter))
        .collect();
    if dashed.chars().count() >= 3 && dashed.len() + dashed.len() > utterance.shown(at).len() {
        return Some((dashed.to_lowercase(), at + 1));
    }
    let mut spelled = String::new();
    while is_letter(utterance.norm(at)) {
        spelled.push_str(utterance.norm(at));
        at += 1;
        if utterance.words[at - 1].after == After::Stop {
            break;
        }
    }
    (spelled.chars().count() >= 3).then_some((spelled, at))
}

/// How many letters differ between two words at least, as far as it matters here: up to three.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.to_lowercase().chars().take(24).collect();
    let other: Vec<char> = other.to_lowercase().chars().take(24).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// Whether two words sound like one name: the same beginning, and few letters differ.
pub(super) fn is_close(one: &str, other: &str) -> bool {
    let same_start = one.chars().next().map(|c| c.to_lowercase().to_string())
        == other.chars().next().map(|c| c.to_lowercase().to_string());
    same_start && distance(one, other) <= 2.min(one.chars().count().max(other.chars().count()) / 2)
}
