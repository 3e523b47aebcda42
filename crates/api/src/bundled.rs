//! The storages that the program `caller-memory` comes with; with the feature `sql`.

use adapters_sqlorm::SqlDriver;

use crate::storages::Storages;

/// SQLite and PostgreSQL, with a SQLite file where no URL is set.
#[must_use]
pub fn storages() -> Storages {
    Storages::new("sqlite://data/caller-memory.db")
        .with("sqlite", "sqlite://PATH", SqlDriver)
        .with("postgres", "postgres://USER:PASSWORD@HOST/NAME", SqlDriver)
        .with("postgresql", "postgres://USER:PASSWORD@HOST/NAME", SqlDriver)
        .with_log_target("adapters_sqlorm")
}
