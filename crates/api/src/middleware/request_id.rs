//! Names every request, and says the name to the client.

use actix_web::{
    Error, HttpMessage,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::header::HeaderValue,
    middleware::Next,
    web::Data,
};

use super::frame::Frame;
use crate::{error::REQUEST_ID, state::Api};

/// Lays the frame of the request, and repeats its id in the answer.
pub(crate) async fn request_id<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let traces = request.app_data::<Data<Api>>().and_then(|api| api.traces.as_deref());
    let frame = Frame::new(request.headers(), traces);
    request.extensions_mut().insert(frame.clone());
    let mut response = next.call(request).await?;
    if let Ok(id) = HeaderValue::from_str(&frame.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    Ok(response)
}
