//! Draws a token from the key's bucket, and tells the client how the bucket stands (`RateLimit-Policy` and `RateLimit`
//! of the IETF httpapi draft).

use std::time::Duration;

use actix_web::{
    Error,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::header::{self, HeaderMap, HeaderName, HeaderValue},
    middleware::Next,
    web::Data,
};
use domain::port::RateDecision;

use super::frame::Frame;
use crate::{
    error::{Refusal, whole_seconds},
    state::Api,
};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");

/// What a client is told whose bucket is empty.
pub(crate) const USED_UP: &str = "this key has used up its requests; wait for Retry-After";

/// Lets a request pass for which there is a token.
pub(crate) async fn rate_limit<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let decision = match draw(&request).await {
        Ok(decision) => decision,
        Err(refusal) => return Ok(request.error_response(refusal)),
    };
    let mut response = if decision.allowed {
        next.call(request).await?.map_into_boxed_body()
    } else {
        request.error_response(Refusal::rate_limited(USED_UP, decision.retry_after))
    };
    show(&decision, response.headers_mut());
    Ok(response)
}

async fn draw(request: &ServiceRequest) -> Result<RateDecision, Refusal> {
    let api: &Data<Api> = request
        .app_data()
        .ok_or_else(|| Refusal::internal("the app has no state"))?;
    let frame = Frame::of(request.request());
    let principal = frame.context()?.principal;
    let drawn = frame
        .budget()
        .bound("the draw of a token", api.limiter.draw(&principal))
        .await;
    drawn.map_err(Refusal::unavailable)
}

/// Writes how the bucket stands: `q` tokens when full, refilled within `w` seconds; `r` left, and `t` seconds until it
/// is full again or, when refused, until there is a token.
fn show(decision: &RateDecision, headers: &mut HeaderMap) {
    let RateDecision {
        burst,
        per_second,
        remaining,
        ..
    } = *decision;
    let refilled_in = |tokens: u32| u64::from(tokens).div_ceil(u64::from(per_second.max(1)));
    let window = refilled_in(burst).max(1);
    let reset = if decision.allowed {
        refilled_in(burst.saturating_sub(remaining))
    } else {
        whole_seconds(decision.retry_after.max(Duration::from_nanos(1)))
    };
    let policy = HeaderValue::try_from(format!("\"key\";q={burst};w={window}"));
    let state = HeaderValue::try_from(format!("\"key\";r={remaining};t={reset}"));
    if let (Ok(policy), Ok(state)) = (policy, state) {
        headers.insert(POLICY, policy);
        headers.insert(STATE, state);
    }
    // No cache may keep what a key may see.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(allowed: bool, remaining: u32, retry_after_ms: u64) -> (String, String) {
        let decision = RateDecision {
            allowed,
            burst: 100,
            per_second: 50,
            remaining,
            retry_after: Duration::from_millis(retry_after_ms),
        };
        let mut headers = HeaderMap::new();
        show(&decision, &mut headers);
        let text = |name| headers.get(name).unwrap().to_str().unwrap().to_owned();
        (text(POLICY), text(STATE))
    }

    #[test]
    fn the_headers_tell_how_the_bucket_stands() {
        let policy = "\"key\";q=100;w=2".to_owned();
        assert_eq!(shown(true, 99, 0), (policy.clone(), "\"key\";r=99;t=1".into()));
        assert_eq!(shown(true, 100, 0), (policy.clone(), "\"key\";r=100;t=0".into()));
        assert_eq!(shown(true, 0, 0), (policy.clone(), "\"key\";r=0;t=2".into()));
        assert_eq!(shown(false, 0, 20), (policy, "\"key\";r=0;t=1".into()));
    }
}
