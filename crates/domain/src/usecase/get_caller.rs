//! Between calls: read a profile without a trace.

use super::service::CallerService;
use crate::{
    access::Scope,
    caller::Caller,
    context::CallContext,
    enrichment::merge,
    error::Error,
    identity::{Evidence, IdentityMode, Judgement},
    phone::PhoneNumber,
    port::Stage,
    text,
};

/// The permit to read one profile: the key has the scope `callers:read`.
#[derive(Debug)]
pub struct GetCallerPermit<'c> {
    ctx: &'c CallContext,
}

impl CallerService {
    /// Checks that the key may read profiles.
    ///
    /// # Errors
    /// [`Error::InsufficientScope`] without the scope `callers:read`.
    pub fn permit_get_caller<'c>(&self, ctx: &'c CallContext) -> Result<GetCallerPermit<'c>, Error> {
        ctx.require(Scope::CallersRead)?;
        Ok(GetCallerPermit { ctx })
    }

    /// Reads a caller's profile. Creates nothing and looks nothing up; a name may come from a look-up that is kept. A
    /// strict tenant is not shown what may be another person's.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown caller, and [`Error::Port`] when the memory could not be read.
    pub async fn get_caller(&self, permit: GetCallerPermit<'_>, number: &PhoneNumber) -> Result<Caller, Error> {
        let GetCallerPermit { ctx } = permit;
        let tenant = ctx.principal.tenant_id;
        let began = self.ports.clock.instant();
        let read = self.ports.memory.caller(tenant, number, ctx.deadline).await;
        self.measured(Stage::MemoryCaller, began);
        let mut caller = read?.ok_or(Error::NotFound)?;
        caller.name = caller.name.map(text::name);
        let mode = Self::identity_mode(ctx);
        let is_strict = mode == IdentityMode::Strict;
        if caller.name.is_some() && !is_strict {
            return Ok(caller);
        }
        let lookups = self.ports.lookups.lookups(tenant, number, ctx.deadline).await?;
        let now_ms = self.ports.clock.now_ms();
        let mut shown = merge(&lookups, self.rules.ttl, now_ms);
        if is_strict {
            let trace = self.ports.memory.trace(tenant, number, ctx.deadline).await?;
            let trace = trace.corrected(&caller.corrections);
            let judgement = Judgement::of(&Evidence {
                mode,
                now_ms,
                trace: &trace,
                name: caller.name.as_deref(),
                lookups: &lookups,
                attestation: None,
            });
            judgement.withhold_profile(&mut caller);
            judgement.withhold_owner(&mut shown);
        }
        Ok(caller.or_named_by(&shown))
    }
}
