//! The numbering plans: what libphonenumber knows about countries, their lengths and their prefixes.
//!
//! Regions come as their ISO 3166-1 codes. Only digits get here, so the library never sees a stranger's text.

use rlibphonenumber::{NumberLengthType, PHONE_NUMBER_UTIL, PhoneNumber, PhoneNumberFormat, Region as PlanRegion};

/// The most digits that E.164 allows, country code included.
pub(super) const MAX_DIGITS: usize = 15;

/// How many national prefixes a number may carry before it is taken for noise.
const MAX_PREFIXES: usize = 3;

/// From this length on, digits that are no assigned number of their region are tried as an international number.
/// National numbers of ten digits are common everywhere, and new ranges of them keep appearing.
const MIN_INTERNATIONAL: usize = 11;

/// The digits of a Mexican number behind its country code.
const MEXICAN_DIGITS: usize = 10;

/// Whether the region has a numbering plan.
pub(super) fn knows(region: &str) -> bool {
    plan_region(region)
        .and_then(|region| PHONE_NUMBER_UTIL.get_country_code_for_region(region))
        .is_some()
}

/// Reads digits that begin with a country code. Gives E.164, and reading that again gives the same.
pub(super) fn international(digits: &str) -> Option<String> {
    // Until 2019 a Mexican mobile number had a 1 behind the country code when it was dialled from abroad. Networks and
    // address books still have it, and libphonenumber's plan has forgotten it.
    match digits.strip_prefix("521").filter(|rest| rest.len() == MEXICAN_DIGITS) {
        Some(rest) => settle(format!("+52{rest}")),
        None => settle(format!("+{digits}")),
    }
}

/// Reads digits as they are dialled in the region, else as digits that begin with a country code.
pub(super) fn national(digits: &str, region: &str) -> Option<String> {
    let here = plan_region(region).and_then(|region| parse(digits, Some(region)));
    // `00` stands before international numbers in most countries; where it does, the region has seen to it already.
    let abroad = || international(digits.strip_prefix("00").unwrap_or(digits));
    match here {
        None => abroad(),
        Some(number) if digits.len() >= MIN_INTERNATIONAL && !PHONE_NUMBER_UTIL.is_valid_number(&number) => abroad()
            .filter(|number| is_assigned(number))
            .or_else(|| settle(e164(&number)?)),
        Some(number) => settle(e164(&number)?),
    }
}

/// Reads a number until reading changes nothing. One reading drops one national prefix, as in `+44 (0) 20 ...`.
fn settle(mut number: String) -> Option<String> {
    for _ in 0..=MAX_PREFIXES {
        let read = e164(&parse(&number, None)?)?;
        if read == number {
            return Some(number);
        }
        number = read;
    }
    None
}

/// A number of a possible length that can be dialled from abroad.
fn parse(digits: &str, region: Option<PlanRegion>) -> Option<PhoneNumber> {
    let number = PHONE_NUMBER_UTIL.parse(digits, region).ok()?;
    let length = PHONE_NUMBER_UTIL.is_possible_number_with_reason(&number);
    (length == Ok(NumberLengthType::IsPossible) && number.national_number != 0).then_some(number)
}

/// The number in E.164. Some countries' plans allow more digits than E.164 does.
fn e164(number: &PhoneNumber) -> Option<String> {
    let text = PHONE_NUMBER_UTIL.format(number, PhoneNumberFormat::E164).into_owned();
    (text.len() <= MAX_DIGITS + 1).then_some(text)
}

/// Whether the number lies in a range that is in use.
fn is_assigned(number: &str) -> bool {
    parse(number, None).is_some_and(|number| PHONE_NUMBER_UTIL.is_valid_number(&number))
}

fn plan_region(region: &str) -> Option<PlanRegion> {
    PlanRegion::from_code(region).ok()
}
