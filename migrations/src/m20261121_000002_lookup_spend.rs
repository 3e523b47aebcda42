//! What look-ups cost: the paid requests of each tenant, vendor and day, and the daily caps of a tenant.
//!
//! Days are days since 1970-01-01 in UTC; money is in micro-dollars.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, DeriveIden},
    sea_query::{ColumnDef, ForeignKey, Index, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261121_000002_lookup_spend"
    }
}

#[derive(DeriveIden)]
enum Tenants {
    Table,
    Id,
    DailyLookups,
    DailySpendMicroUsd,
}

#[derive(DeriveIden)]
enum LookupSpend {
    Table,
    TenantId,
    Day,
    Vendor,
    Lookups,
    SpendMicroUsd,
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column with each statement.
        for cap in [Tenants::DailyLookups, Tenants::DailySpendMicroUsd] {
            let add = Table::alter()
                .table(Tenants::Table)
                .add_column(ColumnDef::new(cap).big_integer().null())
                .take();
            manager.alter_table(add).await?;
        }
        let spend = Table::create()
            .table(LookupSpend::Table)
            .col(ColumnDef::new(LookupSpend::TenantId).uuid().not_null())
            .col(ColumnDef::new(LookupSpend::Day).integer().not_null())
            .col(ColumnDef::new(LookupSpend::Vendor).text().not_null())
            .col(ColumnDef::new(LookupSpend::Lookups).big_integer().not_null())
            .col(ColumnDef::new(LookupSpend::SpendMicroUsd).big_integer().not_null())
            .primary_key(
                Index::create()
                    .col(LookupSpend::TenantId)
                    .col(LookupSpend::Day)
                    .col(LookupSpend::Vendor),
            )
            .foreign_key(
                ForeignKey::create()
                    .from(LookupSpend::Table, LookupSpend::TenantId)
                    .to(Tenants::Table, Tenants::Id),
            )
            .take();
        manager.create_table(spend).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .drop_table(Table::drop().table(LookupSpend::Table).take())
            .await?;
        for cap in [Tenants::DailySpendMicroUsd, Tenants::DailyLookups] {
            let drop = Table::alter().table(Tenants::Table).drop_column(cap).take();
            manager.alter_table(drop).await?;
        }
        Ok(())
    }
}
