//! Finding the digits of a number in what platforms, handsets and people write.
//!
//! The text is folded to ASCII first (digits, dashes and spaces of any script), then taken out of its wrapping (display
//! name, scheme, host), then read as digits with separators and an extension. Whatever does not fit is refused rather
//! than skipped: a number picked out of a sentence may be somebody else's.

use percent_encoding::percent_decode_str;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::withheld;

/// More digits than any number has, with an international prefix and national prefixes.
const MAX_DIGITS: usize = 24;

/// What stands before an extension, in small letters, longer ones before their beginnings. `p`, `w` and `,` are pauses
/// in a stored number.
const EXTENSION_MARKS: [&str; 12] = [
    "extensión",
    "extension",
    "extn",
    "ext",
    "anexo",
    "доб",
    "xtn",
    "x",
    "#",
    ",",
    "p",
    "w",
];

/// What a text says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Digits that begin with a country code.
    International(String),
    /// Digits as dialled in some region.
    National(String),
    /// The caller withheld the number.
    Withheld,
    /// No number.
    Nothing,
}

/// Reads a text of a few hundred bytes.
pub(super) fn read(text: &str) -> Reading {
    let folded = fold(text);
    let (name, address) = match folded.rsplit_once('<') {
        Some((name, address)) => match address.split_once('>') {
            Some((address, _)) => (unquote(name), address),
            None => return Reading::Nothing,
        },
        None => ("", folded.as_str()),
    };
    match read_address(unquote(address)) {
        // RFC 3261, section 20.20: the display name `Anonymous` goes with a meaningless address.
        Reading::Nothing if !name.is_empty() && withheld::is_word(name) => Reading::Withheld,
        reading => reading,
    }
}

fn unquote(text: &str) -> &str {
    text.trim_matches(|c| matches!(c, ' ' | '"' | '\''))
}

/// Brings a text's characters to ASCII where they mean the same, and leaves invisible ones out.
fn fold(text: &str) -> String {
    let text = percent_decode_str(text).decode_utf8_lossy();
    text.chars().filter_map(fold_char).collect()
}

fn fold_char(c: char) -> Option<char> {
    match c {
        c if c.is_whitespace() => Some(' '),
        c if c.is_ascii() => Some(c),
        // The full-width forms of ASCII, in its order.
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0),
        '\u{FE62}' | '\u{FB29}' | '\u{2795}' => Some('+'),
        // The minus sign, and the prolonged sound mark, which stands for a dash in Japanese numbers.
        '\u{2212}' | '\u{30FC}' | '\u{FF70}' => Some('-'),
        '\u{2044}' | '\u{2215}' => Some('/'),
        '\u{B7}' | '\u{2022}' | '\u{2027}' | '\u{2219}' | '\u{30FB}' => Some('.'),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{201C}' | '\u{201D}' => Some('"'),
        _ => match c.general_category() {
            GeneralCategory::DecimalNumber => Some(digit(c)),
            GeneralCategory::DashPunctuation => Some('-'),
            GeneralCategory::OpenPunctuation => Some('('),
            GeneralCategory::ClosePunctuation => Some(')'),
            // Bidi and zero-width marks, joiners, variation selectors, the keycap of an emoji digit.
            GeneralCategory::Format | GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark => None,
            _ => Some(c),
        },
    }
}

/// The value of a decimal digit. Unicode places the digits of each script next to each other from zero to nine, so a
/// digit's value is its place in the run of digits that it stands in, which may be several such sets long.
fn digit(c: char) -> char {
    let is_digit =
        |code: u32| char::from_u32(code).is_some_and(|c| c.general_category() == GeneralCategory::DecimalNumber);
    let before = (0..u32::from(c)).rev().take_while(|code| is_digit(*code)).count();
    char::from_digit(u32::try_from(before % 10).unwrap_or_default(), 10).unwrap_or(c)
}

/// Reads what remains without a display name: a number, a `tel:`, `sip:`, `sips:` or `whatsapp:` address, or
/// `user@host`.
fn read_address(address: &str) -> Reading {
    let (scheme, rest) = split_scheme(address);
    let sip = matches!(scheme.as_str(), "sip" | "sips") || (scheme.is_empty() && rest.contains('@'));
    let user = match scheme.as_str() {
        _ if sip => sip_user(rest),
        "" | "tel" | "whatsapp" => Some(rest),
        // A Twilio client's name is no number, but it may say that there is none.
        "client" if withheld::is_word(rest) => None,
        _ => return Reading::Nothing,
    };
    match user {
        Some(user) => read_user(user),
        None => Reading::Withheld,
    }
}

/// Takes a scheme off, in small letters; empty when there is none. Some media servers put `sip_` in front of
/// a caller's number.
fn split_scheme(address: &str) -> (String, &str) {
    if let Some((scheme, rest)) = address.split_once([':', '_'])
        && !scheme.is_empty()
        && scheme.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (address[scheme.len()..].starts_with(':') || scheme.eq_ignore_ascii_case("sip"))
    {
        return (scheme.to_ascii_lowercase(), rest.trim_start_matches('/').trim());
    }
    (String::new(), address)
}

/// The user part of a SIP address with its parameters; none when it is anonymous.
fn sip_user(address: &str) -> Option<&str> {
    let (user, host) = match address.split_once('@') {
        Some((user, host)) => (user, host),
        // Without `@` an address is a host alone, unless it can only be meant as a number.
        None if address.starts_with(|c: char| c == '+' || c.is_ascii_digit()) && !address.contains('.') => {
            (address, "")
        }
        None => ("", address),
    };
    let user = user.split(':').next().unwrap_or_default();
    let host = host.split([':', ';', '?', '>', ' ']).next().unwrap_or_default();
    let subscriber = user.split(';').next().unwrap_or_default().trim();
    (!subscriber.is_empty() && !withheld::is_host(host)).then_some(user)
}

/// Reads a number with its parameters, or a word in place of one.
fn read_user(user: &str) -> Reading {
    let (subscriber, parameters) = user.split_once([';', '?']).unwrap_or((user, ""));
    let subscriber = unquote(subscriber);
    if withheld::is_word(subscriber) {
        return Reading::Withheld;
    }
    let Some((plus, digits)) = read_digits(subscriber.trim_end_matches(['#', ' '])) else {
        return Reading::Nothing;
    };
    if withheld::is_number(&digits) {
        return Reading::Withheld;
    }
    if parameters.split(';').any(|parameter| parameter.trim().contains(' ')) {
        return Reading::Nothing;
    }
    if plus {
        return Reading::International(digits);
    }
    match phone_context(parameters) {
        Some(context) => Reading::International(context + &digits),
        None => Reading::National(digits),
    }
}

/// Reads separated digits with an extension: whether a plus sign leads, and the digits without the extension.
fn read_digits(text: &str) -> Option<(bool, String)> {
    let mut plus = false;
    let mut digits = String::with_capacity(MAX_DIGITS);
    for (at, c) in text.char_indices() {
        match c {
            '0'..='9' => digits.push(c),
            '+' if digits.is_empty() => plus = true,
            ' ' | '-' | '.' | '/' | '(' | ')' | '[' | ']' | '\'' => {}
            _ if is_extension(&text[at..]) => break,
            _ => return None,
        }
        if digits.len() > MAX_DIGITS {
            return None;
        }
    }
    (!digits.is_empty()).then_some((plus, digits))
}

fn is_extension(text: &str) -> bool {
    let text = text.to_lowercase();
    EXTENSION_MARKS
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .is_some_and(|extension| {
            let extension = extension.trim_start_matches([' ', '.', ':', ',', '-', '=']);
            !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// The digits that a `tel:` address's context puts in front of a local number (RFC 3966, section 5.1.5). A context that
/// is a domain says nothing about the number.
fn phone_context(parameters: &str) -> Option<String> {
    let context = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("phone-context").then(|| value.trim())
    })?;
    match read_digits(context)? {
        (true, digits) => Some(digits),
        (false, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

    use super::{Reading, fold, fold_char, read};

    fn every_char() -> impl Iterator<Item = char> {
        '\0'..=char::MAX
    }

    #[test]
    fn digits_of_every_script_have_their_value() {
        let mut expected = 0;
        let mut before = None;
        let mut count = 0;
        for c in every_char().filter(|c| c.general_category() == GeneralCategory::DecimalNumber) {
            let follows = before.is_some_and(|before| u32::from(before) + 1 == u32::from(c));
            assert!(follows || expected == 0, "a set of digits is cut off before {c:?}");
            assert_eq!(fold_char(c), char::from_digit(expected, 10), "{c:?}");
            expected = (expected + 1) % 10;
            before = Some(c);
            count += 1;
        }
        assert!(count >= 760 && expected == 0, "{count} digits");
        for (text, digits) in [
            ("٠٩", "09"),
            ("߀߉", "09"),
            ("၀၉᠐᠙", "0909"),
            ("𝟎𝟗𝟘𝟡𝟢𝟫𝟬𝟵𝟶𝟿", "0909090909"),
            ("０９", "09"),
        ] {
            assert_eq!(fold(text), digits);
        }
    }

    #[test]
    fn digits_dashes_and_spaces_that_others_know_are_known() {
        for (class, folded) in [
            (r"\p{Nd}", None),
            (r"\p{Pd}", Some('-')),
            (r"\p{White_Space}", Some(' ')),
        ] {
            let class = Regex::new(class).unwrap();
            let mut count = 0;
            for c in every_char().filter(|c| class.is_match(c.encode_utf8(&mut [0; 4]))) {
                let c = fold_char(c);
                assert!(
                    if folded.is_some() {
                        c == folded
                    } else {
                        c.is_some_and(|c| c.is_ascii_digit())
                    },
                    "{c:?}"
                );
                count += 1;
            }
            assert!(count >= 20, "{class}: {count}");
        }
    }

    #[test]
    fn reading_tells_national_from_international() {
        assert_eq!(read("+44 20"), Reading::International("4420".to_owned()));
        assert_eq!(read("020"), Reading::National("020".to_owned()));
        assert_eq!(
            read("tel:20;phone-context=+44"),
            Reading::International("4420".to_owned())
        );
        assert_eq!(read(&"1".repeat(25)), Reading::Nothing);
    }
}
