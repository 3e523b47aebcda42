//! Whose callers a command is about, and how it gets at them.

use std::sync::Arc;

use clap::Args;
use domain::{
    access::TenantId,
    phone::{PhoneNumber, Region},
    port::{CallerAdmin, Storage},
};

use crate::{
    cli::{
        common::{Common, DEFAULT_TENANT, TenantName, unknown_tenant},
        failure::Failure,
        store::{deadline, needed, refused, with_migrated},
    },
    storage_parts::Part,
};

/// Whose callers a command is about.
#[derive(Debug, Args)]
pub(in crate::cli) struct TenantArgs {
    /// The tenant of the callers
    #[arg(long, value_name = "NAME", default_value = DEFAULT_TENANT)]
    pub(in crate::cli) tenant: TenantName,
    /// The region of national phone numbers, unless the tenant has its own
    #[arg(
        long,
        env = "CALLER_MEMORY_DEFAULT_REGION",
        value_name = "REGION",
        default_value = "US"
    )]
    default_region: Region,
    #[command(flatten)]
    pub(in crate::cli) common: Common,
}

/// The callers of a tenant, whose national numbers are of the region.
pub(in crate::cli) struct Callers<'a> {
    pub(in crate::cli) storage: &'a dyn Storage,
    pub(in crate::cli) admin: Arc<dyn CallerAdmin>,
    pub(in crate::cli) tenant: TenantId,
    pub(in crate::cli) region: Region,
}

impl TenantArgs {
    /// Does `work` on the callers of the tenant.
    pub(in crate::cli) fn with_callers<T>(
        &self,
        work: impl AsyncFnOnce(Callers<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let new_file = self.common.new_file();
        with_migrated(&self.common.database, async |storage| {
            let admin = needed(storage.callers(), Part::Callers)?;
            let tenants = storage.access().tenants(deadline()).await;
            let tenants = tenants.map_err(|error| refused(&error))?;
            let named = tenants.iter().find(|tenant| tenant.name == self.tenant.0);
            let tenant = named.ok_or_else(|| unknown_tenant(self.tenant.0.clone(), &tenants, new_file))?;
            work(Callers {
                storage,
                admin,
                tenant: tenant.id,
                region: tenant.settings.region.unwrap_or(self.default_region),
            })
            .await
        })
    }

    /// Nobody of this tenant has the number.
    pub(super) fn unknown_caller(&self) -> Failure {
        let name = &self.tenant.0;
        Failure::Failed(format!(
            "the tenant {name} has no caller with this number; a call, a recall or `caller-memory caller set` makes one"
        ))
    }
}

/// The number that an argument means.
pub(in crate::cli) fn number(text: &str, region: Region) -> Result<PhoneNumber, Failure> {
    PhoneNumber::normalise(text, region).map_err(|error| Failure::Usage(format!("NUMBER: {error}")))
}
