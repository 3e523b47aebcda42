//! The program `caller-memory`: command line, HTTP, metrics, and the wiring of adapters to ports.
//!
//! It is a library so that other programs can run it over storages of their own, with [`main`], and so that tests can
//! put the public application over fakes: [`app()`] over an [`Api`].

mod app;
#[cfg(feature = "sql")]
pub mod bundled;
mod cli;
mod clock;
mod compose;
pub mod config;
mod error;
mod mcp;
mod middleware;
pub mod openapi;
pub mod receipts;
mod reread;
pub mod rest;
mod route;
pub mod serve;
mod state;
mod storage_parts;
mod storages;
mod telemetry;
mod vendors;

pub use app::app;
pub use cli::{command, main};
pub use error::{ErrorBody, ErrorEnvelope};
pub use state::{Api, RequestLimits};
pub use storage_parts::MissingPart;
pub use storages::{DatabaseUrl, Storages};
pub use telemetry::Metrics;
pub use vendors::VendorError;
