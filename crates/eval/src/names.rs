//! Recorded calls whose callers were given a name to use, and how often it is found.

use domain::{
    call::{Role, Turn},
    facts::{self, FactKey, Outcome},
};
use serde::Deserialize;

/// A recorded call.
#[derive(Deserialize)]
pub(crate) struct Call {
    /// The call's identity in the data set.
    pub(crate) sid: String,
    /// The name that the caller was given. A few callers say another one, or none.
    caller_name: String,
    segments: Vec<Segment>,
}

#[derive(Deserialize)]
struct Segment {
    role: String,
    start_timestamp_ms: f64,
    text: String,
    asr: String,
}

/// Which transcript of a call is read.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// Written down by people.
    Text,
    /// From a speech recogniser.
    Asr,
}

/// What was made of a call's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The name that the caller was given.
    Right,
    /// Another name.
    Other,
    /// None, though something was said.
    Doubtful,
    /// None.
    Nothing,
}

impl Call {
    /// Reads a call of the data set.
    pub(crate) fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// The transcript, by the clock that both speakers share.
    pub(crate) fn turns(&self, source: Source) -> Vec<Turn> {
        let mut segments: Vec<&Segment> = self.segments.iter().collect();
        segments.sort_by(|a, b| a.start_timestamp_ms.total_cmp(&b.start_timestamp_ms));
        segments
            .into_iter()
            .map(|segment| Turn {
                role: if segment.role == "caller" {
                    Role::User
                } else {
                    Role::Agent
                },
                text: match source {
                    Source::Text => segment.text.clone(),
                    Source::Asr => segment.asr.clone(),
                },
                ts_ms: segment.start_timestamp_ms,
            })
            .collect()
    }

    /// What the facts make of the caller's name.
    pub(crate) fn verdict(&self, source: Source) -> Verdict {
        let found = facts::of_call(&self.turns(source));
        let name = facts::standing(&found.facts, |fact| (fact.key, &fact.value))
            .into_iter()
            .find(|fact| fact.key == FactKey::Name);
        match name {
            Some(fact) if fact.value.to_lowercase() == self.caller_name.to_lowercase() => Verdict::Right,
            Some(_) => Verdict::Other,
            None if found.outcomes.contains(&(FactKey::Name, Outcome::Doubtful)) => Verdict::Doubtful,
            None => Verdict::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_given_is_right() {
        let line = r#"{"sid": "1", "caller_name": "Maren Okafor", "segments": [
            {"role": "caller", "start_timestamp_ms": 2, "text": "my name is maren okafor", "asr": "my name is mary"},
            {"role": "agent", "start_timestamp_ms": 1, "text": "my name is john", "asr": "uh"}]}"#;
        let call = Call::parse(line).expect("parses");
        assert_eq!(call.turns(Source::Text)[0].role, Role::Agent);
        assert_eq!(call.verdict(Source::Text), Verdict::Right);
        assert_eq!(call.verdict(Source::Asr), Verdict::Other);
    }
}
