//! Errors of the command line in one line each: clap's own have several, and do not name environment variables.

use std::{error::Error, ffi::OsString};

use clap::{
    Arg, Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

/// The error in one line that says what to do. It shows no value of a setting that may hold a secret.
pub(super) fn line(error: &clap::Error, program: &Command, args: &[OsString]) -> String {
    let (path, command) = named(program, args);
    let fault = match error.kind() {
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => wrong_value(error, command, args),
        ErrorKind::MissingRequiredArgument => missing(error, command),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let commands: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
            format!("`{path}` needs a subcommand: {}", commands.join(", "))
        }
        // A number that is written with spaces comes as several arguments.
        ErrorKind::UnknownArgument if is_digits(error) => {
            format!("{}; a number with spaces needs quotes around it", first_lines(error))
        }
        _ => first_lines(error),
    };
    format!("{fault}; `{path} --help` shows how to use it")
}

/// The name of the environment variable whose value the error is about, when the argument has one.
pub(super) fn variable(error: &clap::Error, command: &Command) -> Option<OsString> {
    argument(command, &invalid_arg(error)?)?
        .get_env()
        .map(ToOwned::to_owned)
}

/// What is wrong with a value: its argument, with the variable that it came from, the value unless it may be secret,
/// and what is expected.
pub(super) fn wrong_value(error: &clap::Error, command: &Command, args: &[OsString]) -> String {
    let shown = invalid_arg(error).unwrap_or_else(|| "an argument".to_owned());
    let arg = argument(command, &shown);
    let name = match arg.and_then(Arg::get_env).filter(|_| !is_given(&shown, args)) {
        Some(variable) => format!("{} ({shown})", variable.to_string_lossy()),
        None => shown,
    };
    let expected = match (error.source(), error.get(ContextKind::ValidValue)) {
        (Some(source), _) => source.to_string(),
        (None, Some(ContextValue::Strings(values))) => format!("expected one of {}", values.join(", ")),
        _ => "the value cannot be read".to_owned(),
    };
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) if value.is_empty() => return format!("{name} needs a value"),
        Some(ContextValue::String(value)) if !arg.is_some_and(Arg::is_hide_env_values_set) => {
            let short: String = value.chars().take(80).flat_map(char::escape_debug).collect();
            if expected.contains(&format!("`{short}`")) {
                return format!("{name}: {expected}");
            }
            format!(" `{short}`")
        }
        _ => String::new(),
    };
    format!("{name}: invalid value{value}: {expected}")
}

fn missing(error: &clap::Error, command: &Command) -> String {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return first_lines(error);
    };
    let each: Vec<_> = missing
        .iter()
        .map(|shown| match argument(command, shown).and_then(Arg::get_env) {
            Some(variable) => format!("give {shown} or set {}", variable.to_string_lossy()),
            None => format!("give {shown}"),
        })
        .collect();
    format!("an argument is missing: {}", each.join(", "))
}

/// What clap says before it shows the usage, in one line, without words that may be secrets.
fn first_lines(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = ["\nUsage:", "\nFor more information"]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min();
    let lines = text[..end.unwrap_or(text.len())]
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join("; ").replace(":; ", ": ");
    let words: Vec<_> = line
        .split_whitespace()
        .map(|word| {
            if word.contains("sk_live_") || word.contains("://") {
                "(hidden)"
            } else {
                word
            }
        })
        .collect();
    words.join(" ")
}

/// Whether the argument that clap shows as `--name <VALUE>` is on the command line, and its variable is not to blame.
fn is_given(shown: &str, args: &[OsString]) -> bool {
    let flag = shown.split_whitespace().next().unwrap_or(shown);
    args.iter().filter_map(|arg| arg.to_str()).any(|arg| {
        arg.strip_prefix(flag)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

/// Whether the argument that the error is about has digits only.
fn is_digits(error: &clap::Error) -> bool {
    invalid_arg(error).is_some_and(|arg| arg.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

fn invalid_arg(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(shown) => Some(shown.clone()),
        _ => None,
    }
}

/// The command's argument that clap shows as `--name <VALUE>`.
fn argument<'a>(command: &'a Command, shown: &str) -> Option<&'a Arg> {
    let name = shown.split_whitespace().next()?.strip_prefix("--")?;
    command.get_arguments().find(|arg| arg.get_long() == Some(name))
}

/// The command that the arguments name, with its path, for example `caller-memory key create`.
pub(super) fn named<'a>(program: &'a Command, args: &[OsString]) -> (String, &'a Command) {
    let mut path = program.get_name().to_owned();
    let mut command = program;
    for arg in args.iter().skip(1) {
        let Some(sub) = command.find_subcommand(arg) else { break };
        path = format!("{path} {}", sub.get_name());
        command = sub;
    }
    (path, command)
}
