//! Outgoing HTTP, for everything that the program asks of others: vendors, a language model, a collector of traces, and
//! a running service asked by the command line.
//!
//! The crate exists so that TLS, redirects, proxies, deadlines and the size of answers are decided once. What is asked,
//! and what an answer means, is known where it is asked.

mod address;
mod client;
mod secret;

pub use address::{BaseUrl, MalformedUrl, web_url};
pub use client::{Answer, Client, ClientLimits, NoAnswer, SetupError, TooLong};
pub use reqwest::{Method, Request, Url, header};
pub use secret::{UnusableSecret, basic_header, secret_header};
