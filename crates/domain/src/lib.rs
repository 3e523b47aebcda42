//! What caller-memory is about, without a database, a network, a runtime or a clock.
//!
//! The crate holds the rules (who is known, what is degraded, how a number is normalised), the ports through which
//! the rules reach the outside, and the three use cases as methods of [`CallerService`]. Everything that does I/O is
//! an adapter behind a port, so the rules here can be tested in microseconds and read without any of it.

pub mod access;
pub mod bounds;
pub mod call;
pub mod caller;
pub mod context;
pub mod correction;
pub mod enrichment;
pub mod error;
pub mod facts;
pub mod identity;
pub mod json;
pub mod memory;
pub mod phone;
pub mod port;
pub mod reading;
pub mod recall;
pub mod receipt;
pub mod rewrite;
pub mod summary;
mod text;
pub mod themes;
pub mod time_zone;
pub mod usecase;

pub use async_trait::async_trait;
pub use language::text::invisible;
pub use usecase::CallerService;
