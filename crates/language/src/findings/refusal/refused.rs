//! The things that a caller may refuse.

use crate::findings::finding::Topic;

/// What a caller may refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::findings) enum Refused {
    Calls,
    Recording,
    Storing,
}

impl Refused {
    pub(in crate::findings) const fn topic(self) -> Topic {
        match self {
            Self::Calls => Topic::DoNotCall,
            Self::Recording | Self::Storing => Topic::Consent,
        }
    }

    pub(in crate::findings) const fn value(self) -> &'static str {
        match self {
            Self::Calls => "no calls",
            Self::Recording => "recording refused",
            Self::Storing => "storing refused",
        }
    }
}
