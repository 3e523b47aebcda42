//! What an agent reads of a caller after some calls: the answer of a recall, without service and storage.

use domain::{
    call::{self, CallId, CallOutcome, RecentCall, Turn},
    facts::{self, FactView, KnownFact, SaidFact},
    memory::RECENT_CALLS,
    summary::{SummaryLength, of_caller},
    themes::Themes,
    time_zone::{LocalTime, TimeZone},
};
use language::{findings, summary};
use uuid::Uuid;

/// A call and what the rules make of it.
pub(crate) struct Ended {
    call: RecentCall,
    facts: Vec<KnownFact>,
    themes: Themes,
}

impl Ended {
    /// The call that began at `started_at_ms`, the caller's call number `place`.
    pub(crate) fn of(turns: &[Turn], place: usize, started_at_ms: i64, outcome: CallOutcome) -> Self {
        let transcript = call::read(turns);
        let findings = findings::of_call(&transcript, Some(TimeZone::default().day(started_at_ms)));
        let call_id = CallId(Uuid::from_u128(place as u128));
        let found = facts::of_call(&transcript, &findings).facts.into_iter();
        let known = found.map(|fact| {
            let turn = fact.turn;
            let SaidFact { fact, said_at_ms, .. } = SaidFact::new(fact, &turns[turn], started_at_ms, started_at_ms);
            KnownFact {
                key: fact.key,
                value: fact.value,
                quote: fact.quote,
                call_id: Some(call_id),
                said_at_ms,
                observed_at_ms: started_at_ms,
                terms: fact.terms,
            }
        });
        Self {
            facts: known.collect(),
            call: RecentCall {
                call_id,
                started_at_ms,
                duration_s: 0.0,
                summary: summary::of_call(&transcript, &findings),
                outcome,
            },
            themes: Themes::of_call(&transcript),
        }
    }

    /// When the call began.
    pub(crate) const fn started_at_ms(&self) -> i64 {
        self.call.started_at_ms
    }
}

/// The answer of a recall.
pub(crate) struct Answer {
    /// The caller's card, the summaries of the recent calls and the values of the facts. Quotes do not count.
    pub(crate) text: String,
    /// The facts that stand.
    pub(crate) facts: Vec<KnownFact>,
}

/// The answer at `now_ms` about a caller with these calls, oldest first.
pub(crate) fn answer(calls: &[Ended], length: SummaryLength, now_ms: i64) -> Answer {
    let themes = calls
        .iter()
        .fold(Themes::default(), |themes, ended| themes.with(&ended.themes));
    let newest_first = calls.iter().rev().map(|ended| ended.call.clone());
    let recent_calls: Vec<RecentCall> = newest_first.take(RECENT_CALLS).collect();
    let oldest_first = calls.iter().flat_map(|ended| ended.facts.iter().cloned());
    let facts = facts::standing(oldest_first, |fact| {
        FactView::new(fact.key, &fact.value, fact.terms.as_ref())
    });
    let now = LocalTime {
        ms: now_ms,
        zone: TimeZone::default(),
    };
    let card = of_caller(calls.len() as u64, &recent_calls, &facts, &themes, length, now);
    let mut texts = vec![card];
    texts.extend(recent_calls.into_iter().map(|call| call.summary));
    texts.extend(facts.iter().map(|fact| fact.value.clone()));
    Answer {
        text: texts.join(" "),
        facts,
    }
}
