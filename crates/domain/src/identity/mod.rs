//! The number is not the person: numbers are passed on, and lines are shared. Whether the memory of a number may be
//! used for whoever calls from it now is judged by what the service learned itself, and, where the tenant is strict,
//! what may be somebody else's is kept out of the answer.

mod attestation;
mod judgement;
mod line;
mod name;
mod setting;
mod trace;
mod withhold;

pub use attestation::Attestation;
pub use judgement::{Evidence, Judgement, Recommendation, Signal};
pub use name::fits;
pub use setting::{IdentityMode, UnknownIdentityMode};
pub use trace::{SILENCE_MS, STATED_NAMES, StatedName, Trace};
pub use withhold::{Identity, Withheld};
