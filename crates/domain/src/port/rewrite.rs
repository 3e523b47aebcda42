//! Better summaries after the call: the model that writes them, and the backlog of what lacks one.

use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use super::Day;
use crate::{
    access::TenantId,
    call::{CallId, RecentCall, Turn},
    context::Deadline,
    error::{Cause, PortError},
    facts::KnownFact,
    rewrite::{Draft, Part, Rewrite},
};

/// How often a rewrite is tried before the text that the rules made stays.
pub const ATTEMPTS: u32 = 5;

/// How long after a report a rewrite is still worth making, in milliseconds: 7 days. It bounds the backlog.
pub const WORTH_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// What lacks a rewrite.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A call.
    Call {
        /// Which one.
        call: CallId,
        /// What was said.
        transcript: Vec<Turn>,
    },
    /// A caller.
    Caller {
        /// The store's own identity of the caller.
        caller: Uuid,
        /// The number of distinct ended calls.
        total_calls: u64,
        /// The latest calls, newest first; at most [`crate::memory::RECENT_CALLS`].
        recent_calls: Vec<RecentCall>,
        /// The facts, as [`crate::memory::Recollection::facts`] has them.
        facts: Vec<KnownFact>,
    },
}

/// Work that nobody else has until the lease ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Whose it is.
    pub tenant: TenantId,
    /// What lacks a rewrite.
    pub subject: Subject,
    /// The state that was claimed, in the store's own words.
    pub version: Vec<u8>,
    /// Which attempt this is; the first is 1.
    pub attempt: u32,
    /// When somebody else may claim it, in milliseconds since the epoch.
    pub leased_until_ms: i64,
}

/// A request to the model, which stays the same however often it is asked whether it may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(pub Uuid);

impl RequestId {
    /// The request of these random bytes.
    #[must_use]
    pub const fn from_random(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }
}

/// Finds what lacks a rewrite and keeps what was made. There is no queue: a call lacks a rewrite from its commit on,
/// and again when a correction replaces it; a caller lacks one when a rewrite of one of their calls was settled.
///
/// Implementations MUST:
/// 1. return by the deadline with [`PortError::Unavailable`] when the work is not done by then, and be safe to cancel:
///    a cancelled method has either done all of its work, now or later, or none;
/// 2. give a piece of work to one claim only until its lease ends or it is put back, whatever the number of processes;
/// 3. claim only what is due, was reported within [`WORTH_MS`] and has attempts left of [`ATTEMPTS`]; each claim uses
///    one up;
/// 4. keep a settled call's summary in the place of the one that the rules made, add its facts
///    [`crate::rewrite::beside`] those that the call has, and show a caller's in
///    [`crate::memory::Recollection::summary`] exactly while the memory has not changed since it was claimed; a settled
///    rewrite is no longer lacking, also when there is none to keep;
/// 5. change nothing, and answer `false`, when what was claimed was corrected, its memory changed, or the lease was
///    given to somebody else;
/// 6. make a corrected call lack a rewrite again, with all of its attempts;
/// 7. let through at most the cap of a tenant and day, whatever the number of simultaneous reservations and processes,
///    and count each that is let through once;
/// 8. leave what is put back alone until it is due, and give the attempt back unless it counts;
/// 9. let through again, without counting it again, a request that was let through for the same tenant and day,
///    whatever the process and the cap and whether anybody heard the first answer; which requests these were need not
///    be known any more once the tenant reserves for the day after the next.
#[async_trait]
pub trait SummaryBacklog: Send + Sync {
    /// Claims the piece of work of any tenant that has been due for longest, callers first, until `leased_until_ms`;
    /// `None` when nothing is due at `now_ms`.
    async fn claim(&self, now_ms: i64, leased_until_ms: i64, deadline: Deadline) -> Result<Option<Claim>, PortError>;

    /// Counts a request that is about to be sent for the tenant on that day, unless it was counted before or `cap` of
    /// them were; whether it may be sent.
    async fn reserve(
        &self,
        tenant: TenantId,
        day: Day,
        request: RequestId,
        cap: u32,
        deadline: Deadline,
    ) -> Result<bool, PortError>;

    /// Ends the claim at `now_ms` with what is to be kept, if anything; whether the claim still stood.
    async fn settle(
        &self,
        claim: &Claim,
        rewrite: Option<Rewrite>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<bool, PortError>;

    /// Ends the claim without a rewrite: it is due again at `due_ms`. A claim that no longer stands changes nothing.
    async fn put_back(&self, claim: &Claim, due_ms: i64, counts: bool, deadline: Deadline) -> Result<(), PortError>;
}

/// Why a model gave no draft.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It did not look at the request: it cannot be reached or has no room. It is worth asking again after a pause.
    #[error("the language model cannot be reached or has no room")]
    Busy {
        /// How long it asked to be left alone.
        retry_after: Option<Duration>,
        /// What happened.
        #[source]
        cause: Cause,
    },
    /// It refuses the key, the model's name or the address; the operator has to do something.
    #[error("the language model's endpoint refuses the request with status {0}")]
    Denied(u16),
    /// It tried and gave nothing in time, or failed.
    #[error("the language model failed")]
    Failed(#[source] Cause),
    /// It answered with something that cannot be read. Asking for something else may work at once.
    #[error("the language model's answer cannot be read")]
    Unreadable,
}

/// A language model. What it answers is not to be trusted; [`crate::rewrite`] checks it.
///
/// Implementations return by the deadline, send at most one request for a draft, follow no redirect, read a bounded
/// answer, and show neither secrets nor text in `Debug`, errors or logs.
#[async_trait]
pub trait Summarizer: Send + Sync {
    /// Asks for the summary and the facts of a call, of which `parts` are the excerpt.
    async fn call<'p>(&self, parts: &[Part<'p>], deadline: Deadline) -> Result<Draft, ModelError>;

    /// Asks for the summary of a caller, from the lines of [`crate::rewrite::lines_of_caller`].
    async fn caller(&self, lines: &[String], deadline: Deadline) -> Result<Draft, ModelError>;
}

/// Observes rewrites; metrics are made of it. Implementations must return at once and never fail.
pub trait RewriteProbe: Send + Sync {
    /// A request about a `kind` (`call` or `caller`) ended with `outcome` after `took`.
    fn ended(&self, kind: &'static str, outcome: &'static str, took: Duration);

    /// Work was put off because its tenant's cap of the day is reached.
    fn capped(&self);
}
