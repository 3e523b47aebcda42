//! An operator's word on a caller's facts is kept with the caller.

use sea_orm_migration::{DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait, sea_orm::ConnectionTrait};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000014_corrections"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = "ALTER TABLE callers ADD COLUMN corrections text NOT NULL DEFAULT '[]'";
        manager.get_connection().execute_unprepared(add).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop = "ALTER TABLE callers DROP COLUMN corrections";
        manager.get_connection().execute_unprepared(drop).await?;
        Ok(())
    }
}
