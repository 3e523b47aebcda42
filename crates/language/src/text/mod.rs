//! Words: where they stand in a text, which of them were really said, what they mean, and how to show them safely.

pub mod invisible;
pub(crate) mod language;
pub(crate) mod look;
pub(crate) mod numbers;
pub(crate) mod ordinary;
pub(crate) mod phrases;
pub mod plain;
pub(crate) mod small;
pub(crate) mod words;

/// Where a text goes on beyond its first `most` characters, as a byte; `None` when it has no more than that.
#[must_use]
pub fn beyond(text: &str, most: usize) -> Option<usize> {
    // A character has at least one byte, and most texts are short.
    let is_short = text.len() <= most;
    let beyond = || text.char_indices().nth(most).map(|(place, _)| place);
    if is_short { None } else { beyond() }
}
