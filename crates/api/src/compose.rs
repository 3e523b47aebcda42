//! The one place that wires adapters to ports. To use another store or another limiter, change a line here.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use adapters_auth::{AuthOptions, CachedAuthenticator, GovernorRateLimiter};
use adapters_enrichment::{
    ClientError, FanOut, FanOutParts, Http, UnusableSecret, Vendor, pdl::PeopleDataLabs, telnyx::Telnyx,
    trestle::Trestle, twilio::Twilio, webhook::Webhook,
};
use adapters_llm::{OpenAi, Rewriter, RewriterParts, SetupError};
use adapters_sqlorm::{Database, SqlCallerMemory, SqlKeyStore, SqlReceiptStore, SqlSpendLedger, SqlSummaryBacklog};
use domain::{
    port::{Clock, LookupProbe, RewriteProbe},
    usecase::CallerRules,
};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
};

use secrecy::SecretString;
use tokio::runtime::Handle;

use crate::{
    config::{EnrichmentSettings, LlmSettings, ServeSettings},
    receipts::{ReceiptLimits, Receipts},
    rest::{Api, Limits, Ports},
    telemetry::{Metrics, OpenCallsGauge, Traces},
};

/// The wired service.
pub(crate) struct Composed {
    /// The public interface.
    pub(crate) api: Api,
    /// The look-ups, which go on for a while when the interface has stopped.
    pub(crate) look_ups: Arc<FanOut>,
    /// Counts the calls that were begun and never written back, for as long as it is polled.
    pub(crate) open_calls: OpenCallsGauge,
    /// The receipts that wait to be written, when the feedback loop is on.
    pub(crate) receipts: Option<Arc<Receipts>>,
    /// The worker that rewrites summaries, when there is a language model.
    pub(crate) rewriter: Option<Rewriter>,
}

/// Puts the public interface over the adapters that serve it.
///
/// # Errors
/// [`VendorError`] when a vendor's settings are incomplete or its key cannot be sent.
pub(crate) fn compose(
    settings: &ServeSettings,
    database: &Database,
    metrics: &Arc<Metrics>,
    traces: Option<Arc<Traces>>,
) -> Result<Composed, VendorError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let auth = AuthOptions {
        cache: settings.auth_cache(),
        stale: settings.auth_stale(),
        ..AuthOptions::default()
    };
    let key_store = Arc::new(SqlKeyStore::new(database));
    let memory = Arc::new(SqlCallerMemory::new(database));
    let ttl = settings.enrichment.ttl();
    let rules = CallerRules {
        default_region: settings.default_region,
        ttl,
        unfinished_after: settings.unfinished_after(),
    };
    let fan_out = FanOutParts {
        vendors: vendors(&settings.enrichment)?,
        cache: memory.clone(),
        ledger: Arc::new(SqlSpendLedger::new(database)),
        clock: Arc::clone(&clock),
        probe: Arc::clone(metrics) as Arc<dyn LookupProbe>,
        limits: adapters_enrichment::Limits {
            ttl,
            ..adapters_enrichment::Limits::default()
        },
    };
    let look_ups = Arc::new(FanOut::new(fan_out, Handle::current()));
    let open_calls = OpenCallsGauge {
        calls: memory.clone(),
        clock: Arc::clone(&clock),
        rules,
        metrics: Arc::clone(metrics),
    };
    let receipts = settings.feedback_loop.then(|| {
        let limits = ReceiptLimits {
            kept: settings.receipts_kept(),
            ..ReceiptLimits::default()
        };
        let store = Arc::new(SqlReceiptStore::new(database));
        Arc::new(Receipts::start(store, Arc::clone(&clock), Arc::clone(metrics), limits))
    });
    let rewriter = language_model(&settings.llm)?.map(|model| {
        let parts = RewriterParts {
            backlog: Arc::new(SqlSummaryBacklog::new(database)),
            model: Arc::new(model),
            clock: Arc::clone(&clock),
            probe: Arc::clone(metrics) as Arc<dyn RewriteProbe>,
            limits: adapters_llm::Limits {
                daily_requests: settings.llm.llm_daily_requests,
                request: Duration::from_secs(settings.llm.llm_timeout_s),
                ..adapters_llm::Limits::default()
            },
        };
        Rewriter::start(parts, &Handle::current())
    });
    let ports = Ports {
        memory: memory.clone(),
        lookups: memory,
        enricher: look_ups.clone(),
        authenticator: Arc::new(CachedAuthenticator::new(key_store, Arc::clone(&clock), auth)),
        limiter: Arc::new(GovernorRateLimiter::new(settings.rate_limit(), Arc::clone(&clock))),
        clock,
    };
    let limits = Limits {
        recall_deadline: settings.recall_deadline(),
        write_deadline: settings.write_deadline(),
        max_body_bytes: usize::try_from(settings.max_body_bytes).unwrap_or(usize::MAX),
        body_time: Duration::from_secs(10),
    };
    metrics.collect(Storage(database.clone()));
    Ok(Composed {
        api: Api::traced(ports, rules, limits, Arc::clone(metrics), traces)
            .with_receipts(receipts.clone())
            .with_docs(settings.docs),
        look_ups,
        open_calls,
        receipts,
        rewriter,
    })
}

/// Why a vendor or the language model cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum VendorError {
    /// One half of a pair of settings is missing.
    #[error("{missing}: set it together with {given}")]
    Half {
        /// The setting that is there.
        given: &'static str,
        /// The setting that is not.
        missing: &'static str,
    },
    /// A key holds characters that no header can carry.
    #[error("{0}: the value holds characters that cannot be sent")]
    Unusable(&'static str),
    /// The HTTP client could not be set up.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The HTTP client of the language model could not be set up.
    #[error(transparent)]
    Model(SetupError),
}

/// The language model, when it is set.
///
/// # Errors
/// [`VendorError`] when one half of its settings is missing or the key cannot be sent.
pub(crate) fn language_model(settings: &LlmSettings) -> Result<Option<OpenAi>, VendorError> {
    const BASE_URL: &str = "CALLER_MEMORY_LLM_BASE_URL";
    const MODEL: &str = "CALLER_MEMORY_LLM_MODEL";
    let half = |given, missing| Err(VendorError::Half { given, missing });
    let (base, model) = match (&settings.llm_base_url, &settings.llm_model) {
        (None, None) => return Ok(None),
        (Some(_), None) => return half(BASE_URL, MODEL),
        (None, Some(_)) => return half(MODEL, BASE_URL),
        (Some(base), Some(model)) => (base.clone(), model.clone()),
    };
    let made = OpenAi::new(base, model, settings.llm_api_key.as_ref());
    made.map(Some).map_err(|error| match error {
        SetupError::UnusableKey => VendorError::Unusable("CALLER_MEMORY_LLM_API_KEY"),
        SetupError::Client(_) => VendorError::Model(error),
    })
}

/// The vendors whose keys are set.
///
/// # Errors
/// [`VendorError`] when their settings are incomplete or a key cannot be sent.
pub(crate) fn vendors(settings: &EnrichmentSettings) -> Result<Vec<Vendor>, VendorError> {
    let twilio = twilio_credentials(settings)?;
    let is_used = twilio.is_some()
        || settings.trestle_api_key.is_some()
        || settings.telnyx_api_key.is_some()
        || settings.pdl_api_key.is_some()
        || settings.lookup_webhook_url.is_some();
    let mut vendors = Vec::new();
    if !is_used {
        // The client needs the system's CA certificates, which a service without vendors can do without.
        return Ok(vendors);
    }
    let http = Http::new()?;
    if let Some((user, password, setting)) = twilio {
        let twilio = Twilio::new(http.clone(), settings.twilio_base_url.clone(), user, password);
        let twilio = twilio.map_err(|UnusableSecret| VendorError::Unusable(setting))?;
        vendors.push(Vendor::paid(Arc::new(twilio), settings.twilio_price_micro_usd));
    }
    if let Some(key) = &settings.trestle_api_key {
        let trestle = Trestle::new(http.clone(), settings.trestle_base_url.clone(), key);
        let trestle = trestle.map_err(|UnusableSecret| VendorError::Unusable("TRESTLE_API_KEY"))?;
        vendors.push(Vendor::paid(Arc::new(trestle), settings.trestle_price_micro_usd));
    }
    if let Some(key) = &settings.telnyx_api_key {
        let telnyx = Telnyx::new(http.clone(), settings.telnyx_base_url.clone(), key);
        let telnyx = telnyx.map_err(|UnusableSecret| VendorError::Unusable("TELNYX_API_KEY"))?;
        vendors.push(Vendor::paid(Arc::new(telnyx), settings.telnyx_price_micro_usd));
    }
    if let Some(key) = &settings.pdl_api_key {
        let base = settings.pdl_base_url.clone();
        let pdl = PeopleDataLabs::new(http.clone(), base, key, PeopleDataLabs::MIN_LIKELIHOOD);
        let pdl = pdl.map_err(|UnusableSecret| VendorError::Unusable("PDL_API_KEY"))?;
        vendors.push(Vendor::paid(Arc::new(pdl), settings.pdl_price_micro_usd));
    }
    if let Some(url) = &settings.lookup_webhook_url {
        let webhook = Webhook::new(http, url.clone(), settings.lookup_webhook_secret.as_ref());
        let setting = "CALLER_MEMORY_LOOKUP_WEBHOOK_SECRET";
        let webhook = webhook.map_err(|UnusableSecret| VendorError::Unusable(setting))?;
        vendors.push(Vendor::free(Arc::new(webhook)));
    }
    Ok(vendors)
}

/// User and password for Twilio, and the setting that holds the password. An API key comes before the account's own token,
/// because it can be revoked by itself.
fn twilio_credentials(
    settings: &EnrichmentSettings,
) -> Result<Option<(&str, &SecretString, &'static str)>, VendorError> {
    let pairs = [
        (
            ("TWILIO_API_KEY", settings.twilio_api_key.as_deref()),
            ("TWILIO_API_SECRET", settings.twilio_api_secret.as_ref()),
        ),
        (
            ("TWILIO_ACCOUNT_SID", settings.twilio_account_sid.as_deref()),
            ("TWILIO_AUTH_TOKEN", settings.twilio_auth_token.as_ref()),
        ),
    ];
    let mut half = None;
    for ((user_setting, user), (password_setting, password)) in pairs {
        match (user, password) {
            (Some(user), Some(password)) => return Ok(Some((user, password, password_setting))),
            (Some(_), None) => half = half.or(Some((user_setting, password_setting))),
            (None, Some(_)) => half = half.or(Some((password_setting, user_setting))),
            (None, None) => {}
        }
    }
    half.map_or(Ok(None), |(given, missing)| Err(VendorError::Half { given, missing }))
}

/// The clocks of the operating system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn instant(&self) -> Instant {
        Instant::now()
    }
}

/// Tells the metrics how busy the database is.
struct Storage(Database);

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Storage(..)")
    }
}

impl Collector for Storage {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let pool = self.0.pool();
        let gauges = [
            ("database_connections", "Open connections", i64::from(pool.connections)),
            (
                "database_connections_idle",
                "Open connections that nobody uses",
                i64::from(pool.idle),
            ),
            (
                "database_connections_max",
                "The most connections that may be open",
                i64::from(pool.max_connections),
            ),
            (
                "database_writes_waiting",
                "Writes that wait for the connection that writes",
                count(pool.writes_waiting),
            ),
            (
                "contacts_waiting",
                "Contacts noted by recalls and not written yet",
                count(pool.contacts_waiting),
            ),
        ];
        for (name, help, value) in gauges {
            let gauge = ConstGauge::new(value);
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        let dropped = ConstCounter::new(pool.contacts_dropped);
        let help = "Contacts dropped because too many waited";
        dropped.encode(encoder.encode_descriptor("contacts_dropped", help, None, dropped.metric_type())?)
    }
}

fn count(waiting: usize) -> i64 {
    i64::try_from(waiting).unwrap_or(i64::MAX)
}
