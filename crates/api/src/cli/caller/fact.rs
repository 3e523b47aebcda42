//! `caller fact`: the operator's word on what was heard of a caller.

use std::sync::Arc;

use clap::{Args, Subcommand};
use domain::{
    caller::{self, Profile, ProfileEdit},
    correction::{self, Correction, Word},
    facts::{FactKey, Status, Terms},
    port::ChangeError,
};

use super::{
    tenant::{self, TenantArgs},
    view::{CallerJson, card},
};
use crate::cli::{
    failure::Failure,
    output,
    store::{deadline, now_ms, unusable},
};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Command {
    /// Say what holds, whatever was heard and will be
    Set(Set),
    /// Say that what was heard until now does not hold; what is heard from now on does
    Drop(Drop),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Set {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    /// What it is about: name, email, city, appointment, ...
    #[arg(value_parser = key)]
    key: FactKey,
    /// What holds
    #[arg(value_parser = correction::value)]
    value: String,
    /// Of an appointment, an order or a promise: its day as 2026-03-08, or with its hour as 2026-03-08T16:15
    #[arg(long, value_name = "WHEN", value_parser = when)]
    when: Option<String>,
    /// Of an appointment, an order or a promise: agreed, requested, moved or cancelled [default: agreed]
    #[arg(long, value_name = "STATUS")]
    status: Option<Status>,
    #[command(flatten)]
    of: TenantArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Drop {
    /// The caller's number, in E.164 or in the national format of the tenant's region
    number: String,
    /// What it is about: name, email, city, appointment, ...
    #[arg(value_parser = key)]
    key: FactKey,
    /// The value that does not hold; all of the key when left out
    #[arg(value_parser = correction::value)]
    value: Option<String>,
    #[command(flatten)]
    of: TenantArgs,
}

fn key(name: &str) -> Result<FactKey, String> {
    name.parse().map_err(|_| {
        let names = FactKey::ALL.map(FactKey::as_str).join(", ");
        format!("the keys of facts are {names}")
    })
}

/// Reads `YYYY-MM-DD` with or without `THH:MM`.
fn when(text: &str) -> Result<String, &'static str> {
    use chrono::{NaiveDate, NaiveDateTime};

    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").map(|day| day.to_string());
    let hour = || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M");
    day.or_else(|_| hour().map(|hour| hour.format("%Y-%m-%dT%H:%M").to_string()))
        .map_err(|_| "expected a day as 2026-03-08, or with its hour as 2026-03-08T16:15")
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Set(command) => set(command),
        Command::Drop(command) => drop(command),
    }
}

fn set(command: Set) -> Result<(), Failure> {
    let Set {
        number,
        key,
        value,
        when,
        status,
        of,
    } = command;
    let is_agreed = matches!(key, FactKey::Appointment | FactKey::Order | FactKey::Promise);
    if !is_agreed && (when.is_some() || status.is_some()) {
        return Err(Failure::Usage(
            "--when and --status are for appointments, orders and promises; leave them out".to_owned(),
        ));
    }
    let terms = is_agreed.then(|| Terms {
        when,
        status: status.unwrap_or(Status::Agreed),
    });
    correct(&number, key, Word::Set { value, terms }, &of)
}

fn drop(command: Drop) -> Result<(), Failure> {
    let Drop { number, key, value, of } = command;
    correct(&number, key, Word::Drop { value }, &of)
}

fn correct(number: &str, key: FactKey, word: Word, of: &TenantArgs) -> Result<(), Failure> {
    let at_ms = now_ms();
    let edit = edit(Correction { key, word, at_ms });
    let (number, stored) = of.with_callers(async |callers| {
        let number = tenant::number(number, callers.region)?;
        let known = callers
            .storage
            .memory()
            .caller(callers.tenant, &number, deadline())
            .await;
        let known = known.map_err(|error| unusable(&error))?;
        if known.is_none() {
            return Err(of.unknown_caller());
        }
        let changed = callers
            .admin
            .change(callers.tenant, &number, edit, at_ms, deadline())
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

/// Adds the correction to the caller's. A name that is set is the operator's name, which has its own place.
fn edit(correction: Correction) -> ProfileEdit {
    Arc::new(move |mut stored: Profile| {
        if correction.key == FactKey::Name {
            stored.name = match &correction.word {
                Word::Set { value, .. } => caller::name(value)?,
                Word::Drop { value } => stored
                    .name
                    .filter(|name| value.as_ref().is_some_and(|value| !correction::is_same(value, name))),
            };
            if matches!(correction.word, Word::Set { .. }) {
                return Ok(stored);
            }
        }
        correction::add(&mut stored.corrections, correction.clone())?;
        Ok(stored)
    })
}
