//! How answers leave.

use actix_web::HttpResponse;
use serde::Serialize;

use crate::error::Refusal;

/// A 200 with this JSON.
pub(super) fn ok(json: String) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(json)
}

/// An answer in JSON.
pub(crate) fn encoded(answer: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(answer).map_err(Refusal::internal)
}
