//! The answer to "who is calling?".

use crate::{
    call::RecentCall, caller::Caller, enrichment::ShownEnrichment, error::PortError, facts::KnownFact,
    identity::Identity,
};

/// What `recall_and_enrich` answers.
#[derive(Debug)]
pub struct Recall {
    /// Whether the number was seen before; `false` also when the memory could not be read.
    pub known: bool,
    /// Why the memory could not be read in time; `None` when it was read. Never shown to the client.
    pub degraded: Option<PortError>,
    /// The caller's profile; `None` when the memory could not be read.
    pub caller: Option<Caller>,
    /// What the agent should know, in prose; empty for a first-time caller.
    pub summary: String,
    /// The latest calls, newest first.
    pub recent_calls: Vec<RecentCall>,
    /// Calls of the caller that were begun and never written back; `None` when the memory could not be read.
    pub gaps: Option<u64>,
    /// The caller's facts that stand, newest first; `None` when the memory could not be read.
    pub facts: Option<Vec<KnownFact>>,
    /// Whether the memory may be used for whoever calls now; `None` when it could not be read.
    pub identity: Option<Identity>,
    /// What third parties know.
    pub enrichment: ShownEnrichment,
    /// How long the memory took, in milliseconds.
    pub memory_ms: f64,
    /// How long the answer waited for look-ups, in milliseconds.
    pub enrichment_ms: f64,
    /// Whether enrichment is shown and needed no vendor call in this request.
    pub cache_hit: bool,
    /// Time since this caller's memory last changed, in milliseconds; `None` when there is none.
    pub memory_age_ms: Option<i64>,
    /// Age of the oldest enrichment shown, in milliseconds; `None` when none is shown.
    pub enrichment_age_ms: Option<i64>,
    /// What was not ready at the deadline, for example `enrichment.twilio`.
    pub cut: Vec<String>,
}

impl Recall {
    /// The answer when the memory could not be read because of `cause`, after `memory_ms` milliseconds. Every field is
    /// null or empty: nothing in it can be mistaken for knowledge of a first-time caller.
    #[must_use]
    pub fn degraded(cause: PortError, memory_ms: f64) -> Self {
        Self {
            known: false,
            degraded: Some(cause),
            caller: None,
            summary: String::new(),
            recent_calls: Vec::new(),
            gaps: None,
            facts: None,
            identity: None,
            enrichment: ShownEnrichment::default(),
            memory_ms,
            enrichment_ms: 0.0,
            cache_hit: false,
            memory_age_ms: None,
            enrichment_age_ms: None,
            cut: Vec::new(),
        }
    }
}
