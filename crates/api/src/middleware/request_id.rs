//! Names every request: an id for the client and the log, and a W3C trace id.

use actix_web::{
    Error, HttpMessage,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::header::{HeaderMap, HeaderValue},
    middleware::Next,
    web::Data,
};
use opentelemetry::trace::TraceContextExt;
use uuid::Uuid;

use super::Frame;
use crate::{error::REQUEST_ID, rest::Api, telemetry::Traces};

/// The longest inbound id that is kept.
const LONGEST_ID: usize = 128;

/// Lays the frame of the request, and repeats its id in the answer.
pub(crate) async fn request_id<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let traces = request.app_data::<Data<Api>>().and_then(|api| api.traces.as_deref());
    let frame = frame(request.headers(), traces);
    request.extensions_mut().insert(frame.clone());
    let mut response = next.call(request).await?;
    if let Ok(id) = HeaderValue::from_str(&frame.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    Ok(response)
}

/// A new frame for a request with these headers, with a span when there are `traces`. Its trace id is then the span's.
pub(super) fn frame(headers: &HeaderMap, traces: Option<&Traces>) -> Frame {
    let inbound = text(headers, "x-request-id").filter(|id| is_sane(id));
    let request_id = inbound.map_or_else(new_request_id, str::to_owned);
    let trace_id = text(headers, "traceparent").and_then(trace_id_of);
    if let Some(traces) = traces {
        let span = traces.begin(headers, trace_id.is_some());
        let trace_id = span.span().span_context().trace_id().to_string();
        return Frame::new(request_id, trace_id, Some(span));
    }
    Frame::new(request_id, trace_id.map_or_else(new_trace_id, str::to_owned), None)
}

/// A new request id: 32 hexadecimal digits, ordered by time.
pub(crate) fn new_request_id() -> String {
    Uuid::now_v7().simple().to_string()
}

fn new_trace_id() -> String {
    // All zeros is the one value that is no trace id.
    format!("{:032x}", rand::random::<u128>().max(1))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_sane(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-'))
}

/// The trace id in a `traceparent`: `version-trace_id-parent_id-flags`, lower-case hexadecimal, neither id all zeros. A version
/// above 00 may have more parts; ff is none.
fn trace_id_of(traceparent: &str) -> Option<&str> {
    let hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let mut parts = traceparent.trim().split('-');
    let (version, trace_id) = (parts.next()?, parts.next()?);
    let (parent_id, flags) = (parts.next()?, parts.next()?);
    let whole = version != "00" || parts.next().is_none();
    let well_formed = hex(version, 2) && hex(trace_id, 32) && hex(parent_id, 16) && hex(flags, 2);
    let is_zero = |id: &str| id.bytes().all(|b| b == b'0');
    (whole && well_formed && version != "ff" && !is_zero(trace_id) && !is_zero(parent_id)).then_some(trace_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sane_ids_are_kept() {
        assert!(is_sane("a") && is_sane("A.b_c:d-9") && is_sane(&"x".repeat(128)));
        for id in ["", "a b", "a/b", "é", "a\n", "<x>", &"x".repeat(129)] {
            assert!(!is_sane(id), "{id}");
        }
    }

    #[test]
    fn a_trace_id_comes_from_a_well_formed_traceparent() {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(trace_id_of(&format!("00-{id}-00f067aa0ba902b7-01")), Some(id));
        assert_eq!(trace_id_of(&format!("cc-{id}-00f067aa0ba902b7-01-more")), Some(id));
        for wrong in [
            String::new(),
            id.to_owned(),
            format!("00-{id}-00f067aa0ba902b7"),
            format!("00-{id}-00f067aa0ba902b7-01-more"),
            format!("ff-{id}-00f067aa0ba902b7-01"),
            format!("00-{}-00f067aa0ba902b7-01", id.to_uppercase()),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{id}-0000000000000000-01"),
            format!("00-{}-00f067aa0ba902b7-01", &id[1..]),
        ] {
            assert_eq!(trace_id_of(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn new_ids_are_32_hexadecimal_digits_and_differ() {
        for new in [new_request_id, new_trace_id] {
            assert!(new().len() == 32 && new().bytes().all(|b| b.is_ascii_hexdigit()));
            assert_ne!(new(), new());
        }
    }
}
