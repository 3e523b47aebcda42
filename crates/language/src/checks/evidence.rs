//! What must hold of a fact that somebody else found: its value is in the words that are to prove it.

use super::numbers::Numbers;
use crate::{
    findings::{Topic, is_channel, is_within_bounds},
    text::{plain::plain, small::is_small},
};

/// The longest value and the longest quote that are believed, in bytes: a model that tells more than that has not found
/// one thing.
const LONGEST_VALUE: usize = 160;
const LONGEST_QUOTE: usize = 400;

/// The value of a fact about `topic` in the topic's form, when `quote` proves it. That the quote was said, and by whom,
/// is the caller's to check.
#[must_use]
pub fn proven_value(topic: Topic, value: &str, quote: &str) -> Option<String> {
    let value = shaped(topic, value.trim())?;
    let fits = !value.is_empty() && value.len() <= LONGEST_VALUE && quote.len() <= LONGEST_QUOTE;
    (fits && is_within_bounds(topic, &value, quote) && plain(&value) == value && tells(quote, &value)).then_some(value)
}

/// The value in the topic's form.
fn shaped(topic: Topic, value: &str) -> Option<String> {
    match topic {
        Topic::CallbackNumber => {
            let digits: String = value.chars().filter(char::is_ascii_digit).collect();
            let plus = if value.starts_with('+') { "+" } else { "" };
            (digits.len() >= 7).then(|| format!("{plus}{digits}"))
        }
        Topic::PreferredChannel => {
            let channel = value.to_lowercase();
            is_channel(&channel).then_some(channel)
        }
        Topic::Email => value.contains('@').then(|| value.to_lowercase()),
        _ => Some(value.to_owned()),
    }
}

/// Whether every word of `value` that says something is a word of `quote`, and every number one of its numbers.
fn tells(quote: &str, value: &str) -> bool {
    let mut numbers = Numbers::default();
    numbers.add(quote);
    let quoted: Vec<String> = pieces(quote).collect();
    let says_something = |piece: &String| {
        let letter = piece.chars().count() == 1 && !piece.bytes().all(|b| b.is_ascii_digit());
        !letter && !is_small(piece)
    };
    let mut telling = pieces(value).filter(says_something).peekable();
    telling.peek().is_some()
        && telling.all(|piece| {
            if piece.bytes().any(|b| b.is_ascii_digit()) {
                quoted.contains(&piece) || numbers.hold_all_of(&piece)
            } else {
                quoted.contains(&piece)
            }
        })
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
        .map(str::to_lowercase)
}
