//! Calls as they are read: the latest of a caller, and what was said in one.

use domain::{
    call::{RecentCall, Turn},
    error::PortError,
    memory::RECENT_CALLS,
};
use uuid::Uuid;

use crate::{
    rows::{CallRow, TurnRow},
    schema::{CALLS, CALLS_OF_CALLER, TRANSCRIPTS},
    table::{Order, View},
};

/// The latest calls of a caller as recalls show them.
pub(crate) fn recent(view: &impl View, tenant: Uuid, number: &str) -> Result<Vec<RecentCall>, PortError> {
    let latest = latest(view, tenant, number, RECENT_CALLS)?;
    Ok(latest.into_iter().map(|(id, call)| call.recent(id)).collect())
}

/// The latest calls of a caller, newest start first, ties by commit.
pub(crate) fn latest(
    view: &impl View,
    tenant: Uuid,
    number: &str,
    most: usize,
) -> Result<Vec<(Uuid, CallRow)>, PortError> {
    let range = (tenant, number, i64::MIN, 0)..=(tenant, number, i64::MAX, u64::MAX);
    CALLS_OF_CALLER.scan(view, range, Order::Descending, most, |_, id| {
        Ok(CALLS.get(view, (tenant, id))?.map(|call| (id, call)))
    })
}

/// What was said in a call.
pub(crate) fn transcript(view: &impl View, tenant: Uuid, call: Uuid) -> Result<Option<Vec<Turn>>, PortError> {
    let turns = TRANSCRIPTS.get(view, (tenant, call))?;
    Ok(turns.map(|turns| turns.into_iter().map(TurnRow::turn).collect()))
}
