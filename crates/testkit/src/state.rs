//! What the fakes keep, as plain data: the fakes work on it, and the world carries it.

use std::collections::{BTreeMap, HashMap};

use domain::{
    access::{KeyHash, KeyInfo, Tenant, TenantId},
    call::{CallId, SessionId},
    caller::{self, DoNotCall},
    enrichment::CachedLookup,
    memory::CallRecord,
    phone::PhoneNumber,
    port::{DailyCaps, Day, RequestId},
    receipt::{Receipt, ReceiptId},
    themes::Themes,
};
use uuid::Uuid;

/// What is kept.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Counts the writes, so that others notice them.
    pub(crate) generation: u64,
    /// How many schema steps are applied.
    pub(crate) steps: usize,
    pub(crate) access: Access,
    pub(crate) callers: HashMap<TenantId, Callers>,
    pub(crate) spend: Spend,
    pub(crate) receipts: BTreeMap<ReceiptId, Receipt>,
}

/// Tenants and keys.
#[derive(Debug, Default)]
pub(crate) struct Access {
    pub(crate) tenants: Vec<Tenant>,
    /// In the order of creation.
    pub(crate) keys: Vec<(KeyHash, KeyInfo)>,
}

/// What one tenant has.
#[derive(Debug, Default)]
pub(crate) struct Callers {
    pub(crate) profiles: HashMap<PhoneNumber, Profile>,
    /// What the operator said.
    pub(crate) said: HashMap<PhoneNumber, caller::Profile>,
    pub(crate) calls: HashMap<SessionId, Call>,
    pub(crate) sessions: HashMap<SessionId, (i64, PhoneNumber)>,
    pub(crate) lookups: HashMap<(PhoneNumber, String), CachedLookup>,
    /// The requests to the model that were let through on a day.
    pub(crate) rewrite_requests: HashMap<Day, Vec<RequestId>>,
    pub(crate) commits: u64,
}

/// Times are in milliseconds since the epoch.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) id: Uuid,
    pub(crate) first_seen: i64,
    pub(crate) last_seen: i64,
    pub(crate) memory_changed: Option<i64>,
    pub(crate) pending: PendingRewrite,
    /// The model's summary and the change of the memory that it was made for.
    pub(crate) rewrite: Option<(String, i64)>,
    /// What the caller speaks of.
    pub(crate) themes: Themes,
    pub(crate) do_not_call: Option<DoNotCall>,
}

/// Whether and since when something waits for a rewrite.
#[derive(Debug, Default)]
pub(crate) struct PendingRewrite {
    /// Since when, or when it is to be tried next.
    pub(crate) due: Option<i64>,
    pub(crate) attempts: u32,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: CallId,
    pub(crate) record: CallRecord,
    pub(crate) process: Uuid,
    pub(crate) commit: u64,
    pub(crate) corrections: u64,
    pub(crate) pending: PendingRewrite,
    /// Whether a report of the call has marked its caller.
    pub(crate) no_more_calls: bool,
    /// Whether the summary is a model's.
    pub(crate) is_rewritten: bool,
    /// How many of the facts, at their end, are a model's.
    pub(crate) by_model: usize,
}

/// Paid look-ups and caps.
#[derive(Debug, Default)]
pub(crate) struct Spend {
    pub(crate) caps: HashMap<TenantId, DailyCaps>,
    /// Look-ups and their price.
    pub(crate) bought: BTreeMap<(Day, TenantId, String), (u64, u64)>,
}
