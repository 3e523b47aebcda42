//! The program as a client of a running service: where it is, the key, and one bounded request at a time.

use std::{
    fmt,
    str::FromStr,
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::Value;
use ureq::{Agent, RequestBuilder, http::Uri, typestate::WithBody};

use super::failure::Failure;

/// The service to ask, and the key to ask with.
#[derive(Debug, Args)]
pub(super) struct Service {
    /// The service's public address
    #[arg(
        long,
        env = "CALLER_MEMORY_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080"
    )]
    url: BaseUrl,

    /// An API key of the tenant; `caller-memory key create --tenant NAME` makes one
    #[arg(long, env = "CALLER_MEMORY_KEY", value_name = "KEY", hide_env_values = true)]
    key: ClientKey,
}

/// The origin of a service, with an optional path before `/v1`, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BaseUrl(String);

#[derive(Debug, thiserror::Error)]
#[error("expected the service's address, for example http://127.0.0.1:8080 or https://memory.example.com")]
struct NotAUrl;

impl FromStr for BaseUrl {
    type Err = NotAUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let uri: Uri = text.parse().map_err(|_| NotAUrl)?;
        let plain = matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.query().is_none()
            && uri
                .authority()
                .is_some_and(|authority| !authority.as_str().contains('@') && !authority.host().is_empty());
        plain
            .then(|| Self(text.trim_end_matches('/').to_owned()))
            .ok_or(NotAUrl)
    }
}

/// A key that fits into a header. `Debug` shows none of it.
#[derive(Clone)]
struct ClientKey(String);

#[derive(Debug, thiserror::Error)]
#[error("expected an API key: sk_live_ and letters or digits, without spaces")]
struct NotAKey;

impl FromStr for ClientKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let key = text.trim();
        (!key.is_empty() && key.bytes().all(|b| b.is_ascii_graphic()))
            .then(|| Self(key.to_owned()))
            .ok_or(NotAKey)
    }
}

impl fmt::Debug for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientKey(..)")
    }
}

/// How long to wait for a connection, and for a whole answer.
const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(30);

/// Bytes of an answer that are read at most; a recall has a few kilobytes.
const LONGEST_ANSWER: u64 = 4 << 20;

/// A client with its connections.
pub(super) struct Client {
    agent: Agent,
    url: String,
    authorization: String,
}

/// An answer of the service, of any status.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    /// The header `Retry-After`, when it is a number of seconds.
    pub(super) retry_after: Option<Duration>,
    /// From the request to the last byte of the answer.
    pub(super) took: Duration,
}

impl Service {
    /// Makes a client that keeps up to `connections` open.
    pub(super) fn client(&self, connections: usize) -> Client {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            // The key goes to the service and to nobody between.
            .proxy(None)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(ANSWER))
            .max_idle_connections(connections)
            .max_idle_connections_per_host(connections)
            .user_agent(concat!("caller-memory/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Client {
            agent,
            url: self.url.0.clone(),
            authorization: format!("Bearer {}", self.key.0),
        }
    }
}

impl Client {
    /// Posts a JSON body.
    ///
    /// # Errors
    /// When no whole answer came: the service is not there, or too slow.
    pub(super) fn post(&self, path: &str, body: &[u8]) -> Result<Answer, ureq::Error> {
        answer(self.request(path), body)
    }

    /// Posts a JSON body, for an answer within a time limit of the service's.
    ///
    /// # Errors
    /// As for [`Client::post`].
    pub(super) fn post_within(&self, path: &str, body: &[u8], limit_ms: u16) -> Result<Answer, ureq::Error> {
        answer(self.request(path).header("x-deadline-ms", limit_ms), body)
    }

    fn request(&self, path: &str) -> RequestBuilder<WithBody> {
        self.agent
            .post(format!("{}{path}", self.url))
            .header("authorization", &self.authorization)
            .header("content-type", "application/json")
    }

    /// The failure of a request that got no answer.
    pub(super) fn no_answer(&self, error: &ureq::Error) -> Failure {
        Failure::Failed(format!(
            "no answer from {}: {error}; check that the service runs there, or give --url or CALLER_MEMORY_URL",
            self.url
        ))
    }
}

/// Sends a request and reads the whole answer.
fn answer(request: RequestBuilder<WithBody>, body: &[u8]) -> Result<Answer, ureq::Error> {
    let began = Instant::now();
    let mut response = request.send(body)?;
    let retry_after = response
        .headers()
        .get("retry-after")
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .map(Duration::from_secs);
    let body = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec()?;
    Ok(Answer {
        status: response.status().as_u16(),
        body,
        retry_after,
        took: began.elapsed(),
    })
}

impl Answer {
    /// What an answer other than 2xx says, with what to do about it.
    pub(super) fn refusal(&self) -> String {
        let envelope: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let text = |pointer: &str| envelope.pointer(pointer).and_then(Value::as_str);
        let said = match (text("/error/code"), text("/error/message")) {
            (Some(code), Some(message)) => format!("{} {code}: {message}", self.status),
            _ => format!("{}, and not in the words of a caller-memory service", self.status),
        };
        let request = text("/error/request_id")
            .map(|id| format!(" (request {id})"))
            .unwrap_or_default();
        let advice = match self.status {
            401 => "; check --key or CALLER_MEMORY_KEY".to_owned(),
            429 | 503 => self.retry_after.map_or_else(
                || "; try again".to_owned(),
                |wait| format!("; try again in {} s", wait.as_secs()),
            ),
            300..=399 | 404 | 405 => "; check --url or CALLER_MEMORY_URL".to_owned(),
            _ => String::new(),
        };
        format!("{said}{request}{advice}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, kept) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://memory.example.com/", "https://memory.example.com"),
            ("http://[::1]:80/prefix//", "http://[::1]:80/prefix"),
        ] {
            assert_eq!(text.parse::<BaseUrl>().expect("an address").0, kept);
        }
        for text in [
            "",
            "localhost:8080",
            "/v1",
            "ftp://host",
            "http://",
            "http://user:pw@host",
            "http://host?x=1",
            "http://a b",
        ] {
            assert!(text.parse::<BaseUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_must_fit_into_a_header() {
        assert_eq!(" sk_live_abc\n".parse::<ClientKey>().expect("a key").0, "sk_live_abc");
        for text in ["", "  ", "a b", "sk_live_\u{e9}", "a\r\nx: y"] {
            assert!(text.parse::<ClientKey>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let answer = |status, body: &str| Answer {
            status,
            body: body.into(),
            retry_after: Some(Duration::from_secs(2)),
            took: Duration::ZERO,
        };
        let unauthorized = r#"{"error":{"code":"unauthorized","message":"no such key","request_id":"r1"}}"#;
        assert_eq!(
            answer(401, unauthorized).refusal(),
            "401 unauthorized: no such key (request r1); check --key or CALLER_MEMORY_KEY"
        );
        assert_eq!(
            answer(503, "<html>").refusal(),
            "503, and not in the words of a caller-memory service; try again in 2 s"
        );
    }
}
