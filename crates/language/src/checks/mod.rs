//! Checks of a text that somebody else wrote about a call: what it tells was said, and it instructs nobody.
//!
//! A language model is as untrusted as the transcript that it read: somebody on the telephone may have told it what to
//! write. The checks reject too much rather than too little.

mod evidence;
mod numbers;
mod prose;

pub use evidence::proven_value;
pub use prose::{Most, Rejection, Source, prose};
