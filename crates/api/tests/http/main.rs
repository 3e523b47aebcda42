//! The public application over fakes: every status, header and body that the interface promises, in process or over a
//! socket.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod deadlines;
mod docs;
mod envelope;
mod examples;
mod harness;
mod identity;
mod mcp;
mod openapi;
mod order;
mod parity;
mod recall;
mod receipts;
mod sockets;
mod tenants;
mod validation;
