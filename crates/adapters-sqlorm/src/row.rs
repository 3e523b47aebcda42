//! Rows as structs: each field is read from the column of its name, so that the order of a statement's columns does
//! not matter. Here is what several statements read, with its list of columns; the rest is beside its statement.

use domain::{
    call::{CallId, RecentCall},
    caller::{Caller, DoNotCall},
    correction::Correction,
    error::PortError,
    json::JsonObject,
    memory::RECENT_CALLS,
};
use sea_orm::FromQueryResult;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::{
    correction::{self, CORRECTIONS},
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
            "custom_attributes, ",
            $of,
            "corrections, ",
            $of,
            "do_not_call_ms, ",
            $of,
            "do_not_call_quote, ",
            $of,
            "do_not_call_id"
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

/// The latest calls of the caller `$caller` of the tenant `$1`, each a [`CallRow`].
macro_rules! recent_calls {
    ($caller:literal) => {
        concat!(
            "SELECT ",
            $crate::row::call_columns!(""),
            " FROM calls WHERE tenant_id = $1 AND caller_id = ",
            $caller,
            " ORDER BY started_at_ms DESC, id DESC LIMIT 5"
        )
    };
}
const _: () = assert!(RECENT_CALLS == 5, "the limit in the statement above");

pub(crate) use {call_columns, caller_columns, recent_calls};

/// A caller who was first seen at `now_ms`.
pub(crate) fn first_seen(now_ms: i64) -> Caller {
    Caller {
        name: None,
        first_seen_ms: now_ms,
        last_seen_ms: now_ms,
        total_calls: 0,
        tags: Vec::new(),
        custom_attributes: JsonObject::default(),
        corrections: Vec::new(),
        do_not_call: None,
    }
}

/// What is shown of a row of `callers`.
#[derive(FromQueryResult)]
pub(crate) struct CallerRow {
    name: Option<String>,
    first_seen_ms: i64,
    last_seen_ms: i64,
    total_calls: i64,
    tags: String,
    custom_attributes: String,
    corrections: String,
    #[sea_orm(nested)]
    pub(crate) do_not_call: MarkRow,
}

/// The mark of a caller who does not want to be called, in a row of `callers`.
#[derive(FromQueryResult)]
#[expect(clippy::struct_field_names, reason = "the fields have the names of their columns")]
pub(crate) struct MarkRow {
    do_not_call_ms: Option<i64>,
    do_not_call_quote: Option<String>,
    do_not_call_id: Option<Uuid>,
}

impl MarkRow {
    /// The mark, when there is one.
    pub(crate) fn mark(self) -> Option<DoNotCall> {
        Some(DoNotCall {
            at_ms: self.do_not_call_ms?,
            quote: self.do_not_call_quote,
            call_id: self.do_not_call_id.map(CallId),
        })
    }
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
    /// The caller as calls show them, without tags and attributes that cannot be decoded: the rest is worth more than
    /// they are.
    pub(crate) fn shown(self) -> Caller {
        let tags = self.tags().unwrap_or_else(|| {
            leave_out(TAGS);
            Vec::new()
        });
        let attributes = self.attributes().unwrap_or_else(|| {
            leave_out(ATTRIBUTES);
            JsonObject::default()
        });
        let corrections = correction::shown(&self.corrections);
        self.with(tags, attributes, corrections)
    }

    /// The caller as the operator sees and changes them, which nothing may be missing from.
    pub(crate) fn whole(self) -> Result<Caller, PortError> {
        let tags = self.tags().ok_or_else(|| undecodable(TAGS))?;
        let attributes = self.attributes().ok_or_else(|| undecodable(ATTRIBUTES))?;
        let corrections = correction::whole(&self.corrections).ok_or_else(|| undecodable(CORRECTIONS))?;
        Ok(self.with(tags, attributes, corrections))
    }

    fn tags(&self) -> Option<Vec<String>> {
        serde_json::from_str(&self.tags).ok()
    }

    fn attributes(&self) -> Option<JsonObject> {
        let is_json = serde_json::from_str::<IgnoredAny>(&self.custom_attributes).is_ok();
        let is_object = is_json && self.custom_attributes.trim_start().starts_with('{');
        is_object.then(|| JsonObject::from_validated(self.custom_attributes.clone()))
    }

    fn with(self, tags: Vec<String>, custom_attributes: JsonObject, corrections: Vec<Correction>) -> Caller {
        Caller {
            name: self.name,
            first_seen_ms: self.first_seen_ms,
            last_seen_ms: self.last_seen_ms,
            total_calls: u64::try_from(self.total_calls).unwrap_or_default(),
            tags,
            custom_attributes,
            corrections,
            do_not_call: self.do_not_call.mark(),
        }
    }
}

const TAGS: &str = "list of tags";
const ATTRIBUTES: &str = "object of custom attributes";

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
