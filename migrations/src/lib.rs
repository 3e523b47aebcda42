//! Schema steps, one set for SQLite and PostgreSQL.
//!
//! A step expands the schema first; what an older release still needs is taken away by a later step. A step that has
//! landed is never edited. The steps import no entity: they describe the schema of their day, not today's.

pub use sea_orm_migration::{MigrationStatus, MigratorTrait};
use sea_orm_migration::{MigrationTrait, async_trait};

mod m20261121_000001_callers_calls_and_keys;
mod m20261121_000002_lookup_spend;
mod m20261121_000003_facts;
mod m20261121_000004_unfinished_calls;
mod m20261121_000005_receipts;
mod m20261121_000006_rewrites;
mod m20261122_000007_rewrite_reservations;
mod m20261122_000008_agreements;
mod m20261122_000009_superseded_facts;
mod m20261122_000010_time_zones;
mod m20261122_000011_do_not_call;
mod m20261122_000012_identity;
mod m20261122_000013_themes;
mod m20261122_000014_corrections;
mod m20261122_000015_rules;

/// Every schema step, oldest first.
#[derive(Debug, Clone, Copy)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261121_000001_callers_calls_and_keys::Step),
            Box::new(m20261121_000002_lookup_spend::Step),
            Box::new(m20261121_000003_facts::Step),
            Box::new(m20261121_000004_unfinished_calls::Step),
            Box::new(m20261121_000005_receipts::Step),
            Box::new(m20261121_000006_rewrites::Step),
            Box::new(m20261122_000007_rewrite_reservations::Step),
            Box::new(m20261122_000008_agreements::Step),
            Box::new(m20261122_000009_superseded_facts::Step),
            Box::new(m20261122_000010_time_zones::Step),
            Box::new(m20261122_000011_do_not_call::Step),
            Box::new(m20261122_000012_identity::Step),
            Box::new(m20261122_000013_themes::Step),
            Box::new(m20261122_000014_corrections::Step),
            Box::new(m20261122_000015_rules::Step),
        ]
    }
}
