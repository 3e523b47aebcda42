//! Storage of callers, calls, look-ups and keys on SQLite and PostgreSQL through SeaORM.
//!
//! [`SqlDriver`] opens a [`Database`] as the storage that the program runs over. The implementations of its ports can
//! be put over a database one by one as well: [`SqlCallerMemory`], [`SqlCallerAdmin`], [`SqlKeyStore`],
//! [`SqlSpendLedger`], [`SqlReceiptStore`], [`SqlSummaryBacklog`] and [`SqlOldCalls`]. No row, query or connection
//! leaves this crate.

mod connect;
mod contact;
mod correction;
mod database;
mod end;
mod entity;
mod error;
mod facts;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod interleavings;
mod keys;
mod lookup;
mod memory;
mod migrate;
mod old_calls;
#[cfg(test)]
mod plans;
mod profile;
mod recall;
mod receipt;
mod rewrite;
mod row;
mod session;
mod spend;
mod storage;
mod trace;
mod transaction;
mod transcript;
mod words;
mod writer;

pub use database::Database;
pub use keys::SqlKeyStore;
pub use memory::SqlCallerMemory;
pub use old_calls::SqlOldCalls;
pub use profile::SqlCallerAdmin;
pub use receipt::SqlReceiptStore;
pub use rewrite::SqlSummaryBacklog;
pub use spend::SqlSpendLedger;
pub use storage::SqlDriver;

#[cfg(test)]
extern crate self as adapters_sqlorm;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;
