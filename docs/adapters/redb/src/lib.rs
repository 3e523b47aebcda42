//! caller-memory on [redb], an embedded key-value store in one file. This is the example that `docs/ADAPTERS.md` walks
//! through.
//!
//! Read it from the bottom up: `table` makes typed tables of redb's, `schema` lists them, `rows` is what they hold, and
//! `store` runs work in transactions off the service's threads. Above these, each port has a file, and `storage` hands
//! them out.
//!
//! [redb]: https://www.redb.org

mod access;
mod backlog;
mod caller_admin;
mod contact;
mod end;
mod facts;
mod lookups;
mod memory;
mod open_calls;
mod receipts;
mod rows;
mod schema;
mod spend;
mod storage;
mod store;
mod table;

use std::sync::Arc;

use uuid::Uuid;

pub use storage::RedbDriver;

use contact::Contacts;
use store::Store;

/// An open file. It implements every port of a storage; clones share the file.
#[derive(Clone)]
pub struct Redb {
    store: Arc<Store>,
    contacts: Arc<Contacts>,
    /// This process: reports of a call are put in order with those of the same process only.
    process: Uuid,
}

impl Redb {
    fn over(store: Store) -> Self {
        let store = Arc::new(store);
        Self {
            contacts: Arc::new(Contacts::new(&store)),
            store,
            process: Uuid::now_v7(),
        }
    }
}
