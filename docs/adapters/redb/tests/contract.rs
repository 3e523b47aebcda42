//! The contract suites of a storage and of every port that it hands out, each test on a file of its own.
//!
//! "Another process" is the file opened a second time, which redb keeps apart from the first as it does two processes.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use caller_memory_redb::RedbDriver;
use domain::port::StorageOptions;
use testkit::contract::StorageFixture;

fn storage() -> StorageFixture {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("data/callers.redb");
    StorageFixture {
        driver: Arc::new(RedbDriver),
        options: StorageOptions {
            url: format!("redb://{}", file.display()),
            connections: 4,
        },
        persists: true,
        is_shared: true,
        keep: Box::new(folder),
    }
}

testkit::every_contract!(redb, async { Some(storage()) });
