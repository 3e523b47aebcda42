//! Storage of callers, calls, look-ups and keys on SQLite and PostgreSQL through SeaORM.
//!
//! Open a [`Database`], bring its schema up to date with [`Database::migrate_up`], and put the ports' implementations
//! over it: [`SqlCallerMemory`] and [`SqlKeyStore`]. No row, query or connection leaves this crate.

mod database;
mod keys;
mod memory;
mod migrate;

pub use database::{Database, DatabaseOptions, OpenError, PoolState};
pub use keys::SqlKeyStore;
pub use memory::SqlCallerMemory;
pub use migrate::{MigrateError, MigrationState};
