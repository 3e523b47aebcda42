//! The admin listener: is the process alive, can it work, and its metrics. It has no key, so it is never the public
//! listener.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::{
    App, Error, HttpResponse,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    web::{self, Data},
};
use domain::{
    context::Deadline,
    error::{CannotRead, CannotWrite, PortError, SchemaTooOld},
    port::Storage,
};

use super::Metrics;
use crate::error::Chain;

/// How long a probe waits for the database.
const PATIENCE: Duration = Duration::from_secs(1);

const NO_ANSWER: &str = "the database does not answer";

/// The format of `OpenMetrics`, which Prometheus reads.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What the admin listener tells about.
pub(crate) struct Admin {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) storage: Arc<dyn Storage>,
    /// Whether the service is about to end, so that no more requests should be sent to it.
    pub(crate) draining: Arc<AtomicBool>,
}

/// The admin application.
pub(crate) fn app(
    admin: &Data<Admin>,
) -> App<
    impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = Error, InitError = ()> + use<>,
> {
    App::new()
        .app_data(Data::clone(admin))
        .route("/healthz", web::get().to(async || "ok\n"))
        .route("/readyz", web::get().to(readyz))
        .route("/metrics", web::get().to(metrics))
}

async fn readyz(admin: Data<Admin>) -> HttpResponse {
    if admin.draining.load(Ordering::Relaxed) {
        return HttpResponse::ServiceUnavailable().body("stopping\n");
    }
    let ready = admin.storage.ready(Deadline(Instant::now() + PATIENCE));
    match tokio::time::timeout(PATIENCE, ready).await {
        Ok(Ok(())) => HttpResponse::Ok().body("ready\n"),
        Ok(Err(error)) => {
            tracing::warn!(cause = %Chain(&error), "not ready");
            HttpResponse::ServiceUnavailable().body(format!("{}\n", reason(&error)))
        }
        Err(_) => HttpResponse::ServiceUnavailable().body(format!("{NO_ANSWER}\n")),
    }
}

/// Why the database cannot serve, for whoever asks the probe; the log has the causes.
fn reason(error: &PortError) -> String {
    match error {
        PortError::Unavailable(cause) if cause.is::<CannotRead>() => {
            "the database answers, but a table is missing or may not be read; the log has the cause".to_owned()
        }
        PortError::Unavailable(cause) if cause.is::<CannotWrite>() => "the database cannot write".to_owned(),
        PortError::Unavailable(_) => NO_ANSWER.to_owned(),
        PortError::Internal(cause) if cause.is::<SchemaTooOld>() => cause.to_string(),
        PortError::Internal(_) => {
            "the database fails, for example because it is damaged; the log has the cause".to_owned()
        }
    }
}

async fn metrics(admin: Data<Admin>) -> HttpResponse {
    match admin.metrics.text() {
        Ok(text) => HttpResponse::Ok().content_type(OPEN_METRICS).body(text),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_tells_a_silent_database_from_a_full_a_damaged_and_an_old_one() {
        let cannot_write = CannotWrite(PortError::Internal("the disk is full".into()));
        let cannot_read = CannotRead(PortError::Unavailable("no such table: calls".into()));
        for (error, says) in [
            (PortError::deadline("ready"), "does not answer"),
            (PortError::Unavailable(Box::new(cannot_write)), "cannot write"),
            (PortError::Unavailable(Box::new(cannot_read)), "may not be read"),
            (PortError::Internal("malformed".into()), "damaged"),
            (PortError::Internal(Box::new(SchemaTooOld)), "migrate up"),
        ] {
            assert!(reason(&error).contains(says), "{error:?}");
        }
    }
}
