//! The OpenAPI document, made of the routes that are mounted and of the types that go over the wire.

use std::sync::LazyLock;

use actix_web::{App, web::Bytes};
use utoipa::{
    OpenApi,
    openapi::{
        RefOr, Schema,
        schema::AdditionalProperties,
        security::{Http, HttpAuthScheme, SecurityScheme},
    },
};
use utoipa_actix_web::AppExt;

use super::examples;
use crate::{error::ErrorEnvelope, rest};

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
        description = "A memory of callers for voice agents: who is calling, what was said before, and what to write \
            back.",
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
    examples::add(&mut document);
    document
}

/// The document as it is served, made once.
pub(crate) fn text() -> Bytes {
    static TEXT: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(document().to_json().unwrap_or_default()));
    TEXT.clone()
}
