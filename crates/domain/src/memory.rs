//! What the service remembers of a caller: what a call leaves, and what a recall reads.

use std::fmt;

use crate::{
    call::{CallId, Contact, EndedCall, RecentCall, SessionId},
    caller::{Caller, DoNotCall},
    enrichment::CachedLookup,
    facts::{FactKey, KnownFact, SaidFact},
    identity::Trace,
    phone::PhoneNumber,
    themes::Themes,
};

/// The most calls that a recall shows.
pub const RECENT_CALLS: usize = 5;

/// The most gaps that a recall counts.
pub const MOST_GAPS: u64 = 1_000;

/// A call that was begun by a recall and has not been written back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// Who called.
    pub number: PhoneNumber,
    /// The client's name for the call; `None` when it was noted by a release that did not keep it.
    pub session_id: Option<SessionId>,
    /// When the session's first recall was, in milliseconds since the epoch.
    pub begun_at_ms: i64,
}

/// The place of a call report among those that this process received: a later one replaces an earlier one of the same
/// session even when the earlier one reaches the database last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival(pub i64);

/// An ended call with what the rules make of it, ready to be committed.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// What the client reported.
    pub call: EndedCall,
    /// The call in a few sentences.
    pub summary: String,
    /// What was stated in it, in the order in which it was said.
    pub facts: Vec<SaidFact>,
    /// What the caller spoke of in it.
    pub themes: Themes,
    /// The caller's wish in it not to be called any more.
    pub no_more_calls: Option<Wish>,
    /// The rules that made the summary, the facts and the themes, as [`crate::reading::RULES`] numbers them.
    pub rules: u32,
    /// When the call began, unless a recall of the same session tells better; milliseconds since the epoch.
    pub started_at_ms: i64,
    /// When the caller was in contact.
    pub contact: Contact,
    /// When the report arrived; milliseconds since the epoch.
    pub received_at_ms: i64,
    /// The report's place among those of this process.
    pub arrival: Arrival,
}

/// The wish not to be called any more, as it was said in a call.
#[derive(Clone, PartialEq, Eq)]
pub struct Wish {
    /// The words that say so.
    pub quote: String,
    /// When it was said, in milliseconds since the epoch.
    pub at_ms: i64,
}

impl Wish {
    /// The mark of the caller who said so in the call.
    #[must_use]
    pub fn mark(&self, call: CallId) -> DoNotCall {
        DoNotCall {
            at_ms: self.at_ms,
            quote: Some(self.quote.clone()),
            call_id: Some(call),
        }
    }
}

impl fmt::Debug for Wish {
    /// Leaves the quote out: what people say never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wish")
            .field("at_ms", &self.at_ms)
            .finish_non_exhaustive()
    }
}

impl CallRecord {
    /// Whether the caller refused consent to recording or to keeping what was said.
    #[must_use]
    pub fn refuses_consent(&self) -> bool {
        self.facts.iter().any(|said| said.fact.key == FactKey::Consent)
    }

    /// Leaves out all that was said but for the refusal of consent.
    pub fn withhold(&mut self) {
        self.call.transcript = Vec::new();
        self.summary = String::new();
        self.themes = Themes::default();
        self.facts.retain(|said| said.fact.key == FactKey::Consent);
    }

    /// When the call took place, as far as the report tells.
    #[must_use]
    pub fn span(&self) -> Contact {
        Contact {
            first_ms: self.started_at_ms.min(self.contact.first_ms),
            last_ms: self.contact.last_ms,
        }
    }

    /// The facts of the record when its call began at `started_at_ms`, in milliseconds since the epoch: a recall of the
    /// session tells the start better than the report, from which [`CallRecord::facts`] are counted.
    #[must_use]
    pub fn facts_since(&self, started_at_ms: i64) -> Vec<SaidFact> {
        let since = |said: &SaidFact| match self.call.transcript.get(said.fact.turn) {
            Some(turn) if started_at_ms != self.started_at_ms => said.since(turn, started_at_ms, self.received_at_ms),
            _ => said.clone(),
        };
        self.facts.iter().map(since).collect()
    }
}

/// Everything one recall reads, from one round trip.
#[derive(Debug, Clone, PartialEq)]
pub struct Recollection {
    /// Whether the caller existed before this recall. Of simultaneous first contacts at most one sees `false`.
    pub known: bool,
    /// The profile as it was before this recall; for a first contact, the new one.
    pub caller: Caller,
    /// When this caller's memory last changed, in milliseconds since the epoch; `None` when there is none.
    pub memory_changed_ms: Option<i64>,
    /// A language model's summary of the caller, when one was made for the memory as it is.
    pub summary: Option<String>,
    /// The latest calls by start, newest first, ties by commit; at most [`RECENT_CALLS`].
    pub recent_calls: Vec<RecentCall>,
    /// The caller's facts that stand, newest first, and the operator's word before them.
    pub facts: Vec<KnownFact>,
    /// What the caller speaks of, over all calls.
    pub themes: Themes,
    /// Calls that were begun long ago and never written back.
    pub gaps: u64,
    /// What tells who the memory is about.
    pub trace: Trace,
    /// Cached look-ups of the number, of any age.
    pub lookups: Vec<CachedLookup>,
}
