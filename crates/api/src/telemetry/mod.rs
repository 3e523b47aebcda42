//! What the operator sees of the running service: logs, metrics, traces, and the listener of the metrics.

pub(crate) mod admin;
mod logs;
mod metrics;
mod open_calls;
mod pool;
pub(crate) mod traces;

pub(crate) use logs::start as start_logs;
pub use metrics::Metrics;
pub(crate) use open_calls::OpenCallsGauge;
pub(crate) use pool::PoolGauges;
pub(crate) use traces::{Traces, TracesError, probe};
