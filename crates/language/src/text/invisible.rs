//! The one table of characters that are never shown.
//!
//! Source: the Unicode Character Database, version 16.0. An invisible character has the property
//! `Default_Ignorable_Code_Point` of `DerivedCoreProperties.txt`, or is one of the interlinear annotation characters
//! U+FFF9 to U+FFFB; every character with the property `Bidi_Control` is among them. A line break has the general
//! category `Zl` or `Zp`. A test holds the table against the database.

/// Whether `c` has no width and only steers how others are shown: soft hyphen, zero-width characters, direction marks,
/// variation selectors, tags.
#[must_use]
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether `c` begins a new line or paragraph without being a control character.
#[must_use]
pub(super) const fn is_line_break(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// The character to show for `c`: a blank for a control character or line break, `None` for an invisible one.
#[must_use]
pub fn visible(c: char) -> Option<char> {
    match c {
        _ if is_invisible(c) => None,
        _ if c.is_control() || is_line_break(c) => Some(' '),
        _ => Some(c),
    }
}

/// Whether `c` would be obeyed instead of shown: a control character, a line break or an invisible one.
#[must_use]
pub fn is_never_shown(c: char) -> bool {
    c.is_control() || is_line_break(c) || is_invisible(c)
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn what_is_never_shown_is_left_out_or_a_blank() {
        let shown: String = "a\u{200d}b\n\u{2028}c\u{202e}\u{1b}é\u{a0}"
            .chars()
            .filter_map(visible)
            .collect();
        assert_eq!(shown, "ab  c é\u{a0}");
    }

    #[test]
    fn the_tables_are_those_of_unicode() {
        for (class, is_member) in [
            (
                r"[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\x{fff9}-\x{fffb}]",
                is_invisible as fn(char) -> bool,
            ),
            (r"[\p{Zl}\p{Zp}]", is_line_break),
            (
                r"[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\x{fff9}-\x{fffb}]",
                is_never_shown,
            ),
        ] {
            let class = Regex::new(class).unwrap();
            for c in '\0'..=char::MAX {
                assert_eq!(is_member(c), class.is_match(c.encode_utf8(&mut [0; 4])), "{c:?}");
            }
        }
    }
}
