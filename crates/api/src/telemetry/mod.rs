//! What the operator sees of the running service: logs, metrics, and the listener that serves them.

pub(crate) mod admin;
mod logs;
mod metrics;

pub(crate) use logs::start as start_logs;
pub use metrics::Metrics;
