//! Asking a vendor over HTTP, with the limits that hold for every look-up.

use std::time::Duration;

use domain::context::Deadline;
use outgoing::{
    BaseUrl, Client, ClientLimits, Method, NoAnswer, Request, SetupError,
    header::{ACCEPT, HeaderValue},
};

/// No vendor's real answer comes near this size.
const LIMITS: ClientLimits = ClientLimits {
    connect: Duration::from_secs(3),
    body: 256 * 1024,
};

/// What a vendor answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// The client that all vendors share: 3 s for a connection, and at most 256 KiB of an answer.
///
/// # Errors
/// [`SetupError`] when the system's CA certificates cannot be read.
pub fn client() -> Result<Client, SetupError> {
    Client::new(LIMITS)
}

/// Whether a vendor's address answers at all, whatever it answers. Sends no key and looks nothing up.
///
/// # Errors
/// [`NoAnswer`] when no HTTP answer comes by the deadline.
pub async fn reach(client: &Client, base: &BaseUrl, deadline: Deadline) -> Result<(), NoAnswer> {
    let request = Request::new(Method::GET, base.join("/"));
    client.status(request, deadline.0).await.map(|_| ())
}

/// Sends a GET and reads the answer; `None` when there is none by the deadline or its body is too long.
pub(crate) async fn get(
    client: &Client,
    vendor: &'static str,
    mut request: Request,
    deadline: Deadline,
) -> Option<Answer> {
    request
        .headers_mut()
        .insert(ACCEPT, HeaderValue::from_static("application/json"));
    let error: Box<dyn std::error::Error> = match client.send(request, deadline.0).await {
        Ok(answer) => match answer.body {
            Ok(body) => {
                return Some(Answer {
                    status: answer.status,
                    body,
                });
            }
            Err(error) => error.into(),
        },
        Err(error) => error.into(),
    };
    tracing::debug!(vendor, error = &*error, "no answer");
    None
}
