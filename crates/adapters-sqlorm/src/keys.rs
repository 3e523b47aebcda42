//! Tenants and keys.
use domain::{
    access::{KeyGrant, KeyHash, KeyId, KeyInfo, NewKey, Tenant},
    async_trait,
    context::Deadline,
    error::PortError,
    port::{AccessAdmin, AdminError, KeyStore, access::NewTenant},
};

use crate::Database;

/// [`KeyStore`] and [`AccessAdmin`] on SQL.
pub struct SqlKeyStore {
    _db: Database,
}

impl SqlKeyStore {
    /// The keys kept in `db`.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self { _db: db.clone() }
    }
}

#[async_trait]
impl KeyStore for SqlKeyStore {
    async fn find_key(&self, _: &KeyHash, _: Deadline) -> Result<Option<KeyGrant>, PortError> {
        todo!()
    }
}

#[async_trait]
impl AccessAdmin for SqlKeyStore {
    async fn create_tenant(&self, _: &NewTenant, _: i64, _: Deadline) -> Result<Tenant, AdminError> {
        todo!()
    }
    async fn tenants(&self, _: Deadline) -> Result<Vec<Tenant>, AdminError> {
        todo!()
    }
    async fn create_key(&self, _: &str, _: &NewKey, _: i64, _: Deadline) -> Result<KeyInfo, AdminError> {
        todo!()
    }
    async fn keys(&self, _: &str, _: Deadline) -> Result<Vec<KeyInfo>, AdminError> {
        todo!()
    }
    async fn revoke_key(&self, _: KeyId, _: i64, _: Deadline) -> Result<KeyInfo, AdminError> {
        todo!()
    }
    async fn rotate_key(&self, _: KeyId, _: &NewKey, _: i64, _: i64, _: Deadline) -> Result<KeyInfo, AdminError> {
        todo!()
    }
    async fn bootstrap(&self, _: &NewKey, _: bool, _: i64, _: Deadline) -> Result<bool, AdminError> {
        todo!()
    }
}
