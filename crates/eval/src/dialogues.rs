//! Dialogues that people summarised, and how close a summary comes to theirs.

use language::{Speaker, Transcript, findings, summary};
use serde::Deserialize;

use crate::rouge::{Score, mean, score, stems};

/// A dialogue as the data set writes it: lines `#Person1#: ...`, and one summary or several.
#[derive(Deserialize)]
struct Line {
    dialogue: String,
    #[serde(flatten)]
    fields: serde_json::Map<String, serde_json::Value>,
}

/// A dialogue with its summaries. Person 2 is the caller, everybody else the agent.
pub(crate) struct Dialogue {
    /// What was said, and by whom.
    pub(crate) turns: Vec<(Speaker, String)>,
    /// What people made of it, as they wrote it.
    pub(crate) references: Vec<String>,
}

/// How a reference names the two speakers when it is compared.
#[derive(Clone, Copy)]
pub(crate) enum Naming {
    /// `caller` and `agent`, as the summaries under test do.
    Roles,
    /// `Person1` and `Person2`: no summary under test can match them, so that only the content counts.
    Persons,
}

/// Reads one dialogue of the data set.
///
/// # Errors
/// When the line is not JSON of the expected shape.
pub(crate) fn parse(line: &str) -> Result<Dialogue, serde_json::Error> {
    let Line { dialogue, fields } = serde_json::from_str(line)?;
    let mut turns: Vec<(Speaker, String)> = Vec::new();
    for line in dialogue.lines() {
        let spoken = line
            .trim()
            .strip_prefix("#Person")
            .and_then(|rest| rest.split_once("#:"));
        match (spoken, turns.last_mut()) {
            (Some((person, text)), _) => {
                let speaker = if person == "2" { Speaker::Caller } else { Speaker::Agent };
                turns.push((speaker, text.trim().to_owned()));
            }
            (None, Some((_, text))) => {
                text.push(' ');
                text.push_str(line.trim());
            }
            (None, None) => {}
        }
    }
    let references = fields
        .into_iter()
        .filter(|(name, _)| name.starts_with("summar"))
        .flat_map(|(_, value)| match value {
            serde_json::Value::String(text) => vec![text],
            serde_json::Value::Array(texts) => texts
                .into_iter()
                .filter_map(|text| text.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        })
        .collect();
    Ok(Dialogue { turns, references })
}

/// The words of the turns.
pub(crate) fn transcript(turns: &[(Speaker, String)]) -> Transcript<'_> {
    Transcript::read(turns.iter().map(|(speaker, text)| (*speaker, text.as_str())))
}

/// A way to summarise.
pub(crate) struct Method {
    /// What the table calls it.
    pub(crate) name: &'static str,
    /// The summary of a transcript.
    pub(crate) summarise: fn(&[(Speaker, String)]) -> String,
}

/// What is compared: this service's summaries, and two that anybody can make.
pub(crate) const METHODS: &[Method] = &[
    Method {
        name: "caller-memory",
        summarise: |turns| summary_of(&transcript(turns)),
    },
    Method {
        name: "LEAD-3",
        summarise: |turns| texts(turns.iter().take(3)),
    },
    Method {
        name: "LONGEST-3",
        summarise: |turns| {
            let mut longest: Vec<(usize, &(Speaker, String))> = turns.iter().enumerate().collect();
            longest.sort_by_key(|(_, (_, text))| std::cmp::Reverse(text.len()));
            longest.truncate(3);
            longest.sort_by_key(|(place, _)| *place);
            texts(longest.into_iter().map(|(_, turn)| turn))
        },
    },
];

fn texts<'a>(turns: impl Iterator<Item = &'a (Speaker, String)>) -> String {
    let all: Vec<&str> = turns.map(|(_, text)| text.as_str()).collect();
    let words: Vec<&str> = all
        .iter()
        .flat_map(|text| text.split_whitespace())
        .take(summary::CALL_WORDS)
        .collect();
    words.join(" ")
}

/// The mean score of a method over dialogues, and the mean and the largest number of words of its summaries.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of words, far below 2^53")]
pub(crate) fn evaluate(method: &Method, dialogues: &[Dialogue], naming: Naming) -> (Score, f64, usize) {
    let (mut words, mut most) = (0, 0);
    let scores: Vec<Score> = dialogues
        .iter()
        .map(|dialogue| {
            let text = (method.summarise)(&dialogue.turns);
            let count = text.split_whitespace().count();
            words += count;
            most = most.max(count);
            let references: Vec<Vec<String>> = dialogue
                .references
                .iter()
                .map(|reference| stems(&named(reference, naming)))
                .collect();
            score(&stems(&text), &references)
        })
        .collect();
    (mean(scores), words as f64 / dialogues.len().max(1) as f64, most)
}

fn named(reference: &str, naming: Naming) -> String {
    match naming {
        Naming::Roles => reference.replace("#Person2#", "caller").replace("#Person1#", "agent"),
        Naming::Persons => reference.to_owned(),
    }
}

/// The summary of a call whose day is not known.
pub(crate) fn summary_of(call: &Transcript<'_>) -> String {
    summary::of_call(call, &findings::of_call(call, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn person_two_is_the_caller() {
        let line = r##"{"fname": "x", "dialogue": "#Person1#: Hello.\n#Person2#: Hi,\nyou.",
            "summary": "#Person2# greets #Person1#."}"##;
        let dialogue = parse(line).expect("parses");
        assert_eq!(dialogue.turns.len(), 2);
        assert_eq!(dialogue.turns[1], (Speaker::Caller, "Hi, you.".to_owned()));
        assert_eq!(named(&dialogue.references[0], Naming::Roles), "caller greets agent.");
    }
}
