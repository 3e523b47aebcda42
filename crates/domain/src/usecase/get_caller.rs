//! Between calls: read a profile without a trace.

use super::service::CallerService;
use crate::{
    access::Scope, caller::Caller, context::CallContext, enrichment::merge, error::Error, phone::PhoneNumber,
    port::Stage, text,
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

    /// Reads a caller's profile. Creates nothing and looks nothing up; a name may come from a look-up that is kept.
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
        if caller.name.is_some() {
            return Ok(caller);
        }
        let lookups = self.ports.lookups.lookups(tenant, number, ctx.deadline).await?;
        let now_ms = self.ports.clock.now_ms();
        Ok(caller.or_named_by(&merge(&lookups, self.rules.ttl, now_ms)))
    }
}
