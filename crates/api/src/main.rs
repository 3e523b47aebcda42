//! The program `caller-memory`; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    api::cli::main()
}
