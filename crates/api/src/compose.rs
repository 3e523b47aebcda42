//! The one place that wires adapters to ports. To use another store or another limiter, change a line here.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use adapters_auth::{AuthOptions, CachedAuthenticator, GovernorRateLimiter};
use adapters_sqlorm::{Database, SqlCallerMemory, SqlKeyStore};
use domain::port::Clock;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
};

use crate::{
    config::ServeSettings,
    rest::{Api, Limits, Ports},
    telemetry::Metrics,
};

/// Puts the public interface over the adapters that serve it.
pub(crate) fn compose(settings: &ServeSettings, database: &Database, metrics: &Arc<Metrics>) -> Api {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let auth = AuthOptions {
        cache: settings.auth_cache(),
        stale: settings.auth_stale(),
        ..AuthOptions::default()
    };
    let key_store = Arc::new(SqlKeyStore::new(database));
    let ports = Ports {
        memory: Arc::new(SqlCallerMemory::new(database)),
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
    Api::new(ports, settings.default_region, limits, Arc::clone(metrics))
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
