//! What agreements come to: when, and how they stand. Facts from before this step have neither.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, DeriveIden},
    sea_query::{ColumnDef, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000008_agreements"
    }
}

#[derive(DeriveIden, Clone, Copy)]
enum Facts {
    Table,
    AgreedWhen,
    AgreedStatus,
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column with each statement.
        for column in [Facts::AgreedWhen, Facts::AgreedStatus] {
            let column = ColumnDef::new(column).text().null().take();
            let add = Table::alter().table(Facts::Table).add_column(column).take();
            manager.alter_table(add).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [Facts::AgreedStatus, Facts::AgreedWhen] {
            let drop = Table::alter().table(Facts::Table).drop_column(column).take();
            manager.alter_table(drop).await?;
        }
        Ok(())
    }
}
