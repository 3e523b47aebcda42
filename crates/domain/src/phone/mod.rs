//! Phone numbers: one normaliser for every way in.
//!
//! A caller is remembered under a number, so two spellings of one number must meet in one key, and two callers must
//! never share one. Reading goes in three steps, one module each: `text` finds the digits in whatever a platform
//! sends, `withheld` knows what platforms send in place of a number, and `plan` asks libphonenumber's numbering
//! plans. Letters are never read as digits: a caller ID holds none, and a session id read as a vanity number would be a
//! stranger's memory.

mod plan;
mod text;
mod withheld;

use std::{fmt, str::FromStr};

use text::Reading;

/// The longest text that is looked at, in bytes. A raw SIP header with a display name and parameters is shorter.
const MAX_BYTES: usize = 512;

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
        "this is not a phone number; send it in E.164, for example +12025550142, or in the national format of the \
         tenant's region, with its area code"
    )]
    Unparseable,
    /// The text is not in E.164, where nothing else is accepted.
    #[error("the number must be in E.164, for example +12025550142; in a path the plus sign is written %2B")]
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

    /// Reads a region in capital or small letters.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        <[u8; 2]>::try_from(text.as_bytes())
            .ok()
            .map(|letters| Self(letters.map(|letter| letter.to_ascii_uppercase())))
            .filter(|region| plan::knows(region.as_str()))
            .ok_or_else(|| UnknownRegion(text.chars().take(MAX_BYTES).collect()))
    }
}

impl PhoneNumber {
    /// Reads a number in any format, a national one in `region`.
    ///
    /// Accepts every number of a possible length for its country, even one of an unassigned range. A number that can
    /// only be dialled within its area (seven digits in the US) names no caller and is refused. Digits without a plus
    /// sign are read in `region`, and as an international number when the region has no such number: some platforms
    /// leave the plus sign out. The work is bounded whatever the text is.
    ///
    /// # Errors
    /// [`PhoneError::Withheld`] for a withheld caller ID, [`PhoneError::Unparseable`] for everything else.
    pub fn normalise(text: &str, region: Region) -> Result<Self, PhoneError> {
        if text.len() > MAX_BYTES {
            return Err(PhoneError::Unparseable);
        }
        let number = match text::read(text) {
            Reading::International(digits) => plan::international(&digits),
            Reading::National(digits) => plan::national(&digits, region.as_str()),
            Reading::Withheld => return Err(PhoneError::Withheld),
            Reading::Nothing => None,
        };
        let number = number.ok_or(PhoneError::Unparseable)?;
        // A national number can turn into a keypad spelling when its country code is put in front.
        if withheld::is_number(&number[1..]) {
            Err(PhoneError::Withheld)
        } else {
            Ok(Self(number))
        }
    }

    /// Reads a number that is in E.164 already, as `GET /v1/caller/{phone_number}` and storage have it.
    ///
    /// Accepts exactly what [`PhoneNumber::normalise`] can return.
    ///
    /// # Errors
    /// [`PhoneError::NotE164`] for everything else, [`PhoneError::Withheld`] for a withheld caller ID's keypad
    /// spelling.
    pub fn from_e164(text: &str) -> Result<Self, PhoneError> {
        let digits = text.strip_prefix('+').ok_or(PhoneError::NotE164)?;
        if withheld::is_number(digits) {
            return Err(PhoneError::Withheld);
        }
        let well_formed = digits.len() <= plan::MAX_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        match well_formed.then(|| plan::international(digits)).flatten() {
            Some(number) if number == text => Ok(Self(number)),
            _ => Err(PhoneError::NotE164),
        }
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
