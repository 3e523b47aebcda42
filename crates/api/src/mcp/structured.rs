//! The answer of a tool as a value, beside its text.

use std::borrow::Cow;

use serde_json::Value;

/// The JSON text as a value. Numbers beyond `f64`, which a caller's attributes may hold, become strings there: a value
/// has no other place for them, and an agent on a call needs the rest of the answer.
pub(crate) fn value(json: &str) -> serde_json::Result<Value> {
    serde_json::from_str(json).or_else(|_| serde_json::from_str(&with_huge_numbers_quoted(json)))
}

fn with_huge_numbers_quoted(json: &str) -> String {
    let mut quoted = String::with_capacity(json.len() + 16);
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '-' | '0'..='9' => rest
                .find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'))
                .unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let is_huge = first != '"' && token.parse().is_ok_and(f64::is_infinite);
        quoted += &if is_huge {
            Cow::Owned(format!("\"{token}\""))
        } else {
            Cow::Borrowed(token)
        };
        rest = after;
    }
    quoted
}

/// How long the string is with which the text begins, its quotation marks included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
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
    fn what_is_no_json_is_no_value() {
        for broken in ["", "{", r#"{"a": 1e400"#, r#"{"a": "1e400"#, "1e400 x", "infinity"] {
            assert!(value(broken).is_err(), "{broken}");
        }
    }
}
