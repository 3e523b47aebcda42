//! Questions and answers: which turn of the agent a turn of the caller may answer.

use super::utterance::Utterance;
use crate::transcript::Speaker;

/// A turn of the caller with the agent's turn that it may answer.
pub(super) struct Exchange<'c, 'a> {
    pub(super) question: Option<&'c Utterance<'a>>,
    pub(super) answer: &'c Utterance<'a>,
    /// What was said behind it.
    pub(super) behind: &'c [&'c Utterance<'a>],
}

/// The caller's turns. Only the first one with words behind an agent's turn answers it. `is_interjection` tells the
/// words that say nothing.
pub(super) fn exchanges<'c, 'a>(
    call: &'c [&'c Utterance<'a>],
    is_interjection: impl Fn(&str) -> bool,
) -> Vec<Exchange<'c, 'a>> {
    let mut question = None;
    let mut exchanges = Vec::new();
    for (place, utterance) in call.iter().copied().enumerate() {
        if utterance.words.is_empty() {
            continue;
        }
        match utterance.speaker {
            // "Okay" and "sure" of the agent leave its question standing.
            Speaker::Agent if utterance.words.iter().all(|word| is_interjection(&word.norm)) => {}
            Speaker::Agent => question = Some(utterance),
            Speaker::Caller => {
                exchanges.push(Exchange {
                    question,
                    answer: utterance,
                    behind: &call[place + 1..],
                });
                if utterance.words.iter().any(|word| !is_interjection(&word.norm)) {
                    question = None;
                }
            }
        }
    }
    exchanges
}
