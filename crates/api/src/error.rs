//! The one table of codes: what a refusal looks like to a client, and what of it only the log shows.
//!
//! Whatever refuses a request (a route that does not exist, a key, a schema, a port, a panic) becomes a [`Refusal`],
//! and one function writes the envelope of all of them.

use std::{borrow::Cow, error::Error as StdError, fmt, time::Duration};

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{self, HeaderName, HeaderValue},
    },
};
use domain::{
    error::{Cause, DeadlineExceeded, Error, PortError},
    port::AuthError,
};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use domain::error::Chain;

/// The header that carries the id of a request, inbound and outbound.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// When a client that met a failed dependency should try again.
const RETRY_SOON: Duration = Duration::from_secs(1);

/// The body of every answer that is not 2xx.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorEnvelope {
    /// What went wrong.
    pub error: ErrorBody,
}

/// What went wrong: a code for programs, a message for people.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorBody {
    /// The machine-readable code.
    #[schema(examples("validation_error"))]
    pub code: Cow<'static, str>,
    /// What is wrong and what to do about it. Never repeats what was sent.
    #[schema(examples("transcript[1].text: expected a string"))]
    pub message: Cow<'static, str>,
    /// Finds the request in the log; the header `x-request-id` repeats it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("01980c2e5d1e7c6f9a2b3c4d5e6f7a8b"))]
    pub request_id: Option<String>,
}

/// What can be wrong, as the client sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    BadRequest,
    Unauthorized,
    InsufficientScope,
    NotFound,
    MethodNotAllowed,
    ValidationError,
    RateLimited,
    InternalError,
    ServiceUnavailable,
    ForbiddenOrigin,
}

impl Code {
    /// The table: status and name of each code.
    pub(crate) const fn row(self) -> (StatusCode, &'static str) {
        match self {
            Self::BadRequest => (StatusCode::BAD_REQUEST, "bad_request"),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
            Self::InsufficientScope => (StatusCode::FORBIDDEN, "insufficient_scope"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::ValidationError => (StatusCode::UNPROCESSABLE_ENTITY, "validation_error"),
            Self::RateLimited => (StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
            Self::InternalError => (StatusCode::INTERNAL_SERVER_ERROR, "internal_error"),
            Self::ServiceUnavailable => (StatusCode::SERVICE_UNAVAILABLE, "service_unavailable"),
            Self::ForbiddenOrigin => (StatusCode::FORBIDDEN, "forbidden_origin"),
        }
    }

    /// The code for a status that the framework chose by itself.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::NotFound,
            StatusCode::METHOD_NOT_ALLOWED => Self::MethodNotAllowed,
            status if status.is_server_error() => Self::InternalError,
            _ => Self::BadRequest,
        }
    }
}

/// What is wrong with the form of a request; the texts are meant for the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    /// The request cannot be read: its body is no JSON, say, or its phone number cannot be parsed.
    #[error("{0}")]
    BadRequest(String),
    /// The body is JSON but does not fit the schema; the text names the place.
    #[error("{0}")]
    Validation(String),
}

/// Why a request is not served: the client's face (code, message, headers) and the hidden one (the cause).
#[derive(Debug)]
pub(crate) struct Refusal {
    code: Code,
    message: Cow<'static, str>,
    allow: Option<&'static str>,
    retry_after: Option<Duration>,
    cause: Option<Cause>,
    request_id: Option<String>,
}

impl Refusal {
    fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            allow: None,
            retry_after: None,
            cause: None,
            request_id: None,
        }
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(
            Code::Unauthorized,
            "send a valid API key as `Authorization: Bearer sk_live_...`",
        )
    }

    pub(crate) fn no_such_path() -> Self {
        Self::new(
            Code::NotFound,
            "there is no such path; /.well-known/openapi.json lists what there is",
        )
    }

    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        Self {
            allow: Some(allow),
            ..Self::new(
                Code::MethodNotAllowed,
                "this path does not take this method; see the header Allow",
            )
        }
    }

    /// A key that can use nothing of what a path offers.
    pub(crate) fn no_scope() -> Self {
        Self::new(
            Code::InsufficientScope,
            "this key has no scope, so no tool would work; create a key that has one",
        )
    }

    pub(crate) fn forbidden_origin() -> Self {
        Self::new(
            Code::ForbiddenOrigin,
            "this path is not for browsers: keys belong on servers; send no Origin header",
        )
    }

    /// A request that is not what `message` says.
    pub(crate) fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::BadRequest, message)
    }

    pub(crate) fn rate_limited(message: &'static str, retry_after: Duration) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(Code::RateLimited, message)
        }
    }

    pub(crate) fn internal(cause: impl Into<Cause>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::new(
                Code::InternalError,
                "an unexpected error; keep the request id and tell the operator",
            )
        }
    }

    pub(crate) fn unavailable(cause: impl Into<Cause>) -> Self {
        let cause = cause.into();
        let message = if cause.is::<DeadlineExceeded>() {
            "a dependency did not answer in time; retry with backoff"
        } else {
            "a dependency cannot do its work at present; retry with backoff, and tell the operator when it lasts"
        };
        Self {
            cause: Some(cause),
            retry_after: Some(RETRY_SOON),
            ..Self::new(Code::ServiceUnavailable, message)
        }
    }

    /// A request of which a part did not arrive: it may be sent again as it is.
    pub(crate) fn incomplete(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            retry_after: Some(RETRY_SOON),
            ..Self::new(Code::ServiceUnavailable, message)
        }
    }

    /// The refusal for an answer that the framework made by itself. Its own words are dropped: they may repeat the
    /// request's.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match Code::of_status(status) {
            Code::NotFound => Self::no_such_path(),
            Code::InternalError => Self::internal("the framework answered with a server error"),
            code => Self::new(code, "the request is not well-formed HTTP for this service"),
        }
    }

    /// The same refusal, for the request with this id.
    pub(crate) fn with_request_id(mut self, request_id: &str) -> Self {
        self.request_id = Some(request_id.to_owned());
        self
    }

    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// The hidden side: what went wrong inside, for the log.
    pub(crate) fn cause(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn StdError + 'static))
    }

    /// The answer for the request with this id.
    pub(crate) fn response(&self, request_id: Option<&str>) -> HttpResponse {
        let (status, _) = self.code.row();
        let mut response = HttpResponse::build(status);
        if self.code == Code::Unauthorized {
            response.insert_header((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        if let Some(allow) = self.allow {
            response.insert_header((header::ALLOW, HeaderValue::from_static(allow)));
        }
        if let Some(after) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, whole_seconds(after).max(1)));
        }
        if let Some(id) = request_id {
            response.insert_header((REQUEST_ID, id));
        }
        response.content_type("application/json").body(self.body(request_id))
    }

    /// The envelope for the request with this id.
    pub(crate) fn body(&self, request_id: Option<&str>) -> String {
        envelope(self.code, self.message.clone(), request_id)
    }
}

/// The body of a refusal.
pub(crate) fn envelope(code: Code, message: Cow<'static, str>, request_id: Option<&str>) -> String {
    let envelope = ErrorEnvelope {
        error: ErrorBody {
            code: Cow::Borrowed(code.row().1),
            message,
            request_id: request_id.map(str::to_owned),
        },
    };
    serde_json::to_string(&envelope).unwrap_or_default()
}

/// A time in seconds, rounded up.
pub(crate) fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl ResponseError for Refusal {
    fn status_code(&self) -> StatusCode {
        self.code.row().0
    }

    fn error_response(&self) -> HttpResponse {
        self.response(self.request_id.as_deref())
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            Error::InsufficientScope(_) => Self::new(Code::InsufficientScope, error.to_string()),
            Error::NotFound => Self::new(Code::NotFound, error.to_string()),
            Error::Port(error) => error.into(),
        }
    }
}

impl From<PortError> for Refusal {
    fn from(error: PortError) -> Self {
        match error {
            PortError::Unavailable(cause) => Self::unavailable(cause),
            PortError::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Self {
        match error {
            InputError::BadRequest(message) => Self::new(Code::BadRequest, message),
            InputError::Validation(message) => Self::new(Code::ValidationError, message),
        }
    }
}

impl From<AuthError> for Refusal {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Unauthorized => Self::unauthorized(),
            AuthError::Throttled { retry_after } => Self::rate_limited(
                "too many wrong keys came from this address; wait for Retry-After",
                retry_after,
            ),
            AuthError::Unavailable(cause) => Self::unavailable(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::{self, MessageBody};
    use domain::access::Scope;

    fn shown(refusal: &Refusal) -> (u16, String) {
        let response = refusal.response(Some("id-1"));
        let status = response.status().as_u16();
        let bytes = response
            .into_body()
            .try_into_bytes()
            .unwrap_or_else(|_: body::BoxBody| panic!("a whole body"));
        (status, String::from_utf8_lossy(&bytes).into_owned())
    }

    #[test]
    fn every_error_of_a_use_case_has_its_row() {
        let secret = || Cause::from("password hunter2 refused by db.internal");
        let table = [
            (InputError::BadRequest("x".into()).into(), 400, "bad_request"),
            (InputError::Validation("x".into()).into(), 422, "validation_error"),
            (
                Error::InsufficientScope(Scope::Recall).into(),
                403,
                "insufficient_scope",
            ),
            (Error::NotFound.into(), 404, "not_found"),
            (
                Error::Port(PortError::Unavailable(secret())).into(),
                503,
                "service_unavailable",
            ),
            (PortError::Internal(secret()).into(), 500, "internal_error"),
        ];
        for (refusal, status, code) in table {
            let refusal: Refusal = refusal;
            let (shown_status, body) = shown(&refusal);
            assert_eq!(shown_status, status, "{body}");
            assert!(
                body.contains(&format!("\"code\":\"{code}\"")) && body.contains("id-1"),
                "{body}"
            );
            assert!(!body.contains("hunter2"), "the inside stays inside: {body}");
        }
    }

    #[test]
    fn what_failed_is_not_told_as_late() {
        let late = Refusal::from(PortError::deadline("record_end"));
        assert!(shown(&late).1.contains("did not answer in time"));
        let failed = Refusal::from(PortError::Unavailable("the database's files were removed".into()));
        let (status, body) = shown(&failed);
        assert_eq!(status, 503);
        assert!(
            body.contains("cannot do its work") && body.contains("tell the operator"),
            "{body}"
        );
        assert!(!body.contains("in time") && !body.contains("files"), "{body}");
    }

    #[test]
    fn waits_are_rounded_up_to_whole_seconds() {
        assert_eq!(whole_seconds(Duration::from_millis(1)), 1);
        assert_eq!(whole_seconds(Duration::from_secs(2)), 2);
    }
}
