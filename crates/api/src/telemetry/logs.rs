//! Log lines, written off the path of requests.

use std::{io::IsTerminal, panic::PanicHookInfo};

use tracing::{Level, Metadata};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt, filter_fn},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::config::LogFormat;

/// Crates of this program. Those of others may log what they carry (statements, headers, bodies) below the level info, where it
/// would be a leak, and chatter at info; they are heard from warnings upwards only, whatever the filter says.
const OURS: [&str; 8] = [
    "access",
    "adapters_auth",
    "adapters_enrichment",
    "adapters_sqlorm",
    "api",
    "caller_memory",
    "domain",
    "migrations",
];

/// Starts logging to standard error until the guard is dropped, which writes what is queued. Panics are logged by their place alone,
/// because their text may repeat data.
pub(crate) fn start(filter: &str, format: Option<LogFormat>) -> WorkerGuard {
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
        .with(lines.with_filter(wanted.and(filter_fn(is_safe))))
        .try_init();
    if started.is_ok() {
        std::panic::set_hook(Box::new(log_panic));
    }
    guard
}

fn is_safe(metadata: &Metadata<'_>) -> bool {
    let root = metadata.target().split("::").next().unwrap_or_default();
    // The MCP SDK warns of what clients do wrong, in their own words.
    let heard = if root == "rmcp" { Level::ERROR } else { Level::WARN };
    *metadata.level() <= heard || OURS.contains(&root)
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(tracing::field::display);
    tracing::error!(place, "a thread panicked");
}
