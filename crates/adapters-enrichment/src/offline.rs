//! What the numbering plan says about a line, from libphonenumber's metadata: nobody is asked and nothing is paid.
//!
//! It says only what is certain. In the NANP, for example, mobile and fixed lines share their ranges, so nothing is
//! said there except of ranges with a meaning of their own, such as toll-free ones.

use domain::{enrichment::Line, phone::PhoneNumber};
use moka::sync::Cache;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberType};

/// How many numbers' line types are kept. The metadata are regular expressions, one for each kind of line in a country.
const KEPT: u64 = 10_000;

/// The numbering plan.
#[derive(Debug)]
pub(crate) struct Offline {
    known: Cache<PhoneNumber, Option<&'static str>>,
}

impl Offline {
    /// The plan of the metadata that is built in.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self {
            known: Cache::new(KEPT),
        }
    }

    /// What the number alone says about the line.
    #[must_use]
    pub(crate) fn line(&self, number: &PhoneNumber) -> Option<Line> {
        let line_type = self.known.get(number).unwrap_or_else(|| {
            let line_type = line_type(number);
            self.known.insert(number.clone(), line_type);
            line_type
        });
        line_type.map(|line_type| Line {
            carrier: None,
            line_type: Some(line_type.to_owned()),
        })
    }
}

fn line_type(number: &PhoneNumber) -> Option<&'static str> {
    let number = PHONE_NUMBER_UTIL.parse(number.as_e164(), None).ok()?;
    match PHONE_NUMBER_UTIL.get_number_type(&number) {
        PhoneNumberType::FixedLine => Some("landline"),
        PhoneNumberType::Mobile => Some("mobile"),
        PhoneNumberType::TollFree => Some("toll_free"),
        PhoneNumberType::PremiumRate => Some("premium"),
        PhoneNumberType::SharedCost => Some("shared_cost"),
        PhoneNumberType::PersonalNumber => Some("personal"),
        PhoneNumberType::VoIP => Some("voip"),
        PhoneNumberType::Pager => Some("pager"),
        PhoneNumberType::UAN => Some("uan"),
        PhoneNumberType::VoiceMail => Some("voicemail"),
        PhoneNumberType::FixedLineOrMobile | PhoneNumberType::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_number_tells_for_certain_is_said() {
        let offline = Offline::new();
        for (number, expected) in [
            ("+18005550100", Some("toll_free")),
            ("+19005550100", Some("premium")),
            ("+61491570006", Some("mobile")),
            ("+442079460123", Some("landline")),
            ("+12025550142", None),
        ] {
            let number = PhoneNumber::from_e164(number).expect("a number");
            for _ in 0..2 {
                let line = offline.line(&number);
                assert_eq!(
                    line.and_then(|line| line.line_type).as_deref(),
                    expected,
                    "{}",
                    number.as_e164()
                );
            }
        }
    }
}
