//! The pieces of the OpenAPI document that several endpoints share: small schemas, and the refusals.

use std::collections::BTreeMap;

use domain::call::{CallOutcome, Role};
use utoipa::{
    IntoResponses,
    openapi::{Content, Header, Object, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, Type},
};

use crate::error::Code;

/// The value `true` alone.
pub(crate) fn only_true() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::Boolean)
        .enum_values(Some([true]))
        .description(Some("There, and true, only when the memory could not be read."))
        .build()
}

/// How a call ended.
pub(crate) fn outcome() -> Object {
    names(CallOutcome::ALL.map(CallOutcome::as_str), "How the call ended.")
}

/// Who spoke.
pub(crate) fn role() -> Object {
    names(
        [Role::User, Role::Agent].map(Role::as_str),
        "Who spoke: the caller (`user`) or the agent.",
    )
}

fn names<const N: usize>(names: [&'static str; N], description: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(names))
        .description(Some(description))
        .build()
}

/// What every endpoint may answer in place of what was asked.
pub(crate) struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let rows = [
            (
                Code::BadRequest,
                "The request is malformed, or the phone number cannot be parsed or is withheld",
            ),
            (Code::Unauthorized, "No valid API key"),
            (Code::InsufficientScope, "The key lacks the scope of this route"),
            (Code::ValidationError, "The body does not fit the schema"),
            (Code::RateLimited, "The key's token bucket is empty"),
            (Code::InternalError, "An unexpected error"),
            (
                Code::ServiceUnavailable,
                "A dependency did not answer in time, or the body did not arrive whole",
            ),
        ];
        rows.into_iter().map(|(code, when)| row(code, when)).collect()
    }
}

/// The same, and 404 for an unknown caller.
pub(crate) struct RefusalsAndNotFound;

impl IntoResponses for RefusalsAndNotFound {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = Refusals::responses();
        responses.extend([row(Code::NotFound, "No caller has this number")]);
        responses
    }
}

fn row(code: Code, when: &'static str) -> (String, RefOr<Response>) {
    let (status, _) = code.row();
    let content = Content::new(Some(Ref::from_schema_name("ErrorEnvelope")));
    let mut response = ResponseBuilder::new()
        .description(when)
        .content("application/json", content);
    if matches!(code, Code::RateLimited | Code::ServiceUnavailable) {
        let mut seconds = Header::new(ObjectBuilder::new().schema_type(Type::Integer));
        seconds.description = Some("After how many seconds to try again".to_owned());
        response = response.header("Retry-After", seconds);
    }
    (status.as_u16().to_string(), RefOr::T(response.build()))
}
