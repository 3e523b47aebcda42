//! `migrate`: schema steps by hand, for deployments where `serve` must not migrate.

use std::num::NonZeroU32;

use clap::Subcommand;
use domain::port::{Migration, Storage};
use serde::Serialize;

use super::{
    common::Common,
    failure::Failure,
    output,
    store::{unusable, with_storage},
};
use crate::config::positive;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Apply every pending migration
    Up(Common),
    /// Undo the newest migrations, while no service runs; what only they can hold is lost
    Down {
        /// How many to undo
        #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
        steps: NonZeroU32,
        /// Undo every migration, which drops all tenants, keys and callers
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        common: Common,
    },
    /// Show every migration and whether it is applied
    Status(Common),
}

#[derive(Serialize)]
struct MigrationJson {
    name: String,
    applied: bool,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    let (common, before) = match command {
        Command::Up(common) => (common, Step::Up),
        Command::Down { steps, yes, common } => (
            common,
            Step::Down {
                steps: steps.get(),
                yes,
            },
        ),
        Command::Status(common) => (common, Step::None),
    };
    let states = with_storage(&common.database, async |storage| {
        step(storage, &before).await?;
        storage.migrations().await.map_err(|error| unusable(&error))
    })?;
    if common.json {
        let shown: Vec<_> = states
            .into_iter()
            .map(|state| MigrationJson {
                name: state.name,
                applied: state.applied,
            })
            .collect();
        return output::json(&shown);
    }
    if states.is_empty() {
        return output::print("no migrations: this kind of database has none");
    }
    let rows: Vec<_> = states
        .iter()
        .map(|state| {
            [
                state.name.clone(),
                if state.applied { "applied" } else { "pending" }.to_owned(),
            ]
        })
        .collect();
    output::print(&output::table(["MIGRATION", "STATE"], &rows))
}

enum Step {
    Up,
    Down { steps: u32, yes: bool },
    None,
}

async fn step(storage: &dyn Storage, step: &Step) -> Result<(), Failure> {
    let taken = match *step {
        Step::Up => storage.migrate_up().await,
        Step::Down { steps, yes } => {
            let states = storage.migrations().await.map_err(|error| unusable(&error))?;
            may_undo(&states, steps, yes)?;
            storage.migrate_down(steps).await
        }
        Step::None => return Ok(()),
    };
    taken.map(drop).map_err(|error| unusable(&error))
}

/// Whether so many steps can be undone, and are meant to be where nothing would be left.
fn may_undo(states: &[Migration], steps: u32, yes: bool) -> Result<(), Failure> {
    let applied = states.iter().filter(|state| state.applied).count();
    let steps = usize::try_from(steps).unwrap_or(usize::MAX);
    if !states.is_empty() && steps > applied {
        let applied = match applied {
            0 => "no migration is applied".to_owned(),
            1 => "only 1 migration is applied".to_owned(),
            more => format!("only {more} migrations are applied"),
        };
        return Err(Failure::Failed(format!(
            "{applied}, and nothing was undone; `caller-memory migrate status` lists them"
        )));
    }
    if applied > 0 && steps == applied && !yes {
        return Err(Failure::Usage(
            "this undoes every migration and drops all tenants, keys and callers; nothing was undone: make a copy of \
             the database first, then add --yes"
                .to_owned(),
        ));
    }
    Ok(())
}
