//! The grammar that a sentence must have before it is told: a clause, an end, and a noun for each of its pronouns.
//! What has none of these is left out, because a wrong line is worse than silence.

use super::{
    sentences::SentenceWord,
    vocabulary::{PAST, PRESENT, auxiliary},
};
use crate::text::{numbers::is_number, small::is_small, words::After};

/// How far into a sentence its verb is looked for, in words.
const VERB_REACH: usize = 12;

/// Whether the words say something of somebody: they have a verb that is not an infinitive.
pub(super) fn has_clause(words: &[SentenceWord<'_>]) -> bool {
    let mut before = "";
    words.iter().take(VERB_REACH).any(|word| {
        let is_verb = before != "to" && is_finite(word.norm);
        before = word.norm;
        is_verb
    })
}

fn is_finite(norm: &str) -> bool {
    if auxiliary(norm).is_some() {
        return true;
    }
    let is_present = |form: &str| PRESENT.binary_search(&form).is_ok();
    match norm.split_once('\'') {
        Some((_, ending)) => matches!(ending, "s" | "re" | "ll" | "ve" | "m" | "d" | "t"),
        None => {
            is_present(norm)
                || norm.strip_suffix('s').is_some_and(is_present)
                || PAST.binary_search(&norm).is_ok()
                || (norm.len() > 4 && norm.ends_with("ed"))
        }
    }
}

/// Whether the words end where no sentence does: somebody was cut off.
pub(super) fn is_broken_off(words: &[SentenceWord<'_>]) -> bool {
    let (Some(last), before) = (words.last(), words.len().checked_sub(2).map(|place| &words[place])) else {
        return true;
    };
    if ENDS_NOTHING.contains(&last.norm) {
        return true;
    }
    // "Send me a new" lacks its noun.
    last.after == After::Nothing
        && matches!(last.norm, "new" | "other")
        && before.is_some_and(|word| is_article(word.norm))
}

/// Words that no sentence ends with.
const ENDS_NOTHING: &[&str] = &[
    "a", "an", "and", "as", "because", "but", "i", "i'd", "i'll", "i'm", "i've", "if", "is", "its", "my", "or", "our",
    "than", "that's", "the", "their", "very", "we'll", "we're", "which", "you're", "your",
];

fn is_article(norm: &str) -> bool {
    matches!(norm, "a" | "an" | "the")
}

/// Whether the words speak of somebody or something by a pronoun before they name it, so that they tell nothing without
/// the sentence before.
pub(super) fn lacks_noun(words: &[SentenceWord<'_>]) -> bool {
    let Some(first) = words.first() else { return false };
    let subject = first.norm.split('\'').next().unwrap_or_default();
    if matches!(subject, "it" | "that" | "this") {
        // "It's three o'clock", "this package includes".
        let names = words.iter().skip(1).take(2).any(|word| is_number(word.norm))
            || words.get(1).is_some_and(|next| {
                first.norm == subject && (!is_finite(next.norm) || matches!(next.norm, "looks" | "seems"))
            });
        return !names;
    }
    if matches!(subject, "he" | "she" | "they") {
        return true;
    }
    if matches!(subject, "these" | "those") {
        return words.get(1).is_none_or(|next| is_finite(next.norm));
    }
    let mut named = false;
    for (place, word) in words.iter().enumerate() {
        match word.norm {
            "him" | "them" | "he" | "she" | "they" | "he's" | "she's" | "they're" if !named => return true,
            // "I found it" needs a noun, "it is raining" and "make it eight" do not.
            "it" | "that" if !named => {
                let ends = word.after != After::Nothing || place + 1 == words.len();
                if ends {
                    return true;
                }
            }
            norm => {
                let is_announced = place > 0 && is_determiner(words[place - 1].norm) && !is_determiner(norm);
                named |= is_announced || is_name(word);
            }
        }
    }
    false
}

fn is_name(word: &SentenceWord<'_>) -> bool {
    word.shown.starts_with(char::is_uppercase) && !is_small(word.norm)
}

fn is_determiner(norm: &str) -> bool {
    matches!(
        norm,
        "a" | "an"
            | "another"
            | "any"
            | "every"
            | "his"
            | "her"
            | "my"
            | "no"
            | "our"
            | "some"
            | "the"
            | "their"
            | "your"
    )
}
