//! Rows as structs: each field is read from the column of its name, so that the order of a statement's columns does
//! not matter. Here is what several statements read, with its list of columns; the rest is beside its statement.

use domain::{
    call::{CallId, RecentCall},
    caller::Caller,
    error::PortError,
    json::JsonObject,
};
use sea_orm::FromQueryResult;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::{
    error::{leave_out, undecodable},
    words,
};

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

impl CallerRow {
    /// The caller as calls show them, without tags that cannot be decoded: the rest is worth more than they are.
    pub(crate) fn shown(self) -> Caller {
        let tags = serde_json::from_str(&self.tags).unwrap_or_else(|_| {
            leave_out(TAGS);
            Vec::new()
        });
        self.with_tags(tags)
    }

    /// The caller as the operator sees and changes them, which nothing may be missing from.
    pub(crate) fn whole(self) -> Result<Caller, PortError> {
        let tags = serde_json::from_str(&self.tags).map_err(|_| undecodable(TAGS))?;
        Ok(self.with_tags(tags))
    }

    fn with_tags(self, tags: Vec<String>) -> Caller {
        Caller {
            name: self.name,
            first_seen_ms: self.first_seen_ms,
            last_seen_ms: self.last_seen_ms,
            total_calls: u64::try_from(self.total_calls).unwrap_or_default(),
            tags,
            custom_attributes: JsonObject::from_validated(self.custom_attributes),
        }
    }
}

const TAGS: &str = "list of tags";

/// The entries of a JSON array that a statement made of rows, without those that cannot be decoded as a `what`.
pub(crate) fn entries<T: DeserializeOwned>(json: &str, what: &'static str) -> Result<Vec<T>, PortError> {
    // One entry after the other only where it has to be.
    if let Ok(entries) = serde_json::from_str(json) {
        return Ok(entries);
    }
    let entries: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| undecodable(what))?;
    let decoded = entries.into_iter().filter_map(|entry| {
        let decoded = serde_json::from_str(entry.get());
        decoded.inspect_err(|_| leave_out(what)).ok()
    });
    Ok(decoded.collect())
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
