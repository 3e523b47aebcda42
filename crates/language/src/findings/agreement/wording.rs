//! An agreement in words: what was read back, without the words around it.

use super::{super::utterance::Utterance, moment::mentions, terms::Clause};
use crate::{
    text::{
        phrases::{Phrases, phrases},
        plain::plain,
        small::{is_interjection, is_small},
    },
    transcript::Speaker,
};

/// The most words of an agreement that are told, and the most characters.
const LONGEST: usize = 30;
const CHARACTERS: usize = 200;

/// How far into a clause a colon ends what introduces it.
const INTRODUCTION: usize = 12;

/// What a clause begins with beside the point.
const LEADS: &Phrases = phrases![
    "a",
    "again",
    "all right",
    "also",
    "are",
    "be",
    "book",
    "booked",
    "booked you",
    "booked you for",
    "booked you in",
    "booked you in for",
    "booking",
    "bought",
    "buy",
    "buying",
    "can he come in",
    "can she come in",
    "can they come in",
    "can you",
    "can you come in",
    "cancel",
    "canceled",
    "cancelled",
    "confirm",
    "confirmation",
    "confirmed",
    "confirming",
    "could you",
    "do you want",
    "does",
    "done",
    "down for",
    "for",
    "get",
    "going",
    "good news",
    "got you down for",
    "have",
    "have you down for",
    "here are",
    "here is",
    "how about",
    "i am",
    "i booked",
    "i canceled",
    "i cancelled",
    "i have",
    "i have gone ahead and",
    "i have you down",
    "i moved",
    "i rescheduled",
    "i reserved",
    "i scheduled",
    "i went ahead and",
    "i will",
    "i'd like",
    "i'll",
    "i'm",
    "i've",
    "i've gone ahead and",
    "i've got you down",
    "is",
    "it is",
    "it's",
    "just",
    "let me",
    "let's",
    "make",
    "make a",
    "make an",
    "making",
    "making a",
    "me",
    "me to",
    "moved",
    "moved your appointment to",
    "my",
    "need",
    "no problem",
    "no problem at all",
    "not a problem",
    "now",
    "of",
    "on",
    "once again",
    "please",
    "purchase",
    "purchased",
    "purchasing",
    "put you down for",
    "put you in for",
    "rescheduled",
    "rescheduled your appointment to",
    "reserve",
    "reserved",
    "reserving",
    "schedule",
    "scheduled",
    "scheduling",
    "shall i",
    "should i",
    "that",
    "that's",
    "the",
    "the following",
    "then",
    "there is",
    "there's",
    "to",
    "verify",
    "want",
    "want me to",
    "want to",
    "we are",
    "we will",
    "we'll",
    "we're",
    "we've",
    "what about",
    "will",
    "will be",
    "wish to",
    "would",
    "would like",
    "would like me to",
    "would like to",
    "would you like",
    "would you like me to",
    "would you like to",
    "you",
    "you are",
    "you are all set",
    "you are all set for",
    "you'd like",
    "you'd like me to",
    "you'd like to",
    "you'll",
    "you're",
    "you're all set",
    "you're all set for",
    "your",
];

/// What a clause ends with beside the point.
const TAGS: &Phrases = phrases![
    "am i correct",
    "am i right",
    "are booked",
    "are called off",
    "are canceled",
    "are cancelled",
    "are confirmed",
    "are now booked",
    "are now called off",
    "are now canceled",
    "are now cancelled",
    "are now confirmed",
    "are now reserved",
    "are now scheduled",
    "are reserved",
    "are scheduled",
    "are these details correct",
    "correct",
    "do i have that right",
    "do i have the information right",
    "do you confirm",
    "does that sound good",
    "does that sound right",
    "does that work",
    "does that work for you",
    "does this work",
    "has been booked",
    "has been called off",
    "has been canceled",
    "has been cancelled",
    "has been confirmed",
    "has been moved",
    "has been rescheduled",
    "has been reserved",
    "has been scheduled",
    "has now been called off",
    "has now been canceled",
    "has now been cancelled",
    "have been booked",
    "have been called off",
    "have been canceled",
    "have been cancelled",
    "have been confirmed",
    "have been reserved",
    "have been scheduled",
    "have now been called off",
    "have now been canceled",
    "have now been cancelled",
    "how does that sound",
    "is booked",
    "is called off",
    "is canceled",
    "is cancelled",
    "is confirmed",
    "is everything correct",
    "is it correct",
    "is it ok",
    "is it okay",
    "is it right",
    "is now booked",
    "is now called off",
    "is now canceled",
    "is now cancelled",
    "is now confirmed",
    "is now reserved",
    "is now scheduled",
    "is reserved",
    "is scheduled",
    "is that all correct",
    "is that all right",
    "is that alright",
    "is that correct",
    "is that fine",
    "is that good",
    "is that ok",
    "is that okay",
    "is that right",
    "is this alright",
    "is this correct",
    "is this fine",
    "is this good",
    "is this ok",
    "is this okay",
    "is this right",
    "it is",
    "it is you are booked",
    "it is you're booked",
    "ok",
    "okay",
    "please confirm",
    "please confirm that",
    "right",
    "sound good",
    "sounds good",
    "was called off",
    "was canceled",
    "was cancelled",
    "was now called off",
    "was now canceled",
    "was now cancelled",
    "were called off",
    "were canceled",
    "were cancelled",
    "were now called off",
    "were now canceled",
    "were now cancelled",
    "work",
    "work for you",
    "works",
    "yes",
];

/// The clauses in one line; of `former` ones, those that say something else.
pub(super) fn tell(call: &[Utterance<'_>], clauses: &[Clause], former: &[Clause]) -> String {
    let mut told = Wording::default();
    for clause in clauses {
        told.add(&telling(&call[clause.turn], clause), false);
    }
    for clause in former
        .iter()
        .filter(|clause| call[clause.turn].speaker == Speaker::Agent)
    {
        told.add(&telling(&call[clause.turn], clause), true);
    }
    told.parts.join("; ")
}

/// What has been told so far.
#[derive(Default)]
struct Wording {
    parts: Vec<String>,
    words: usize,
    characters: usize,
}

impl Wording {
    /// Adds a clause when it fits; of the first one, what fits. A former one has to name something new.
    fn add(&mut self, text: &str, is_former: bool) {
        if text.is_empty() || is_former && !self.is_news(text) {
            return;
        }
        let text = plain(text);
        let (mut words, mut characters, mut end) = (self.words, self.characters, 0);
        for word in text.split(' ') {
            words += 1;
            // With the blank before it.
            characters += word.chars().count() + 1;
            if words > LONGEST || characters > CHARACTERS {
                break;
            }
            end += word.len() + usize::from(end > 0);
        }
        if end == 0 || end < text.len() && !self.parts.is_empty() {
            return;
        }
        self.words += text[..end].split(' ').count();
        // With the semicolon behind it.
        self.characters += text[..end].chars().count() + 2;
        self.parts.push(text[..end].to_owned());
    }

    /// Whether `text` has a name or a figure, and mostly such words of content as were not told.
    fn is_news(&self, text: &str) -> bool {
        let told = self.parts.join(" ").to_lowercase();
        let told: Vec<&str> = told.split(|c: char| !c.is_alphanumeric()).collect();
        let lower = text.to_lowercase();
        let content = lower
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty() && !is_small(word));
        let (mut new, mut all) = (0, 0);
        for word in content {
            all += 1;
            new += usize::from(!told.contains(&word));
        }
        new * 2 >= all && new > 0 && text.split(' ').skip(1).any(names)
    }
}

/// Whether a word is a name or a figure.
fn names(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
}

/// What a clause of the agent names, in one line; empty when it names neither a thing nor a time.
pub(super) fn named(utterance: &Utterance<'_>, clause: &Clause) -> String {
    let text = text_of(utterance, clause);
    let mut words = text
        .split(' ')
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    if words.all(|word| word.is_empty() || is_small(&word)) && mentions(utterance, &clause.places, None).is_empty() {
        return String::new();
    }
    let mut told = Wording::default();
    told.add(&text, false);
    told.parts.concat()
}

/// What a clause says, unless that is a scrap.
fn telling(utterance: &Utterance<'_>, clause: &Clause) -> String {
    let text = text_of(utterance, clause);
    let is_timed = || {
        mentions(utterance, &clause.places, None)
            .iter()
            .any(|mention| !clause.is_gone(mention))
    };
    if is_scrap(&text) && !is_timed() {
        String::new()
    } else {
        text
    }
}

/// Whether a clause of the agent says nothing by itself: "all the details".
fn is_scrap(text: &str) -> bool {
    let content = text.split(' ').filter(|word| !is_small(&word.to_lowercase()));
    content.take(2).count() < 2
        && !text.split(' ').any(|word| word.contains(|c: char| c.is_ascii_digit()))
        && !text.split(' ').skip(1).any(names)
}

/// What a clause says, without times that no longer hold. Of a caller's clause only the times: what callers say is
/// never told as this service's own words.
fn text_of(utterance: &Utterance<'_>, clause: &Clause) -> String {
    let places = &clause.places;
    if utterance.speaker == Speaker::Caller {
        return times_of(utterance, clause);
    }
    let is_introduced = |place: &usize| {
        let end = utterance.words[*place].end;
        utterance.text[end..].trim_start().starts_with(':')
    };
    let introduced = (places.start..places.end.min(places.start + INTRODUCTION))
        .rev()
        .find(|place| is_introduced(place))
        .map_or(places.start, |place| place + 1);
    let mut start = introduced;
    while start < places.end {
        if utterance.behind(start, TAGS).is_some_and(|end| end >= places.end) {
            return String::new();
        }
        if let Some(end) = utterance.behind(start, LEADS) {
            start = end;
        } else if is_interjection(utterance.norm(start)) {
            start += 1;
        } else {
            break;
        }
    }
    if start >= places.end {
        return String::new();
    }
    let mut text = String::new();
    let mut from = start;
    for mention in mentions(utterance, &(start..places.end), None) {
        if !clause.is_gone(&mention) || mention.places.start < from || mention.places.end > places.end {
            continue;
        }
        let mut before = mention.places.start;
        while before > from
            && matches!(
                utterance.norm(before - 1),
                "at" | "by" | "for" | "from" | "on" | "the" | "until"
            )
        {
            before -= 1;
        }
        if before > from {
            text.push_str(utterance.quote(from..before));
            text.push(' ');
        }
        from = mention.places.end;
    }
    // "..., is that correct?"
    let end = (from..places.end)
        .find(|place| *place > start && utterance.behind(*place, TAGS).is_some_and(|end| end >= places.end))
        .unwrap_or(places.end);
    if from < end {
        text.push_str(utterance.quote(from..end));
    }
    text.trim().to_owned()
}

/// The times that a clause names and that still hold, as they were said.
fn times_of(utterance: &Utterance<'_>, clause: &Clause) -> String {
    let mut text = String::new();
    let mut end = None;
    for mention in mentions(utterance, &clause.places, None) {
        if clause.is_gone(&mention) || mention.places.end > clause.places.end {
            continue;
        }
        // "Tuesday at three" is one time.
        let joint = match end {
            Some(end) if end == mention.places.start => " ",
            Some(end) if end + 1 == mention.places.start && utterance.norm(end) == "at" => " at ",
            Some(_) => ", ",
            None => "",
        };
        text.push_str(joint);
        text.push_str(utterance.quote(mention.places.clone()));
        end = Some(mention.places.end);
    }
    text
}
