//! Asking third parties about a number: one module for each vendor, and the fan-out that asks them all within a
//! deadline.
//!
//! The crate exists so that nothing outside knows how a vendor's request and answer look, how long it may take, or when
//! it is better left alone. What is worth asking and whom to believe are rules of `domain::enrichment`.
//!
//! Every vendor's decoder is a pure function of status and body, lenient in shape (every field optional, numbers as
//! strings, lists as single values) and strict in meaning (what cannot be understood is no answer, never "nothing
//! known").

mod breaker;
mod fan_out;
mod http;
mod json;
mod offline;
pub mod pdl;
pub mod telnyx;
pub mod trestle;
pub mod twilio;
pub mod webhook;

pub use fan_out::{FanOut, FanOutLimits, FanOutParts, Vendor};
pub use http::{client, reach};
