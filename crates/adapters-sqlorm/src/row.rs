//! Rows as structs: each field is read from the column of its name, so that the order of a statement's columns does
//! not matter. Here is what several statements read, with its list of columns; the rest is beside its statement.

use domain::{
    call::{CallId, RecentCall},
    caller::Caller,
    error::PortError,
    json::JsonObject,
};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::{error::undecodable, words};

/// The columns of a [`CallerRow`]: those of `$of`, which is empty or an alias with its point, but for the `$name`.
macro_rules! caller_columns {
    ($of:literal, $name:literal) => {
        concat!(
            $name,
            ", ",
            $of,
            "first_seen_ms, ",
            $of,
            "last_seen_ms, ",
            $of,
            "total_calls, ",
            $of,
            "tags, ",
            $of,
            "custom_attributes"
        )
    };
}

/// The columns of a [`CallRow`], of which `$of` says the table: empty, or an alias with its point.
macro_rules! call_columns {
    ($of:literal) => {
        concat!(
            $of,
            "id, ",
            $of,
            "started_at_ms, ",
            $of,
            "duration_s, ",
            $of,
            "outcome, ",
            $of,
            "summary"
        )
    };
}

pub(crate) use {call_columns, caller_columns};

/// What is shown of a row of `callers`.
#[derive(FromQueryResult)]
pub(crate) struct CallerRow {
    name: Option<String>,
    first_seen_ms: i64,
    last_seen_ms: i64,
    total_calls: i64,
    tags: String,
    custom_attributes: String,
}

/// What is shown of a row of `calls`.
#[derive(FromQueryResult)]
pub(crate) struct CallRow {
    id: Uuid,
    started_at_ms: i64,
    duration_s: f64,
    outcome: String,
    summary: String,
}

impl TryFrom<CallerRow> for Caller {
    type Error = PortError;

    fn try_from(row: CallerRow) -> Result<Self, PortError> {
        Ok(Self {
            name: row.name,
            first_seen_ms: row.first_seen_ms,
            last_seen_ms: row.last_seen_ms,
            total_calls: u64::try_from(row.total_calls).unwrap_or_default(),
            tags: serde_json::from_str(&row.tags).map_err(|_| undecodable("list of tags"))?,
            custom_attributes: JsonObject::from_validated(row.custom_attributes),
        })
    }
}

impl From<CallRow> for RecentCall {
    fn from(row: CallRow) -> Self {
        Self {
            call_id: CallId(row.id),
            started_at_ms: row.started_at_ms,
            duration_s: row.duration_s,
            summary: row.summary,
            outcome: words::outcome(&row.outcome),
        }
    }
}
