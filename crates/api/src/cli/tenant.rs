//! `tenant`: who may use the service, where its numbers are from, and how much it may use.

use std::{collections::BTreeMap, num::NonZeroU32};

use clap::{Args, Subcommand};
use domain::{
    access::{OnRefusedConsent, SettingsChange, Tenant, TenantSettings},
    caller::Change,
    identity::IdentityMode,
    phone::Region,
    port::{CapChange, CapChanges, DailyCaps, access::NewTenant},
    time_zone::TimeZone,
};
use serde::Serialize;

use super::{
    common::{Common, TenantName},
    failure::Failure,
    output,
    store::{deadline, needed, now_ms, refused, with_migrated},
    usd::Usd,
};
use crate::{config::positive, storage_parts::Part};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a tenant
    Create(Create),
    /// List the tenants
    List(Common),
    /// Change a tenant's settings and daily caps; what is left out stays as it is
    Set(Set),
}

#[derive(Debug, Args)]
pub(super) struct Create {
    /// Its name: 1 to 64 letters, digits, `-`, `_` or `.`, a letter or digit first
    name: TenantName,
    /// The region of its national phone numbers, for example US; the service's default when left out
    #[arg(long, value_name = "REGION")]
    default_region: Option<Region>,
    /// Requests per second that each of its keys may keep up; the service's default when left out
    #[arg(long, value_name = "N", value_parser = positive)]
    rate_per_second: Option<NonZeroU32>,
    /// Requests that each of its keys may send at once; the service's default when left out
    #[arg(long, value_name = "N", value_parser = positive)]
    rate_burst: Option<NonZeroU32>,
    /// Where its days begin, a name of the IANA database such as `America/New_York`; UTC when left out
    #[arg(long, value_name = "TZ")]
    time_zone: Option<TimeZone>,
    /// What to do where a known number may have another person behind it: `off`, nothing; `confirm`, advise to ask
    /// first; `strict`, withhold what may be another person's; `confirm` when left out
    #[arg(long, value_name = "MODE")]
    identity: Option<IdentityMode>,
    /// What is kept of a call in which the caller refuses consent to recording or keeping it: `store` for everything,
    /// `metadata-only` for neither the transcript nor what was made of its words
    #[arg(long, value_name = "WHAT")]
    on_refused_consent: Option<OnRefusedConsent>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
pub(super) struct Set {
    /// The tenant
    name: TenantName,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    common: Common,
}

/// What to change; what is left out stays as it is.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Changes {
    /// The region of its national phone numbers, for example US; `default` for the service's default
    #[arg(long, value_name = "REGION", value_parser = region)]
    default_region: Option<Change<Region>>,
    /// Requests per second that each of its keys may keep up; `default` for the service's default
    #[arg(long, value_name = "N", value_parser = rate)]
    rate_per_second: Option<Change<NonZeroU32>>,
    /// Requests that each of its keys may send at once; `default` for the service's default
    #[arg(long, value_name = "N", value_parser = rate)]
    rate_burst: Option<Change<NonZeroU32>>,
    /// Where its days begin, a name of the IANA database such as `America/New_York`; `default` for UTC
    #[arg(long, value_name = "TZ", value_parser = time_zone)]
    time_zone: Option<Change<TimeZone>>,
    /// What to do where a known number may have another person behind it: `off`, nothing; `confirm`, advise to ask
    /// first; `strict`, withhold what may be another person's
    #[arg(long, value_name = "MODE")]
    identity: Option<IdentityMode>,
    /// What is kept of a call in which the caller refuses consent to recording or keeping it: `store` for everything,
    /// `metadata-only` for neither the transcript nor what was made of its words
    #[arg(long, value_name = "WHAT")]
    on_refused_consent: Option<OnRefusedConsent>,
    /// Paid look-ups that it may use each day (UTC); `none` for no cap
    #[arg(long, value_name = "N", value_parser = lookups)]
    daily_lookups: Option<CapChange>,
    /// Dollars that its look-ups may cost each day (UTC), for example 2.50; `none` for no cap
    #[arg(long, value_name = "USD", value_parser = spend)]
    daily_spend_usd: Option<CapChange>,
}

/// What returns a setting of the tenant to that of the service.
const DEFAULT: &str = "default";

fn region(text: &str) -> Result<Change<Region>, String> {
    if text == DEFAULT {
        return Ok(Change::Clear);
    }
    text.parse()
        .map(Change::Set)
        .map_err(|error| format!("{error}, or {DEFAULT}"))
}

fn time_zone(text: &str) -> Result<Change<TimeZone>, String> {
    if text == DEFAULT {
        return Ok(Change::Clear);
    }
    text.parse()
        .map(Change::Set)
        .map_err(|error| format!("{error}, or {DEFAULT}"))
}

fn rate(text: &str) -> Result<Change<NonZeroU32>, String> {
    if text == DEFAULT {
        return Ok(Change::Clear);
    }
    positive(text)
        .map(Change::Set)
        .map_err(|error| format!("{error}, or {DEFAULT}"))
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

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(command) => create(command),
        Command::List(common) => list(&common),
        Command::Set(command) => set(command),
    }
}

fn create(command: Create) -> Result<(), Failure> {
    let Create {
        name,
        default_region,
        rate_per_second,
        rate_burst,
        time_zone,
        identity,
        on_refused_consent,
        common,
    } = command;
    let new = NewTenant {
        name: name.0,
        settings: TenantSettings {
            region: default_region,
            rate_per_second,
            rate_burst,
            time_zone,
            identity,
            on_refused_consent,
        },
    };
    let tenant = common.admin(async |access| access.create_tenant(&new, now_ms(), deadline()).await)?;
    if common.json {
        return output::json(&TenantJson::new(&tenant, DailyCaps::default()));
    }
    let name = &tenant.name;
    output::print(&format!(
        "tenant {name} created; `caller-memory key create --tenant {name}` makes a key for it"
    ))
}

fn list(common: &Common) -> Result<(), Failure> {
    let (tenants, caps) = with_migrated(&common.database, async |storage| {
        let tenants = storage.access().tenants(deadline()).await;
        let caps = match storage.spend_admin() {
            Some(spend) => spend.caps(deadline()).await,
            // A storage that counts no spend caps none.
            None => Ok(BTreeMap::new()),
        };
        Ok((
            tenants.map_err(|error| refused(&error))?,
            caps.map_err(|error| refused(&error))?,
        ))
    })?;
    let capped: Vec<_> = tenants
        .iter()
        .map(|tenant| (tenant, caps.get(&tenant.name).copied().unwrap_or_default()))
        .collect();
    if common.json {
        let listed = capped.into_iter().map(|(tenant, caps)| TenantJson::new(tenant, caps));
        return output::json(&listed.collect::<Vec<_>>());
    }
    if capped.is_empty() {
        return output::print(
            "no tenants yet; the first start of `caller-memory serve` creates `default`, and `caller-memory tenant \
             create NAME` another",
        );
    }
    print_table(&capped)
}

/// Changes the tenant first and its caps afterwards; each is one unit.
fn set(command: Set) -> Result<(), Failure> {
    let Set {
        name: TenantName(name),
        changes,
        common,
    } = command;
    let change = SettingsChange {
        region: changes.default_region.unwrap_or_default(),
        rate_per_second: changes.rate_per_second.unwrap_or_default(),
        rate_burst: changes.rate_burst.unwrap_or_default(),
        time_zone: changes.time_zone.unwrap_or_default(),
        identity: changes.identity.map_or(Change::Keep, Change::Set),
        on_refused_consent: changes.on_refused_consent.map_or(Change::Keep, Change::Set),
    };
    let caps = CapChanges {
        lookups: changes.daily_lookups.unwrap_or_default(),
        spend_micro_usd: changes.daily_spend_usd.unwrap_or_default(),
    };
    let (tenant, caps) = with_migrated(&common.database, async |storage| {
        let spend = match storage.spend_admin() {
            None if caps != CapChanges::default() => Some(needed(None, Part::Spend)?),
            spend => spend,
        };
        let tenant = storage.access().change_tenant(&name, &change, deadline()).await;
        let tenant = tenant.map_err(|error| refused(&error))?;
        let caps = match spend {
            Some(spend) => spend.change_caps(&name, caps, deadline()).await,
            None => Ok(DailyCaps::default()),
        };
        Ok((tenant, caps.map_err(|error| refused(&error))?))
    })?;
    if common.json {
        return output::json(&TenantJson::new(&tenant, caps));
    }
    print_table(&[(&tenant, caps)])
}

fn print_table(tenants: &[(&Tenant, DailyCaps)]) -> Result<(), Failure> {
    let own = |value: Option<String>| value.unwrap_or_else(|| DEFAULT.to_owned());
    let no_cap = || "no cap".to_owned();
    let rows: Vec<_> = tenants
        .iter()
        .map(|(tenant, caps)| {
            [
                tenant.name.clone(),
                own(tenant.settings.region.map(|region| region.as_str().to_owned())),
                own(tenant.settings.rate_per_second.map(|rate| rate.to_string())),
                own(tenant.settings.rate_burst.map(|burst| burst.to_string())),
                tenant.settings.time_zone.unwrap_or_default().to_string(),
                tenant.settings.identity.unwrap_or_default().as_str().to_owned(),
                caps.lookups.map_or_else(no_cap, |cap| cap.to_string()),
                caps.spend_micro_usd.map_or_else(no_cap, |cap| Usd(cap).to_string()),
                kept(tenant).to_owned(),
                output::moment(tenant.created_at_ms),
                tenant.id.to_string(),
            ]
        })
        .collect();
    output::print(&output::table(
        [
            "NAME",
            "REGION",
            "RATE/S",
            "BURST",
            "TIME ZONE",
            "IDENTITY",
            "LOOK-UPS/DAY",
            "USD/DAY",
            "ON REFUSED CONSENT",
            "CREATED",
            "ID",
        ],
        &rows,
    ))
}

/// What is kept of a call in which the caller refuses consent.
fn kept(tenant: &Tenant) -> &'static str {
    let kept = tenant.settings.on_refused_consent;
    kept.unwrap_or(OnRefusedConsent::Store).as_str()
}

#[derive(Serialize)]
struct TenantJson<'a> {
    id: String,
    name: &'a str,
    default_region: Option<&'a str>,
    rate_per_second: Option<NonZeroU32>,
    rate_burst: Option<NonZeroU32>,
    time_zone: &'static str,
    identity: &'static str,
    on_refused_consent: &'static str,
    daily_lookups: Option<u64>,
    daily_spend_micro_usd: Option<u64>,
    created_at_ms: i64,
}

impl<'a> TenantJson<'a> {
    fn new(tenant: &'a Tenant, caps: DailyCaps) -> Self {
        Self {
            id: tenant.id.to_string(),
            name: &tenant.name,
            default_region: tenant.settings.region.as_ref().map(Region::as_str),
            rate_per_second: tenant.settings.rate_per_second,
            rate_burst: tenant.settings.rate_burst,
            time_zone: tenant.settings.time_zone.unwrap_or_default().as_str(),
            identity: tenant.settings.identity.unwrap_or_default().as_str(),
            on_refused_consent: kept(tenant),
            daily_lookups: caps.lookups,
            daily_spend_micro_usd: caps.spend_micro_usd,
            created_at_ms: tenant.created_at_ms,
        }
    }
}
