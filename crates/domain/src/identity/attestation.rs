//! What the client's carrier says about the number that a call shows.

/// How far a carrier vouches for the caller's number (STIR/SHAKEN).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attestation {
    /// It vouches for the number, or at least for its customer: A or B.
    Vouched,
    /// It only says where the call came in (C), or the platform did not verify the number.
    Weak,
    /// The signature did not hold: the number may not be the caller's.
    Failed,
}

impl Attestation {
    /// Reads what platforms report: a level (`A`, `B`, `C`) or Twilio's `StirVerstat`, for example
    /// `TN-Validation-Passed-A`. `None` for what says nothing: `No-TN-Validation`, or words that are not known.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if text.contains("fail") {
            return Some(Self::Failed);
        }
        let level = text.strip_prefix("tn-validation-passed-").unwrap_or(&text);
        match level.split('-').next()? {
            "a" | "b" | "full" | "partial" | "verified" | "passed" => Some(Self::Vouched),
            "c" | "gateway" | "unverified" => Some(Self::Weak),
            _ => None,
        }
    }

    /// Reads a flag such as Telnyx's `telnyx_end_user_target_verified`.
    #[must_use]
    pub const fn verified(verified: bool) -> Self {
        if verified { Self::Vouched } else { Self::Weak }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_platforms_report_is_read() {
        use Attestation::{Failed, Vouched, Weak};
        for (text, expected) in [
            ("A", Some(Vouched)),
            (" b ", Some(Vouched)),
            ("C", Some(Weak)),
            ("TN-Validation-Passed-A", Some(Vouched)),
            ("TN-Validation-Passed-B", Some(Vouched)),
            ("TN-Validation-Passed-C", Some(Weak)),
            ("TN-Validation-Passed-C-Diverted", Some(Weak)),
            ("TN-Validation-Passed-A-Passthrough", Some(Vouched)),
            ("TN-Validation-Failed-A", Some(Failed)),
            ("TN-Validation-Failed", Some(Failed)),
            ("failed", Some(Failed)),
            ("No-TN-Validation", None),
            ("", None),
            ("yes", None),
            ("cat", None),
        ] {
            assert_eq!(Attestation::read(text), expected, "{text}");
        }
    }
}
