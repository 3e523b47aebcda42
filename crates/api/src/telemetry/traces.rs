//! Spans of requests and of their stages, exported by OTLP. They exist only when a collector is set; no span says more
//! than a method, a route's pattern, a status and the names of stages.

use std::{
    ffi::OsString,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use actix_web::http::{
    StatusCode, Uri,
    header::{HeaderMap, HeaderName},
};
use domain::{
    async_trait,
    facts::{FactKey, FactOutcome},
    port::{Probe, Stage},
};
use opentelemetry::{
    Context, KeyValue,
    propagation::{Extractor, TextMapPropagator},
    trace::{Span, SpanKind, Status, TraceContextExt, Tracer, TracerProvider},
};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{SdkTracer, SdkTracerProvider},
};
use outgoing::{Client, ClientLimits, Request, SetupError, web_url};
use tokio::runtime::Handle;

use super::{Metrics, metrics::stage_name};
use crate::route::Route;

/// A collector's answer says at most how many spans it did not take.
const LIMITS: ClientLimits = ClientLimits {
    connect: Duration::from_secs(5),
    body: 64 * 1024,
};

/// Traces cannot be exported as the settings say.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    /// The address for traces alone is none. It is left out: it may hold a password.
    #[error("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: expected the http or https URL that takes traces")]
    OwnEndpoint,
    /// The time that an export may take is none.
    #[error("{0}: expected a whole number of milliseconds")]
    Timeout(&'static str),
    /// Another of the standard variables is wrong.
    #[error("OTEL_EXPORTER_OTLP_ENDPOINT: cannot export traces as the OTEL_* variables say")]
    Settings(#[source] ExporterBuildError),
    /// The HTTP client could not be set up.
    #[error("OTEL_EXPORTER_OTLP_ENDPOINT: traces cannot be sent")]
    Client(#[source] SetupError),
}

/// Makes spans and exports them from a thread of its own. Its queue is bounded: spans that find it full are dropped,
/// and no request waits.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl Traces {
    /// Exports to the collector at `endpoint`, to which `/v1/traces` is added, unless traces have an address of their
    /// own. Everything else is read from the standard `OTEL_*` variables. What is exported travels on `runtime`, which
    /// must live as long as traces are to arrive.
    pub(crate) fn to(endpoint: &str, runtime: &Handle) -> Result<Self, TracesError> {
        let own = std::env::var("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").unwrap_or_default();
        let url = match own.as_str() {
            "" => format!("{}/v1/traces", endpoint.trim_end_matches('/')),
            own if is_collector(own) => own.to_owned(),
            _ => return Err(TracesError::OwnEndpoint),
        };
        let address = web_url(&url).map_err(|_| TracesError::OwnEndpoint)?;
        let sender = Sender {
            client: Client::to(&address, LIMITS).map_err(TracesError::Client)?,
            runtime: runtime.clone(),
            patience: export_timeout(|name| std::env::var_os(name))?,
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(url)
            .with_http_client(sender)
            .build()
            .map_err(TracesError::Settings)?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource())
            .build();
        Ok(Self {
            tracer: provider.tracer("caller-memory"),
            provider,
        })
    }

    /// Starts the span of a request with these headers; it is a child of the `traceparent`, which the caller has
    /// checked.
    pub(crate) fn begin(&self, headers: &HeaderMap, has_parent: bool) -> Context {
        let parent = if has_parent {
            TraceContextPropagator::new().extract_with_context(&Context::new(), &Inbound(headers))
        } else {
            Context::new()
        };
        let span = self.tracer.span_builder("HTTP").with_kind(SpanKind::Server);
        parent.with_span(span.start_with_context(&self.tracer, &parent))
    }

    /// Exports what is queued and ends the export; gives up after `patience`.
    pub(crate) fn stop(&self, patience: Duration) {
        if let Err(error) = self.provider.shutdown_with_timeout(patience) {
            tracing::warn!(cause = %error, "the last traces were not exported");
        }
    }
}

/// Ends the span that [`Traces::begin`] started.
pub(crate) fn end(context: &Context, method: &'static str, route: Route, status: StatusCode) {
    let span = context.span();
    let semantic_method = if method == "other" { "_OTHER" } else { method };
    span.set_attribute(KeyValue::new("http.request.method", semantic_method));
    span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status.as_u16())));
    if route == Route::Unmatched {
        span.update_name(method);
    } else {
        span.update_name(format!("{method} {}", route.pattern()));
        span.set_attribute(KeyValue::new("http.route", route.pattern()));
    }
    if status.is_server_error() {
        span.set_status(Status::error(""));
    }
    span.end();
}

/// Whether `endpoint` is an http or https URL, to which a path can be added.
pub(crate) fn is_collector(endpoint: &str) -> bool {
    endpoint.parse::<Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
            && uri.query().is_none()
    })
}

/// Sends what is exported. The exporter's thread waits for it; the sockets are the runtime's.
#[derive(Debug)]
struct Sender {
    client: Client,
    runtime: Handle,
    patience: Duration,
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(
        &self,
        request: opentelemetry_http::Request<Bytes>,
    ) -> Result<opentelemetry_http::Response<Bytes>, HttpError> {
        let request = Request::try_from(request)?;
        let (client, deadline) = (self.client.clone(), Instant::now() + self.patience);
        let answer = self
            .runtime
            .spawn(async move { client.send(request, deadline).await })
            .await??;
        let mut response = opentelemetry_http::Response::new(answer.body?.into());
        *response.status_mut() = answer.status.try_into()?;
        *response.headers_mut() = answer.headers;
        Ok(response)
    }
}

/// How long one export may take, from the
/// [standard variables](https://opentelemetry.io/docs/specs/otel/protocol/exporter/), which count milliseconds.
fn export_timeout(set: impl Fn(&str) -> Option<OsString>) -> Result<Duration, TracesError> {
    let variables = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"].into_iter();
    let mut values = variables.filter_map(|name| Some((name, set(name).filter(|value| !value.is_empty())?)));
    values.next().map_or(Ok(Duration::from_secs(10)), |(name, value)| {
        let ms = value.to_str().and_then(|text| text.parse().ok());
        ms.map(Duration::from_millis).ok_or(TracesError::Timeout(name))
    })
}

/// What the service is, as the standard variables say; its name is `caller-memory` when they do not name it.
fn resource() -> Resource {
    let named = std::env::var("OTEL_SERVICE_NAME").is_ok_and(|name| !name.is_empty())
        || std::env::var("OTEL_RESOURCE_ATTRIBUTES").is_ok_and(|pairs| pairs.contains("service.name="));
    let resource = Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    if named {
        resource.build()
    } else {
        resource.with_service_name("caller-memory").build()
    }
}

/// The headers of a request, as the propagator reads them.
struct Inbound<'a>(&'a HeaderMap);

impl Extractor for Inbound<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

/// What the use cases report to: the metrics and, when there are `traces`, spans of stages.
pub(crate) fn probe(metrics: &Arc<Metrics>, traces: Option<&Arc<Traces>>) -> Arc<dyn Probe> {
    let metrics = Arc::clone(metrics);
    match traces.map(Arc::clone) {
        None => metrics,
        Some(traces) => Arc::new(StageSpans { metrics, traces }),
    }
}

/// Tells the metrics, and makes a child span of each stage.
struct StageSpans {
    metrics: Arc<Metrics>,
    traces: Arc<Traces>,
}

impl Probe for StageSpans {
    fn stage(&self, stage: Stage, took: Duration) {
        self.metrics.stage(stage, took);
        let now = SystemTime::now();
        let tracer = &self.traces.tracer;
        // The request's span is the current one while its handler runs.
        let span = tracer
            .span_builder(stage_name(stage))
            .with_start_time(now.checked_sub(took).unwrap_or(now));
        span.start(tracer).end_with_timestamp(now);
    }

    fn facts(&self, key: FactKey, outcome: FactOutcome) {
        self.metrics.facts(key, outcome);
    }

    fn degraded(&self) {
        self.metrics.degraded();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{TracesError, export_timeout, is_collector};

    #[test]
    fn a_timeout_that_is_no_number_is_named() {
        let with = |traces: &str, all: &str| {
            let (traces, all) = (traces.to_owned(), all.to_owned());
            export_timeout(move |name| Some(if name.contains("TRACES") { &traces } else { &all }.into()))
        };
        for (traces, all, ms) in [("", "", 10_000), ("", "250", 250), ("70", "soon", 70)] {
            assert_eq!(with(traces, all).expect("a time"), Duration::from_millis(ms));
        }
        for (traces, all, named) in [
            ("5s", "250", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"),
            ("", "-1", "OTEL_EXPORTER_OTLP_TIMEOUT"),
        ] {
            let wrong = with(traces, all);
            assert!(
                matches!(wrong, Err(TracesError::Timeout(name)) if name == named),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn a_collector_is_an_http_url() {
        for url in [
            "http://localhost:4318",
            "https://otel.example/prefix/",
            "http://[::1]:4318",
        ] {
            assert!(is_collector(url), "{url}");
        }
        for other in [
            "localhost:4318",
            "grpc://localhost:4317",
            "http://",
            "http://a b",
            "/v1/traces",
            "http://a?b",
        ] {
            assert!(!is_collector(other), "{other}");
        }
    }
}
