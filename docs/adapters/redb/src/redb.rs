//! The open file, which every port is implemented for.

use std::sync::Arc;

use uuid::Uuid;

use crate::{
    contact::{self, Contacts},
    store::Store,
};

/// An open file. It implements every port of a storage; clones share the file.
#[derive(Clone)]
pub struct Redb {
    pub(crate) store: Arc<Store>,
    pub(crate) contacts: Arc<Contacts>,
    /// This process: reports of a call are put in order with those of the same process only.
    pub(crate) process: Uuid,
}

impl Redb {
    /// The file of `store`. To be called within a tokio runtime.
    pub(crate) fn over(store: Store) -> Self {
        let store = Arc::new(store);
        Self {
            contacts: Arc::new(contact::start(&store)),
            store,
            process: Uuid::now_v7(),
        }
    }
}
