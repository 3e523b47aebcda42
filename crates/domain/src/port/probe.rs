//! What the use cases tell about their own course; metrics are made of it.

use std::time::Duration;

use crate::facts::{FactKey, FactOutcome};

/// A part of a request whose duration is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Reading or creating the caller's memory in a recall.
    MemoryRecall,
    /// Committing a call end.
    MemoryRecordEnd,
    /// Reading a caller's profile.
    MemoryCaller,
    /// Waiting for look-ups in a recall.
    Enrichment,
    /// Finding the words of a call and making its summary.
    Summary,
    /// Looking for facts among those words.
    Facts,
}

/// Observes the use cases. Implementations must return at once and never fail.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Probe: Send + Sync {
    /// A stage ended, well or badly, after `took`.
    fn stage(&self, stage: Stage, took: Duration);

    /// A call was read for facts of `key`, with this outcome.
    fn facts(&self, key: FactKey, outcome: FactOutcome);

    /// A recall was answered without memory.
    fn degraded(&self);
}
