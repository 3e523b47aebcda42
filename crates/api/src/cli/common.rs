//! What most commands take: the database, `--json`, and the name of a tenant.

use std::{path::PathBuf, str::FromStr};

use clap::Args;
use domain::{
    access::Tenant,
    port::{AccessAdmin, AdminError},
};

use super::{
    failure::Failure,
    store::{deadline, refused, with_migrated},
};
use crate::{config::DatabaseSettings, storages::DATABASE_URL};

pub(super) use domain::access::DEFAULT_TENANT;

#[derive(Debug, Args)]
pub(super) struct Common {
    /// Print one JSON value and nothing else
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) database: DatabaseSettings,
}

impl Common {
    /// Does `work` on the store of keys and tenants.
    pub(super) fn admin<T>(
        &self,
        work: impl AsyncFnOnce(&dyn AccessAdmin) -> Result<T, AdminError>,
    ) -> Result<T, Failure> {
        let new_file = self.new_file();
        with_migrated(&self.database, async |storage| {
            let access = storage.access();
            match work(access.as_ref()).await {
                Err(AdminError::UnknownTenant(name)) => {
                    let tenants = access.tenants(deadline()).await;
                    let tenants = tenants.map_err(|error| refused(&error))?;
                    Err(unknown_tenant(name, &tenants, new_file))
                }
                done => done.map_err(|error| refused(&error)),
            }
        })
    }

    /// Makes sure that a command which only reads finds a database: of one that it had to create, nothing that it says
    /// would be of use.
    pub(super) fn must_exist(&self) -> Result<(), Failure> {
        self.new_file().map_or(Ok(()), |file| {
            Err(Failure::Failed(format!(
                "{DATABASE_URL}: there is no database {} yet; run the command where the service runs, or name its \
                 database",
                file.display()
            )))
        })
    }

    /// The database's file when it is not there yet, and will be created.
    pub(super) fn new_file(&self) -> Option<PathBuf> {
        self.database.database_url.file().filter(|file| !file.exists())
    }
}

/// The failure of a command about a tenant that is not among `tenants`. In a database without any, which may be a file
/// that was created just now, the list of tenants would not help.
pub(super) fn unknown_tenant(name: String, tenants: &[Tenant], new_file: Option<PathBuf>) -> Failure {
    if !tenants.is_empty() {
        return refused(&AdminError::UnknownTenant(name));
    }
    let database = new_file.map_or_else(
        || "the database".to_owned(),
        |file| format!("the database {} was created just now and", file.display()),
    );
    Failure::Failed(format!(
        "no tenant is named `{name}`: {database} has none yet; run `caller-memory serve`, which creates `default` and \
         its first key, or `caller-memory tenant create {name}`"
    ))
}

/// A tenant's name in a shape that scripts, logs and metrics can carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TenantName(pub(super) String);

#[derive(Debug, thiserror::Error)]
#[error("a tenant's name has 1 to 64 letters (a to z), digits, `-`, `_` or `.`, and begins with a letter or digit")]
pub(super) struct NotATenantName;

impl FromStr for TenantName {
    type Err = NotATenantName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        let fits = (1..=64).contains(&name.len())
            && name.bytes().all(allowed)
            && name.starts_with(|first: char| first.is_ascii_alphanumeric());
        fits.then(|| Self(name.to_owned())).ok_or(NotATenantName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenant_names_have_a_shape() {
        let longest = "a".repeat(64);
        for name in ["default", "acme-dental", "A.b_9", "0", longest.as_str()] {
            assert_eq!(name.parse::<TenantName>().expect("a name").0, name);
        }
        let too_long = "a".repeat(65);
        for name in [
            "",
            "-a",
            ".a",
            "_a",
            "a b",
            "a/b",
            "größe",
            "a\n",
            "a\0",
            too_long.as_str(),
        ] {
            assert!(name.parse::<TenantName>().is_err(), "{name:?}");
        }
    }
}
