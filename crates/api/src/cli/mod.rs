//! The command line: what every command takes, how it answers, and how it fails.
//!
//! A command answers on standard output, with exactly one JSON value under `--json`, and fails with one line on standard
//! error. Exit codes: 0 done, 1 failed, 2 usage.

mod access;
mod caller;
mod calls;
mod client;
mod doctor;
mod migrate;
mod output;
mod recall;
mod receipt;
mod replay;
mod span;
mod spend;
mod store;
mod usage;
mod usd;

use std::{
    ffi::{OsStr, OsString},
    io::ErrorKind,
    process::ExitCode,
};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{config::ServeSettings, error::Chain, storages::Storages};

/// A memory of callers for voice agents.
#[derive(Debug, Parser)]
#[command(
    name = "caller-memory",
    version,
    after_help = "Without a command, `serve` is meant. Settings are flags or environment variables; a .env file in the working directory is read.",
    arg_required_else_help = false
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Migrate the database, then serve until SIGTERM or SIGINT
    Serve(Box<ServeSettings>),
    /// Apply, undo or show the schema's migrations
    #[command(subcommand, arg_required_else_help = false)]
    Migrate(migrate::Command),
    /// Create and list tenants, and cap what their look-ups may cost
    #[command(subcommand, arg_required_else_help = false)]
    Tenant(access::TenantCommand),
    /// Create, list, revoke and rotate API keys
    #[command(subcommand, arg_required_else_help = false)]
    Key(access::KeyCommand),
    /// Import, set and show what is kept of callers
    #[command(subcommand, arg_required_else_help = false)]
    Caller(caller::Command),
    /// Show what look-ups were paid for, by day, tenant and vendor
    Usage(spend::ShowUsage),
    /// List calls that were begun and never written back
    #[command(subcommand, arg_required_else_help = false)]
    Calls(calls::Command),
    /// Show the receipts of recalls, and how their calls ended
    #[command(subcommand, arg_required_else_help = false)]
    Receipt(receipt::ReceiptCommand),
    /// Print the OpenAPI document
    Openapi,
    /// Ask a running service for a caller and print a card; like any recall, it creates a caller that is unknown
    Recall(recall::Recall),
    /// Post a JSON-lines file of calls to a running service
    Replay(replay::Replay),
    /// Check settings, database, migrations and clock, and say what to do
    Doctor(Box<doctor::Doctor>),
}

/// Why a command ends with an exit code other than 0.
#[derive(Debug)]
enum Failure {
    /// The command line or a setting is wrong: exit code 2.
    Usage(String),
    /// The work was not done, or not all of it: exit code 1.
    Failed(String),
}

/// Runs the command of the process's arguments over one of the `storages`. To be called before any thread is started, as it reads
/// `.env` into the environment.
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

fn run(storages: &Storages) -> Result<(), Failure> {
    read_dotenv()?;
    let args = with_default_command(std::env::args_os().collect());
    let Some(command) = parse(&args, storages)? else {
        return Ok(());
    };
    match command {
        Command::Serve(settings) => {
            crate::serve::run(*settings).map_err(|error| Failure::Failed(Chain(&error).to_string()))
        }
        Command::Migrate(command) => migrate::run(command),
        Command::Tenant(command) => access::tenant(command),
        Command::Key(command) => access::key(command),
        Command::Caller(command) => caller::run(command),
        Command::Usage(command) => spend::show_usage(command),
        Command::Calls(command) => calls::run(command),
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
            ".env in the working directory has a line that cannot be read; every line must be NAME=value, with quotes around a value that has spaces"
                .to_owned(),
        )),
    }
}

/// Puts `serve` in when the first argument is missing, or is a flag that is not for the program itself.
fn with_default_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let for_the_program = ["-h", "--help", "-V", "--version"];
    let first = args.get(1).map(|arg| arg.to_string_lossy().into_owned());
    if first.is_none_or(|arg| arg.starts_with('-') && !for_the_program.contains(&arg.as_str())) {
        args.insert(1.min(args.len()), OsString::from("serve"));
    }
    args
}

/// The command that the arguments give; `None` when they ask for help or the version, which is printed.
fn parse(args: &[OsString], storages: &Storages) -> Result<Option<Command>, Failure> {
    let error = match parse_without(args, storages, is_blank) {
        Ok(command) => return Ok(Some(command)),
        Err(error) => error,
    };
    if !error.use_stderr() {
        // Help names every variable, also those that are ignored because they are blank.
        let text = command_without(storages, |_| false)
            .try_get_matches_from(args)
            .map_or_else(|help| help.render(), |_| error.render());
        return output::print(text.to_string().trim_end()).map(|()| None);
    }
    if args.get(1).is_some_and(|arg| arg == "doctor")
        && let Some(doctor) = doctor::with_wrong_settings(args, storages)
    {
        return Ok(Some(Command::Doctor(Box::new(doctor))));
    }
    Err(Failure::Usage(usage::line(&error, &Cli::command(), args)))
}

/// Parses the arguments as if the environment variables that `ignored` names were not set.
fn parse_without(
    args: &[OsString],
    storages: &Storages,
    ignored: impl Fn(&OsStr) -> bool,
) -> Result<Command, clap::Error> {
    let matches = command_without(storages, ignored).try_get_matches_from(args)?;
    Cli::from_arg_matches(&matches).map(|cli| cli.command)
}

/// The command line over the storages, without the environment variables that `ignored` names.
fn command_without(storages: &Storages, ignored: impl Fn(&OsStr) -> bool) -> clap::Command {
    fn strip(command: clap::Command, storages: &Storages, ignored: &dyn Fn(&OsStr) -> bool) -> clap::Command {
        command
            .mut_args(|arg| {
                let arg = storages.teach(arg);
                let arg = if arg.get_env().is_some_and(ignored) {
                    arg.env(None)
                } else {
                    arg
                };
                // So that `--rate-burst -1` is told to be a wrong number, not an unknown flag.
                if arg.get_long().is_some() && arg.get_action().takes_values() {
                    arg.allow_negative_numbers(true)
                } else {
                    arg
                }
            })
            .mut_subcommands(|sub| strip(sub, storages, ignored))
    }
    strip(Cli::command(), storages, &ignored)
}

/// A variable that is set to nothing, as compose files do for what the user left out, counts as not set.
fn is_blank(variable: &OsStr) -> bool {
    std::env::var_os(variable).is_some_and(|value| value.is_empty())
}
