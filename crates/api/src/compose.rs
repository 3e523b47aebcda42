//! The one place that wires adapters to ports. The storage comes from the URL; to use another limiter, change a line
//! here.

use std::{sync::Arc, time::Duration};

use adapters_auth::{AuthOptions, CachedAuthenticator, GovernorRateLimiter};
use adapters_enrichment::{FanOut, FanOutLimits, FanOutParts};
use adapters_llm::{Rewriter, RewriterLimits, RewriterParts};
use domain::{
    CallerService,
    port::{Clock, LookupProbe, RewriteProbe, Storage},
    summary::SummaryLength,
    usecase::{CallerPorts, CallerRules},
};
use tokio::runtime::Handle;

use crate::{
    clock::SystemClock,
    config::ServeSettings,
    receipts::{ReceiptLimits, Receipts},
    reread::RereadSweep,
    state::{Api, RequestLimits},
    telemetry::{Metrics, OpenCallsGauge, PoolGauges, Traces, probe},
    vendors::OutsideServices,
};

/// The parts of the service, wired to each other.
pub(crate) struct ServiceParts {
    /// The public interface.
    pub(crate) api: Api,
    /// The look-ups, which go on for a while when the interface has stopped.
    pub(crate) look_ups: Arc<FanOut>,
    /// Counts the calls that were begun and never written back, for as long as it is polled; when the storage lists
    /// them.
    pub(crate) open_calls: Option<OpenCallsGauge>,
    /// Reads calls again that other rules have read, for as long as it is polled; when the storage finds them.
    pub(crate) reread: Option<RereadSweep>,
    /// The receipts that wait to be written, when the feedback loop is on.
    pub(crate) receipts: Option<Arc<Receipts>>,
    /// The worker that rewrites summaries, when there is a language model.
    pub(crate) rewriter: Option<Rewriter>,
}

/// Puts the public interface over the adapters that serve it: the storage, which has all that the settings need, and
/// `outside`.
pub(crate) fn compose(
    settings: &ServeSettings,
    storage: &Arc<dyn Storage>,
    outside: OutsideServices,
    metrics: &Arc<Metrics>,
    traces: Option<Arc<Traces>>,
) -> ServiceParts {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let auth = AuthOptions {
        cache: settings.auth_cache(),
        stale: settings.auth_stale(),
        ..AuthOptions::default()
    };
    let ttl = settings.enrichment.ttl();
    let rules = CallerRules {
        default_region: settings.default_region,
        ttl,
        unfinished_after: settings.unfinished_after(),
        summary: SummaryLength::of_words(settings.summary_words),
    };
    let fan_out = FanOutParts {
        vendors: outside.vendors,
        cache: storage.lookups(),
        ledger: storage.spend(),
        clock: Arc::clone(&clock),
        probe: Arc::clone(metrics) as Arc<dyn LookupProbe>,
        limits: FanOutLimits {
            ttl,
            ..FanOutLimits::default()
        },
    };
    let look_ups = Arc::new(FanOut::new(fan_out, Handle::current()));
    let open_calls = storage.open_calls().map(|calls| OpenCallsGauge {
        calls,
        clock: Arc::clone(&clock),
        rules,
        metrics: Arc::clone(metrics),
    });
    let reread = storage.old_calls().map(|old_calls| RereadSweep {
        old_calls,
        metrics: Arc::clone(metrics),
    });
    let receipts = storage.receipts().filter(|_| settings.feedback_loop).map(|store| {
        let limits = ReceiptLimits {
            kept: settings.receipts_kept(),
            ..ReceiptLimits::default()
        };
        Arc::new(Receipts::start(store, Arc::clone(&clock), Arc::clone(metrics), limits))
    });
    let rewriter = storage.backlog().zip(outside.language_model).map(|(backlog, model)| {
        let parts = RewriterParts {
            backlog,
            model: Arc::new(model),
            clock: Arc::clone(&clock),
            probe: Arc::clone(metrics) as Arc<dyn RewriteProbe>,
            limits: RewriterLimits {
                daily_requests: settings.llm.llm_daily_requests,
                request: Duration::from_secs(settings.llm.llm_timeout_s),
                ..RewriterLimits::default()
            },
        };
        Rewriter::start(parts, &Handle::current())
    });
    let ports = CallerPorts {
        memory: storage.memory(),
        lookups: storage.lookups(),
        enricher: look_ups.clone(),
        clock: Arc::clone(&clock),
        probe: probe(metrics, traces.as_ref()),
    };
    let authenticator = CachedAuthenticator::new(storage.keys(), Arc::clone(&clock), auth);
    let limiter = GovernorRateLimiter::new(settings.rate_limit(), clock);
    let limits = RequestLimits {
        recall_deadline: settings.recall_deadline(),
        write_deadline: settings.write_deadline(),
        max_body_bytes: usize::try_from(settings.max_body_bytes).unwrap_or(usize::MAX),
        ..RequestLimits::default()
    };
    metrics.collect(PoolGauges(Arc::clone(storage)));
    let api = Api::new(
        CallerService::new(ports, rules),
        Arc::new(authenticator),
        Arc::new(limiter),
        limits,
        Arc::clone(metrics),
    );
    ServiceParts {
        api: api
            .with_traces(traces)
            .with_receipts(receipts.clone())
            .with_docs(settings.docs),
        look_ups,
        open_calls,
        reread,
        receipts,
        rewriter,
    }
}
