//! `memory reread`: every call as the present rules read it.

use std::time::Duration;

use clap::{Args, Subcommand};
use domain::{
    access::TenantId,
    port::{AdminError, Settled, Storage},
};
use serde::Serialize;

use super::{
    common::{Common, TenantName, unknown_tenant},
    failure::Failure,
    output,
    progress::progress,
    store::{deadline, needed, refused, unusable, with_migrated},
};
use crate::{
    reread::{Reread, reread},
    storage_parts::Part,
};

/// Calls that are read from the database at a time.
const PAGE: u32 = 50;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Read every call again, so that all memory is of the present rules; a service may run meanwhile, and does the
    /// same by itself after an upgrade
    Reread(RereadCalls),
}

#[derive(Debug, Args)]
pub(super) struct RereadCalls {
    /// The tenant; all when left out
    #[arg(long, value_name = "NAME")]
    tenant: Option<TenantName>,
    #[command(flatten)]
    common: Common,
}

/// What became of the calls.
#[derive(Default, Serialize)]
struct Tally {
    read: u64,
    changed: u64,
    unreadable: u64,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    let Command::Reread(RereadCalls { tenant, common }) = command;
    common.must_exist()?;
    let tally = with_migrated(&common.database, async |storage| {
        let tenant = match tenant {
            Some(name) => Some(named(storage, name).await?),
            None => None,
        };
        reread_all(storage, tenant).await
    })?;
    if common.json {
        return output::json(&tally);
    }
    output::print(&tally.text())
}

/// The tenant of this name.
async fn named(storage: &dyn Storage, TenantName(name): TenantName) -> Result<TenantId, Failure> {
    let tenants = storage.access().tenants(deadline()).await;
    let tenants = tenants.map_err(|error: AdminError| refused(&error))?;
    let named = tenants.iter().find(|tenant| tenant.name == name);
    named
        .map(|tenant| tenant.id)
        .ok_or_else(|| unknown_tenant(name, &tenants, None))
}

/// Reads the calls again one after the other. Whoever stops it in the middle may begin again: what was read already
/// does not change.
async fn reread_all(storage: &dyn Storage, tenant: Option<TenantId>) -> Result<Tally, Failure> {
    let old_calls = needed(storage.old_calls(), Part::OldCalls)?;
    let bar = progress(None);
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut tally = Tally::default();
    let mut after = None;
    loop {
        let page = old_calls.following(tenant, after, PAGE, deadline()).await;
        let page = page.map_err(|error| unusable(&error))?;
        let Some(last) = page.last() else { break };
        after = Some(last.call);
        for call in page {
            let done = reread(&*old_calls, call, deadline()).await;
            tally.count(done.map_err(|error| unusable(&error))?);
            bar.set_message(tally.text());
        }
    }
    bar.finish_and_clear();
    Ok(tally)
}

impl Tally {
    fn count(&mut self, reread: Reread) {
        self.read += 1;
        self.changed += u64::from(reread == Reread::Settled(Settled::Changed));
        self.unreadable += u64::from(reread == Reread::Unreadable);
    }

    fn text(&self) -> String {
        let Self {
            read,
            changed,
            unreadable,
        } = self;
        let read = output::counted(*read, "call", "calls");
        let text = format!("{read} read again: {changed} changed");
        match unreadable {
            0 => text,
            unreadable => format!("{text}, {unreadable} cannot be read and stay as they were"),
        }
    }
}
