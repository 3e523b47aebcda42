//! `POST /v1/recall_and_enrich`: who is calling?

mod receipt;
mod request;
mod response;

use actix_web::{HttpRequest, HttpResponse, web::Data};
use domain::{error::PortError, port::Probe, recall::Recall};

pub use request::{RecallRequest, Trigger};
pub use response::{
    CompanyBlock, Enrichment, Fact, Freshness, Identity, Memory, PersonBlock, PhoneBlock, RecallResponse, RecentCall,
    Timing, Withheld,
};

use super::{
    answer::{encoded, ok},
    body::Body,
    json,
};
use crate::{
    error::{Chain, InputError, Refusal},
    middleware::{
        deadline::{self, RequestedTime},
        frame::Frame,
    },
    openapi::parts::Refusals,
    state::Api,
};
use receipt::PendingReceipt;

/// Says who is calling, before the agent speaks.
///
/// A number not seen before becomes a caller (`known: false`). When the memory cannot be read in time, the answer is
/// still a 200, with `degraded: true` and every field null or empty: such a caller must not be treated as a new one.
#[utoipa::path(
    post,
    path = "/v1/recall_and_enrich",
    operation_id = "recallAndEnrich",
    tag = "callers",
    params((
        "X-Deadline-Ms" = Option<u32>,
        Header,
        description = "How long the client waits, in milliseconds: 20 to 5000",
        minimum = 20,
        maximum = 5000,
        nullable = false
    )),
    request_body = RecallRequest,
    responses((status = 200, description = "Who is calling, as far as known", body = RecallResponse), Refusals),
    security(("bearer" = [])),
)]
pub(super) async fn recall_and_enrich(
    request: HttpRequest,
    frame: Frame,
    body: Body,
    api: Data<Api>,
) -> Result<HttpResponse, Refusal> {
    let requested = deadline::requested(request.headers());
    answer(&api, &frame, requested, body).await.map(ok)
}

/// What every transport answers, in JSON, to a recall with this body.
pub(crate) async fn answer(api: &Api, frame: &Frame, requested: RequestedTime, body: Body) -> Result<String, Refusal> {
    let ctx = frame.context()?;
    let permit = api.callers.permit_recall(&ctx)?;
    requested.map_err(InputError::from)?;
    let input = json::read(&body.bytes()?, RecallRequest::decode)?.into_input(permit.region())?;
    let receipt = api
        .receipts
        .as_deref()
        .map(|receipts| PendingReceipt::new(receipts, &ctx, &input, frame));
    let work = api.callers.recall_and_enrich(permit, input);
    let recall = match frame.budget().bound("a recall", work).await {
        Ok(recall) => recall,
        Err(late) => {
            api.metrics.degraded();
            Recall::degraded(
                PortError::Unavailable(late.into()),
                frame.worked().as_secs_f64() * 1000.0,
            )
        }
    };
    if let Some(cause) = &recall.degraded {
        tracing::warn!(
            request_id = frame.request_id,
            trace_id = frame.trace_id,
            cause = %Chain(cause),
            "a recall was answered without memory"
        );
    }
    match receipt {
        Some(receipt) => receipt.keep_with(recall, frame),
        None => encoded(&RecallResponse::new(recall, frame, None)),
    }
}
