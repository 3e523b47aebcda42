//! The program `caller-memory` over the storages that it comes with; everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    api::main(&api::bundled::storages())
}
