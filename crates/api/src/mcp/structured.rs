//! The answer of a tool as a value, beside its text.

use std::borrow::Cow;

use serde_json::Value;

/// The JSON text as a value. Numbers that a value cannot hold become strings of the same characters: those beyond
/// `f64`, and integers of more than 64 bits, which it would round. A caller's attributes may have both, and an agent on
/// a call needs the rest of the answer.
pub(crate) fn value(json: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&with_unfit_numbers_quoted(json))
}

fn with_unfit_numbers_quoted(json: &str) -> Cow<'_, str> {
    let mut quoted = String::new();
    let mut copied = 0;
    let mut place = 0;
    while let Some(first) = json.as_bytes().get(place) {
        let rest = &json.as_bytes()[place..];
        let length = match first {
            b'"' => string_length(rest),
            b'-' | b'0'..=b'9' => number_length(rest),
            _ => 1,
        };
        let token = json.get(place..place + length).unwrap_or_default();
        if first != &b'"' && is_unfit(token) {
            quoted.extend([&json[copied..place], "\"", token, "\""]);
            copied = place + length;
        }
        place += length;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    quoted += &json[copied..];
    Cow::Owned(quoted)
}

/// Whether the token is a number that a value cannot hold, or holds only rounded though it is an integer.
fn is_unfit(token: &str) -> bool {
    let is_integer = token.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    if is_integer && token.len() > 1 {
        token.parse::<i64>().is_err() && token.parse::<u64>().is_err() && token.parse::<f64>().is_ok()
    } else {
        token.parse().is_ok_and(f64::is_infinite)
    }
}

/// How long the string is with which the text begins, its quotation marks included.
fn string_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = text.iter().skip(1).position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// How long the number is with which the text begins.
fn number_length(text: &[u8]) -> usize {
    let of_number = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
    text.iter().position(|byte| !of_number(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_beyond_f64_become_strings_and_nothing_else_changes() {
        let text = r#"{"a": [1e400, -1E+400, 1.5, 1e-400, "1e400", "\"1e400\\"], "é\\": {"b": -9e999}, "c": 5e308}"#;
        let expected = json!({
            "a": ["1e400", "-1E+400", 1.5, 0.0, "1e400", "\"1e400\\"], "é\\": {"b": "-9e999"}, "c": "5e308"
        });
        assert_eq!(value(text).unwrap(), expected);
        assert_eq!(value("1e400").unwrap(), json!("1e400"));
    }

    #[test]
    fn integers_of_more_than_64_bits_keep_their_digits() {
        let text = r#"[9007199254740993, 18446744073709551615, 18446744073709551616, -9223372036854775808,
            -9223372036854775809, 123456789012345678901234567890, "123456789012345678901234567890",
            1e20, -0.5, 0, -7]"#;
        let expected = json!([
            9_007_199_254_740_993_i64,
            u64::MAX,
            "18446744073709551616",
            i64::MIN,
            "-9223372036854775809",
            "123456789012345678901234567890",
            "123456789012345678901234567890",
            1e20,
            -0.5,
            0,
            -7
        ]);
        assert_eq!(value(text).unwrap(), expected);
    }

    #[test]
    fn what_is_no_json_is_no_value() {
        for broken in ["", "{", r#"{"a": 1e400"#, r#"{"a": "1e400"#, "1e400 x", "infinity"] {
            assert!(value(broken).is_err(), "{broken}");
        }
    }
}
