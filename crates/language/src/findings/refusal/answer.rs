//! The caller's answer to an agent who asks for consent, or offers to call no more.

use std::ops::Range;

use super::{calls::list_at, refused::Refused, speech::Speech};
use crate::{
    text::{
        phrases::{Phrases, phrases},
        small::WordList,
    },
    transcript::Turn,
};

/// What the agent asks at the end of a turn.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// What "no", or "yes" to the contrary, refuses.
    refused: Refused,
    /// Whether "yes" refuses: "do you mind if we record this call?"
    is_contrary: bool,
}

/// How many of a turn's last words are looked at.
const LAST: usize = 40;

/// Words without which no question is one of these.
#[rustfmt::skip]
static HINTS: WordList = WordList::of(&["call", "calling", "delete", "keep", "list", "number", "record", "recorded", "recording", "remove", "store", "take"]);

/// What the agent asks in `turn`, if it is one of these things.
pub(super) fn question(place: usize, turn: &Turn<'_>) -> Option<Question> {
    if !turn.words.iter().any(|word| HINTS.has(&word.norm)) {
        return None;
    }
    let speech = Speech::of_turn(place, turn);
    let words = speech.len().saturating_sub(LAST)..speech.len();
    consent_asked(&speech, words.clone()).or_else(|| offer(&speech, words))
}

#[rustfmt::skip]
const ASKS_TO_RECORD: &Phrases = phrases!["be recorded", "being recorded", "call is being recorded", "call is recorded", "call may be recorded", "call recording", "calls are being recorded", "calls are recorded", "calls may be recorded", "conversation is being recorded", "conversation is recorded", "conversation may be recorded", "line is recorded", "record all calls", "record all conversations", "record and", "record calls", "record conversations", "record it", "record our", "record our calls", "record the call", "record the conversation", "record these calls", "record this", "record today's call", "record you", "record your call", "record your voice", "recorded and", "recorded call", "recorded for", "recorded line", "recording of this", "recording our", "recording the call", "recording this", "recording you"];

#[rustfmt::skip]
const ASKS_TO_KEEP: &Phrases = phrases!["keep a recording", "keep a transcript", "keep our conversation", "keep the recording", "keep the transcript", "keep this call", "keep this conversation", "keep this recording", "save our conversation", "save the recording", "save this call", "save this conversation", "store a recording", "store a transcript", "store our conversation", "store the call", "store the conversation", "store the recording", "store this call", "store this conversation", "storing this call", "storing this conversation"];

/// What asks for consent.
#[rustfmt::skip]
const ASKS: &Phrases = phrases!["all right with you", "alright with you", "are you all right with", "are you alright with", "are you comfortable with", "are you fine with", "are you good with", "are you happy", "are you ok with", "are you okay with", "can i keep", "can i record", "can i save", "can i store", "can we keep", "can we record", "can we save", "can we store", "could i record", "could we record", "do i have your consent", "do i have your permission", "do we have your consent", "do we have your permission", "do you accept", "do you agree", "do you consent", "do you give", "fine with you", "is it acceptable", "is it all right", "is it alright", "is it fine", "is it ok", "is it okay", "is that acceptable", "is that all right", "is that alright", "is that fine", "is that ok", "is that okay", "is this ok", "is this okay", "may i have your consent", "may i have your permission", "may i keep", "may i record", "may i save", "may i store", "may we keep", "may we record", "may we save", "may we store", "ok with you", "okay by you", "okay with you", "will that be okay", "would it be all right", "would it be ok", "would it be okay", "would that be all right", "would that be ok", "would that be okay", "would you be comfortable", "would you be ok with", "would you be okay with"];

#[rustfmt::skip]
const ASKS_CONTRARY: &Phrases = phrases!["any objection", "any objections", "any problem with", "do you mind", "do you object", "would you mind"];

fn consent_asked(speech: &Speech<'_>, words: Range<usize>) -> Option<Question> {
    let last = |phrases: &Phrases| words.clone().rev().find(|at| speech.behind(*at, phrases).is_some());
    let refused = if last(ASKS_TO_KEEP).is_some() {
        Refused::Storing
    } else if last(ASKS_TO_RECORD).is_some() {
        Refused::Recording
    } else {
        return None;
    };
    let (asked, contrary) = (last(ASKS), last(ASKS_CONTRARY));
    let is_contrary = contrary > asked;
    let is_okay = matches!(speech.norm(words.end - 1), "okay" | "ok" | "alright");
    let place = asked.max(contrary).or(is_okay.then_some(words.end - 1))?;
    // Nothing else is asked behind it.
    let is_last = !(place + 1..words.end).any(|at| speech.begins(at));
    is_last.then_some(Question { refused, is_contrary })
}

fn offer(speech: &Speech<'_>, words: Range<usize>) -> Option<Question> {
    #[rustfmt::skip]
    const OFFERS: &Phrases = phrases!["can i", "can we", "did you want me to", "did you want us to", "do you want me to", "do you want to be", "do you want us to", "i can", "shall i", "shall we", "should i", "should we", "want me to", "want us to", "we can", "would you like me to", "would you like to be", "would you like us to"];
    #[rustfmt::skip]
    const TAKES_OFF: &Phrases = phrases!["remove you from", "remove your name from", "remove your number from", "removed from", "take you off", "take you off of", "take your name off", "take your number off", "taken off"];
    #[rustfmt::skip]
    const CALLS_NO_MORE: &Phrases = phrases!["never call you again", "not call you again", "not call you anymore", "not to call you again", "not to call you anymore", "stop calling", "stop calling you", "stop contacting you"];
    #[rustfmt::skip]
    const SO_NO_CALLS: &Phrases = phrases!["you don't want me to call you again", "you don't want me to call you anymore", "you don't want us to call you again", "you don't want us to call you anymore", "you want me to stop calling you", "you want us to stop calling you"];
    let found = words.clone().rev().find_map(|at| {
        let end = speech.behind(at, OFFERS)?;
        let goes = speech.behind(end, TAKES_OFF).and_then(|list| list_at(speech, list));
        goes.or_else(|| speech.behind(end, CALLS_NO_MORE)).map(|_| at)
    });
    let found = found.or_else(|| words.clone().rev().find(|at| speech.behind(*at, SO_NO_CALLS).is_some()));
    let is_last = !(found? + 1..words.end).any(|at| speech.begins(at));
    is_last.then_some(Question {
        refused: Refused::Calls,
        is_contrary: true,
    })
}

/// What the caller says to a question.
pub(super) enum Answer {
    /// No to what was asked for, in these words of the turn.
    Refuses(Refused, Range<usize>),
    /// Yes.
    Gives(Refused),
}

/// The answer to `question` with which `speech`, the caller's turn, begins.
pub(super) fn answer(question: Question, speech: &Speech<'_>) -> Option<Answer> {
    #[rustfmt::skip]
    const NO: &Phrases = phrases!["absolutely not", "certainly not", "definitely not", "do not", "don't", "i am not", "i do not", "i don't", "i don't agree", "i don't consent", "i don't think so", "i don't want that", "i object", "i refuse", "i won't", "i would prefer", "i would prefer not", "i would rather", "i would rather not", "i wouldn't", "i'd prefer", "i'd prefer if you didn't", "i'd prefer not", "i'd prefer you didn't", "i'd rather", "i'd rather not", "i'd rather you didn't", "i'm afraid not", "i'm not", "it's not ok", "it's not okay", "nah", "never", "no", "no way", "nope", "not okay", "not really", "not with me", "please don't", "that is not okay", "that's not fine", "that's not ok", "that's not okay"];
    #[rustfmt::skip]
    const YES: &Phrases = phrases!["absolutely", "correct", "definitely", "do that", "exactly", "go ahead", "i do", "i mind", "i would", "i would mind", "i'd mind", "of course", "ok", "okay", "please", "please do", "right", "sure", "that is correct", "that is right", "that's correct", "that's fine", "that's right", "yeah", "yep", "yes", "yup"];
    /// What turns an answer round that begins otherwise.
    #[rustfmt::skip]
    const AGREES: &Phrases = phrases!["fine", "go ahead", "i don't care", "i don't mind", "it's okay", "no objection", "no problem", "no worries", "objection", "of course", "ok with me", "problem", "problems", "sure", "that's ok", "that's okay", "worries"];
    static LEADS: WordList = WordList::of(&["actually", "ah", "hmm", "oh", "sorry", "um", "well"]);
    let start = (0..speech.len()).find(|at| !LEADS.has(speech.norm(*at)))?;
    let end = (start + 1..speech.len())
        .find(|at| speech.begins(*at))
        .unwrap_or(speech.len())
        .min(start + 8);
    let agrees = speech.has(start..end.min(start + 6), AGREES)
        && !speech.has(
            start..end,
            phrases!["isn't", "not all right", "not fine", "not ok", "not okay"],
        );
    let says_no = speech.behind(start, NO).is_some();
    let says_yes = speech.behind(start, YES).is_some();
    let is_refused = if question.is_contrary { says_yes } else { says_no };
    let is_given = if question.is_contrary { says_no } else { says_yes };
    let is_offer = question.refused == Refused::Calls;
    if is_refused && (is_offer || !agrees) {
        Some(Answer::Refuses(question.refused, 0..end))
    } else {
        (is_refused || is_given).then_some(Answer::Gives(question.refused))
    }
}
