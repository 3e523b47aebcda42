//! What the memory keeps of a caller to tell who it is about: the names that were stated, by call, and when the number
//! was silent.

use crate::{
    call::{CallId, Contact},
    correction::{self, Correction},
    facts::{FactKey, SaidFact},
};

/// How long a number must be silent until somebody else may have it, in milliseconds: 90 days.
pub const SILENCE_MS: i64 = 90 * 24 * 60 * 60 * 1000;

/// The most stated names that are kept of a caller.
pub const STATED_NAMES: usize = 16;

/// A name that the caller stated, and in which call.
#[derive(Clone, PartialEq, Eq)]
pub struct StatedName {
    /// The call in which it was stated.
    pub call_id: CallId,
    /// What tells newer statements from older ones, as [`SaidFact::order_ms`] does.
    pub at_ms: i64,
    /// The name.
    pub name: String,
}

impl std::fmt::Debug for StatedName {
    /// Leaves the name out: what people say never reaches a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StatedName")
            .field("call_id", &self.call_id)
            .field("at_ms", &self.at_ms)
            .finish_non_exhaustive()
    }
}

impl StatedName {
    /// The name that was stated last in a call, if any was.
    #[must_use]
    pub fn of_call(call_id: CallId, said: &[SaidFact]) -> Option<Self> {
        let said = said.iter().rfind(|said| said.fact.key == FactKey::Name)?;
        Some(Self {
            call_id,
            at_ms: said.order_ms,
            name: said.fact.value.clone(),
        })
    }
}

/// What is kept of a caller, beside their memory, to tell who it is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trace {
    /// One name of each call in which one was stated, oldest first; at most [`STATED_NAMES`].
    names: Vec<StatedName>,
    /// Until when the latest call lasted, in milliseconds since the epoch.
    pub last_call_ms: Option<i64>,
    /// When the latest call came that followed a silence of more than [`SILENCE_MS`], in milliseconds since the epoch.
    pub returned_ms: Option<i64>,
}

impl Trace {
    /// The trace of what is stored: names in any order, and the two times.
    #[must_use]
    pub fn new(names: Vec<StatedName>, last_call_ms: Option<i64>, returned_ms: Option<i64>) -> Self {
        let mut trace = Self {
            names: Vec::with_capacity(names.len().min(STATED_NAMES)),
            last_call_ms,
            returned_ms,
        };
        for name in names {
            trace.insert(name);
        }
        trace
    }

    /// One name of each call in which one was stated, oldest first.
    #[must_use]
    pub fn names(&self) -> &[StatedName] {
        &self.names
    }

    /// What is left of it after an operator's corrections: a name that was misheard is nobody's.
    #[must_use]
    pub fn corrected(mut self, corrections: &[Correction]) -> Self {
        self.names
            .retain(|stated| correction::holds(corrections, FactKey::Name, &stated.name, stated.at_ms));
        self
    }

    /// Notes when a call that was reported took place, and whether it followed a silence.
    pub fn call(&mut self, Contact { first_ms, last_ms }: Contact) {
        if self
            .last_call_ms
            .is_some_and(|former_ms| is_silence(former_ms, first_ms))
        {
            self.returned_ms = Some(first_ms);
        }
        self.last_call_ms = self.last_call_ms.max(Some(last_ms));
    }

    /// Notes a name, in place of one that was noted for the call before.
    pub fn state(&mut self, stated: StatedName) {
        self.forget(stated.call_id);
        self.insert(stated);
    }

    /// Forgets what was stated in a call; whether there was anything.
    pub fn forget(&mut self, call_id: CallId) -> bool {
        let before = self.names.len();
        self.names.retain(|name| name.call_id != call_id);
        self.names.len() < before
    }

    /// Of too many names, one goes that stands between two equal ones, because it tells least; else the oldest.
    fn insert(&mut self, stated: StatedName) {
        let place = self
            .names
            .partition_point(|known| (known.at_ms, known.call_id) <= (stated.at_ms, stated.call_id));
        self.names.insert(place, stated);
        if self.names.len() > STATED_NAMES {
            let between = self.names.windows(3).position(|names| {
                let [before, name, after] = names else { return false };
                before.name == name.name && name.name == after.name
            });
            self.names.remove(between.map_or(0, |place| place + 1));
        }
    }
}

/// Whether a number that was last heard at `from_ms` was silent for too long until `to_ms`.
pub(super) const fn is_silence(from_ms: i64, to_ms: i64) -> bool {
    to_ms.saturating_sub(from_ms) > SILENCE_MS
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn stated(call: u128, at_ms: i64, name: &str) -> StatedName {
        StatedName {
            call_id: CallId(Uuid::from_u128(call)),
            at_ms,
            name: name.to_owned(),
        }
    }

    #[test]
    fn a_name_that_the_operator_dropped_is_nobodys() {
        let of = |value: Option<&str>| Correction {
            key: FactKey::Name,
            word: correction::Word::Drop {
                value: value.map(str::to_owned),
            },
            at_ms: 20,
        };
        let trace = || {
            Trace::new(
                vec![stated(1, 10, "Ana"), stated(2, 20, "Tom"), stated(3, 30, "Ana")],
                None,
                None,
            )
        };
        assert_eq!(
            trace().corrected(&[of(Some("tom"))]).names(),
            [stated(1, 10, "Ana"), stated(3, 30, "Ana")]
        );
        assert_eq!(trace().corrected(&[of(None)]).names(), [stated(3, 30, "Ana")]);
        assert_eq!(trace().corrected(&[]), trace());
    }

    #[test]
    fn names_are_kept_in_their_order_and_go_with_their_call() {
        let mut trace = Trace::new(vec![stated(2, 20, "Tom"), stated(1, 10, "Ana")], None, None);
        assert_eq!(trace.names(), [stated(1, 10, "Ana"), stated(2, 20, "Tom")]);
        assert!(trace.forget(CallId(Uuid::from_u128(2))) && !trace.forget(CallId(Uuid::from_u128(2))));
        assert_eq!(trace.names(), [stated(1, 10, "Ana")]);
    }

    #[test]
    fn the_first_of_two_persons_is_not_forgotten_however_often_the_second_calls() {
        let mut names = vec![stated(0, 0, "Ana")];
        names.extend((1..1000).map(|call| stated(call, i64::try_from(call).unwrap(), "Tom")));
        let trace = Trace::new(names, None, None);
        assert_eq!(trace.names().len(), STATED_NAMES);
        assert_eq!(trace.names()[0].name, "Ana");
        assert_eq!(trace.names()[STATED_NAMES - 1], stated(999, 999, "Tom"));
    }

    #[test]
    fn a_call_after_a_silence_is_noted() {
        let contact = |first_ms, last_ms| Contact { first_ms, last_ms };
        let mut trace = Trace::default();
        trace.call(contact(0, 10));
        trace.call(contact(10 + SILENCE_MS, 20 + SILENCE_MS));
        assert_eq!((trace.last_call_ms, trace.returned_ms), (Some(20 + SILENCE_MS), None));
        trace.call(contact(21 + 2 * SILENCE_MS, 22 + 2 * SILENCE_MS));
        assert_eq!(trace.returned_ms, Some(21 + 2 * SILENCE_MS));
        trace.call(contact(5, 6));
        assert_eq!(
            trace.last_call_ms,
            Some(22 + 2 * SILENCE_MS),
            "an old call that is reported late"
        );
    }
}
