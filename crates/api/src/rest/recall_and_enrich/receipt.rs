//! The receipt that a recall leaves when the feedback loop is on.

use domain::{
    context::CallContext,
    recall::Recall,
    receipt::{Group, Receipt, ReceiptId},
    usecase::RecallInput,
};
use uuid::Uuid;

use super::response::RecallResponse;
use crate::{error::Refusal, middleware::frame::Frame, receipts::Receipts, rest::answer::encoded};

/// The receipt of one recall while it is answered. A request that is refused has none.
pub(super) struct PendingReceipt<'r> {
    receipts: &'r Receipts,
    receipt: Receipt,
}

impl<'r> PendingReceipt<'r> {
    /// Notes what is asked.
    pub(super) fn new(receipts: &'r Receipts, ctx: &CallContext, input: &RecallInput, frame: &Frame) -> Self {
        let receipt = Receipt {
            id: ReceiptId(Uuid::now_v7()),
            tenant: ctx.principal.tenant_id,
            at_ms: receipts.now_ms(),
            trace_id: ctx.trace_id.clone(),
            number: input.number.clone(),
            session_id: input.session_id.clone(),
            deadline_ms: u64::try_from(frame.whole.get().as_millis()).unwrap_or(u64::MAX),
            cut: Vec::new(),
            // What it is turns out with the answer.
            group: Group::ALL[0],
            response: Vec::new(),
        };
        Self { receipts, receipt }
    }

    /// Encodes the answer to the recall, and has its receipt kept with exactly these bytes.
    pub(super) fn keep_with(self, recall: Recall, frame: &Frame) -> Result<String, Refusal> {
        let (group, cut) = (Group::from(&recall), recall.cut.clone());
        let body = encoded(&RecallResponse::new(recall, frame, Some(self.receipt.id)))?;
        self.receipts.keep(Receipt {
            group,
            cut,
            response: body.clone().into_bytes(),
            ..self.receipt
        });
        Ok(body)
    }
}
