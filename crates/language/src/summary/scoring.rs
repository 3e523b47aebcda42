//! Chooses the sentences that tell most of a call.
//!
//! A sentence counts by the words of content in it, each by how often the call comes back to it, weighed by where it
//! stands and by what kind of sentence it is. The weights are few and were set on development dialogues as a whole; see
//! `docs/MEMORY.md`.

use std::collections::{HashMap, HashSet};

use super::{
    gate::has_clause,
    report::{detail, is_open, reply, report},
    sentences::{Sentence, SentenceWord},
};
use crate::{
    text::{
        numbers::{is_number, spoken_digit},
        phrases::{Phrases, phrases},
        small::is_small,
        words::After,
    },
    transcript::Speaker,
};

/// The most words of a call's summary.
pub const CALL_WORDS: usize = 60;

/// The most characters of a call's summary.
pub const CALL_CHARACTERS: usize = 400;

/// What stands around a report at most, in characters: ", and the caller ", and the full stop at the end.
const AROUND_CHARACTERS: usize = 17;

/// What each return of the call to a word adds to the word's weight, by the logarithm of the count.
const RETURN: f64 = 1.4;

/// What the first sentence counts more than a late one, and after how many sentences that fades to a third. People
/// begin with what they want.
const BEGINNING: f64 = 3.0;
const FADES: f64 = 0.7;

/// The words of a summary: so many, and three for each five sentences that have something to say.
const WORDS: usize = 20;

/// The most words with the sentence that tells how the call was settled.
const SETTLED_WORDS: usize = 36;

/// How much of a sentence's content must be new, in percent; of the sentence that settles the call, less.
const NOVELTY: usize = 60;
const SETTLED_NOVELTY: usize = 33;

/// What a sentence must count at least, as a part of what the best one does. Scraps that would still fit are left out.
const WEAK: f64 = 0.06;

/// How many of the best sentences are tried.
const TRIED: usize = 24;

/// A sentence that is told.
pub(super) struct Told {
    /// Its place among the sentences.
    pub(super) place: usize,
    /// What its speaker did in saying it.
    pub(super) report: String,
    /// Whether it answers the one told before it.
    pub(super) answers: bool,
}

/// The chosen sentences by place, each with its report, in the order of the call.
pub(super) fn telling(sentences: &[Sentence<'_>]) -> Vec<Told> {
    let contents: Vec<Vec<&str>> = sentences.iter().map(contents).collect();
    let ranked = ranked(sentences, &contents);
    let mut chosen = Selection {
        sentences,
        contents: &contents,
        reports: Vec::new(),
        told: HashSet::new(),
        words: 0,
        characters: 0,
    };
    // Names have their own place; they are told already.
    for (sentence, contents) in sentences.iter().zip(&contents) {
        if stands_early(sentence, INTRODUCES) {
            chosen.told.extend(contents);
        }
    }
    let most = words(ranked.len());
    let weak = WEAK * ranked.first().map_or(0.0, |(score, _)| *score);
    let mut best = ranked
        .iter()
        .take(TRIED)
        .take_while(|(score, _)| *score >= weak)
        .map(|(_, place)| *place);
    let wish = best
        .by_ref()
        .find(|place| chosen.take(*place, most, NOVELTY))
        .map(|place| &sentences[place])
        .is_some_and(|first| first.speaker == Speaker::Caller && (first.question || stands_early(first, REQUESTS)));
    // What a caller wanted is settled by what the agent did or promised, which is mostly said towards the end.
    if wish
        && let Some(place) = ranked
            .iter()
            .map(|(_, place)| *place)
            .filter(|place| settles(&sentences[*place]))
            .max()
    {
        chosen.take(place, SETTLED_WORDS, SETTLED_NOVELTY);
    }
    if wish {
        chosen.take_details();
    }
    let most = if wish { most + WISH_WORDS } else { most };
    for place in best {
        chosen.take(place, most, NOVELTY);
    }
    chosen.reports.sort_by_key(|told| told.place);
    chosen.reports
}

/// The most words of the request that stands before what was agreed.
const REQUEST_WORDS: usize = 14;

/// What the caller wanted, when it is more than what was `agreed`.
pub(super) fn request(sentences: &[Sentence<'_>], agreed: &str) -> Option<Told> {
    let contents: Vec<Vec<&str>> = sentences.iter().map(contents).collect();
    let agreed = agreed.to_lowercase();
    let agreed: HashSet<&str> = agreed
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(root)
        .collect();
    let is_request = |place: &usize| {
        let sentence = &sentences[*place];
        let new = contents[*place].iter().filter(|word| !agreed.contains(*word)).count();
        sentence.speaker == Speaker::Caller
            && stands_early(sentence, REQUESTS)
            && new * 100 >= contents[*place].len() * SETTLED_NOVELTY
    };
    let (_, place) = ranked(sentences, &contents)
        .into_iter()
        .find(|(_, place)| is_request(place))?;
    let report = report(&sentences[place], false)?;
    (report.split(' ').count() <= REQUEST_WORDS).then_some(Told {
        place,
        report,
        answers: false,
    })
}

/// The most words of the summary of a call that has so many sentences with something to say.
fn words(sentences: usize) -> usize {
    (WORDS + sentences * 3 / 5).min(SETTLED_WORDS)
}

/// The sentences taken so far.
struct Selection<'s, 'a> {
    sentences: &'s [Sentence<'a>],
    contents: &'s [Vec<&'s str>],
    reports: Vec<Told>,
    told: HashSet<&'s str>,
    words: usize,
    characters: usize,
}

impl Selection<'_, '_> {
    /// Takes the sentence at `place` unless less than `novelty` percent of its content is new, or it makes
    /// more than `most` words or than [`CALL_CHARACTERS`]; whether it did.
    fn take(&mut self, place: usize, most: usize, novelty: usize) -> bool {
        let is_told = |place: Option<usize>| self.reports.iter().any(|told| Some(told.place) == place);
        if is_told(Some(place)) {
            return false;
        }
        let contents = self.contents[place].iter().copied();
        let figures = self.sentences[place]
            .words
            .iter()
            .map(|word| word.norm)
            .filter(|word| is_number(word));
        let new = contents.clone().filter(|word| !self.told.contains(word)).count();
        let new_figure = figures.clone().any(|word| !self.told.contains(word));
        if new * 100 < contents.len() * novelty && !new_figure {
            return false;
        }
        let Some(reports) = self.reports_of(place, (1..=NOUN_REACH).any(|back| is_told(place.checked_sub(back))))
        else {
            return false;
        };
        let count = |count: fn(&str) -> usize| reports.iter().map(|told| count(&told.report)).sum::<usize>();
        // One more for the name of the speaker, or for "and".
        let length = count(|report| report.split(' ').count() + 1);
        // The first sentence may be a long one: something is better than nothing.
        let most = if self.reports.is_empty() { CALL_WORDS } else { most };
        let characters = count(|report| report.chars().count() + AROUND_CHARACTERS);
        if self.words + length > most || self.characters + characters > CALL_CHARACTERS {
            return false;
        }
        self.words += length;
        self.characters += characters;
        self.told.extend(contents.chain(figures));
        for told in &reports {
            self.told.extend(self.contents[told.place].iter().copied());
        }
        self.reports.extend(reports);
        true
    }

    /// Takes what the caller said to the agent's questions for details.
    fn take_details(&mut self) {
        for place in 0..self.sentences.len() {
            let question = &self.sentences[place];
            if self.words + DETAIL_WORDS > SETTLED_WORDS {
                return;
            }
            if question.speaker != Speaker::Agent
                || !question.question
                || !stands_early(question, DETAILS)
                || is_routine(question)
            {
                continue;
            }
            let mut replies = self.replies(place);
            let (Some(first), None) = (replies.next(), replies.next()) else {
                continue;
            };
            drop(replies);
            let answer = &self.sentences[first];
            if answer.question || reads_out(answer) || self.knows(first) {
                continue;
            }
            let told = if has_clause(&answer.words) { first } else { place };
            if told == first || detail(question, answer).is_some() {
                self.take(told, SETTLED_WORDS, SETTLED_NOVELTY);
            }
        }
    }

    /// Whether the figures of the sentence at `place` are told already; where it has none, its content.
    fn knows(&self, place: usize) -> bool {
        let words = self.sentences[place].words.iter().map(|word| word.norm);
        let mut figures = words.filter(|word| is_number(word)).peekable();
        if figures.peek().is_some() {
            figures.all(|figure| self.told.contains(figure))
        } else {
            self.contents[place].iter().all(|word| self.told.contains(word))
        }
    }

    /// The report of the sentence at `place`, of a question with that of its answer. `follows` where the sentence
    /// before it is told.
    fn reports_of(&self, place: usize, follows: bool) -> Option<Vec<Told>> {
        let sentence = &self.sentences[place];
        let told = |place, report, answers| Told { place, report, answers };
        let replies = self.replies(place);
        // An answer that goes on is no answer by its first part.
        if sentence.question
            && sentence.speaker == Speaker::Agent
            && let Some(first) = replies.clone().next()
            && replies.clone().nth(1).is_none()
            && let Some(report) = detail(sentence, &self.sentences[first])
        {
            return Some(vec![told(first, report, false)]);
        }
        if self.is_cut_off(place) {
            return None;
        }
        let report = report(sentence, follows)?;
        if !sentence.question || !is_open(&report) {
            return Some(vec![told(place, report, false)]);
        }
        let is_told = |place| self.reports.iter().any(|told| told.place == place);
        let answer = replies
            .filter(|reply| !self.sentences[*reply].question)
            .find_map(|place| Some((place, reply(&self.sentences[place])?)));
        match answer {
            Some((answer, _)) if is_told(answer) => Some(vec![told(place, report, false)]),
            Some((answer, reply)) => Some(vec![told(place, report, false), told(answer, reply, true)]),
            // What the call is about is told in any case.
            None if self.reports.is_empty() => Some(vec![told(place, report, false)]),
            None => None,
        }
    }

    /// Where the other speaker replies to the sentence at `place`.
    fn replies(&self, place: usize) -> impl Iterator<Item = usize> + Clone + use<'_> {
        let asked = self.sentences[place].speaker;
        let behind = place + 1..self.sentences.len();
        let skipped = behind
            .clone()
            .take_while(move |place| self.sentences[*place].speaker == asked)
            .take(GOES_ON)
            .count();
        behind
            .skip(skipped)
            .take_while(move |place| self.sentences[*place].speaker != asked)
            .take(REPLIES)
    }

    /// Whether the sentence ends with a figure and its speaker goes on in the next turn, as people read out numbers.
    fn is_cut_off(&self, place: usize) -> bool {
        let (sentence, next) = (&self.sentences[place], self.sentences.get(place + 1));
        let last = &sentence.words[sentence.words.len() - 1];
        last.after == After::Nothing
            && is_number(last.norm)
            && next.is_some_and(|next| next.speaker == sentence.speaker && !has_clause(&next.words))
    }
}

/// What a detail takes at least, in words.
const DETAIL_WORDS: usize = 6;

/// What the wish of a caller adds to the words.
const WISH_WORDS: usize = 1;

/// Whether a number is read out that is no amount: it is for a fact to keep, or for nobody.
fn reads_out(sentence: &Sentence<'_>) -> bool {
    let digits = |word: &&SentenceWord<'_>| spoken_digit(word.norm).is_some();
    sentence.words.iter().filter(digits).count() > 2
        || sentence
            .words
            .iter()
            .any(|word| word.norm.bytes().filter(u8::is_ascii_digit).count() > 4)
}

/// How many sentences before a pronoun may hold its noun.
const NOUN_REACH: usize = 2;

/// How many sentences somebody may go on behind a question and still be answered.
const GOES_ON: usize = 8;

/// How many sentences of a reply are looked at.
const REPLIES: usize = 3;

/// The sentences that say something, the most telling first.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of words and sentences, far below 2^53"
)]
fn ranked(sentences: &[Sentence<'_>], contents: &[Vec<&str>]) -> Vec<(f64, usize)> {
    let mut returns: HashMap<&str, u32> = HashMap::new();
    for word in contents.iter().flatten() {
        *returns.entry(word).or_default() += 1;
    }
    let mut ranked: Vec<(f64, usize)> = Vec::with_capacity(sentences.len());
    for (place, sentence) in sentences.iter().enumerate() {
        if contents[place].is_empty() || is_routine(sentence) || is_fragment(sentences, place) {
            continue;
        }
        let content: f64 = contents[place]
            .iter()
            .map(|word| 1.0 + RETURN * f64::from(returns[word]).ln())
            .sum();
        let early = 1.0 + BEGINNING * (-(ranked.len() as f64) / FADES).exp();
        ranked.push((content / sentence.words.len() as f64 * early * weight(sentence), place));
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked
}

/// What the kind of sentence counts.
fn weight(sentence: &Sentence<'_>) -> f64 {
    let mut weight = match (sentence.speaker, sentence.question) {
        (Speaker::Caller, true) => 0.66,
        (Speaker::Agent, false) => 1.0,
        // A question for one detail tells less than its answer.
        (Speaker::Agent, true) if stands_early(sentence, DETAILS) => 0.6,
        (Speaker::Agent, true) | (Speaker::Caller, false) => 1.25,
    };
    if stands_early(sentence, REQUESTS) {
        weight *= 1.8;
    }
    if stands_early(sentence, VAGUE) {
        weight *= 0.8;
    }
    // Neither a scrap nor a story.
    if !(5..23).contains(&sentence.words.len()) {
        weight *= 0.5;
    }
    weight
}

/// How people say what they want.
const REQUESTS: &Phrases = phrases![
    "can i",
    "can you",
    "could i",
    "could you",
    "i am calling",
    "i am looking",
    "i have a",
    "i lost",
    "i need",
    "i want",
    "i was wondering",
    "i would like",
    "i'd like",
    "i'm calling",
    "i'm having",
    "i'm looking",
    "i've lost",
    "let's",
    "may i",
    "we would like",
    "we'd like",
    "will you",
    "would you",
];

/// How sentences begin that depend on the one before.
const VAGUE: &Phrases = phrases![
    "i guess", "i know", "i see", "i think", "it is", "it's", "that is", "that's", "this is", "you know",
];

/// How agents ask for one detail.
const DETAILS: &Phrases = phrases![
    "can i have your",
    "may i have your",
    "what is the",
    "what is your",
    "what's the",
    "what's your",
    "which",
];

/// How agents say that something was done or will be.
const SETTLES: &Phrases = phrases![
    "has been",
    "have been",
    "i am going to",
    "i have",
    "i will",
    "i'll",
    "i'm going to",
    "i've",
    "is booked",
    "is scheduled",
    "we have",
    "we will",
    "we'll",
    "we've",
    "will be",
    "you will",
    "you'll",
    "you're all set",
    "your appointment is",
];

/// How agents give a figure.
const FIGURES: &Phrases = phrases!["are", "comes to", "costs", "has been", "is", "it'll be", "you have"];

/// How people introduce themselves.
const INTRODUCES: &Phrases = phrases!["my name is", "my name's", "your name is"];

/// What is said in every call.
const ROUTINE: &Phrases = phrases![
    "anything else",
    "be all",
    "be of any help",
    "be of help",
    "be of service",
    "can i help you",
    "can you repeat",
    "excuse me",
    "glad to",
    "good bye",
    "happy to",
    "have a good",
    "have a great",
    "have a nice",
    "here you are",
    "hold on",
    "how are you",
    "how can i help",
    "how may i help",
    "just a moment",
    "may i help you",
    "my name is",
    "my name's",
    "nice to meet you",
    "one moment",
    "one second",
    "repeat that",
    "see you",
    "speaking",
    "thank you",
    "thanks for",
    "that's all",
    "that's correct",
    "that's it",
    "this is",
    "what can i do for you",
    "what was that",
    "you're welcome",
    "your name",
];

/// A sentence with fewer words is a fragment.
const FRAGMENT_WORDS: usize = 4;

/// A sentence with more words than this tells something besides its routine.
const ROUTINE_WORDS: usize = 10;

fn is_routine(sentence: &Sentence<'_>) -> bool {
    sentence.words.len() < ROUTINE_WORDS && (0..sentence.words.len()).any(|start| stands_at(sentence, start, ROUTINE))
}

/// Whether a sentence is only a name or an exclamation beside others of its turn. As a whole turn such words are an
/// answer.
fn is_fragment(sentences: &[Sentence<'_>], place: usize) -> bool {
    let sentence = &sentences[place];
    let beside = |other: Option<usize>| {
        other
            .and_then(|other| sentences.get(other))
            .is_some_and(|other| other.turn == sentence.turn)
    };
    sentence.words.len() < FRAGMENT_WORDS && (beside(place.checked_sub(1)) || beside(Some(place + 1)))
}

/// Whether the agent's sentence says that something was done or will be, or gives a figure.
fn settles(sentence: &Sentence<'_>) -> bool {
    if sentence.speaker != Speaker::Agent || sentence.question {
        return false;
    }
    let figure = sentence.words.iter().any(|word| is_number(word.norm));
    (0..sentence.words.len().min(8)).any(|start| stands_at(sentence, start, SETTLES))
        || figure && (0..sentence.words.len()).any(|start| stands_at(sentence, start, FIGURES))
}

/// Whether one of the phrases stands near the beginning.
fn stands_early(sentence: &Sentence<'_>, phrases: &Phrases) -> bool {
    (0..sentence.words.len().min(6)).any(|start| stands_at(sentence, start, phrases))
}

fn stands_at(sentence: &Sentence<'_>, start: usize, phrases: &Phrases) -> bool {
    phrases
        .at(start, |place| sentence.words.get(place).map(|word| word.norm))
        .is_some()
}

/// The different words that carry content, without their endings. Numbers alone tell nothing.
fn contents<'s>(sentence: &'s Sentence<'_>) -> Vec<&'s str> {
    let words = sentence.words.iter().map(|word| word.norm);
    let mut contents = Vec::with_capacity(words.len());
    contents.extend(words.filter(|word| !is_small(word) && !is_number(word)).map(root));
    contents.sort_unstable();
    contents.dedup();
    contents
}

/// A word without the commonest endings.
fn root(word: &str) -> &str {
    ["'s", "ing", "ed", "es", "s"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|root| root.len() > 2))
        .unwrap_or(word)
}
