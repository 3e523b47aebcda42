//! What tells who is behind a number: the stated names as JSON in the caller's row, and two times beside them.

use domain::{
    call::CallId,
    identity::{StatedName, Trace},
};
use sea_orm::{DatabaseTransaction, DbErr, FromQueryResult};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    row,
    transaction::{read_one, run},
};

/// What a row of `callers` holds of it.
#[derive(FromQueryResult)]
pub(crate) struct TraceRow {
    stated_names: Option<String>,
    last_call_ms: Option<i64>,
    returned_ms: Option<i64>,
}

/// A stated name as it is stored: call, place among statements, name.
#[derive(Serialize, Deserialize)]
struct NameEntry(Uuid, i64, String);

impl From<TraceRow> for Trace {
    /// Names that cannot be decoded are left out.
    fn from(row: TraceRow) -> Self {
        Self::new(decode(row.stated_names.as_deref()), row.last_call_ms, row.returned_ms)
    }
}

fn decode(json: Option<&str>) -> Vec<StatedName> {
    let entries: Vec<NameEntry> = json
        .and_then(|json| row::entries(json, "stated name").ok())
        .unwrap_or_default();
    let stated = |NameEntry(call, at_ms, name)| StatedName {
        call_id: CallId(call),
        at_ms,
        name,
    };
    entries.into_iter().map(stated).collect()
}

/// Changes the stated names of `caller`, whose row the transaction has locked, as `edit` does, which says whether it
/// changed any.
pub(crate) async fn change_names(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    caller: Uuid,
    edit: impl FnOnce(&mut Trace) -> bool + Send,
) -> Result<(), DbErr> {
    let row: Option<NamesRow> = read_one(transaction, NAMES, [tenant.into(), caller.into()]).await?;
    let stored = row.and_then(|row| row.stated_names);
    let mut trace = Trace::new(decode(stored.as_deref()), None, None);
    if !edit(&mut trace) {
        return Ok(());
    }
    let entry = |stated: &StatedName| NameEntry(stated.call_id.0, stated.at_ms, stated.name.clone());
    let entries: Vec<NameEntry> = trace.names().iter().map(entry).collect();
    let json = serde_json::to_string(&entries).map_err(|error| DbErr::Json(error.to_string()))?;
    run(transaction, SET_NAMES, [tenant.into(), caller.into(), json.into()]).await?;
    Ok(())
}

/// A row of [`NAMES`].
#[derive(FromQueryResult)]
struct NamesRow {
    stated_names: Option<String>,
}

const NAMES: &str = "SELECT stated_names FROM callers WHERE tenant_id = $1 AND id = $2";

const SET_NAMES: &str = "UPDATE callers SET stated_names = $3 WHERE tenant_id = $1 AND id = $2";
