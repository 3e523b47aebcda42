//! Receipts: what recalls answered. Their outcomes are in `calls`, under the same tenant and session.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, DeriveIden},
    sea_query::{ColumnDef, ForeignKey, Index, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261121_000005_receipts"
    }
}

#[derive(DeriveIden)]
enum Tenants {
    Table,
    Id,
}

#[derive(DeriveIden)]
enum Receipts {
    Table,
    Id,
    TenantId,
    AtMs,
    TraceId,
    PhoneNumber,
    SessionKey,
    SessionId,
    DeadlineMs,
    Cuts,
    Known,
    Degraded,
    Enriched,
    Response,
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // No key to the caller: a degraded recall of a new number has a receipt and no caller. The response comes last:
        // SQLite then counts the other columns without touching the pages it spills over to.
        let receipts = Table::create()
            .table(Receipts::Table)
            .col(ColumnDef::new(Receipts::Id).uuid().not_null().primary_key())
            .col(ColumnDef::new(Receipts::TenantId).uuid().not_null())
            .col(ColumnDef::new(Receipts::AtMs).big_integer().not_null())
            .col(ColumnDef::new(Receipts::TraceId).text().not_null())
            .col(ColumnDef::new(Receipts::PhoneNumber).text().not_null())
            .col(ColumnDef::new(Receipts::SessionKey).binary_len(32))
            .col(ColumnDef::new(Receipts::SessionId).text())
            .col(ColumnDef::new(Receipts::DeadlineMs).big_integer().not_null())
            .col(ColumnDef::new(Receipts::Cuts).text().not_null())
            .col(ColumnDef::new(Receipts::Known).boolean().not_null())
            .col(ColumnDef::new(Receipts::Degraded).boolean().not_null())
            .col(ColumnDef::new(Receipts::Enriched).boolean().not_null())
            .col(ColumnDef::new(Receipts::Response).blob().not_null())
            .foreign_key(
                ForeignKey::create()
                    .from(Receipts::Table, Receipts::TenantId)
                    .to(Tenants::Table, Tenants::Id),
            )
            .take();
        manager.create_table(receipts).await?;
        // Time comes first: what is too old is deleted for all tenants at once, statistics are of a period, and
        // receipts arrive in the order of time, so that the index grows at its end.
        let by_time = Index::create()
            .name("receipts_by_time")
            .table(Receipts::Table)
            .col(Receipts::AtMs)
            .col(Receipts::TenantId)
            .take();
        manager.create_index(by_time).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Receipts::Table).take()).await
    }
}
