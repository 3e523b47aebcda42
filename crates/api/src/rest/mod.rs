//! The public HTTP interface: three endpoints, each a handler of a few lines between the wire and a use case. What they answer is
//! also what the tools of `mcp` answer.
//!
//! [`app`] is the whole public application over an [`Api`]; the server, the tests and the OpenAPI document are made of the same
//! [`configure`].

pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod calls_end;
mod docs;
pub(crate) mod endpoint;
pub(crate) mod get_caller;
pub(crate) mod json;
mod number;
pub(crate) mod recall_and_enrich;

use std::{sync::Arc, time::Duration};

use actix_web::{
    App, Error, FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web::{self, Bytes, Data},
};
use domain::{
    CallerService,
    port::{Authenticator, CallerMemory, Clock, Enricher, EnrichmentCache, Probe, RateLimiter},
    usecase::{CallerPorts, CallerRules},
};
use utoipa_actix_web::{AppExt, service_config::ServiceConfig};

pub use calls_end::{CallsEndRequest, TranscriptEntry};
pub use get_caller::CallerResponse;
pub use recall_and_enrich::{
    CompanyBlock, Enrichment, Fact, Freshness, Memory, PersonBlock, PhoneBlock, RecallRequest, RecallResponse,
    RecentCall, Timing, Trigger,
};

use crate::{
    error::Refusal,
    mcp,
    middleware::{access_log::access_log, deadline::Kind, envelope::envelope, request_id::request_id},
    openapi,
    receipts::Receipts,
    telemetry::{Metrics, Traces, traces::StageSpans},
};
use endpoint::Endpoint;

/// What the public interface is put over.
pub struct Ports {
    /// The memory of callers.
    pub memory: Arc<dyn CallerMemory>,
    /// The look-ups that are kept.
    pub lookups: Arc<dyn EnrichmentCache>,
    /// Completes them with what vendors answer in time.
    pub enricher: Arc<dyn Enricher>,
    /// Verifies keys.
    pub authenticator: Arc<dyn Authenticator>,
    /// Holds the keys' token buckets.
    pub limiter: Arc<dyn RateLimiter>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// How long and how large things may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The whole of a recall, unless the client asks for another time.
    pub recall_deadline: Duration,
    /// The whole of a call end, and of reading a profile.
    pub write_deadline: Duration,
    /// The largest body, in bytes.
    pub max_body_bytes: usize,
    /// How long a client may take to send a body.
    pub body_time: Duration,
}

impl Default for Limits {
    /// The defaults of the settings.
    fn default() -> Self {
        Self {
            recall_deadline: Duration::from_millis(300),
            write_deadline: Duration::from_secs(3),
            max_body_bytes: 2 * 1024 * 1024,
            body_time: Duration::from_secs(10),
        }
    }
}

/// The state of the public interface, one for all workers.
pub struct Api {
    pub(crate) callers: CallerService,
    pub(crate) authenticator: Arc<dyn Authenticator>,
    pub(crate) limiter: Arc<dyn RateLimiter>,
    pub(crate) limits: Limits,
    pub(crate) metrics: Arc<Metrics>,
    /// There when traces are exported.
    pub(crate) traces: Option<Arc<Traces>>,
    /// There when the feedback loop is on.
    pub(crate) receipts: Option<Arc<Receipts>>,
    document: Bytes,
    /// Whether the API page is served.
    docs: bool,
}

impl Api {
    /// Puts the interface over `ports`.
    #[must_use]
    pub fn new(ports: Ports, rules: CallerRules, limits: Limits, metrics: Arc<Metrics>) -> Self {
        Self::traced(ports, rules, limits, metrics, None)
    }

    /// The same, with traces.
    pub(crate) fn traced(
        ports: Ports,
        rules: CallerRules,
        limits: Limits,
        metrics: Arc<Metrics>,
        traces: Option<Arc<Traces>>,
    ) -> Self {
        let probe: Arc<dyn Probe> = match &traces {
            None => metrics.clone(),
            Some(traces) => Arc::new(StageSpans {
                metrics: metrics.clone(),
                traces: traces.clone(),
            }),
        };
        let callers = CallerPorts {
            memory: ports.memory,
            lookups: ports.lookups,
            enricher: ports.enricher,
            clock: ports.clock,
            probe,
        };
        Self {
            callers: CallerService::new(callers, rules),
            authenticator: ports.authenticator,
            limiter: ports.limiter,
            limits,
            metrics,
            traces,
            receipts: None,
            document: Bytes::from(openapi::text()),
            docs: false,
        }
    }

    /// Turns the feedback loop on, when there are `receipts` to keep.
    #[must_use]
    pub fn with_receipts(mut self, receipts: Option<Arc<Receipts>>) -> Self {
        self.receipts = receipts;
        self
    }

    /// Serves the API page at `/docs`, or does not.
    #[must_use]
    pub fn with_docs(mut self, docs: bool) -> Self {
        self.docs = docs;
        self
    }
}

/// A route, as logs and metrics name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Route {
    RecallAndEnrich,
    CallsEnd,
    GetCaller,
    Mcp,
    OpenApi,
    Docs,
    Unmatched,
}

impl Route {
    const MATCHABLE: [Self; 6] = [
        Self::RecallAndEnrich,
        Self::CallsEnd,
        Self::GetCaller,
        Self::Mcp,
        Self::OpenApi,
        Self::Docs,
    ];

    /// The route's pattern.
    pub(crate) const fn pattern(self) -> &'static str {
        match self {
            Self::RecallAndEnrich => "/v1/recall_and_enrich",
            Self::CallsEnd => "/v1/calls/end",
            Self::GetCaller => "/v1/caller/{phone_number}",
            Self::Mcp => "/mcp",
            Self::OpenApi => "/.well-known/openapi.json",
            Self::Docs => "/docs",
            Self::Unmatched => "unmatched",
        }
    }

    /// The route that `request` matched.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let pattern = request.match_pattern();
        let matched = |route: &Self| pattern.as_deref() == Some(route.pattern());
        Self::MATCHABLE.into_iter().find(matched).unwrap_or(Self::Unmatched)
    }
}

/// Mounts the three endpoints.
pub fn configure(config: &mut ServiceConfig<'_>) {
    config
        .service(Endpoint::new(
            recall_and_enrich::__path_recall_and_enrich,
            web::post().to(recall_and_enrich::recall_and_enrich),
            Kind::Recall,
        ))
        .service(Endpoint::new(
            calls_end::__path_calls_end,
            web::post().to(calls_end::calls_end),
            Kind::Write,
        ))
        .service(Endpoint::new(
            get_caller::__path_get_caller,
            web::get().to(get_caller::get_caller),
            Kind::Write,
        ));
}

/// The public application: what actix builds once for each worker.
pub fn app(
    api: &Data<Api>,
) -> App<
    impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<BoxBody>, Error = Error, InitError = ()>
    + use<>,
> {
    let document = read_only(web::resource(Route::OpenApi.pattern()), serve_document);
    App::new()
        .into_utoipa_app()
        .configure(configure)
        .into_app()
        .app_data(Data::clone(api))
        .service(mcp::resource())
        .service(document)
        .configure(|config| {
            if api.docs {
                docs::mount(config);
            }
        })
        .default_service(web::to(async || HttpResponse::from_error(Refusal::no_such_path())))
        .wrap(from_fn(envelope))
        .wrap(from_fn(access_log))
        .wrap(from_fn(request_id))
}

/// `resource`, to be read without a key.
fn read_only<F, A>(resource: Resource, handler: F) -> Resource
where
    F: Handler<A, Output: Responder + 'static> + Copy,
    A: FromRequest + 'static,
{
    resource
        .route(web::get().to(handler))
        .route(web::head().to(handler))
        .default_service(web::to(async || {
            HttpResponse::from_error(Refusal::method_not_allowed("GET, HEAD"))
        }))
}

async fn serve_document(api: Data<Api>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(api.document.clone())
}
