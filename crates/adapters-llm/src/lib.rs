//! Better summaries after the call, when the operator has a language model: [`OpenAi`] asks it, and [`Rewriter`] works
//! through the calls that have none yet.
//!
//! The crate exists so that nothing outside knows how a model is asked. What it may say is a rule of `domain::rewrite`.
//! No recall ever waits for it: an outage leaves the texts that the rules made.

mod openai;
mod pause;
mod rewriter;

pub use openai::{ModelSetupError, OpenAi};
pub use rewriter::{Rewriter, RewriterLimits, RewriterParts};
