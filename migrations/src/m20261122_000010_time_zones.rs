//! A tenant's days begin in its time zone.

use sea_orm_migration::{DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait, sea_orm::ConnectionTrait};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000010_time_zones"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = "ALTER TABLE tenants ADD COLUMN time_zone text";
        manager.get_connection().execute_unprepared(add).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop = "ALTER TABLE tenants DROP COLUMN time_zone";
        manager.get_connection().execute_unprepared(drop).await?;
        Ok(())
    }
}
