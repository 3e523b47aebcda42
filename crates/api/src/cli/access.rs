//! `tenant` and `key`: who may use the service. A new key is printed once and kept nowhere.

use std::{collections::BTreeMap, num::NonZeroU32, str::FromStr};

use adapters_auth::ApiKey;
use clap::{Args, Subcommand};
use domain::{
    access::{KeyId, KeyInfo, NewKey, Scope, Scopes, Tenant},
    phone::Region,
    port::{AccessAdmin, AdminError, DailyCaps, access::NewTenant},
};
use serde::Serialize;
use uuid::Uuid;

use super::{
    Failure, output,
    span::Span,
    spend::{self, SetCaps},
    store::{deadline, now_ms, refused, with_migrated},
};
use crate::{
    config::{DatabaseSettings, positive},
    error::Chain,
};

#[derive(Debug, Subcommand)]
pub(super) enum TenantCommand {
    /// Create a tenant
    Create {
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
        #[command(flatten)]
        common: Common,
    },
    /// List the tenants
    List(Common),
    /// Set or lift the daily caps on a tenant's paid look-ups; they hold for the next look-up
    Set(SetCaps),
}

#[derive(Debug, Subcommand)]
pub(super) enum KeyCommand {
    /// Create a key and print it, once
    Create {
        /// The tenant the key is for
        #[arg(long, value_name = "NAME")]
        tenant: TenantName,
        /// What the key may do: recall, calls:write, callers:read; may be repeated; all when left out
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<Scope>,
        /// A note to recognise the key by
        #[arg(long, value_name = "TEXT", value_parser = label)]
        label: Option<String>,
        /// When the key ends, for example 90d or 24h from now; never when left out
        #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
        expires_in: Option<Span>,
        #[command(flatten)]
        common: Common,
    },
    /// List a tenant's keys, the revoked ones included; the keys themselves cannot be shown
    List {
        /// The tenant
        #[arg(long, value_name = "NAME")]
        tenant: TenantName,
        #[command(flatten)]
        common: Common,
    },
    /// Revoke a key
    Revoke {
        /// The key's id, as `key list` shows it
        #[arg(value_parser = key_id)]
        id: KeyId,
        #[command(flatten)]
        common: Common,
    },
    /// Replace a key by a new one with the same tenant, scopes, label and expiry, and print that, once
    Rotate {
        /// The old key's id, as `key list` shows it
        #[arg(value_parser = key_id)]
        id: KeyId,
        /// How long the old key stays valid beside the new one
        #[arg(long, value_name = "SPAN", default_value = "24h", allow_hyphen_values = true)]
        grace: Span,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Debug, Args)]
pub(super) struct Common {
    /// Print one JSON value and nothing else
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseSettings,
}

impl Common {
    /// Does `work` on the store of keys and tenants.
    fn admin<T>(&self, work: impl AsyncFnOnce(&dyn AccessAdmin) -> Result<T, AdminError>) -> Result<T, Failure> {
        with_migrated(&self.database, async |storage| {
            let access = storage.access();
            work(access.as_ref()).await.map_err(|error| refused(&error))
        })
    }
}

/// A tenant's name in a shape that scripts, logs and metrics can carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TenantName(pub(super) String);

#[derive(Debug, thiserror::Error)]
#[error("a tenant's name has 1 to 64 letters (a to z), digits, `-`, `_` or `.`, and begins with a letter or digit")]
pub(super) struct NotATenantName;

impl FromStr for TenantName {
    type Err = NotATenantName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        let fits = (1..=64).contains(&name.len())
            && name.bytes().all(allowed)
            && name.starts_with(|first: char| first.is_ascii_alphanumeric());
        fits.then(|| Self(name.to_owned())).ok_or(NotATenantName)
    }
}

fn label(text: &str) -> Result<String, &'static str> {
    let fits = !text.trim().is_empty() && text.chars().count() <= 200 && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
        .ok_or("a label is one line of 1 to 200 characters")
}

fn key_id(text: &str) -> Result<KeyId, &'static str> {
    Uuid::try_parse(text)
        .map(KeyId)
        .map_err(|_| "expected a key's id, as `caller-memory key list --tenant NAME` shows it")
}

pub(super) fn tenant(command: TenantCommand) -> Result<(), Failure> {
    match command {
        TenantCommand::Create {
            name,
            default_region,
            rate_per_second,
            rate_burst,
            common,
        } => {
            let new = NewTenant {
                name: name.0,
                region: default_region,
                rate_per_second,
                rate_burst,
            };
            let tenant = common.admin(async |store| store.create_tenant(&new, now_ms(), deadline()).await)?;
            if common.json {
                return output::json(&ShownTenant::new(&tenant, DailyCaps::default()));
            }
            let name = &tenant.name;
            output::print(&format!(
                "tenant {name} created; `caller-memory key create --tenant {name}` makes a key for it"
            ))
        }
        TenantCommand::List(common) => {
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
            let capped = tenants
                .iter()
                .map(|tenant| (tenant, caps.get(&tenant.name).copied().unwrap_or_default()));
            if common.json {
                let shown = capped.map(|(tenant, caps)| ShownTenant::new(tenant, caps));
                return output::json(&shown.collect::<Vec<_>>());
            }
            let rows: Vec<_> = capped
                .map(|(tenant, caps)| {
                    let [lookups, usd] = spend::cells(caps);
                    [
                        tenant.name.clone(),
                        tenant
                            .region
                            .map_or_else(|| "default".to_owned(), |region| region.as_str().to_owned()),
                        number(tenant.rate_per_second),
                        number(tenant.rate_burst),
                        lookups,
                        usd,
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
                    "LOOK-UPS/DAY",
                    "USD/DAY",
                    "CREATED",
                    "ID",
                ],
                &rows,
            ))
        }
        TenantCommand::Set(command) => spend::set_caps(command),
    }
}

pub(super) fn key(command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Create {
            tenant,
            scopes,
            label,
            expires_in,
            common,
        } => {
            let now = now_ms();
            let scopes = if scopes.is_empty() {
                Scopes::all()
            } else {
                scopes.into_iter().collect()
            };
            let key = generate()?;
            let new = NewKey {
                label,
                expires_at_ms: expires_in.map(|span| span.after(now)),
                ..stored(&key, scopes)
            };
            let info = common.admin(async |store| store.create_key(&tenant.0, &new, now, deadline()).await)?;
            show_new(&key, &info, common.json, "")
        }
        KeyCommand::List { tenant, common } => {
            let keys = common.admin(async |store| store.keys(&tenant.0, deadline()).await)?;
            if common.json {
                return output::json(&keys.iter().map(ShownKey::from).collect::<Vec<_>>());
            }
            let now = now_ms();
            let rows: Vec<_> = keys.iter().map(|key| row(key, now)).collect();
            output::print(&output::table(
                ["ID", "KEY", "STATE", "SCOPES", "CREATED", "LABEL"],
                &rows,
            ))
        }
        KeyCommand::Revoke { id, common } => {
            let info = common.admin(async |store| store.revoke_key(id, now_ms(), deadline()).await)?;
            if common.json {
                return output::json(&ShownKey::from(&info));
            }
            output::print(&format!(
                "key {id} ({}...) is revoked; running services refuse it within CALLER_MEMORY_AUTH_CACHE_S, 30 s unless set otherwise",
                info.shown
            ))
        }
        KeyCommand::Rotate { id, grace, common } => {
            let now = now_ms();
            let old_ends = grace.after(now);
            let key = generate()?;
            let new = stored(&key, Scopes::default());
            let info = common.admin(async |store| store.rotate_key(id, &new, now, old_ends, deadline()).await)?;
            show_new(
                &key,
                &info,
                common.json,
                &format!(
                    "\nThe old key {id} ends on {}, or sooner if it was to.",
                    output::moment(old_ends)
                ),
            )
        }
    }
}

fn generate() -> Result<ApiKey, Failure> {
    ApiKey::generate().map_err(|error| Failure::Failed(Chain(&error).to_string()))
}

/// What is stored of a key, without label and expiry.
fn stored(key: &ApiKey, scopes: Scopes) -> NewKey {
    NewKey {
        hash: key.hash(),
        shown: key.shown().to_owned(),
        scopes,
        label: None,
        expires_at_ms: None,
    }
}

/// Prints a new key: the only time that anybody sees it.
fn show_new(key: &ApiKey, info: &KeyInfo, json: bool, note: &str) -> Result<(), Failure> {
    let scopes: Vec<_> = names(info.scopes).collect();
    let printed = if json {
        output::json(&CreatedKey {
            id: info.id.to_string(),
            key: key.as_str(),
            tenant: &info.tenant,
            scopes,
            expires_at_ms: info.expires_at_ms,
        })
    } else {
        output::print(&format!(
            "key      {}\nid       {}\ntenant   {}\nscopes   {}\nexpires  {}\n\nKeep the key now: it is stored as a hash only and cannot be shown again.{note}",
            key.as_str(),
            info.id,
            info.tenant,
            scopes.join(" "),
            info.expires_at_ms.map_or_else(|| "never".to_owned(), output::moment),
        ))
    };
    printed.map_err(|failure| {
        let (Failure::Failed(why) | Failure::Usage(why)) = failure;
        Failure::Failed(format!(
            "{why}; the key {0} was created all the same, so end it with `caller-memory key revoke {0}`",
            info.id
        ))
    })
}

fn row(key: &KeyInfo, now_ms: i64) -> [String; 6] {
    let state = match (key.revoked_at_ms, key.expires_at_ms) {
        (Some(at), _) => format!("revoked {}", output::moment(at)),
        (None, Some(at)) if at <= now_ms => format!("expired {}", output::moment(at)),
        (None, Some(at)) => format!("until {}", output::moment(at)),
        (None, None) => "valid".to_owned(),
    };
    [
        key.id.to_string(),
        format!("{}...", key.shown),
        state,
        names(key.scopes).collect::<Vec<_>>().join(" "),
        output::moment(key.created_at_ms),
        key.label.clone().unwrap_or_default(),
    ]
}

fn names(scopes: Scopes) -> impl Iterator<Item = &'static str> {
    scopes.iter().map(Scope::as_str)
}

fn number(value: Option<NonZeroU32>) -> String {
    value.map_or_else(|| "default".to_owned(), |value| value.to_string())
}

#[derive(Serialize)]
struct ShownTenant<'a> {
    id: String,
    name: &'a str,
    default_region: Option<&'a str>,
    rate_per_second: Option<NonZeroU32>,
    rate_burst: Option<NonZeroU32>,
    daily_lookups: Option<u64>,
    daily_spend_micro_usd: Option<u64>,
    created_at_ms: i64,
}

impl<'a> ShownTenant<'a> {
    fn new(tenant: &'a Tenant, caps: DailyCaps) -> Self {
        Self {
            id: tenant.id.to_string(),
            name: &tenant.name,
            default_region: tenant.region.as_ref().map(Region::as_str),
            rate_per_second: tenant.rate_per_second,
            rate_burst: tenant.rate_burst,
            daily_lookups: caps.lookups,
            daily_spend_micro_usd: caps.spend_micro_usd,
            created_at_ms: tenant.created_at_ms,
        }
    }
}

#[derive(Serialize)]
struct CreatedKey<'a> {
    id: String,
    key: &'a str,
    tenant: &'a str,
    scopes: Vec<&'static str>,
    expires_at_ms: Option<i64>,
}

#[derive(Serialize)]
struct ShownKey<'a> {
    id: String,
    tenant: &'a str,
    shown: &'a str,
    scopes: Vec<&'static str>,
    label: Option<&'a str>,
    created_at_ms: i64,
    expires_at_ms: Option<i64>,
    revoked_at_ms: Option<i64>,
}

impl<'a> From<&'a KeyInfo> for ShownKey<'a> {
    fn from(key: &'a KeyInfo) -> Self {
        Self {
            id: key.id.to_string(),
            tenant: &key.tenant,
            shown: &key.shown,
            scopes: names(key.scopes).collect(),
            label: key.label.as_deref(),
            created_at_ms: key.created_at_ms,
            expires_at_ms: key.expires_at_ms,
            revoked_at_ms: key.revoked_at_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenant_names_have_a_shape() {
        let longest = "a".repeat(64);
        for name in ["default", "acme-dental", "A.b_9", "0", longest.as_str()] {
            assert_eq!(name.parse::<TenantName>().expect("a name").0, name);
        }
        let too_long = "a".repeat(65);
        for name in [
            "",
            "-a",
            ".a",
            "_a",
            "a b",
            "a/b",
            "größe",
            "a\n",
            "a\0",
            too_long.as_str(),
        ] {
            assert!(name.parse::<TenantName>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn labels_are_one_line() {
        assert_eq!(label("voice agent, staging").expect("a label"), "voice agent, staging");
        let too_long = "a".repeat(201);
        for text in ["", "  ", "a\nb", "a\u{1b}[2J", too_long.as_str()] {
            assert!(label(text).is_err(), "{text:?}");
        }
    }
}
