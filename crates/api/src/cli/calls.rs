//! `calls open`: the calls that were begun by a recall and never written back.

use clap::{Args, Subcommand};
use domain::{access::Tenant, memory::OpenCall};
use serde::Serialize;

use super::{
    common::{Common, TenantName, unknown_tenant},
    failure::Failure,
    output,
    span::Span,
    store::{deadline, needed, now_ms, refused, unusable, with_migrated},
};
use crate::{config::UNFINISHED_AFTER_S, storage_parts::Part};

/// The most calls that are listed of a tenant.
const MOST: u32 = 1_000;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List calls that were begun by a recall with a session and never written back, newest first, at most 1000 of a
    /// tenant
    Open(Open),
}

#[derive(Debug, Args)]
pub(super) struct Open {
    /// The tenant; all when left out
    #[arg(long, value_name = "NAME")]
    tenant: Option<TenantName>,
    /// How long ago a call must have begun, for example 30m: a later one may still be going on. A number without a unit
    /// is seconds, as in the setting of `serve`
    #[arg(
        long,
        env = "CALLER_MEMORY_UNFINISHED_AFTER_S",
        value_name = "SPAN",
        default_value_t = Span::of_seconds(UNFINISHED_AFTER_S),
        value_parser = Span::or_seconds
    )]
    older_than: Span,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    let Command::Open(Open {
        tenant,
        older_than,
        common,
    }) = command;
    common.must_exist()?;
    let begun_by_ms = older_than.before(now_ms());
    let listed = with_migrated(&common.database, async |storage| {
        let open_calls = needed(storage.open_calls(), Part::OpenCalls)?;
        let tenants = storage.access().tenants(deadline()).await;
        let tenants = tenants.map_err(|error| refused(&error))?;
        let mut listed = Vec::new();
        for tenant in asked_for(tenants, tenant)? {
            let open = open_calls.open_calls(tenant.id, begun_by_ms, MOST, deadline()).await;
            let open = open.map_err(|error| unusable(&error))?;
            listed.extend(open.into_iter().map(|call| OpenCallJson::new(&tenant, call)));
        }
        Ok(listed)
    })?;
    if common.json {
        return output::json(&listed);
    }
    if listed.is_empty() {
        return output::print("no open calls: every call that was begun was written back, or is too recent to tell");
    }
    let rows: Vec<_> = listed
        .into_iter()
        .map(|call| {
            let session = call.session_id.as_deref().unwrap_or("(not kept)");
            [
                output::moment(call.begun_at_ms),
                call.tenant,
                call.phone_number,
                output::printable(session),
            ]
        })
        .collect();
    output::print(&output::table(["BEGUN", "TENANT", "NUMBER", "SESSION"], &rows))
}

/// The tenant of this name, or all.
fn asked_for(tenants: Vec<Tenant>, name: Option<TenantName>) -> Result<Vec<Tenant>, Failure> {
    let Some(TenantName(name)) = name else {
        return Ok(tenants);
    };
    let named = tenants.iter().find(|tenant| tenant.name == name).cloned();
    match named {
        Some(tenant) => Ok(vec![tenant]),
        None => Err(unknown_tenant(name, &tenants, None)),
    }
}

#[derive(Serialize)]
struct OpenCallJson {
    tenant: String,
    phone_number: String,
    session_id: Option<String>,
    begun_at_ms: i64,
}

impl OpenCallJson {
    fn new(tenant: &Tenant, call: OpenCall) -> Self {
        Self {
            tenant: tenant.name.clone(),
            phone_number: call.number.as_e164().to_owned(),
            session_id: call.session_id.map(|session| session.0),
            begun_at_ms: call.begun_at_ms,
        }
    }
}
