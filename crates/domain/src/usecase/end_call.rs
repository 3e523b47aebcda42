//! After hangup: write the call back.

use std::sync::atomic::Ordering;

use language::{findings, summary};

use super::service::CallerService;
use crate::{
    access::{OnRefusedConsent, Scope},
    call::{self, EndedCall, started_at_ms},
    context::CallContext,
    error::{Error, PortError},
    facts::{self, Fact, FactKey, SaidFact, said_at_ms},
    memory::{Arrival, CallRecord, Wish},
    phone::Region,
    port::Stage,
    themes::Themes,
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

        let started_at_ms = started_at_ms(&call, received_at_ms);
        let began = self.ports.clock.instant();
        let transcript = call::read(&call.transcript);
        let findings = findings::of_call(&transcript, Some(Self::time_zone(ctx).day(started_at_ms)));
        let found = facts::of_call(&transcript, &findings);
        self.measured(Stage::Facts, began);
        let is_withheld = found.refuses_consent()
            && ctx.principal.settings.on_refused_consent == Some(OnRefusedConsent::MetadataOnly);
        for (key, outcome) in found.outcomes {
            self.ports.probe.facts(key, outcome);
        }

        let began = self.ports.clock.instant();
        let summary = summary::of_call(&transcript, &findings);
        let themes = Themes::of_call(&transcript);
        self.measured(Stage::Summary, began);

        let said = |fact: Fact| {
            let turn = &call.transcript[fact.turn];
            SaidFact::new(fact, turn, started_at_ms, received_at_ms)
        };
        let no_more_calls = found.no_more_calls.map(|spoken| Wish {
            at_ms: said_at_ms(&call.transcript[spoken.turn], started_at_ms, received_at_ms),
            quote: spoken.quote,
        });
        let mut record = CallRecord {
            facts: found.facts.into_iter().map(said).collect(),
            no_more_calls,
            contact: call::contact(&call, received_at_ms),
            call,
            summary,
            themes,
            started_at_ms,
            received_at_ms,
            arrival,
        };
        if is_withheld {
            record.call.transcript = Vec::new();
            record.summary = String::new();
            record.themes = Themes::default();
            record.facts.retain(|said| said.fact.key == FactKey::Consent);
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
