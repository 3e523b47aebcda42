//! Stored words that this release may not know, because a newer one stored them before a return to this one.

use domain::{
    access::{OnRefusedConsent, Scopes},
    call::{CallOutcome, Role},
    facts::{FactKey, Terms},
    identity::IdentityMode,
    phone::Region,
    time_zone::TimeZone,
};

use crate::error::leave_out;

/// The outcome of this name; `other` for one that this release does not know.
pub(crate) fn outcome(name: &str) -> CallOutcome {
    name.parse().unwrap_or(CallOutcome::Other)
}

/// The key of this name; `None` for a fact that this release knows nothing of, which is left alone.
pub(crate) fn fact_key(name: &str) -> Option<FactKey> {
    name.parse().ok()
}

/// The terms of an agreement; `None` without a status, and with one that this release does not know.
pub(crate) fn terms(when: Option<String>, status: Option<&str>) -> Option<Terms> {
    let status = status?.parse().ok()?;
    Some(Terms { when, status })
}

/// The role of this name. A role that this release does not know is not the caller's.
pub(crate) fn role(name: &str) -> Role {
    if name == Role::User.as_str() {
        Role::User
    } else {
        Role::Agent
    }
}

/// The scopes of these names. One that this release does not know permits nothing here.
pub(crate) fn scopes(names: &str) -> Scopes {
    names.split_whitespace().filter_map(|name| name.parse().ok()).collect()
}

/// The time zone of this name. One that this release does not know is none, so that days begin in UTC; the log says so.
pub(crate) fn time_zone(name: Option<String>) -> Option<TimeZone> {
    name?.parse().inspect_err(|_| leave_out("time zone")).ok()
}

/// What is kept of calls in which consent was refused. Of a word that this release does not know the least is kept; the
/// log says so.
pub(crate) fn on_refused_consent(name: Option<String>) -> Option<OnRefusedConsent> {
    let known = name?.parse().inspect_err(|_| leave_out("rule for refused consent"));
    Some(known.unwrap_or(OnRefusedConsent::MetadataOnly))
}

/// The region of this name. One that this release does not know is none, so that the service's own applies; the log
/// says so, because national numbers are read in it.
pub(crate) fn region(name: Option<String>) -> Option<Region> {
    name?.parse().inspect_err(|_| leave_out("region")).ok()
}

/// The mode of this name; `None` where none is stored. One that this release does not know is read as the most careful
/// one, and the log says so.
pub(crate) fn identity(name: Option<String>) -> Option<IdentityMode> {
    let mode = name?.parse().inspect_err(|_| leave_out("identity mode"));
    Some(mode.unwrap_or(IdentityMode::Strict))
}
