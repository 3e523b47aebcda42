//! What happens to every request around its handler, from the outside in: [`request_id`] names it, [`access_log`]
//! counts and logs it, [`envelope`] gives refusals their body; then, for the routes that need a key, [`authenticate`]
//! and [`rate_limit`]. [`deadline`] says how much time each step has, and [`frame`] holds what is known of the request
//! meanwhile.

pub(crate) mod access_log;
pub(crate) mod authenticate;
pub(crate) mod deadline;
pub(crate) mod envelope;
pub(crate) mod frame;
pub(crate) mod rate_limit;
pub(crate) mod request_id;
