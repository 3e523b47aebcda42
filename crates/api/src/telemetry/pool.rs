//! How busy the storage is, read at each scrape of the metrics.

use std::{fmt, sync::Arc};

use domain::port::Storage;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
};

use super::metrics::signed;

/// Tells the metrics how busy the database is.
pub(crate) struct PoolGauges(pub(crate) Arc<dyn Storage>);

impl fmt::Debug for PoolGauges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PoolGauges(..)")
    }
}

impl Collector for PoolGauges {
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
                signed(pool.writes_waiting),
            ),
            (
                "contacts_waiting",
                "Contacts noted by recalls and not written yet",
                signed(pool.contacts_waiting),
            ),
        ];
        for (name, help, value) in gauges {
            let gauge = ConstGauge::new(value);
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        let dropped = ConstCounter::new(pool.contacts_dropped);
        let help = "Contacts dropped because too many waited or they could not be written";
        dropped.encode(encoder.encode_descriptor("contacts_dropped", help, None, dropped.metric_type())?)
    }
}
