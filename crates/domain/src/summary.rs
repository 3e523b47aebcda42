//! What the agent reads: a call in a few words, and a caller in a few sentences. Pure and deterministic.

use crate::{call::Turn, memory::RecentCall};

/// The gist of a call.
#[must_use]
pub fn of_call(_transcript: &[Turn]) -> String {
    String::new()
}

/// What an agent should know before it speaks. Empty when there were no calls.
#[must_use]
pub fn of_caller(_total_calls: u64, _recent_calls: &[RecentCall]) -> String {
    String::new()
}
