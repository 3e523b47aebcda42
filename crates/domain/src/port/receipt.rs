//! Where receipts are kept.

use async_trait::async_trait;

use super::AdminError;
use crate::{
    context::Deadline,
    error::PortError,
    receipt::{Receipt, ReceiptId, ShownReceipt, Stats},
};

/// Keeps receipts, and shows them with the outcome of their calls. Recalls work without it.
///
/// Implementations MUST:
/// 1. return by the deadline with [`PortError::Unavailable`] when the work is not done by then, and be safe to cancel:
///    a cancelled method has either done all of its work, now or later, or none;
/// 2. join the outcome of a receipt from the ended call with the same tenant and session, as it is when they are asked,
///    and from no other;
/// 3. show through a tenant nothing of another: no receipt by its id, no count;
/// 4. never take a failed read for a receipt that does not exist.
#[async_trait]
pub trait ReceiptStore: Send + Sync {
    /// Keeps receipts, possibly of several tenants.
    ///
    /// Implementations MUST:
    /// 1. keep all of them or none;
    /// 2. keep a receipt once, however often it is offered;
    /// 3. keep the response byte for byte, and everything else as it is.
    async fn keep(&self, receipts: &[Receipt], deadline: Deadline) -> Result<(), PortError>;

    /// The receipt with this id: of the tenant named, or of any, which is for the administrator alone, who has a
    /// `context_audit_id` from a log or a complaint and wants to know whose it is.
    ///
    /// # Errors
    /// [`AdminError::UnknownTenant`] when there is no tenant of this name.
    async fn show(
        &self,
        tenant: Option<String>,
        id: ReceiptId,
        deadline: Deadline,
    ) -> Result<Option<ShownReceipt>, AdminError>;

    /// Counts the receipts since `since_ms` (milliseconds since the epoch), which is included: of all tenants or the
    /// one named.
    ///
    /// # Errors
    /// [`AdminError::UnknownTenant`] when there is no tenant of this name.
    async fn stats(&self, tenant: Option<String>, since_ms: i64, deadline: Deadline) -> Result<Stats, AdminError>;

    /// Deletes at most `most` receipts from before `before_ms` (milliseconds since the epoch), the oldest first, and
    /// returns how many. It works on all tenants, because they have one retention time. Any number of processes may do
    /// it at once.
    async fn purge(&self, before_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError>;
}
