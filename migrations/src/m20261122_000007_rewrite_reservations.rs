//! Which requests to the language model were let through, so that one whose answer was lost is counted once.
//!
//! Only of the last days: a request asks again at once or never.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, DeriveIden},
    sea_query::{ColumnDef, ForeignKey, Index, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000007_rewrite_reservations"
    }
}

#[derive(DeriveIden)]
enum Tenants {
    Table,
    Id,
}

#[derive(DeriveIden)]
enum RewriteReservations {
    Table,
    TenantId,
    Day,
    RequestId,
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let reservations = Table::create()
            .table(RewriteReservations::Table)
            .col(ColumnDef::new(RewriteReservations::TenantId).uuid().not_null())
            .col(ColumnDef::new(RewriteReservations::Day).integer().not_null())
            .col(ColumnDef::new(RewriteReservations::RequestId).uuid().not_null())
            .primary_key(
                Index::create()
                    .col(RewriteReservations::TenantId)
                    .col(RewriteReservations::Day)
                    .col(RewriteReservations::RequestId),
            )
            .foreign_key(
                ForeignKey::create()
                    .from(RewriteReservations::Table, RewriteReservations::TenantId)
                    .to(Tenants::Table, Tenants::Id),
            )
            .take();
        manager.create_table(reservations).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .drop_table(Table::drop().table(RewriteReservations::Table).take())
            .await
    }
}
