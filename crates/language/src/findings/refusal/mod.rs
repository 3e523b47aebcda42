//! What callers refuse: to be called any more, to be recorded, to have kept what they say.
//!
//! A wish counts when the caller makes it to the agent as one: neither told of others, nor supposed, asked about or
//! limited to a time, a place or a telephone. What is taken back later in the call does not count. What callers want
//! for somebody else ("stop calling my mother") is about another number and is left out.

mod answer;
mod calls;
mod consent;
mod lead;
mod refused;
mod speech;

use std::ops::Range;

use super::finding::{Finding, Statement, is_within_bounds};
use crate::{
    text::{language::Language, small::WordList},
    transcript::{Speaker, Transcript},
};
use answer::Answer;
pub(super) use refused::Refused;
use speech::Speech;

/// What is said about one of these things, in the order in which it is said.
struct Event {
    refused: Refused,
    turn: usize,
    /// The words of a refusal; `None` where it is taken back.
    span: Option<Range<usize>>,
}

/// The words at one of which every wish of these is recognised, or taken back.
#[rustfmt::skip]
static CUES: WordList = WordList::of(&["bother", "bothered", "bothering", "call", "called", "calling", "calls", "cease", "contact", "contacted", "contacting", "cross", "delete", "deleted", "deleting", "destroy", "destroyed", "dial", "discard", "discontinue", "disturb", "disturbed", "don't", "drop", "dropped", "enough", "erase", "erased", "forget", "get", "halt", "harass", "harassing", "hear", "keep", "keeping", "kept", "leave", "list", "lists", "lose", "off", "opt", "pester", "phone", "phoned", "phoning", "pull", "purge", "quit", "record", "recorded", "recording", "refrain", "register", "registry", "remove", "removed", "removing", "retain", "retaining", "revoke", "revoking", "ring", "ringing", "save", "saved", "saving", "scratch", "stop", "store", "stored", "storing", "strike", "take", "taken", "taking", "tape", "taped", "taping", "telephone", "unsubscribe", "wipe", "withdraw", "withdrawing", "you"]);

/// Looks for what the caller refuses in the call and does not take back: the first wish of each kind.
pub(super) fn find(transcript: &Transcript<'_>, findings: &mut Vec<Finding>) {
    let mut events = said(transcript);
    answered(transcript, &mut events);
    events.sort_by_key(|event| (event.turn, event.span.as_ref().map_or(usize::MAX, |span| span.start)));
    for refused in [Refused::Calls, Refused::Recording, Refused::Storing] {
        let mut stands: Option<&Event> = None;
        for event in events.iter().filter(|event| is_about(event, refused)) {
            stands = event.span.is_some().then(|| stands.unwrap_or(event));
        }
        if let Some(Event {
            turn, span: Some(span), ..
        }) = stands
        {
            findings.push(statement(transcript, refused, *turn, span.clone()));
        }
    }
}

/// Whether `event` tells how it stands with `refused`: who consents to being recorded, consents to the storing too.
fn is_about(event: &Event, refused: Refused) -> bool {
    let is_consent = event.span.is_none() && event.refused != Refused::Calls && refused != Refused::Calls;
    event.refused == refused || is_consent
}

fn statement(transcript: &Transcript<'_>, refused: Refused, turn: usize, span: Range<usize>) -> Finding {
    let (topic, value) = (refused.topic(), refused.value());
    let quote = transcript
        .turns
        .get(turn)
        .and_then(|turn| turn.text.get(span.clone()))
        .unwrap_or_default();
    if quote.is_empty() || quote.contains('\0') || !is_within_bounds(topic, value, quote) {
        return Finding::Doubt(topic);
    }
    Finding::Statement(Statement {
        topic,
        value: value.to_owned(),
        turn,
        span,
        earlier: Vec::new(),
        terms: None,
    })
}

/// What the caller says of their own accord.
fn said(transcript: &Transcript<'_>) -> Vec<Event> {
    let speech = Speech::of_caller(&transcript.turns);
    let mut events = Vec::new();
    for place in (0..speech.len()).filter(|place| CUES.has(speech.norm(*place))) {
        let found = calls::wish(&speech, place).map(|places| (Refused::Calls, places));
        let found = found.or_else(|| consent::refusal(&speech, place));
        if let Some((refused, places)) = found
            && let Some((turn, span)) = speech.span(places)
        {
            events.push(Event {
                refused,
                turn,
                span: Some(span),
            });
            continue;
        }
        let back = if calls::takes_back(&speech, place) {
            Refused::Calls
        } else if consent::gives(&speech, place) {
            Refused::Recording
        } else {
            continue;
        };
        if let Some((turn, _)) = speech.span(place..place + 1) {
            events.push(Event {
                refused: back,
                turn,
                span: None,
            });
        }
    }
    events
}

/// What the caller answers to the agent's questions.
fn answered(transcript: &Transcript<'_>, events: &mut Vec<Event>) {
    let mut asked = None;
    for (place, turn) in transcript
        .turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| !turn.words.is_empty() && turn.language == Language::English)
    {
        if turn.speaker == Speaker::Agent {
            asked = answer::question(place, turn);
            continue;
        }
        let Some(question) = asked.take() else { continue };
        let speech = Speech::of_turn(place, turn);
        match answer::answer(question, &speech) {
            Some(Answer::Refuses(refused, places)) => {
                if let Some((turn, span)) = speech.span(places) {
                    events.push(Event {
                        refused,
                        turn,
                        span: Some(span),
                    });
                }
            }
            Some(Answer::Gives(refused)) => events.push(Event {
                refused,
                turn: place,
                span: None,
            }),
            None => {}
        }
    }
}

#[cfg(test)]
mod phrasings;
#[cfg(test)]
mod tests;
