//! Addresses that settings name.

use std::{fmt, str::FromStr};

use reqwest::Url;

/// An origin, and perhaps a path before the paths that are asked there. `Debug` and `Display` show it, so it must hold
/// no secret: user names, passwords, queries and fragments are refused.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

/// The text is no address that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not an address; give http:// or https://, a host and perhaps a path, no fragment; a base URL has no user or query"
)]
pub struct MalformedUrl;

impl BaseUrl {
    /// The address of `path`, which begins with a slash, below this base.
    #[must_use]
    pub fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        let prefix = self.0.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}{path}"));
        url
    }

    /// The base itself.
    #[must_use]
    pub fn as_url(&self) -> &Url {
        &self.0
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
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BaseUrl({self})")
    }
}

/// Reads an `http` or `https` address without a fragment.
///
/// # Errors
/// [`MalformedUrl`] for everything else.
pub fn web_url(text: &str) -> Result<Url, MalformedUrl> {
    let url = Url::parse(text.trim()).map_err(|_| MalformedUrl)?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host() && url.fragment().is_none();
    if is_web { Ok(url) } else { Err(MalformedUrl) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_keeps_its_prefix() {
        for (base, shown, joined) in [
            (
                "https://api.example.test",
                "https://api.example.test",
                "https://api.example.test/v2/x/+1",
            ),
            (
                "https://api.example.test/",
                "https://api.example.test",
                "https://api.example.test/v2/x/+1",
            ),
            (
                "http://127.0.0.1:8080/stub/",
                "http://127.0.0.1:8080/stub",
                "http://127.0.0.1:8080/stub/v2/x/+1",
            ),
            (
                "http://[::1]:81/prefix//",
                "http://[::1]:81/prefix",
                "http://[::1]:81/prefix/v2/x/+1",
            ),
        ] {
            let base: BaseUrl = base.parse().expect("a base address");
            assert_eq!(base.join("/v2/x/+1").as_str(), joined);
            assert_eq!(base.to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_base_address_is_refused() {
        for text in [
            "",
            "api.example.test",
            "localhost:8080",
            "/v1",
            "ftp://example.test",
            "file:///etc/passwd",
            "https://",
            "http://a b",
            "http://a:b@c.test",
            "https://c.test/?key=1",
            "https://c.test/#x",
        ] {
            assert_eq!(text.parse::<BaseUrl>(), Err(MalformedUrl), "{text}");
        }
    }
}
