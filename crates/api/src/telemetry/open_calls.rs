//! How many calls were begun and never written back, as a metric.

use std::{fmt, sync::Arc, time::Duration};

use domain::{
    context::Deadline,
    error::PortError,
    port::{Clock, OpenCalls},
    usecase::CallerRules,
};

use super::Metrics;
use crate::error::Chain;

/// The pause between two counts.
const PAUSE: Duration = Duration::from_mins(1);

/// How long a count may take.
const LIMIT: Duration = Duration::from_secs(5);

/// How much later than its deadline the store may answer before it is given up.
const GRACE: Duration = Duration::from_millis(500);

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
            match self.count().await {
                Ok(calls) => drop(gauge.set(i64::try_from(calls).unwrap_or(i64::MAX))),
                Err(error) => tracing::warn!(cause = %Chain(&error), "open calls could not be counted"),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn count(&self) -> Result<u64, PortError> {
        let begun_by_ms = self.rules.unfinished_before_ms(self.clock.now_ms());
        let deadline = Deadline(self.clock.instant() + LIMIT);
        let count = self.calls.count_open_calls(begun_by_ms, MOST, deadline);
        let counted = tokio::time::timeout_at((deadline.0 + GRACE).into(), count).await;
        counted.unwrap_or_else(|_| Err(PortError::deadline("count open calls")))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use domain::{access::TenantId, async_trait, enrichment::Ttl, memory::OpenCall, phone::Region};

    use super::*;

    /// Never answers.
    struct Silent;

    #[async_trait]
    impl OpenCalls for Silent {
        async fn open_calls(&self, _: TenantId, _: i64, _: u32, _: Deadline) -> Result<Vec<OpenCall>, PortError> {
            std::future::pending().await
        }

        async fn count_open_calls(&self, _: i64, _: u32, _: Deadline) -> Result<u64, PortError> {
            std::future::pending().await
        }
    }

    /// Stands still.
    struct Stopped(Instant);

    impl Clock for Stopped {
        fn now_ms(&self) -> i64 {
            0
        }

        fn instant(&self) -> Instant {
            self.0
        }
    }

    #[tokio::test]
    async fn a_store_that_never_answers_does_not_end_the_counting() {
        // So long ago that every limit of a count has passed.
        let then = Instant::now()
            .checked_sub(LIMIT + GRACE)
            .expect("the machine has run longer");
        let gauge = OpenCallsGauge {
            calls: Arc::new(Silent),
            clock: Arc::new(Stopped(then)),
            rules: CallerRules {
                default_region: "US".parse::<Region>().expect("a region"),
                ttl: Ttl::default(),
                unfinished_after: Duration::from_hours(2),
                summary: domain::summary::SummaryLength::default(),
            },
            metrics: Arc::new(Metrics::new()),
        };
        assert!(matches!(gauge.count().await, Err(PortError::Unavailable(_))));
    }
}
