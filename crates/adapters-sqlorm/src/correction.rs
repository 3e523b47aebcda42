//! An operator's word on facts, as JSON in the caller's row.

use domain::{
    correction::{Correction, Word},
    error::PortError,
};
use serde::{Deserialize, Serialize};

use crate::{error::leave_out, words};

/// What is said of a correction that cannot be read.
pub(crate) const CORRECTIONS: &str = "correction of a fact";

/// A correction as it is stored. Without a value, everything of the key is dropped.
#[derive(Serialize, Deserialize)]
struct Stored {
    key: String,
    value: Option<String>,
    /// Whether the value holds, or does not.
    set: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    when: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    at_ms: i64,
}

impl Stored {
    fn new(correction: &Correction) -> Self {
        let (value, terms) = match &correction.word {
            Word::Set { value, terms } => (Some(value), terms.as_ref()),
            Word::Drop { value } => (value.as_ref(), None),
        };
        Self {
            key: correction.key.as_str().to_owned(),
            value: value.cloned(),
            set: matches!(correction.word, Word::Set { .. }),
            when: terms.and_then(|terms| terms.when.clone()),
            status: terms.map(|terms| terms.status.as_str().to_owned()),
            at_ms: correction.at_ms,
        }
    }

    /// The correction; `None` when this release does not know its key.
    fn known(self) -> Option<Correction> {
        let word = match (self.set, self.value) {
            (true, Some(value)) => Word::Set {
                value,
                terms: words::terms(self.when, self.status.as_deref()),
            },
            (true, None) => return None,
            (false, value) => Word::Drop { value },
        };
        Some(Correction {
            key: words::fact_key(&self.key)?,
            word,
            at_ms: self.at_ms,
        })
    }
}

/// The corrections as text.
pub(crate) fn to_json(corrections: &[Correction]) -> Result<String, PortError> {
    let stored: Vec<Stored> = corrections.iter().map(Stored::new).collect();
    serde_json::to_string(&stored).map_err(|error| PortError::Internal(Box::new(error)))
}

/// The corrections that this release knows.
pub(crate) fn shown(json: &str) -> Vec<Correction> {
    // Almost every caller has none.
    if json == "[]" {
        return Vec::new();
    }
    let stored: Vec<Stored> = serde_json::from_str(json).unwrap_or_else(|_| {
        leave_out(CORRECTIONS);
        Vec::new()
    });
    stored.into_iter().filter_map(Stored::known).collect()
}

/// All corrections; `None` when one cannot be read.
pub(crate) fn whole(json: &str) -> Option<Vec<Correction>> {
    let stored: Vec<Stored> = serde_json::from_str(json).ok()?;
    stored.into_iter().map(Stored::known).collect()
}
