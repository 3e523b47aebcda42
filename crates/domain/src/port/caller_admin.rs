//! The operator's data: profiles that come from outside, and what an operator may look at.

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::{
    access::TenantId,
    caller::{Caller, DoNotCall, History, HistoryFact, ImportCounts, ProfileChange, ProfileEdit, ProfileFault},
    context::Deadline,
    error::PortError,
    phone::PhoneNumber,
};

/// Why a profile was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The edit refused what is stored, or what would come of it.
    #[error(transparent)]
    Refused(#[from] ProfileFault),
    /// The store failed.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// Writes and reads the operator's data; the command line works through it.
///
/// Implementations MUST:
/// 1. return by the deadline with [`PortError::Unavailable`] when the work is not done by then, be safe to cancel, and
///    do each method as one unit or not at all;
/// 2. show and change nothing of another tenant;
/// 3. keep names, tags, attributes and corrections exactly, whatever text they hold;
/// 4. show what a change did to the corrections in every recall that begins after it, and count it as a change of the
///    memory.
#[async_trait]
pub trait CallerAdmin: Send + Sync {
    /// Writes the profiles of many callers.
    ///
    /// Implementations MUST:
    /// 1. create the callers that there are not: known from then on, without calls, first and last seen at `now_ms`;
    /// 2. change of the others what their change names, and leave everything else: what is kept, the calls and when
    ///    they were seen;
    /// 3. count each caller once, as what became of them;
    /// 4. make one caller of any number of simultaneous imports and first contacts, and lose nothing of the import.
    async fn import(
        &self,
        tenant: TenantId,
        profiles: &BTreeMap<PhoneNumber, ProfileChange>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<ImportCounts, PortError>;

    /// Changes the profile of one caller, and returns the caller as stored then.
    ///
    /// Implementations MUST:
    /// 1. give `edit` the stored profile and store what comes of it, and nothing else of the caller;
    /// 2. give it an empty profile when there is no caller, who is then created, first and last seen at `now_ms`;
    /// 3. change and create nothing when `edit` refuses;
    /// 4. never let one of two simultaneous changes undo the other.
    async fn change(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        edit: ProfileEdit,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<Caller, ChangeError>;

    /// Reads a caller with the latest calls.
    ///
    /// Implementations MUST:
    /// 1. show at most [`HISTORY_CALLS`](crate::caller::HISTORY_CALLS) calls, newest start first, ties by commit, the
    ///    later one first;
    /// 2. show with each call the `agent_metadata` of its report exactly as it was reported, and none where there was
    ///    none;
    /// 3. answer `None` when the tenant has no such caller, and change nothing.
    async fn history(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<History>, PortError>;

    /// Reads what a caller stated and was told, with what no longer stands.
    ///
    /// Implementations MUST show at most [`HISTORY_FACTS`](crate::caller::HISTORY_FACTS), newest first as a recall
    /// does, each with whether it stands; none for an unknown caller; and change nothing.
    async fn facts(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<HistoryFact>, PortError>;

    /// Marks a caller as one who does not want to be called, or takes the mark away, and returns the mark that there
    /// was.
    ///
    /// Implementations MUST:
    /// 1. leave a mark that there is already as it is when it is to be set;
    /// 2. create the caller who is to be marked when there is none, first and last seen at the mark's time, and nobody
    ///    when the mark is to be taken away;
    /// 3. change nothing else of the caller.
    async fn mark_do_not_call(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        mark: Option<DoNotCall>,
        deadline: Deadline,
    ) -> Result<Option<DoNotCall>, PortError>;

    /// The callers who are marked as those who do not want to be called, whose numbers come behind `after`: the first
    /// `most` in the order of their numbers as text. Changes nothing.
    async fn do_not_call(
        &self,
        tenant: TenantId,
        after: Option<&PhoneNumber>,
        most: u32,
        deadline: Deadline,
    ) -> Result<Vec<(PhoneNumber, DoNotCall)>, PortError>;
}
