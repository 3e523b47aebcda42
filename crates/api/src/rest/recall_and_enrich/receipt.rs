//! The receipt that a recall leaves when the feedback loop is on.

use std::sync::OnceLock;

use domain::{
    context::CallContext,
    recall::Recall,
    receipt::{Group, Receipt, ReceiptId},
    usecase::RecallInput,
};
use uuid::Uuid;

use super::response::RecallResponse;
use crate::{error::Refusal, middleware::Frame, receipts::Receipts, rest::answer::encoded};

/// The receipt of one recall while it is answered; nothing at all when the feedback loop is off.
pub(super) struct PendingReceipt<'r> {
    receipts: Option<&'r Receipts>,
    noted: OnceLock<Receipt>,
}

impl<'r> PendingReceipt<'r> {
    pub(super) fn new(receipts: Option<&'r Receipts>) -> Self {
        let noted = OnceLock::new();
        Self { receipts, noted }
    }

    /// Notes what is asked. Before this there is no receipt: a request that is refused leaves none.
    pub(super) fn note(&self, ctx: &CallContext, input: &RecallInput, frame: &Frame) {
        let Some(receipts) = self.receipts else { return };
        // Each request notes once.
        let _ = self.noted.set(Receipt {
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
        });
    }

    /// Encodes the answer to the recall, and has its receipt kept with exactly these bytes.
    pub(super) fn encode(self, recall: Recall, frame: &Frame) -> Result<String, Refusal> {
        let kept = self.receipts.zip(self.noted.into_inner()).map(|(receipts, receipt)| {
            let (group, cut) = (Group::from(&recall), recall.cut.clone());
            (receipts, Receipt { group, cut, ..receipt })
        });
        let id = kept.as_ref().map(|(_, receipt)| receipt.id);
        let body = encoded(&RecallResponse::new(recall, frame, id))?;
        if let Some((receipts, mut receipt)) = kept {
            receipt.response = body.clone().into_bytes();
            receipts.keep(receipt);
        }
        Ok(body)
    }
}
