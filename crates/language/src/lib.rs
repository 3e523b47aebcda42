//! What people say on the telephone, as text: from the words of a transcript to a summary, and to what callers state of
//! themselves with the words that prove it.
//!
//! Text and speakers come in, texts and spans of them go out. The crate knows neither the domain's types nor I/O, and
//! the same transcript always gives the same result. [`Transcript::read`] finds the words of a call once;
//! [`summary::of_call`] and [`findings::of_call`] both work on them. [`themes::of_call`] finds what
//! a caller speaks of. [`checks`] holds the text that somebody else wrote
//! about a call, a language model for one, against what was said. [`text`] makes texts safe to show.

pub mod checks;
pub mod findings;
mod rules;
pub mod summary;
pub mod text;
pub mod themes;
mod transcript;

pub use rules::RULES;
pub use transcript::{Evidence, Speaker, Transcript};
