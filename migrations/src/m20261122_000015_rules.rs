//! Calls know the rules that they were read by; those before this step, no rules of today.

use sea_orm_migration::{DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait, sea_orm::ConnectionTrait};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000015_rules"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        // The index is of all tenants, because one process reads the calls of all again. A new call goes to its end.
        for step in [
            "ALTER TABLE calls ADD COLUMN rules integer NOT NULL DEFAULT 0",
            "CREATE INDEX calls_by_rules ON calls (rules)",
        ] {
            connection.execute_unprepared(step).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for step in ["DROP INDEX calls_by_rules", "ALTER TABLE calls DROP COLUMN rules"] {
            connection.execute_unprepared(step).await?;
        }
        Ok(())
    }
}
