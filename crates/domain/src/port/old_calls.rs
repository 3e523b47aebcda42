//! Calls that were committed, for the rules to read them again.

use async_trait::async_trait;

use crate::{access::TenantId, call::CallId, context::Deadline, error::PortError, memory::CallRecord, reading::Report};

/// A call as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct OldCall {
    /// Whose it is.
    pub tenant: TenantId,
    /// Which one.
    pub call: CallId,
    /// Which report of it is stored, in the store's own words.
    pub version: Vec<u8>,
    /// The report; `None` when it cannot be decoded.
    pub report: Option<Report>,
}

/// What became of a call that was read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// What is remembered of it is something else than before.
    Changed,
    /// The rules made the same of it.
    Same,
    /// Another report of the call came in between, or it is gone.
    Overtaken,
}

/// Finds calls by the rules that they were read by, and keeps what the present rules make of them.
///
/// Implementations MUST:
/// 1. return by the deadline with [`PortError::Unavailable`] when the work is not done by then, and be safe to cancel:
///    a cancelled method has either done all of its work, now or later, or none;
/// 2. give each report as it was committed, with when it arrived and where the tenant's days begin now;
/// 3. put the summary, the facts and the themes of the reading in the place of those that the rules made before, as one
///    unit and under the same [`CallId`], so that a recall sees the call as it was or as it is: with the facts in the
///    order in which they were said, their times counted from the start of the call ([`CallRecord::facts_since`]), and
///    what they supersede or no longer supersede, and what the caller speaks of, settled as for a correction;
/// 4. change nothing else: neither the report, its arrival and its start, nor the caller's count, contacts and
///    `memory_changed_ms`;
/// 5. change nothing, and answer [`Settled::Overtaken`], when another report of the call came in between;
/// 6. keep a language model's summary, and its facts as far as they stand [`crate::rewrite::beside`] those of the
///    reading; such a call does not lack a rewrite again;
/// 7. drop the model's summary of the caller when anything changed, also one that is being made, and not otherwise;
/// 8. mark a caller whose wish not to be called is heard only now, but not where a call of the caller has marked them
///    before: an operator may have taken the mark away; take no mark away;
/// 9. take a call that is settled as read by the rules of the reading, and without one by the present rules; without a
///    reading nothing that is remembered of it changes.
#[async_trait]
pub trait OldCalls: Send + Sync {
    /// Calls of any tenant that were read by rules before [`crate::reading::RULES`]; at most `limit`.
    async fn outdated(&self, limit: u32, deadline: Deadline) -> Result<Vec<OldCall>, PortError>;

    /// Calls of the tenant, or of all, in the order of their ids from the first one after `after`; at most `limit`.
    async fn following(
        &self,
        tenant: Option<TenantId>,
        after: Option<CallId>,
        limit: u32,
        deadline: Deadline,
    ) -> Result<Vec<OldCall>, PortError>;

    /// Keeps what the rules make of the call now; without a `reading`, there is nothing in it to read.
    async fn settle(
        &self,
        call: &OldCall,
        reading: Option<&CallRecord>,
        deadline: Deadline,
    ) -> Result<Settled, PortError>;
}
