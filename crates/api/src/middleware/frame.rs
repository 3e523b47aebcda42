//! What is known of the request that is being served: its names, who asks, and how much time there is.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    ops::Deref,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, http::header::HeaderMap};
use domain::{access::Principal, context::CallContext};
use opentelemetry::{Context, trace::TraceContextExt};
use uuid::Uuid;

use super::deadline::{RequestedTime, TimeBudget, TimeLimit};
use crate::{error::Refusal, route::Route, state::RequestLimits, telemetry::Traces};

/// The longest inbound id that is kept.
const LONGEST_ID: usize = 128;

/// What is known of the request that is being served. The outermost middleware lays it, the ones inside fill it in. It
/// goes with the work to another task where there is one.
#[derive(Clone)]
pub(crate) struct Frame(Arc<FrameData>);

pub(crate) struct FrameData {
    /// The name of the request, for the client and the log.
    pub(crate) request_id: String,
    /// W3C trace id.
    pub(crate) trace_id: String,
    /// Holds the span of the request when traces are exported.
    pub(crate) span: Option<Context>,
    /// When the head of the request was there.
    pub(crate) began: Instant,
    /// How long the service waited for the client to send the body.
    pub(crate) waited: Time,
    /// How long the whole answer may take.
    pub(crate) whole: Time,
    /// The route that it matched, once that is known.
    pub(crate) route: OnceLock<Route>,
    /// Who asks, once that is verified.
    pub(crate) principal: OnceLock<Principal>,
}

impl Frame {
    /// A new frame for a request with these headers, with a span when there are `traces`. Its trace id is then the
    /// span's.
    pub(crate) fn new(headers: &HeaderMap, traces: Option<&Traces>) -> Self {
        let inbound = text(headers, "x-request-id").filter(|id| is_sane(id));
        let request_id = inbound.map_or_else(new_request_id, str::to_owned);
        let parent = text(headers, "traceparent").and_then(trace_id_of);
        let span = traces.map(|traces| traces.begin(headers, parent.is_some()));
        let trace_id = match &span {
            Some(span) => span.span().span_context().trace_id().to_string(),
            None => parent.map_or_else(new_trace_id, str::to_owned),
        };
        Self(Arc::new(FrameData {
            request_id,
            trace_id,
            span,
            began: Instant::now(),
            waited: Time::default(),
            whole: Time::default(),
            route: OnceLock::new(),
            principal: OnceLock::new(),
        }))
    }

    /// The frame of `request`.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let frame = request.extensions().get::<Self>().cloned();
        frame.unwrap_or_else(|| Self::new(request.headers(), None))
    }

    /// Gives the request its time. A wish that cannot be granted is refused by the handler, in its turn; until then the
    /// service's own deadline holds.
    pub(crate) fn grant(&self, limit: TimeLimit, requested: RequestedTime, limits: &RequestLimits) {
        self.whole.set(match limit {
            TimeLimit::Recall => requested.ok().flatten().unwrap_or(limits.recall_deadline),
            TimeLimit::Write => limits.write_deadline,
        });
    }

    /// The time for the whole from the arrival of the head, the wait for a slow body not counted.
    pub(crate) fn budget(&self) -> TimeBudget {
        TimeBudget::new(self.began + self.waited.get(), self.whole.get())
    }

    /// How long the service itself has worked on the request.
    pub(crate) fn worked(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.waited.get())
    }

    /// The context for a use case. A route that was not put behind the authentication has none, and so serves nothing.
    pub(crate) fn context(&self) -> Result<CallContext, Refusal> {
        let principal = self
            .principal
            .get()
            .ok_or_else(|| Refusal::internal("the route is not behind the authentication"))?;
        Ok(CallContext {
            principal: principal.clone(),
            deadline: self.budget().for_ports(),
            trace_id: self.trace_id.clone(),
        })
    }
}

impl Deref for Frame {
    type Target = FrameData;

    fn deref(&self) -> &FrameData {
        &self.0
    }
}

/// A time that becomes known while the request is served; zero until then.
#[derive(Default)]
pub(crate) struct Time(AtomicU64);

impl Time {
    pub(crate) fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    pub(crate) fn set(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.0.store(nanos, Ordering::Relaxed);
    }
}

impl FromRequest for Frame {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::of(request)))
    }
}

/// A new request id: 32 hexadecimal digits, ordered by time.
pub(crate) fn new_request_id() -> String {
    Uuid::now_v7().simple().to_string()
}

fn new_trace_id() -> String {
    // All zeros is the one value that is no trace id.
    format!("{:032x}", rand::random::<u128>().max(1))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_sane(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-'))
}

/// The trace id in a `traceparent`: `version-trace_id-parent_id-flags`, lower-case hexadecimal, neither id all zeros. A
/// version above 00 may have more parts; ff is none.
fn trace_id_of(traceparent: &str) -> Option<&str> {
    let hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let mut parts = traceparent.trim().split('-');
    let (version, trace_id) = (parts.next()?, parts.next()?);
    let (parent_id, flags) = (parts.next()?, parts.next()?);
    let whole = version != "00" || parts.next().is_none();
    let well_formed = hex(version, 2) && hex(trace_id, 32) && hex(parent_id, 16) && hex(flags, 2);
    let is_zero = |id: &str| id.bytes().all(|b| b == b'0');
    (whole && well_formed && version != "ff" && !is_zero(trace_id) && !is_zero(parent_id)).then_some(trace_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sane_ids_are_kept() {
        assert!(is_sane("a") && is_sane("A.b_c:d-9") && is_sane(&"x".repeat(128)));
        for id in ["", "a b", "a/b", "é", "a\n", "<x>", &"x".repeat(129)] {
            assert!(!is_sane(id), "{id}");
        }
    }

    #[test]
    fn a_trace_id_comes_from_a_well_formed_traceparent() {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(trace_id_of(&format!("00-{id}-00f067aa0ba902b7-01")), Some(id));
        assert_eq!(trace_id_of(&format!("cc-{id}-00f067aa0ba902b7-01-more")), Some(id));
        for wrong in [
            String::new(),
            id.to_owned(),
            format!("00-{id}-00f067aa0ba902b7"),
            format!("00-{id}-00f067aa0ba902b7-01-more"),
            format!("ff-{id}-00f067aa0ba902b7-01"),
            format!("00-{}-00f067aa0ba902b7-01", id.to_uppercase()),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{id}-0000000000000000-01"),
            format!("00-{}-00f067aa0ba902b7-01", &id[1..]),
        ] {
            assert_eq!(trace_id_of(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn new_ids_are_32_hexadecimal_digits_and_differ() {
        for new in [new_request_id, new_trace_id] {
            assert!(new().len() == 32 && new().bytes().all(|b| b.is_ascii_hexdigit()));
            assert_ne!(new(), new());
        }
    }

    #[test]
    fn waiting_for_the_client_is_not_counted() {
        let frame = Frame::new(&HeaderMap::new(), None);
        frame.whole.set(Duration::from_secs(5));
        frame.waited.set(Duration::from_secs(4));
        let for_ports = frame.budget().for_ports().0;
        assert_eq!(for_ports - frame.began, Duration::from_millis(4000 + 4975));
    }
}
