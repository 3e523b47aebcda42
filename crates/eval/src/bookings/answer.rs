//! What an agent reads of a caller after some calls: the answer of a recall, without service and storage.

use domain::{
    call::{self, CallId, CallOutcome, RecentCall},
    facts::{self, FactView, KnownFact, SaidFact},
    memory::RECENT_CALLS,
    summary::{SummaryLength, of_caller},
    time_zone::{LocalTime, TimeZone},
};
use language::{findings, summary};
use uuid::Uuid;

use super::gold::Dialogue;

/// Noon of Friday, 1 March 2019 in UTC, the day on which the dialogues take place; in milliseconds since the epoch.
pub(crate) const TODAY_MS: i64 = 1_551_441_600_000;

/// How far apart the calls of a caller are.
const WEEK_MS: i64 = 7 * 86_400_000;

/// The answer of a recall.
pub(crate) struct Answer {
    /// The caller's card, the summaries of the recent calls and the values of the facts. Quotes do not count.
    pub(crate) text: String,
    /// The facts that stand.
    pub(crate) facts: Vec<KnownFact>,
}

/// The answer at `now_ms` about a caller whose calls were `dialogues`, oldest first, a week apart, the last of them at
/// [`TODAY_MS`].
#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of this century are far below 2^53"
)]
pub(crate) fn answer(dialogues: &[&Dialogue], outcome: CallOutcome, now_ms: i64) -> Answer {
    let mut started_at_ms = TODAY_MS;
    let mut recent_calls = Vec::new();
    let mut newest_first: Vec<Vec<KnownFact>> = Vec::new();
    for (place, dialogue) in dialogues.iter().enumerate().rev() {
        let turns = dialogue.transcript(started_at_ms as f64);
        let transcript = call::read(&turns);
        let findings = findings::of_call(&transcript, Some(TimeZone::default().day(started_at_ms)));
        let call_id = CallId(Uuid::from_u128(place as u128));
        let found = facts::of_call(&transcript, &findings).facts.into_iter();
        let known = found.map(|fact| {
            let turn = fact.turn;
            let SaidFact { fact, said_at_ms, .. } = SaidFact::new(fact, &turns[turn], started_at_ms, now_ms);
            KnownFact {
                key: fact.key,
                value: fact.value,
                quote: fact.quote,
                call_id,
                said_at_ms,
                observed_at_ms: now_ms,
                terms: fact.terms,
            }
        });
        newest_first.push(known.collect());
        recent_calls.push(RecentCall {
            call_id,
            started_at_ms,
            duration_s: 0.0,
            summary: summary::of_call(&transcript, &findings),
            outcome,
        });
        started_at_ms -= WEEK_MS;
    }
    recent_calls.truncate(RECENT_CALLS);
    let oldest_first = newest_first.into_iter().rev().flatten();
    let facts = facts::standing(oldest_first, |fact| {
        FactView::new(fact.key, &fact.value, fact.terms.as_ref())
    });
    let mut texts = vec![of_caller(
        dialogues.len() as u64,
        &recent_calls,
        &facts,
        SummaryLength::default(),
        LocalTime {
            ms: now_ms,
            zone: TimeZone::default(),
        },
    )];
    texts.extend(recent_calls.into_iter().map(|call| call.summary));
    texts.extend(facts.iter().map(|fact| fact.value.clone()));
    Answer {
        text: texts.join(" "),
        facts,
    }
}
