//! What callers state in Spanish, and what they are told: names, how to reach them, what was agreed or promised, and
//! that they do not want to be called.
//!
//! The words are read without their accents, because many recognisers leave them out; quotes and values keep them.

mod agreement;
mod clause;
mod contact;
mod folding;
mod moment;
mod name;
mod numbers;
mod promise;
mod refusal;
mod small;

use super::{agreement::Day, exchange::exchanges, finding::Finding, utterance::Utterance};
use crate::{
    text::language::Language,
    transcript::{Transcript, Turn},
};

/// Looks for what is stated in the turns of a call that are in Spanish. `today` is the day of the call.
pub(super) fn find(transcript: &Transcript<'_>, today: Option<Day>, findings: &mut Vec<Finding>) {
    let turns = transcript.turns.iter().enumerate();
    let turns: Vec<(usize, Turn<'_>)> = turns
        .filter(|(_, turn)| turn.language == Language::Spanish)
        .map(|(place, turn)| (place, folding::folded(turn)))
        .collect();
    if turns.is_empty() {
        return;
    }
    let call: Vec<Utterance<'_>> = turns.iter().map(|(place, turn)| Utterance::new(*place, turn)).collect();
    let as_said: Vec<&Utterance<'_>> = call.iter().collect();
    name::find(&call, findings);
    contact::find(&exchanges(&as_said, small::is_interjection), findings);
    agreement::find(&call, today, findings);
    promise::find(&call, findings);
    refusal::find(&call, findings);
}
