//! The public HTTP interface: three endpoints, each a handler of a few lines between the wire and a use case. What they
//! answer is also what the tools of `mcp` answer.

pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod calls_end;
pub(crate) mod docs;
pub(crate) mod endpoint;
pub(crate) mod get_caller;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod recall_and_enrich;

use actix_web::web;
use utoipa_actix_web::service_config::ServiceConfig;

pub use calls_end::{CallsEndRequest, TranscriptEntry};
pub use get_caller::CallerResponse;
pub use recall_and_enrich::{
    CompanyBlock, Enrichment, Fact, Freshness, Identity, Memory, PersonBlock, PhoneBlock, RecallRequest,
    RecallResponse, RecentCall, Timing, Trigger, Withheld,
};

use crate::middleware::deadline::TimeLimit;
use endpoint::Endpoint;

/// Mounts the three endpoints. The server, the tests and the OpenAPI document are made of the same.
pub(crate) fn configure(config: &mut ServiceConfig<'_>) {
    config
        .service(Endpoint::new(
            recall_and_enrich::__path_recall_and_enrich,
            web::post().to(recall_and_enrich::recall_and_enrich),
            TimeLimit::Recall,
        ))
        .service(Endpoint::new(
            calls_end::__path_calls_end,
            web::post().to(calls_end::calls_end),
            TimeLimit::Write,
        ))
        .service(Endpoint::new(
            get_caller::__path_get_caller,
            web::get().to(get_caller::get_caller),
            TimeLimit::Write,
        ));
}
