//! `migrate`: schema steps by hand, for deployments where `serve` must not migrate.

use std::num::NonZeroU32;

use clap::Subcommand;
use domain::port::{MigrateError, Migration, Storage};
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
    /// Undo the newest migrations; what only they can hold is lost
    Down {
        /// How many to undo
        #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
        steps: NonZeroU32,
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
        Command::Down { steps, common } => (common, Step::Down(steps.get())),
        Command::Status(common) => (common, Step::None),
    };
    let states = with_storage(&common.database, async |storage| {
        step(storage, &before).await.map_err(|error| unusable(&error))
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
    Down(u32),
    None,
}

async fn step(storage: &dyn Storage, step: &Step) -> Result<Vec<Migration>, MigrateError> {
    match step {
        Step::Up => drop(storage.migrate_up().await?),
        Step::Down(steps) => drop(storage.migrate_down(*steps).await?),
        Step::None => {}
    }
    storage.migrations().await
}
