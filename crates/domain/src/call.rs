//! A call that has ended: its transcript, its outcome and when it began.

use std::{fmt, str::FromStr};

use language::{Speaker, Transcript};
use uuid::Uuid;

use crate::{json::JsonObject, phone::PhoneNumber};

/// The service's own identity of a call; `recent_calls[].call_id` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub Uuid);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The most characters of the client's name for a call. An earlier release took longer ones, and keeps them.
pub const SESSION_ID_CHARS: usize = 256;

/// The most turns of a transcript.
pub const TURNS: usize = 10_000;

/// The most bytes of a turn's text, as UTF-8.
pub const TURN_BYTES: usize = 64 * 1024;

/// The most bytes of what an agent reports beside a call, as the text of a JSON object.
pub const METADATA_BYTES: usize = 16 * 1024;

/// The client's name for a call, unique in its tenant. Never empty, without NUL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionId(pub String);

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    /// `appointment_booked`
    AppointmentBooked,
    /// `quote_given`
    QuoteGiven,
    /// `callback_requested`
    CallbackRequested,
    /// `no_answer`
    NoAnswer,
    /// `other`
    Other,
}

impl CallOutcome {
    /// Every outcome, in the order of the interface.
    pub const ALL: [Self; 5] = [
        Self::AppointmentBooked,
        Self::QuoteGiven,
        Self::CallbackRequested,
        Self::NoAnswer,
        Self::Other,
    ];

    /// The outcome's name in the interface and in storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AppointmentBooked => "appointment_booked",
            Self::QuoteGiven => "quote_given",
            Self::CallbackRequested => "callback_requested",
            Self::NoAnswer => "no_answer",
            Self::Other => "other",
        }
    }
}

/// The text is not the name of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a call outcome")]
pub struct UnknownOutcome;

impl FromStr for CallOutcome {
    type Err = UnknownOutcome;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == name)
            .ok_or(UnknownOutcome)
    }
}

/// Who said a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The caller.
    User,
    /// The voice agent.
    Agent,
}

impl Role {
    /// The role's name in the interface and in storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
        }
    }
}

impl From<Role> for Speaker {
    fn from(role: Role) -> Self {
        match role {
            Role::User => Self::Caller,
            Role::Agent => Self::Agent,
        }
    }
}

/// One entry of a transcript.
#[derive(Clone, PartialEq)]
pub struct Turn {
    /// Who spoke.
    pub role: Role,
    /// What was said, as the client sent it.
    pub text: String,
    /// When, in milliseconds: since the epoch, or since the call began, as the client's platform counts.
    pub ts_ms: f64,
}

impl fmt::Debug for Turn {
    /// Leaves the words out: what people say never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("role", &self.role)
            .field("ts_ms", &self.ts_ms)
            .finish_non_exhaustive()
    }
}

/// Finds the words of a transcript, once for everything that is made of them.
#[must_use]
pub fn read(transcript: &[Turn]) -> Transcript<'_> {
    Transcript::read(transcript.iter().map(|turn| (turn.role.into(), turn.text.as_str())))
}

/// A call as the client reports it after hangup.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedCall {
    /// The client's name for the call.
    pub session_id: SessionId,
    /// The caller.
    pub number: PhoneNumber,
    /// What was said.
    pub transcript: Vec<Turn>,
    /// Length in seconds; finite, 0 or more.
    pub duration_s: f64,
    /// How it ended.
    pub outcome: CallOutcome,
    /// The client's own data, kept with the call.
    pub agent_metadata: Option<JsonObject>,
}

/// When a caller was in contact during a call; in milliseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contact {
    /// From when.
    pub first_ms: i64,
    /// Until when; not before `first_ms`.
    pub last_ms: i64,
}

/// A call as a recall shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentCall {
    /// The call's identity.
    pub call_id: CallId,
    /// When it began, in milliseconds since the epoch.
    pub started_at_ms: i64,
    /// Length in seconds.
    pub duration_s: f64,
    /// The call in a few sentences.
    pub summary: String,
    /// How it ended.
    pub outcome: CallOutcome,
}

/// 2000-01-01T00:00:00Z. A smaller transcript time counts from the start of the call, not from the epoch.
pub(crate) const EARLIEST_EPOCH_MS: f64 = 946_684_800_000.0;

/// How far a client's clock may run ahead before its epoch times are not believed: one day.
const CLOCK_AHEAD_MS: i64 = 86_400_000;

/// When a call began as far as its own report tells: the first transcript time when that is an epoch time (from the
/// year 2000 to a day from now), else the time of the report less the duration. Milliseconds since the epoch.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "bounded to 2000..now, far below 2^53"
)]
pub fn started_at_ms(call: &EndedCall, received_at_ms: i64) -> i64 {
    told_start_ms(call, received_at_ms)
        .unwrap_or_else(|| ((received_at_ms as f64) - call.duration_s * 1000.0).max(0.0) as i64)
}

/// When the caller was in contact as far as the report of a call tells: for the duration of the call when its first
/// transcript time is an epoch time, but not after the report; else when the report arrived.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "bounded to 2000..now, far below 2^53"
)]
pub fn contact(call: &EndedCall, received_at_ms: i64) -> Contact {
    let first_ms = told_start_ms(call, received_at_ms).map_or(received_at_ms, |told| told.min(received_at_ms));
    let last_ms = (first_ms as f64 + call.duration_s * 1000.0).min(received_at_ms as f64) as i64;
    Contact { first_ms, last_ms }
}

/// The first transcript time when it is an epoch time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "bounded to 2000..now, far below 2^53"
)]
fn told_start_ms(call: &EndedCall, received_at_ms: i64) -> Option<i64> {
    let latest = received_at_ms.saturating_add(CLOCK_AHEAD_MS) as f64;
    let told = call.transcript.first()?.ts_ms;
    (EARLIEST_EPOCH_MS..=latest).contains(&told).then_some(told as i64)
}
