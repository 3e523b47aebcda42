//! Verifies the key of a request. The tenant is fixed here, before the request reaches its handler.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use actix_web::{
    Error,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::header::{self, HeaderMap},
    middleware::Next,
    web::Data,
};
use domain::access::Principal;

use super::{
    deadline::{self, TimeLimit},
    frame::Frame,
};
use crate::{error::Refusal, route::Route, state::Api};

/// Lets a request pass whose key is valid, and writes into its frame who asks and how much time there is.
pub(crate) async fn authenticate<B: MessageBody + 'static>(
    limit: TimeLimit,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match verify(limit, &request).await {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(refusal) => Ok(request.error_response(refusal)),
    }
}

async fn verify(limit: TimeLimit, request: &ServiceRequest) -> Result<(), Refusal> {
    let api: &Data<Api> = request
        .app_data()
        .ok_or_else(|| Refusal::internal("the app has no state"))?;
    let frame = Frame::of(request.request());
    // Each request has a frame of its own, so nothing is in its cells yet.
    let _ = frame.route.set(Route::of(request.request()));
    frame.grant(limit, deadline::requested(request.headers()), &api.limits);
    let source = request
        .peer_addr()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer: SocketAddr| peer.ip());
    let verified = verified_principal(api, &frame, request.headers(), source).await;
    api.metrics.credential(verified.as_ref().err());
    let _ = frame.principal.set(verified?);
    Ok(())
}

async fn verified_principal(
    api: &Api,
    frame: &Frame,
    headers: &HeaderMap,
    source: IpAddr,
) -> Result<Principal, Refusal> {
    let credential = bearer(headers).unwrap_or_default();
    let budget = frame.budget();
    let verified = api.authenticator.authenticate(credential, source, budget.for_ports());
    match budget.bound("the verification of a key", verified).await {
        Ok(verified) => Ok(verified?),
        Err(late) => Err(Refusal::unavailable(late)),
    }
}

/// The credential of the one `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION);
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    let (scheme, credential) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| credential.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn of(values: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_static(value));
        }
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn the_credential_stands_after_the_scheme() {
        assert_eq!(of(&["Bearer sk_live_x"]).as_deref(), Some("sk_live_x"));
        assert_eq!(of(&["bearer   sk_live_x"]).as_deref(), Some("sk_live_x"));
        for none in [
            &[][..],
            &["Bearer"],
            &["Basic eDp5"],
            &["sk_live_x"],
            &["Bearer a", "Bearer b"],
        ] {
            assert_eq!(of(none), None, "{none:?}");
        }
    }
}
