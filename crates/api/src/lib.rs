//! The program `caller-memory`: command line, HTTP, metrics, and the wiring of adapters to ports.
//!
//! It is a library so that other programs can run it over storages of their own, with [`main`], and so that tests can put the
//! public application over fakes: [`rest::app`] over a [`rest::Api`].

mod cli;
mod clock;
mod compose;
pub mod config;
mod error;
mod mcp;
mod middleware;
pub mod openapi;
pub mod receipts;
pub mod rest;
pub mod serve;
mod storages;
mod telemetry;
mod vendors;

pub use cli::main;
pub use compose::ComposeError;
pub use error::{ErrorBody, ErrorEnvelope};
pub use storages::{DatabaseUrl, MissingPart, Storages};
pub use telemetry::Metrics;
pub use vendors::VendorError;
