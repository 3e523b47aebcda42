//! MCP at `/mcp`: the three things the service does, as tools for a model.
//!
//! The SDK speaks the protocol; here is the bridge between its HTTP and actix's. A message is served without a session,
//! so that any replica can take it, and by a service that is made for it, which holds what belongs to its request.

mod arguments;
mod origin;
mod schema;
pub(crate) mod structured;
mod tools;

use std::{convert::Infallible, sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse, Resource,
    http::{
        StatusCode,
        header::{self, HeaderMap},
    },
    web::{self, Bytes, Data},
};
use domain::context::LONGEST_DEADLINE_MS;
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use crate::{
    error::Refusal,
    middleware::{
        deadline::{self, TimeLimit},
        envelope::FinalBody,
        frame::Frame,
    },
    rest::{body::Body, endpoint::guarded, json},
    route::Route,
    state::Api,
};
use tools::Tools;

const JSON: &str = "application/json";

/// Longer than any tool takes, which keeps its own deadline. It holds when a task of the SDK is lost.
const LONGEST: Duration = Duration::from_millis(LONGEST_DEADLINE_MS + 5_000);

/// The endpoint, behind the same key and the same bucket as the others. Until the tool is known, the time of a recall
/// holds.
pub(crate) fn resource() -> Resource {
    tools::prepare();
    guarded(Route::Mcp.pattern(), "POST", web::post().to(message), TimeLimit::Recall)
}

/// Serves one JSON-RPC message. What a tool refuses is in its result; what is refused here concerns the request as a
/// whole.
async fn message(request: HttpRequest, frame: Frame, body: Body, api: Data<Api>) -> Result<HttpResponse, Refusal> {
    let headers = request.headers();
    if !origin::is_local(headers) {
        return Err(Refusal::forbidden_origin());
    }
    if frame.context()?.principal.scopes.iter().next().is_none() {
        return Err(Refusal::no_scope());
    }
    let body = body.bytes()?;
    let (message, arguments) = arguments::taken_out(json::text(&body)?);
    let tools = Tools {
        api,
        frame,
        requested: deadline::requested(headers),
        arguments: Bytes::copy_from_slice(arguments.unwrap_or("{}").as_bytes()),
    };
    let answer = exchange(to_sdk(headers, message)?, tools);
    let answer = tokio::time::timeout(LONGEST, answer).await;
    from_sdk(answer.map_err(|_| Refusal::internal("the SDK did not answer"))??)
}

type Answer = http::Response<Bytes>;

/// What the SDK answers to `request` with these tools.
async fn exchange(request: http::Request<Full<Bytes>>, tools: Tools) -> Result<Answer, Refusal> {
    // Where a request comes from is settled, and answers need no stream: no tool sends anything before its result.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts();
    let service = StreamableHttpService::new(move || Ok(tools.clone()), Arc::<NeverSessionManager>::default(), config);
    let (head, body): (_, BoxBody<Bytes, Infallible>) = service.handle(request).await.into_parts();
    let body = body.collect().await.map_err(Refusal::internal)?;
    Ok(http::Response::from_parts(head, body.to_bytes()))
}

/// The request in the types of the SDK, with the headers of the protocol and no others. The media types have been
/// checked, and whatever a client accepts, there is but one that is sent.
fn to_sdk(headers: &HeaderMap, message: String) -> Result<http::Request<Full<Bytes>>, Refusal> {
    let mut request = http::Request::post(Route::Mcp.pattern())
        .header(http::header::HOST, "localhost")
        .header(http::header::CONTENT_TYPE, JSON)
        .header(http::header::ACCEPT, "application/json, text/event-stream");
    for (name, value) in headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-")) {
        let name = http::HeaderName::from_bytes(name.as_str().as_bytes());
        let value = http::HeaderValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            request = request.header(name, value);
        }
    }
    request.body(Full::from(message)).map_err(Refusal::internal)
}

/// The answer in the types of actix. Errors of JSON-RPC stay as they are; those that the SDK has no words of the
/// protocol for get the envelope.
fn from_sdk(answer: Answer) -> Result<HttpResponse, Refusal> {
    let (head, body) = answer.into_parts();
    let status = StatusCode::from_u16(head.status.as_u16()).map_err(Refusal::internal)?;
    let content_type = head
        .headers
        .get(http::header::CONTENT_TYPE)
        .map(http::HeaderValue::as_bytes);
    let is_json = content_type.is_some_and(|value| value.starts_with(JSON.as_bytes()));
    if !status.is_success() && !is_json {
        return Err(match status {
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Refusal::bad_request("the body is not a JSON-RPC 2.0 message of MCP"),
            StatusCode::BAD_REQUEST => Refusal::bad_request(
                "MCP-Protocol-Version: this version is not spoken here; initialize or server/discover tells which are",
            ),
            status => Refusal::internal(format!("the SDK answered with {status}")),
        });
    }
    let mut response = HttpResponse::build(status);
    if let Some(content_type) = content_type {
        response.insert_header((header::CONTENT_TYPE, content_type));
    }
    let mut response = response.body(body);
    response.extensions_mut().insert(FinalBody);
    Ok(response)
}
