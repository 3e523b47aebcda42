//! The state of the public interface: what every worker's application stands on.

use std::{sync::Arc, time::Duration};

use domain::{
    CallerService,
    port::{Authenticator, RateLimiter},
};

use crate::{
    receipts::Receipts,
    telemetry::{Metrics, Traces},
};

/// How long a request may take, and how large its body may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimits {
    /// The whole of a recall, unless the client asks for another time.
    pub recall_deadline: Duration,
    /// The whole of a call end, and of reading a profile.
    pub write_deadline: Duration,
    /// The largest body, in bytes.
    pub max_body_bytes: usize,
    /// How long a client may take to send a body.
    pub body_time: Duration,
}

impl Default for RequestLimits {
    /// The defaults of the settings.
    fn default() -> Self {
        Self {
            recall_deadline: Duration::from_millis(300),
            write_deadline: Duration::from_secs(3),
            max_body_bytes: 2 * 1024 * 1024,
            body_time: Duration::from_secs(10),
        }
    }
}

/// The state of the public interface, one for all workers.
pub struct Api {
    pub(crate) callers: CallerService,
    pub(crate) authenticator: Arc<dyn Authenticator>,
    pub(crate) limiter: Arc<dyn RateLimiter>,
    pub(crate) limits: RequestLimits,
    pub(crate) metrics: Arc<Metrics>,
    /// There when traces are exported.
    pub(crate) traces: Option<Arc<Traces>>,
    /// There when the feedback loop is on.
    pub(crate) receipts: Option<Arc<Receipts>>,
    /// Whether the API page is served.
    pub(crate) docs: bool,
}

impl Api {
    /// Puts the interface over the use cases, the verification of keys and their token buckets. Requests are counted in
    /// `metrics`; the use cases must report to them too, as their probe.
    #[must_use]
    pub fn new(
        callers: CallerService,
        authenticator: Arc<dyn Authenticator>,
        limiter: Arc<dyn RateLimiter>,
        limits: RequestLimits,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            callers,
            authenticator,
            limiter,
            limits,
            metrics,
            traces: None,
            receipts: None,
            docs: false,
        }
    }

    /// Exports the spans of requests, when there are `traces` to export them with.
    #[must_use]
    pub(crate) fn with_traces(mut self, traces: Option<Arc<Traces>>) -> Self {
        self.traces = traces;
        self
    }

    /// Turns the feedback loop on, when there are `receipts` to keep.
    #[must_use]
    pub fn with_receipts(mut self, receipts: Option<Arc<Receipts>>) -> Self {
        self.receipts = receipts;
        self
    }

    /// Serves the API page at `/docs`, or does not.
    #[must_use]
    pub fn with_docs(mut self, docs: bool) -> Self {
        self.docs = docs;
        self
    }
}
