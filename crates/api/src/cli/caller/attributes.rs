//! Edits of single attributes. The others stay as they are written, whatever numbers they hold.

use std::{fmt, str::FromStr};

use domain::{
    caller::{self, ProfileFault},
    json::JsonObject,
};
use serde::{
    Deserialize, Deserializer, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::{RawValue, to_raw_value};

/// One attribute to set or, without a value, to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AttributeEdit {
    name: String,
    value: Option<String>,
}

#[derive(Debug, thiserror::Error)]
#[error("write it as KEY=VALUE, or as KEY= to remove it")]
pub(super) struct NotAnEdit;

impl FromStr for AttributeEdit {
    type Err = NotAnEdit;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self {
                name: name.to_owned(),
                value: Some(value.to_owned()).filter(|value| !value.is_empty()),
            }),
            _ => Err(NotAnEdit),
        }
    }
}

/// The attributes after the edits, in their order.
pub(super) fn edited(stored: JsonObject, edits: &[AttributeEdit]) -> Result<JsonObject, ProfileFault> {
    if edits.is_empty() {
        return Ok(stored);
    }
    let Entries(mut entries) = serde_json::from_str(stored.as_str()).map_err(|_| ProfileFault::NoObject)?;
    for AttributeEdit { name, value } in edits {
        let at = entries.iter().position(|(known, _)| known == name);
        entries.retain(|(known, _)| known != name);
        if let Some(value) = value {
            let value = to_raw_value(value).map_err(|_| ProfileFault::NoObject)?;
            entries.insert(at.unwrap_or(entries.len()), (name.clone(), value));
        }
    }
    let mut text = Vec::new();
    serde_json::Serializer::new(&mut text)
        .collect_map(entries)
        .map_err(|_| ProfileFault::NoObject)?;
    let text = String::from_utf8(text).map_err(|_| ProfileFault::NoObject)?;
    caller::custom_attributes(JsonObject::from_validated(text))
}

/// The members of an object in their order, the values in their own text.
struct Entries(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(object: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        object.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(stored: &str, edits: &[&str]) -> Result<String, ProfileFault> {
        let edits: Vec<_> = edits.iter().map(|edit| edit.parse().expect("an edit")).collect();
        edited(JsonObject::from_validated(stored.to_owned()), &edits).map(|object| object.as_str().to_owned())
    }

    #[test]
    fn one_attribute_changes_and_the_others_stay() {
        for (stored, edits, expected) in [
            ("{}", &["plan=gold"][..], r#"{"plan":"gold"}"#),
            (
                r#"{"z": 1e400, "plan": {"a": 1.00}, "a": [ 12345678901234567890 ]}"#,
                &["plan=gold = \"x\"\n"],
                r#"{"z":1e400,"plan":"gold = \"x\"\n","a":[ 12345678901234567890 ]}"#,
            ),
            (r#"{"a":1,"b":2,"a":3}"#, &["a="], r#"{"b":2}"#),
            (r#"{"a":1,"b":2,"a":3}"#, &["a=x"], r#"{"a":"x","b":2}"#),
            (r#"{"a":1}"#, &["b="], r#"{"a":1}"#),
            ("{}", &["a=1", "b=2", "a=3", "b="], r#"{"a":"3"}"#),
            (r#"{"a" : 1}"#, &[], r#"{"a" : 1}"#),
        ] {
            assert_eq!(edit(stored, edits).as_deref(), Ok(expected), "{stored} {edits:?}");
        }
    }

    #[test]
    fn what_is_no_object_or_too_long_is_refused() {
        for stored in ["", "[]", "null", "{"] {
            assert_eq!(edit(stored, &["a=1"]), Err(ProfileFault::NoObject));
        }
        let long = format!("a={}", "x".repeat(caller::ATTRIBUTES_BYTES));
        assert_eq!(edit("{}", &[&long]), Err(ProfileFault::LongAttributes));
    }

    #[test]
    fn an_edit_has_a_name() {
        for text in ["", "a", "=b", " =b"] {
            assert!(text.parse::<AttributeEdit>().is_err(), "{text:?}");
        }
    }
}
