//! Caller-name (CNAM) records made readable.
//!
//! A record is about fifteen capitals that the carrier wrote once: often surname first, often cut off, sometimes no
//! name at all but a class of calls. What is no name is dropped, and the order of words is kept unless a comma tells
//! it.

/// Whose name a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallerName {
    /// A person's.
    Person(String),
    /// A business's.
    Business(String),
}

/// The name of a person, from a record that is known to be a person's. `None` when the record holds no name.
#[must_use]
pub fn person(text: &str) -> Option<String> {
    let text = meaningful(text)?;
    let ordered = match text.split_once(',') {
        Some((surname, given)) if !surname.trim().is_empty() && !given.trim().is_empty() => {
            format!("{} {}", given.trim(), surname.trim())
        }
        _ => text.trim_end_matches(',').to_owned(),
    };
    Some(readable(&ordered))
}

/// The name of a business, from a record that is known to be a business's. `None` when the record holds no name.
#[must_use]
pub fn business(text: &str) -> Option<String> {
    meaningful(text).map(|text| readable(&text))
}

/// The name in a record that does not say whose it is. `None` unless the words leave no doubt: wrong is worse than
/// none.
#[must_use]
pub fn undeclared(text: &str) -> Option<CallerName> {
    let meaningful = meaningful(text)?;
    let upper = meaningful.to_uppercase();
    let words: Vec<&str> = upper
        .split([' ', ','])
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    if words.iter().any(|word| BUSINESS_WORDS.contains(word)) {
        return business(text).map(CallerName::Business);
    }
    let is_name_word = |word: &&str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-'));
    let is_long = |word: &&&str| word.chars().count() > 1;
    let is_place = words.last().is_some_and(|last| STATES.contains(last));
    let looks_personal = (2..=3).contains(&words.len())
        && words.iter().all(is_name_word)
        && words.iter().filter(is_long).count() >= 2
        && !is_place;
    looks_personal.then(|| person(text).map(CallerName::Person)).flatten()
}

/// The record with single spaces, when it can be a name at all.
fn meaningful(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let upper = text.to_uppercase();
    let letters = upper.chars().filter(|c| c.is_alphabetic()).count();
    let digits = upper.chars().filter(char::is_ascii_digit).count();
    let is_name = letters >= 2 && digits < letters.max(4) && !NO_NAMES.contains(&upper.trim_matches('.'));
    is_name.then_some(text)
}

/// Title case for a text without any; a text that has both cases is its writer's choice.
fn readable(text: &str) -> String {
    let has_upper = text.chars().any(char::is_uppercase);
    let has_lower = text.chars().any(char::is_lowercase);
    if has_upper && has_lower {
        return text.to_owned();
    }
    text.split(' ').map(title_case).collect::<Vec<_>>().join(" ")
}

fn title_case(word: &str) -> String {
    let upper = word.to_uppercase();
    if KEPT_CAPITAL.contains(&upper.trim_matches(|c: char| !c.is_alphanumeric())) {
        return upper;
    }
    let mut shown = String::with_capacity(word.len());
    let mut starts = true;
    for c in word.to_lowercase().chars() {
        if starts && c.is_alphabetic() {
            shown.extend(c.to_uppercase());
            starts = false;
        } else {
            shown.push(c);
        }
        // O'Brien and D'Angelo, but not Joe's.
        let after_initial = c == '\'' && shown.chars().filter(|c| c.is_alphabetic()).count() == 1;
        starts |= after_initial || matches!(c, '-' | '/' | '&' | '.');
    }
    match shown.strip_prefix("Mc") {
        Some(rest) if rest.chars().count() >= 3 => format!("Mc{}", title_case(rest)),
        _ => shown,
    }
}

/// Records that name a class of calls instead of a caller.
const NO_NAMES: &[&str] = &[
    "ANONYMOUS",
    "ANONYMOUS CALLER",
    "BLOCKED",
    "CALLER ID",
    "CALLER UNKNOWN",
    "CELL PHONE",
    "CELL PHONE CALL",
    "CELLULAR CALL",
    "CELLULAR CALLER",
    "INTERNATIONAL",
    "INTERNATIONAL CALL",
    "MOBILE CALL",
    "MOBILE CALLER",
    "N/A",
    "NAME NOT AVAILABLE",
    "NAME NOT FOUND",
    "NAME UNAVAILABLE",
    "NO CALLER ID",
    "NO DATA",
    "NO NAME",
    "NONE",
    "NOT AVAILABLE",
    "NOT PROVIDED",
    "NULL",
    "OUT OF AREA",
    "PAY PHONE",
    "PAYPHONE",
    "POTENTIAL SPAM",
    "PRIVATE",
    "PRIVATE CALLER",
    "PRIVATE NAME",
    "PRIVATE NUMBER",
    "RESTRICTED",
    "SCAM LIKELY",
    "SPAM LIKELY",
    "SPAM RISK",
    "SUSPECTED SPAM",
    "TELEMARKETER",
    "TOLL FREE",
    "TOLL FREE CALL",
    "TOLL FREE CALLER",
    "TOLL FREE NUMBER",
    "UNAVAILABLE",
    "UNDETERMINED",
    "UNKNOWN",
    "UNKNOWN CALLER",
    "UNKNOWN NAME",
    "UNKNOWN NUMBER",
    "VOIP CALLER",
    "WIRELESS CALL",
    "WIRELESS CALLER",
    "WITHHELD",
];

/// Words that stay in capitals.
const KEPT_CAPITAL: &[&str] = &[
    "II", "III", "IV", "LLC", "LLP", "LP", "PLLC", "PC", "PLC", "USA", "US", "UK", "DBA", "HVAC", "TV", "IT",
];

/// Words that only a business has in its record. No word of the list is at home as a surname.
const BUSINESS_WORDS: &[&str] = &[
    "&",
    "ACADEMY",
    "ADMIN",
    "AGENCY",
    "ASSN",
    "ASSOC",
    "ASSOCIATES",
    "ASSOCIATION",
    "AUTO",
    "BANK",
    "BISTRO",
    "CAFE",
    "CENTER",
    "CENTRE",
    "CLEANING",
    "CLINIC",
    "COLLEGE",
    "COMPANY",
    "CONSTRUCTION",
    "CONSULTING",
    "CONTRACTING",
    "CORP",
    "CORPORATION",
    "COUNTY",
    "CREDIT",
    "DBA",
    "DELIVERY",
    "DENTAL",
    "DENTISTRY",
    "DEPARTMENT",
    "DEPT",
    "DISTRICT",
    "ELECTRIC",
    "ELECTRICAL",
    "ENTERPRISE",
    "ENTERPRISES",
    "FINANCIAL",
    "FOUNDATION",
    "GARAGE",
    "GMBH",
    "GROUP",
    "HEALTH",
    "HEALTHCARE",
    "HEATING",
    "HOLDINGS",
    "HOSPITAL",
    "HOTEL",
    "HVAC",
    "INC",
    "INCORPORATED",
    "INDUSTRIES",
    "INN",
    "INSTITUTE",
    "INSURANCE",
    "LANDSCAPING",
    "LEGAL",
    "LIMITED",
    "LLC",
    "LLP",
    "LOGISTICS",
    "LTD",
    "MANAGEMENT",
    "MARKETING",
    "MEDICAL",
    "MORTGAGE",
    "MOTEL",
    "MOTORS",
    "OFFICE",
    "PARTNERS",
    "PHARMACY",
    "PIZZA",
    "PLC",
    "PLLC",
    "PLUMBING",
    "PROPERTIES",
    "REALTY",
    "REPAIR",
    "RESTAURANT",
    "ROOFING",
    "SALON",
    "SCHOOL",
    "SERVICE",
    "SERVICES",
    "SHOP",
    "SOLUTIONS",
    "STATE",
    "STORE",
    "STUDIO",
    "SUPPLY",
    "SUPPORT",
    "SYSTEMS",
    "TAXI",
    "TECH",
    "TECHNOLOGIES",
    "TELECOM",
    "TOWING",
    "TRANSPORT",
    "TRAVEL",
    "TRUCKING",
    "TRUST",
    "UNIVERSITY",
    "USA",
    "VETERINARY",
    "WIRELESS",
];

/// Two letters at the end of a record may be a state after a city, as in `WASHINGTON DC`.
const STATES: &[&str] = &[
    "AB", "AK", "AL", "AR", "AZ", "BC", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "HI", "IA", "ID", "IL", "IN", "KS",
    "KY", "LA", "MA", "MB", "MD", "ME", "MI", "MN", "MO", "MS", "MT", "NB", "NC", "ND", "NE", "NH", "NJ", "NL", "NM",
    "NS", "NT", "NU", "NV", "NY", "OH", "OK", "ON", "OR", "PA", "PE", "PR", "QC", "RI", "SC", "SD", "SK", "TN", "TX",
    "UT", "VA", "VT", "WA", "WI", "WV", "WY", "YT",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persons_record_becomes_readable_and_keeps_its_order() {
        let table = [
            ("OKAFOR MAREN", "Okafor Maren"),
            ("OKAFOR  MAREN  J", "Okafor Maren J"),
            ("OKAFOR, MAREN J", "Maren J Okafor"),
            ("OKAFOR,MAREN", "Maren Okafor"),
            ("okafor maren", "Okafor Maren"),
            ("Maren Okafor", "Maren Okafor"),
            ("MCDONALD ANN", "McDonald Ann"),
            ("O'BRIEN-SMITH KAY", "O'Brien-Smith Kay"),
            ("VANCE TEODORO III", "Vance Teodoro III"),
            ("OKAFOR,", "Okafor"),
            ("ÖZIL ŞULE", "Özil Şule"),
        ];
        for (text, expected) in table {
            assert_eq!(person(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_class_of_calls_is_no_name() {
        for text in [
            "",
            "  ",
            "-",
            "UNKNOWN",
            "Unavailable",
            "WIRELESS CALLER",
            "wireless  caller",
            "TOLL FREE CALL",
            "OUT OF AREA",
            "12025550142",
            "V120255501420001",
            "+1 202 555 0142",
            "N/A",
            "X",
        ] {
            assert_eq!(person(text), None, "{text:?}");
            assert_eq!(business(text), None, "{text:?}");
            assert_eq!(undeclared(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_businesss_record_becomes_readable() {
        let table = [
            ("HARROW PIKE PLB", "Harrow Pike Plb"),
            ("HARROW & PIKE LLC", "Harrow & Pike LLC"),
            ("JOE'S DINER", "Joe's Diner"),
            ("24 HOUR TOWING", "24 Hour Towing"),
        ];
        for (text, expected) in table {
            assert_eq!(business(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn an_undeclared_record_is_taken_only_without_doubt() {
        let is_person = |text: &str| matches!(undeclared(text), Some(CallerName::Person(_)));
        let is_business = |text: &str| matches!(undeclared(text), Some(CallerName::Business(_)));
        for text in ["OKAFOR MAREN", "OKAFOR, MAREN", "VANCE TEODORO J", "O'BRIEN KAY"] {
            assert!(is_person(text), "{text}");
        }
        for text in ["HARROW PLUMBING", "PIKE & SONS", "ACME INC", "Lakeshore Dental"] {
            assert!(is_business(text), "{text}");
        }
        for text in [
            "WASHINGTON DC",
            "NEW YORK NY",
            "DENVER CO",
            "OKAFOR",
            "A B",
            "THE FOUR SEASONS CLUB",
            "ROUTE 66",
        ] {
            assert_eq!(undeclared(text), None, "{text}");
        }
    }
}
