//! The defence against DNS rebinding: a page in a browser that talks to this service under a name of its own.
//!
//! Browsers send `Origin` with every POST, programs do not, and there is no access for browsers by design. So a request
//! with an `Origin` is refused, unless the page is of this machine. The name in `Host` tells nothing more: a rebound
//! page has the same in both.

use actix_web::http::{
    Uri,
    header::{self, HeaderMap},
};

/// Whether the request is of no page, or of one that is served on the loopback interface.
pub(super) fn is_local(headers: &HeaderMap) -> bool {
    headers.get_all(header::ORIGIN).all(|origin| {
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        let host = origin
            .as_ref()
            .filter(|origin| origin.scheme().is_some())
            .and_then(Uri::host);
        host.is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    #[test]
    fn only_pages_of_this_machine_pass() {
        let with = |origins: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for origin in origins {
                headers.append(header::ORIGIN, HeaderValue::from_static(origin));
            }
            is_local(&headers)
        };
        assert!(with(&[]));
        for origin in [
            "http://localhost",
            "http://localhost:3000",
            "https://127.0.0.1:8443",
            "http://[::1]:8080",
        ] {
            assert!(with(&[origin]), "{origin}");
        }
        for origin in [
            "",
            "null",
            "localhost",
            "http://evil.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example:8080",
            "http://localhost@evil.example",
            "http://192.168.0.2",
        ] {
            assert!(!with(&[origin]), "{origin}");
        }
        assert!(!with(&["http://localhost", "http://evil.example"]));
    }
}
