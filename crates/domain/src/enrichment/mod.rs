//! What third parties know about a number, and the rules that turn their answers into what a recall shows.
//!
//! A vendor fills some of three blocks. [`CachedLookups`] tells which vendors are still worth asking, [`merge()`] picks
//! for each block the vendor that is believed first, [`line_type`] and [`cnam`] translate vendors' spellings.

pub mod cnam;
pub mod line_type;
mod lookup;
mod merge;
mod need;
pub mod vendor;

pub use lookup::{Block, Blocks, CachedLookup, Company, Enrichment, Former, Line, LookupOutcome, Person, Ttl};
pub use merge::{BlockAnswer, ShownEnrichment, merge};
pub use need::{CachedLookups, Need};
