//! How much time a request has, and the bound that holds even when a port breaks its promise to return in time.

use std::time::{Duration, Instant};

use actix_web::http::header::HeaderMap;
use domain::{context::Deadline, error::DeadlineExceeded};

use crate::error::InputError;

/// The header by which a client says how long it waits for a recall, in milliseconds.
const HEADER: &str = "x-deadline-ms";

/// What a client may ask for with the header.
pub(crate) const REQUESTABLE_MS: std::ops::RangeInclusive<u16> = 20..=5000;

/// How long before the end the answer leaves when a port hangs: encoding and sending it takes less.
const TO_SEND: Duration = Duration::from_millis(2);

/// Which of the service's deadlines holds for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeLimit {
    /// The recall deadline, or what the client asks for.
    Recall,
    /// The write deadline.
    Write,
}

/// The time that the client asks for with the header, if any.
pub(crate) type RequestedTime = Result<Option<Duration>, OutOfRange>;

/// The header is not what a client may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfRange;

impl From<OutOfRange> for InputError {
    fn from(_: OutOfRange) -> Self {
        Self::BadRequest(format!(
            "X-Deadline-Ms: expected a whole number of milliseconds from {} to {}",
            REQUESTABLE_MS.start(),
            REQUESTABLE_MS.end()
        ))
    }
}

/// The time that a client with these headers asks for.
pub(crate) fn requested(headers: &HeaderMap) -> RequestedTime {
    let Some(value) = headers.get(HEADER) else {
        return Ok(None);
    };
    value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .filter(|ms| REQUESTABLE_MS.contains(ms))
        .map(|ms| Some(Duration::from_millis(ms.into())))
        .ok_or(OutOfRange)
}

/// The time in which the answer must have left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeBudget {
    end: Instant,
    whole: Duration,
}

impl TimeBudget {
    /// The time `whole` from `began` on.
    pub(crate) fn new(began: Instant, whole: Duration) -> Self {
        Self {
            end: began.checked_add(whole).unwrap_or(began),
            whole,
        }
    }

    /// When ports must have answered: a twentieth of the whole before the end, at least 5 ms and at most 25 ms, which
    /// is left for the rest of the work.
    pub(crate) fn for_ports(self) -> Deadline {
        let margin = (self.whole / 20).clamp(Duration::from_millis(5), Duration::from_millis(25));
        Deadline(self.end.checked_sub(margin).unwrap_or(self.end))
    }

    /// Waits for `work`, but not beyond the end, even when a port does not return by its deadline.
    pub(crate) async fn bound<T>(
        self,
        during: &'static str,
        work: impl Future<Output = T>,
    ) -> Result<T, DeadlineExceeded> {
        let end = self.end.checked_sub(TO_SEND).unwrap_or(self.end);
        tokio::time::timeout_at(end.into(), work)
            .await
            .map_err(|_| DeadlineExceeded { during })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    fn with(value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static(HEADER), HeaderValue::from_str(value).unwrap());
        headers
    }

    #[test]
    fn a_client_may_ask_for_20_to_5000_ms() {
        assert_eq!(requested(&HeaderMap::new()), Ok(None));
        for ms in [20, 300, 5000] {
            assert_eq!(requested(&with(&ms.to_string())), Ok(Some(Duration::from_millis(ms))));
        }
        for wrong in ["", "19", "5001", "-20", "1e2", "20.5", "abc", "99999999999999999999"] {
            assert!(requested(&with(wrong)).is_err(), "{wrong}");
        }
    }

    /// The attribute of the document takes numbers only.
    #[test]
    fn the_document_says_what_a_client_may_ask_for() {
        let document = serde_json::to_value(crate::openapi::document()).expect("JSON");
        let parameters = &document["paths"]["/v1/recall_and_enrich"]["post"]["parameters"];
        let parameter = parameters.as_array().into_iter().flatten();
        let limits = parameter
            .filter(|parameter| parameter["name"] == "X-Deadline-Ms")
            .map(|parameter| ["minimum", "maximum"].map(|limit| parameter["schema"][limit].as_u64()));
        let bounds = [REQUESTABLE_MS.start(), REQUESTABLE_MS.end()].map(|ms| Some(u64::from(*ms)));
        assert_eq!(limits.collect::<Vec<_>>(), [bounds]);
    }

    #[test]
    fn ports_have_a_little_less_than_the_whole() {
        let began = Instant::now();
        for (whole_ms, left_ms) in [(20, 15), (300, 285), (5000, 4975)] {
            let budget = TimeBudget::new(began, Duration::from_millis(whole_ms));
            assert_eq!(budget.for_ports().0 - began, Duration::from_millis(left_ms));
        }
    }
}
