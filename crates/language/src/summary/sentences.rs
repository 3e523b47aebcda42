//! Cuts a transcript into sentences, with or without punctuation to go by.

use crate::{
    text::{
        language::Language,
        numbers::is_number,
        phrases::{Phrases, phrases},
        small::is_interjection,
        words::{After, Sound},
    },
    transcript::{Speaker, Transcript, Turn},
};

/// A word that was really said.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentenceWord<'a> {
    /// As transcribed.
    pub(super) shown: &'a str,
    /// In lower case, with straight apostrophes.
    pub(super) norm: &'a str,
    /// What follows it.
    pub(super) after: After,
    /// The turn it is from.
    pub(super) turn: usize,
    /// Its first byte in the turn's text.
    pub(super) start: usize,
}

/// A sentence, in the words that were really said.
pub(super) struct Sentence<'a> {
    /// Who said it.
    pub(super) speaker: Speaker,
    /// The words, fillers and noise left out. Never empty.
    pub(super) words: Vec<SentenceWord<'a>>,
    /// Whether it asks something.
    pub(super) question: bool,
    /// The turn in which it begins, and the text of that turn.
    pub(super) turn: usize,
    pub(super) text: &'a str,
}

/// Room for the words of most sentences.
const WORDS: usize = 16;

/// A sentence without an end is cut after so many words.
const LONGEST: usize = 40;

/// The sentences of a transcript, in order.
pub(super) fn sentences<'t>(transcript: &'t Transcript<'_>) -> Vec<Sentence<'t>> {
    let mut found: Vec<Sentence<'_>> = Vec::new();
    let mut sentence: Vec<SentenceWord<'_>> = Vec::new();
    let mut speaker = Speaker::Agent;
    let turns = transcript.turns.iter().enumerate();
    for (place, turn) in turns.filter(|(_, turn)| turn.language == Language::English) {
        let said = said(place, turn);
        let Some(first) = said.first() else { continue };
        // Recognisers end a turn at every pause; a sentence may go on behind it.
        if turn.speaker != speaker || !goes_on(&sentence, first) {
            close(&mut found, transcript, speaker, &mut sentence, false);
        }
        speaker = turn.speaker;
        let punctuated = said.iter().any(|word| word.after != After::Nothing);
        let mut rest = &said[..];
        while let Some((word, following)) = rest.split_first() {
            if sentence.len() >= LONGEST || (!punctuated && restarts(&sentence, rest)) {
                close(&mut found, transcript, speaker, &mut sentence, false);
            }
            // "My name is Ana and I would like ..." says two things.
            if word.norm == "and" && introduces(&sentence) && following.first().is_some_and(is_first_person) {
                close(&mut found, transcript, speaker, &mut sentence, false);
                rest = following;
                continue;
            }
            sentence.push(*word);
            match word.after {
                After::Stop => close(&mut found, transcript, speaker, &mut sentence, false),
                After::Question => close(&mut found, transcript, speaker, &mut sentence, true),
                After::Pause | After::Nothing => {}
            }
            rest = following;
        }
    }
    close(&mut found, transcript, speaker, &mut sentence, false);
    found
}

/// Ends the sentence that `words` hold, if any.
fn close<'a>(
    found: &mut Vec<Sentence<'a>>,
    transcript: &'a Transcript<'_>,
    speaker: Speaker,
    words: &mut Vec<SentenceWord<'a>>,
    marked: bool,
) {
    if !words.is_empty() {
        let words = std::mem::replace(words, Vec::with_capacity(WORDS));
        let open = words
            .last()
            .is_some_and(|word| matches!(word.after, After::Nothing | After::Pause));
        found.push(Sentence {
            speaker,
            question: marked || (open && asks(&words)),
            turn: words[0].turn,
            text: transcript.turns[words[0].turn].text,
            words,
        });
    }
}

fn introduces(sentence: &[SentenceWord<'_>]) -> bool {
    sentence
        .windows(2)
        .any(|pair| pair[0].norm == "my" && pair[1].norm.starts_with("name"))
}

fn is_first_person(word: &SentenceWord<'_>) -> bool {
    matches!(
        word.norm,
        "i" | "i'd" | "i'm" | "i've" | "we" | "we'd" | "we're" | "we've"
    )
}

/// Whether words without a mark at their end ask something, by their order.
fn asks(words: &[SentenceWord<'_>]) -> bool {
    let verb = |place: usize| {
        words.get(place).is_some_and(|word| {
            matches!(
                word.norm,
                "are"
                    | "can"
                    | "could"
                    | "did"
                    | "do"
                    | "does"
                    | "is"
                    | "may"
                    | "shall"
                    | "should"
                    | "was"
                    | "were"
                    | "will"
                    | "would"
            )
        })
    };
    let start = words.iter().take_while(|word| is_interjection(word.norm)).count();
    let Some(first) = words.get(start) else { return false };
    match first.norm {
        "what" | "when" | "where" | "which" | "who" | "why" | "how" => (1..4).any(|offset| verb(start + offset)),
        "what's" | "where's" | "how's" | "who's" | "when's" => true,
        _ => {
            verb(start)
                && words.get(start + 1).is_some_and(|next| {
                    matches!(
                        next.norm,
                        "i" | "you" | "we" | "it" | "that" | "there" | "this" | "they" | "the" | "your"
                    )
                })
        }
    }
}

/// Whether a sentence of the same speaker goes on with the first word of the next turn.
fn goes_on(sentence: &[SentenceWord<'_>], first: &SentenceWord<'_>) -> bool {
    sentence.last().is_some_and(|last| {
        matches!(
            last.norm,
            "a" | "and"
                | "at"
                | "for"
                | "from"
                | "has"
                | "have"
                | "i'm"
                | "in"
                | "is"
                | "my"
                | "of"
                | "on"
                | "or"
                | "that"
                | "the"
                | "to"
                | "with"
                | "your"
        )
    }) || (!sentence.is_empty()
        && matches!(
            first.norm,
            "from" | "has" | "have" | "is" | "of" | "to" | "was" | "were" | "with"
        ))
}

/// The words of a turn without fillers, noise, broken words and what was said twice in a row.
fn said<'t>(place: usize, turn: &'t Turn<'_>) -> Vec<SentenceWord<'t>> {
    let mut said: Vec<SentenceWord<'t>> = Vec::with_capacity(turn.words.len());
    for word in &turn.words {
        if word.sound != Sound::Word {
            // The end of a sentence may be marked behind a sound that is left out.
            if let Some(last) = said.last_mut()
                && last.after == After::Nothing
            {
                last.after = word.after;
            }
            continue;
        }
        said.push(SentenceWord {
            shown: &turn.text[word.start..word.end],
            norm: &word.norm,
            after: word.after,
            turn: place,
            start: word.start,
        });
        if let Some(first) = taken_back(&said) {
            said.drain(first..said.len() - 1);
            continue;
        }
        for length in 1..=3 {
            let Some(first) = said.len().checked_sub(2 * length) else {
                break;
            };
            let (one, other) = said[first..].split_at(length);
            let same = one
                .iter()
                .zip(other)
                .all(|(a, b)| a.norm == b.norm && a.after == After::Nothing);
            if same && !one.iter().any(|word| is_number(word.norm)) {
                said.drain(first..first + length);
                break;
            }
        }
    }
    said
}

/// What stands between two of a kind that are both meant: "I called because you called me".
const JOINTS: [&str; 18] = [
    "and", "as", "because", "but", "he", "i", "if", "it", "or", "she", "than", "that", "they", "we", "what", "when",
    "who", "you",
];

/// Where somebody began what the last word begins again: "ordered a new ordered you a replacement".
fn taken_back(said: &[SentenceWord<'_>]) -> Option<usize> {
    let (last, before) = said.split_last()?;
    if last.norm.len() < 5 || !last.norm.ends_with("ed") {
        return None;
    }
    let reach = before.len().saturating_sub(3);
    let first = reach + before[reach..].iter().position(|word| word.norm == last.norm)?;
    before[first..]
        .iter()
        .all(|word| word.after == After::Nothing && !JOINTS.contains(&word.norm))
        .then_some(first)
}

/// How people begin a new sentence where no punctuation tells.
const STARTS: &Phrases = phrases![
    "are there",
    "can i",
    "can you",
    "could i",
    "could you",
    "have a good",
    "have a great",
    "how can",
    "how much",
    "i am",
    "i have",
    "i just",
    "i lost",
    "i need",
    "i want",
    "i was",
    "i would",
    "i'd like",
    "i'll",
    "i'm",
    "i've",
    "is there",
    "my name",
    "thank you",
    "what are",
    "what is",
    "what's the",
    "what's your",
    "which",
];

/// Words after which a sentence goes on.
const GOES_ON: &[&str] = &[
    "a", "about", "after", "and", "as", "at", "because", "before", "but", "do", "for", "guess", "hope", "how", "if",
    "in", "is", "just", "know", "like", "my", "of", "on", "one", "or", "see", "so", "sure", "than", "that", "the",
    "then", "think", "to", "was", "what", "when", "where", "which", "while", "who", "why", "with",
];

fn restarts(sentence: &[SentenceWord<'_>], rest: &[SentenceWord<'_>]) -> bool {
    let Some(last) = sentence.last() else { return false };
    sentence.len() >= 2
        && rest.len() >= 3
        && STARTS
            .at(0, |place| rest.get(place).map(|word| word.norm))
            .is_some_and(|(_, behind)| behind < rest.len())
        && !GOES_ON.contains(&last.norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        sentences(&Transcript::read([(Speaker::Caller, text)]))
            .iter()
            .map(|sentence| {
                let words: Vec<&str> = sentence.words.iter().map(|word| word.norm).collect();
                words.join(" ") + if sentence.question { "?" } else { "" }
            })
            .collect()
    }

    #[test]
    fn punctuation_ends_sentences() {
        assert_eq!(
            cut("Hi, Mr. Lee. Is it 3:30 p.m. tomorrow? Good"),
            ["hi mr lee", "is it 3:30 p.m tomorrow?", "good"]
        );
    }

    #[test]
    fn recognised_speech_is_cut_where_people_begin_anew() {
        assert_eq!(
            cut("hi my name is ana uhm i need to check my order can you help me"),
            ["hi my name is ana", "i need to check my order", "can you help me?"]
        );
        assert_eq!(cut("tell me what i need to bring"), ["tell me what i need to bring"]);
    }

    #[test]
    fn an_introduction_is_a_sentence_of_its_own() {
        assert_eq!(
            cut("Hi, my name is Ana Ruiz and I would like a cleaning, and I am new."),
            ["hi my name is ana ruiz", "i would like a cleaning and i am new"]
        );
    }

    #[test]
    fn noise_and_stammering_are_left_out() {
        assert_eq!(
            cut("[noise] i i want i want the the uh blue~ one <unk>"),
            ["i want the one"]
        );
        assert_eq!(cut("five five one two"), ["five five one two"]);
    }

    #[test]
    fn a_sentence_goes_on_behind_a_pause() {
        let turns = [
            "your reset link",
            "[noise]",
            "has been sent to",
            "your phone",
            "which card",
        ]
        .map(|text| (Speaker::Agent, text));
        let lengths: Vec<usize> = sentences(&Transcript::read(turns))
            .iter()
            .map(|sentence| sentence.words.len())
            .collect();
        assert_eq!(lengths, [9, 2]);
    }

    #[test]
    fn a_flood_of_words_is_cut() {
        assert!(
            cut(&"la di da bum ".repeat(100))
                .iter()
                .all(|line| line.split(' ').count() <= LONGEST)
        );
    }
}
