//! Numbers and codes as they are read out: "two zero two, five five five", "A B 12", "double four".

use super::utterance::Utterance;
use crate::{
    text::{
        numbers::{spoken_digit, spoken_tens},
        phrases::{Phrases, phrases},
    },
    transcript::Speaker,
};

/// A run of digits and letters that was read out.
pub(super) struct Readout {
    /// Digits and capital letters; a `+` in front is kept.
    pub(super) code: String,
    /// The place behind the last word.
    pub(super) end: usize,
    /// Whether a word inside or right behind was not understood, or is part of a number in words that can be read in
    /// two ways.
    pub(super) doubtful: bool,
}

impl Readout {
    /// How many of the characters are digits.
    pub(super) fn digits(&self) -> usize {
        self.code.bytes().filter(u8::is_ascii_digit).count()
    }
}

/// What is read out from `place` on: digits in figures or in words, and single letters when `letters` are allowed.
/// `None` when nothing is.
pub(super) fn read_out(utterance: &Utterance<'_>, place: usize, letters: bool) -> Option<Readout> {
    let mut code = String::new();
    let mut at = place;
    let mut times = 1;
    while at < utterance.words.len() {
        let norm = utterance.norm(at);
        if at > place && utterance.stops_before(at) {
            break;
        }
        if let Some(digit) = spoken_digit(norm) {
            // "oh" is a digit only among others.
            if norm.starts_with('o') && norm != "one" && code.is_empty() {
                break;
            }
            for _ in 0..times {
                code.push(char::from(b'0' + digit));
            }
            times = 1;
        } else if let Some(tens) = spoken_tens(norm) {
            let unit = spoken_digit(utterance.norm(at + 1)).filter(|unit| tens >= 20 && *unit > 0);
            code.push_str(&(tens + unit.unwrap_or(0)).to_string());
            at += usize::from(unit.is_some());
        } else if matches!(norm, "double" | "triple") && spoken_digit(utterance.norm(at + 1)).is_some() {
            times = if norm == "double" { 2 } else { 3 };
        } else if let Some(figures) = figures(utterance.shown(at), letters) {
            code.push_str(&figures);
        } else if letters && is_code_letter(norm) && (!code.is_empty() || continues(utterance, at + 1)) {
            code.push_str(&norm.to_uppercase());
        } else if matches!(norm, "dash" | "hyphen") && !code.is_empty() && continues(utterance, at + 1) {
            // It parts the groups and is no part of the code.
        } else {
            break;
        }
        at += 1;
    }
    if code.is_empty() {
        return None;
    }
    let doubtful = utterance.lost(at)
        || matches!(
            utterance.norm(at),
            "hundred" | "thousand" | "million" | "something" | "as"
        );
    Some(Readout {
        code,
        end: at,
        doubtful,
    })
}

/// With what something is refused.
pub(super) const REFUSALS: &Phrases = phrases!["actually", "incorrect", "isn't", "no", "nope", "not", "wrong"];

/// Signs that a read-back may have wrong and still be one.
const MOST_WRONG: usize = 3;

/// What is known of `code`, which `speaker` read out: where the other side reads it back in a few signs otherwise and
/// nobody objects, both, marked as uncertain, so that the next agent asks. The turns `behind` follow it.
pub(super) fn as_heard(code: String, speaker: Speaker, behind: &[&Utterance<'_>]) -> String {
    match heard_otherwise(&code, speaker, behind) {
        Some(other) => format!("{code} (uncertain: also heard {other})"),
        None => code,
    }
}

fn heard_otherwise(code: &str, speaker: Speaker, behind: &[&Utterance<'_>]) -> Option<String> {
    let letters = code.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mut turns = behind.iter().filter(|turn| !turn.words.is_empty());
    let listener = turns.next().filter(|listener| listener.speaker != speaker)?;
    let mut place = 0;
    let mut other = None;
    while place < listener.words.len() {
        let Some(readout) = read_out(listener, place, letters) else {
            place += 1;
            continue;
        };
        place = readout.end;
        if readout.code == code {
            return None;
        }
        let wrong = readout
            .code
            .bytes()
            .zip(code.bytes())
            .filter(|(one, other)| one != other);
        if readout.code.len() == code.len() && !readout.doubtful && wrong.count() <= MOST_WRONG.min(code.len() / 2) {
            other = Some(readout.code);
        }
    }
    let other = other?;
    // "No" takes the read-back away, and so does the code, said again.
    let is_refused = turns.next().is_some_and(|answer| {
        let reach = 0..answer.words.len().min(6);
        answer.speaker == speaker
            && (answer.has_between(&reach, REFUSALS)
                || reach.clone().any(|place| read_out(answer, place, letters).is_some()))
    });
    (!is_refused).then_some(other)
}

fn continues(utterance: &Utterance<'_>, place: usize) -> bool {
    let norm = utterance.norm(place);
    spoken_digit(norm).is_some()
        || spoken_tens(norm).is_some()
        || is_code_letter(norm)
        || norm.bytes().next().is_some_and(|b| b.is_ascii_digit())
}

/// A single letter; "a" and "i" are words too, but among others of a code they are letters.
fn is_code_letter(norm: &str) -> bool {
    norm.len() == 1 && norm.bytes().all(|b| b.is_ascii_alphabetic())
}

/// The digits (and letters) of a word in figures as `555-0142`, `(202)` or `AB-1234`.
pub(super) fn figures(shown: &str, letters: bool) -> Option<String> {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | '(' | ')' | '+' | '/');
    let fits = shown.bytes().any(|b| b.is_ascii_digit())
        && shown
            .chars()
            .all(|c| plain(c) || (letters && (c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))));
    // Nor is a word that a full stop joins to a number: "It is confirmed.12".
    let is_word = |part: &str| part.len() > 4 && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let has_word = letters && shown.split('.').any(is_word);
    // A price or a time is no code.
    (fits && !has_word && !shown.contains('$') && !shown.contains(':')).then(|| {
        shown
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '+')
            .map(|c| c.to_ascii_uppercase())
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Speaker, Transcript};

    fn read(text: &str, letters: bool) -> Option<(String, usize, bool)> {
        let call = Transcript::read([(Speaker::Caller, text)]);
        let readout = read_out(&Utterance::new(0, &call.turns[0]), 0, letters)?;
        Some((readout.code, readout.end, readout.doubtful))
    }

    #[test]
    fn numbers_are_read_as_said() {
        for (text, code, end) in [
            ("two zero two five five five oh one four two", "2025550142", 10),
            ("(202) 555-0142 please", "2025550142", 2),
            ("+1 202.555.0142", "+12025550142", 2),
            ("two oh two double five five oh one forty two", "2025550142", 10),
            ("forty eight two one three", "48213", 5),
        ] {
            assert_eq!(read(text, false), Some((code.to_owned(), end, false)), "{text}");
        }
        assert_eq!(read("a b dash one two", true), Some(("AB12".to_owned(), 5, false)));
        assert_eq!(read("AB-1234, thanks", true), Some(("AB1234".to_owned(), 1, false)));
    }

    #[test]
    fn what_is_unclear_is_doubtful() {
        assert_eq!(read("five five <unk> two", false), Some(("55".to_owned(), 2, true)));
        assert_eq!(read("five hundred", false), Some(("5".to_owned(), 1, true)));
        assert_eq!(read("oh well", false), None);
        assert_eq!(read("a good one", true), None);
        assert_eq!(read("$12.50", false), None);
    }
}
