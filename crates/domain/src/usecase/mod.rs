//! The three things the service does. Each exists once; REST and every other transport call these.

mod end_call;
mod get_caller;
mod recall_and_enrich;

use std::{
    sync::{Arc, atomic::AtomicI64},
    time::{Duration, Instant},
};

pub use recall_and_enrich::RecallInput;

use crate::{
    context::CallContext,
    phone::Region,
    port::{CallerMemory, Clock, Probe, Stage},
};

/// The use cases over their ports.
///
/// Each takes its input as a function of the region for national numbers: the input is parsed after the scope check, so
/// that the order of checks is the same for every transport.
pub struct CallerService {
    memory: Arc<dyn CallerMemory>,
    clock: Arc<dyn Clock>,
    probe: Arc<dyn Probe>,
    default_region: Region,
    arrivals: AtomicI64,
}

impl CallerService {
    /// Puts the use cases over `memory`. National numbers are read in `default_region` where a tenant has no own.
    #[must_use]
    pub fn new(
        memory: Arc<dyn CallerMemory>,
        clock: Arc<dyn Clock>,
        probe: Arc<dyn Probe>,
        default_region: Region,
    ) -> Self {
        Self {
            memory,
            clock,
            probe,
            default_region,
            arrivals: AtomicI64::new(0),
        }
    }

    fn region(&self, ctx: &CallContext) -> Region {
        ctx.principal.region.unwrap_or(self.default_region)
    }

    /// Reports how long `stage` took since `began`, and returns it.
    fn measured(&self, stage: Stage, began: Instant) -> Duration {
        let took = self.clock.instant().saturating_duration_since(began);
        self.probe.stage(stage, took);
        took
    }
}
