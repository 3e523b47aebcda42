//! Words without accents.

use std::borrow::Cow;

use crate::{
    text::words::{After, Sound, Word},
    transcript::Turn,
};

/// Sounds of hesitation.
const FILLERS: &[&str] = &["eeh", "eh", "ehh", "ehm", "em", "emm"];

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "av", "avda", "d", "dna", "dra", "num", "sra", "srta", "tel", "ud", "uds",
];

/// `turn` with the words in which accents make no difference.
pub(super) fn folded<'a>(turn: &Turn<'a>) -> Turn<'a> {
    let word = |word: &Word<'a>| {
        let norm = unaccented(&word.norm);
        let is_abbreviated = ABBREVIATIONS.contains(&norm.as_ref()) && turn.text[word.end..].starts_with(". ");
        Word {
            sound: if FILLERS.contains(&norm.as_ref()) {
                Sound::Filler
            } else {
                word.sound
            },
            after: if is_abbreviated { After::Nothing } else { word.after },
            norm,
            ..*word
        }
    };
    Turn {
        words: turn.words.iter().map(word).collect(),
        ..*turn
    }
}

fn unaccented<'a>(word: &Cow<'a, str>) -> Cow<'a, str> {
    if word.is_ascii() {
        return word.clone();
    }
    let plain = |c: char| match c {
        'á' | 'à' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ñ' => 'n',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        c => c,
    };
    Cow::Owned(word.chars().map(plain).collect())
}
