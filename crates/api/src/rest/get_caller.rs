//! `GET /v1/caller/{phone_number}`: read a profile, without a trace.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use domain::{
    caller::{self, Caller},
    json::JsonObject,
};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{
    answer::{encoded, ok},
    number::in_e164,
};
use crate::{
    error::{InputError, Refusal},
    middleware::frame::Frame,
    openapi::parts::RefusalsAndNotFound,
    state::Api,
};

/// Reads a caller's profile.
///
/// Creates nothing and looks nothing up. Also the way to check a key: 200 or 404 means that the key is valid.
#[utoipa::path(
    get,
    path = "/v1/caller/{phone_number}",
    operation_id = "getCaller",
    tag = "callers",
    params((
        "phone_number" = String, Path, description = "The number in E.164, its plus sign encoded as %2B",
        pattern = r"^\+[1-9][0-9]{1,14}$", example = "+12025550142"
    )),
    responses((status = 200, description = "The caller's profile", body = CallerResponse), RefusalsAndNotFound),
    security(("bearer" = [])),
)]
pub(super) async fn get_caller(request: HttpRequest, frame: Frame, api: Data<Api>) -> Result<HttpResponse, Refusal> {
    let number = || decoded(request.match_info().get("phone_number").unwrap_or_default());
    answer(&api, &frame, number).await.map(ok)
}

/// What every transport answers, in JSON, about the caller whose number `number` gives in E.164.
pub(crate) async fn answer<N>(api: &Api, frame: &Frame, number: N) -> Result<String, Refusal>
where
    N: FnOnce() -> Result<String, InputError>,
{
    let ctx = frame.context()?;
    let permit = api.callers.permit_get_caller(&ctx)?;
    let number = in_e164(&number()?)?;
    let work = api.callers.get_caller(permit, &number);
    let caller = frame.budget().bound("a profile", work).await;
    let caller = caller.map_err(Refusal::unavailable)??;
    let mark = caller.do_not_call.clone().map(DoNotCall::from);
    encoded(&CallerResponse {
        do_not_call: Some(Mark(mark)),
        ..CallerResponse::from(caller)
    })
}

/// Undoes the percent encoding of a path segment; a plus stands for itself.
fn decoded(segment: &str) -> Result<String, InputError> {
    let wrong = || InputError::BadRequest("phone_number: the percent encoding of the path is broken".to_owned());
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2).ok_or_else(wrong)?;
        let digit = |digit: u8| {
            char::from(digit)
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        };
        let (high, low) = (digit(digits[0]).ok_or_else(wrong)?, digit(digits[1]).ok_or_else(wrong)?);
        bytes.push(high << 4 | low);
        rest = after;
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

/// A caller's profile. In a degraded recall every value is null or empty.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Caller, examples(json!({
    "name": "Maren Okafor", "first_seen_ms": 1_763_719_200_000_i64, "last_seen_ms": 1_763_892_000_000_i64,
    "total_calls": 2, "tags": ["vip"], "custom_attributes": {"plan": "gold"}
})))]
pub struct CallerResponse {
    /// The caller's name; null when unknown.
    #[schema(required = true)]
    pub name: Option<String>,
    /// First contact, in milliseconds since the epoch.
    #[schema(value_type = Option<f64>, required = true)]
    pub first_seen_ms: Option<i64>,
    /// Latest contact, in milliseconds since the epoch; in a recall, the one before this request.
    #[schema(value_type = Option<f64>, required = true)]
    pub last_seen_ms: Option<i64>,
    /// The number of distinct calls; null means unavailable, never zero.
    #[schema(required = true)]
    pub total_calls: Option<u64>,
    /// The operator's tags.
    pub tags: Vec<String>,
    /// The operator's attributes.
    #[serde(serialize_with = "in_its_own_text")]
    #[schema(value_type = Object)]
    pub custom_attributes: JsonObject,
    /// The caller's wish not to be called any more; null when there is none. Absent in a recall's `caller`, because it
    /// stands beside that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DoNotCall>)]
    pub do_not_call: Option<Mark>,
}

/// A caller's wish not to be called any more. Only an operator takes it away.
#[derive(Debug, Serialize, ToSchema)]
pub struct DoNotCall {
    /// When the caller said so, or an operator noted it; in milliseconds since the epoch.
    #[schema(value_type = f64)]
    pub at_ms: i64,
    /// The words that say so; null where an operator noted it.
    #[schema(required = true)]
    pub quote: Option<String>,
    /// The call in which it was said; null where an operator noted it.
    #[schema(required = true)]
    pub call_id: Option<String>,
}

/// The wish, or null.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Mark(pub Option<DoNotCall>);

impl From<caller::DoNotCall> for DoNotCall {
    fn from(mark: caller::DoNotCall) -> Self {
        Self {
            at_ms: mark.at_ms,
            quote: mark.quote,
            call_id: mark.call_id.map(|call| call.to_string()),
        }
    }
}

impl CallerResponse {
    /// The profile of a caller that could not be read.
    pub(super) fn unavailable() -> Self {
        Self {
            name: None,
            first_seen_ms: None,
            last_seen_ms: None,
            total_calls: None,
            tags: Vec::new(),
            custom_attributes: JsonObject::default(),
            do_not_call: None,
        }
    }
}

impl From<Caller> for CallerResponse {
    fn from(caller: Caller) -> Self {
        Self {
            name: caller.name,
            first_seen_ms: Some(caller.first_seen_ms),
            last_seen_ms: Some(caller.last_seen_ms),
            total_calls: Some(caller.total_calls),
            tags: caller.tags,
            custom_attributes: caller.custom_attributes,
            do_not_call: None,
        }
    }
}

fn in_its_own_text<S: Serializer>(object: &JsonObject, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<&RawValue>(object.as_str())
        .map_err(|_| S::Error::custom("the stored attributes are not JSON"))?
        .serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encoding_is_undone_once() {
        assert_eq!(decoded("%2B12025550142").unwrap(), "+12025550142");
        assert_eq!(decoded("+12025550142").unwrap(), "+12025550142");
        assert_eq!(decoded("%252B1").unwrap(), "%2B1");
        for broken in ["%", "%2", "%zz", "1%", "%ff", "%c3%28"] {
            assert!(decoded(broken).is_err(), "{broken}");
        }
    }
}
