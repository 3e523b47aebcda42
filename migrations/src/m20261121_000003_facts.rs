//! Facts: what callers stated of themselves and were told, with the words that prove it.
//!
//! What no longer stands stays as history. A recall reads only what stands, through an index that holds nothing else.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, ConnectionTrait, DeriveIden},
    sea_query::{ColumnDef, ForeignKey, Index, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261121_000003_facts"
    }
}

#[derive(DeriveIden)]
enum Tenants {
    Table,
    Id,
}

#[derive(DeriveIden)]
enum Callers {
    Table,
    Id,
}

#[derive(DeriveIden)]
enum Calls {
    Table,
    Id,
}

#[derive(DeriveIden)]
enum Facts {
    Table,
    TenantId,
    CallId,
    Place,
    CallerId,
    Key,
    Value,
    Quote,
    Turn,
    SaidAtMs,
    OrderMs,
    ObservedAtMs,
    Stands,
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let facts = Table::create()
            .table(Facts::Table)
            .col(ColumnDef::new(Facts::TenantId).uuid().not_null())
            .col(ColumnDef::new(Facts::CallId).uuid().not_null())
            .col(ColumnDef::new(Facts::Place).integer().not_null())
            .col(ColumnDef::new(Facts::CallerId).uuid().not_null())
            .col(ColumnDef::new(Facts::Key).text().not_null())
            .col(ColumnDef::new(Facts::Value).text().not_null())
            .col(ColumnDef::new(Facts::Quote).text().not_null())
            .col(ColumnDef::new(Facts::Turn).integer().not_null())
            .col(ColumnDef::new(Facts::SaidAtMs).big_integer().not_null())
            .col(ColumnDef::new(Facts::OrderMs).big_integer().not_null())
            .col(ColumnDef::new(Facts::ObservedAtMs).big_integer().not_null())
            .col(ColumnDef::new(Facts::Stands).boolean().not_null())
            .primary_key(
                Index::create()
                    .col(Facts::TenantId)
                    .col(Facts::CallId)
                    .col(Facts::Place),
            )
            .foreign_key(
                ForeignKey::create()
                    .from(Facts::Table, Facts::TenantId)
                    .to(Tenants::Table, Tenants::Id),
            )
            .foreign_key(
                ForeignKey::create()
                    .from(Facts::Table, Facts::CallId)
                    .to(Calls::Table, Calls::Id),
            )
            .foreign_key(
                ForeignKey::create()
                    .from(Facts::Table, Facts::CallerId)
                    .to(Callers::Table, Callers::Id),
            )
            .take();
        manager.create_table(facts).await?;
        let by_caller = Index::create()
            .name("facts_by_caller")
            .table(Facts::Table)
            .col(Facts::TenantId)
            .col(Facts::CallerId)
            .col(Facts::Key)
            .take();
        manager.create_index(by_caller).await?;
        // Both databases take these words as they are.
        let standing = "CREATE INDEX facts_standing ON facts (tenant_id, caller_id, key) WHERE stands";
        manager.get_connection().execute_unprepared(standing).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Facts::Table).take()).await
    }
}
