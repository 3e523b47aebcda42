//! A client's connection, with two promises that actix alone does not keep.
//!
//! Requests that are not HTTP never reach the application: actix answers them itself, with an empty body. Here such an
//! answer is given its envelope on the way out. And a client that sends slowly or without end, so that nothing can be
//! answered, is let go.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use actix_web::http::StatusCode;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use crate::{
    error::{Code, REQUEST_ID, envelope},
    middleware::frame::new_request_id,
};

/// A stream between actix and a client.
pub(crate) struct Connection<S> {
    stream: S,
    /// What is to be written in place of an answer that was replaced, and how much of it has been.
    pending: Vec<u8>,
    written: usize,
    /// When the last answer was written or, if a byte was read after that, when the first one was.
    since: Instant,
    has_read: bool,
    unanswered: Duration,
    timer: Pin<Box<Sleep>>,
}

impl<S> Connection<S> {
    /// Wraps `stream`; it ends when nothing is written for `unanswered` after the first byte of a request.
    pub(crate) fn new(stream: S, unanswered: Duration) -> Self {
        Self {
            stream,
            pending: Vec::new(),
            written: 0,
            since: Instant::now(),
            has_read: false,
            unanswered,
            timer: Box::pin(sleep(unanswered)),
        }
    }

    /// Whether nothing was written for too long. Arranges to be asked again otherwise.
    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        while self.timer.as_mut().poll(cx).is_ready() {
            let left = self.unanswered.saturating_sub(self.since.elapsed());
            if left.is_zero() {
                return true;
            }
            let at = tokio::time::Instant::now() + left;
            self.timer.as_mut().reset(at);
        }
        false
    }
}

impl<S: AsyncWrite + Unpin> Connection<S> {
    fn poll_pending(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.pending.len() {
            let rest = self.pending.get(self.written..).unwrap_or_default();
            match ready!(Pin::new(&mut self.stream).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                n => self.written += n,
            }
        }
        self.pending.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.is_over(cx) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_ready() && !self.has_read {
            self.has_read = true;
            self.since = Instant::now();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(cx))?;
        self.has_read = false;
        self.since = Instant::now();
        let Some(status) = bare_error(buf) else {
            return Pin::new(&mut self.stream).poll_write(cx, buf);
        };
        self.pending = enveloped(status);
        // The answer counts as written; what stands in for it is written with the next write, flush or shutdown.
        let _ = self.poll_pending(cx)?;
        Poll::Ready(Ok(buf.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The status of an answer that actix made by itself: an error without a body and without a request id, which every
/// answer of the application has.
fn bare_error(written: &[u8]) -> Option<StatusCode> {
    let status = written
        .strip_prefix(b"HTTP/1.1 ")
        .or_else(|| written.strip_prefix(b"HTTP/1.0 "))?;
    if !matches!(status.first(), Some(b'4' | b'5')) || !written.ends_with(b"\r\n\r\n") {
        return None;
    }
    let head = std::str::from_utf8(written).ok()?.to_ascii_lowercase();
    if head.contains(REQUEST_ID.as_str()) {
        return None;
    }
    StatusCode::from_bytes(status.get(..3)?).ok()
}

/// The answer of `status` with its envelope. The connection ends after it: what follows on it cannot be understood.
fn enveloped(status: StatusCode) -> Vec<u8> {
    let request_id = new_request_id();
    tracing::info!(target: "access", request_id, route = "malformed", status = status.as_u16());
    let message = match status {
        StatusCode::REQUEST_TIMEOUT => "the request did not arrive in time",
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => "the head of the request is too large",
        _ => "the request is not well-formed HTTP",
    };
    let body = envelope(Code::of_status(status), message.into(), Some(&request_id));
    let mut answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{REQUEST_ID}: {request_id}\r\n\
         connection: close\r\n\r\n",
        body.len()
    )
    .into_bytes();
    answer.extend_from_slice(body.as_bytes());
    answer
}
