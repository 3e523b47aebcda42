//! Of the facts that stand no more, the newest are read by their order.

use sea_orm_migration::{DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait, sea_orm::ConnectionTrait};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000009_superseded_facts"
    }
}

// Both databases take these words as they are. The index of what stands remains the only one that serves a recall: an
// index of all facts by their order would be read in its place, from end to end.
const BY_ORDER: &str = "CREATE INDEX facts_superseded ON facts (tenant_id, caller_id, order_ms, call_id, place) \
                        WHERE NOT stands";

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(BY_ORDER).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop = "DROP INDEX facts_superseded";
        manager.get_connection().execute_unprepared(drop).await?;
        Ok(())
    }
}
