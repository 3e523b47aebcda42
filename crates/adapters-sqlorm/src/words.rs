//! Stored words that this release may not know, because a newer one stored them before a return to this one.

use domain::{
    call::{CallOutcome, Role},
    facts::FactKey,
};

/// The outcome of this name; `other` for one that this release does not know.
pub(crate) fn outcome(name: &str) -> CallOutcome {
    name.parse().unwrap_or(CallOutcome::Other)
}

/// The key of this name; `None` for a fact that this release knows nothing of, which is left alone.
pub(crate) fn fact_key(name: &str) -> Option<FactKey> {
    name.parse().ok()
}

/// The role of this name. A role that this release does not know is not the caller's.
pub(crate) fn role(name: &str) -> Role {
    if name == Role::User.as_str() {
        Role::User
    } else {
        Role::Agent
    }
}
