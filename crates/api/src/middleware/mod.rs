//! What happens to every request around its handler, from the outside in: [`request_id`] names it, [`access_log`] counts and
//! logs it, [`envelope`] gives refusals their body; then, for the routes that need a key, [`authenticate`] and
//! [`rate_limit`]. [`deadline`] says how much time each step has.

pub(crate) mod access_log;
pub(crate) mod authenticate;
pub(crate) mod deadline;
pub(crate) mod envelope;
pub(crate) mod rate_limit;
pub(crate) mod request_id;

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

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload};
use domain::{access::Principal, context::CallContext};
use opentelemetry::Context;

use crate::error::Refusal;

/// What is known of the request that is being served. The outermost middleware lays it, the ones inside fill it in. It goes with
/// the work to another task where there is one.
#[derive(Clone)]
pub(crate) struct Frame(Arc<Inner>);

pub(crate) struct Inner {
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
    /// Who asks, once that is verified.
    pub(crate) principal: OnceLock<Principal>,
}

impl Frame {
    pub(crate) fn new(request_id: String, trace_id: String, span: Option<Context>) -> Self {
        Self(Arc::new(Inner {
            request_id,
            trace_id,
            span,
            began: Instant::now(),
            waited: Time::default(),
            whole: Time::default(),
            principal: OnceLock::new(),
        }))
    }

    /// The frame of `request`.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        request
            .extensions()
            .get::<Self>()
            .cloned()
            .unwrap_or_else(|| request_id::frame(request.headers(), None))
    }

    /// How long the service itself has worked on the request.
    pub(crate) fn worked(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.waited.get())
    }

    /// The context for a use case. A route that was not put behind [`authenticate`] has none, and so serves nothing.
    pub(crate) fn context(&self) -> Result<CallContext, Refusal> {
        let principal = self
            .principal
            .get()
            .ok_or_else(|| Refusal::internal("the route is not behind the authentication"))?;
        Ok(CallContext {
            principal: principal.clone(),
            deadline: self.due().for_ports(),
            trace_id: self.trace_id.clone(),
        })
    }
}

impl Deref for Frame {
    type Target = Inner;

    fn deref(&self) -> &Inner {
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
