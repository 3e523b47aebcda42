//! How careful a tenant is.

use std::str::FromStr;

/// What a tenant wants where a number may have another person behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IdentityMode {
    /// `off`: nothing is judged; the recommendation is always to use the memory.
    Off,
    /// `confirm`: the recommendation is given, and nothing is withheld.
    #[default]
    Confirm,
    /// `strict`: what may be another person's is withheld.
    Strict,
}

impl IdentityMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Off, Self::Confirm, Self::Strict];

    /// The mode's name on the command line and in storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Confirm => "confirm",
            Self::Strict => "strict",
        }
    }
}

/// The text is not the name of a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected off, confirm or strict")]
pub struct UnknownIdentityMode;

impl FromStr for IdentityMode {
    type Err = UnknownIdentityMode;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let mode = Self::ALL.into_iter().find(|mode| mode.as_str() == name);
        mode.ok_or(UnknownIdentityMode)
    }
}
