//! How much time a request has, and the bound that holds even when a port breaks its promise to return in time.

use std::time::{Duration, Instant};

use actix_web::http::header::HeaderMap;
use domain::{
    context::Deadline,
    error::{DeadlineExceeded, Error},
};

use super::Frame;
use crate::rest::Limits;

/// The header by which a client says how long it waits for a recall, in milliseconds.
const HEADER: &str = "x-deadline-ms";

/// What a client may ask for with the header.
const ASKABLE_MS: std::ops::RangeInclusive<u64> = 20..=5000;

/// How long before the end the answer leaves when a port hangs: encoding and sending it takes less.
const TO_SEND: Duration = Duration::from_millis(2);

/// Whose time a route takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The recall deadline, or what the client asks for.
    Recall,
    /// The write deadline.
    Write,
}

/// What the client asks for with the header, if anything.
pub(crate) type Asked = Result<Option<Duration>, OutOfRange>;

/// The header is not what a client may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutOfRange;

impl From<OutOfRange> for Error {
    fn from(_: OutOfRange) -> Self {
        Self::BadRequest("X-Deadline-Ms: expected a whole number of milliseconds from 20 to 5000".to_owned())
    }
}

/// Gives the request its time. A header that is out of range is refused by the handler, in its turn; until then the service's own
/// deadline holds.
pub(crate) fn start(frame: &Frame, kind: Kind, asked: Asked, limits: &Limits) {
    frame.whole.set(match kind {
        Kind::Recall => asked.ok().flatten().unwrap_or(limits.recall_deadline),
        Kind::Write => limits.write_deadline,
    });
}

/// The deadline that the client asks for, if any.
pub(crate) fn asked(headers: &HeaderMap) -> Asked {
    let Some(value) = headers.get(HEADER) else {
        return Ok(None);
    };
    value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .filter(|ms| ASKABLE_MS.contains(ms))
        .map(|ms| Some(Duration::from_millis(ms)))
        .ok_or(OutOfRange)
}

/// When the answer must have left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due {
    at: Instant,
    whole: Duration,
}

impl Frame {
    /// When the answer must have left: the time for the whole from the arrival of the head, the wait for a slow body not counted.
    pub(crate) fn due(&self) -> Due {
        let whole = self.whole.get();
        let at = self.began + self.waited.get();
        Due {
            at: at.checked_add(whole).unwrap_or(at),
            whole,
        }
    }
}

impl Due {
    /// When ports must have answered: a twentieth of the whole before the end, at least 5 ms and at most 25 ms, which is left
    /// for the rest of the work.
    pub(crate) fn for_ports(self) -> Deadline {
        let margin = (self.whole / 20).clamp(Duration::from_millis(5), Duration::from_millis(25));
        Deadline(self.at.checked_sub(margin).unwrap_or(self.at))
    }

    /// Waits for `work`, but not beyond the end, even when a port does not return by its deadline.
    pub(crate) async fn bound<T>(
        self,
        during: &'static str,
        work: impl Future<Output = T>,
    ) -> Result<T, DeadlineExceeded> {
        let end = self.at.checked_sub(TO_SEND).unwrap_or(self.at);
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
        assert_eq!(asked(&HeaderMap::new()), Ok(None));
        for ms in [20, 300, 5000] {
            assert_eq!(asked(&with(&ms.to_string())), Ok(Some(Duration::from_millis(ms))));
        }
        for wrong in ["", "19", "5001", "-20", "1e2", "20.5", "abc", "99999999999999999999"] {
            assert!(asked(&with(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ports_have_a_little_less_than_the_whole() {
        let frame = Frame::new(String::new(), String::new(), None);
        for (whole_ms, left_ms) in [(20, 15), (300, 285), (5000, 4975)] {
            frame.whole.set(Duration::from_millis(whole_ms));
            let for_ports = frame.due().for_ports().0 - frame.began;
            assert_eq!(for_ports, Duration::from_millis(left_ms));
        }
    }

    #[test]
    fn waiting_for_the_client_is_not_counted() {
        let frame = Frame::new(String::new(), String::new(), None);
        frame.whole.set(Duration::from_millis(300));
        frame.waited.set(Duration::from_secs(4));
        assert_eq!(frame.due().at - frame.began, Duration::from_millis(4300));
    }
}
