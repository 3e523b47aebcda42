//! `usage` and `tenant set`: what look-ups cost, and how much a tenant lets them cost.

use clap::Args;
use domain::port::{CapChange, CapChanges, DailyCaps, Day, Usage};
use serde::Serialize;

use super::{
    Failure,
    access::{Common, TenantName},
    output,
    store::{deadline, needed, now_ms, refused, with_migrated},
    usd::Usd,
};
use crate::storages::Part;

/// How far `usage` looks back when nothing is said.
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

#[derive(Debug, Args)]
pub(super) struct SetCaps {
    /// The tenant
    name: TenantName,
    #[command(flatten)]
    caps: CapFlags,
    #[command(flatten)]
    common: Common,
}

/// The caps to change; one that is left out stays as it is.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct CapFlags {
    /// Paid look-ups that it may use each day (UTC); `none` for no cap
    #[arg(long, value_name = "N", value_parser = lookups)]
    daily_lookups: Option<CapChange>,
    /// Dollars that its look-ups may cost each day (UTC), for example 2.50; `none` for no cap
    #[arg(long, value_name = "USD", value_parser = spend)]
    daily_spend_usd: Option<CapChange>,
}

fn lookups(text: &str) -> Result<CapChange, &'static str> {
    let is_number = text.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<u64>() {
        _ if text == "none" => Ok(CapChange::Lift),
        Ok(cap) if is_number && i64::try_from(cap).is_ok() => Ok(CapChange::Set(cap)),
        _ => Err("expected a whole number of look-ups, or none"),
    }
}

fn spend(text: &str) -> Result<CapChange, &'static str> {
    if text == "none" {
        return Ok(CapChange::Lift);
    }
    text.parse()
        .map(|Usd(micro)| CapChange::Set(micro))
        .map_err(|_| "expected dollars with at most six decimals, for example 2.50, or none")
}

pub(super) fn show_usage(command: ShowUsage) -> Result<(), Failure> {
    let ShowUsage { tenant, since, common } = command;
    let since = since.unwrap_or_else(|| Day(Day::of_ms(now_ms()).0.saturating_sub(DAYS - 1)));
    let usage = with_migrated(&common.database, async |storage| {
        needed(storage.spend_admin(), Part::Spend)?
            .usage(tenant.map(|name| name.0), since, deadline())
            .await
            .map_err(|error| refused(&error))
    })?;
    if common.json {
        return output::json(&usage.iter().map(ShownUsage::from).collect::<Vec<_>>());
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

pub(super) fn set_caps(command: SetCaps) -> Result<(), Failure> {
    let SetCaps {
        name: TenantName(name),
        caps,
        common,
    } = command;
    let changes = CapChanges {
        lookups: caps.daily_lookups.unwrap_or_default(),
        spend_micro_usd: caps.daily_spend_usd.unwrap_or_default(),
    };
    let caps = with_migrated(&common.database, async |storage| {
        needed(storage.spend_admin(), Part::Spend)?
            .change_caps(&name, changes, deadline())
            .await
            .map_err(|error| refused(&error))
    })?;
    if common.json {
        return output::json(&ShownCaps {
            name: &name,
            daily_lookups: caps.lookups,
            daily_spend_micro_usd: caps.spend_micro_usd,
        });
    }
    let [lookups, usd] = cells(caps);
    output::print(&format!("tenant {name}: look-ups a day {lookups}, USD a day {usd}"))
}

/// The caps as listings show them: look-ups, and dollars.
pub(super) fn cells(caps: DailyCaps) -> [String; 2] {
    let none = || "no cap".to_owned();
    [
        caps.lookups.map_or_else(none, |cap| cap.to_string()),
        caps.spend_micro_usd.map_or_else(none, |cap| Usd(cap).to_string()),
    ]
}

#[derive(Serialize)]
struct ShownUsage<'a> {
    day: String,
    tenant: &'a str,
    vendor: &'a str,
    lookups: u64,
    spend_micro_usd: u64,
}

impl<'a> From<&'a Usage> for ShownUsage<'a> {
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

#[derive(Serialize)]
struct ShownCaps<'a> {
    name: &'a str,
    daily_lookups: Option<u64>,
    daily_spend_micro_usd: Option<u64>,
}
