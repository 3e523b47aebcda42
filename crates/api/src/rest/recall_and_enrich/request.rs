//! What a client asks before the agent speaks.

use domain::{
    call::{METADATA_BYTES, SESSION_ID_CHARS, SessionId},
    identity::Attestation,
    json::JsonObject,
    phone::Region,
    usecase::RecallInput,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    error::InputError,
    rest::{
        json::{JsonValue, object},
        number::normalised,
    },
};

/// When in the life of a call the recall is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The phone rings.
    Ringing,
    /// The call was answered.
    Answered,
}

impl Trigger {
    const fn name(self) -> &'static str {
        match self {
            Self::Ringing => "ringing",
            Self::Answered => "answered",
        }
    }
}

/// What a client asks before the agent speaks. Other fields are ignored.
#[derive(Debug, ToSchema)]
#[schema(
    as = RecallAndEnrichRequest,
    examples(json!({"phone_number": "+12025550142", "session_id": "call-1", "trigger": "ringing"}))
)]
pub struct RecallRequest {
    /// The caller's number in any format; a national one is read in the tenant's region.
    #[schema(min_length = 1, examples("+12025550142"))]
    pub phone_number: String,
    /// The point in the life of the call; accepted, not stored.
    #[schema(nullable = false)]
    pub trigger: Option<Trigger>,
    /// The client's name for the call; reuse it in calls/end.
    #[schema(nullable = false, max_length = 256)]
    pub session_id: Option<String>,
    /// The agent that answers; accepted, not stored.
    #[schema(nullable = false)]
    pub agent_id: Option<String>,
    /// Any object of at most 16 KiB as JSON; accepted, not stored. `attestation` is heeded: what the carrier says about
    /// the number, as a level (`A`, `B`, `C`), as Twilio's `StirVerstat`, or as true or false; so is Telnyx's
    /// `telnyx_end_user_target_verified`.
    #[schema(nullable = false, value_type = Option<Object>)]
    pub metadata: Option<JsonObject>,
}

impl RecallRequest {
    pub(super) fn decode(body: JsonValue<'_, '_>) -> Result<Self, InputError> {
        object!(body => Self {
            phone_number: required non_empty_string(),
            trigger: optional one_of(&[Trigger::Ringing, Trigger::Answered], Trigger::name),
            session_id: optional string_within(SESSION_ID_CHARS),
            agent_id: optional string(),
            metadata: optional object_within(METADATA_BYTES),
        })
    }

    pub(super) fn into_input(self, region: Region) -> Result<RecallInput, InputError> {
        Ok(RecallInput {
            number: normalised(&self.phone_number, region)?,
            session_id: self.session_id.filter(|id| !id.is_empty()).map(SessionId),
            attestation: self.metadata.as_ref().and_then(attestation),
        })
    }
}

/// What a client's metadata say about the caller's number.
#[derive(Deserialize)]
struct Attested {
    attestation: Option<Value>,
    telnyx_end_user_target_verified: Option<Value>,
}

/// Reads what is known; anything else in there is the client's own affair.
fn attestation(metadata: &JsonObject) -> Option<Attestation> {
    let attested: Attested = serde_json::from_str(metadata.as_str()).ok()?;
    let read = |value: &Value| match value {
        Value::String(text) => Attestation::read(text),
        Value::Bool(verified) => Some(Attestation::verified(*verified)),
        _ => None,
    };
    let given = attested.attestation.as_ref().and_then(read);
    given.or_else(|| attested.telnyx_end_user_target_verified.as_ref().and_then(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_metadata_attest_is_read() {
        for (metadata, expected) in [
            (r#"{"attestation":"A"}"#, Some(Attestation::Vouched)),
            (r#"{"attestation":"TN-Validation-Failed-C"}"#, Some(Attestation::Failed)),
            (r#"{"attestation":true,"x":1e400}"#, Some(Attestation::Vouched)),
            (r#"{"attestation":false}"#, Some(Attestation::Weak)),
            (r#"{"telnyx_end_user_target_verified":false}"#, Some(Attestation::Weak)),
            (
                r#"{"telnyx_end_user_target_verified":false,"attestation":"A"}"#,
                Some(Attestation::Vouched),
            ),
            (
                r#"{"telnyx_end_user_target_verified":true,"attestation":null}"#,
                Some(Attestation::Vouched),
            ),
            (r#"{"attestation":{"level":"A"}}"#, None),
            (r#"{"attestation":7}"#, None),
            (r#"{"verified":false}"#, None),
            ("{}", None),
        ] {
            let read = attestation(&JsonObject::from_validated(metadata.to_owned()));
            assert_eq!(read, expected, "{metadata}");
        }
    }
}
