//! [`OpenCalls`]: calls that were begun and never written back.

use domain::{
    access::TenantId, async_trait, call::SessionId, context::Deadline, error::PortError, memory::OpenCall,
    port::OpenCalls,
};
use uuid::Uuid;

use crate::{
    Redb, access,
    rows::{OpenRow, number},
    schema::{FIRST_SESSION, LAST_SESSION, OPEN},
    table::{Order, View},
};

#[async_trait]
impl OpenCalls for Redb {
    async fn open_calls(
        &self,
        tenant: TenantId,
        begun_by_ms: i64,
        limit: u32,
        deadline: Deadline,
    ) -> Result<Vec<OpenCall>, PortError> {
        let read = move |view: &_| {
            newest(view, tenant.0, begun_by_ms, limit as usize, |begun_at_ms, row| {
                Ok(OpenCall {
                    number: number(&row.number)?,
                    session_id: Some(SessionId(row.session_id)),
                    begun_at_ms,
                })
            })
        };
        self.store.read("open calls", deadline, read).await
    }

    async fn count_open_calls(&self, begun_by_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError> {
        let read = move |view: &_| {
            let mut left = most as usize;
            for tenant in access::tenant_ids(view)? {
                left -= newest(view, tenant, begun_by_ms, left, |_, _| Ok(()))?.len();
            }
            Ok(u64::from(most) - left as u64)
        };
        self.store.read("count of open calls", deadline, read).await
    }
}

/// What `show` makes of the calls of a tenant that were begun by then and have not ended, newest first.
fn newest<T>(
    view: &impl View,
    tenant: Uuid,
    begun_by_ms: i64,
    most: usize,
    mut show: impl FnMut(i64, OpenRow) -> Result<T, PortError>,
) -> Result<Vec<T>, PortError> {
    let range = (tenant, i64::MIN, FIRST_SESSION)..=(tenant, begun_by_ms, LAST_SESSION);
    OPEN.scan(view, range, Order::Descending, most, |(_, begun_at_ms, _), row| {
        show(begun_at_ms, row).map(Some)
    })
}
