//! [`KeyStore`] and [`AccessAdmin`]: tenants and keys.

use domain::{
    access::{
        DEFAULT_TENANT, KeyGrant, KeyHash, KeyId, KeyInfo, NewKey, Principal, SettingsChange, Tenant, TenantSettings,
    },
    async_trait,
    context::Deadline,
    error::PortError,
    port::{AccessAdmin, AdminError, KeyStore, access::NewTenant},
};
use redb::WriteTransaction;
use uuid::Uuid;

use crate::{
    Redb,
    rows::{KeyPlace, KeyRow, TenantRow},
    schema::{KEY_HASHES, KEYS, TENANT_NAMES, TENANTS},
    table::{LAST_TEXT, Order, View},
};

#[async_trait]
impl KeyStore for Redb {
    async fn find_key(&self, hash: &KeyHash, deadline: Deadline) -> Result<Option<KeyGrant>, PortError> {
        let hash = hash.0;
        let read = move |view: &_| {
            let Some(place) = KEY_HASHES.get(view, &hash)? else {
                return Ok(None);
            };
            let key = KEYS.get(view, (place.tenant, place.key))?;
            let Some(key) = key.filter(|key| key.revoked_at_ms.is_none()) else {
                return Ok(None);
            };
            let tenant = TENANTS.get(view, place.tenant)?;
            Ok(tenant.map(|tenant| grant(place, &key, tenant)))
        };
        self.store.read("key", deadline, read).await
    }
}

fn grant(place: KeyPlace, key: &KeyRow, tenant: TenantRow) -> KeyGrant {
    let tenant = tenant.tenant(place.tenant);
    KeyGrant {
        principal: Principal {
            key_id: KeyId(place.key),
            tenant_id: tenant.id,
            scopes: key.scopes(),
            settings: tenant.settings,
        },
        expires_at_ms: key.expires_at_ms,
    }
}

#[async_trait]
impl AccessAdmin for Redb {
    async fn create_tenant(&self, tenant: &NewTenant, now_ms: i64, deadline: Deadline) -> Result<Tenant, AdminError> {
        let tenant = tenant.clone();
        let write = move |write: &_| create_tenant(write, &tenant, now_ms);
        self.store.write("new tenant", deadline, write).await
    }

    async fn change_tenant(
        &self,
        tenant: &str,
        change: &SettingsChange,
        deadline: Deadline,
    ) -> Result<Tenant, AdminError> {
        let (name, change) = (tenant.to_owned(), change.clone());
        let write = move |write: &_| {
            let id = tenant_id(write, &name)?;
            let stored = TENANTS.get(write, id)?.ok_or(AdminError::UnknownTenant(name))?;
            let row = stored.changed(change);
            TENANTS.put(write, id, &row)?;
            Ok(row.tenant(id))
        };
        self.store.write("tenant", deadline, write).await
    }

    async fn tenants(&self, deadline: Deadline) -> Result<Vec<Tenant>, AdminError> {
        let read = |view: &_| {
            let ids = tenant_ids(view)?;
            let tenant = |id| Ok(TENANTS.get(view, id)?.map(|row| row.tenant(id)));
            ids.into_iter().filter_map(|id| tenant(id).transpose()).collect()
        };
        self.store.read("tenants", deadline, read).await
    }

    async fn create_key(
        &self,
        tenant: &str,
        key: &NewKey,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<KeyInfo, AdminError> {
        let (tenant, key) = (tenant.to_owned(), key.clone());
        let write = move |write: &_| {
            let id = tenant_id(write, &tenant)?;
            Ok(create_key(write, (id, &tenant), Uuid::now_v7(), &key, now_ms)?)
        };
        self.store.write("new key", deadline, write).await
    }

    async fn keys(&self, tenant: &str, deadline: Deadline) -> Result<Vec<KeyInfo>, AdminError> {
        let name = tenant.to_owned();
        let read = move |view: &_| {
            let tenant = tenant_id(view, &name)?;
            let range = (tenant, Uuid::nil())..=(tenant, Uuid::max());
            let mut keys = KEYS.scan(view, range, Order::Ascending, usize::MAX, |(_, id), row| {
                Ok(Some(row.info(id, &name)))
            })?;
            keys.sort_by_key(|key| key.created_at_ms);
            Ok(keys)
        };
        self.store.read("keys", deadline, read).await
    }

    async fn revoke_key(&self, id: KeyId, now_ms: i64, deadline: Deadline) -> Result<KeyInfo, AdminError> {
        let write = move |write: &_| {
            let (tenant, name, mut key) = find_key(write, id)?;
            if key.revoked_at_ms.is_none() {
                key.revoked_at_ms = Some(now_ms);
                KEYS.put(write, (tenant, id.0), &key)?;
            }
            Ok(key.info(id.0, &name))
        };
        self.store.write("revocation", deadline, write).await
    }

    async fn rotate_key(
        &self,
        id: KeyId,
        successor: &NewKey,
        now_ms: i64,
        old_expires_at_ms: i64,
        deadline: Deadline,
    ) -> Result<KeyInfo, AdminError> {
        let successor = successor.clone();
        let write = move |write: &_| {
            let (tenant, name, mut old) = find_key(write, id)?;
            if old.revoked_at_ms.is_some() {
                return Err(AdminError::KeyRevoked(id));
            }
            let new_id = id.successor().0;
            if KEYS.get(write, (tenant, new_id))?.is_some() {
                return Err(AdminError::KeyRotated(id));
            }
            let successor = NewKey {
                scopes: old.scopes(),
                label: old.label.clone(),
                expires_at_ms: old.expires_at_ms,
                ..successor
            };
            let ends = old
                .expires_at_ms
                .map_or(old_expires_at_ms, |ms| ms.min(old_expires_at_ms));
            old.expires_at_ms = Some(ends);
            KEYS.put(write, (tenant, id.0), &old)?;
            Ok(create_key(write, (tenant, &name), new_id, &successor, now_ms)?)
        };
        self.store.write("rotation", deadline, write).await
    }

    async fn bootstrap(&self, key: &NewKey, always: bool, now_ms: i64, deadline: Deadline) -> Result<bool, AdminError> {
        let key = key.clone();
        let write = move |write: &_| {
            let tenant = NewTenant {
                name: DEFAULT_TENANT.to_owned(),
                settings: TenantSettings::default(),
            };
            let (id, is_new) = match create_tenant(write, &tenant, now_ms) {
                Ok(created) => (created.id.0, true),
                Err(AdminError::TenantExists(name)) => (tenant_id(write, &name)?, false),
                Err(error) => return Err(error),
            };
            let stores = (always || is_new) && KEY_HASHES.get(write, &key.hash.0)?.is_none();
            if stores {
                create_key(write, (id, DEFAULT_TENANT), Uuid::now_v7(), &key, now_ms)?;
            }
            Ok(stores)
        };
        self.store.write("first start", deadline, write).await
    }
}

/// The ids of all tenants, by their names.
pub(crate) fn tenant_ids(view: &impl View) -> Result<Vec<Uuid>, PortError> {
    TENANT_NAMES.scan(view, ""..=LAST_TEXT, Order::Ascending, usize::MAX, |_, id| Ok(Some(id)))
}

/// The id of the tenant of this name.
pub(crate) fn tenant_id(view: &impl View, name: &str) -> Result<Uuid, AdminError> {
    let id = TENANT_NAMES.get(view, name)?;
    id.ok_or_else(|| AdminError::UnknownTenant(name.to_owned()))
}

/// The tenant named, or all of them, each with its name.
pub(crate) fn tenants_named(view: &impl View, name: Option<&str>) -> Result<Vec<(Uuid, String)>, AdminError> {
    if let Some(name) = name {
        return Ok(vec![(tenant_id(view, name)?, name.to_owned())]);
    }
    let all = TENANT_NAMES.scan(view, ""..=LAST_TEXT, Order::Ascending, usize::MAX, |name, id| {
        Ok(Some((id, name.to_owned())))
    })?;
    Ok(all)
}

fn create_tenant(write: &WriteTransaction, tenant: &NewTenant, now_ms: i64) -> Result<Tenant, AdminError> {
    let name = tenant.name.as_str();
    if TENANT_NAMES.get(write, name)?.is_some() {
        return Err(AdminError::TenantExists(name.to_owned()));
    }
    let (id, row) = (Uuid::now_v7(), TenantRow::new(tenant, now_ms));
    TENANT_NAMES.put(write, name, &id)?;
    TENANTS.put(write, id, &row)?;
    Ok(row.tenant(id))
}

fn create_key(
    write: &WriteTransaction,
    (tenant, name): (Uuid, &str),
    id: Uuid,
    key: &NewKey,
    now_ms: i64,
) -> Result<KeyInfo, PortError> {
    let row = KeyRow {
        shown: key.shown.clone(),
        scopes: key.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        label: key.label.clone(),
        created_at_ms: now_ms,
        expires_at_ms: key.expires_at_ms,
        revoked_at_ms: None,
    };
    KEYS.put(write, (tenant, id), &row)?;
    KEY_HASHES.put(write, &key.hash.0, &KeyPlace { tenant, key: id })?;
    Ok(row.info(id, name))
}

/// The key of this id with its tenant. Only commands look for keys like this, so every tenant is asked.
fn find_key(view: &impl View, id: KeyId) -> Result<(Uuid, String, KeyRow), AdminError> {
    for (tenant, name) in tenants_named(view, None)? {
        if let Some(key) = KEYS.get(view, (tenant, id.0))? {
            return Ok((tenant, name, key));
        }
    }
    Err(AdminError::UnknownKey(id))
}
