//! Secrets in headers, which `Debug` does not show.

use reqwest::header::{AUTHORIZATION, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

/// A secret that cannot be sent in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key holds characters that cannot be sent in a header")]
pub struct UnusableSecret;

/// The secret behind a prefix, for example `Bearer `.
///
/// # Errors
/// [`UnusableSecret`] when a header cannot carry it.
pub fn secret_header(prefix: &str, secret: &SecretString) -> Result<HeaderValue, UnusableSecret> {
    let mut value = HeaderValue::try_from(format!("{prefix}{}", secret.expose_secret())).map_err(|_| UnusableSecret)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Basic authentication, [RFC 7617](https://www.rfc-editor.org/rfc/rfc7617).
///
/// # Errors
/// [`UnusableSecret`] when the user name holds a colon, which would end it, or when no request can carry the pair.
pub fn basic_header(
    client: &super::Client,
    user: &str,
    password: &SecretString,
) -> Result<HeaderValue, UnusableSecret> {
    if user.contains(':') {
        return Err(UnusableSecret);
    }
    let request = client
        .basic_request(user, password.expose_secret())
        .map_err(|_| UnusableSecret)?;
    request.headers().get(AUTHORIZATION).cloned().ok_or(UnusableSecret)
}
