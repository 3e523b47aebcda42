//! The client, and what may come of a request.

use std::time::{Duration, Instant};

use reqwest::{
    Method, Request, Response, Url,
    header::{HeaderMap, RETRY_AFTER},
    redirect,
};

/// How long an idle connection is kept for the next request, which then saves the handshake.
const IDLE: Duration = Duration::from_secs(90);

/// What a client allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientLimits {
    /// How long a connection may take to be established.
    pub connect: Duration,
    /// The longest body of an answer that is read, in bytes.
    pub body: usize,
}

/// Sends requests. Cheap to clone; clones share their connections.
///
/// It follows no redirect, which would take a key or a transcript where the operator did not send it; it retries
/// nothing, and it uses no proxy of the environment.
#[derive(Debug, Clone)]
pub struct Client {
    client: reqwest::Client,
    body_limit: usize,
}

/// The client could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be set up; are CA certificates installed?")]
pub struct SetupError(#[source] reqwest::Error);

/// Why there is no answer. The cause never names the address, which may hold a phone number.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// No connection could be established.
    #[error("no connection")]
    Unconnected(#[source] reqwest::Error),
    /// The request or the answer broke off.
    #[error("no answer")]
    Broken(#[source] reqwest::Error),
    /// There was no whole answer by the deadline.
    #[error("no answer in time")]
    Late,
}

/// What came back, whatever its status.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body, unless it is longer than the client's limit.
    pub body: Result<Vec<u8>, TooLong>,
}

impl Answer {
    /// The wait that the header `Retry-After` asks for, when it is a number of seconds. A date is left out
    /// ([RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self.headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds))
    }
}

/// A body beyond [`ClientLimits::body`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the answer is longer than is read")]
pub struct TooLong;

impl Client {
    /// A client for any address.
    ///
    /// # Errors
    /// [`SetupError`] when the system's CA certificates cannot be read.
    pub fn new(limits: ClientLimits) -> Result<Self, SetupError> {
        Self::build(limits, builder(limits))
    }

    /// A client for the origin of one address. The system's CA certificates are needed only when that is `https`.
    ///
    /// # Errors
    /// As for [`Client::new`].
    pub fn to(origin: &Url, limits: ClientLimits) -> Result<Self, SetupError> {
        if origin.scheme() == "https" {
            Self::new(limits)
        } else {
            Self::build(limits, builder(limits).tls_certs_only([]))
        }
    }

    fn build(limits: ClientLimits, builder: reqwest::ClientBuilder) -> Result<Self, SetupError> {
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            // Fails only when another thread was quicker, and then there is one.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        Ok(Self {
            client: builder.build().map_err(SetupError)?,
            body_limit: limits.body,
        })
    }

    /// Sends a request and reads the answer.
    ///
    /// # Errors
    /// [`NoAnswer`] when there is no whole answer by the deadline.
    pub async fn send(&self, request: Request, deadline: Instant) -> Result<Answer, NoAnswer> {
        let exchange = async {
            let mut response = self.client.execute(request).await?;
            Ok(Answer {
                status: response.status().as_u16(),
                headers: std::mem::take(response.headers_mut()),
                body: self.read(response).await?,
            })
        };
        in_time(exchange, deadline).await
    }

    /// The status of an answer, whose body is not read.
    ///
    /// # Errors
    /// [`NoAnswer`] when no status comes by the deadline.
    pub async fn status(&self, request: Request, deadline: Instant) -> Result<u16, NoAnswer> {
        let exchange = async { Ok(self.client.execute(request).await?.status().as_u16()) };
        in_time(exchange, deadline).await
    }

    async fn read(&self, mut response: Response) -> reqwest::Result<Result<Vec<u8>, TooLong>> {
        let announced = response.content_length().unwrap_or(0);
        if announced > self.body_limit as u64 {
            return Ok(Err(TooLong));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > self.body_limit {
                return Ok(Err(TooLong));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Ok(body))
    }

    pub(crate) fn basic_request(&self, user: &str, password: &str) -> reqwest::Result<Request> {
        let request = self.client.request(Method::GET, "http://localhost");
        request.basic_auth(user, Some(password)).build()
    }
}

fn builder(limits: ClientLimits) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .user_agent(concat!("caller-memory/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .connect_timeout(limits.connect)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true)
}

async fn in_time<T>(exchange: impl Future<Output = reqwest::Result<T>>, deadline: Instant) -> Result<T, NoAnswer> {
    match tokio::time::timeout_at(deadline.into(), exchange).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) if error.is_connect() => Err(NoAnswer::Unconnected(error.without_url())),
        Ok(Err(error)) => Err(NoAnswer::Broken(error.without_url())),
        Err(_) => Err(NoAnswer::Late),
    }
}
