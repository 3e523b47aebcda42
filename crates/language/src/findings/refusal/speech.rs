//! The words of one speaker in a row, so that a wish that a recogniser cut in two is read as one.

use std::ops::Range;

use crate::{
    text::{
        language::Language,
        look::Look,
        phrases::Phrases,
        small::{WordList, is_interjection},
        words::{After, Sound, Word},
    },
    transcript::{Speaker, Turn},
};

/// A word and where it was said.
struct Said<'t> {
    word: &'t Word<'t>,
    turn: usize,
    /// What follows it, a change of speaker counted.
    after: After,
}

/// What one speaker says, fillers and noise left out. A word that nobody understood is empty.
pub(super) struct Speech<'t> {
    words: Vec<Said<'t>>,
}

impl<'t> Speech<'t> {
    /// The caller's words in `turns`. A turn without punctuation at its end goes on in the caller's next one when the
    /// agent said no more than "okay" between.
    pub(super) fn of_caller(turns: &'t [Turn<'_>]) -> Self {
        let mut speech = Self { words: Vec::new() };
        let in_english = |(_, turn): &(usize, &Turn<'_>)| turn.language == Language::English;
        for (place, turn) in turns.iter().enumerate().filter(in_english) {
            match turn.speaker {
                Speaker::Caller => speech.add(place, turn),
                Speaker::Agent => {
                    let says_something =
                        |word: &Word<'_>| word.sound != Sound::Filler && !is_interjection(word.norm.as_ref());
                    if turn.words.iter().any(says_something) {
                        speech.stop();
                    }
                }
            }
        }
        speech.stop();
        speech
    }

    /// The words of one turn.
    pub(super) fn of_turn(place: usize, turn: &'t Turn<'_>) -> Self {
        let mut speech = Self { words: Vec::new() };
        speech.add(place, turn);
        speech.stop();
        speech
    }

    fn add(&mut self, turn: usize, said: &'t Turn<'_>) {
        let words = said.words.iter().filter(|word| word.sound != Sound::Filler);
        self.words.extend(words.map(|word| Said {
            word,
            turn,
            after: word.after,
        }));
    }

    /// Ends the sentence behind the last word.
    fn stop(&mut self) {
        if let Some(last) = self.words.last_mut()
            && last.after != After::Question
        {
            last.after = After::Stop;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The word at `place`; empty for one that was not understood and behind the end.
    pub(super) fn norm(&self, place: usize) -> &'t str {
        self.words.get(place).map_or("", |said| said.word.norm.as_ref())
    }

    /// The word before `place` in the same sentence; empty where the sentence begins.
    pub(super) fn before(&self, place: usize) -> &'t str {
        if self.begins(place) { "" } else { self.norm(place - 1) }
    }

    /// The word at `place` if the sentence goes on there; empty where it has ended.
    pub(super) fn next(&self, place: usize) -> &'t str {
        if self.begins(place) { "" } else { self.norm(place) }
    }

    /// Whether a sentence begins at `place`.
    pub(super) fn begins(&self, place: usize) -> bool {
        place == 0 || place >= self.len() || matches!(self.words[place - 1].after, After::Stop | After::Question)
    }

    /// Whether a comma or more stands before `place`.
    pub(super) fn pauses(&self, place: usize) -> bool {
        place == 0 || place >= self.len() || self.words[place - 1].after != After::Nothing
    }

    /// Whether the sentence that holds `place` is a question by its mark, which is looked for in the next words only.
    pub(super) fn asks(&self, place: usize) -> bool {
        let ahead = self.words.iter().skip(place).take(REACH);
        ahead
            .map(|said| said.after)
            .find(|after| matches!(after, After::Stop | After::Question))
            == Some(After::Question)
    }

    /// The place behind the longest of the phrases that stand at `place`, in one sentence.
    pub(super) fn behind(&self, place: usize, phrases: &Phrases) -> Option<usize> {
        if !phrases.may_begin_with(Look::of(self.norm(place))) {
            return None;
        }
        let word = |at: usize| {
            let said = self.words.get(at)?;
            (at == place || !self.begins(at)).then(|| said.word.norm.as_ref())
        };
        phrases.at(place, word).map(|(_, behind)| behind)
    }

    /// The first place from `place` on where a word is none of `list`, within a sentence and not far.
    pub(super) fn skip(&self, place: usize, list: &WordList) -> usize {
        let stays = |at: &usize| !self.begins(*at) && list.has(self.norm(*at));
        place + (place..place + REACH).take_while(stays).count()
    }

    /// The place behind the last word before `place` that is none of `list`, within a sentence and not far.
    pub(super) fn skip_back(&self, place: usize, list: &WordList) -> usize {
        let stays = |at: &usize| !self.begins(*at) && list.has(self.norm(*at - 1));
        place
            - (0..REACH)
                .map_while(|back| place.checked_sub(back))
                .take_while(stays)
                .count()
    }

    /// Whether any of the phrases begins among the words of `places`, in whatever sentence.
    pub(super) fn has(&self, places: Range<usize>, phrases: &Phrases) -> bool {
        places
            .take_while(|place| *place < self.len())
            .any(|place| self.behind(place, phrases).is_some())
    }

    /// The turn in which the words of `places` begin, and the bytes of those of them that were said in it.
    pub(super) fn span(&self, places: Range<usize>) -> Option<(usize, Range<usize>)> {
        let words = self.words.get(places)?;
        let first = words.first()?;
        let last = words.iter().take_while(|said| said.turn == first.turn).last()?;
        Some((first.turn, first.word.start..last.word.end))
    }
}

/// How far is looked from the words that say what is wanted, in words.
pub(super) const REACH: usize = 12;
