//! What stands around a place in its sentence.

use super::{super::utterance::Utterance, numbers::is_number, small::is_interjection};

/// The most words of a sentence that are looked at before a place in it.
const SENTENCE: usize = 24;

/// Where the sentence begins that holds `place`, or near enough.
pub(super) fn sentence_start(utterance: &Utterance<'_>, place: usize) -> usize {
    let mut first = place;
    while first > 0 && place - first < SENTENCE && !utterance.stops_before(first) {
        first -= 1;
    }
    first
}

/// Whether "si" at `place` is "if": "sí" has an accent, a pause behind it, or an interjection.
pub(super) fn is_condition(utterance: &Utterance<'_>, place: usize) -> bool {
    utterance.norm(place) == "si"
        && utterance.shown(place).is_ascii()
        && !utterance.ends_before(place + 1)
        && !is_interjection(utterance.norm(place + 1))
        && !is_number(utterance.norm(place + 1))
        && !matches!(
            utterance.norm(place + 1),
            "es" | "el" | "mi" | "al" | "esta" | "por" | "se" | "a"
        )
}
