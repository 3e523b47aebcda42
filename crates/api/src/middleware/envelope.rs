//! Gives every refusal its body and logs its cause, once. Also catches what was not foreseen: answers that the
//! framework makes by itself, and panics.

use std::panic::AssertUnwindSafe;

use actix_web::{
    Error,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};
use futures_util::FutureExt;

use super::frame::Frame;
use crate::error::{Chain, Refusal};

/// Turns whatever is neither 2xx nor a redirection into the envelope.
pub(crate) async fn envelope<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let frame = Frame::of(request.request());
    match AssertUnwindSafe(next.call(request)).catch_unwind().await {
        Ok(Ok(response)) if is_answer(&response) => Ok(response.map_into_boxed_body()),
        Ok(Ok(response)) => {
            let mut enveloped = {
                let refusal = response.response().error().and_then(Error::as_error::<Refusal>);
                refused(&frame, refusal.unwrap_or(&Refusal::of_status(response.status())))
            };
            // What the middleware inside has added stays.
            for (name, value) in response.headers() {
                if !enveloped.headers().contains_key(name) {
                    enveloped.headers_mut().append(name.clone(), value.clone());
                }
            }
            Ok(response.into_response(enveloped))
        }
        // Below, the request is gone, so the refusal itself must know the id.
        Ok(Err(error)) => {
            let refusal = Refusal::of_status(error.as_response_error().status_code());
            refused(&frame, &refusal);
            Err(refusal.with_request_id(&frame.request_id).into())
        }
        Err(_) => {
            // The panic hook has said where.
            let refusal = Refusal::internal("the handler panicked");
            refused(&frame, &refusal);
            Err(refusal.with_request_id(&frame.request_id).into())
        }
    }
}

/// Marks an answer whose body stays as it is, whatever its status: an error in the words of another protocol than this
/// interface's.
pub(crate) struct FinalBody;

/// Whether the response is what was asked for, and no refusal that needs a body.
fn is_answer<B>(response: &ServiceResponse<B>) -> bool {
    let status = response.status();
    status.is_success() || status.is_redirection() || response.response().extensions().contains::<FinalBody>()
}

/// The answer of a refusal.
fn refused(frame: &Frame, refusal: &Refusal) -> actix_web::HttpResponse {
    log_cause(frame, refusal);
    refusal.response(Some(&frame.request_id))
}

/// Logs why the service itself failed, if it did. Whoever answers a refusal does this, once.
pub(crate) fn log_cause(frame: &Frame, refusal: &Refusal) {
    if let Some(cause) = refusal.cause() {
        tracing::error!(
            request_id = frame.request_id,
            trace_id = frame.trace_id,
            cause = %Chain(cause),
            "a request failed"
        );
    }
}
