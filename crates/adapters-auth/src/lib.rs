//! Who may come in, and how often: API keys, their verification with its memory, and token buckets.
//!
//! The crate exists so that a request costs no trip to the key store: [`CachedAuthenticator`] serves verified keys from
//! memory and bridges an outage of the store, and [`GovernorRateLimiter`] keeps one token bucket for each key in the
//! process. Nothing outside knows that governor counts the tokens.

mod authenticator;
mod bucket;
mod failures;
mod key;
mod rate;
mod single_flight;

pub use authenticator::{AuthOptions, CachedAuthenticator};
pub use key::{ApiKey, GenerateError, MalformedKey};
pub use rate::GovernorRateLimiter;
