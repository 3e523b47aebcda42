//! Reading vendors' JSON: lenient in shape, strict in meaning.

use domain::invisible::is_never_shown;
use serde_json::Value;

/// The longest text that is taken over, in characters.
const TEXT_LIMIT: usize = 200;

/// The body as a JSON object; `None` for everything else, such as a proxy's HTML.
pub(crate) fn object(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok().filter(Value::is_object)
}

/// A text that says something, cleaned up. Numbers, booleans (a field outside the plan), empty strings and placeholders
/// say nothing.
pub(crate) fn text(value: &Value) -> Option<String> {
    clean(value.as_str()?)
}

/// A code, written as a number or as a text of digits.
pub(crate) fn code(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// The items of a list; a single value is a list of one, `null` a list of none.
pub(crate) fn each(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::Array(items) => items,
        single => std::slice::from_ref(single),
    }
}

/// Texts joined by commas; `None` when there is none.
pub(crate) fn joined(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The text with single spaces, without characters that are never shown, cut to a length that a prompt can bear.
fn clean(text: &str) -> Option<String> {
    let visible: String = text
        .chars()
        .filter(|c| c.is_whitespace() || !is_never_shown(*c))
        .collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(TEXT_LIMIT).collect();
    let lower = text.trim_end().to_lowercase();
    let is_placeholder = matches!(
        lower.as_str(),
        "n/a" | "na" | "null" | "none" | "undefined" | "unknown" | "unavailable" | "not available" | "undetermined"
    );
    (!is_placeholder && lower.chars().any(char::is_alphanumeric)).then(|| text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_says_something_is_text() {
        for (value, expected) in [
            (json!("Maren  J\tOkafor "), Some("Maren J Okafor")),
            (json!("a\u{202e}b\u{0}c"), Some("abc")),
            (json!("Na Li"), Some("Na Li")),
            (json!(""), None),
            (json!("  "), None),
            (json!("N/A"), None),
            (json!("Unknown"), None),
            (json!("--"), None),
            (json!(null), None),
            (json!(true), None),
            (json!(310), None),
            (json!(["x"]), None),
        ] {
            assert_eq!(text(&value).as_deref(), expected, "{value}");
        }
        assert_eq!(
            text(&json!("ü".repeat(5000))).map(|text| text.chars().count()),
            Some(TEXT_LIMIT)
        );
    }

    #[test]
    fn shapes_may_vary() {
        assert_eq!(code(&json!(60600)), Some(60600));
        assert_eq!(code(&json!("10001")), Some(10001));
        assert_eq!(code(&json!("x")), None);
        assert_eq!(each(&json!(null)).len(), 0);
        assert_eq!(each(&json!([1, 2])).len(), 2);
        assert_eq!(each(&json!({"a": 1})).len(), 1);
        assert!(object(b"[]").is_none() && object(b"<html>").is_none() && object(b"{}").is_some());
    }
}
