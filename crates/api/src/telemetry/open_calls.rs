//! How many calls were begun and never written back, as a metric.

use std::{fmt, sync::Arc, time::Duration};

use domain::{
    context::Deadline,
    port::{Clock, OpenCalls},
    usecase::CallerRules,
};

use super::Metrics;
use crate::error::Chain;

/// The pause between two counts.
const PAUSE: Duration = Duration::from_mins(1);

/// How long a count may take.
const LIMIT: Duration = Duration::from_secs(5);

/// How far is counted: more is as bad.
const MOST: u32 = 100_000;

/// Keeps the metric of open calls up to date.
pub(crate) struct OpenCallsGauge {
    pub(crate) calls: Arc<dyn OpenCalls>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) rules: CallerRules,
    pub(crate) metrics: Arc<Metrics>,
}

impl fmt::Debug for OpenCallsGauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenCallsGauge(..)")
    }
}

impl OpenCallsGauge {
    /// Counts now and then, for ever. A count that fails leaves the metric as it was.
    pub(crate) async fn run(self) {
        let gauge = self.metrics.calls_open();
        loop {
            let begun_by_ms = self.rules.unfinished_before_ms(self.clock.now_ms());
            let deadline = Deadline(self.clock.instant() + LIMIT);
            match self.calls.count_open_calls(begun_by_ms, MOST, deadline).await {
                Ok(calls) => drop(gauge.set(i64::try_from(calls).unwrap_or(i64::MAX))),
                Err(error) => tracing::warn!(cause = %Chain(&error), "open calls could not be counted"),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
