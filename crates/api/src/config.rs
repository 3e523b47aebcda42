//! The settings: one list for flags, environment variables and `serve --help`, so that the three never differ.

use std::{fmt, net::SocketAddr, num::NonZeroU32, ops::RangeInclusive, str::FromStr, time::Duration};

use adapters_auth::{ApiKey, AuthOptions};
use adapters_enrichment::{pdl::PeopleDataLabs, telnyx::Telnyx, trestle::Trestle, twilio::Twilio, webhook::WebhookUrl};
use adapters_llm::RewriterLimits;
use clap::{Args, ValueEnum, builder::BoolishValueParser};
use domain::{access::RateLimit, context::LONGEST_DEADLINE_MS, enrichment::Ttl, phone::Region, summary::SummaryLength};
use outgoing::BaseUrl;
use secrecy::SecretString;
use tracing_subscriber::EnvFilter;

use crate::{
    middleware::deadline::REQUESTABLE_MS,
    receipts::ReceiptLimits,
    state::RequestLimits,
    storages::{DATABASE_URL, DatabaseUrl},
    telemetry::traces::is_collector,
};

/// Where the memory is kept. Every command that works on the database takes these.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Database")]
pub struct DatabaseSettings {
    /// The database
    // Its default, its parser and the rest of its help are those of the program's storages, which add them.
    #[arg(long, env = DATABASE_URL, value_name = "URL", hide_env_values = true, value_parser = unregistered)]
    pub database_url: DatabaseUrl,

    /// Apply pending migrations at the start; false: refuse to start while one is pending
    #[arg(
        long,
        env = "CALLER_MEMORY_AUTO_MIGRATE",
        value_name = "BOOL",
        default_value = "true",
        action = clap::ArgAction::Set,
        value_parser = BoolishValueParser::new()
    )]
    pub auto_migrate: bool,
}

/// What a deadline may be, in milliseconds. The least is what a client may ask for too (`X-Deadline-Ms`): ports are
/// given up 5 ms earlier, so that with less hardly any request could be answered.
const DEADLINE_MS: RangeInclusive<u64> = *REQUESTABLE_MS.start() as u64..=LONGEST_DEADLINE_MS;

/// How long after its recall a call that was not written back counts as a gap and as open, in seconds.
pub(crate) const UNFINISHED_AFTER_S: u32 = 7_200;

/// The most words of a caller's summary.
const SUMMARY_WORDS: u16 = 120;

/// Everything that `serve` can be told.
#[derive(Debug, Clone, Args)]
pub struct ServeSettings {
    /// The public listener: address and port
    #[arg(
        long,
        env = "CALLER_MEMORY_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = listener
    )]
    pub listen: SocketAddr,

    /// The listener of /healthz, /readyz and /metrics; keep it off the internet
    #[arg(
        long,
        env = "CALLER_MEMORY_ADMIN_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:9090",
        value_parser = listener
    )]
    pub admin_listen: SocketAddr,

    /// An API key that must exist in the tenant `default`: `sk_live_` and at least 24 letters or digits; unset: the
    /// first start makes one
    #[arg(
        long,
        env = "CALLER_MEMORY_BOOTSTRAP_KEY",
        value_name = "KEY",
        hide_env_values = true,
        value_parser = ApiKey::parse
    )]
    pub bootstrap_key: Option<ApiKey>,

    /// Serve the API page at /docs on the public listener
    #[arg(
        long,
        env = "CALLER_MEMORY_DOCS",
        value_name = "BOOL",
        default_value = "true",
        action = clap::ArgAction::Set,
        value_parser = BoolishValueParser::new()
    )]
    pub docs: bool,

    /// The region of national phone numbers, unless the tenant has its own
    #[arg(
        long,
        env = "CALLER_MEMORY_DEFAULT_REGION",
        value_name = "REGION",
        default_value = "US"
    )]
    pub default_region: Region,

    /// The whole of a recall, in milliseconds: 20 to 60000
    #[arg(
        long,
        env = "CALLER_MEMORY_RECALL_DEADLINE_MS",
        value_name = "MS",
        default_value_t = millis(RequestLimits::default().recall_deadline),
        value_parser = whole::<u64>(DEADLINE_MS)
    )]
    pub recall_deadline_ms: u64,

    /// The whole of a calls/end, in milliseconds: 20 to 60000
    #[arg(
        long,
        env = "CALLER_MEMORY_WRITE_DEADLINE_MS",
        value_name = "MS",
        default_value_t = millis(RequestLimits::default().write_deadline),
        value_parser = whole::<u64>(DEADLINE_MS)
    )]
    pub write_deadline_ms: u64,

    /// How long after its recall a call that was not written back counts as a gap, in seconds
    #[arg(
        long,
        env = "CALLER_MEMORY_UNFINISHED_AFTER_S",
        value_name = "S",
        default_value_t = u64::from(UNFINISHED_AFTER_S),
        value_parser = whole::<u64>(1..=2_592_000)
    )]
    pub unfinished_after_s: u64,

    /// The most words of a caller's summary: 40 to 400
    #[arg(
        long,
        env = "CALLER_MEMORY_SUMMARY_WORDS",
        value_name = "N",
        default_value_t = SUMMARY_WORDS,
        value_parser = whole(SummaryLength::WORDS)
    )]
    pub summary_words: u16,

    /// Requests per second that a key may keep up, unless its tenant has its own limit
    #[arg(long, env = "CALLER_MEMORY_RATE_PER_SECOND", value_name = "N", default_value = "50", value_parser = positive)]
    pub rate_per_second: NonZeroU32,

    /// Requests that a key may send at once, unless its tenant has its own limit
    #[arg(long, env = "CALLER_MEMORY_RATE_BURST", value_name = "N", default_value = "100", value_parser = positive)]
    pub rate_burst: NonZeroU32,

    /// The largest request body, in bytes
    #[arg(
        long,
        env = "CALLER_MEMORY_MAX_BODY_BYTES",
        value_name = "BYTES",
        default_value_t = u32::try_from(RequestLimits::default().max_body_bytes).unwrap_or(u32::MAX),
        value_parser = whole::<u32>(1..=1_073_741_824)
    )]
    pub max_body_bytes: u32,

    /// How long a verified key is served from memory, in seconds
    #[arg(
        long,
        env = "CALLER_MEMORY_AUTH_CACHE_S",
        value_name = "S",
        default_value_t = AuthOptions::default().cache.as_secs(),
        value_parser = whole::<u64>(0..=86_400)
    )]
    pub auth_cache_s: u64,

    /// How much longer a verified key stays valid while the key store cannot be reached, in seconds
    #[arg(
        long,
        env = "CALLER_MEMORY_AUTH_STALE_S",
        value_name = "S",
        default_value_t = AuthOptions::default().stale.as_secs(),
        value_parser = whole::<u64>(0..=604_800)
    )]
    pub auth_stale_s: u64,

    /// Keep a receipt of each recall, whose id is the answer's `context_audit_id`; see `caller-memory receipt`
    #[arg(
        long,
        env = "CALLER_MEMORY_FEEDBACK_LOOP",
        value_name = "BOOL",
        default_value = "false",
        action = clap::ArgAction::Set,
        value_parser = BoolishValueParser::new()
    )]
    pub feedback_loop: bool,

    /// How long receipts are kept, in days
    #[arg(
        long,
        env = "CALLER_MEMORY_RECEIPT_DAYS",
        value_name = "N",
        default_value_t = days(ReceiptLimits::default().kept),
        value_parser = whole::<u32>(1..=3650)
    )]
    pub receipt_days: u32,

    /// The tracing filter, for example info or api=debug,info
    #[arg(long, env = "CALLER_MEMORY_LOG", value_name = "FILTER", default_value = "info", value_parser = log_filter)]
    pub log: String,

    /// The form of log lines; unset: pretty on a terminal, else json
    #[arg(long, env = "CALLER_MEMORY_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,

    /// Where traces are exported by OTLP over HTTP, for example `http://localhost:4318`; the other standard `OTEL_*`
    /// variables count
    #[arg(
        long,
        env = "OTEL_EXPORTER_OTLP_ENDPOINT",
        value_name = "URL",
        hide_env_values = true,
        value_parser = collector
    )]
    pub otlp_endpoint: Option<String>,

    /// Where the memory is kept.
    #[command(flatten)]
    pub database: DatabaseSettings,

    /// Who is asked about numbers.
    #[command(flatten)]
    pub enrichment: EnrichmentSettings,

    /// Who writes better summaries.
    #[command(flatten)]
    pub llm: LlmSettings,
}

/// The language model that writes better summaries after the call. It is used when address and model are set.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Language model")]
pub struct LlmSettings {
    /// The address before `/chat/completions` of an OpenAI-compatible endpoint, for example
    /// `http://localhost:11434/v1`; with `CALLER_MEMORY_LLM_MODEL`
    #[arg(long, env = "CALLER_MEMORY_LLM_BASE_URL", value_name = "URL")]
    pub llm_base_url: Option<BaseUrl>,

    /// The endpoint's key, when it asks for one
    #[arg(
        long,
        env = "CALLER_MEMORY_LLM_API_KEY",
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub llm_api_key: Option<SecretString>,

    /// The model's name at the endpoint; with `CALLER_MEMORY_LLM_BASE_URL`
    #[arg(long, env = "CALLER_MEMORY_LLM_MODEL", value_name = "NAME")]
    pub llm_model: Option<String>,

    /// The most requests of each tenant on a day (UTC); calls beyond wait for the next
    #[arg(
        long,
        env = "CALLER_MEMORY_LLM_DAILY_REQUESTS",
        value_name = "N",
        default_value_t = RewriterLimits::default().daily_requests,
        value_parser = whole(0..=u32::MAX)
    )]
    pub llm_daily_requests: u32,

    /// The whole of one request to the model, in seconds
    #[arg(
        long,
        env = "CALLER_MEMORY_LLM_TIMEOUT_S",
        value_name = "S",
        default_value_t = RewriterLimits::default().request.as_secs(),
        value_parser = whole::<u64>(1..=600)
    )]
    pub llm_timeout_s: u64,
}

/// Who is asked about numbers, at what price, and how long an answer is good. A vendor is used when its key is set.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Look-ups")]
pub struct EnrichmentSettings {
    /// Twilio's account, for its look-ups; with `TWILIO_AUTH_TOKEN`
    #[arg(long, env = "TWILIO_ACCOUNT_SID", value_name = "SID", hide_env_values = true)]
    pub twilio_account_sid: Option<String>,

    /// The secret of `TWILIO_ACCOUNT_SID`
    #[arg(long, env = "TWILIO_AUTH_TOKEN", value_name = "SECRET", hide_env_values = true)]
    pub twilio_auth_token: Option<SecretString>,

    /// An API key of Twilio, in place of the account; with `TWILIO_API_SECRET`
    #[arg(long, env = "TWILIO_API_KEY", value_name = "SID", hide_env_values = true)]
    pub twilio_api_key: Option<String>,

    /// The secret of `TWILIO_API_KEY`
    #[arg(long, env = "TWILIO_API_SECRET", value_name = "SECRET", hide_env_values = true)]
    pub twilio_api_secret: Option<SecretString>,

    /// A key of Trestle, for its reverse phone look-up
    #[arg(long, env = "TRESTLE_API_KEY", value_name = "SECRET", hide_env_values = true)]
    pub trestle_api_key: Option<SecretString>,

    /// A key of Telnyx, for its number look-up
    #[arg(long, env = "TELNYX_API_KEY", value_name = "SECRET", hide_env_values = true)]
    pub telnyx_api_key: Option<SecretString>,

    /// A key of People Data Labs, for its person enrichment
    #[arg(long, env = "PDL_API_KEY", value_name = "SECRET", hide_env_values = true)]
    pub pdl_api_key: Option<SecretString>,

    /// Where your own records answer `GET ?phone_number=...`; http or https
    #[arg(
        long,
        env = "CALLER_MEMORY_LOOKUP_WEBHOOK_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    pub lookup_webhook_url: Option<WebhookUrl>,

    /// The bearer token that your own records ask for
    #[arg(
        long,
        env = "CALLER_MEMORY_LOOKUP_WEBHOOK_SECRET",
        value_name = "SECRET",
        hide_env_values = true
    )]
    pub lookup_webhook_secret: Option<SecretString>,

    /// Twilio's origin, with a path prefix if need be
    #[arg(long, env = "CALLER_MEMORY_TWILIO_BASE_URL", value_name = "URL", default_value = Twilio::BASE_URL)]
    pub twilio_base_url: BaseUrl,

    /// Trestle's origin, with a path prefix if need be
    #[arg(long, env = "CALLER_MEMORY_TRESTLE_BASE_URL", value_name = "URL", default_value = Trestle::BASE_URL)]
    pub trestle_base_url: BaseUrl,

    /// Telnyx's origin, with a path prefix if need be
    #[arg(long, env = "CALLER_MEMORY_TELNYX_BASE_URL", value_name = "URL", default_value = Telnyx::BASE_URL)]
    pub telnyx_base_url: BaseUrl,

    /// People Data Labs' origin, with a path prefix if need be
    #[arg(long, env = "CALLER_MEMORY_PDL_BASE_URL", value_name = "URL", default_value = PeopleDataLabs::BASE_URL)]
    pub pdl_base_url: BaseUrl,

    /// The price of one look-up at Twilio, in millionths of a dollar
    #[arg(
        long,
        env = "CALLER_MEMORY_TWILIO_PRICE_MICRO_USD",
        value_name = "N",
        default_value_t = 0,
        value_parser = whole(0..=u64::MAX)
    )]
    pub twilio_price_micro_usd: u64,

    /// The price of one look-up at Trestle, in millionths of a dollar
    #[arg(
        long,
        env = "CALLER_MEMORY_TRESTLE_PRICE_MICRO_USD",
        value_name = "N",
        default_value_t = 0,
        value_parser = whole(0..=u64::MAX)
    )]
    pub trestle_price_micro_usd: u64,

    /// The price of one look-up at Telnyx, in millionths of a dollar
    #[arg(
        long,
        env = "CALLER_MEMORY_TELNYX_PRICE_MICRO_USD",
        value_name = "N",
        default_value_t = 0,
        value_parser = whole(0..=u64::MAX)
    )]
    pub telnyx_price_micro_usd: u64,

    /// The price of one look-up at People Data Labs, in millionths of a dollar
    #[arg(
        long,
        env = "CALLER_MEMORY_PDL_PRICE_MICRO_USD",
        value_name = "N",
        default_value_t = 0,
        value_parser = whole(0..=u64::MAX)
    )]
    pub pdl_price_micro_usd: u64,

    /// How long an answer that told something is fresh, in seconds
    #[arg(
        long,
        env = "CALLER_MEMORY_ENRICHMENT_TTL_S",
        value_name = "S",
        default_value_t = Ttl::default().hit_ms / 1000,
        value_parser = whole::<u64>(0..=315_360_000)
    )]
    pub enrichment_ttl_s: u64,

    /// How long an answer that told nothing is fresh, in seconds
    #[arg(
        long,
        env = "CALLER_MEMORY_ENRICHMENT_MISS_TTL_S",
        value_name = "S",
        default_value_t = Ttl::default().miss_ms / 1000,
        value_parser = whole::<u64>(0..=315_360_000)
    )]
    pub enrichment_miss_ttl_s: u64,
}

impl EnrichmentSettings {
    /// How long answers are fresh.
    #[must_use]
    pub fn ttl(&self) -> Ttl {
        Ttl {
            hit_ms: self.enrichment_ttl_s * 1000,
            miss_ms: self.enrichment_miss_ttl_s * 1000,
        }
    }

    /// The credentials for Twilio, if any. An API key comes before the account's own token, because it can be revoked
    /// by itself.
    ///
    /// # Errors
    /// [`MissingHalf`] when a user or a password stands alone, and no pair is complete.
    pub(crate) fn twilio(&self) -> Result<Option<TwilioCredentials<'_>>, MissingHalf> {
        let pairs = [
            (
                ("TWILIO_API_KEY", self.twilio_api_key.as_deref()),
                ("TWILIO_API_SECRET", self.twilio_api_secret.as_ref()),
            ),
            (
                ("TWILIO_ACCOUNT_SID", self.twilio_account_sid.as_deref()),
                ("TWILIO_AUTH_TOKEN", self.twilio_auth_token.as_ref()),
            ),
        ];
        let mut half = None;
        for ((user_setting, user), (password_setting, password)) in pairs {
            let (given, missing) = match (user, password) {
                (Some(user), Some(password)) => {
                    return Ok(Some(TwilioCredentials {
                        user,
                        password,
                        password_setting,
                    }));
                }
                (Some(_), None) => (user_setting, password_setting),
                (None, Some(_)) => (password_setting, user_setting),
                (None, None) => continue,
            };
            half = half.or(Some(MissingHalf { given, missing }));
        }
        half.map_or(Ok(None), Err)
    }

    /// The paid vendors that the settings put to use.
    pub(crate) fn paid(&self) -> impl Iterator<Item = PaidVendor<'_>> {
        let twilio = [
            ("TWILIO_API_KEY", self.twilio_api_key.is_some()),
            ("TWILIO_ACCOUNT_SID", self.twilio_account_sid.is_some()),
        ];
        let twilio = twilio.into_iter().find(|(_, is_set)| *is_set);
        let key = |setting, key: &Option<SecretString>| key.is_some().then_some(setting);
        let vendors = [
            ("twilio", twilio.map(|(setting, _)| setting), &self.twilio_base_url),
            (
                "trestle",
                key("TRESTLE_API_KEY", &self.trestle_api_key),
                &self.trestle_base_url,
            ),
            (
                "telnyx",
                key("TELNYX_API_KEY", &self.telnyx_api_key),
                &self.telnyx_base_url,
            ),
            ("pdl", key("PDL_API_KEY", &self.pdl_api_key), &self.pdl_base_url),
        ];
        let used = vendors.into_iter();
        used.filter_map(|(name, setting, base_url)| {
            setting.map(|setting| PaidVendor {
                name,
                setting,
                base_url,
            })
        })
    }
}

/// A vendor of look-ups whose requests cost money.
pub(crate) struct PaidVendor<'a> {
    pub(crate) name: &'static str,
    /// The setting that puts it to use.
    pub(crate) setting: &'static str,
    pub(crate) base_url: &'a BaseUrl,
}

/// User and password for Twilio.
pub(crate) struct TwilioCredentials<'a> {
    pub(crate) user: &'a str,
    pub(crate) password: &'a SecretString,
    /// The setting that holds the password.
    pub(crate) password_setting: &'static str,
}

/// One half of a pair of settings is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{missing}: set it together with {given}")]
pub struct MissingHalf {
    /// The setting that is there.
    pub given: &'static str,
    /// The setting that is not.
    pub missing: &'static str,
}

impl ServeSettings {
    /// The whole of a recall.
    #[must_use]
    pub fn recall_deadline(&self) -> Duration {
        Duration::from_millis(self.recall_deadline_ms)
    }

    /// How long after its recall a call that was not written back counts as a gap.
    #[must_use]
    pub fn unfinished_after(&self) -> Duration {
        Duration::from_secs(self.unfinished_after_s)
    }

    /// The whole of a calls/end.
    #[must_use]
    pub fn write_deadline(&self) -> Duration {
        Duration::from_millis(self.write_deadline_ms)
    }

    /// How long receipts are kept.
    #[must_use]
    pub fn receipts_kept(&self) -> Duration {
        Duration::from_hours(u64::from(self.receipt_days) * 24)
    }

    /// The token bucket of a key whose tenant has no limit of its own.
    #[must_use]
    pub fn rate_limit(&self) -> RateLimit {
        RateLimit {
            per_second: self.rate_per_second,
            burst: self.rate_burst,
        }
    }

    /// Where traces are exported, if anywhere. An empty value counts as none, as the standard has it.
    #[must_use]
    pub fn otlp_endpoint(&self) -> Option<&str> {
        self.otlp_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty())
    }

    /// How long a verified key is served from memory.
    #[must_use]
    pub fn auth_cache(&self) -> Duration {
        Duration::from_secs(self.auth_cache_s)
    }

    /// How much longer a verified key stays valid while the key store cannot be reached.
    #[must_use]
    pub fn auth_stale(&self) -> Duration {
        Duration::from_secs(self.auth_stale_s)
    }
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line, for machines.
    Json,
    /// Readable lines, for people.
    Pretty,
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn days(span: Duration) -> u32 {
    u32::try_from(span.as_secs() / (24 * 60 * 60)).unwrap_or(u32::MAX)
}

/// Stands in for the parser of the program's storages.
fn unregistered(_: &str) -> Result<DatabaseUrl, &'static str> {
    Err("this program knows no database")
}

fn listener(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "expected an IP address and a port, for example 127.0.0.1:8080 or [::]:8080")
}

/// Reads a whole number from 1 to 4294967295; the flags of tenants use it too.
pub(crate) fn positive(text: &str) -> Result<NonZeroU32, String> {
    whole(NonZeroU32::MIN..=NonZeroU32::MAX)(text)
}

/// Reads a whole number of this range, which the error names.
pub(crate) fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + fmt::Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
    }
}

fn collector(text: &str) -> Result<String, &'static str> {
    (text.is_empty() || is_collector(text))
        .then(|| text.to_owned())
        .ok_or("expected http://HOST:PORT or https://HOST:PORT, with a path prefix if need be")
}

fn log_filter(text: &str) -> Result<String, String> {
    EnvFilter::builder()
        .parse(text)
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}
