//! Tenants and keys. Keys are stored as hashes; the key itself is never seen here.

use std::num::NonZeroU32;

use domain::{
    access::{
        DEFAULT_TENANT, KeyGrant, KeyHash, KeyId, KeyInfo, NewKey, Principal, SettingsChange, Tenant, TenantId,
        TenantSettings,
    },
    async_trait,
    caller::Change,
    context::Deadline,
    error::PortError,
    port::{AccessAdmin, AdminError, KeyStore, access::NewTenant},
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{self, NotSet, Set, Unchanged},
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select, Value,
    sea_query::OnConflict,
};
use uuid::Uuid;

use crate::{
    Database,
    entity::{api_key, tenant},
    error::undecodable,
    transaction::{Decision, TransactionFuture},
    words,
};

/// [`KeyStore`] and [`AccessAdmin`] in SQL.
pub struct SqlKeyStore {
    db: Database,
}

impl SqlKeyStore {
    /// The keys kept in `db`.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self { db: db.clone() }
    }
}

/// A key's grant in one query, which stands before every answer to a key that is not in memory.
pub(crate) const FIND_KEY: &str = "\
SELECT k.id, k.scopes, k.expires_at_ms, t.id AS tenant_id, t.region, t.rate_per_second, t.rate_burst, t.time_zone,
  t.identity, t.on_refused_consent
FROM api_keys AS k JOIN tenants AS t ON t.id = k.tenant_id
WHERE k.hash = $1 AND k.revoked_at_ms IS NULL";

/// A row of [`FIND_KEY`].
#[derive(FromQueryResult)]
struct GrantRow {
    id: Uuid,
    scopes: String,
    expires_at_ms: Option<i64>,
    tenant_id: Uuid,
    #[sea_orm(nested)]
    settings: SettingsRow,
}

/// The columns of a tenant's settings.
#[derive(FromQueryResult)]
struct SettingsRow {
    region: Option<String>,
    rate_per_second: Option<i64>,
    rate_burst: Option<i64>,
    time_zone: Option<String>,
    identity: Option<String>,
    on_refused_consent: Option<String>,
}

impl TryFrom<SettingsRow> for TenantSettings {
    type Error = PortError;

    fn try_from(row: SettingsRow) -> Result<Self, PortError> {
        Ok(Self {
            region: words::region(row.region),
            rate_per_second: to_rate(row.rate_per_second)?,
            rate_burst: to_rate(row.rate_burst)?,
            time_zone: words::time_zone(row.time_zone),
            identity: words::identity(row.identity),
            on_refused_consent: words::on_refused_consent(row.on_refused_consent),
        })
    }
}

#[async_trait]
impl KeyStore for SqlKeyStore {
    async fn find_key(&self, hash: &KeyHash, deadline: Deadline) -> Result<Option<KeyGrant>, PortError> {
        let row: Option<GrantRow> = self
            .db
            .read_one("find_key", deadline, FIND_KEY, || vec![hash.0.to_vec().into()])
            .await?;
        row.map(grant).transpose()
    }
}

fn grant(row: GrantRow) -> Result<KeyGrant, PortError> {
    Ok(KeyGrant {
        principal: Principal {
            key_id: KeyId(row.id),
            tenant_id: TenantId(row.tenant_id),
            scopes: words::scopes(&row.scopes),
            settings: row.settings.try_into()?,
        },
        expires_at_ms: row.expires_at_ms,
    })
}

/// An administrator's command in a transaction: refused, or done.
type Command<'t, T> = TransactionFuture<'t, Result<T, AdminError>>;

#[async_trait]
impl AccessAdmin for SqlKeyStore {
    async fn create_tenant(&self, tenant: &NewTenant, now_ms: i64, deadline: Deadline) -> Result<Tenant, AdminError> {
        let row = new_tenant(tenant, now_ms);
        self.db
            .transaction("create_tenant", deadline, move |transaction| -> Command<'_, Tenant> {
                let row = row.clone();
                Box::pin(async move {
                    if insert_tenant(transaction, &row).await? {
                        Ok(Decision::Commit(to_tenant(row).map_err(AdminError::Port)))
                    } else {
                        Ok(Decision::Discard(Err(AdminError::TenantExists(row.name))))
                    }
                })
            })
            .await?
    }

    async fn change_tenant(
        &self,
        tenant: &str,
        change: &SettingsChange,
        deadline: Deadline,
    ) -> Result<Tenant, AdminError> {
        let (tenant, change) = (tenant.to_owned(), change.clone());
        self.db
            .transaction("change_tenant", deadline, move |transaction| -> Command<'_, Tenant> {
                let (tenant, change) = (tenant.clone(), change.clone());
                Box::pin(async move {
                    let Some(found) = find_tenant(transaction, &tenant).await? else {
                        return Ok(Decision::Discard(Err(AdminError::UnknownTenant(tenant))));
                    };
                    let changed = changed_columns(found.id, change);
                    let row = if changed.is_changed() {
                        changed.update(transaction).await?
                    } else {
                        found
                    };
                    Ok(Decision::Commit(to_tenant(row).map_err(AdminError::Port)))
                })
            })
            .await?
    }

    async fn tenants(&self, deadline: Deadline) -> Result<Vec<Tenant>, AdminError> {
        let all = tenant::Entity::find().order_by_asc(tenant::Column::Name);
        let rows: Vec<tenant::Model> = self.all("tenants", deadline, all).await?;
        Ok(rows.into_iter().map(to_tenant).collect::<Result<_, _>>()?)
    }

    async fn create_key(
        &self,
        tenant: &str,
        key: &NewKey,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<KeyInfo, AdminError> {
        let (tenant, key, id) = (tenant.to_owned(), key.clone(), Uuid::now_v7());
        self.db
            .transaction("create_key", deadline, move |transaction| -> Command<'_, KeyInfo> {
                let (tenant, key) = (tenant.clone(), key.clone());
                Box::pin(async move {
                    let Some(found) = find_tenant(transaction, &tenant).await? else {
                        return Ok(Decision::Discard(Err(AdminError::UnknownTenant(tenant))));
                    };
                    let row = new_key(id, found.id, &key, now_ms);
                    insert_key(transaction, &row).await?;
                    Ok(Decision::Commit(Ok(to_key_info(row, tenant))))
                })
            })
            .await?
    }

    async fn keys(&self, tenant: &str, deadline: Deadline) -> Result<Vec<KeyInfo>, AdminError> {
        let named = tenant::Entity::find().filter(tenant::Column::Name.eq(tenant));
        let found: Vec<tenant::Model> = self.all("keys", deadline, named).await?;
        let Some(found) = found.into_iter().next() else {
            return Err(AdminError::UnknownTenant(tenant.to_owned()));
        };
        let keys = api_key::Entity::find()
            .filter(api_key::Column::TenantId.eq(found.id))
            .order_by_asc(api_key::Column::CreatedAtMs)
            .order_by_asc(api_key::Column::Id);
        let rows: Vec<api_key::Model> = self.all("keys", deadline, keys).await?;
        let keys = rows.into_iter().map(|row| to_key_info(row, tenant.to_owned()));
        Ok(keys.collect())
    }

    async fn revoke_key(&self, id: KeyId, now_ms: i64, deadline: Deadline) -> Result<KeyInfo, AdminError> {
        self.db
            .transaction("revoke_key", deadline, move |transaction| -> Command<'_, KeyInfo> {
                Box::pin(async move {
                    let Some((mut row, tenant)) = find_key_to_change(transaction, id).await? else {
                        return Ok(Decision::Discard(Err(AdminError::UnknownKey(id))));
                    };
                    if row.revoked_at_ms.is_none() {
                        let mut change = row.into_active_model();
                        change.revoked_at_ms = Set(Some(now_ms));
                        row = change.update(transaction).await?;
                    }
                    Ok(Decision::Commit(Ok(to_key_info(row, tenant))))
                })
            })
            .await?
    }

    async fn rotate_key(
        &self,
        id: KeyId,
        successor: &NewKey,
        now_ms: i64,
        old_expires_at_ms: i64,
        deadline: Deadline,
    ) -> Result<KeyInfo, AdminError> {
        let (successor, new_id) = (successor.clone(), id.successor().0);
        self.db
            .transaction("rotate_key", deadline, move |transaction| -> Command<'_, KeyInfo> {
                let successor = successor.clone();
                Box::pin(async move {
                    let Some((old, tenant)) = find_key_to_change(transaction, id).await? else {
                        return Ok(Decision::Discard(Err(AdminError::UnknownKey(id))));
                    };
                    if old.revoked_at_ms.is_some() {
                        return Ok(Decision::Discard(Err(AdminError::KeyRevoked(id))));
                    }
                    let rotated = api_key::Entity::find_by_id(new_id).one(transaction).await?;
                    if rotated.is_some_and(|stored| stored.hash != successor.hash.0) {
                        return Ok(Decision::Discard(Err(AdminError::KeyRotated(id))));
                    }
                    let row = api_key::Model {
                        scopes: old.scopes.clone(),
                        label: old.label.clone(),
                        expires_at_ms: old.expires_at_ms,
                        ..new_key(new_id, old.tenant_id, &successor, now_ms)
                    };
                    insert_key(transaction, &row).await?;
                    let ends = old
                        .expires_at_ms
                        .map_or(old_expires_at_ms, |ms| ms.min(old_expires_at_ms));
                    let mut change = old.into_active_model();
                    change.expires_at_ms = Set(Some(ends));
                    change.update(transaction).await?;
                    Ok(Decision::Commit(Ok(to_key_info(row, tenant))))
                })
            })
            .await?
    }

    async fn bootstrap(&self, key: &NewKey, always: bool, now_ms: i64, deadline: Deadline) -> Result<bool, AdminError> {
        let row = new_tenant(
            &NewTenant {
                name: DEFAULT_TENANT.to_owned(),
                settings: TenantSettings::default(),
            },
            now_ms,
        );
        let (key, id) = (key.clone(), Uuid::now_v7());
        let stored = self
            .db
            .transaction("bootstrap", deadline, move |transaction| {
                let (row, key) = (row.clone(), key.clone());
                Box::pin(async move {
                    let is_new = insert_tenant(transaction, &row).await?;
                    if !always && !is_new {
                        return Ok(Decision::Discard(false));
                    }
                    let Some(tenant) = find_tenant(transaction, DEFAULT_TENANT).await? else {
                        return Ok(Decision::Again);
                    };
                    let stored = try_insert_key(transaction, &new_key(id, tenant.id, &key, now_ms)).await?;
                    Ok(Decision::Commit(stored))
                })
            })
            .await?;
        Ok(stored)
    }
}

impl SqlKeyStore {
    /// Every row that `select` finds.
    async fn all<E>(
        &self,
        during: &'static str,
        deadline: Deadline,
        select: Select<E>,
    ) -> Result<Vec<E::Model>, PortError>
    where
        E: EntityTrait,
    {
        self.db
            .read_all(during, deadline, select.build(self.db.dialect()))
            .await
    }
}

async fn find_tenant(database: &impl ConnectionTrait, name: &str) -> Result<Option<tenant::Model>, DbErr> {
    tenant::Entity::find()
        .filter(tenant::Column::Name.eq(name))
        .one(database)
        .await
}

/// The key with the name of its tenant; on PostgreSQL it is locked until the transaction ends.
async fn find_key_to_change(
    database: &impl ConnectionTrait,
    id: KeyId,
) -> Result<Option<(api_key::Model, String)>, DbErr> {
    let key = api_key::Entity::find_by_id(id.0).lock_exclusive().one(database).await?;
    let Some(key) = key else { return Ok(None) };
    let tenant = tenant::Entity::find_by_id(key.tenant_id).one(database).await?;
    Ok(tenant.map(|tenant| (key, tenant.name)))
}

/// Inserts a tenant unless there is one of its name; returns whether the tenant of that name is this one.
async fn insert_tenant(database: &impl ConnectionTrait, row: &tenant::Model) -> Result<bool, DbErr> {
    tenant::Entity::insert(row.clone().into_active_model())
        .on_conflict(OnConflict::column(tenant::Column::Name).do_nothing().to_owned())
        .exec_without_returning(database)
        .await?;
    let stored = find_tenant(database, &row.name).await?;
    Ok(stored.is_some_and(|stored| stored.id == row.id))
}

/// Inserts a key unless there is one of its hash; returns whether the key of that hash is this one.
async fn try_insert_key(database: &impl ConnectionTrait, row: &api_key::Model) -> Result<bool, DbErr> {
    api_key::Entity::insert(row.clone().into_active_model())
        .on_conflict(OnConflict::column(api_key::Column::Hash).do_nothing().to_owned())
        .exec_without_returning(database)
        .await?;
    let stored = api_key::Entity::find()
        .filter(api_key::Column::Hash.eq(row.hash.clone()))
        .one(database)
        .await?;
    Ok(stored.is_some_and(|stored| stored.id == row.id))
}

/// Inserts a key that cannot be there already, because it was made of fresh random bytes.
async fn insert_key(database: &impl ConnectionTrait, row: &api_key::Model) -> Result<(), DbErr> {
    if try_insert_key(database, row).await? {
        Ok(())
    } else {
        Err(DbErr::RecordNotInserted)
    }
}

fn new_tenant(tenant: &NewTenant, now_ms: i64) -> tenant::Model {
    let TenantSettings {
        region,
        rate_per_second,
        rate_burst,
        time_zone,
        identity,
        on_refused_consent,
    } = tenant.settings;
    tenant::Model {
        id: Uuid::now_v7(),
        name: tenant.name.clone(),
        region: region.map(|region| region.as_str().to_owned()),
        rate_per_second: rate_per_second.map(|rate| rate.get().into()),
        rate_burst: rate_burst.map(|burst| burst.get().into()),
        time_zone: time_zone.map(|time_zone| time_zone.as_str().to_owned()),
        identity: identity.map(|mode| mode.as_str().to_owned()),
        on_refused_consent: on_refused_consent.map(|kept| kept.as_str().to_owned()),
        created_at_ms: now_ms,
    }
}

/// Only the columns that the change names, so that simultaneous changes of others stand.
fn changed_columns(id: Uuid, change: SettingsChange) -> tenant::ActiveModel {
    fn column<T, S>(change: Change<T>, stored: impl FnOnce(T) -> S) -> ActiveValue<Option<S>>
    where
        Option<S>: Into<Value>,
    {
        match change {
            Change::Keep => NotSet,
            Change::Clear => Set(None),
            Change::Set(value) => Set(Some(stored(value))),
        }
    }
    tenant::ActiveModel {
        id: Unchanged(id),
        region: column(change.region, |region| region.as_str().to_owned()),
        rate_per_second: column(change.rate_per_second, |rate| rate.get().into()),
        rate_burst: column(change.rate_burst, |burst| burst.get().into()),
        time_zone: column(change.time_zone, |time_zone| time_zone.as_str().to_owned()),
        identity: column(change.identity, |mode| mode.as_str().to_owned()),
        on_refused_consent: column(change.on_refused_consent, |kept| kept.as_str().to_owned()),
        ..Default::default()
    }
}

fn new_key(id: Uuid, tenant: Uuid, key: &NewKey, now_ms: i64) -> api_key::Model {
    let scopes: Vec<_> = key.scopes.iter().map(domain::access::Scope::as_str).collect();
    api_key::Model {
        id,
        tenant_id: tenant,
        hash: key.hash.0.to_vec(),
        shown: key.shown.clone(),
        scopes: scopes.join(" "),
        label: key.label.clone(),
        created_at_ms: now_ms,
        expires_at_ms: key.expires_at_ms,
        revoked_at_ms: None,
    }
}

fn to_tenant(row: tenant::Model) -> Result<Tenant, PortError> {
    Ok(Tenant {
        id: TenantId(row.id),
        name: row.name,
        settings: SettingsRow {
            region: row.region,
            rate_per_second: row.rate_per_second,
            rate_burst: row.rate_burst,
            time_zone: row.time_zone,
            identity: row.identity,
            on_refused_consent: row.on_refused_consent,
        }
        .try_into()?,
        created_at_ms: row.created_at_ms,
    })
}

fn to_key_info(row: api_key::Model, tenant: String) -> KeyInfo {
    KeyInfo {
        id: KeyId(row.id),
        tenant,
        shown: row.shown,
        scopes: words::scopes(&row.scopes),
        label: row.label,
        created_at_ms: row.created_at_ms,
        expires_at_ms: row.expires_at_ms,
        revoked_at_ms: row.revoked_at_ms,
    }
}

fn to_rate(rate: Option<i64>) -> Result<Option<NonZeroU32>, PortError> {
    let rate = rate.map(|rate| u32::try_from(rate).ok().and_then(NonZeroU32::new).ok_or(()));
    rate.transpose().map_err(|()| undecodable("rate limit"))
}
