//! The program `caller-memory` over the storages that it comes with; everything else is in the library.

use std::process::ExitCode;

use adapters_sqlorm::SqlDriver;
use api::Storages;

fn main() -> ExitCode {
    api::main(
        &Storages::new("sqlite://data/caller-memory.db")
            .with("sqlite", "sqlite://PATH", SqlDriver)
            .with("postgres", "postgres://USER:PASSWORD@HOST/NAME", SqlDriver)
            .with("postgresql", "postgres://USER:PASSWORD@HOST/NAME", SqlDriver),
    )
}
