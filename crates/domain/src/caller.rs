//! The caller as the service knows them.

use crate::{enrichment::Shown, json::JsonObject};

/// The stored profile of a caller. Every value is known; a profile that could not be read is not a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    /// The caller's name as the operator set it, else as the caller stated it; `None` rather than a guess.
    pub name: Option<String>,
    /// First contact, in milliseconds since the epoch.
    pub first_seen_ms: i64,
    /// Latest contact, in milliseconds since the epoch; in a recall, the one before this request.
    pub last_seen_ms: i64,
    /// The number of distinct ended calls.
    pub total_calls: u64,
    /// The operator's tags.
    pub tags: Vec<String>,
    /// The operator's attributes.
    pub custom_attributes: JsonObject,
}

impl Caller {
    /// The caller with the name that look-ups know, when neither the operator nor the caller gave one.
    #[must_use]
    pub fn or_named_by(mut self, shown: &Shown) -> Self {
        if self.name.is_none() {
            self.name = shown.person.as_ref().and_then(|person| person.value.name.clone());
        }
        self
    }
}
