//! Takes the body of a request off the wire, within its limits. What is wrong with it is kept until its turn comes: the
//! scope is checked before the body.

use std::{convert::Infallible, time::Instant};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    error::PayloadError,
    http::header::{self, HeaderMap},
    web::{Bytes, BytesMut, Data},
};
use futures_util::{StreamExt, future::LocalBoxFuture};

use crate::{
    error::Refusal,
    middleware::frame::Frame,
    state::{Api, RequestLimits},
};

/// The body of a request, or why it could not be taken.
pub(crate) struct Body(Result<Bytes, Refusal>);

impl Body {
    /// A body that came inside of another one.
    pub(crate) fn of(bytes: Bytes) -> Self {
        Self(Ok(bytes))
    }

    /// The bytes.
    pub(crate) fn bytes(self) -> Result<Bytes, Refusal> {
        self.0
    }
}

impl FromRequest for Body {
    type Error = Infallible;
    type Future = LocalBoxFuture<'static, Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let frame = Frame::of(&request);
            let limits = request.app_data::<Data<Api>>().map(|api| api.limits);
            let began = Instant::now();
            let body = take(request.headers(), payload, limits.unwrap_or_default()).await;
            frame.waited.set(began.elapsed());
            Ok(Self(body))
        })
    }
}

async fn take(headers: &HeaderMap, payload: Payload, limits: RequestLimits) -> Result<Bytes, Refusal> {
    if !is_json(headers) {
        return Err(Refusal::bad_request("the content type must be application/json"));
    }
    if !is_utf8(headers) {
        return Err(Refusal::bad_request(
            "the body must be UTF-8, but the content type names another charset",
        ));
    }
    if !is_plain(headers) {
        return Err(Refusal::bad_request(
            "the body must not be compressed; send it without Content-Encoding",
        ));
    }
    let too_large = || Refusal::bad_request(format!("the body is larger than {} bytes", limits.max_body_bytes));
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limits.max_body_bytes) {
        return Err(too_large());
    }
    match tokio::time::timeout(limits.body_time, collect(payload, limits.max_body_bytes)).await {
        Ok(Ok(Some(body))) => Ok(body),
        Ok(Ok(None)) => Err(too_large()),
        // A client that broke off may be well the next time.
        Ok(Err(PayloadError::Incomplete(_) | PayloadError::Io(_))) => {
            Err(Refusal::incomplete("the body ended early; send it again"))
        }
        Ok(Err(_)) => Err(Refusal::bad_request("the body is not well-formed HTTP")),
        Err(_) => Err(Refusal::incomplete(format!(
            "the body did not arrive within {} s; send it again",
            limits.body_time.as_secs()
        ))),
    }
}

/// The whole payload; `None` when it is larger than `most`. A payload of one piece, as most are, is not copied.
async fn collect(mut payload: Payload, most: usize) -> Result<Option<Bytes>, PayloadError> {
    let Some(first) = payload.next().await else {
        return Ok(Some(Bytes::new()));
    };
    let first = first?;
    if first.len() > most {
        return Ok(None);
    }
    let Some(second) = payload.next().await else {
        return Ok(Some(first));
    };
    let mut body = BytesMut::from(first.as_ref());
    let mut piece = second?;
    loop {
        if body.len() + piece.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&piece);
        match payload.next().await {
            Some(next) => piece = next?,
            None => return Ok(Some(body.freeze())),
        }
    }
}

/// Whether the content type is JSON or is not given.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return true;
    };
    let Ok(value) = value.to_str() else { return false };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.is_empty() || essence == "application/json" || (essence.contains('/') && essence.ends_with("+json"))
}

/// Whether the content type names no charset, or one that UTF-8 contains.
fn is_utf8(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let mut parameters = value.unwrap_or_default().split(';').skip(1);
    parameters.all(|parameter| match parameter.split_once('=') {
        Some((name, charset)) if name.trim().eq_ignore_ascii_case("charset") => {
            let charset = charset.trim().trim_matches('"');
            ["utf-8", "utf8", "us-ascii"]
                .iter()
                .any(|known| charset.eq_ignore_ascii_case(known))
        }
        _ => true,
    })
}

fn is_plain(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_ENCODING)
        .is_none_or(|value| value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    #[test]
    fn another_charset_than_utf_8_is_refused() {
        assert!(is_utf8(&HeaderMap::new()));
        for (value, accepted) in [
            ("application/json", true),
            ("application/json; charset=UTF-8", true),
            ("application/json;version=1; Charset=\"utf-8\"", true),
            ("application/json; charset=utf-16", false),
            ("application/json; version=1;charset=iso-8859-1", false),
            ("application/json; charset=", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(value).unwrap());
            assert_eq!(is_utf8(&headers), accepted, "{value}");
        }
    }

    #[test]
    fn json_and_no_content_type_are_accepted() {
        assert!(is_json(&HeaderMap::new()));
        for (value, accepted) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/vnd.acme+json", true),
            ("", true),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("application/jsonp", false),
            ("multipart/form-data; boundary=application/json", false),
            ("+json", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(value).unwrap());
            assert_eq!(is_json(&headers), accepted, "{value}");
        }
    }
}
