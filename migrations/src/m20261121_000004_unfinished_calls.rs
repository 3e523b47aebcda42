//! Calls that were begun and never written back: a contact knows whether its session has ended, and what the client
//! calls it.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, ConnectionTrait, DeriveIden},
    sea_query::{ColumnDef, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261121_000004_unfinished_calls"
    }
}

#[derive(DeriveIden)]
enum Contacts {
    Table,
    SessionId,
    Ended,
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            ColumnDef::new(Contacts::SessionId).text().null().take(),
            ColumnDef::new(Contacts::Ended)
                .boolean()
                .not_null()
                .default(false)
                .take(),
        ];
        // SQLite adds one column with each statement.
        for column in columns {
            let add = Table::alter().table(Contacts::Table).add_column(column).take();
            manager.alter_table(add).await?;
        }
        // Both databases take these words as they are.
        let database = manager.get_connection();
        let ended = "UPDATE contacts SET ended = true WHERE EXISTS (SELECT 1 FROM calls
             WHERE calls.tenant_id = contacts.tenant_id AND calls.session_key = contacts.session_key)";
        database.execute_unprepared(ended).await?;
        let open = "CREATE INDEX contacts_open ON contacts (tenant_id, caller_id, recalled_at_ms) WHERE NOT ended";
        database.execute_unprepared(open).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let database = manager.get_connection();
        database.execute_unprepared("DROP INDEX contacts_open").await?;
        for column in [Contacts::Ended, Contacts::SessionId] {
            let drop = Table::alter().table(Contacts::Table).drop_column(column).take();
            manager.alter_table(drop).await?;
        }
        Ok(())
    }
}
