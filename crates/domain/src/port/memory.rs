//! The memory itself: callers and their calls.

use async_trait::async_trait;

use crate::{
    access::TenantId,
    call::{CallId, SessionId, Turn},
    caller::Caller,
    context::Deadline,
    error::PortError,
    identity::Trace,
    memory::{CallRecord, OpenCall, Recollection},
    phone::PhoneNumber,
};

/// What a recall asks the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallQuery {
    /// Who calls.
    pub number: PhoneNumber,
    /// The client's name for the call, when it gave one: the call end of the same session then began at `now_ms`.
    pub session_id: Option<SessionId>,
    /// When the recall happened, in milliseconds since the epoch.
    pub now_ms: i64,
    /// A call that was begun by then and has not ended counts as a gap; in milliseconds since the epoch.
    pub unfinished_before_ms: i64,
}

/// Remembers callers and calls, for each tenant by itself.
///
/// Implementations MUST:
/// 1. return by the deadline with [`PortError::Unavailable`] when the work is not done by then, and be safe to cancel:
///    a cancelled method has either done all of its work, now or later, or none;
/// 2. show nothing of a tenant to another: no caller, call, count, session or look-up;
/// 3. never take a failed read for an unknown caller.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CallerMemory: Send + Sync {
    /// Reads all that is known of a caller in one round trip, and creates the caller when there is none.
    ///
    /// Implementations MUST:
    /// 1. create exactly one caller whatever the number of simultaneous first contacts, of which exactly one sees
    ///    `known: false` when no call end created it before; a created caller has no calls, and first and last
    ///    seen at `now_ms`;
    /// 2. show the profile as it was before this contact, the count of distinct ended calls, and at most five calls,
    ///    newest start first, ties by commit, the later one first;
    /// 3. show every call whose `record_end` returned before the recall began;
    /// 4. note the contact afterwards, without making the caller wait: `last_seen_ms` becomes `now_ms` unless it is
    ///    later already, and the session's first recall gives the start of its call, even when the call end was
    ///    quicker;
    /// 5. show every look-up stored for the number, of any age;
    /// 6. show the facts of the caller's calls that stand ([`crate::facts::standing`]), newest first: by
    ///    [`crate::facts::SaidFact::order_ms`], then by the commit of their calls, then by their order in the call; and
    ///    these as the operator's corrections leave them ([`crate::correction::corrected`]);
    /// 7. count as gaps the sessions of the caller whose first recall was at `unfinished_before_ms` or earlier and
    ///    whose call has not ended, this query's own not among them; at most [`crate::memory::MOST_GAPS`];
    /// 8. show the caller's [`Trace`] as `record_end` left it.
    async fn recall(
        &self,
        tenant: TenantId,
        query: &RecallQuery,
        deadline: Deadline,
    ) -> Result<Recollection, PortError>;

    /// Commits an ended call. When it returns `Ok`, the call is on disk.
    ///
    /// Implementations MUST:
    /// 1. commit the call, the caller (created when there is none, first and last seen as the record's
    ///    [`crate::call::Contact`] says), the count and `memory_changed_ms` (`received_at_ms`) as one unit, or nothing;
    /// 2. treat `(tenant, session_id)` as the call's identity: the same [`crate::call::EndedCall`] again changes
    ///    nothing of the call (only its [`crate::memory::Arrival`] counts for rule 3), a different one replaces the
    ///    first in every field under the same [`CallId`], and neither counts twice; a correction of the number moves
    ///    the call to the other caller;
    /// 3. let the later [`crate::memory::Arrival`] win among reports of one session from one process, in whatever order
    ///    they reach the database; the overtaken report returns `Ok` and changes nothing. Of reports from different
    ///    processes the last one committed wins;
    /// 4. keep transcripts exactly, whatever text they hold;
    /// 5. take the start of the call from the first recall of the same session when there was one;
    /// 6. move `first_seen_ms` back to the first and `last_seen_ms` forward to the last moment of the record's contact,
    ///    unless they are there or beyond already: a call that is replayed was made when it happened, not when it is
    ///    reported;
    /// 7. commit the call's facts with it, and take those of a replaced report away with it; what they had superseded
    ///    then stands again. What no longer stands is kept as history. Where what stood does not tell what stands now,
    ///    read that and the newest [`crate::facts::LOOK_BACK`] of the caller's other statements, and no more;
    /// 8. count the times of the call's facts from the start that a recall gave, when its note was there before the
    ///    report ([`CallRecord::facts_since`]);
    /// 9. keep with the caller what they speak of: of a new call [`crate::themes::Themes::with`] its themes, of the
    ///    correction of one [`crate::themes::Themes::corrected`]; a call that moves to another caller takes its themes
    ///    along. A recall shows them as [`Recollection::themes`];
    /// 10. keep the caller's [`Trace`] with the call: its name
    ///     ([`StatedName::of_call`](crate::identity::StatedName::of_call)), which goes when the report is replaced, and
    ///     its time ([`Trace::call`] with [`CallRecord::span`]);
    /// 11. mark the caller as one who does not want to be called ([`CallRecord::no_more_calls`]) in the same unit,
    ///    unless there is a mark already: the first stays, whatever later calls and corrections say. A call marks a
    ///    number once: when an operator has taken the mark away, a correction of the call does not set it again. Every
    ///    recall and profile shows the mark;
    /// 12. keep nothing that was made of the words of a replaced report, a model's summary of the caller included, when
    ///     the new one has no transcript. No clause of the contract checks what nothing shows any more.
    async fn record_end(&self, tenant: TenantId, record: &CallRecord, deadline: Deadline) -> Result<(), PortError>;

    /// Reads a caller's profile; `None` when the tenant has no such caller. Changes nothing. Here and in a recall the
    /// name is the operator's, else the one that stands among the caller's facts and that the corrections let hold
    /// ([`crate::correction::holds`]).
    async fn caller(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<Caller>, PortError>;

    /// Reads what a recall shows as [`Recollection::trace`], without a recall; an empty one when the tenant has no such
    /// caller. Changes nothing.
    async fn trace(&self, tenant: TenantId, number: &PhoneNumber, deadline: Deadline) -> Result<Trace, PortError>;

    /// Reads the committed transcript of a call, exactly as it was reported; `None` when the tenant has no such call.
    /// Changes nothing.
    async fn transcript(
        &self,
        tenant: TenantId,
        call_id: CallId,
        deadline: Deadline,
    ) -> Result<Option<Vec<Turn>>, PortError>;
}

/// Lists the calls that were begun by a recall with a session and that nobody has written back.
///
/// Implementations MUST:
/// 1. return by the deadline with [`PortError::Unavailable`] when the work is not done by then, and be safe to cancel;
/// 2. list a session from its first recall until its call ends, however late, under whatever number;
/// 3. list a tenant's own sessions only.
#[async_trait]
pub trait OpenCalls: Send + Sync {
    /// The tenant's open calls that were begun at `begun_by_ms` or earlier, newest first, at most `limit`.
    async fn open_calls(
        &self,
        tenant: TenantId,
        begun_by_ms: i64,
        limit: u32,
        deadline: Deadline,
    ) -> Result<Vec<OpenCall>, PortError>;

    /// How many calls of all tenants together are open that were begun at `begun_by_ms` or earlier: what a metric
    /// shows, which names no tenant. Counts to `most` and no further.
    async fn count_open_calls(&self, begun_by_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError>;
}
