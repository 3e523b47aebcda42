//! [`ReceiptStore`]: what recalls answered, with how their calls ended.

use domain::{
    async_trait,
    call::{CallOutcome, SessionId},
    context::Deadline,
    error::PortError,
    port::{AdminError, ReceiptStore},
    receipt::{Receipt, ReceiptId, ShownReceipt, Stats},
};
use redb::WriteTransaction;
use uuid::Uuid;

use crate::{
    Redb, access,
    rows::ReceiptRow,
    schema::{CALLS, RECEIPT_TIMES, RECEIPTS, SESSIONS, session_key},
    table::{Order, View},
};

#[async_trait]
impl ReceiptStore for Redb {
    async fn keep(&self, receipts: &[Receipt], deadline: Deadline) -> Result<(), PortError> {
        let receipts = receipts.to_vec();
        let write = move |write: &_| receipts.iter().try_for_each(|receipt| keep(write, receipt));
        self.store.write("receipts", deadline, write).await
    }

    async fn show(
        &self,
        tenant: Option<String>,
        id: ReceiptId,
        deadline: Deadline,
    ) -> Result<Option<ShownReceipt>, AdminError> {
        let read = move |view: &_| {
            for (tenant, name) in access::tenants_named(view, tenant.as_deref())? {
                let Some(at_ms) = RECEIPT_TIMES.get(view, (tenant, id.0))? else {
                    continue;
                };
                if let Some(row) = RECEIPTS.get(view, (tenant, at_ms, id.0))? {
                    return Ok(Some(ShownReceipt {
                        outcome: outcome(view, tenant, &row)?,
                        receipt: row.receipt(tenant, at_ms, id.0)?,
                        tenant: name,
                    }));
                }
            }
            Ok(None)
        };
        self.store.read("receipt", deadline, read).await
    }

    async fn stats(&self, tenant: Option<String>, since_ms: i64, deadline: Deadline) -> Result<Stats, AdminError> {
        let read = move |view: &_| {
            let mut stats = Stats::default();
            for (tenant, _) in access::tenants_named(view, tenant.as_deref())? {
                let range = (tenant, since_ms, Uuid::nil())..=(tenant, i64::MAX, Uuid::max());
                RECEIPTS.scan(view, range, Order::Ascending, usize::MAX, |_, row| {
                    stats.add(row.group(), outcome(view, tenant, &row)?, 1);
                    Ok(None::<()>)
                })?;
            }
            Ok(stats)
        };
        self.store.read("receipt statistics", deadline, read).await
    }

    async fn purge(&self, before_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError> {
        let write = move |write: &_| {
            let mut oldest = Vec::new();
            for tenant in access::tenant_ids(write)? {
                oldest.extend(older(write, tenant, before_ms, most as usize)?);
            }
            oldest.sort_unstable();
            oldest.truncate(most as usize);
            for (at_ms, id, tenant) in &oldest {
                RECEIPTS.remove(write, (*tenant, *at_ms, *id))?;
                RECEIPT_TIMES.remove(write, (*tenant, *id))?;
            }
            Ok(oldest.len() as u64)
        };
        self.store.write("purge of receipts", deadline, write).await
    }
}

fn keep(write: &WriteTransaction, receipt: &Receipt) -> Result<(), PortError> {
    let (tenant, id) = (receipt.tenant.0, receipt.id.0);
    if RECEIPT_TIMES.get(write, (tenant, id))?.is_some() {
        return Ok(());
    }
    RECEIPT_TIMES.put(write, (tenant, id), &receipt.at_ms)?;
    RECEIPTS.put(write, (tenant, receipt.at_ms, id), &ReceiptRow::new(receipt))
}

/// How the call of the receipt's session ended; `None` while it has not, and without a session.
fn outcome(view: &impl View, tenant: Uuid, receipt: &ReceiptRow) -> Result<Option<CallOutcome>, PortError> {
    let Some(session) = receipt.session_id.clone().map(SessionId) else {
        return Ok(None);
    };
    let session = SESSIONS.get(view, (tenant, &session_key(&session)))?;
    let Some(call) = session.and_then(|session| session.call) else {
        return Ok(None);
    };
    let call = CALLS.get(view, (tenant, call))?;
    Ok(call.map(|call| call.report.outcome()))
}

/// The oldest receipts of a tenant from before `before_ms`: when they were made, which, and whose.
fn older(view: &impl View, tenant: Uuid, before_ms: i64, most: usize) -> Result<Vec<(i64, Uuid, Uuid)>, PortError> {
    let Some(last_ms) = before_ms.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let range = (tenant, i64::MIN, Uuid::nil())..=(tenant, last_ms, Uuid::max());
    RECEIPTS.scan(view, range, Order::Ascending, most, |(tenant, at_ms, id), _| {
        Ok(Some((at_ms, id, tenant)))
    })
}
