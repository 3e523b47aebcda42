//! What callers state of themselves, and what they are told: statements with the words that prove them.
//!
//! Every rule goes by the form of what is said, in punctuated text and in raw speech recognition alike, and leaves out
//! what is doubtful: a wrong fact is worse than none. A statement's quote is a verbatim span of one turn of the right
//! speaker.

mod agreement;
mod amount;
mod contact;
mod dictation;
mod exchange;
mod finding;
mod name;
mod place;
mod preference;
mod promise;
mod readout;
mod reference;
mod refusal;
mod spanish;
mod timing;
mod utterance;

pub use agreement::{AgreementView, Day, Status, Terms, TimeOfDay, UnknownStatus, repeats, unclosed};
pub(crate) use finding::is_within_bounds;
pub use finding::{Finding, NAME_CHARACTERS, QUOTE_CHARACTERS, Statement, Topic, VALUE_CHARACTERS};
pub(crate) use preference::is_channel;

use crate::{
    text::{language::Language, small::is_interjection},
    transcript::{Transcript, Turn},
};
use dictation::Dictation;
use exchange::exchanges;
use utterance::Utterance;

/// What is found in a call: topic by topic, and within a topic in the order in which it was said. Something that was
/// said twice is found twice. `today` is the day of the call, from which "tomorrow" counts. Linear in the call's
/// length.
#[must_use]
pub fn of_call(transcript: &Transcript<'_>, today: Option<Day>) -> Vec<Finding> {
    let call: Vec<Utterance<'_>> = transcript
        .turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| turn.language == Language::English)
        .map(|(place, turn)| Utterance::new(place, turn))
        .collect();
    let mut findings = Vec::new();
    name::find(&call, &mut findings);
    let as_said: Vec<&Utterance<'_>> = call.iter().collect();
    let answers = exchanges(&as_said, is_interjection);
    let dictations = dictation::of_call(&call, &answers, &mut findings);
    let dictated: Vec<Turn<'_>> = dictations.iter().map(Dictation::turn).collect();
    let dictated = dictations.iter().zip(&dictated);
    let dictated: Vec<Utterance<'_>> = dictated.map(|(dictation, turn)| dictation.utterance(turn)).collect();
    let (together, answers_together);
    // Most calls have nothing that is read out over several turns.
    let (turns, exchanges) = if dictations.is_empty() {
        (&as_said, &answers)
    } else {
        together = dictation::together(&as_said, &dictations, &dictated);
        answers_together = exchanges(&together, is_interjection);
        (&together, &answers_together)
    };
    contact::find(exchanges, &mut findings);
    place::find(exchanges, &mut findings);
    preference::find(exchanges, &mut findings);
    reference::find(turns, &mut findings);
    amount::find(turns, &mut findings);
    agreement::find(&call, today, &mut findings);
    promise::find(&call, today, &mut findings);
    refusal::find(transcript, &mut findings);
    spanish::find(transcript, today, &mut findings);
    findings
}
