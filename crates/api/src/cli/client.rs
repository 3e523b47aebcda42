//! The program as a client of a running service: where it is, the key, and one bounded request at a time.

use std::{
    error::Error,
    fmt,
    str::FromStr,
    time::{Duration, Instant},
};

use clap::Args;
use outgoing::{
    BaseUrl, ClientLimits, Method, NoAnswer, Request, TooLong,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
    secret_header,
};
use secrecy::SecretString;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::failure::Failure;
use crate::error::Chain;

/// The service to ask, and the key to ask with.
#[derive(Debug, Args)]
pub(super) struct Service {
    /// The service's public address
    #[arg(
        long,
        env = "CALLER_MEMORY_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080",
        value_parser = address
    )]
    url: BaseUrl,

    /// An API key of the tenant; `caller-memory key create --tenant NAME` makes one
    #[arg(long, env = "CALLER_MEMORY_KEY", value_name = "KEY", hide_env_values = true)]
    key: ClientKey,
}

#[derive(Debug, thiserror::Error)]
#[error("expected the service's address, for example http://127.0.0.1:8080 or https://memory.example.com")]
struct NotAUrl;

fn address(text: &str) -> Result<BaseUrl, NotAUrl> {
    text.parse().map_err(|_| NotAUrl)
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

/// What a request allows; a recall's answer has a few kilobytes.
const LIMITS: ClientLimits = ClientLimits {
    connect: Duration::from_secs(5),
    body: 4 << 20,
};

/// How long to wait for a whole answer.
const ANSWER: Duration = Duration::from_secs(30);

/// A client with its connections. Several threads may post at once.
pub(super) struct Client {
    runtime: Runtime,
    http: outgoing::Client,
    url: BaseUrl,
    authorization: HeaderValue,
}

/// Why a request got no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum AnswerError {
    /// The service is not there, or too slow.
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
    /// It answered with more than any answer of a service has.
    #[error(transparent)]
    TooLong(#[from] TooLong),
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
    /// Makes a client.
    ///
    /// # Errors
    /// When the system's CA certificates cannot be read and the address is `https`, or when no thread can be started.
    pub(super) fn client(&self) -> Result<Client, Failure> {
        let cannot = |error: &(dyn Error + 'static)| Failure::Failed(Chain(error).to_string());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| cannot(&error))?;
        let http = outgoing::Client::to(self.url.as_url(), LIMITS).map_err(|error| cannot(&error))?;
        let key = SecretString::from(self.key.0.as_str());
        let authorization = secret_header("Bearer ", &key).map_err(|error| cannot(&error))?;
        Ok(Client {
            runtime,
            http,
            url: self.url.clone(),
            authorization,
        })
    }
}

impl Client {
    /// Posts a JSON body.
    ///
    /// # Errors
    /// When no whole answer came: the service is not there, or too slow.
    pub(super) fn post(&self, path: &str, body: &[u8]) -> Result<Answer, AnswerError> {
        self.answer(self.request(path, body))
    }

    /// Posts a JSON body, for an answer within a time limit of the service's.
    ///
    /// # Errors
    /// As for [`Client::post`].
    pub(super) fn post_within(&self, path: &str, body: &[u8], limit_ms: u16) -> Result<Answer, AnswerError> {
        let mut request = self.request(path, body);
        request.headers_mut().insert("x-deadline-ms", limit_ms.into());
        self.answer(request)
    }

    fn request(&self, path: &str, body: &[u8]) -> Request {
        let mut request = Request::new(Method::POST, self.url.join(path));
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, self.authorization.clone());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(body.to_vec().into());
        request
    }

    /// Sends a request and reads the whole answer.
    fn answer(&self, request: Request) -> Result<Answer, AnswerError> {
        let began = Instant::now();
        let answer = self.runtime.block_on(self.http.send(request, began + ANSWER))?;
        Ok(Answer {
            status: answer.status,
            retry_after: answer.retry_after(),
            body: answer.body?,
            took: began.elapsed(),
        })
    }

    /// The failure of a request that got no answer.
    pub(super) fn no_answer(&self, error: &AnswerError) -> Failure {
        Failure::Failed(format!(
            "no answer from {}: {}; check that the service runs there, or give --url or CALLER_MEMORY_URL",
            self.url,
            Chain(error)
        ))
    }
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
