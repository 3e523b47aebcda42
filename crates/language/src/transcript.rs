//! A call as it was said: who spoke, and the words of each turn, found once for all that read them.

use std::{borrow::Cow, ops::Range};

use crate::text::words::{Sound, Word, words};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// The caller.
    Caller,
    /// The voice agent.
    Agent,
}

/// Words of a turn that prove something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The turn's place in the transcript.
    pub turn: usize,
    /// The bytes of the turn's text. Never empty.
    pub span: Range<usize>,
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

impl<'a> Turn<'a> {
    /// Finds the words of `text`.
    pub(crate) fn read(speaker: Speaker, text: &'a str) -> Self {
        let mut words = words(text);
        for word in words.iter_mut().filter(|word| word.sound == Sound::Lost) {
            word.norm = Cow::Borrowed("");
        }
        Self { speaker, text, words }
    }
}

/// A transcript whose words have been found.
pub struct Transcript<'a> {
    pub(crate) turns: Vec<Turn<'a>>,
}

impl<'a> Transcript<'a> {
    /// Finds the words of `turns`, which are in the order in which they were said. Linear in their length.
    #[must_use]
    pub fn read(turns: impl IntoIterator<Item = (Speaker, &'a str)>) -> Self {
        let turns = turns.into_iter().map(|(speaker, text)| Turn::read(speaker, text));
        Self { turns: turns.collect() }
    }
}
