//! The three things the service does. Each exists once; REST and every other transport call these.

mod end_call;
mod get_caller;
mod recall_and_enrich;
mod service;

pub use end_call::EndCallPermit;
pub use get_caller::GetCallerPermit;
pub use recall_and_enrich::{RecallInput, RecallPermit};
pub use service::{CallerPorts, CallerRules, CallerService};
