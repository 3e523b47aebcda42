//! Texts that are cut behind a word where they are too long.

use language::{findings::NAME_CHARACTERS, text::beyond};

/// The name, cut behind a word when it is too long.
#[must_use]
pub(crate) fn name(name: String) -> String {
    within(name, NAME_CHARACTERS)
}

/// The text, cut behind a word when it has more than `most` characters.
pub(crate) fn within(mut text: String, most: usize) -> String {
    if let Some(end) = beyond(&text, most) {
        let fitting = &text[..end];
        let is_whole = text[end..].starts_with(char::is_whitespace);
        let last = fitting.rfind(char::is_whitespace).filter(|_| !is_whole);
        let kept = fitting[..last.unwrap_or(end)].trim_end().len();
        text.truncate(kept);
    }
    text
}
