//! Counts and times, as Prometheus reads them. No label names a tenant, a key or a caller.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use actix_web::http::StatusCode;
use domain::{
    facts::{FactKey, FactOutcome},
    port::{LookupProbe, Probe, RewriteProbe, Skip, Stage},
};
use prometheus_client::{
    collector::Collector,
    encoding::{EncodeLabelSet, text},
    metrics::{
        counter::Counter,
        family::{Family, MetricConstructor},
        gauge::Gauge,
        histogram::Histogram,
    },
    registry::{Registry, Unit},
};

use crate::{
    error::{Code, Refusal},
    route::Route,
};

/// Upper bounds of latency buckets, in seconds: fine around a millisecond, where answers are expected.
const BUCKETS: [f64; 16] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.5, 5.0,
];

/// Upper bounds of the buckets of a language model's answers, in seconds.
const SLOW_BUCKETS: [f64; 10] = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    method: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabel {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StageLabel {
    stage: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FactLabels {
    key: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LookupLabels {
    vendor: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RewriteLabels {
    kind: &'static str,
    outcome: &'static str,
}

#[derive(Clone)]
struct Latencies;

#[derive(Clone)]
struct SlowLatencies;

impl MetricConstructor<Histogram> for SlowLatencies {
    fn new_metric(&self) -> Histogram {
        Histogram::new(SLOW_BUCKETS)
    }
}

impl MetricConstructor<Histogram> for Latencies {
    fn new_metric(&self) -> Histogram {
        Histogram::new(BUCKETS)
    }
}

type Times<L> = Family<L, Histogram, Latencies>;

/// What is counted and timed.
pub struct Metrics {
    registry: Mutex<Registry>,
    requests: Family<RequestLabels, Counter>,
    request_times: Times<RouteLabel>,
    in_flight: Gauge,
    stage_times: Times<StageLabel>,
    degraded: Counter,
    facts: Family<FactLabels, Counter>,
    credentials: Family<OutcomeLabel, Counter>,
    calls_reread: Family<OutcomeLabel, Counter>,
    lookup_times: Times<LookupLabels>,
    lookups_skipped: Family<LookupLabels, Counter>,
    receipts_kept: Counter,
    receipts_dropped: Family<ReasonLabel, Counter>,
    receipts_waiting: Gauge,
    rewrite_times: Family<RewriteLabels, Histogram, SlowLatencies>,
    rewrites_capped: Counter,
}

impl Metrics {
    /// Metrics that stand at zero.
    #[must_use]
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("caller_memory");
        let requests = Family::default();
        let request_times = Times::new_with_constructor(Latencies);
        let in_flight = Gauge::default();
        let stage_times = Times::new_with_constructor(Latencies);
        let degraded = Counter::default();
        let facts = Family::default();
        let credentials = Family::default();
        registry.register(
            "http_requests",
            "Requests by route, method and status",
            requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "Time from the arrival of a request's head to its answer",
            Unit::Seconds,
            request_times.clone(),
        );
        registry.register("http_requests_in_flight", "Requests being served", in_flight.clone());
        registry.register_with_unit(
            "stage_duration",
            "Time of a part of a request",
            Unit::Seconds,
            stage_times.clone(),
        );
        registry.register("recalls_degraded", "Recalls answered without memory", degraded.clone());
        registry.register("facts", "Calls read for facts, by key and outcome", facts.clone());
        registry.register("credentials", "Verified credentials by outcome", credentials.clone());
        let calls_reread = Family::default();
        registry.register(
            "calls_reread",
            "Calls read again because the rules have changed, by outcome",
            calls_reread.clone(),
        );
        let lookup_times = Times::new_with_constructor(Latencies);
        let lookups_skipped = Family::default();
        registry.register_with_unit(
            "lookup_duration",
            "Time of a look-up by vendor and outcome",
            Unit::Seconds,
            lookup_times.clone(),
        );
        registry.register(
            "lookups_skipped",
            "Look-ups that were needed and not begun, by vendor and reason",
            lookups_skipped.clone(),
        );
        let receipts_kept = Counter::default();
        let receipts_dropped = Family::default();
        let receipts_waiting = Gauge::default();
        registry.register("receipts_kept", "Receipts of recalls written", receipts_kept.clone());
        registry.register(
            "receipts_dropped",
            "Receipts of recalls dropped, by reason",
            receipts_dropped.clone(),
        );
        registry.register(
            "receipts_waiting",
            "Receipts of recalls that wait to be written",
            receipts_waiting.clone(),
        );
        let rewrite_times = Family::new_with_constructor(SlowLatencies);
        let rewrites_capped = Counter::default();
        registry.register_with_unit(
            "rewrite_duration",
            "Time of a request to the language model by what it was about and its outcome",
            Unit::Seconds,
            rewrite_times.clone(),
        );
        registry.register(
            "rewrites_capped",
            "Rewrites put off to the next day because of the daily cap",
            rewrites_capped.clone(),
        );
        Self {
            registry: Mutex::new(registry),
            requests,
            request_times,
            in_flight,
            stage_times,
            degraded,
            facts,
            credentials,
            calls_reread,
            lookup_times,
            lookups_skipped,
            receipts_kept,
            receipts_dropped,
            receipts_waiting,
            rewrite_times,
            rewrites_capped,
        }
    }

    /// Adds what `collector` tells at each scrape.
    pub(crate) fn collect(&self, collector: impl Collector) {
        self.registry().register_collector(Box::new(collector));
    }

    /// Everything, in the text format of `OpenMetrics`.
    ///
    /// # Errors
    /// When it cannot be written as text.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut written = String::new();
        text::encode(&mut written, &self.registry())?;
        Ok(written)
    }

    fn registry(&self) -> std::sync::MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request as in flight until the answer is dropped.
    pub(crate) fn begin_request(&self) -> InFlight {
        self.in_flight.inc();
        InFlight(self.in_flight.clone())
    }

    pub(crate) fn request(&self, route: Route, method: &'static str, status: StatusCode, took: Duration) {
        let route = route.pattern();
        let labels = RequestLabels {
            route,
            method,
            status: status.as_u16(),
        };
        self.requests.get_or_create(&labels).inc();
        self.request_times
            .get_or_create(&RouteLabel { route })
            .observe(took.as_secs_f64());
    }

    /// Adds the number of open calls, for a storage that can count them.
    pub(super) fn calls_open(&self) -> Gauge {
        let gauge = Gauge::default();
        let help = "Calls that were begun by a recall and not written back in time, of all tenants, counted to \
            100000 once a minute";
        self.registry().register("calls_open", help, gauge.clone());
        gauge
    }

    /// Counts a call that was read again.
    pub(crate) fn call_reread(&self, outcome: &'static str) {
        self.calls_reread.get_or_create(&OutcomeLabel { outcome }).inc();
    }

    /// Counts receipts that begin to wait.
    pub(crate) fn receipts_waiting(&self, receipts: usize) {
        self.receipts_waiting.inc_by(signed(receipts));
    }

    /// Counts receipts that waited and are written.
    pub(crate) fn receipts_kept(&self, receipts: usize) {
        self.receipts_waiting.dec_by(signed(receipts));
        self.receipts_kept.inc_by(receipts as u64);
    }

    /// Counts receipts that waited and will not be written, for this reason.
    pub(crate) fn receipts_dropped(&self, reason: &'static str, receipts: usize) {
        self.receipts_waiting.dec_by(signed(receipts));
        self.receipts_dropped
            .get_or_create(&ReasonLabel { reason })
            .inc_by(receipts as u64);
    }

    /// Counts a verified credential, which was refused for `refusal` if any.
    pub(crate) fn credential(&self, refusal: Option<&Refusal>) {
        let outcome = match refusal.map(Refusal::code) {
            None => "accepted",
            Some(Code::Unauthorized) => "refused",
            Some(Code::RateLimited) => "throttled",
            Some(_) => "unavailable",
        };
        self.credentials.get_or_create(&OutcomeLabel { outcome }).inc();
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Probe for Metrics {
    fn stage(&self, stage: Stage, took: Duration) {
        let stage = stage_name(stage);
        self.stage_times
            .get_or_create(&StageLabel { stage })
            .observe(took.as_secs_f64());
    }

    fn facts(&self, key: FactKey, outcome: FactOutcome) {
        let labels = FactLabels {
            key: key.as_str(),
            outcome: outcome.as_str(),
        };
        self.facts.get_or_create(&labels).inc();
    }

    fn degraded(&self) {
        self.degraded.inc();
    }
}

impl LookupProbe for Metrics {
    fn ended(&self, vendor: &str, outcome: &'static str, took: Duration) {
        let vendor = vendor.to_owned();
        self.lookup_times
            .get_or_create(&LookupLabels { vendor, outcome })
            .observe(took.as_secs_f64());
    }

    fn skipped(&self, vendor: &str, why: Skip) {
        let vendor = vendor.to_owned();
        let outcome = why.label();
        self.lookups_skipped
            .get_or_create(&LookupLabels { vendor, outcome })
            .inc();
    }
}

pub(super) fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl RewriteProbe for Metrics {
    fn ended(&self, kind: &'static str, outcome: &'static str, took: Duration) {
        self.rewrite_times
            .get_or_create(&RewriteLabels { kind, outcome })
            .observe(took.as_secs_f64());
    }

    fn capped(&self) {
        self.rewrites_capped.inc();
    }
}

/// The name of a stage in metrics and traces.
pub(super) const fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::MemoryRecall => "memory_recall",
        Stage::MemoryRecordEnd => "memory_record_end",
        Stage::MemoryCaller => "memory_caller",
        Stage::Enrichment => "enrichment",
        Stage::Summary => "summary",
        Stage::Facts => "facts",
    }
}

/// A request that is being served.
pub(crate) struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_in_the_text() {
        let metrics = Metrics::new();
        let serving = metrics.begin_request();
        metrics.request(
            Route::GetCaller,
            "GET",
            StatusCode::NOT_FOUND,
            Duration::from_micros(300),
        );
        metrics.stage(Stage::MemoryCaller, Duration::from_micros(200));
        metrics.facts(FactKey::Name, FactOutcome::Doubtful);
        metrics.calls_open().set(3);
        metrics.degraded();
        metrics.call_reread("changed");
        metrics.credential(None);
        metrics.credential(Some(&Refusal::unauthorized()));
        LookupProbe::ended(&metrics, "twilio", "hit", Duration::from_millis(70));
        RewriteProbe::ended(&metrics, "call", "kept", Duration::from_secs(2));
        metrics.capped();
        metrics.skipped("twilio", Skip::Capped);
        metrics.receipts_waiting(6);
        metrics.receipts_kept(3);
        metrics.receipts_dropped("full", 2);
        let text = metrics.text().unwrap();
        for line in [
            "caller_memory_http_requests_total{route=\"/v1/caller/{phone_number}\",method=\"GET\",status=\"404\"} 1",
            "caller_memory_http_request_duration_seconds_count{route=\"/v1/caller/{phone_number}\"} 1",
            "caller_memory_http_requests_in_flight 1",
            "caller_memory_stage_duration_seconds_bucket{le=\"0.00025\",stage=\"memory_caller\"} 1",
            "caller_memory_recalls_degraded_total 1",
            "caller_memory_calls_open 3",
            "caller_memory_calls_reread_total{outcome=\"changed\"} 1",
            "caller_memory_facts_total{key=\"name\",outcome=\"doubtful\"} 1",
            "caller_memory_credentials_total{outcome=\"accepted\"} 1",
            "caller_memory_credentials_total{outcome=\"refused\"} 1",
            "caller_memory_lookup_duration_seconds_count{vendor=\"twilio\",outcome=\"hit\"} 1",
            "caller_memory_lookups_skipped_total{vendor=\"twilio\",outcome=\"capped\"} 1",
            "caller_memory_receipts_kept_total 3",
            "caller_memory_receipts_dropped_total{reason=\"full\"} 2",
            "caller_memory_receipts_waiting 1",
            "caller_memory_rewrite_duration_seconds_bucket{le=\"2.5\",kind=\"call\",outcome=\"kept\"} 1",
            "caller_memory_rewrites_capped_total 1",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        drop(serving);
        assert!(
            metrics
                .text()
                .unwrap()
                .contains("caller_memory_http_requests_in_flight 0")
        );
    }
}
