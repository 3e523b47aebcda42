//! `usage`: what look-ups cost.

use clap::Args;
use domain::port::{Day, Usage};
use serde::Serialize;

use super::{
    common::{Common, TenantName},
    failure::Failure,
    output,
    store::{deadline, needed, now_ms, refused, with_migrated},
    usd::Usd,
};
use crate::storage_parts::Part;

/// How far `usage` looks back by default, in days.
const DAYS: i32 = 30;

#[derive(Debug, Args)]
pub(super) struct ShowUsage {
    /// The tenant; all when left out
    #[arg(long, value_name = "NAME")]
    tenant: Option<TenantName>,
    /// The first day, for example 2026-11-01; days are in UTC; the last 30 days when left out
    #[arg(long, value_name = "DAY")]
    since: Option<Day>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(command: ShowUsage) -> Result<(), Failure> {
    let ShowUsage { tenant, since, common } = command;
    let since = since.unwrap_or_else(|| Day(Day::of_ms(now_ms()).0.saturating_sub(DAYS - 1)));
    common.must_exist()?;
    let usage = with_migrated(&common.database, async |storage| {
        needed(storage.spend_admin(), Part::Spend)?
            .usage(tenant.map(|name| name.0), since, deadline())
            .await
            .map_err(|error| refused(&error))
    })?;
    if common.json {
        return output::json(&usage.iter().map(UsageJson::from).collect::<Vec<_>>());
    }
    if usage.is_empty() {
        return output::print(&format!("no look-ups were paid for since {since}"));
    }
    let rows: Vec<_> = usage
        .into_iter()
        .map(|row| {
            [
                row.day.to_string(),
                row.tenant,
                row.vendor,
                row.lookups.to_string(),
                Usd(row.spend_micro_usd).to_string(),
            ]
        })
        .collect();
    output::print(&output::table(["DAY", "TENANT", "VENDOR", "LOOK-UPS", "USD"], &rows))
}

#[derive(Serialize)]
struct UsageJson<'a> {
    day: String,
    tenant: &'a str,
    vendor: &'a str,
    lookups: u64,
    spend_micro_usd: u64,
}

impl<'a> From<&'a Usage> for UsageJson<'a> {
    fn from(usage: &'a Usage) -> Self {
        Self {
            day: usage.day.to_string(),
            tenant: &usage.tenant,
            vendor: &usage.vendor,
            lookups: usage.lookups,
            spend_micro_usd: usage.spend_micro_usd,
        }
    }
}
