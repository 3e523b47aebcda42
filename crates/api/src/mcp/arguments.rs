//! Takes the arguments of a tool out of a message before the SDK reads it. They stay in the client's own text for the
//! decoder that reads request bodies, which sees more than a parsed value shows: names that are there twice, numbers
//! beyond `f64`.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: &'a RawValue,
}

/// The message with `{}` in the place of its arguments, and these. One without an object of arguments stays as it is:
/// what is wrong with it is the SDK's to say.
pub(super) fn taken_out(message: &str) -> (String, Option<&str>) {
    let parsed = serde_json::from_str(message).map(|Message { params }| params.arguments.get());
    match parsed.ok().filter(|arguments| arguments.starts_with('{')) {
        None => (message.to_owned(), None),
        Some(arguments) => {
            // The arguments are a part of the message, so they begin within it.
            let begin = arguments.as_ptr().addr().saturating_sub(message.as_ptr().addr());
            let before = message.get(..begin).unwrap_or_default();
            let after = message.get(begin + arguments.len()..).unwrap_or_default();
            (format!("{before}{{}}{after}"), Some(arguments))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_leave_the_message_in_their_own_text() {
        let message = r#"{"id": 1, "note": {"a": 1e999}, "params": {"arguments": {"a": 1e999} , "name": "x"}}"#;
        let (rest, arguments) = taken_out(message);
        assert_eq!(
            rest,
            r#"{"id": 1, "note": {"a": 1e999}, "params": {"arguments": {} , "name": "x"}}"#
        );
        assert_eq!(arguments, Some(r#"{"a": 1e999}"#));
    }

    #[test]
    fn other_messages_stay_as_they_are() {
        for message in [
            "5",
            "[]",
            r#"{"params": []}"#,
            r#"{"params": {}}"#,
            r#"{"params": {"arguments": 5}}"#,
            r#"{"params": {"arguments": {}, "arguments": {}}}"#,
            r#"{"arguments": {}}"#,
        ] {
            assert_eq!(taken_out(message), (message.to_owned(), None));
        }
    }
}
