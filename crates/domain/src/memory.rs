//! What the service remembers of a caller.

use crate::{
    call::{CallId, CallOutcome},
    caller::Caller,
    enrichment::CachedLookup,
};

/// The most calls that a recall shows.
pub const RECENT_CALLS: usize = 5;

/// A call as a recall shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentCall {
    /// The call's identity.
    pub call_id: CallId,
    /// When it began, in milliseconds since the epoch.
    pub started_at_ms: i64,
    /// Length in seconds.
    pub duration_s: f64,
    /// The call in a few sentences.
    pub summary: String,
    /// How it ended.
    pub outcome: CallOutcome,
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
    /// The latest calls by start, newest first, ties by commit; at most [`RECENT_CALLS`].
    pub recent_calls: Vec<RecentCall>,
    /// Cached look-ups of the number, of any age.
    pub lookups: Vec<CachedLookup>,
}
