//! `key`: the API keys of a tenant. A new key is printed once and kept nowhere.

use adapters_auth::ApiKey;
use clap::Subcommand;
use domain::access::{KeyId, KeyInfo, NewKey, Scope, Scopes};
use serde::Serialize;
use uuid::Uuid;

use super::{
    common::{Common, DEFAULT_TENANT, TenantName},
    failure::Failure,
    output,
    span::Span,
    store::{deadline, now_ms},
};
use crate::error::Chain;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a key and print it, once
    Create {
        /// The tenant the key is for
        #[arg(long, value_name = "NAME", default_value = DEFAULT_TENANT)]
        tenant: TenantName,
        /// What the key may do: recall, calls:write, callers:read; may be repeated; all when left out
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<Scope>,
        /// A note to recognise the key by
        #[arg(long, value_name = "TEXT", value_parser = label)]
        label: Option<String>,
        /// How long the key is valid, for example 90d or 24h; without end when left out
        #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
        expires_in: Option<Span>,
        #[command(flatten)]
        common: Common,
    },
    /// List a tenant's keys, the revoked ones included; the keys themselves cannot be shown
    List {
        /// The tenant
        #[arg(long, value_name = "NAME", default_value = DEFAULT_TENANT)]
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
    /// Replace a key with a new one of the same tenant, scopes, label and expiry, and print the new key once
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

fn label(text: &str) -> Result<String, &'static str> {
    let fits = !text.trim().is_empty() && text.chars().count() <= 200 && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
        .ok_or("a label is one line of 1 to 200 characters")
}

fn key_id(text: &str) -> Result<KeyId, &'static str> {
    Uuid::try_parse(text)
        .map(KeyId)
        .map_err(|_| "expected a key's id, as `caller-memory key list` shows it")
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Create {
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
        Command::List { tenant, common } => {
            let keys = common.admin(async |store| store.keys(&tenant.0, deadline()).await)?;
            if common.json {
                return output::json(&keys.iter().map(KeyJson::from).collect::<Vec<_>>());
            }
            if keys.is_empty() {
                let name = &tenant.0;
                return output::print(&format!(
                    "no keys yet for the tenant {name}; `caller-memory key create --tenant {name}` makes one"
                ));
            }
            let now = now_ms();
            let rows: Vec<_> = keys.iter().map(|key| row(key, now)).collect();
            output::print(&output::table(
                ["ID", "KEY", "STATE", "SCOPES", "CREATED", "LABEL"],
                &rows,
            ))
        }
        Command::Revoke { id, common } => {
            let info = common.admin(async |store| store.revoke_key(id, now_ms(), deadline()).await)?;
            if common.json {
                return output::json(&KeyJson::from(&info));
            }
            output::print(&format!(
                "key {id} ({}...) is revoked; running services refuse it within CALLER_MEMORY_AUTH_CACHE_S (30 s by \
                 default)",
                info.shown
            ))
        }
        Command::Rotate { id, grace, common } => {
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
                    "\nThe old key {id} ends on {}, or earlier if it had an earlier end.",
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
        output::json(&CreatedKeyJson {
            id: info.id.to_string(),
            key: key.as_str(),
            tenant: &info.tenant,
            scopes,
            expires_at_ms: info.expires_at_ms,
        })
    } else {
        output::print(&format!(
            "key      {}\nid       {}\ntenant   {}\nscopes   {}\nexpires  {}\n\nSave the key now: only its hash is \
             stored, so it cannot be shown again.{note}",
            key.as_str(),
            info.id,
            info.tenant,
            scopes.join(" "),
            info.expires_at_ms.map_or_else(|| "never".to_owned(), output::moment),
        ))
    };
    printed.map_err(|failure| {
        Failure::Failed(format!(
            "{}; the key {1} was created all the same, so end it with `caller-memory key revoke {1}`",
            failure.into_text(),
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

#[derive(Serialize)]
struct CreatedKeyJson<'a> {
    id: String,
    key: &'a str,
    tenant: &'a str,
    scopes: Vec<&'static str>,
    expires_at_ms: Option<i64>,
}

#[derive(Serialize)]
struct KeyJson<'a> {
    id: String,
    tenant: &'a str,
    shown: &'a str,
    scopes: Vec<&'static str>,
    label: Option<&'a str>,
    created_at_ms: i64,
    expires_at_ms: Option<i64>,
    revoked_at_ms: Option<i64>,
}

impl<'a> From<&'a KeyInfo> for KeyJson<'a> {
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
    fn labels_are_one_line() {
        assert_eq!(label("voice agent, staging").expect("a label"), "voice agent, staging");
        let too_long = "a".repeat(201);
        for text in ["", "  ", "a\nb", "a\u{1b}[2J", too_long.as_str()] {
            assert!(label(text).is_err(), "{text:?}");
        }
    }
}
