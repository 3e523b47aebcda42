//! What callers speak of: of each call, and of all calls together with the caller. Calls from before this step have
//! none, and a caller from before has those of the calls from then on.

use sea_orm_migration::{DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait, sea_orm::ConnectionTrait};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000013_themes"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["calls", "callers"] {
            let add = format!("ALTER TABLE {table} ADD COLUMN themes text");
            manager.get_connection().execute_unprepared(&add).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["callers", "calls"] {
            let drop = format!("ALTER TABLE {table} DROP COLUMN themes");
            manager.get_connection().execute_unprepared(&drop).await?;
        }
        Ok(())
    }
}
