//! After hangup: write the call back.

use std::sync::atomic::Ordering;

use super::service::CallerService;
use crate::{
    access::{OnRefusedConsent, Scope},
    call::EndedCall,
    context::CallContext,
    error::{Error, PortError},
    memory::Arrival,
    phone::Region,
    port::Stage,
    reading::{self, Reading, Report},
};

/// The permit for one call end: the key has the scope `calls:write`. It also holds when the report arrived, which is
/// before its body is read: a long body must not make an earlier report a later one.
#[derive(Debug)]
pub struct EndCallPermit<'c> {
    ctx: &'c CallContext,
    region: Region,
    arrival: Arrival,
    received_at_ms: i64,
}

impl EndCallPermit<'_> {
    /// The region in which a national number is read.
    #[must_use]
    pub fn region(&self) -> Region {
        self.region
    }
}

impl CallerService {
    /// Checks that the key may end a call, and notes the arrival of the report.
    ///
    /// # Errors
    /// [`Error::InsufficientScope`] without the scope `calls:write`.
    pub fn permit_end_call<'c>(&self, ctx: &'c CallContext) -> Result<EndCallPermit<'c>, Error> {
        ctx.require(Scope::CallsWrite)?;
        Ok(EndCallPermit {
            ctx,
            region: self.region(ctx),
            arrival: Arrival(self.arrivals.fetch_add(1, Ordering::Relaxed)),
            received_at_ms: self.ports.clock.now_ms(),
        })
    }

    /// Commits an ended call; when this returns `Ok`, it is on disk. A repeat counts once, a repeat with another body
    /// is a correction.
    ///
    /// # Errors
    /// [`PortError`] when the memory did not take it: the client should try again.
    pub async fn end_call(&self, permit: EndCallPermit<'_>, call: EndedCall) -> Result<(), PortError> {
        let EndCallPermit {
            ctx,
            arrival,
            received_at_ms,
            ..
        } = permit;

        let report = Report {
            call,
            received_at_ms,
            arrival,
            time_zone: Self::time_zone(ctx),
        };
        let mut began = self.ports.clock.instant();
        let Reading { mut record, outcomes } = reading::read(report, |stage| {
            began += self.measured(stage, began);
        });
        for (key, outcome) in outcomes {
            self.ports.probe.facts(key, outcome);
        }
        let on_refused_consent = ctx.principal.settings.on_refused_consent;
        if record.refuses_consent() && on_refused_consent == Some(OnRefusedConsent::MetadataOnly) {
            record.withhold();
        }

        let began = self.ports.clock.instant();
        let written = self
            .ports
            .memory
            .record_end(ctx.principal.tenant_id, &record, ctx.deadline)
            .await;
        self.measured(Stage::MemoryRecordEnd, began);
        written
    }
}
