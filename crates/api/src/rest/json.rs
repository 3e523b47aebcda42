//! Reads request bodies so that every fault has a place and a readable reason, and nothing of the client's is repeated.
//!
//! Syntax comes first, for the whole body, and the schema after it. A value stays in its own text until it is asked
//! for, so that free-form objects pass through untouched, numbers beyond `f64` and duplicate names are seen, and
//! nesting costs no stack.

use std::fmt;

use domain::json::JsonObject;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::InputError;

/// How deep a free-form object may nest; what reads it later may be less patient.
const DEEPEST: usize = 64;

/// Reads a body: JSON first (else [`InputError::BadRequest`]), then what `decode` finds of the schema
/// (else [`InputError::Validation`]).
pub(crate) fn read<'a, T>(
    body: &'a [u8],
    decode: impl FnOnce(JsonValue<'a, '_>) -> Result<T, InputError>,
) -> Result<T, InputError> {
    let text = text(body)?;
    let decoded = decode(JsonValue {
        text,
        place: Place::Body,
    })?;
    // The known strings have been looked at, with their place. What is left may be in a field that is ignored.
    match inspect(text) {
        Inspection { nul: true, .. } => Err(Place::Body.fault("a string in it holds \\u0000; remove it")),
        _ => Ok(decoded),
    }
}

/// The text of a body that is well-formed JSON; else [`InputError::BadRequest`].
pub(crate) fn text(body: &[u8]) -> Result<&str, InputError> {
    let text = std::str::from_utf8(body).map_err(|_| bad("the body is not UTF-8"))?;
    if text.starts_with('\u{feff}') {
        return Err(bad("the body begins with a byte order mark; send JSON without one"));
    }
    if text.trim().is_empty() {
        return Err(bad("the body is empty; send a JSON object"));
    }
    let whole: &RawValue = serde_json::from_str(text).map_err(|error| bad(format!("the body is not JSON: {error}")))?;
    Ok(whole.get())
}

/// Reads one value that did not come in a body, a cell of a table for example; faults are named after it.
pub(crate) fn field<'a, T>(
    name: &'static str,
    text: &'a str,
    decode: impl FnOnce(JsonValue<'a, '_>) -> Result<T, InputError>,
) -> Result<T, InputError> {
    let place = Place::Field(&Place::Body, name);
    let value: &RawValue =
        serde_json::from_str(text).map_err(|error| place.fault(format_args!("is not JSON: {error}")))?;
    let text = value.get();
    decode(JsonValue { text, place })
}

fn bad(message: impl Into<String>) -> InputError {
    InputError::BadRequest(message.into())
}

/// Where a value stands, for messages.
#[derive(Clone, Copy)]
pub(crate) enum Place<'p> {
    Body,
    Field(&'p Place<'p>, &'static str),
    Item(&'p Place<'p>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body => f.write_str("the body"),
            Self::Field(Self::Body, name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl Place<'_> {
    fn fault(&self, what: impl fmt::Display) -> InputError {
        InputError::Validation(format!("{self}: {what}"))
    }
}

/// A JSON value in its own text, and where it stands. The text is well-formed: [`read`] has checked the whole body.
#[derive(Clone, Copy)]
pub(crate) struct JsonValue<'a, 'p> {
    text: &'a str,
    place: Place<'p>,
}

impl<'a> JsonValue<'a, '_> {
    /// The object's fields of these names, in their order; other fields are ignored. [`object!`] calls it with the
    /// names of a struct's fields.
    pub(crate) fn fields<const N: usize>(&self, names: [&'static str; N]) -> Result<[Field<'a, '_>; N], InputError> {
        if !self.text.starts_with('{') {
            return Err(self.fault("expected an object"));
        }
        let values = serde_json::Deserializer::from_str(self.text)
            .deserialize_map(FieldPicker(&names))
            .map_err(|_| self.fault("the name of a field is not valid Unicode"))?
            .map_err(|twice| Place::Field(&self.place, twice).fault("is there twice"))?;
        let mut values = values.into_iter();
        Ok(names.map(|name| Field {
            text: values.next().flatten().map(RawValue::get),
            place: Place::Field(&self.place, name),
        }))
    }

    /// The array's items, at most `most` when that is given, each made into something by `decode`.
    pub(crate) fn items<T>(
        &self,
        most: Option<usize>,
        decode: impl Fn(JsonValue<'a, '_>) -> Result<T, InputError>,
    ) -> Result<Vec<T>, InputError> {
        if !self.text.starts_with('[') {
            return Err(self.fault("expected an array"));
        }
        let items: Vec<&'a RawValue> = serde_json::from_str(self.text).map_err(|_| self.fault("expected an array"))?;
        if let Some(most) = most.filter(|most| items.len() > *most) {
            return Err(self.fault(format_args!("must have at most {most} items")));
        }
        let item = |(index, item): (usize, &'a RawValue)| {
            decode(JsonValue {
                text: item.get(),
                place: Place::Item(&self.place, index),
            })
        };
        items.into_iter().enumerate().map(item).collect()
    }

    /// The string.
    pub(crate) fn string(&self) -> Result<String, InputError> {
        if !self.text.starts_with('"') {
            return Err(self.fault("expected a string"));
        }
        let text: String = serde_json::from_str(self.text)
            .map_err(|_| self.fault("the string holds half of a surrogate pair, which is not valid Unicode"))?;
        if text.contains('\0') {
            return Err(self.fault("the string holds \\u0000; remove it"));
        }
        Ok(text)
    }

    /// The string, which must not be empty.
    pub(crate) fn non_empty_string(&self) -> Result<String, InputError> {
        self.string().and_then(|text| self.non_empty(text))
    }

    fn non_empty(&self, text: String) -> Result<String, InputError> {
        if text.is_empty() {
            Err(self.fault("must not be empty"))
        } else {
            Ok(text)
        }
    }

    /// The string, which must have at most `most` characters.
    pub(crate) fn string_within(&self, most: usize) -> Result<String, InputError> {
        let text = self.string()?;
        if text.chars().nth(most).is_some() {
            Err(self.fault(format_args!("must have at most {most} characters")))
        } else {
            Ok(text)
        }
    }

    /// The string, which must have 1 to `most` characters.
    pub(crate) fn non_empty_string_within(&self, most: usize) -> Result<String, InputError> {
        self.string_within(most).and_then(|text| self.non_empty(text))
    }

    /// The string, which must have at most `most` bytes as UTF-8.
    pub(crate) fn text_within(&self, most: usize) -> Result<String, InputError> {
        let text = self.string()?;
        if text.len() > most {
            Err(self.fault(format_args!("must be at most {} KiB", most / 1024)))
        } else {
            Ok(text)
        }
    }

    /// The one of `choices` whose name, as `name` gives it, is the string.
    pub(crate) fn one_of<T: Copy>(&self, choices: &[T], name: impl Fn(T) -> &'static str) -> Result<T, InputError> {
        let text = self.string()?;
        let chosen = choices.iter().copied().find(|choice| name(*choice) == text);
        chosen.ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|choice| name(*choice)).collect();
            self.fault(format_args!("expected one of {}", names.join(", ")))
        })
    }

    /// The number; finite.
    pub(crate) fn number(&self) -> Result<f64, InputError> {
        if !self.text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            return Err(self.fault("expected a number"));
        }
        let number = self.text.parse().unwrap_or(f64::INFINITY);
        if f64::is_finite(number) {
            Ok(number)
        } else {
            Err(self.fault("the number is too large"))
        }
    }

    /// The number, which must be 0 or more.
    pub(crate) fn non_negative_number(&self) -> Result<f64, InputError> {
        let number = self.number()?;
        // Adding 0 makes a negative zero a plain one.
        if number < 0.0 {
            Err(self.fault("must be 0 or more"))
        } else {
            Ok(number + 0.0)
        }
    }

    /// The object in its own text.
    pub(crate) fn object(&self) -> Result<JsonObject, InputError> {
        if !self.text.starts_with('{') {
            return Err(self.fault("expected an object"));
        }
        match inspect(self.text) {
            Inspection { nul: true, .. } => Err(self.fault("a string in it holds \\u0000; remove it")),
            Inspection { half_pair: true, .. } => {
                Err(self.fault("a string in it holds half of a surrogate pair, which is not valid Unicode"))
            }
            Inspection { depth, .. } if depth > DEEPEST => {
                Err(self.fault(format_args!("it nests deeper than {DEEPEST} levels")))
            }
            _ => Ok(JsonObject::from_validated(self.text.to_owned())),
        }
    }

    /// The object, which must have at most `most` bytes in its own text.
    pub(crate) fn object_within(&self, most: usize) -> Result<JsonObject, InputError> {
        if self.text.starts_with('{') && self.text.len() > most {
            return Err(self.fault(format_args!("must be at most {} KiB as JSON", most / 1024)));
        }
        self.object()
    }

    fn fault(&self, what: impl fmt::Display) -> InputError {
        self.place.fault(what)
    }
}

/// A known field of an object, which may be missing.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a, 'p> {
    text: Option<&'a str>,
    place: Place<'p>,
}

impl<'a> Field<'a, '_> {
    /// What `decode` makes of the field, which must be there.
    pub(crate) fn required<T>(
        self,
        decode: impl FnOnce(JsonValue<'a, '_>) -> Result<T, InputError>,
    ) -> Result<T, InputError> {
        self.optional(decode)?.ok_or_else(|| self.place.fault("is missing"))
    }

    /// What `decode` makes of the field, when it is there.
    pub(crate) fn optional<T>(
        self,
        decode: impl FnOnce(JsonValue<'a, '_>) -> Result<T, InputError>,
    ) -> Result<Option<T>, InputError> {
        let place = self.place;
        self.text.map(|text| decode(JsonValue { text, place })).transpose()
    }
}

/// Decodes a JSON object into a struct whose fields have the names of the object's. Each is `required` or `optional`,
/// and what its value must be is a method of [`JsonValue`]. The first fault in the order given is the one that is told.
///
/// ```ignore
/// object!(body => Self { phone_number: required non_empty_string(), agent_id: optional string() })
/// ```
macro_rules! object {
    ($value:expr => $object:ident { $($name:ident: $presence:ident $what:ident($($argument:expr),*)),+ $(,)? }) => {
        $value.fields([$(stringify!($name)),+]).and_then(|[$($name),+]| {
            Ok($object { $($name: $name.$presence(|value| value.$what($($argument),*))?),+ })
        })
    };
}
pub(crate) use object;

/// Picks the fields of these names out of an object; one that is there twice is the inner error.
struct FieldPicker<'n, const N: usize>(&'n [&'static str; N]);

impl<'de, const N: usize> Visitor<'de> for FieldPicker<'_, N> {
    type Value = Result<[Option<&'de RawValue>; N], &'static str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [None; N];
        let mut twice = None;
        while let Some(index) = map.next_key_seed(FieldIndex(self.0))? {
            match index {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some(index) => {
                    if values[index].replace(map.next_value()?).is_some() {
                        twice = Some(self.0[index]);
                    }
                }
            }
        }
        Ok(twice.map_or(Ok(values), Err))
    }
}

/// Reads the name of a field as its index among the known ones, without a copy.
struct FieldIndex<'n>(&'n [&'static str]);

impl<'de> DeserializeSeed<'de> for FieldIndex<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Self::Value, D::Error> {
        name.deserialize_str(self)
    }
}

impl Visitor<'_> for FieldIndex<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == name))
    }
}

/// What [`inspect`] found.
#[derive(Default)]
struct Inspection {
    /// `\u0000` in a string.
    nul: bool,
    /// Half of a surrogate pair in a string.
    half_pair: bool,
    /// How many objects and arrays stand in one another.
    depth: usize,
}

/// Looks through well-formed JSON for what its grammar allows and storage does not.
fn inspect(text: &str) -> Inspection {
    let mut found = Inspection::default();
    let (mut open, mut in_string) = (0_usize, false);
    let mut bytes = text.as_bytes();
    while let Some((&byte, rest)) = bytes.split_first() {
        bytes = rest;
        match byte {
            b'"' => in_string = !in_string,
            b'\\' => bytes = after_escape(rest, &mut found),
            b'{' | b'[' if !in_string => {
                open += 1;
                found.depth = found.depth.max(open);
            }
            b'}' | b']' if !in_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    found
}

/// What follows an escape sequence whose backslash has just been passed; what is wrong with it goes into `found`.
fn after_escape<'a>(rest: &'a [u8], found: &mut Inspection) -> &'a [u8] {
    let Some((unit, rest)) = code_unit(rest) else {
        return rest.get(1..).unwrap_or_default();
    };
    match unit {
        0 => found.nul = true,
        0xDC00..=0xDFFF => found.half_pair = true,
        0xD800..=0xDBFF => {
            let second = rest.strip_prefix(b"\\").and_then(code_unit);
            match second {
                Some((0xDC00..=0xDFFF, after)) => return after,
                _ => found.half_pair = true,
            }
        }
        _ => {}
    }
    rest
}

/// The UTF-16 code unit of `uXXXX`, and what follows.
fn code_unit(escape: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, rest) = escape.strip_prefix(b"u")?.split_at_checked(4)?;
    let unit = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Decoded = (String, Vec<f64>, Option<JsonObject>);

    fn decode(body: &[u8]) -> Result<Decoded, InputError> {
        read(body, |body| {
            let [s, list, o] = body.fields(["s", "list", "o"])?;
            let number = |item: JsonValue<'_, '_>| {
                let [n] = item.fields(["n"])?;
                n.required(|n| n.non_negative_number())
            };
            Ok((
                s.required(|s| s.non_empty_string())?,
                list.optional(|list| list.items(None, number))?.unwrap_or_default(),
                o.optional(|o| o.object())?,
            ))
        })
    }

    fn refusal(body: impl AsRef<[u8]>) -> String {
        match decode(body.as_ref()) {
            Err(InputError::Validation(message)) => format!("422 {message}"),
            Err(InputError::BadRequest(message)) => format!("400 {message}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_body_is_read() {
        let body = br#" {"s": "a\u00e9\ud83d\ude00", "unknown": [1e999, {"s": null}],
            "list": [{"n": 1}, {"n": 2.5e1}], "o": {"a" : 1e400}} "#;
        let (text, numbers, object) = decode(body).unwrap();
        assert_eq!((text.as_str(), numbers.as_slice()), ("aé😀", &[1.0, 25.0][..]));
        assert_eq!(object.unwrap().as_str(), r#"{"a" : 1e400}"#);
        assert_eq!(
            decode(br#"{"\u0073":"x"}"#).unwrap().0,
            "x",
            "names may be written with escapes"
        );
    }

    #[test]
    fn what_is_not_json_is_a_bad_request() {
        for (body, reason) in [
            (&b""[..], "empty"),
            (b" \n", "empty"),
            (b"{\"s\": \"\xff\"}", "UTF-8"),
            (b"\xef\xbb\xbf{}", "byte order mark"),
            (b"{\"s\": \"a\"", "line 1 column"),
            (b"{\"s\": \"a\"} x", "trailing"),
            (b"{'s': 1}", "line 1"),
            (b"{\"s\": \"a\x00b\"}", "control character"),
            (b"{\"s\": 01}", "line 1"),
            (b"NaN", "line 1"),
            (b"{\"s\": \"\\u12\"}", "line 1"),
        ] {
            let refusal = refusal(body);
            assert!(refusal.starts_with("400 ") && refusal.contains(reason), "{refusal}");
        }
        assert!(
            refusal("[".repeat(1_000_000)).starts_with("400 "),
            "open brackets do not exhaust the stack"
        );
        assert!(
            refusal(r#"{"s": 5, "#).starts_with("400 "),
            "syntax comes before the schema"
        );
    }

    #[test]
    fn what_does_not_fit_names_its_place() {
        for (body, message) in [
            ("[]", "the body: expected an object"),
            ("\"x\"", "the body: expected an object"),
            ("{}", "s: is missing"),
            (r#"{"s": null}"#, "s: expected a string"),
            (r#"{"s": ""}"#, "s: must not be empty"),
            (r#"{"s": "a", "s": "a"}"#, "s: is there twice"),
            (r#"{"s": "a", "\u0073": "b"}"#, "s: is there twice"),
            (r#"{"s": "a\u0000"}"#, "s: the string holds \\u0000; remove it"),
            (
                r#"{"s": "\ud800"}"#,
                "s: the string holds half of a surrogate pair, which is not valid Unicode",
            ),
            (r#"{"s": "a", "list": {}}"#, "list: expected an array"),
            (
                r#"{"s": "a", "list": [{"n": 1}, {"n": "x"}]}"#,
                "list[1].n: expected a number",
            ),
            (r#"{"s": "a", "list": [{"n": 1}, 7]}"#, "list[1]: expected an object"),
            (r#"{"s": "a", "list": [{}]}"#, "list[0].n: is missing"),
            (r#"{"s": "a", "list": [{"n": -0.1}]}"#, "list[0].n: must be 0 or more"),
            (
                r#"{"s": "a", "list": [{"n": 1e400}]}"#,
                "list[0].n: the number is too large",
            ),
            (r#"{"s": "a", "list": [{"n": 1, "n": 1}]}"#, "list[0].n: is there twice"),
            (r#"{"s": "a", "o": []}"#, "o: expected an object"),
            (
                r#"{"s": "a", "o": {"x": ["\u0000"]}}"#,
                "o: a string in it holds \\u0000; remove it",
            ),
            (
                r#"{"s": "a", "o": {"x": "\udc00\ud800"}}"#,
                "o: a string in it holds half of a surrogate pair, which is not valid Unicode",
            ),
            (
                r#"{"s": "a", "unknown": "\u0000"}"#,
                "the body: a string in it holds \\u0000; remove it",
            ),
            (
                r#"{"s": "a", "\ud800": 1}"#,
                "the body: the name of a field is not valid Unicode",
            ),
        ] {
            assert_eq!(refusal(body), format!("422 {message}"), "{body}");
        }
        let deep = format!(r#"{{"s": "a", "o": {{"x": {}{}}}}}"#, "[".repeat(64), "]".repeat(64));
        assert_eq!(refusal(deep), "422 o: it nests deeper than 64 levels");
    }

    #[test]
    fn escaped_backslashes_are_no_escapes() {
        assert_eq!(decode(br#"{"s": "a\\u0000"}"#).unwrap().0, "a\\u0000");
        let object = decode(br#"{"s": "a", "o": {"x": "\\u0000 \" [ \ud83d\ude00"}}"#)
            .unwrap()
            .2;
        assert!(object.is_some());
        assert!(
            decode(
                format!(
                    r#"{{"s": "a", "ignored": {}1{}}}"#,
                    "[".repeat(100_000),
                    "]".repeat(100_000)
                )
                .as_bytes()
            )
            .is_ok()
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_every_string_survives(text: String, bytes: Vec<u8>) {
            prop_assert!(decode(&bytes).is_err());
            let body = serde_json::json!({"s": text}).to_string();
            match decode(body.as_bytes()) {
                Ok((read, ..)) => prop_assert_eq!(read, text),
                Err(_) => prop_assert!(text.is_empty() || text.contains('\0')),
            }
            for cut in 0..body.len() {
                prop_assert!(decode(&body.as_bytes()[..cut]).is_err());
            }
        }
    }
}
