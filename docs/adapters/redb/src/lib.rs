//! caller-memory on [redb], an embedded key-value store in one file. This is the example that `docs/ADAPTERS.md` walks
//! through.
//!
//! Read it from the bottom up: `table` makes typed tables of redb's, `schema` lists them, `rows` is what they hold, and
//! `store` runs work in transactions off the service's threads. `redb` holds the open file; above it each port has a
//! source file, and `storage` hands the ports out.
//!
//! [redb]: https://www.redb.org

mod access;
mod backlog;
mod caller_admin;
mod calls;
mod contact;
mod end;
mod facts;
mod lookups;
mod memory;
mod open_calls;
mod receipts;
mod redb;
mod rows;
mod schema;
mod spend;
mod storage;
mod store;
mod table;

pub use self::{redb::Redb, storage::RedbDriver};
