//! The short names of the vendors whose standing in [`merge()`](super::merge()) is settled. Others may exist; they come
//! after these.

/// Twilio Lookup v2.
pub const TWILIO: &str = "twilio";
/// Trestle Reverse Phone.
pub const TRESTLE: &str = "trestle";
/// Telnyx Number Lookup.
pub const TELNYX: &str = "telnyx";
/// People Data Labs person enrichment.
pub const PDL: &str = "pdl";
/// The operator's own customer records.
pub const WEBHOOK: &str = "webhook";
/// The numbering plan, known without asking anybody.
pub const OFFLINE: &str = "offline";
