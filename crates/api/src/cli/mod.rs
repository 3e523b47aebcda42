//! The command line: what every command takes, how it answers, and how it fails.
//!
//! A command answers on standard output, with exactly one JSON value under `--json`, and fails with one line on
//! standard error. Exit codes: 0 done, 1 failed, 2 usage.

mod agreement;
mod caller;
mod calls;
mod client;
mod command;
mod common;
mod do_not_call;
mod doctor;
mod examples;
mod failure;
mod key;
mod memory;
mod migrate;
mod output;
mod progress;
mod recall;
mod receipt;
mod replay;
mod span;
mod store;
mod tenant;
mod usage;
mod usage_error;
mod usd;
mod variables;

use std::{io::ErrorKind, process::ExitCode};

use command::Command;
use failure::Failure;

use crate::{error::Chain, storages::Storages};

/// Runs the command of the process's arguments over one of the `storages`. To be called before any thread is started,
/// as it reads `.env` into the environment.
#[must_use]
pub fn main(storages: &Storages) -> ExitCode {
    let (code, message) = match run(storages) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Failed(message)) => (1, message),
        Err(Failure::Usage(message)) => (2, message),
    };
    output::complain(&format!("error: {message}"));
    ExitCode::from(code)
}

/// The commands with their flags and help, for shell completions and manual pages.
#[must_use]
pub fn command(storages: &Storages) -> clap::Command {
    command::command_without(storages, |_| false)
}

fn run(storages: &Storages) -> Result<(), Failure> {
    read_dotenv()?;
    let args = command::with_default_command(std::env::args_os().collect());
    let Some(command) = command::parse(&args, storages)? else {
        return Ok(());
    };
    match command {
        Command::Serve(settings) => {
            crate::serve::run(*settings, storages).map_err(|error| Failure::Failed(Chain(&error).to_string()))
        }
        Command::Migrate(command) => migrate::run(command),
        Command::Tenant(command) => tenant::run(command),
        Command::Key(command) => key::run(command),
        Command::Caller(command) => caller::run(command),
        Command::Usage(command) => usage::run(command),
        Command::Calls(command) => calls::run(command),
        Command::DoNotCall(command) => do_not_call::run(command),
        Command::Memory(command) => memory::run(command),
        Command::Receipt(command) => receipt::run(command),
        Command::Openapi => output::json(&crate::openapi::document()),
        Command::Recall(command) => recall::run(&command),
        Command::Replay(command) => replay::run(&command),
        Command::Doctor(command) => doctor::run(&command),
    }
}

/// Reads `.env` of the working directory; what the environment holds already goes before it.
fn read_dotenv() -> Result<(), Failure> {
    match dotenvy::from_path(".env") {
        Ok(()) => Ok(()),
        Err(dotenvy::Error::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(dotenvy::Error::Io(error)) => Err(Failure::Usage(format!(
            "cannot read .env in the working directory: {error}; make it readable or remove it"
        ))),
        // The line itself is left out: it may hold a secret.
        Err(_) => Err(Failure::Usage(
            ".env in the working directory has a line that cannot be read; every line must be NAME=value, with \
             quotes around a value that has spaces"
                .to_owned(),
        )),
    }
}
