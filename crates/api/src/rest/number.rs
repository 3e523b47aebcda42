//! The number that a request names.

use domain::phone::{PhoneError, PhoneNumber, Region};

use crate::error::InputError;

/// The number that is written in any format, a national one in that of `region`.
pub(super) fn normalised(number: &str, region: Region) -> Result<PhoneNumber, InputError> {
    PhoneNumber::normalise(number, region).map_err(fault)
}

/// The number that is written in E.164.
pub(super) fn in_e164(number: &str) -> Result<PhoneNumber, InputError> {
    PhoneNumber::from_e164(number).map_err(fault)
}

/// What the client is told of a number that cannot be read.
pub(crate) fn fault(error: PhoneError) -> InputError {
    InputError::BadRequest(format!("phone_number: {error}"))
}
