//! What tests of caller-memory need in place of the outside world. A dev-dependency only.
//!
//! - Fakes that keep everything in memory: [`InMemoryCallerMemory`], [`InMemoryKeyStore`], [`CachedOnly`],
//!   [`ManualClock`], [`SilentProbe`] and [`RecordingProbe`].
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
pub mod contract;
mod enrichment;
mod fault;
mod memory;
mod probe;
mod receipt;
pub mod sample;
mod spend;
mod wait;

pub use access::InMemoryKeyStore;
pub use clock::ManualClock;
pub use enrichment::CachedOnly;
pub use fault::{Fault, Faulty};
pub use memory::InMemoryCallerMemory;
pub use probe::{RecordingProbe, SilentProbe};
pub use receipt::InMemoryReceiptStore;
pub use spend::InMemorySpendLedger;
pub use wait::eventually;
