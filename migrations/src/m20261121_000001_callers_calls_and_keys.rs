//! The first schema: tenants and their keys, callers, calls, contacts and look-ups.
//!
//! Times are milliseconds since the epoch. Every table that holds a tenant's data begins its indexes with the tenant.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, DbBackend, DeriveIden},
    sea_query::{ColumnDef, ForeignKey, ForeignKeyCreateStatement, Index, IntoIden, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261121_000001_callers_calls_and_keys"
    }
}

#[derive(DeriveIden)]
enum Tenants {
    Table,
    Id,
    Name,
    Region,
    RatePerSecond,
    RateBurst,
    CreatedAtMs,
}

#[derive(DeriveIden)]
enum ApiKeys {
    Table,
    Id,
    TenantId,
    Hash,
    Shown,
    Scopes,
    Label,
    CreatedAtMs,
    ExpiresAtMs,
    RevokedAtMs,
}

#[derive(DeriveIden)]
enum Callers {
    Table,
    Id,
    TenantId,
    PhoneNumber,
    Name,
    FirstSeenMs,
    LastSeenMs,
    TotalCalls,
    MemoryChangedMs,
    Tags,
    CustomAttributes,
}

#[derive(DeriveIden)]
enum Calls {
    Table,
    Id,
    TenantId,
    CallerId,
    SessionKey,
    SessionId,
    StartedAtMs,
    ReceivedAtMs,
    DurationS,
    Outcome,
    Summary,
    Writer,
    Arrival,
    BodyHash,
    AgentMetadata,
    Transcript,
}

#[derive(DeriveIden)]
enum Contacts {
    Table,
    TenantId,
    SessionKey,
    CallerId,
    RecalledAtMs,
}

#[derive(DeriveIden)]
enum EnrichmentCache {
    Table,
    TenantId,
    PhoneNumber,
    Vendor,
    FetchedAtMs,
    Found,
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_access_tables(manager).await?;
        create_callers(manager).await?;
        create_calls(manager).await?;
        create_contacts(manager).await?;
        create_enrichment_cache(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let tables = [
            EnrichmentCache::Table.into_iden(),
            Contacts::Table.into_iden(),
            Calls::Table.into_iden(),
            Callers::Table.into_iden(),
            ApiKeys::Table.into_iden(),
            Tenants::Table.into_iden(),
        ];
        for table in tables {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        Ok(())
    }
}

async fn create_access_tables(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let tenants = Table::create()
        .table(Tenants::Table)
        .col(ColumnDef::new(Tenants::Id).uuid().not_null().primary_key())
        .col(ColumnDef::new(Tenants::Name).text().not_null().unique_key())
        .col(ColumnDef::new(Tenants::Region).text())
        .col(ColumnDef::new(Tenants::RatePerSecond).big_integer())
        .col(ColumnDef::new(Tenants::RateBurst).big_integer())
        .col(ColumnDef::new(Tenants::CreatedAtMs).big_integer().not_null())
        .take();
    manager.create_table(tenants).await?;

    let api_keys = Table::create()
        .table(ApiKeys::Table)
        .col(ColumnDef::new(ApiKeys::Id).uuid().not_null().primary_key())
        .col(ColumnDef::new(ApiKeys::TenantId).uuid().not_null())
        .col(ColumnDef::new(ApiKeys::Hash).binary_len(32).not_null().unique_key())
        .col(ColumnDef::new(ApiKeys::Shown).text().not_null())
        .col(ColumnDef::new(ApiKeys::Scopes).text().not_null())
        .col(ColumnDef::new(ApiKeys::Label).text())
        .col(ColumnDef::new(ApiKeys::CreatedAtMs).big_integer().not_null())
        .col(ColumnDef::new(ApiKeys::ExpiresAtMs).big_integer())
        .col(ColumnDef::new(ApiKeys::RevokedAtMs).big_integer())
        .foreign_key(&mut to_tenant(ApiKeys::Table, ApiKeys::TenantId))
        .take();
    manager.create_table(api_keys).await?;
    let by_tenant = Index::create()
        .name("api_keys_by_tenant")
        .table(ApiKeys::Table)
        .col(ApiKeys::TenantId)
        .col(ApiKeys::CreatedAtMs)
        .col(ApiKeys::Id)
        .take();
    manager.create_index(by_tenant).await
}

async fn create_callers(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let callers = Table::create()
        .table(Callers::Table)
        .col(ColumnDef::new(Callers::Id).uuid().not_null().primary_key())
        .col(ColumnDef::new(Callers::TenantId).uuid().not_null())
        .col(ColumnDef::new(Callers::PhoneNumber).text().not_null())
        .col(ColumnDef::new(Callers::Name).text())
        .col(ColumnDef::new(Callers::FirstSeenMs).big_integer().not_null())
        .col(ColumnDef::new(Callers::LastSeenMs).big_integer().not_null())
        .col(ColumnDef::new(Callers::TotalCalls).big_integer().not_null())
        .col(ColumnDef::new(Callers::MemoryChangedMs).big_integer())
        .col(ColumnDef::new(Callers::Tags).text().not_null())
        .col(ColumnDef::new(Callers::CustomAttributes).text().not_null())
        .foreign_key(&mut to_tenant(Callers::Table, Callers::TenantId))
        .take();
    manager.create_table(callers).await?;
    let by_number = Index::create()
        .name("callers_by_number")
        .table(Callers::Table)
        .col(Callers::TenantId)
        .col(Callers::PhoneNumber)
        .unique()
        .take();
    manager.create_index(by_number).await
}

async fn create_calls(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    // The transcript comes last: SQLite then reads the other columns without touching the pages it spills over to.
    let calls = Table::create()
        .table(Calls::Table)
        .col(ColumnDef::new(Calls::Id).uuid().not_null().primary_key())
        .col(ColumnDef::new(Calls::TenantId).uuid().not_null())
        .col(ColumnDef::new(Calls::CallerId).uuid().not_null())
        .col(ColumnDef::new(Calls::SessionKey).binary_len(32).not_null())
        .col(ColumnDef::new(Calls::StartedAtMs).big_integer().not_null())
        .col(ColumnDef::new(Calls::ReceivedAtMs).big_integer().not_null())
        .col(ColumnDef::new(Calls::DurationS).double().not_null())
        .col(ColumnDef::new(Calls::Outcome).text().not_null())
        .col(ColumnDef::new(Calls::Summary).text().not_null())
        .col(ColumnDef::new(Calls::Writer).uuid().not_null())
        .col(ColumnDef::new(Calls::Arrival).big_integer().not_null())
        .col(ColumnDef::new(Calls::BodyHash).binary_len(32).not_null())
        .col(ColumnDef::new(Calls::SessionId).text().not_null())
        .col(ColumnDef::new(Calls::AgentMetadata).text())
        .col(ColumnDef::new(Calls::Transcript).blob().not_null())
        .foreign_key(&mut to_tenant(Calls::Table, Calls::TenantId))
        .foreign_key(&mut to_caller(Calls::Table, Calls::CallerId))
        .take();
    manager.create_table(calls).await?;
    let by_session = Index::create()
        .name("calls_by_session")
        .table(Calls::Table)
        .col(Calls::TenantId)
        .col(Calls::SessionKey)
        .unique()
        .take();
    manager.create_index(by_session).await?;
    let mut by_caller = Index::create()
        .name("calls_by_caller")
        .table(Calls::Table)
        .col(Calls::TenantId)
        .col(Calls::CallerId)
        .col(Calls::StartedAtMs)
        .col(Calls::Id)
        .take();
    if manager.get_database_backend() == DbBackend::Sqlite {
        // A recall then finds all it shows of a caller's calls on one page of the index, instead of five pages of the
        // table, which halves its time. PostgreSQL would refuse a summary too long for its index.
        by_caller.col(Calls::DurationS).col(Calls::Outcome).col(Calls::Summary);
    }
    manager.create_index(by_caller).await
}

async fn create_contacts(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let contacts = Table::create()
        .table(Contacts::Table)
        .col(ColumnDef::new(Contacts::TenantId).uuid().not_null())
        .col(ColumnDef::new(Contacts::SessionKey).binary_len(32).not_null())
        .col(ColumnDef::new(Contacts::CallerId).uuid().not_null())
        .col(ColumnDef::new(Contacts::RecalledAtMs).big_integer().not_null())
        .primary_key(Index::create().col(Contacts::TenantId).col(Contacts::SessionKey))
        .foreign_key(&mut to_tenant(Contacts::Table, Contacts::TenantId))
        .foreign_key(&mut to_caller(Contacts::Table, Contacts::CallerId))
        .take();
    manager.create_table(contacts).await
}

async fn create_enrichment_cache(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let cache = Table::create()
        .table(EnrichmentCache::Table)
        .col(ColumnDef::new(EnrichmentCache::TenantId).uuid().not_null())
        .col(ColumnDef::new(EnrichmentCache::PhoneNumber).text().not_null())
        .col(ColumnDef::new(EnrichmentCache::Vendor).text().not_null())
        .col(ColumnDef::new(EnrichmentCache::FetchedAtMs).big_integer().not_null())
        .col(ColumnDef::new(EnrichmentCache::Found).text().not_null())
        .primary_key(
            Index::create()
                .col(EnrichmentCache::TenantId)
                .col(EnrichmentCache::PhoneNumber)
                .col(EnrichmentCache::Vendor),
        )
        .foreign_key(&mut to_tenant(EnrichmentCache::Table, EnrichmentCache::TenantId))
        .take();
    manager.create_table(cache).await
}

fn to_tenant(table: impl IntoIden, column: impl IntoIden) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, column)
        .to(Tenants::Table, Tenants::Id)
        .take()
}

fn to_caller(table: impl IntoIden, column: impl IntoIden) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, column)
        .to(Callers::Table, Callers::Id)
        .take()
}
