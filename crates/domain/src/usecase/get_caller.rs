//! Between calls: read a profile without a trace.

use super::CallerService;
use crate::{access::Scope, caller::Caller, context::CallContext, error::Error, phone::PhoneNumber, port::Stage};

impl CallerService {
    /// Reads a caller's profile. Creates nothing and looks nothing up.
    ///
    /// # Errors
    /// [`Error::InsufficientScope`] without the scope `callers:read`, whatever `input` refuses, [`Error::NotFound`] for an
    /// unknown caller, and [`Error::Port`] when the memory could not be read.
    pub async fn get_caller<I>(&self, ctx: &CallContext, input: I) -> Result<Caller, Error>
    where
        I: FnOnce() -> Result<PhoneNumber, Error>,
    {
        ctx.require(Scope::CallersRead)?;
        let number = input()?;
        let began = self.clock.instant();
        let read = self.memory.caller(ctx.principal.tenant_id, &number, ctx.deadline).await;
        self.measured(Stage::MemoryCaller, began);
        read?.ok_or(Error::NotFound)
    }
}
