//! The use cases' ports, rules and state.

use std::{
    sync::{Arc, atomic::AtomicI64},
    time::{Duration, Instant},
};

use crate::{
    context::CallContext,
    enrichment::Ttl,
    identity::IdentityMode,
    phone::Region,
    port::{CallerMemory, Clock, Enricher, EnrichmentCache, Probe, Stage},
    summary::SummaryLength,
    time_zone::TimeZone,
};

/// What the use cases work with.
pub struct CallerPorts {
    /// The memory of callers.
    pub memory: Arc<dyn CallerMemory>,
    /// The look-ups that are kept.
    pub lookups: Arc<dyn EnrichmentCache>,
    /// Completes them with what vendors answer in time.
    pub enricher: Arc<dyn Enricher>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who is told about the course of things.
    pub probe: Arc<dyn Probe>,
}

/// What the operator may set of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallerRules {
    /// The region of national numbers where a tenant has no own.
    pub default_region: Region,
    /// For how long a look-up counts as fresh.
    pub ttl: Ttl,
    /// How long after its recall a call that has not ended counts as a gap.
    pub unfinished_after: Duration,
    /// How long a caller's summary may be.
    pub summary: SummaryLength,
}

impl CallerRules {
    /// By when a call must have begun to count as a gap at `now_ms`; both in milliseconds since the epoch.
    #[must_use]
    pub fn unfinished_before_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(i64::try_from(self.unfinished_after.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The use cases over their ports.
///
/// Each comes in two steps. The first checks the scope and gives a permit; the second uses the permit up. A transport
/// reads and parses its input in between, so that the order of refusals is the same for every transport, and that
/// nobody reaches a use case without its scope: a permit cannot be made outside of this module, serves once, and
/// carries its context.
pub struct CallerService {
    pub(super) ports: CallerPorts,
    pub(super) rules: CallerRules,
    pub(super) arrivals: AtomicI64,
}

impl CallerService {
    /// Puts the use cases over their ports.
    #[must_use]
    pub fn new(ports: CallerPorts, rules: CallerRules) -> Self {
        Self {
            ports,
            rules,
            arrivals: AtomicI64::new(0),
        }
    }

    /// The region in which a national number is read.
    pub(super) fn region(&self, ctx: &CallContext) -> Region {
        ctx.principal.settings.region.unwrap_or(self.rules.default_region)
    }

    /// The time zone in which the tenant's days begin.
    pub(super) fn time_zone(ctx: &CallContext) -> TimeZone {
        ctx.principal.settings.time_zone.unwrap_or_default()
    }

    /// How careful the tenant is where a number may have another person behind it.
    pub(super) fn identity_mode(ctx: &CallContext) -> IdentityMode {
        ctx.principal.settings.identity.unwrap_or_default()
    }

    /// Reports how long `stage` took since `began`, and returns it.
    pub(super) fn measured(&self, stage: Stage, began: Instant) -> Duration {
        let took = self.ports.clock.instant().saturating_duration_since(began);
        self.ports.probe.stage(stage, took);
        took
    }
}
