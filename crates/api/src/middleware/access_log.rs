//! One log line and one count for every request, and the end of its span. The path of a request is never logged, only
//! the route that it matched: a path may hold a phone number.

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::Method,
    middleware::Next,
    web::Data,
};

use opentelemetry::trace::FutureExt;

use super::frame::Frame;
use crate::{clock::rounded_ms, route::Route, state::Api, telemetry::traces};

/// Counts the request, and logs it when it is answered.
pub(crate) async fn access_log<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let api = request.app_data::<Data<Api>>().cloned();
    let frame = Frame::of(request.request());
    let method = method_name(request.method());
    let _in_flight = api.as_ref().map(|api| api.metrics.begin_request());

    let answered = match &frame.span {
        Some(span) => next.call(request).with_context(span.clone()).await,
        None => next.call(request).await,
    };
    let (status, route) = match &answered {
        Ok(response) => (response.status(), Route::of(response.request())),
        // The request is gone, as after a panic, but its frame is not.
        Err(error) => {
            let route = frame.route.get().copied().unwrap_or(Route::Unmatched);
            (error.as_response_error().status_code(), route)
        }
    };
    let took = frame.began.elapsed();
    if let Some(api) = &api {
        // How slowly a client sends its body is no latency of the service.
        api.metrics.request(route, method, status, frame.worked());
    }
    if let Some(span) = &frame.span {
        traces::end(span, method, route, status);
    }
    let principal = frame.principal.get();
    tracing::info!(
        target: "access",
        request_id = frame.request_id,
        trace_id = frame.trace_id,
        method,
        route = route.pattern(),
        status = status.as_u16(),
        ms = rounded_ms(took.as_secs_f64() * 1000.0),
        tenant_id = principal.map(|principal| tracing::field::display(principal.tenant_id)),
        key_id = principal.map(|principal| tracing::field::display(principal.key_id)),
    );
    answered
}

/// The name of a method in logs, metrics and traces; a client can invent others, which are all one here.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}
