//! The schemas of tools, made of those of the OpenAPI document.

use rmcp::model::JsonObject;
use serde_json::Value;

/// The schema `name` of the document's `schemas`, with everything in it that it refers to: some clients hand schemas to
/// models that do not follow references.
pub(super) fn standalone(schemas: &Value, name: &str) -> JsonObject {
    match resolved(&schemas[name], schemas) {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

fn resolved(value: &Value, schemas: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let name = fields
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|r| r.rsplit('/').next());
            let mut whole = name.map_or_else(JsonObject::new, |name| standalone(schemas, name));
            // What stands beside a reference, such as a description, is about this use of it.
            let beside = fields.iter().filter(|(name, _)| *name != "$ref");
            whole.extend(beside.map(|(name, value)| (name.clone(), resolved(value, schemas))));
            Value::Object(whole)
        }
        Value::Array(items) => items.iter().map(|item| resolved(item, schemas)).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_are_replaced_by_what_they_name() {
        let schemas = json!({
            "Outer": {"type": "object", "properties": {
                "one": {"$ref": "#/components/schemas/Inner", "description": "this one"},
                "many": {"items": {"$ref": "#/components/schemas/Inner"}}
            }},
            "Inner": {"description": "any", "oneOf": [{"$ref": "#/components/schemas/Leaf"}, {"type": "null"}]},
            "Leaf": {"type": "string"}
        });
        let inner =
            |description: &str| json!({"description": description, "oneOf": [{"type": "string"}, {"type": "null"}]});
        assert_eq!(
            Value::Object(standalone(&schemas, "Outer")),
            json!({"type": "object", "properties": {"one": inner("this one"), "many": {"items": inner("any")}}})
        );
    }
}
