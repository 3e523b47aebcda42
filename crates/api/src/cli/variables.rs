//! Environment variables that look like settings and are none, as a misspelt one does.

use std::ffi::{OsStr, OsString};

use clap::Command;

const PREFIX: &str = "CALLER_MEMORY_";

/// What the bridges of docs/integrations read; they may share an environment file with the service.
const OF_BRIDGES: [&str; 2] = ["CALLER_MEMORY_OUTBOX", "CALLER_MEMORY_RECALL_TIMEOUT_S"];

/// The variables of the environment that begin as settings do and that no command of the program reads, sorted by name.
/// Blank ones count as not set.
pub(super) fn unknown(program: &Command) -> Vec<OsString> {
    let set = std::env::vars_os().filter(|(_, value)| !value.is_empty());
    let mut unknown: Vec<_> = set
        .filter(|(name, value)| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) && !is_foreign(name, value))
        .map(|(name, _)| name)
        .filter(|name| !is_read(program, name))
        .collect();
    unknown.sort();
    unknown
}

/// The variables that the command reads and whose values are no text, with what is wrong with each.
pub(super) fn not_text(command: &Command) -> Vec<(OsString, String)> {
    let read = command.get_arguments().filter_map(clap::Arg::get_env);
    let not_text = read.filter(|name| std::env::var_os(name).is_some_and(|value| value.to_str().is_none()));
    not_text
        .map(|name| {
            let complaint = format!(
                "{}: the value is not UTF-8; correct or unset it",
                name.to_string_lossy()
            );
            (name.to_owned(), complaint)
        })
        .collect()
}

/// What is wrong with a variable that nothing reads.
pub(super) fn complaint(name: &OsStr) -> String {
    format!(
        "{} is not a setting; correct its name or unset it",
        name.to_string_lossy()
    )
}

fn is_read(command: &Command, name: &OsStr) -> bool {
    command.get_arguments().any(|arg| arg.get_env() == Some(name))
        || command.get_subcommands().any(|sub| is_read(sub, name))
}

/// Whether somebody else sets the variable: a bridge's user, or Kubernetes, which describes a Service named
/// `caller-memory` to the containers beside it
/// (<https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables>).
fn is_foreign(name: &OsStr, value: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let of_service = name.strip_prefix(PREFIX).is_some_and(|rest| {
        let is_url = || value.to_str().is_some_and(|value| value.contains("://"));
        rest == "SERVICE_HOST"
            || rest.starts_with("SERVICE_PORT")
            || rest.starts_with("PORT_")
            || (rest == "PORT" && is_url())
    });
    of_service || OF_BRIDGES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_set_is_told_apart_from_a_wrong_name() {
        for (name, value, foreign) in [
            ("CALLER_MEMORY_SERVICE_HOST", "10.0.0.11", true),
            ("CALLER_MEMORY_SERVICE_PORT_HTTP", "8080", true),
            ("CALLER_MEMORY_PORT", "tcp://10.0.0.11:8080", true),
            ("CALLER_MEMORY_PORT_8080_TCP_ADDR", "10.0.0.11", true),
            ("CALLER_MEMORY_OUTBOX", "outbox", true),
            ("CALLER_MEMORY_PORT", "8080", false),
            ("CALLER_MEMORY_LISTN", "127.0.0.1:8080", false),
        ] {
            assert_eq!(is_foreign(name.as_ref(), value.as_ref()), foreign, "{name}={value}");
        }
    }
}
