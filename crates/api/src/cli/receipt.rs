//! `receipt show` and `receipt stats`: what recalls answered, held against how their calls ended.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use domain::{
    call::{CallOutcome, SessionId},
    receipt::{CallerState, Group, Receipt, ReceiptId, ShownReceipt, Stats, Tally},
};
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use super::{
    common::{Common, TenantName},
    failure::Failure,
    output,
    store::{deadline, needed, now_ms, refused, with_migrated},
};
use crate::{config::whole, storage_parts::Part};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show what a recall answered, and how its call ended
    Show(Show),
    /// Count recalls and the outcomes of their calls: known, new and degraded, with and without enrichment
    Stats(ShowStats),
}

#[derive(Debug, Args)]
pub(super) struct Show {
    /// The answer's `context_audit_id`
    id: ReceiptId,
    /// The tenant it must belong to; any when left out
    #[arg(long, value_name = "NAME")]
    tenant: Option<TenantName>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
pub(super) struct ShowStats {
    /// The tenant; all when left out
    #[arg(long, value_name = "NAME")]
    tenant: Option<TenantName>,
    /// How many days to look back, each of 24 hours
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<u32>(1..=3650))]
    days: u32,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Show(command) => show(command),
        Command::Stats(command) => stats(command),
    }
}

fn show(command: Show) -> Result<(), Failure> {
    let Show { id, tenant, common } = command;
    common.must_exist()?;
    let of_tenant = tenant
        .as_ref()
        .map_or_else(String::new, |name| format!(" in the tenant `{}`", name.0));
    let shown = with_migrated(&common.database, async |storage| {
        needed(storage.receipts(), Part::Receipts)?
            .show(tenant.map(|name| name.0), id, deadline())
            .await
            .map_err(|error| refused(&error))
    })?;
    let shown = shown.ok_or_else(|| {
        Failure::Failed(format!(
            "no receipt has the id {id}{of_tenant}; `caller-memory serve` keeps them only while \
             CALLER_MEMORY_FEEDBACK_LOOP is true, and this one may not have been written yet, was dropped under load, \
             or is older than CALLER_MEMORY_RECEIPT_DAYS"
        ))
    })?;
    let response = std::str::from_utf8(&shown.receipt.response)
        .map_err(|_| Failure::Failed("the stored response is not text".to_owned()))?;
    if common.json {
        return output::json(&ReceiptJson::new(&shown, response)?);
    }
    output::print(card(&shown, response).trim_end())
}

/// The receipt as a person reads it.
fn card(shown: &ShownReceipt, response: &str) -> String {
    let ShownReceipt {
        receipt,
        tenant,
        outcome,
    } = shown;
    let session = receipt.session_id.as_ref().map(|SessionId(id)| output::printable(id));
    let ended = match (&session, outcome) {
        (_, Some(outcome)) => outcome.as_str(),
        (Some(_), None) => "not ended",
        (None, None) => "unknown: the recall gave no session_id",
    };
    let enriched = if receipt.group.enriched { "with" } else { "without" };
    let lines = [
        ("receipt", receipt.id.to_string()),
        ("tenant", tenant.clone()),
        ("trace", receipt.trace_id.clone()),
        ("when", output::moment(receipt.at_ms)),
        ("number", receipt.number.as_e164().to_owned()),
        ("session", session.unwrap_or_else(|| "-".to_owned())),
        ("deadline", format!("{} ms", receipt.deadline_ms)),
        ("cut", list(&receipt.cut)),
        (
            "caller",
            format!("{}, {enriched} enrichment", receipt.group.caller.as_str()),
        ),
        ("outcome", ended.to_owned()),
    ];
    let mut card = String::new();
    for (name, value) in lines {
        let _ = writeln!(card, "{name:<9} {value}");
    }
    let pretty = serde_json::from_str::<Value>(response)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| response.to_owned());
    for line in pretty.lines() {
        let _ = writeln!(card, "{}", output::printable(line));
    }
    card
}

fn list(cut: &[String]) -> String {
    if cut.is_empty() {
        "nothing".to_owned()
    } else {
        output::printable(&cut.join(", "))
    }
}

fn stats(command: ShowStats) -> Result<(), Failure> {
    let ShowStats { tenant, days, common } = command;
    let tenant = tenant.map(|name| name.0);
    let since_ms = now_ms().saturating_sub(i64::from(days) * DAY_MS);
    common.must_exist()?;
    let Stats(groups) = with_migrated(&common.database, async |storage| {
        needed(storage.receipts(), Part::Receipts)?
            .stats(tenant.clone(), since_ms, deadline())
            .await
            .map_err(|error| refused(&error))
    })?;
    if common.json {
        return output::json(&StatsJson {
            tenant,
            since_ms,
            groups: groups.into_iter().map(GroupJson::from).collect(),
        });
    }
    if groups.iter().all(|(_, tally)| tally.receipts == 0) {
        return output::print(
            "no receipts in this period; `caller-memory serve` keeps them when CALLER_MEMORY_FEEDBACK_LOOP is true",
        );
    }
    let rows: Vec<_> = groups
        .into_iter()
        .map(|(Group { caller, enriched }, tally)| {
            let [booked, quoted, callback, unanswered, other] = tally.outcomes.map(|count| count.to_string());
            [
                caller.as_str().to_owned(),
                if enriched { "with" } else { "without" }.to_owned(),
                tally.receipts.to_string(),
                tally.ended().to_string(),
                booked,
                quoted,
                callback,
                unanswered,
                other,
            ]
        })
        .collect();
    let [booked, quoted, callback, unanswered, other] = CallOutcome::ALL.map(|outcome| outcome.as_str().to_uppercase());
    let headings = [
        "CALLER",
        "ENRICHMENT",
        "RECALLS",
        "ENDED",
        &booked,
        &quoted,
        &callback,
        &unanswered,
        &other,
    ];
    output::print(&output::table(headings, &rows))
}

#[derive(Serialize)]
struct ReceiptJson<'a> {
    id: String,
    tenant: &'a str,
    trace_id: &'a str,
    at_ms: i64,
    phone_number: &'a str,
    session_id: Option<&'a str>,
    deadline_ms: u64,
    cut: &'a [String],
    known: bool,
    degraded: bool,
    enriched: bool,
    outcome: Option<&'static str>,
    response: &'a RawValue,
    /// The body byte for byte: what a JSON reader makes of this string is what the client got.
    response_text: &'a str,
}

impl<'a> ReceiptJson<'a> {
    fn new(shown: &'a ShownReceipt, response: &'a str) -> Result<Self, Failure> {
        let Receipt {
            id,
            tenant: _,
            at_ms,
            trace_id,
            number,
            session_id,
            deadline_ms,
            cut,
            group,
            response: _,
        } = &shown.receipt;
        Ok(Self {
            id: id.to_string(),
            tenant: &shown.tenant,
            trace_id,
            at_ms: *at_ms,
            phone_number: number.as_e164(),
            session_id: session_id.as_ref().map(|SessionId(id)| id.as_str()),
            deadline_ms: *deadline_ms,
            cut,
            known: group.caller == CallerState::Known,
            degraded: group.caller == CallerState::Degraded,
            enriched: group.enriched,
            outcome: shown.outcome.map(CallOutcome::as_str),
            response: serde_json::from_str(response)
                .map_err(|_| Failure::Failed("the stored response is not JSON".to_owned()))?,
            response_text: response,
        })
    }
}

#[derive(Serialize)]
struct StatsJson {
    tenant: Option<String>,
    since_ms: i64,
    groups: Vec<GroupJson>,
}

#[derive(Serialize)]
struct GroupJson {
    caller: &'static str,
    enriched: bool,
    receipts: u64,
    ended: u64,
    outcomes: Map<String, Value>,
}

impl From<(Group, Tally)> for GroupJson {
    fn from((group, tally): (Group, Tally)) -> Self {
        let outcomes = CallOutcome::ALL.iter().zip(tally.outcomes);
        Self {
            caller: group.caller.as_str(),
            enriched: group.enriched,
            receipts: tally.receipts,
            ended: tally.ended(),
            outcomes: outcomes
                .map(|(outcome, count)| (outcome.as_str().to_owned(), count.into()))
                .collect(),
        }
    }
}
