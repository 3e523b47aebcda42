//! `caller`: what the operator keeps about callers. It is written from a file or one caller at a time, and looked at.

mod attributes;
mod fact;
mod import;
mod rows;
pub(super) mod tenant;
mod view;

use std::sync::Arc;

use attributes::AttributeEdit;
use clap::{Args, Subcommand};
use domain::{
    call::RecentCall,
    caller::{self, HISTORY_CALLS, History, Profile, ProfileEdit},
    error::PortError,
    port::ChangeError,
};
use tenant::{Callers, TenantArgs};
pub(super) use view::MarkJson;
use view::{CallJson, CallerJson, FactJson, HistoryJson, as_corrected, call_card, card, fact_line};

use super::{
    failure::Failure,
    output,
    store::{deadline, now_ms, unusable},
};
use crate::error::Chain;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write names, tags and attributes from a CSV or JSON-lines file; what a row leaves out stays as it is
    Import(import::Import),
    /// Write one caller's name, tags and attributes; creates a caller that is unknown
    Set(Set),
    /// Correct what was heard of a caller
    #[command(subcommand)]
    Fact(fact::Command),
    /// Show a caller with the latest calls; creates nothing and looks nothing up
    Show(Show),
}

#[derive(Debug, Args)]
pub(super) struct Set {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    #[command(flatten)]
    edits: Edits,
    #[command(flatten)]
    of: TenantArgs,
}

/// What to write; what is left out stays as it is.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = true)]
struct Edits {
    /// The name, which takes precedence over every other; '' removes it
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<Name>,
    /// A tag; may be repeated, and replaces all tags that are kept; '' alone removes them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Option<Vec<String>>,
    /// An attribute, a text; may be repeated, and leaves the other attributes; `KEY=` removes it
    #[arg(long = "attr", value_name = "KEY=VALUE")]
    attributes: Vec<AttributeEdit>,
}

/// A name to write, or none.
#[derive(Debug, Clone)]
struct Name(Option<String>);

fn name(text: &str) -> Result<Name, caller::ProfileFault> {
    caller::name(text).map(Name)
}

#[derive(Debug, Args)]
pub(super) struct Show {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    /// Show what was said as well
    #[arg(long)]
    transcripts: bool,
    #[command(flatten)]
    of: TenantArgs,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Import(command) => import::run(&command),
        Command::Set(command) => set(command),
        Command::Fact(command) => fact::run(command),
        Command::Show(command) => show(&command),
    }
}

fn set(command: Set) -> Result<(), Failure> {
    let Set { number, edits, of } = command;
    let edit = edits.edit()?;
    let (number, stored) = of.with_callers(async |callers| {
        let number = tenant::number(&number, callers.region)?;
        let changed = callers
            .admin
            .change(callers.tenant, &number, edit, now_ms(), deadline())
            .await;
        match changed {
            Ok(caller) => Ok((number, caller)),
            Err(ChangeError::Refused(fault)) => Err(Failure::Failed(format!("{fault}; nothing was changed"))),
            Err(ChangeError::Port(error)) => Err(unusable(&error)),
        }
    })?;
    if of.common.json {
        return output::json(&CallerJson::new(&number, &stored)?);
    }
    output::print(card(&number, &stored).trim_end())
}

impl Edits {
    /// The edit that the flags mean.
    fn edit(self) -> Result<ProfileEdit, Failure> {
        let Self { name, tags, attributes } = self;
        let usage = |error: caller::ProfileFault| Failure::Usage(error.to_string());
        let tags = tags
            .map(|tags| caller::tags(tags.iter().map(String::as_str)).map_err(usage))
            .transpose()?;
        Ok(Arc::new(move |stored: Profile| {
            Ok(Profile {
                name: name.clone().map_or(stored.name, |name| name.0),
                tags: tags.clone().unwrap_or(stored.tags),
                custom_attributes: attributes::edited(stored.custom_attributes, &attributes)?,
                corrections: stored.corrections,
            })
        }))
    }
}

fn show(command: &Show) -> Result<(), Failure> {
    let Show {
        number,
        transcripts,
        of,
    } = command;
    of.with_callers(async |callers| {
        let Callers { admin, tenant, .. } = &callers;
        let number = tenant::number(number, callers.region)?;
        let history = admin.history(*tenant, &number, deadline()).await;
        let Some(History { caller, calls }) = history.map_err(|error| unusable(&error))? else {
            return Err(of.unknown_caller());
        };
        let facts = admin.facts(*tenant, &number, deadline()).await;
        let facts = as_corrected(facts.map_err(|error| unusable(&error))?, &caller.corrections);
        let memory = callers.storage.memory();
        // Told when everything else has been shown.
        let mut unreadable = Vec::new();
        // One transcript after the other: together they may be large.
        let mut transcript = async |call: &RecentCall| {
            if !transcripts {
                return Ok(None);
            }
            match memory.transcript(*tenant, call.call_id, deadline()).await {
                Ok(transcript) => Ok(transcript),
                Err(PortError::Internal(cause)) => {
                    unreadable.push(format!("of call {}: {}", call.call_id, Chain(cause.as_ref())));
                    Ok(None)
                }
                Err(error) => Err(unusable(&error)),
            }
        };
        if of.common.json {
            let mut shown = Vec::with_capacity(calls.len());
            for call in &calls {
                shown.push(CallJson::new(call, transcript(&call.call).await?.as_deref())?);
            }
            output::json(&HistoryJson {
                caller: CallerJson::new(&number, &caller)?,
                facts: facts.iter().map(FactJson::from).collect(),
                calls: shown,
            })?;
            return all_read(&unreadable);
        }
        output::print(card(&number, &caller).trim_end())?;
        for shown in &facts {
            output::print(&fact_line(shown))?;
        }
        for call in &calls {
            output::print(call_card(call, transcript(&call.call).await?.as_deref()).trim_end())?;
        }
        if caller.total_calls > calls.len() as u64 {
            output::print(&format!(
                "\nThese are the newest {HISTORY_CALLS} of {} calls.",
                caller.total_calls
            ))?;
        }
        all_read(&unreadable)
    })
}

/// Fails when there are transcripts that could not be read.
fn all_read(unreadable: &[String]) -> Result<(), Failure> {
    if unreadable.is_empty() {
        return Ok(());
    }
    Err(Failure::Failed(format!(
        "these transcripts are stored but cannot be read: {}",
        unreadable.join("; ")
    )))
}
