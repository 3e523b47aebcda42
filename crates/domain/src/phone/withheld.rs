//! What platforms send in place of a withheld caller ID.
//!
//! Every anonymous caller arrives with the same value, so one that passed for a number would give all of them one
//! shared memory. Some do pass: `+7378742833` looks Russian and `+86282452253` Chinese.

/// Words, in small letters and without spaces.
const WORDS: [&str; 11] = [
    // The first seven are in use at Twilio since its change of November 2022, at Bandwidth (`Restricted`, `Anonymous`,
    // `Private`, `Unavailable`), in SIP (RFC 3323: `sip:anonymous@anonymous.invalid`), at sipgate, at LiveKit, which
    // passes the user part of a SIP address on, and in the filters of public voice agents.
    "anonymous",
    "restricted",
    "blocked",
    "unknown",
    "unavailable",
    "private",
    "withheld",
    // A caller ID that got lost in a program on the way.
    "null",
    "none",
    "undefined",
    // What handsets display.
    "nocallerid",
];

/// The words above as spelt on a telephone's keypad. Twilio delivered the first five with a plus sign in front; the
/// last two follow by the same rule.
const KEYPAD: [&str; 7] = [
    "266696687",   // ANONYMOUS
    "7378742833",  // RESTRICTED
    "2562533",     // BLOCKED
    "8656696",     // UNKNOWN
    "86282452253", // UNAVAILABLE
    "7748283",     // PRIVATE
    "94844353",    // WITHHELD
];

/// The host of an anonymous SIP address, whatever its user part is (RFC 3323, section 4.1.1.3).
const HOST: &str = "anonymous.invalid";

/// Whether a text without its wrapping is a word for a withheld number. Nothing at all counts as one: an empty SIP user
/// part, or the empty string that sipgate is known to send.
pub(super) fn is_word(text: &str) -> bool {
    let text = text.trim_start_matches('+');
    let letters = text
        .chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_'))
        .map(|c| c.to_ascii_lowercase());
    text.is_empty() || WORDS.iter().any(|word| word.chars().eq(letters.clone()))
}

/// Whether digits, without a plus sign, are a keypad spelling or all zeros (Kazoo sends `0000000000`).
pub(super) fn is_number(digits: &str) -> bool {
    KEYPAD.contains(&digits) || (!digits.is_empty() && digits.bytes().all(|digit| digit == b'0'))
}

/// Whether a SIP address's host says that its user is anonymous.
pub(super) fn is_host(host: &str) -> bool {
    host.trim_end_matches('.').eq_ignore_ascii_case(HOST)
}

#[cfg(test)]
mod tests {
    use super::{KEYPAD, WORDS};

    #[test]
    fn keypad_spellings_spell_the_words() {
        let key = |letter: char| match letter {
            'a'..='c' => '2',
            'd'..='f' => '3',
            'g'..='i' => '4',
            'j'..='l' => '5',
            'm'..='o' => '6',
            'p'..='s' => '7',
            't'..='v' => '8',
            _ => '9',
        };
        let mut spelt: Vec<String> = WORDS[..7].iter().map(|word| word.chars().map(key).collect()).collect();
        let mut listed = KEYPAD.to_vec();
        spelt.sort_unstable();
        listed.sort_unstable();
        assert_eq!(spelt, listed);
    }
}
