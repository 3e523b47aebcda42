//! Callers who do not want to be called, and what is kept of a call in which consent was refused.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, ConnectionTrait, DeriveIden},
    sea_query::{ColumnDef, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000011_do_not_call"
    }
}

#[derive(DeriveIden, Clone, Copy)]
enum Callers {
    Table,
    DoNotCallMs,
    DoNotCallQuote,
    DoNotCallId,
}

#[derive(DeriveIden, Clone, Copy)]
enum Calls {
    Table,
    NoMoreCalls,
}

#[derive(DeriveIden, Clone, Copy)]
enum Tenants {
    Table,
    OnRefusedConsent,
}

const MARKED: &str = "CREATE INDEX callers_do_not_call ON callers (tenant_id, phone_number) \
                      WHERE do_not_call_ms IS NOT NULL";

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column with each statement.
        for column in [
            ColumnDef::new(Callers::DoNotCallMs).big_integer().null().take(),
            ColumnDef::new(Callers::DoNotCallQuote).text().null().take(),
            ColumnDef::new(Callers::DoNotCallId).uuid().null().take(),
        ] {
            let add = Table::alter().table(Callers::Table).add_column(column).take();
            manager.alter_table(add).await?;
        }
        // Whether a report of the call has marked its caller.
        let marked = ColumnDef::new(Calls::NoMoreCalls)
            .boolean()
            .not_null()
            .default(false)
            .take();
        let add = Table::alter().table(Calls::Table).add_column(marked).take();
        manager.alter_table(add).await?;
        let kept = ColumnDef::new(Tenants::OnRefusedConsent).text().null().take();
        let add = Table::alter().table(Tenants::Table).add_column(kept).take();
        manager.alter_table(add).await?;
        manager.get_connection().execute_unprepared(MARKED).await?;
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .get_connection()
            .execute_unprepared("DROP INDEX callers_do_not_call")
            .await?;
        let drop = Table::alter()
            .table(Tenants::Table)
            .drop_column(Tenants::OnRefusedConsent)
            .take();
        manager.alter_table(drop).await?;
        let drop = Table::alter()
            .table(Calls::Table)
            .drop_column(Calls::NoMoreCalls)
            .take();
        manager.alter_table(drop).await?;
        for column in [Callers::DoNotCallId, Callers::DoNotCallQuote, Callers::DoNotCallMs] {
            let drop = Table::alter().table(Callers::Table).drop_column(column).take();
            manager.alter_table(drop).await?;
        }
        Ok(())
    }
}
