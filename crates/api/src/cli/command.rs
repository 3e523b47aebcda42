//! The command line: its commands with their help, and how arguments and the environment become one of them.

use std::ffi::{OsStr, OsString};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use super::{
    caller, calls, do_not_call, doctor::Doctor, examples, failure::Failure, key, memory, migrate, output, recall,
    receipt, replay, tenant, usage, usage_error, variables,
};
use crate::{config::ServeSettings, storages::Storages};

/// A memory of callers for voice agents.
#[derive(Debug, Parser)]
#[command(
    name = "caller-memory",
    version,
    after_help = "Without a command, `serve` is meant. Settings are flags or environment variables; a .env file in \
        the working directory is read.",
    arg_required_else_help = false
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Migrate the database, then serve until SIGTERM or SIGINT
    Serve(Box<ServeSettings>),
    /// Apply, undo or show the schema's migrations
    #[command(subcommand, arg_required_else_help = false)]
    Migrate(migrate::Command),
    /// Create, list and change tenants
    #[command(subcommand, arg_required_else_help = false)]
    Tenant(tenant::Command),
    /// Create, list, revoke and rotate API keys
    #[command(subcommand, arg_required_else_help = false)]
    Key(key::Command),
    /// Import, set and show what is kept of callers
    #[command(subcommand, arg_required_else_help = false)]
    Caller(caller::Command),
    /// Show what look-ups were paid for, by day, tenant and vendor
    Usage(usage::ShowUsage),
    /// List calls that were begun and never written back
    #[command(subcommand, arg_required_else_help = false)]
    Calls(calls::Command),
    /// List, export and change who does not want to be called
    #[command(subcommand, arg_required_else_help = false)]
    DoNotCall(do_not_call::Command),
    /// Read old calls again
    #[command(subcommand, arg_required_else_help = false)]
    Memory(memory::Command),
    /// Show the receipts of recalls, and how their calls ended
    #[command(subcommand, arg_required_else_help = false)]
    Receipt(receipt::Command),
    /// Print the OpenAPI document
    Openapi,
    /// Ask a running service for a caller and print a card; like any recall, it creates a caller that is unknown
    Recall(recall::Recall),
    /// Post a JSON-lines file of calls to a running service
    Replay(replay::Replay),
    /// Check settings, database, migrations and clock, and say what to do
    Doctor(Box<Doctor>),
}

/// Puts `serve` in when the first argument is missing, or is a flag that is not for the program itself.
pub(super) fn with_default_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let for_the_program = ["-h", "--help", "-V", "--version"];
    let first = args.get(1).map(|arg| arg.to_string_lossy().into_owned());
    if first.is_none_or(|arg| arg.starts_with('-') && !for_the_program.contains(&arg.as_str())) {
        args.insert(1.min(args.len()), OsString::from("serve"));
    }
    args
}

/// The command that the arguments give; `None` when they ask for help or the version, which is printed.
pub(super) fn parse(args: &[OsString], storages: &Storages) -> Result<Option<Command>, Failure> {
    let program = Cli::command();
    let unknown = variables::unknown(&program);
    let not_text = variables::not_text(usage_error::named(&program, args).1);
    let is_set_aside = |name: &OsStr| is_blank(name) || not_text.iter().any(|(known, _)| known == name);
    let error = match parse_without(args, storages, is_set_aside) {
        Ok(Command::Doctor(mut doctor)) => {
            doctor.wrong = not_text;
            doctor.wrong.extend(unknown_settings(unknown));
            return Ok(Some(Command::Doctor(doctor)));
        }
        Ok(command) => {
            let complaint = not_text.into_iter().chain(unknown_settings(unknown)).next();
            return complaint.map_or(Ok(Some(command)), |(_, complaint)| {
                Err(Failure::Usage(format!(
                    "{complaint}; `caller-memory serve --help` shows all settings"
                )))
            });
        }
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
        && let Some(mut doctor) = doctor_with_wrong_settings(args, storages, not_text.clone())
    {
        doctor.wrong.extend(unknown_settings(unknown));
        return Ok(Some(Command::Doctor(doctor)));
    }
    // An argument may seem to be missing only because its variable was set aside.
    let line = || usage_error::line(&error, &program, args);
    let complaint = not_text.into_iter().next();
    Err(Failure::Usage(complaint.map_or_else(line, |(_, complaint)| complaint)))
}

fn unknown_settings(names: Vec<OsString>) -> Vec<(OsString, String)> {
    let wrong = names.into_iter().map(|name| {
        let complaint = variables::complaint(&name);
        (name, complaint)
    });
    wrong.collect()
}

/// The doctor for an environment with settings that do not parse: each is set aside and remembered beside those that
/// are `wrong` already, so that all of them are told. `None` when something else is wrong with the command line.
fn doctor_with_wrong_settings(
    args: &[OsString],
    storages: &Storages,
    mut wrong: Vec<(OsString, String)>,
) -> Option<Box<Doctor>> {
    let program = Cli::command();
    let (_, command) = usage_error::named(&program, args);
    loop {
        match parse_without(args, storages, |name| {
            is_blank(name) || wrong.iter().any(|(known, _)| known == name)
        }) {
            Ok(Command::Doctor(mut doctor)) => {
                doctor.wrong = wrong;
                return Some(doctor);
            }
            Ok(_) => return None,
            Err(error) => {
                let variable = usage_error::variable(&error, command)?;
                if wrong.iter().any(|(known, _)| *known == variable) {
                    return None;
                }
                wrong.push((variable, usage_error::wrong_value(&error, command, args)));
            }
        }
    }
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

/// The command line over the storages, with its examples, without the environment variables that `ignored` names.
pub(super) fn command_without(storages: &Storages, ignored: impl Fn(&OsStr) -> bool) -> clap::Command {
    fn adapt(
        command: clap::Command,
        path: &str,
        storages: &Storages,
        ignored: &dyn Fn(&OsStr) -> bool,
    ) -> clap::Command {
        let help = command.get_after_help().map(ToString::to_string);
        let examples = examples::of(path).map(|examples| examples::text(examples, storages));
        let help: Vec<_> = examples.into_iter().chain(help).collect();
        command
            .after_help(help.join("\n\n"))
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
            .mut_subcommands(|sub| {
                let path = format!("{path} {}", sub.get_name());
                adapt(sub, path.trim_start(), storages, ignored)
            })
    }
    adapt(Cli::command(), "", storages, &ignored)
}

/// A variable that is set to nothing, as compose files do for what the user left out, counts as not set.
fn is_blank(variable: &OsStr) -> bool {
    std::env::var_os(variable).is_some_and(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::{
        async_trait,
        port::{OpenError, Storage, StorageDriver, StorageOptions},
    };

    use super::*;

    /// Opens nothing; arguments can be parsed all the same.
    struct NoDriver;

    #[async_trait]
    impl StorageDriver for NoDriver {
        async fn open(&self, _: StorageOptions) -> Result<Arc<dyn Storage>, OpenError> {
            Err(OpenError("nothing is opened here".to_owned()))
        }
    }

    fn storages() -> Storages {
        Storages::new("sqlite://data/caller-memory.db")
            .with("sqlite", "sqlite://PATH", NoDriver)
            .with("postgres", "postgres://USER:PASSWORD@HOST/NAME", NoDriver)
    }

    /// The words of a line as a shell reads it: blanks part them, but not between single quotes.
    fn words(line: &str) -> Vec<OsString> {
        let mut words: Vec<String> = Vec::new();
        let (mut quoted, mut in_word) = (false, false);
        for c in line.chars() {
            match c {
                '\'' => {
                    quoted = !quoted;
                    if !in_word {
                        words.push(String::new());
                    }
                    in_word = true;
                }
                ' ' if !quoted => in_word = false,
                c => {
                    if !in_word {
                        words.push(String::new());
                    }
                    in_word = true;
                    words.last_mut().expect("there is a word").push(c);
                }
            }
        }
        assert!(!quoted, "a quote is open: {line}");
        words.into_iter().map(OsString::from).collect()
    }

    fn every_command(command: &clap::Command, path: &str, seen: &mut Vec<(String, clap::Command)>) {
        seen.push((path.to_owned(), command.clone()));
        for sub in command.get_subcommands() {
            every_command(sub, format!("{path} {}", sub.get_name()).trim_start(), seen);
        }
    }

    #[test]
    fn every_command_has_examples_that_parse() {
        examples_parse(&storages());
    }

    #[test]
    fn another_storages_program_has_no_examples_of_sql() {
        let storages = Storages::new("shelf:a").with("shelf", "shelf:NAME", NoDriver);
        examples_parse(&storages);
        let program = command_without(&storages, |_| true);
        for command in program.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.contains("sqlite:") && !help.contains("postgres:"), "{help}");
        }
    }

    fn examples_parse(storages: &Storages) {
        // Help is wrapped, so the lines must fit into the usual terminal to be pasted.
        let program = command_without(storages, |_| true).term_width(80);
        let mut commands = Vec::new();
        every_command(&program, "", &mut commands);
        assert!(commands.len() > 25, "{}", commands.len());
        for (path, command) in commands {
            let help = command.term_width(80).render_long_help().to_string();
            let (_, shown) = help
                .split_once("Example")
                .unwrap_or_else(|| panic!("the help of `{path}` has no example"));
            let lines: Vec<_> = shown
                .lines()
                .filter(|line| line.starts_with("  caller-memory"))
                .collect();
            assert!(!lines.is_empty(), "{path}: {help}");
            for line in lines {
                let args = with_default_command(words(line));
                match command_without(storages, |_| true).try_get_matches_from(&args) {
                    Ok(matches) => drop(Cli::from_arg_matches(&matches).expect("a command")),
                    Err(error) => assert!(!error.use_stderr(), "`{line}` of `{path}`: {error}"),
                }
                let belongs = path.is_empty() || line.trim_start().starts_with(&format!("caller-memory {path}"));
                assert!(belongs, "`{line}` is an example of another command than `{path}`");
            }
        }
    }
}
