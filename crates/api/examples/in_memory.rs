//! The whole program over storages of one's own, as another binary has it: `memory:` keeps everything in the process,
//! `memory:PATH` in a file that processes share, and `bare:` leaves out all that a storage may leave out. For tests:
//! what it keeps is on no disk for certain. `cargo run -p api --example in_memory -- serve --database-url memory:`

use std::process::ExitCode;

use api::Storages;
use testkit::{Bare, InMemoryDriver};

fn main() -> ExitCode {
    api::main(
        &Storages::new("memory:data/caller-memory.db")
            .with("memory", "memory:[PATH]", InMemoryDriver)
            .with("bare", "bare:[PATH]", Bare(InMemoryDriver)),
    )
}
