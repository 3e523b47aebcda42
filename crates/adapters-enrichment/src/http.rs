//! The one HTTP client of all vendors, with the limits that hold for each request.

use std::{fmt, str::FromStr, time::Duration};

use domain::context::Deadline;
use reqwest::{
    Method, Request, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderValue},
    redirect,
};
use secrecy::{ExposeSecret, SecretString};

/// How much of a body is read. No vendor's real answer comes near it.
const BODY_LIMIT: usize = 256 * 1024;
/// How long a connection may take to stand.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);
/// How long an idle connection is kept for the next look-up, which then saves the TLS handshake.
const IDLE_LIMIT: Duration = Duration::from_secs(90);

/// Sends look-ups. Cheap to clone; clones share their connections.
///
/// It follows no redirect, retries nothing, uses no proxy of the environment, and reads at most 256 KiB of a body.
#[derive(Debug, Clone)]
pub struct Http {
    client: reqwest::Client,
}

/// The client could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client for look-ups cannot be set up; are CA certificates installed?")]
pub struct ClientError(#[source] reqwest::Error);

/// A secret that cannot be sent in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key holds characters that cannot be sent in a header")]
pub struct UnusableSecret;

/// The vendor's address does not answer. The cause names no more than the kind of failure.
#[derive(Debug, thiserror::Error)]
pub enum Unreachable {
    /// No connection stood, or no answer came.
    #[error("no answer from the vendor's address")]
    NoAnswer(#[source] reqwest::Error),
    /// Nothing happened by the deadline.
    #[error("no answer from the vendor's address in time")]
    Late,
}

/// What a vendor answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Http {
    /// Sets up the client.
    ///
    /// # Errors
    /// [`ClientError`] when the system's CA certificates cannot be read.
    pub fn new() -> Result<Self, ClientError> {
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            // Fails only when another thread was quicker, and then there is one.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        let client = reqwest::Client::builder()
            .user_agent(concat!("caller-memory/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .connect_timeout(CONNECT_LIMIT)
            .pool_idle_timeout(IDLE_LIMIT)
            .tcp_nodelay(true)
            .build()
            .map_err(ClientError)?;
        Ok(Self { client })
    }

    /// Whether the vendor's address answers at all, whatever it answers. Sends no key and looks nothing up.
    ///
    /// # Errors
    /// [`Unreachable`] when no HTTP answer comes by the deadline.
    pub async fn reach(&self, base: &BaseUrl, deadline: Deadline) -> Result<(), Unreachable> {
        let request = Request::new(Method::GET, base.join("/"));
        match tokio::time::timeout_at(deadline.0.into(), self.client.execute(request)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(Unreachable::NoAnswer(error.without_url())),
            Err(_) => Err(Unreachable::Late),
        }
    }

    /// The header of Basic authentication; `Debug` does not show it.
    pub(crate) fn basic_header(&self, user: &str, password: &SecretString) -> Result<HeaderValue, UnusableSecret> {
        if user.contains(':') {
            return Err(UnusableSecret);
        }
        let request = self
            .client
            .get("http://localhost")
            .basic_auth(user, Some(password.expose_secret()));
        let request = request.build().map_err(|_| UnusableSecret)?;
        request.headers().get(AUTHORIZATION).cloned().ok_or(UnusableSecret)
    }

    /// Sends a GET and reads the answer; `None` when there is none by the deadline or its body is too long.
    pub(crate) async fn get(&self, vendor: &'static str, mut request: Request, deadline: Deadline) -> Option<Answer> {
        request
            .headers_mut()
            .insert(ACCEPT, HeaderValue::from_static("application/json"));
        match tokio::time::timeout_at(deadline.0.into(), self.read(request)).await {
            Ok(Ok(answer)) => answer.or_else(|| {
                tracing::debug!(vendor, "the answer is longer than 256 KiB");
                None
            }),
            Ok(Err(error)) => {
                // The URL holds the number, so it is taken out of the error.
                let error = error.without_url();
                tracing::debug!(vendor, error = &error as &dyn std::error::Error, "no answer");
                None
            }
            Err(_) => {
                tracing::debug!(vendor, "no answer in time");
                None
            }
        }
    }

    async fn read(&self, request: Request) -> reqwest::Result<Option<Answer>> {
        let mut response = self.client.execute(request).await?;
        let status = response.status().as_u16();
        let announced = response.content_length().unwrap_or(0);
        if announced > BODY_LIMIT as u64 {
            return Ok(None);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > BODY_LIMIT {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(Answer { status, body }))
    }
}

/// The origin of a vendor and the prefix before its own paths. `Debug` and `Display` show it, so it must hold no secret; user
/// names, passwords, queries and fragments are refused.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

/// The text is no base address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a base address; give http:// or https://, a host and perhaps a path, without user, query or fragment")]
pub struct MalformedUrl;

impl BaseUrl {
    /// The address of `path`, which begins with a slash, below this base.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        let prefix = self.0.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}{path}"));
        url
    }
}

impl FromStr for BaseUrl {
    type Err = MalformedUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = web_url(text)?;
        let is_bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if is_bare { Ok(Self(url)) } else { Err(MalformedUrl) }
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BaseUrl({})", self.0)
    }
}

/// Reads an `http` or `https` address without a fragment.
pub(crate) fn web_url(text: &str) -> Result<Url, MalformedUrl> {
    let url = Url::parse(text.trim()).map_err(|_| MalformedUrl)?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host() && url.fragment().is_none();
    if is_web { Ok(url) } else { Err(MalformedUrl) }
}

/// A header value that `Debug` does not show.
pub(crate) fn secret_header(prefix: &str, secret: &SecretString) -> Result<HeaderValue, UnusableSecret> {
    let mut value = HeaderValue::try_from(format!("{prefix}{}", secret.expose_secret())).map_err(|_| UnusableSecret)?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_keeps_its_prefix() {
        for (base, expected) in [
            ("https://api.example.test", "https://api.example.test/v2/x/+1"),
            ("https://api.example.test/", "https://api.example.test/v2/x/+1"),
            ("http://127.0.0.1:8080/stub/", "http://127.0.0.1:8080/stub/v2/x/+1"),
        ] {
            let base: BaseUrl = base.parse().expect("a base address");
            assert_eq!(base.join("/v2/x/+1").as_str(), expected);
        }
    }

    #[test]
    fn what_is_no_base_address_is_refused() {
        for text in [
            "",
            "api.example.test",
            "ftp://example.test",
            "file:///etc/passwd",
            "https://",
            "http://a:b@c.test",
            "https://c.test/?key=1",
            "https://c.test/#x",
        ] {
            assert_eq!(text.parse::<BaseUrl>(), Err(MalformedUrl), "{text}");
        }
    }

    #[test]
    fn a_secret_header_is_not_shown_and_must_be_sendable() {
        let value = secret_header("Bearer ", &SecretString::from("hush")).expect("a header");
        assert_eq!(value.to_str().expect("text"), "Bearer hush");
        assert!(!format!("{value:?}").contains("hush"));
        assert_eq!(secret_header("", &SecretString::from("a\nb")), Err(UnusableSecret));

        let http = Http::new().expect("a client");
        let value = http.basic_header("AC1", &SecretString::from("hush")).expect("a header");
        assert_eq!(value.to_str().expect("text"), "Basic QUMxOmh1c2g=");
        assert!(value.is_sensitive());
        assert_eq!(
            http.basic_header("a:b", &SecretString::from("hush")),
            Err(UnusableSecret)
        );
    }
}
