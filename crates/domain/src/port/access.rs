//! Keys, tenants and limits.

use std::{net::IpAddr, time::Duration};

use async_trait::async_trait;

use crate::{
    access::{KeyGrant, KeyHash, KeyId, KeyInfo, NewKey, Principal, SettingsChange, Tenant, TenantSettings},
    context::Deadline,
    error::{Cause, PortError},
};

/// Why a credential was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The key is missing, malformed, unknown, revoked or expired. Which of these it is, nobody is told.
    #[error("the key is not valid")]
    Unauthorized,
    /// Too many failed credentials came from this address.
    #[error("too many failed credentials from this address")]
    Throttled {
        /// After this time the address may try again.
        retry_after: Duration,
    },
    /// The key store cannot be reached and the key is not in memory.
    #[error("the key store did not answer")]
    Unavailable(#[source] Cause),
}

/// Verifies keys.
///
/// Implementations MUST:
/// 1. return by the deadline and be safe to cancel;
/// 2. refuse everything but a stored key that is neither revoked nor expired;
/// 3. serve a verified key from memory for the cache time, and ask the store again afterwards; while the store cannot
///    be reached, keep a verified key valid for the stale time more, but never past its expiry;
/// 4. answer [`AuthError::Unavailable`] for a key not in memory while the store cannot be reached, and not remember
///    that;
/// 5. slow down an address whose credentials fail, without touching keys that are already verified.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// Verifies the text after `Bearer ` that came from `source`.
    async fn authenticate(&self, credential: &str, source: IpAddr, deadline: Deadline) -> Result<Principal, AuthError>;
}

/// The state of a key's token bucket after a request drew on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    /// Whether there was a token.
    pub allowed: bool,
    /// What the full bucket holds.
    pub burst: u32,
    /// Tokens that flow back each second.
    pub per_second: u32,
    /// Tokens left.
    pub remaining: u32,
    /// When refused, the time until there is a token; else zero.
    pub retry_after: Duration,
}

/// One token bucket for each key.
///
/// Implementations MUST:
/// 1. let through at most the burst at once, and then the rate;
/// 2. keep the buckets of different keys apart;
/// 3. take the tenant's rate and burst where it has its own.
#[async_trait]
pub trait RateLimiter: Send + Sync {
    /// Draws one token from the principal's bucket.
    async fn draw(&self, principal: &Principal) -> RateDecision;
}

/// Finds keys by their hash. This is all that serving needs.
///
/// Implementations MUST return by the deadline, be safe to cancel, and find no revoked key.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// The grant of the key with this hash; `None` when there is none or it is revoked. Expiry is the caller's to
    /// check.
    async fn find_key(&self, hash: &KeyHash, deadline: Deadline) -> Result<Option<KeyGrant>, PortError>;
}

/// Why an administrator's command was not done.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// A tenant of this name exists.
    #[error("a tenant named `{0}` exists already; choose another name, or change it with `caller-memory tenant set`")]
    TenantExists(String),
    /// No tenant has this name.
    #[error("no tenant is named `{0}`; `caller-memory tenant list` shows the tenants")]
    UnknownTenant(String),
    /// No key has this id.
    #[error("no key has the id {0}; `caller-memory key list --tenant NAME` shows the keys")]
    UnknownKey(KeyId),
    /// The key is revoked already.
    #[error("the key {0} is revoked; create a new one")]
    KeyRevoked(KeyId),
    /// The key was rotated already; its successor has the id [`KeyId::successor`].
    #[error("the key {0} was rotated already; rotate its successor {successor}, or create a new key", successor = .0.successor())]
    KeyRotated(KeyId),
    /// The store failed.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// A tenant to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTenant {
    /// The unique name.
    pub name: String,
    /// What it sets.
    pub settings: TenantSettings,
}

/// Manages tenants and keys; the command line works through it.
///
/// Implementations MUST:
/// 1. return by the deadline, be safe to cancel, and do each method as one unit or not at all;
/// 2. change in [`AccessAdmin::change_tenant`] what the change names and nothing else, also when several change one
///    tenant at once; every [`KeyGrant`] that is read afterwards carries the tenant as it is then;
/// 3. give the successor of a key the id [`KeyId::successor`] in [`AccessAdmin::rotate_key`], and refuse to rotate a
///    key twice, whose end is then no longer the one that it was created with.
#[async_trait]
pub trait AccessAdmin: Send + Sync {
    /// Creates a tenant.
    async fn create_tenant(&self, tenant: &NewTenant, now_ms: i64, deadline: Deadline) -> Result<Tenant, AdminError>;

    /// Changes a tenant's settings, and returns the tenant as it is then.
    ///
    /// # Errors
    /// [`AdminError::UnknownTenant`] when there is no tenant of this name.
    async fn change_tenant(
        &self,
        tenant: &str,
        change: &SettingsChange,
        deadline: Deadline,
    ) -> Result<Tenant, AdminError>;

    /// Every tenant, by name.
    async fn tenants(&self, deadline: Deadline) -> Result<Vec<Tenant>, AdminError>;

    /// Stores a key of a tenant.
    async fn create_key(
        &self,
        tenant: &str,
        key: &NewKey,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<KeyInfo, AdminError>;

    /// Every key of a tenant, oldest first, the revoked ones included.
    async fn keys(&self, tenant: &str, deadline: Deadline) -> Result<Vec<KeyInfo>, AdminError>;

    /// Revokes a key; one that is revoked already stays as it is.
    async fn revoke_key(&self, id: KeyId, now_ms: i64, deadline: Deadline) -> Result<KeyInfo, AdminError>;

    /// Stores `successor` with the tenant, scopes, label and expiry of the key `id`, and lets that key end at
    /// `old_expires_at_ms` unless it ends earlier. The successor's own scopes, label and expiry are not looked at.
    ///
    /// # Errors
    /// [`AdminError::UnknownKey`], [`AdminError::KeyRevoked`], and [`AdminError::KeyRotated`] for a key that has a
    /// successor.
    async fn rotate_key(
        &self,
        id: KeyId,
        successor: &NewKey,
        now_ms: i64,
        old_expires_at_ms: i64,
        deadline: Deadline,
    ) -> Result<KeyInfo, AdminError>;

    /// Makes sure that the tenant `default` exists and, when `key` must exist or the tenant is new, that the key does;
    /// returns whether the key was stored now. Safe with any number of replicas at once: with `always: false` at most
    /// one of them stores its key.
    async fn bootstrap(&self, key: &NewKey, always: bool, now_ms: i64, deadline: Deadline) -> Result<bool, AdminError>;
}
