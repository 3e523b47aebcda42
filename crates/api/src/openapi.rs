//! The OpenAPI document, made of the routes that are mounted and of the types that go over the wire.

use std::collections::BTreeMap;

use actix_web::App;
use domain::call::{CallOutcome, Role};
use serde_json::json;
use utoipa::{
    IntoResponses, OpenApi,
    openapi::{
        Content, Header, Object, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, Schema, Type,
        schema::AdditionalProperties,
        security::{Http, HttpAuthScheme, SecurityScheme},
    },
};
use utoipa_actix_web::AppExt;

use crate::{
    error::{Code, ErrorEnvelope, envelope},
    rest,
};

/// Schemas to which later versions may add fields, so that clients must tolerate more than is listed.
const PERMISSIVE: [&str; 9] = [
    "RecallAndEnrichResponse",
    "Memory",
    "RecentCall",
    "Enrichment",
    "EnrichmentPerson",
    "EnrichmentCompany",
    "EnrichmentPhone",
    "Timing",
    "Freshness",
];

#[derive(OpenApi)]
#[openapi(
    info(
        title = "caller-memory",
        version = "1",
        description = "A memory of callers for voice agents: who is calling, what was said before, and what to write back.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/", description = "The service that serves this document")),
    tags((name = "callers", description = "What is remembered of callers")),
    components(schemas(ErrorEnvelope))
)]
struct Base;

/// The OpenAPI 3.1 document of the public interface.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    let (_, mut document) = App::new()
        .into_utoipa_app()
        .openapi(Base::openapi())
        .configure(rest::configure)
        .split_for_parts();
    let components = document.components.get_or_insert_default();
    for (name, schema) in &mut components.schemas {
        if let (true, RefOr::T(Schema::Object(object))) = (PERMISSIVE.contains(&name.as_str()), schema) {
            object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
        }
    }
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.bearer_format = Some("sk_live_...".to_owned());
    bearer.description = Some("An API key. It fixes the tenant.".to_owned());
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    document
}

/// The document as it is served.
pub(crate) fn text() -> String {
    document().to_json().unwrap_or_default()
}

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
            (Code::ServiceUnavailable, "A dependency did not answer in time"),
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
    let (status, name) = code.row();
    let example = serde_json::from_str(&envelope(code, when.into(), Some("01980c2e5d1e7c6f9a2b3c4d5e6f7a8b")));
    let mut content = Content::new(Some(Ref::from_schema_name("ErrorEnvelope")));
    content.example = Some(example.unwrap_or_else(|_| json!({"error": {"code": name}})));
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
