//! A call as it was said: who spoke, and the words of each turn, found once for all that read them.

use std::{borrow::Cow, ops::Range};

use crate::text::{
    language::{self, Language},
    words::{Sound, Word, words},
};

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
    /// In which language it was said.
    pub(crate) language: Language,
}

impl<'a> Turn<'a> {
    /// Finds the words of `text`, taken for English.
    pub(crate) fn read(speaker: Speaker, text: &'a str) -> Self {
        let mut words = words(text);
        for word in words.iter_mut().filter(|word| word.sound == Sound::Lost) {
            word.norm = Cow::Borrowed("");
        }
        Self {
            speaker,
            text,
            words,
            language: Language::English,
        }
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
        let mut turns: Vec<Turn<'a>> = turns.collect();
        let said = turns.iter();
        let languages = language::of_turns(said.map(|turn| (turn.speaker == Speaker::Caller, turn.words.as_slice())));
        for (turn, language) in turns.iter_mut().zip(languages) {
            turn.language = language;
        }
        Self { turns }
    }
}
