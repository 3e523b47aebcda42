//! `POST /v1/calls/end`: write a call back after hangup.

use actix_web::{HttpResponse, web::Data};
use domain::{
    call::{CallOutcome, EndedCall, METADATA_BYTES, Role, SESSION_ID_CHARS, SessionId, TURN_BYTES, TURNS, Turn},
    json::JsonObject,
    phone::Region,
};
use utoipa::ToSchema;

use super::{
    body::Body,
    json::{self, JsonValue, object},
    number::normalised,
};
use crate::{
    error::{InputError, Refusal},
    middleware::frame::Frame,
    openapi::parts::{self, Refusals},
    state::Api,
};

/// Commits an ended call.
///
/// 204 means that the call is on disk. Repeat the request until it gets one: a repeat counts once, and a repeat with
/// another body is a correction that replaces the first.
#[utoipa::path(
    post,
    path = "/v1/calls/end",
    operation_id = "callsEnd",
    tag = "callers",
    request_body = CallsEndRequest,
    responses((status = 204, description = "The call is on disk"), Refusals),
    security(("bearer" = [])),
)]
pub(super) async fn calls_end(frame: Frame, body: Body, api: Data<Api>) -> Result<HttpResponse, Refusal> {
    commit(&api, &frame, body).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What every transport does with a call report: when this returns `Ok`, the call is on disk.
pub(crate) async fn commit(api: &Api, frame: &Frame, body: Body) -> Result<(), Refusal> {
    let ctx = frame.context()?;
    let permit = api.callers.permit_end_call(&ctx)?;
    let call = json::read(&body.bytes()?, CallsEndRequest::decode)?.into_call(permit.region())?;
    let work = api.callers.end_call(permit, call);
    let committed = frame.budget().bound("a call end", work).await;
    Ok(committed.map_err(Refusal::unavailable)??)
}

/// A call that has ended. Other fields are ignored.
#[derive(Debug, ToSchema)]
#[schema(examples(json!({
    "session_id": "call-1", "phone_number": "+12025550142", "duration_s": 94, "outcome": "appointment_booked",
    "transcript": [
        {"role": "agent", "text": "Harbor Dental, how can I help?", "ts_ms": 0},
        {"role": "user", "text": "I would like a cleaning on Tuesday at three.", "ts_ms": 2100}
    ]
})))]
pub struct CallsEndRequest {
    /// The client's name for the call; the one of the recall when there was one.
    #[schema(min_length = 1, max_length = 256)]
    pub session_id: String,
    /// The caller's number in any format; a national one is read in the tenant's region.
    #[schema(min_length = 1, examples("+12025550142"))]
    pub phone_number: String,
    /// What was said, in order.
    #[schema(max_items = 10_000)]
    pub transcript: Vec<TranscriptEntry>,
    /// Length of the call in seconds.
    #[schema(minimum = 0)]
    pub duration_s: f64,
    /// How the call ended.
    #[schema(schema_with = parts::outcome)]
    pub outcome: CallOutcome,
    /// Any object of at most 16 KiB as JSON; kept with the call.
    #[schema(nullable = false, value_type = Option<Object>)]
    pub agent_metadata: Option<JsonObject>,
}

/// One turn of a transcript.
#[derive(Debug, ToSchema)]
pub struct TranscriptEntry {
    /// Who spoke: the caller (`user`) or the agent.
    #[schema(schema_with = parts::role)]
    pub role: Role,
    /// What was said, at most 64 KiB as UTF-8.
    #[schema(max_length = 65_536)]
    pub text: String,
    /// When, in milliseconds since the epoch or since the start of the call.
    pub ts_ms: f64,
}

impl CallsEndRequest {
    fn decode(body: JsonValue<'_, '_>) -> Result<Self, InputError> {
        object!(body => Self {
            session_id: required non_empty_string_within(SESSION_ID_CHARS),
            phone_number: required non_empty_string(),
            transcript: required items(Some(TURNS), TranscriptEntry::decode),
            duration_s: required non_negative_number(),
            outcome: required one_of(&CallOutcome::ALL, CallOutcome::as_str),
            agent_metadata: optional object_within(METADATA_BYTES),
        })
    }

    fn into_call(self, region: Region) -> Result<EndedCall, InputError> {
        let turn = |entry: TranscriptEntry| Turn {
            role: entry.role,
            text: entry.text,
            ts_ms: entry.ts_ms,
        };
        Ok(EndedCall {
            number: normalised(&self.phone_number, region)?,
            session_id: SessionId(self.session_id),
            transcript: self.transcript.into_iter().map(turn).collect(),
            duration_s: self.duration_s,
            outcome: self.outcome,
            agent_metadata: self.agent_metadata,
        })
    }
}

impl TranscriptEntry {
    fn decode(entry: JsonValue<'_, '_>) -> Result<Self, InputError> {
        object!(entry => Self {
            role: required one_of(&[Role::User, Role::Agent], Role::as_str),
            text: required text_within(TURN_BYTES),
            ts_ms: required number(),
        })
    }
}
