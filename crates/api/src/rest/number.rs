//! The number that a request names.

use domain::{
    error::Error,
    phone::{PhoneNumber, Region},
};

/// The number of a request in E.164.
pub(super) fn normalised(number: &str, region: Region) -> Result<PhoneNumber, Error> {
    PhoneNumber::normalise(number, region).map_err(|error| Error::BadRequest(format!("phone_number: {error}")))
}
