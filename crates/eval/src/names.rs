//! Recorded calls whose callers were given a name to use, and how often it is found.

use language::{
    Speaker, Transcript,
    findings::{self, Finding, Topic},
};
use serde::Deserialize;

/// A recorded call.
#[derive(Deserialize)]
pub(crate) struct Call {
    /// The call's identity in the data set.
    pub(crate) sid: String,
    /// The name that the caller was given. A few callers say another one, or none.
    pub(crate) caller_name: String,
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
pub(crate) enum NameResult {
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
    pub(crate) fn transcript(&self, source: Source) -> Transcript<'_> {
        let mut segments: Vec<&Segment> = self.segments.iter().collect();
        segments.sort_by(|a, b| a.start_timestamp_ms.total_cmp(&b.start_timestamp_ms));
        Transcript::read(segments.into_iter().map(|segment| {
            let speaker = if segment.role == "caller" {
                Speaker::Caller
            } else {
                Speaker::Agent
            };
            let text = match source {
                Source::Text => &segment.text,
                Source::Asr => &segment.asr,
            };
            (speaker, text.as_str())
        }))
    }

    /// What was made of the caller's name; the last one that was stated counts.
    pub(crate) fn name_result(&self, source: Source) -> NameResult {
        let findings = findings::of_call(&self.transcript(source), None);
        let name = findings.iter().rev().find_map(|finding| match finding {
            Finding::Statement(statement) if statement.topic == Topic::Name => Some(&statement.value),
            _ => None,
        });
        match name {
            Some(name) if name.to_lowercase() == self.caller_name.to_lowercase() => NameResult::Right,
            Some(_) => NameResult::Other,
            None if findings.contains(&Finding::Doubt(Topic::Name)) => NameResult::Doubtful,
            None => NameResult::Nothing,
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
        assert_eq!(call.name_result(Source::Text), NameResult::Right);
        assert_eq!(call.name_result(Source::Asr), NameResult::Other);
    }
}
