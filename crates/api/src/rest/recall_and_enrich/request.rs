//! What a client asks before the agent speaks.

use domain::{
    call::{METADATA_BYTES, SESSION_ID_CHARS, SessionId},
    phone::Region,
    usecase::RecallInput,
};
use serde::Serialize;
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
    /// Any object of at most 16 KiB as JSON; accepted, not stored.
    #[schema(nullable = false, value_type = Option<Object>)]
    pub metadata: Option<domain::json::JsonObject>,
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
        })
    }
}
