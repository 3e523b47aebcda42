//! What tests of caller-memory need in place of the outside world. A dev-dependency only.
//!
//! - Fakes that keep everything in memory: [`InMemoryStorage`] and the ports over it ([`InMemoryCallerMemory`],
//!   [`InMemoryKeyStore`], [`InMemorySpendLedger`], [`InMemoryReceiptStore`]), [`CachedOnly`], [`ManualClock`],
//!   [`SilentProbe`] and [`RecordingProbe`].
//! - [`InMemoryDriver`] opens such storages by URL, and [`Bare`] storages that leave out all that may be left out.
//! - [`Faulty`] puts faults in front of a port: unavailable, broken, hanging.
//! - [`contract`] holds the contract suite of every port: each MUST of a port's documentation is one clause, and one
//!   macro for each port expands to named tests. Fakes and real adapters pass the same suites.
//! - [`sample`] makes the values that tests are about.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "the crate is linked into tests only, and a test fails by panicking"
)]

mod access;
mod clock;
mod codec;
pub mod contract;
mod enrichment;
mod fault;
mod memory;
mod probe;
mod receipt;
pub mod sample;
mod spend;
mod state;
mod storage;
mod wait;
mod world;

pub use access::InMemoryKeyStore;
pub use clock::ManualClock;
pub use enrichment::CachedOnly;
pub use fault::{Fault, Faulty};
pub use memory::InMemoryCallerMemory;
pub use probe::{RecordingProbe, SilentProbe};
pub use receipt::InMemoryReceiptStore;
pub use spend::InMemorySpendLedger;
pub use storage::{Bare, InMemoryDriver, InMemoryStorage};
pub use wait::eventually;
