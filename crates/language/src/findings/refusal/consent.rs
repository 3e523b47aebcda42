//! Consent to recording or to keeping what is said: refused, or given after all.

use std::ops::Range;

use super::{
    lead::{attitude, commands, completes, denied, unwanted, wants},
    refused::Refused,
    speech::Speech,
};
use crate::text::{
    phrases::{Phrases, phrases},
    small::WordList,
};

/// What is recorded: the conversation or the one who speaks.
#[rustfmt::skip]
const THIS: &Phrases = phrases!["any of it", "any of this", "any part of this", "any part of this call", "anything", "anything i say", "anything that i say", "me", "my call", "my voice", "our call", "our conversation", "our phone call", "the call", "the conversation", "this", "this call", "this chat", "this conversation", "this phone call", "today's call", "us", "what i say", "what i'm saying"];

/// What is kept of it.
#[rustfmt::skip]
const KEPT: &Phrases = phrases!["a copy of this call", "a record", "a record of this", "a record of this call", "a recording", "a recording of me", "a recording of this", "a transcript", "any data", "any information", "any information about me", "any of this", "any record", "any record of it", "any record of this", "any record of this call", "any recording", "any recordings", "any recordings of me", "any records", "any transcript", "anything from this call", "anything i said", "anything i say", "anything i tell you", "anything i've said", "my data", "my information", "my personal data", "my personal information", "my voice", "my words", "notes", "our conversation", "the recording", "the transcript", "this call", "this conversation", "this recording", "this transcript", "what i said", "what i say", "what i tell you", "what i'm saying", "what i'm telling you", "what we say", "what's said"];

/// What may follow what is kept.
#[rustfmt::skip]
const OF_THIS: &Phrases = phrases!["from this call", "of me", "of our call", "of our conversation", "of the call", "of the conversation", "of this", "of this call", "of this conversation", "on file", "on record", "on your system"];

/// The consent that the caller refuses at `place`, and the places of the words that refuse it.
pub(super) fn refusal(speech: &Speech<'_>, place: usize) -> Option<(Refused, Range<usize>)> {
    let recording = |range| Some((Refused::Recording, range));
    let storing = |range| Some((Refused::Storing, range));
    match speech.norm(place) {
        "record" | "tape" => {
            let start = denied(speech, place)?.start;
            recording(start..this_at(speech, place + 1)?)
        }
        "recording" | "taping" => {
            if matches!(speech.before(place), "stop" | "quit") {
                let named = speech
                    .behind(place + 1, THIS)
                    .filter(|_| !speech.begins(place + 1))
                    .unwrap_or(place + 1);
                let is_at_once = speech
                    .behind(named, phrases!["immediately", "now", "right now"])
                    .is_some();
                let end = if is_at_once { named } else { this_at(speech, place + 1)? };
                return commands(speech, place - 1).then(|| recording(place - 1..end))?;
            }
            if matches!(speech.before(place), "the" | "this" | "that" | "your" | "no" | "any") {
                return the_recording(speech, place);
            }
            let start = unwanted(speech, place)?;
            recording(start..this_at(speech, place + 1)?)
        }
        "recorded" | "taped" => be_recorded(speech, place).and_then(recording),
        "delete" | "erase" | "destroy" | "discard" => {
            let end = spoken_at(speech, place + 1)?;
            commands(speech, place).then(|| storing(place..end))?
        }
        "deleted" | "erased" | "destroyed" => {
            let start = (2..=3)
                .filter_map(|length| place.checked_sub(length))
                .find(|start| spoken_at_most(speech, *start) == Some(place))?;
            let (is_so, start) = wants(speech, start)?;
            (is_so && completes(speech, place + 1)).then(|| storing(start..place + 1))?
        }
        "keep" | "store" | "save" | "retain" => {
            let start = denied(speech, place)?.start;
            storing(start..kept_at(speech, place + 1)?)
        }
        "keeping" | "storing" | "saving" | "retaining" => {
            let start = unwanted(speech, place)?;
            storing(start..kept_at(speech, place + 1)?)
        }
        "stored" | "saved" | "kept" => be_stored(speech, place).and_then(storing),
        _ => None,
    }
}

/// The place behind what is recorded at `place`, and nothing follows that makes it something else; `place` itself where
/// nothing is named.
fn this_at(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let end = speech
        .behind(place, THIS)
        .filter(|_| !speech.begins(place))
        .unwrap_or(place);
    completes(speech, end).then_some(end)
}

fn kept_at(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let end = speech.behind(place, KEPT).filter(|_| !speech.begins(place))?;
    let end = speech.behind(end, OF_THIS).unwrap_or(end);
    completes(speech, end).then_some(end)
}

/// The place behind what is to be deleted at `place`, and nothing else follows.
fn spoken_at(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let end = spoken_at_most(speech, place)?;
    let end = speech.behind(end, OF_THIS).unwrap_or(end);
    completes(speech, end).then_some(end)
}

/// The place behind what was said, as the object of "delete".
fn spoken_at_most(speech: &Speech<'_>, place: usize) -> Option<usize> {
    #[rustfmt::skip]
    const SPOKEN: &Phrases = phrases!["all recordings", "all that i said", "any recording", "any recordings", "everything i have said", "everything i just said", "everything i said", "everything i told you", "everything i've said", "everything i've told you", "my recording", "my recordings", "our conversation", "that recording", "the conversation", "the recording", "the transcript", "this call", "this conversation", "this recording", "this transcript", "what i just said", "what i said", "what i told you"];
    speech.behind(place, SPOKEN).filter(|_| !speech.begins(place))
}

/// "Stop the recording", "turn off the recording", "no recording please", "i don't want any recording".
fn the_recording(speech: &Speech<'_>, place: usize) -> Option<(Refused, Range<usize>)> {
    let end = place + 1;
    let end = speech
        .behind(end, OF_THIS)
        .filter(|_| !speech.begins(end))
        .unwrap_or(end);
    (completes(speech, end) || speech.next(end) == "off").then_some(())?;
    let verb = place - 1;
    let start = match speech.before(verb) {
        "off" if matches!(speech.before(verb - 1), "turn" | "switch" | "shut") => verb - 2,
        "stop" | "end" | "pause" | "quit" => verb - 1,
        _ if speech.norm(verb) == "no" => {
            return speech.pauses(verb).then_some((Refused::Recording, verb..end));
        }
        "to" | "with" if speech.before(verb - 1) == "object" => {
            let (is_so, start) = attitude(speech, verb - 2, true)?;
            return is_so.then_some((Refused::Recording, start..end));
        }
        "to" | "with" | "want" => {
            let said = if speech.before(verb) == "want" { verb } else { verb - 1 };
            AGREEING.has(speech.before(said)).then_some(())?;
            let (is_so, start) = attitude(speech, said - 1, true)?;
            return (!is_so).then_some((Refused::Recording, start..end));
        }
        "turn" | "switch" | "shut" if speech.next(end) == "off" => {
            return commands(speech, verb - 1).then_some((Refused::Recording, verb - 1..end + 1));
        }
        "of" if speech.before(verb - 1) == "out" && speech.before(verb - 2) == "opt" => {
            return Some((Refused::Recording, verb - 3..end));
        }
        _ => return None,
    };
    commands(speech, start).then_some((Refused::Recording, start..end))
}

/// "I don't consent to being recorded", "i'd rather not be recorded", "i don't want this call recorded".
fn be_recorded(speech: &Speech<'_>, place: usize) -> Option<Range<usize>> {
    let end = place + 1 + usize::from(speech.next(place + 1) == "line");
    completes(speech, end).then_some(())?;
    passive(speech, place).map(|start| start..end)
}

/// "I don't want this conversation to be stored."
fn be_stored(speech: &Speech<'_>, place: usize) -> Option<Range<usize>> {
    #[rustfmt::skip]
    const SPOKEN: &Phrases = phrases!["anything i say", "my voice", "our call", "our conversation", "the call", "the conversation", "the recording", "this call", "this conversation", "this recording", "what i say"];
    let end = place + 1;
    completes(speech, end).then_some(())?;
    let start = passive(speech, place)?;
    speech.has(start..place, SPOKEN).then_some(start..end)
}

/// How people agree to something, or do not.
#[rustfmt::skip]
static AGREEING: WordList = WordList::of(&["agree", "agreed", "agreeing", "allow", "alright", "authorize", "comfortable", "consent", "consented", "consenting", "cool", "fine", "happy", "like", "ok", "okay", "permit", "prefer", "rather", "want", "wish"]);

/// Where the caller says that they do not want what the participle at `place` says done to them or to this call.
fn passive(speech: &Speech<'_>, place: usize) -> Option<usize> {
    #[rustfmt::skip]
    static BETWEEN: WordList = WordList::of(&["a", "anything", "be", "being", "call", "conversation", "get", "getting", "having", "i", "it", "me", "my", "on", "our", "phone", "recording", "say", "that", "the", "this", "to", "today's", "us", "voice", "was", "wasn't", "were", "weren't", "what", "with", "you", "your"]);
    let mut verb = speech.skip_back(place, &BETWEEN);
    // "I'd prefer this wasn't recorded."
    let is_negated = (verb..place).any(|at| matches!(speech.norm(at), "wasn't" | "weren't"));
    let is_negated = is_negated
        || speech.before(verb) == "not" && {
            verb -= 1;
            true
        };
    let said = speech.before(verb);
    let opposes = matches!(said, "refuse" | "object" | "decline" | "refusing");
    let agrees = AGREEING.has(said);
    (opposes || agrees).then_some(())?;
    let (is_so, start) = attitude(speech, verb - 1, !is_negated)?;
    (is_so == opposes).then_some(start)
}

/// Whether the caller gives the consent after all at `place`: "you can record it", "go ahead and record".
pub(super) fn gives(speech: &Speech<'_>, place: usize) -> bool {
    match speech.norm(place) {
        "record" => {
            let before = speech.before(place);
            let can = matches!(before, "can" | "may" | "could") && speech.before(place - 1) == "you";
            let go =
                matches!(before, "and" | "to") && matches!(speech.before(place - 1), "ahead" | "fine" | "okay" | "ok");
            let is_told = speech.before(place) == "not";
            (can || go) && !is_told
        }
        "recording" => matches!(speech.before(place), "keep" | "continue"),
        "recorded" => {
            let is_agreed = (place.saturating_sub(4)..place).any(|at| {
                speech.behind(at, phrases!["don't mind being", "fine with being", "okay with being"]) == Some(place)
            });
            is_agreed && !(place.saturating_sub(6)..place).any(|at| speech.norm(at) == "not")
        }
        _ => false,
    }
}
