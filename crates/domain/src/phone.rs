//! Phone numbers: one normaliser for every way in.

use std::{fmt, str::FromStr};

/// A number in E.164: `+`, then up to 15 digits. The only key under which anything is remembered.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhoneNumber(String);

/// Why a text is not a number under which a caller can be remembered. The texts are meant for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    /// The caller withheld the number.
    #[error(
        "the caller ID is withheld, so there is no number to remember the caller by; do not recall or store this call"
    )]
    Withheld,
    /// The text is no possible number.
    #[error(
        "this is not a phone number; send it in E.164, for example +12025550142, or in the national format of the tenant's region"
    )]
    Unparseable,
    /// The text is not in E.164, where nothing else is accepted.
    #[error("the number must be in E.164 with the plus sign encoded, for example %2B12025550142")]
    NotE164,
}

/// A region whose national numbers can be read: ISO 3166-1 alpha-2, known to libphonenumber.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region([u8; 2]);

/// The text is not a region that libphonenumber knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown region `{0}`; give two letters of ISO 3166-1, for example US")]
pub struct UnknownRegion(pub String);

impl Region {
    /// The region's two capital letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Region {
    type Err = UnknownRegion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        todo!("{text}")
    }
}

impl PhoneNumber {
    /// Reads a number in any format, a national one in `region`.
    ///
    /// # Errors
    /// [`PhoneError::Withheld`] for a withheld caller ID, [`PhoneError::Unparseable`] for everything else.
    pub fn normalise(text: &str, region: Region) -> Result<Self, PhoneError> {
        todo!("{text} {region:?}")
    }

    /// Reads a number that is in E.164 already, as `GET /v1/caller/{phone_number}` and storage have it.
    ///
    /// # Errors
    /// [`PhoneError::NotE164`] for everything else, [`PhoneError::Withheld`] for a withheld caller ID's keypad spelling.
    pub fn from_e164(text: &str) -> Result<Self, PhoneError> {
        todo!("{text}")
    }

    /// The number in E.164. For storage and vendors; never for a log.
    #[must_use]
    pub fn as_e164(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PhoneNumber {
    /// Shows no digits: a number never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PhoneNumber(redacted)")
    }
}
