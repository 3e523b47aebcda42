//! Log lines, written off the path of requests.

use std::{io::IsTerminal, panic::PanicHookInfo};

use tracing::Level;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt, filter_fn},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::config::LogFormat;

/// Targets of this program: its crates that log, and the access log; those of the storages come with them. Other crates
/// may log what they carry (statements, headers, bodies) below the level info, where it would be a leak, and chatter at
/// info; only their warnings and errors are shown, whatever the filter says.
const OURS: [&str; 5] = ["access", "adapters_auth", "adapters_enrichment", "adapters_llm", "api"];

/// Starts logging to standard error until the guard is dropped, which writes what is queued. Panics are logged by their
/// place alone, because their text may repeat data. The `targets` are those of the storages.
pub(crate) fn start(filter: &str, format: Option<LogFormat>, targets: Vec<&'static str>) -> WorkerGuard {
    let (writer, guard) = NonBlockingBuilder::default()
        .thread_name("logs")
        .finish(std::io::stderr());
    let on_terminal = std::io::stderr().is_terminal();
    let format = format.unwrap_or(if on_terminal {
        LogFormat::Pretty
    } else {
        LogFormat::Json
    });
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let lines = match format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .boxed(),
        LogFormat::Pretty => lines.with_ansi(on_terminal).boxed(),
    };
    let wanted = EnvFilter::builder().parse_lossy(filter);
    let started = tracing_subscriber::registry()
        .with(lines.with_filter(wanted.and(filter_fn(move |line| is_shown(line.target(), *line.level(), &targets)))))
        .try_init();
    if started.is_ok() {
        std::panic::set_hook(Box::new(log_panic));
    }
    guard
}

/// Whether a line of this target and level is safe to show, and is about the service, not about one of its clients.
fn is_shown(target: &str, level: Level, storages: &[&str]) -> bool {
    let root = target.split("::").next().unwrap_or_default();
    // What arrives may be no HTTP at all. Each would be an error, for anybody to fill the log with.
    if target.starts_with("actix_http::h1::dispatcher") {
        return false;
    }
    // The MCP SDK warns of what clients do wrong, in their own words. sqlx warns of a parameter of the database's URL
    // that it does not know, with the value, which is a password where the name is misspelt.
    let is_telling = root == "rmcp" || target.starts_with("sqlx_postgres::options");
    let heard = if is_telling { Level::ERROR } else { Level::WARN };
    level <= heard || OURS.contains(&root) || storages.contains(&root)
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(tracing::field::display);
    tracing::error!(place, "a thread panicked");
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use tracing::Level;

    use super::{OURS, is_shown};

    #[test]
    fn a_storages_own_crate_is_heard_and_other_crates_warn() {
        for (target, level, shown) in [
            ("api::serve", Level::DEBUG, true),
            ("my_storage::rows", Level::DEBUG, true),
            ("my_storage_too", Level::INFO, false),
            ("sqlx::query", Level::INFO, false),
            ("sqlx::query", Level::WARN, true),
            ("sqlx_postgres::options::parse", Level::WARN, false),
            ("rmcp::service", Level::WARN, false),
            ("actix_http::h1::dispatcher", Level::ERROR, false),
            ("actix_http::h1::encoder", Level::ERROR, true),
        ] {
            assert_eq!(is_shown(target, level, &["my_storage"]), shown, "{target} at {level}");
        }
    }

    /// A crate of ours that is missing here would be silent below warnings, whatever filter the operator sets.
    #[cfg(feature = "sql")]
    #[test]
    fn every_crate_that_logs_can_be_heard() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut logging = BTreeSet::from(["access".to_owned()]);
        for member in fs::read_dir(crates).unwrap() {
            let member = member.unwrap();
            let name = member.file_name().into_string().unwrap();
            let manifest = fs::read_to_string(member.path().join("Cargo.toml")).unwrap();
            let program = manifest.split("[dev-dependencies]").next().unwrap_or_default();
            if name != "testkit" && program.lines().any(|line| line.starts_with("tracing.workspace")) {
                logging.insert(name.replace('-', "_"));
            }
        }
        assert!(logging.contains("adapters_llm"), "{logging:?}");
        let storages = crate::bundled::storages().log_targets();
        let heard = OURS.into_iter().chain(storages);
        assert_eq!(logging, heard.map(str::to_owned).collect());
    }
}
