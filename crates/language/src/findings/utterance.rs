//! A turn as the extractors read it: words in order, and phrases found among them.

use std::ops::Range;

use crate::{
    text::{
        look::Look,
        phrases::Phrases,
        words::{After, Sound, Word},
    },
    transcript::{Evidence, Speaker, Turn},
};

/// A turn that is longer is not looked at beyond so many bytes: what people state of themselves stands in short turns,
/// and the cost stays bounded.
const LOOKED_AT: usize = 4_000;

/// A part of a turn within the text that was put together from several turns.
pub(super) struct Piece {
    /// The turn's place in the transcript.
    pub(super) turn: usize,
    /// Its first byte in the turn's text.
    pub(super) from: usize,
    /// Its first byte in the text that was put together.
    pub(super) at: usize,
    /// Its bytes.
    pub(super) length: usize,
}

/// A turn with its words, fillers and noise left out. A word that nobody understood has an empty `norm`.
pub(super) struct Utterance<'t> {
    /// The turn's place in the transcript; of several turns, that of the first.
    pub(super) turn: usize,
    /// Where in the text each of several turns stands that were put together; empty for one turn.
    pieces: &'t [Piece],
    /// Who said it.
    pub(super) speaker: Speaker,
    /// What was said, as transcribed.
    pub(super) text: &'t str,
    /// The words.
    pub(super) words: Vec<&'t Word<'t>>,
    /// The look of each word.
    looks: Vec<Look>,
}

impl<'t> Utterance<'t> {
    pub(super) fn new(place: usize, turn: &'t Turn<'_>) -> Self {
        let text = &turn.text[..turn.text.floor_char_boundary(LOOKED_AT)];
        let words = turn.words.iter().take_while(|word| word.end <= text.len());
        let words: Vec<&Word<'_>> = words.filter(|word| word.sound != Sound::Filler).collect();
        Self {
            turn: place,
            pieces: &[],
            speaker: turn.speaker,
            text,
            looks: words.iter().map(|word| Look::of(&word.norm)).collect(),
            words,
        }
    }

    /// Parts of several turns as one, `turn` being their text put together.
    pub(super) fn of_pieces(pieces: &'t [Piece], turn: &'t Turn<'_>) -> Self {
        let first = pieces.first().map_or(0, |piece| piece.turn);
        Self {
            pieces,
            ..Self::new(first, turn)
        }
    }

    /// The word at `place`, in lower case; empty for one that was not understood and behind the end.
    pub(super) fn norm(&self, place: usize) -> &str {
        self.words.get(place).map_or("", |word| word.norm.as_ref())
    }

    /// The word at `place` as transcribed; empty behind the end.
    pub(super) fn shown(&self, place: usize) -> &'t str {
        self.words
            .get(place)
            .map_or("", |word| &self.text[word.start..word.end])
    }

    /// Whether a word at `place` was said that nobody understood.
    pub(super) fn lost(&self, place: usize) -> bool {
        self.words.get(place).is_some_and(|word| word.sound == Sound::Lost)
    }

    /// Whether nothing follows the word before `place` in its sentence: the turn ends there, or punctuation does it.
    pub(super) fn ends_before(&self, place: usize) -> bool {
        place >= self.words.len()
            || place
                .checked_sub(1)
                .is_some_and(|last| self.words[last].after != After::Nothing)
    }

    /// Whether the sentence ends before `place`.
    pub(super) fn stops_before(&self, place: usize) -> bool {
        place == 0 || place >= self.words.len() || matches!(self.words[place - 1].after, After::Stop | After::Question)
    }

    /// The longest of the phrases that stand at `place`, and the place behind it.
    pub(super) fn phrase_at(&self, place: usize, phrases: &Phrases) -> Option<(&'static str, usize)> {
        if !phrases.may_begin_with(*self.looks.get(place)?) {
            return None;
        }
        phrases.at(place, |place| self.words.get(place).map(|word| word.norm.as_ref()))
    }

    /// The place behind the longest of the phrases that stand at `place`.
    pub(super) fn behind(&self, place: usize, phrases: &Phrases) -> Option<usize> {
        self.phrase_at(place, phrases).map(|(_, behind)| behind)
    }

    /// Where any of the phrases stands, from left to right, each as the places of its words.
    pub(super) fn find<'p>(&'p self, phrases: &'p Phrases) -> impl Iterator<Item = Range<usize>> + 'p {
        (0..self.words.len()).filter_map(move |start| Some(start..self.behind(start, phrases)?))
    }

    /// Whether any of the phrases stands anywhere.
    pub(super) fn has(&self, phrases: &Phrases) -> bool {
        self.find(phrases).next().is_some()
    }

    /// Whether any of the phrases stands within `places`.
    pub(super) fn has_between(&self, places: &Range<usize>, phrases: &Phrases) -> bool {
        places
            .clone()
            .any(|start| self.behind(start, phrases).is_some_and(|end| end <= places.end))
    }

    /// Whether the turn asks back, as "is your address ...?": one of the phrases stands in it, and no question word
    /// before.
    pub(super) fn asks_back(&self, phrases: &Phrases) -> bool {
        self.find(phrases)
            .any(|found| found.start == 0 || !matches!(self.norm(found.start - 1), "what" | "which"))
    }

    /// Whether any of the phrases stands among the last `reach` words before `place`, in the same sentence.
    pub(super) fn has_before(&self, place: usize, reach: usize, phrases: &Phrases) -> bool {
        let mut first = place;
        while first > 0 && place - first < reach && !self.stops_before(first) {
            first -= 1;
        }
        (first..place).any(|start| self.behind(start, phrases).is_some_and(|end| end <= place))
    }

    /// Whether the sentence that holds `place` is a question by its mark.
    pub(super) fn asks(&self, place: usize) -> bool {
        self.words
            .iter()
            .skip(place)
            .find(|word| matches!(word.after, After::Stop | After::Question))
            .is_some_and(|word| word.after == After::Question)
    }

    /// The bytes of the words of `places`; none where there are no such words.
    pub(super) fn span(&self, places: Range<usize>) -> Range<usize> {
        match (self.words.get(places.start), self.words.get(places.end.wrapping_sub(1))) {
            (Some(first), Some(last)) if first.start < last.end => first.start..last.end,
            _ => 0..0,
        }
    }

    /// Where the words of the bytes `span` stand in the transcript: one span for each turn.
    pub(super) fn evidence(&self, span: &Range<usize>) -> Vec<Evidence> {
        if self.pieces.is_empty() {
            return vec![Evidence {
                turn: self.turn,
                span: span.clone(),
            }];
        }
        let of_piece = |piece: &Piece| {
            let (start, end) = (span.start.max(piece.at), span.end.min(piece.at + piece.length));
            let moved = |byte: usize| byte - piece.at + piece.from;
            (start < end).then(|| Evidence {
                turn: piece.turn,
                span: moved(start)..moved(end),
            })
        };
        self.pieces.iter().filter_map(of_piece).collect()
    }

    /// The words of `places` verbatim.
    pub(super) fn quote(&self, places: Range<usize>) -> &'t str {
        &self.text[self.span(places)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{text::phrases::phrases, transcript::Transcript};

    #[test]
    fn phrases_are_found_and_quoted_verbatim() {
        let call = Transcript::read([(Speaker::Caller, "Well, uh, MY  name's — Ana. Is it?")]);
        let utterance = Utterance::new(0, &call.turns[0]);
        let found = utterance.find(phrases!["my name", "my name's"]).next().expect("found");
        assert_eq!(found, 1..3);
        assert_eq!(utterance.quote(found.start..4), "MY  name's — Ana");
        assert!(utterance.stops_before(4) && !utterance.asks(1) && utterance.asks(4));
        assert!(utterance.has_before(3, 2, phrases!["name's"]) && !utterance.has_before(5, 2, phrases!["ana"]));
        assert_eq!(utterance.quote(9..12), "");
    }
}
