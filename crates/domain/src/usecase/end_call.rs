//! After hangup: write the call back.

use std::sync::atomic::Ordering;

use super::CallerService;
use crate::{
    access::Scope,
    call::{self, EndedCall, started_at_ms},
    context::CallContext,
    error::Error,
    facts::{self, Fact, SaidFact},
    memory::{Arrival, CallRecord},
    phone::Region,
    port::Stage,
};

impl CallerService {
    /// Commits an ended call; when this returns `Ok`, it is on disk. A repeat counts once, a repeat with another body
    /// is a correction.
    ///
    /// # Errors
    /// [`Error::InsufficientScope`] without the scope `calls:write`, whatever `input` refuses, and [`Error::Port`] when
    /// the memory did not take it: the client should try again.
    pub async fn end_call<I>(&self, ctx: &CallContext, input: I) -> Result<(), Error>
    where
        I: FnOnce(Region) -> Result<EndedCall, Error>,
    {
        ctx.require(Scope::CallsWrite)?;
        let arrival = Arrival(self.arrivals.fetch_add(1, Ordering::Relaxed));
        let received_at_ms = self.ports.clock.now_ms();
        let call = input(self.region(ctx))?;

        let began = self.ports.clock.instant();
        let transcript = call::read(&call.transcript);
        let summary = language::summary::of_call(&transcript);
        self.measured(Stage::Summary, began);

        let began = self.ports.clock.instant();
        let found = facts::of_call(&transcript);
        self.measured(Stage::Facts, began);
        for (key, outcome) in found.outcomes {
            self.ports.probe.facts(key, outcome);
        }

        let started_at_ms = started_at_ms(&call, received_at_ms);
        let said = |fact: Fact| {
            let turn = &call.transcript[fact.turn];
            SaidFact::new(fact, turn, started_at_ms, received_at_ms)
        };
        let record = CallRecord {
            facts: found.facts.into_iter().map(said).collect(),
            call,
            summary,
            started_at_ms,
            received_at_ms,
            arrival,
        };
        let began = self.ports.clock.instant();
        let written = self
            .ports
            .memory
            .record_end(ctx.principal.tenant_id, &record, ctx.deadline)
            .await;
        self.measured(Stage::MemoryRecordEnd, began);
        Ok(written?)
    }
}
