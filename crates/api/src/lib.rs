//! The program `caller-memory`: command line, HTTP, metrics, and the wiring of adapters to ports.
//!
//! It is a library so that tests can put the public application over fakes: [`rest::app`] over a [`rest::Api`].

pub mod cli;
mod compose;
pub mod config;
mod error;
mod mcp;
mod middleware;
pub mod openapi;
pub mod receipts;
pub mod rest;
pub mod serve;
mod telemetry;

pub use error::{ErrorBody, ErrorEnvelope};
pub use telemetry::Metrics;
