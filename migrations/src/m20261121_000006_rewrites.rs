//! Rewrites of summaries by a language model: what lacks one, what was made, and how many requests a tenant sent on a
//! day.
//!
//! A row lacks a rewrite while its `rewrite_due_ms` is set, which is when it may be tried next. The calls that are
//! there before this step lack none.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, ConnectionTrait, DeriveIden},
    sea_query::{ColumnDef, ForeignKey, Index, IntoIden, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261121_000006_rewrites"
    }
}

#[derive(DeriveIden)]
enum Tenants {
    Table,
    Id,
}

#[derive(DeriveIden, Clone, Copy)]
enum Calls {
    Table,
    RewriteDueMs,
    RewriteAttempts,
}

#[derive(DeriveIden, Clone, Copy)]
enum Callers {
    Table,
    RewriteDueMs,
    RewriteAttempts,
    Rewrite,
    RewriteForMs,
}

#[derive(DeriveIden)]
enum RewriteRequests {
    Table,
    TenantId,
    Day,
    Requests,
}

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column with each statement.
        for (due, attempts, table) in [
            (
                Calls::RewriteDueMs.into_iden(),
                Calls::RewriteAttempts.into_iden(),
                Calls::Table.into_iden(),
            ),
            (
                Callers::RewriteDueMs.into_iden(),
                Callers::RewriteAttempts.into_iden(),
                Callers::Table.into_iden(),
            ),
        ] {
            for column in [
                ColumnDef::new(due).big_integer().null().take(),
                ColumnDef::new(attempts).integer().not_null().default(0).take(),
            ] {
                let add = Table::alter().table(table.clone()).add_column(column).take();
                manager.alter_table(add).await?;
            }
        }
        for column in [
            ColumnDef::new(Callers::Rewrite).text().null().take(),
            ColumnDef::new(Callers::RewriteForMs).big_integer().null().take(),
        ] {
            let add = Table::alter().table(Callers::Table).add_column(column).take();
            manager.alter_table(add).await?;
        }
        // Only of rows that lack a rewrite, of all tenants: the worker asks what has been due for longest.
        let connection = manager.get_connection();
        for table in ["calls", "callers"] {
            let index =
                format!("CREATE INDEX {table}_to_rewrite ON {table} (rewrite_due_ms) WHERE rewrite_due_ms IS NOT NULL");
            connection.execute_unprepared(&index).await?;
        }
        let requests = Table::create()
            .table(RewriteRequests::Table)
            .col(ColumnDef::new(RewriteRequests::TenantId).uuid().not_null())
            .col(ColumnDef::new(RewriteRequests::Day).integer().not_null())
            .col(ColumnDef::new(RewriteRequests::Requests).big_integer().not_null())
            .primary_key(Index::create().col(RewriteRequests::TenantId).col(RewriteRequests::Day))
            .foreign_key(
                ForeignKey::create()
                    .from(RewriteRequests::Table, RewriteRequests::TenantId)
                    .to(Tenants::Table, Tenants::Id),
            )
            .take();
        manager.create_table(requests).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .drop_table(Table::drop().table(RewriteRequests::Table).take())
            .await?;
        let connection = manager.get_connection();
        for index in ["calls_to_rewrite", "callers_to_rewrite"] {
            connection.execute_unprepared(&format!("DROP INDEX {index}")).await?;
        }
        for column in [
            Callers::RewriteForMs,
            Callers::Rewrite,
            Callers::RewriteAttempts,
            Callers::RewriteDueMs,
        ] {
            let drop = Table::alter().table(Callers::Table).drop_column(column).take();
            manager.alter_table(drop).await?;
        }
        for column in [Calls::RewriteAttempts, Calls::RewriteDueMs] {
            let drop = Table::alter().table(Calls::Table).drop_column(column).take();
            manager.alter_table(drop).await?;
        }
        Ok(())
    }
}
