//! The storages that the program comes with.

use adapters_sqlorm::SqlDriver;
use api::Storages;

/// SQLite and PostgreSQL, with a SQLite file where no URL is set.
pub(crate) fn storages() -> Storages {
    Storages::new("sqlite://data/caller-memory.db")
        .with("sqlite", "sqlite://PATH", SqlDriver)
        .with("postgres", "postgres://USER:PASSWORD@HOST/NAME", SqlDriver)
        .with("postgresql", "postgres://USER:PASSWORD@HOST/NAME", SqlDriver)
}
