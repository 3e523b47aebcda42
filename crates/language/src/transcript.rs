//! A call as it was said: who spoke, and the words of each turn, found once for all that read them.

use std::borrow::Cow;

use crate::text::words::{Sound, Word, words};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// The caller.
    Caller,
    /// The voice agent.
    Agent,
}

/// A turn with its words.
pub(crate) struct Turn<'a> {
    /// Who said it.
    pub(crate) speaker: Speaker,
    /// What was said, as transcribed.
    pub(crate) text: &'a str,
    /// The words in order, fillers among them. A word that nobody understood has an empty `norm`.
    pub(crate) words: Vec<Word<'a>>,
}

/// A transcript whose words have been found.
pub struct Transcript<'a> {
    pub(crate) turns: Vec<Turn<'a>>,
}

impl<'a> Transcript<'a> {
    /// Finds the words of `turns`, which are in the order in which they were said. Linear in their length.
    #[must_use]
    pub fn read(turns: impl IntoIterator<Item = (Speaker, &'a str)>) -> Self {
        let turns = turns.into_iter().map(|(speaker, text)| {
            let mut words = words(text);
            for word in words.iter_mut().filter(|word| word.sound == Sound::Lost) {
                word.norm = Cow::Borrowed("");
            }
            Turn { speaker, text, words }
        });
        Self { turns: turns.collect() }
    }
}
