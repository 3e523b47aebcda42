//! Free-form JSON that passes through the service untouched.

/// The text of a JSON object. The rules never look inside; the edges validate it when it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonObject(String);

impl JsonObject {
    /// Wraps `text`, which must already be known to be a JSON object: the edge that parsed it vouches for it.
    #[must_use]
    pub fn from_validated(text: String) -> Self {
        Self(text)
    }

    /// The object's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for JsonObject {
    fn default() -> Self {
        Self("{}".to_owned())
    }
}
