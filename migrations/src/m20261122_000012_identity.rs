//! What tells who is behind a number: the names that were stated by call, when the number was silent, what look-ups
//! said before, and how careful a tenant is. Names and times of the calls from before this step are noted; what their
//! look-ups had said is gone.

use sea_orm_migration::{
    DbErr, MigrationName, MigrationTrait, SchemaManager, async_trait,
    sea_orm::{self, ConnectionTrait, DbBackend, DeriveIden, Iden},
    sea_query::{ColumnDef, Table},
};

/// See the module.
pub(crate) struct Step;

impl MigrationName for Step {
    fn name(&self) -> &'static str {
        "m20261122_000012_identity"
    }
}

#[derive(DeriveIden, Clone, Copy)]
enum Callers {
    Table,
    StatedNames,
    LastCallMs,
    ReturnedMs,
}

#[derive(DeriveIden, Clone, Copy)]
enum EnrichmentCache {
    Table,
    Former,
    FormerUntilMs,
}

#[derive(DeriveIden, Clone, Copy)]
enum Tenants {
    Table,
    Identity,
}

/// The last name that was stated in each of a caller's calls, of the newest 16 such calls.
macro_rules! stated_names {
    ($rows:literal, $id:literal) => {
        concat!(
            "UPDATE callers SET stated_names = (SELECT ",
            $rows,
            " FROM (SELECT ",
            $id,
            " AS call, f.order_ms, f.value FROM facts AS f \
               WHERE f.tenant_id = callers.tenant_id AND f.caller_id = callers.id AND f.key = 'name' \
                 AND NOT EXISTS (SELECT 1 FROM facts AS later WHERE later.tenant_id = f.tenant_id \
                   AND later.call_id = f.call_id AND later.key = 'name' AND later.place > f.place) \
               ORDER BY f.order_ms DESC, f.call_id DESC LIMIT 16) AS stated) \
             WHERE id IN (SELECT caller_id FROM facts WHERE key = 'name')"
        )
    };
}

const NAMES_SQLITE: &str = stated_names!(
    "json_group_array(json_array(call, order_ms, value))",
    "lower(hex(f.call_id))"
);
const NAMES_POSTGRES: &str = stated_names!("json_agg(json_build_array(call, order_ms, value))::text", "f.call_id");

const LAST_CALLS: &str = "\
UPDATE callers SET last_call_ms = (SELECT max(k.started_at_ms) FROM calls AS k
  WHERE k.tenant_id = callers.tenant_id AND k.caller_id = callers.id)";

#[async_trait::async_trait]
impl MigrationTrait for Step {
    /// On SQLite too, so that a process killed in the middle leaves nothing half made.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let text = |name| ColumnDef::new(name).text().null().take();
        // SQLite adds one column with each statement.
        add(manager, Callers::Table, text(Callers::StatedNames)).await?;
        for name in [Callers::LastCallMs, Callers::ReturnedMs] {
            add(
                manager,
                Callers::Table,
                ColumnDef::new(name).big_integer().null().take(),
            )
            .await?;
        }
        let former = ColumnDef::new(EnrichmentCache::Former).text().null().take();
        add(manager, EnrichmentCache::Table, former).await?;
        let until = ColumnDef::new(EnrichmentCache::FormerUntilMs)
            .big_integer()
            .null()
            .take();
        add(manager, EnrichmentCache::Table, until).await?;
        add(
            manager,
            Tenants::Table,
            ColumnDef::new(Tenants::Identity).text().null().take(),
        )
        .await?;
        let names = match manager.get_database_backend() {
            DbBackend::Sqlite => NAMES_SQLITE,
            _ => NAMES_POSTGRES,
        };
        for statement in [names, LAST_CALLS] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_column(manager, Tenants::Table, Tenants::Identity).await?;
        drop_column(manager, EnrichmentCache::Table, EnrichmentCache::FormerUntilMs).await?;
        drop_column(manager, EnrichmentCache::Table, EnrichmentCache::Former).await?;
        for column in [Callers::ReturnedMs, Callers::LastCallMs, Callers::StatedNames] {
            drop_column(manager, Callers::Table, column).await?;
        }
        Ok(())
    }
}

async fn add(manager: &SchemaManager<'_>, table: impl Iden + 'static, column: ColumnDef) -> Result<(), DbErr> {
    manager
        .alter_table(Table::alter().table(table).add_column(column).take())
        .await
}

async fn drop_column(
    manager: &SchemaManager<'_>,
    table: impl Iden + 'static,
    column: impl Iden + 'static,
) -> Result<(), DbErr> {
    manager
        .alter_table(Table::alter().table(table).drop_column(column).take())
        .await
}
