//! Tenants and keys without a database.

use domain::{
    access::{
        DEFAULT_TENANT, KeyGrant, KeyHash, KeyId, KeyInfo, NewKey, Principal, SettingsChange, Tenant, TenantId,
        TenantSettings,
    },
    async_trait,
    context::Deadline,
    error::PortError,
    port::{AccessAdmin, AdminError, KeyStore, access::NewTenant},
};
use uuid::Uuid;

use crate::{
    sample,
    state::Access,
    world::{PartGuard, World},
};

/// Tenants and keys in memory.
#[derive(Debug, Default)]
pub struct InMemoryKeyStore {
    world: World,
}

impl InMemoryKeyStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tenants and keys of the world.
    pub(crate) fn over(world: World) -> Self {
        Self { world }
    }

    fn open(&self, during: &'static str, deadline: Deadline) -> Result<PartGuard<'_, Access>, PortError> {
        self.world.open(during, deadline)
    }
}

impl Access {
    /// The id of the tenant of this name.
    pub(crate) fn id(&self, name: &str) -> Result<TenantId, AdminError> {
        self.tenant(name).map(|tenant| tenant.id)
    }

    /// Whether the tenant was created.
    pub(crate) fn has(&self, id: TenantId) -> bool {
        self.tenants.iter().any(|tenant| tenant.id == id)
    }

    /// The tenant's name; one that was never created has its id for a name.
    pub(crate) fn name(&self, id: TenantId) -> String {
        let tenant = self.tenants.iter().find(|tenant| tenant.id == id);
        tenant.map_or_else(|| id.to_string(), |tenant| tenant.name.clone())
    }

    /// Creates a tenant with nothing of its own but the name.
    pub(crate) fn add_named(&mut self, name: &str) -> TenantId {
        let added = self.add_tenant(&sample::new_tenant(name), sample::NOW_MS);
        added.expect("no other tenant has this name").id
    }

    fn tenant(&self, name: &str) -> Result<&Tenant, AdminError> {
        let tenant = self.tenants.iter().find(|tenant| tenant.name == name);
        tenant.ok_or_else(|| AdminError::UnknownTenant(name.to_owned()))
    }

    fn key_mut(&mut self, id: KeyId) -> Result<&mut KeyInfo, AdminError> {
        let key = self.keys.iter_mut().find(|(_, info)| info.id == id);
        key.map(|(_, info)| info).ok_or(AdminError::UnknownKey(id))
    }

    fn add_tenant(&mut self, tenant: &NewTenant, now_ms: i64) -> Result<Tenant, AdminError> {
        if self.tenant(&tenant.name).is_ok() {
            return Err(AdminError::TenantExists(tenant.name.clone()));
        }
        let created = Tenant {
            id: TenantId(Uuid::now_v7()),
            name: tenant.name.clone(),
            settings: tenant.settings,
            created_at_ms: now_ms,
        };
        self.tenants.push(created.clone());
        Ok(created)
    }

    fn add_key(&mut self, id: KeyId, tenant: &str, key: &NewKey, now_ms: i64) -> KeyInfo {
        let info = KeyInfo {
            id,
            tenant: tenant.to_owned(),
            shown: key.shown.clone(),
            scopes: key.scopes,
            label: key.label.clone(),
            created_at_ms: now_ms,
            expires_at_ms: key.expires_at_ms,
            revoked_at_ms: None,
        };
        self.keys.push((key.hash, info.clone()));
        info
    }
}

#[async_trait]
impl KeyStore for InMemoryKeyStore {
    async fn find_key(&self, hash: &KeyHash, deadline: Deadline) -> Result<Option<KeyGrant>, PortError> {
        let rows = self.open("find_key", deadline)?;
        let key = rows.keys.iter().find(|(stored, _)| stored == hash);
        let Some((_, info)) = key.filter(|(_, info)| info.revoked_at_ms.is_none()) else {
            return Ok(None);
        };
        let tenant = rows.tenant(&info.tenant).expect("a key's tenant exists");
        Ok(Some(KeyGrant {
            principal: Principal {
                key_id: info.id,
                tenant_id: tenant.id,
                scopes: info.scopes,
                settings: tenant.settings,
            },
            expires_at_ms: info.expires_at_ms,
        }))
    }
}

#[async_trait]
impl AccessAdmin for InMemoryKeyStore {
    async fn create_tenant(&self, tenant: &NewTenant, now_ms: i64, deadline: Deadline) -> Result<Tenant, AdminError> {
        self.open("create_tenant", deadline)?.add_tenant(tenant, now_ms)
    }

    async fn change_tenant(
        &self,
        tenant: &str,
        change: &SettingsChange,
        deadline: Deadline,
    ) -> Result<Tenant, AdminError> {
        let mut rows = self.open("change_tenant", deadline)?;
        let stored = rows.tenants.iter_mut().find(|stored| stored.name == tenant);
        let stored = stored.ok_or_else(|| AdminError::UnknownTenant(tenant.to_owned()))?;
        stored.settings = change.clone().apply(stored.settings);
        Ok(stored.clone())
    }

    async fn tenants(&self, deadline: Deadline) -> Result<Vec<Tenant>, AdminError> {
        let mut tenants = self.open("tenants", deadline)?.tenants.clone();
        tenants.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tenants)
    }

    async fn create_key(
        &self,
        tenant: &str,
        key: &NewKey,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<KeyInfo, AdminError> {
        let mut rows = self.open("create_key", deadline)?;
        rows.tenant(tenant)?;
        Ok(rows.add_key(KeyId(Uuid::now_v7()), tenant, key, now_ms))
    }

    async fn keys(&self, tenant: &str, deadline: Deadline) -> Result<Vec<KeyInfo>, AdminError> {
        let rows = self.open("keys", deadline)?;
        rows.tenant(tenant)?;
        let keys = rows.keys.iter().map(|(_, info)| info);
        let mut keys: Vec<_> = keys.filter(|info| info.tenant == tenant).cloned().collect();
        keys.sort_by_key(|info| info.created_at_ms);
        Ok(keys)
    }

    async fn revoke_key(&self, id: KeyId, now_ms: i64, deadline: Deadline) -> Result<KeyInfo, AdminError> {
        let mut rows = self.open("revoke_key", deadline)?;
        let key = rows.key_mut(id)?;
        key.revoked_at_ms.get_or_insert(now_ms);
        Ok(key.clone())
    }

    async fn rotate_key(
        &self,
        id: KeyId,
        successor: &NewKey,
        now_ms: i64,
        old_expires_at_ms: i64,
        deadline: Deadline,
    ) -> Result<KeyInfo, AdminError> {
        let mut rows = self.open("rotate_key", deadline)?;
        let is_rotated = rows.key_mut(id.successor()).is_ok();
        let old = rows.key_mut(id)?;
        if old.revoked_at_ms.is_some() {
            return Err(AdminError::KeyRevoked(id));
        }
        if is_rotated {
            return Err(AdminError::KeyRotated(id));
        }
        let inherited = old.clone();
        old.expires_at_ms = Some(
            old.expires_at_ms
                .map_or(old_expires_at_ms, |ms| ms.min(old_expires_at_ms)),
        );
        let successor = NewKey {
            hash: successor.hash,
            shown: successor.shown.clone(),
            scopes: inherited.scopes,
            label: inherited.label,
            expires_at_ms: inherited.expires_at_ms,
        };
        Ok(rows.add_key(id.successor(), &inherited.tenant, &successor, now_ms))
    }

    async fn bootstrap(&self, key: &NewKey, always: bool, now_ms: i64, deadline: Deadline) -> Result<bool, AdminError> {
        let mut rows = self.open("bootstrap", deadline)?;
        let tenant = NewTenant {
            name: DEFAULT_TENANT.to_owned(),
            settings: TenantSettings::default(),
        };
        let is_new = rows.add_tenant(&tenant, now_ms).is_ok();
        let exists = rows.keys.iter().any(|(stored, _)| *stored == key.hash);
        let stores = (always || is_new) && !exists;
        if stores {
            rows.add_key(KeyId(Uuid::now_v7()), DEFAULT_TENANT, key, now_ms);
        }
        Ok(stores)
    }
}
