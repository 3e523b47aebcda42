//! What is read out over several turns: "five five five", "mm-hm", "one two three four". Its turns are put together, so
//! that the extractors read them as one, and every part keeps its place in the transcript.

use std::ops::Range;

use super::{
    contact::{email_cues, is_email_word, number_cues},
    exchange::Exchange,
    finding::{Finding, Topic},
    place::{address_cues, is_address_word, is_street},
    readout::read_out,
    reference::number_start,
    utterance::{Piece, Utterance},
};
use crate::{
    text::{
        numbers::{is_number, spoken_digit, spoken_tens},
        phrases::{Phrases, phrases},
        small::is_interjection,
    },
    transcript::{Speaker, Turn},
};

/// The most turns that are looked at behind the one in which something begins.
const REACH: usize = 24;

/// The most words of a turn with which somebody has the other one go on.
const SHORT: usize = 12;

/// The most bytes that are put together.
const LONGEST: usize = 2_000;

/// Parts of turns that belong together.
pub(super) struct Dictation {
    /// The places of its turns in the call, those of the listener among them.
    pub(super) places: Range<usize>,
    /// What was said, put together.
    text: String,
    pieces: Vec<Piece>,
    speaker: Speaker,
}

impl Dictation {
    /// The turn that it would be in one breath.
    pub(super) fn turn(&self) -> Turn<'_> {
        Turn::read(self.speaker, &self.text)
    }

    /// `turn`, which [`Self::turn`] gave, with the places of its parts.
    pub(super) fn utterance<'t>(&'t self, turn: &'t Turn<'_>) -> Utterance<'t> {
        Utterance::of_pieces(&self.pieces, turn)
    }
}

/// Looks for what is read out over several turns of `call`, whose questions and answers are `exchanges`. What is said
/// in two ways becomes a doubt.
pub(super) fn of_call(
    call: &[Utterance<'_>],
    exchanges: &[Exchange<'_, '_>],
    findings: &mut Vec<Finding>,
) -> Vec<Dictation> {
    let mut found = Vec::new();
    let mut answers = exchanges.iter().peekable();
    let mut behind = 0;
    for (place, utterance) in call.iter().enumerate() {
        while answers
            .next_if(|exchange| exchange.answer.turn < utterance.turn)
            .is_some()
        {}
        if place < behind || utterance.words.is_empty() || !goes_on(call, place) {
            continue;
        }
        let exchange = Exchange {
            question: answers
                .peek()
                .filter(|exchange| exchange.answer.turn == utterance.turn)
                .and_then(|exchange| exchange.question),
            answer: utterance,
            behind: &[],
        };
        for (topic, lead) in beginnings(&exchange) {
            match Course::new(topic, place, lead).followed(call) {
                Outcome::Alone => {}
                Outcome::Doubtful(places) => {
                    findings.push(Finding::Doubt(topic));
                    behind = places.end;
                    found.push(Dictation {
                        places,
                        text: String::new(),
                        pieces: Vec::new(),
                        speaker: utterance.speaker,
                    });
                    break;
                }
                Outcome::Together(dictation) => {
                    behind = dictation.places.end;
                    found.push(dictation);
                    break;
                }
            }
        }
    }
    found
}

/// The turns of a call in which each of `dictations` stands as its one utterance of `dictated`.
pub(super) fn together<'c, 'a>(
    call: &[&'c Utterance<'a>],
    dictations: &[Dictation],
    dictated: &'c [Utterance<'a>],
) -> Vec<&'c Utterance<'a>> {
    let mut turns = Vec::with_capacity(call.len());
    let mut behind = 0;
    for (dictation, utterance) in dictations.iter().zip(dictated) {
        turns.extend_from_slice(&call[behind..dictation.places.start]);
        turns.push(utterance);
        behind = dictation.places.end;
    }
    turns.extend_from_slice(&call[behind..]);
    turns
}

/// Whether the speaker may go on with something in a later turn: it begins as parts of codes and addresses do, and the
/// other one says little in between.
fn goes_on(call: &[Utterance<'_>], place: usize) -> bool {
    let speaker = call[place].speaker;
    // Agents read out nothing but codes.
    let last = call[place].words.last().map_or("", |word| &word.norm);
    if speaker == Speaker::Agent
        && !(last.len() == 1 || last == "is" || is_number(last) || spoken_digit(last).is_some())
    {
        return false;
    }
    for next in call[place + 1..].iter().take(4).filter(|next| !next.words.is_empty()) {
        if next.speaker != speaker {
            if next.words.len() > SHORT {
                return false;
            }
            continue;
        }
        let (first, _) = group_start(next);
        if first < next.words.len() {
            let norm = next.norm(first);
            return is_number(norm)
                || spoken_digit(norm).is_some()
                || is_email_word(norm)
                || is_address_word(next, first);
        }
    }
    false
}

/// What `exchange` begins to read out and does not finish, with the place behind the words that say what it is.
fn beginnings(exchange: &Exchange<'_, '_>) -> Vec<(Topic, usize)> {
    let utterance = exchange.answer;
    let end = utterance.words.len();
    let mut found = Vec::new();
    let reference = number_start(utterance, exchange.question);
    if let Some(start) = reference.filter(|start| reads_to_end(utterance, *start, true)) {
        found.push((Topic::Reference, start));
    }
    if utterance.speaker == Speaker::Agent {
        return found;
    }
    for (_, start) in number_cues(exchange) {
        if reads_to_end(utterance, start, false) {
            found.push((Topic::CallbackNumber, start));
        }
    }
    for (_, start) in email_cues(exchange) {
        let is_email = (start..end).all(|place| is_email_word(utterance.norm(place)))
            && !(start..end).any(|place| utterance.shown(place).contains('@'));
        if is_email {
            found.push((Topic::Email, start));
        }
    }
    for (_, start) in address_cues(exchange) {
        let begins = start == end || is_number(utterance.norm(start));
        if begins && (start..end).all(|place| is_address_word(utterance, place)) && !has_zip(utterance, start..end) {
            found.push((Topic::Address, start));
        }
    }
    found
}

/// Whether nothing but a code stands from `start` to the end of the turn.
fn reads_to_end(utterance: &Utterance<'_>, start: usize, letters: bool) -> bool {
    let end = utterance.words.len();
    start == end || read_out(utterance, start, letters).is_some_and(|readout| readout.end == end)
}

/// Whether an address is complete with its zip code at the end of `places`.
fn has_zip(utterance: &Utterance<'_>, places: Range<usize>) -> bool {
    let Some(last) = places.clone().last().filter(|last| *last > places.start) else {
        return false;
    };
    let digits = code_of(utterance, last.saturating_sub(4).max(places.start + 1)..places.end);
    let tail = digits.bytes().rev().take_while(u8::is_ascii_digit).count();
    tail >= 5
}

/// A part of what is read out.
struct Group {
    /// The place of its turn in the call.
    place: usize,
    /// The places of its words.
    words: Range<usize>,
    /// Its letters and digits.
    code: String,
    /// Whether the `@` of an e-mail address is in it.
    has_at: bool,
    /// Whether a `+` stands in it, or before it.
    has_plus: bool,
}

impl Group {
    fn new(call: &[Utterance<'_>], place: usize, words: Range<usize>) -> Self {
        let utterance = &call[place];
        let span = utterance.span(words.clone());
        let before = utterance.text.get(..span.start).unwrap_or_default();
        let has_plus = before.trim_end().ends_with('+')
            || utterance.text.get(span).is_some_and(|text| text.contains('+'))
            || words.clone().any(|word| utterance.norm(word) == "plus")
            || words.start > 0 && utterance.norm(words.start - 1) == "plus";
        Self {
            place,
            has_plus,
            code: code_of(&call[place], words.clone()),
            has_at: words.clone().any(|word| call[place].norm(word) == "at"),
            words,
        }
    }
}

/// What became of following something over the turns.
enum Outcome {
    /// It stands in one turn.
    Alone,
    /// It was said in two ways.
    Doubtful(Range<usize>),
    /// It stands in several.
    Together(Dictation),
}

/// What the other side's turn makes of what was said so far.
enum Reaction {
    /// It has the speaker go on, or says what it heard.
    GoOn { repeats: bool },
    /// It asks for the next part.
    AsksOn,
    /// It asks for what was said again.
    Again,
    /// It heard the last part otherwise.
    Differs,
    /// It says something else.
    Other,
}

/// The course of something that is read out.
struct Course {
    topic: Topic,
    /// The place of the turn in which it begins.
    place: usize,
    /// The place behind the words that say what it is.
    lead: usize,
    groups: Vec<Group>,
}

impl Course {
    const fn new(topic: Topic, place: usize, lead: usize) -> Self {
        Self {
            topic,
            place,
            lead,
            groups: Vec::new(),
        }
    }

    /// Follows it through `call`.
    fn followed(mut self, call: &[Utterance<'_>]) -> Outcome {
        let first = &call[self.place];
        if self.lead < first.words.len() {
            let words = self.lead..first.words.len();
            self.groups.push(Group::new(call, self.place, words.clone()));
            if self.is_complete(first, words) {
                return Outcome::Alone;
            }
        }
        let mut end = self.place + 1;
        let mut reaction = Reaction::GoOn { repeats: false };
        let mut is_interrupted = false;
        for (place, utterance) in call.iter().enumerate().skip(end).take(REACH) {
            if utterance.words.is_empty() {
                continue;
            }
            if utterance.speaker != first.speaker {
                is_interrupted = true;
                reaction = match (self.reaction(utterance), reaction) {
                    (Reaction::Other, _) => break,
                    (Reaction::GoOn { repeats: false }, Reaction::Again) => Reaction::Again,
                    (new, _) => new,
                };
                continue;
            }
            let (start, refuses) = group_start(utterance);
            if start == utterance.words.len() && !refuses {
                continue;
            }
            let Some(stop) = self.group_end(utterance, start) else {
                break;
            };
            let is_unsure = self.topic == Topic::Address
                && is_interrupted
                && matches!(reaction, Reaction::GoOn { repeats: false })
                && !has_zip(utterance, start..stop);
            if is_unsure {
                break;
            }
            let new = Group::new(call, place, start..stop);
            let corrects = refuses || matches!(reaction, Reaction::Again | Reaction::Differs);
            match self.add(new, corrects, &reaction) {
                Ok(true) => end = place + 1,
                Ok(false) => {
                    reaction = Reaction::GoOn { repeats: false };
                    is_interrupted = false;
                    continue;
                }
                Err(()) => return Outcome::Doubtful(self.place..place + 1),
            }
            if stop < utterance.words.len() || self.is_complete(utterance, start..stop) {
                break;
            }
            reaction = Reaction::GoOn { repeats: false };
            is_interrupted = false;
        }
        if end == self.place + 1 {
            return Outcome::Alone;
        }
        self.together(call, end)
    }

    fn said(&self) -> String {
        self.groups.iter().map(|group| group.code.as_str()).collect()
    }

    /// What the other side makes of what was said.
    fn reaction(&self, utterance: &Utterance<'_>) -> Reaction {
        if utterance.words.len() > SHORT {
            return Reaction::Other;
        }
        let asks = matches!(utterance.norm(0), "sorry" | "pardon" | "what" | "huh" | "excuse");
        if utterance.has(AGAIN) || asks && utterance.words.len() <= 2 {
            return Reaction::Again;
        }
        let mut rest = String::new();
        let mut from = 0;
        let mut place = 0;
        while place < utterance.words.len() {
            let skipped = utterance.behind(place, GO_ON).or_else(|| {
                let norm = utterance.norm(place);
                (is_interjection(norm) && spoken_digit(norm).is_none()).then_some(place + 1)
            });
            if let Some(behind) = skipped {
                rest.push_str(&code_of(utterance, from..place));
                from = behind;
                place = behind;
            } else {
                place += 1;
            }
        }
        rest.push_str(&code_of(utterance, from..place));
        if rest.is_empty() {
            return Reaction::GoOn { repeats: false };
        }
        if rest.len() > 1 && self.said().contains(&rest) {
            return Reaction::GoOn { repeats: true };
        }
        let last = self.groups.last().map_or("", |group| &group.code);
        if rest.len() > 1 && rest.len() == last.len() && rest.bytes().all(|byte| byte.is_ascii_digit()) {
            return Reaction::Differs;
        }
        let asks_on = match self.topic {
            Topic::Address => utterance.has(ASKS_PLACE),
            Topic::Email => utterance.has(ASKS_DOMAIN),
            _ => utterance.has(ASKS_REST),
        };
        if asks_on { Reaction::AsksOn } else { Reaction::Other }
    }

    /// The place behind the part that begins at `start`; `None` when other words follow it or it is none.
    fn group_end(&self, utterance: &Utterance<'_>, start: usize) -> Option<usize> {
        let length = utterance.words.len();
        let end = match self.topic {
            Topic::CallbackNumber | Topic::Reference => {
                // "oh" is a digit among others, which stand in an earlier turn.
                let is_zero = matches!(utterance.norm(start), "o" | "oh") && start + 1 < length;
                let from = start + usize::from(is_zero);
                let readout = read_out(utterance, from, self.topic == Topic::Reference)?;
                (!readout.doubtful).then_some(readout.end)?
            }
            Topic::Email => {
                let is_code = |place: usize| {
                    let norm = utterance.norm(place);
                    norm.len() == 1 || is_number(norm) || is_joint(norm) || norm.contains('.')
                };
                let first = (start..length).find(|place| !is_email_word(utterance.norm(*place)));
                let end = first.unwrap_or(length);
                (start..end).any(is_code).then_some(end)?
            }
            _ => {
                let end = (start..length)
                    .find(|place| {
                        *place > start && utterance.stops_before(*place) || !is_address_word(utterance, *place)
                    })
                    .unwrap_or(length);
                (start < end && end <= start + 8).then_some(end)?
            }
        };
        utterance.ends_before(end).then_some(end).or_else(|| {
            let is_courtesy = (end..length).all(|place| {
                is_interjection(utterance.norm(place)) || matches!(utterance.norm(place), "please" | "that's" | "it")
            });
            is_courtesy.then_some(end)
        })
    }

    /// Adds `new`, or puts it in the place of what it corrects; whether it says anything new. An error when it can mean
    /// both.
    fn add(&mut self, new: Group, corrects: bool, reaction: &Reaction) -> Result<bool, ()> {
        let said = self.said();
        let Some(last) = self.groups.last_mut() else {
            self.groups.push(new);
            return Ok(true);
        };
        if self.topic == Topic::Address {
            // A part of an address that is said again adds nothing.
            let is_new = !said.contains(&new.code);
            if corrects && is_new {
                return Err(());
            }
            if is_new {
                self.groups.push(new);
            }
            return Ok(is_new);
        }
        if new.code == said && said.len() >= 4 || corrects && said.ends_with(&new.code) {
            // Said again.
            return Ok(false);
        }
        let is_whole = new.code.len() > last.code.len() && new.code.len() >= said.len();
        if is_whole && (corrects || new.code.starts_with(&said)) {
            self.groups = vec![new];
        } else if corrects && new.code.len() == last.code.len() {
            *last = new;
        } else if corrects {
            return Err(());
        } else if new.code == last.code && matches!(reaction, Reaction::GoOn { repeats: true }) {
            // "Five five." "Five five?" "Five five." goes on, or says it again.
            return Err(());
        } else {
            self.groups.push(new);
        }
        Ok(true)
    }

    /// Whether nothing can follow what was said.
    fn is_complete(&self, utterance: &Utterance<'_>, words: Range<usize>) -> bool {
        match self.topic {
            Topic::CallbackNumber => {
                // Only where numbers are as long as in North America does the length tell the end.
                let said = self.said();
                let is_national = !self.groups.iter().any(|group| group.has_plus) && !said.starts_with('0');
                said.len() >= 15 || is_national && (said.len() >= 11 || said.len() == 10 && !said.starts_with('1'))
            }
            Topic::Email => {
                let ends_domain = |last: usize| {
                    last > words.start && matches!(utterance.norm(last - 1), "dot" | "point")
                        || utterance.shown(last).contains('.')
                };
                self.groups.iter().any(|group| group.has_at) && words.clone().next_back().is_some_and(ends_domain)
            }
            Topic::Address => has_zip(utterance, words),
            _ => false,
        }
    }

    /// The turns up to `end` as one.
    fn together(self, call: &[Utterance<'_>], end: usize) -> Outcome {
        let first = &call[self.place];
        let places = self.place..end;
        let mut parts: Vec<(usize, Range<usize>)> = Vec::new();
        if self.lead > 0 {
            parts.push((self.place, first.span(0..self.lead)));
        }
        for group in &self.groups {
            let utterance = &call[group.place];
            let mut span = utterance.span(group.words.clone());
            // The last turn may go on with something else.
            if group.place + 1 == end {
                span.end = utterance.text.len();
            }
            match parts.last_mut() {
                Some((place, last)) if *place == group.place => last.end = span.end,
                _ => parts.push((group.place, span)),
            }
        }
        let mut text = String::new();
        let mut pieces = Vec::new();
        for (place, span) in parts {
            let said = &call[place].text[span.clone()];
            if !text.is_empty() {
                let pauses = self.topic != Topic::Address || ends_street(&text);
                text.push_str(if pauses { ", " } else { " " });
            }
            pieces.push(Piece {
                turn: call[place].turn,
                from: span.start,
                at: text.len(),
                length: said.len(),
            });
            text.push_str(said);
            if text.len() > LONGEST {
                return Outcome::Doubtful(places);
            }
        }
        Outcome::Together(Dictation {
            places,
            text,
            pieces,
            speaker: first.speaker,
        })
    }
}

/// Whether the street is complete with the last word of `text`, so that the town follows.
fn ends_street(text: &str) -> bool {
    let mut words = text.split_whitespace().rev();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let last = words.next().map(bare).unwrap_or_default();
    // A unit stands behind the street.
    let before = words.next().map(bare).unwrap_or_default();
    is_street(&last) || matches!(before.as_str(), "apartment" | "apt" | "flat" | "suite" | "unit")
}

/// Where a part of something that is read out begins in `utterance`, behind what only leads to it, and whether it takes
/// back what was said before.
fn group_start(utterance: &Utterance<'_>) -> (usize, bool) {
    const LEADS: &Phrases = phrases![
        "and",
        "city is",
        "i said",
        "in",
        "it's",
        "that is",
        "that's",
        "the city is",
        "the zip code is",
        "the zip is",
        "then",
        "zip code",
        "zip code is",
        "zip is",
    ];
    const REFUSES: &Phrases = phrases![
        "actually",
        "correction",
        "i mean",
        "it's not",
        "no",
        "nope",
        "not",
        "sorry",
        "wait",
    ];
    let (mut place, mut refuses) = (0, false);
    while place < utterance.words.len() {
        let norm = utterance.norm(place);
        if let Some(behind) = utterance.behind(place, REFUSES) {
            refuses = true;
            place = behind;
        } else if let Some(behind) = utterance.behind(place, LEADS) {
            place = behind;
        } else if is_interjection(norm) && spoken_digit(norm).is_none() {
            place += 1;
        } else {
            break;
        }
    }
    (place, refuses)
}

/// The letters and digits of `words`, numbers in words as figures.
fn code_of(utterance: &Utterance<'_>, words: Range<usize>) -> String {
    let mut code = String::new();
    let mut times = 1;
    let mut place = words.start;
    while place < words.end {
        let norm = utterance.norm(place);
        if let Some(digit) = spoken_digit(norm) {
            for _ in 0..times {
                code.push(char::from(b'0' + digit));
            }
            times = 1;
        } else if let Some(tens) = spoken_tens(norm) {
            let unit = spoken_digit(utterance.norm(place + 1)).filter(|unit| tens >= 20 && *unit > 0);
            code.push_str(&(tens + unit.unwrap_or(0)).to_string());
            place += usize::from(unit.is_some());
        } else if matches!(norm, "double" | "triple") && spoken_digit(utterance.norm(place + 1)).is_some() {
            times = if norm == "double" { 2 } else { 3 };
        } else {
            code.extend(norm.chars().filter(|c| c.is_alphanumeric()));
        }
        place += 1;
    }
    code
}

/// Whether the word joins parts of an e-mail address.
fn is_joint(norm: &str) -> bool {
    matches!(
        norm,
        "at" | "dash" | "dot" | "hyphen" | "minus" | "period" | "plus" | "point" | "underscore"
    )
}

/// With what a listener has somebody go on.
const GO_ON: &Phrases = phrases![
    "all right",
    "and",
    "carry on",
    "continue",
    "go ahead",
    "go on",
    "got it",
    "got that",
    "i got",
    "i have",
    "i'm listening",
    "i'm ready",
    "i've got",
    "keep going",
    "next",
    "please",
    "so far",
    "so that's",
    "that's",
    "then",
    "whenever you're ready",
];

/// With what a listener asks to hear something again.
const AGAIN: &Phrases = phrases![
    "again",
    "come again",
    "didn't catch",
    "didn't get",
    "missed that",
    "one more time",
    "pardon",
    "repeat",
    "say that",
    "what was that",
];

const ASKS_PLACE: &Phrases = phrases![
    "apartment",
    "city",
    "post code",
    "postal code",
    "postcode",
    "state",
    "town",
    "unit",
    "zip",
    "zip code",
];

const ASKS_DOMAIN: &Phrases = phrases!["at what", "domain", "provider", "the rest", "what comes after"];

const ASKS_REST: &Phrases = phrases![
    "last four",
    "last two",
    "last three",
    "next digits",
    "next part",
    "the last",
    "the next",
    "the remaining",
    "the rest",
];
