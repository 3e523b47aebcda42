//! The whole program over redb: the server and every command.

use std::process::ExitCode;

use api::Storages;
use caller_memory_redb::RedbDriver;

fn main() -> ExitCode {
    let storages = Storages::new("redb://data/caller-memory.redb")
        .with("redb", "redb://PATH", RedbDriver)
        .with_log_target("caller_memory_redb");
    api::main(&storages)
}
