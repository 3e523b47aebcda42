//! What a strict tenant's answer leaves out.

use super::{
    judgement::{Judgement, Recommendation, Signal},
    setting::IdentityMode,
};
use crate::{
    call::CallId, caller::Caller, enrichment::ShownEnrichment, json::JsonObject, memory::Recollection, themes::Themes,
};

/// What an answer says about who is calling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// What the agent is advised to do with the memory.
    pub recommendation: Recommendation,
    /// What speaks against using it.
    pub signals: Vec<Signal>,
    /// What was left out of the answer; `None` when nothing was.
    pub withheld: Option<Withheld>,
}

/// How much was left out of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Withheld {
    /// Facts.
    pub facts: usize,
    /// Of the latest calls.
    pub calls: usize,
}

/// How much of the memory an answer may show.
enum Shown {
    All,
    Own,
    Nothing,
}

impl Judgement {
    fn shown(&self) -> Shown {
        match (self.mode, self.recommendation) {
            (IdentityMode::Strict, Recommendation::Withhold) => Shown::Nothing,
            (IdentityMode::Strict, _) if self.is_mixed() => Shown::Own,
            _ => Shown::All,
        }
    }

    /// Leaves out of what was read, and of what look-ups tell, what a strict tenant does not show to whoever calls now.
    #[must_use]
    pub fn withhold(self, read: &mut Recollection, enrichment: &mut ShownEnrichment) -> Identity {
        let withheld = match self.shown() {
            Shown::All => None,
            shown => {
                let (facts, calls) = (read.facts.len(), read.recent_calls.len());
                if let Shown::Nothing = shown {
                    read.facts.clear();
                    read.recent_calls.clear();
                } else {
                    // What the operator set is the operator's word, as tags are.
                    let is_own = |call_id: Option<CallId>, at_ms| match call_id {
                        Some(call_id) => self.is_own(call_id, at_ms),
                        None => self.owns_beginning(),
                    };
                    read.facts.retain(|fact| is_own(fact.call_id, fact.said_at_ms));
                    read.recent_calls
                        .retain(|call| self.is_own(call.call_id, call.started_at_ms));
                }
                // They are about all of the calls.
                read.summary = None;
                read.themes = Themes::default();
                self.withhold_profile(&mut read.caller);
                self.withhold_owner(enrichment);
                Some(Withheld {
                    facts: facts - read.facts.len(),
                    calls: calls - read.recent_calls.len(),
                })
            }
        };
        Identity {
            recommendation: self.recommendation,
            signals: self.signals,
            withheld,
        }
    }

    /// Leaves out of a profile alone what [`Judgement::withhold`] leaves out of it. The operator's words stay where
    /// they are about the person who was named last.
    pub fn withhold_profile(&self, caller: &mut Caller) {
        let shown = self.shown();
        let shows_own = matches!(shown, Shown::Own);
        let (keeps_name, keeps_words) = match shown {
            Shown::All => return,
            Shown::Own => {
                let is_theirs = |name: &String| self.is_theirs(name);
                (caller.name.as_ref().is_some_and(is_theirs), self.owns_beginning())
            }
            Shown::Nothing => (false, false),
        };
        if !keeps_name {
            caller.name = None;
        }
        // That somebody does not want to be called is never withheld, but their words are theirs.
        if let Some(mark) = &mut caller.do_not_call
            && let Some(call_id) = mark.call_id
            && !(shows_own && self.is_own(call_id, mark.at_ms))
        {
            mark.quote = None;
        }
        if !keeps_words {
            caller.tags.clear();
            caller.custom_attributes = JsonObject::default();
        }
    }

    /// Leaves out of look-ups who has the line, unless it is the person who was named last.
    pub fn withhold_owner(&self, enrichment: &mut ShownEnrichment) {
        let names_them = |enrichment: &ShownEnrichment| {
            let person = enrichment
                .person
                .as_ref()
                .and_then(|person| person.value.name.as_deref());
            person.is_some_and(|name| self.is_theirs(name))
        };
        let shows_owner = match self.shown() {
            Shown::All => true,
            Shown::Own => names_them(enrichment),
            Shown::Nothing => false,
        };
        if !shows_owner {
            enrichment.person = None;
            enrichment.company = None;
        }
    }
}
