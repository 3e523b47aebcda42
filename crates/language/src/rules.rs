//! Which rules these are.

/// The version of the rules: what they make of a call is kept with it, and a call that was read by earlier ones is read
/// again. It is raised, once between two releases, when the rules make something else of any call.
pub const RULES: u32 = 1;
