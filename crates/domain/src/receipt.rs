//! Receipts: what a recall answered, kept so that it can be held against how the call ended.
//!
//! A receipt is written once, when its answer has left, and never changed. The outcome is not part of it: it is joined
//! from the ended call of the same session whenever a receipt is read.

use std::{collections::BTreeMap, fmt, str::FromStr};

use uuid::Uuid;

use crate::{
    access::TenantId,
    call::{CallOutcome, SessionId},
    phone::PhoneNumber,
    recall::Recall,
};

/// The identity of a receipt; `context_audit_id` in the answer that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReceiptId(pub Uuid);

impl fmt::Display for ReceiptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The text is not the id of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a context_audit_id, for example 019ab001-2c00-7000-8000-000000000001")]
pub struct NotAReceiptId;

impl FromStr for ReceiptId {
    type Err = NotAReceiptId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self).map_err(|_| NotAReceiptId)
    }
}

/// What the memory told of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallerState {
    /// The caller was known.
    Known,
    /// The number was not seen before.
    New,
    /// The memory could not be read.
    Degraded,
}

impl CallerState {
    /// The state's name in listings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::New => "new",
            Self::Degraded => "degraded",
        }
    }
}

/// Answers that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Group {
    /// What the memory told of the caller.
    pub caller: CallerState,
    /// Whether a vendor or the operator's records told something that was shown; what the number itself tells does not
    /// count.
    pub enriched: bool,
}

impl Group {
    /// Every group, in the order in which listings show them.
    pub const ALL: [Self; 6] = [
        Self::of(CallerState::Known, false),
        Self::of(CallerState::Known, true),
        Self::of(CallerState::New, false),
        Self::of(CallerState::New, true),
        Self::of(CallerState::Degraded, false),
        Self::of(CallerState::Degraded, true),
    ];

    const fn of(caller: CallerState, enriched: bool) -> Self {
        Self { caller, enriched }
    }
}

impl From<&Recall> for Group {
    fn from(recall: &Recall) -> Self {
        let caller = match (&recall.degraded, recall.known) {
            (Some(_), _) => CallerState::Degraded,
            (None, true) => CallerState::Known,
            (None, false) => CallerState::New,
        };
        Self::of(caller, recall.enrichment.is_from_outside())
    }
}

/// What one recall answered, and to whom.
#[derive(Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The receipt's identity.
    pub id: ReceiptId,
    /// Whose recall it was.
    pub tenant: TenantId,
    /// When the recall happened, in milliseconds since the epoch.
    pub at_ms: i64,
    /// The recall's W3C trace id.
    pub trace_id: String,
    /// Who called.
    pub number: PhoneNumber,
    /// The client's name for the call, when it gave one; without it there is no outcome.
    pub session_id: Option<SessionId>,
    /// How long the whole answer might take, in milliseconds.
    pub deadline_ms: u64,
    /// What was not ready at the deadline, for example `enrichment.twilio`.
    pub cut: Vec<String>,
    /// What kind of answer it was.
    pub group: Group,
    /// The body of the answer, byte for byte.
    pub response: Vec<u8>,
}

impl fmt::Debug for Receipt {
    /// Leaves out who called and what was answered: neither may reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receipt")
            .field("id", &self.id)
            .field("tenant", &self.tenant)
            .field("at_ms", &self.at_ms)
            .field("trace_id", &self.trace_id)
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}

/// A receipt as the administrator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownReceipt {
    /// The receipt.
    pub receipt: Receipt,
    /// The name of the tenant it belongs to.
    pub tenant: String,
    /// How the call of the same session ended; `None` while it has not, and without a session.
    pub outcome: Option<CallOutcome>,
}

/// How many receipts there are of a group, and how their calls ended. Every recall of a session has a receipt of its
/// own, so a call that was recalled twice counts twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Receipts.
    pub receipts: u64,
    /// Those whose call has ended, by [`CallOutcome::ALL`].
    pub outcomes: [u64; CallOutcome::ALL.len()],
}

impl Tally {
    /// Counts `receipts` more, whose calls ended with `outcome`, or have not ended.
    pub fn add(&mut self, outcome: Option<CallOutcome>, receipts: u64) {
        self.receipts += receipts;
        let ended = CallOutcome::ALL.iter().position(|one| Some(*one) == outcome);
        if let Some(index) = ended {
            self.outcomes[index] += receipts;
        }
    }

    /// Receipts whose call has ended.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.outcomes.iter().sum()
    }
}

/// The tally of every group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats(pub BTreeMap<Group, Tally>);

impl Default for Stats {
    fn default() -> Self {
        Self(Group::ALL.map(|group| (group, Tally::default())).into())
    }
}

impl Stats {
    /// Counts `receipts` more of `group`, whose calls ended with `outcome`, or have not ended.
    pub fn add(&mut self, group: Group, outcome: Option<CallOutcome>, receipts: u64) {
        self.0.entry(group).or_default().add(outcome, receipts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        enrichment::{BlockAnswer, Line, vendor},
        error::PortError,
    };

    fn recall(known: bool, source: Option<&str>) -> Recall {
        let mut recall = Recall::degraded(PortError::deadline("a test"), 0.0);
        recall.degraded = None;
        recall.known = known;
        recall.enrichment.phone = source.map(|source| BlockAnswer {
            value: Line::default(),
            source: source.to_owned(),
            fetched_at_ms: 0,
        });
        recall
    }

    #[test]
    fn an_answer_has_its_group() {
        let group = |recall: &Recall| {
            let Group { caller, enriched } = Group::from(recall);
            (caller, enriched)
        };
        assert_eq!(group(&recall(true, None)), (CallerState::Known, false));
        assert_eq!(
            group(&recall(true, Some(vendor::OFFLINE))),
            (CallerState::Known, false),
            "the number itself is no enrichment"
        );
        assert_eq!(group(&recall(true, Some("twilio"))), (CallerState::Known, true));
        assert_eq!(group(&recall(false, Some("webhook+pdl"))), (CallerState::New, true));
        assert_eq!(group(&recall(false, None)), (CallerState::New, false));
        let degraded = Recall::degraded(PortError::deadline("a test"), 0.0);
        assert_eq!(group(&degraded), (CallerState::Degraded, false));
    }

    #[test]
    fn statistics_add_up() {
        let mut stats = Stats::default();
        assert_eq!(stats.0.len(), Group::ALL.len());
        let group = Group::ALL[0];
        stats.add(group, None, 3);
        for outcome in CallOutcome::ALL {
            stats.add(group, Some(outcome), 2);
        }
        assert_eq!((stats.0[&group].receipts, stats.0[&group].ended()), (13, 10));
        assert_eq!(stats.0[&group].outcomes, [2; 5]);
        assert_eq!(stats.0[&Group::ALL[1]], Tally::default());
    }

    #[test]
    fn ids_read_as_they_are_written() {
        let text = "019ab001-2c00-7000-8000-000000000001";
        assert_eq!(text.parse::<ReceiptId>().map(|id| id.to_string()).as_deref(), Ok(text));
        for wrong in ["", "1", "019ab001", "not an id"] {
            assert_eq!(wrong.parse::<ReceiptId>(), Err(NotAReceiptId), "{wrong}");
        }
    }
}
