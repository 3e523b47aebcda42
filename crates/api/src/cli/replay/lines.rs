//! The lines of a replay file, checked before they are sent.

use std::{
    borrow::Cow,
    io::{self, BufRead, Read},
};

use domain::call::CallOutcome;
use serde::Deserialize;

/// Bytes that a line may have.
const LONGEST_LINE: usize = 8 << 20;

/// What a line is.
pub(super) enum Line {
    /// A call, to be posted as it stands.
    Call {
        /// The line's number, from 1.
        number: u64,
        /// The call's `session_id`.
        session: String,
        /// The line.
        body: Vec<u8>,
    },
    /// No call, and why.
    Bad {
        /// The line's number, from 1.
        number: u64,
        /// What is wrong with it. It repeats nothing of what people said.
        why: String,
    },
    /// An empty line.
    Blank,
    /// There are no more lines.
    End,
}

/// Reads lines one by one.
pub(super) struct Lines<R> {
    input: R,
    number: u64,
    bytes: u64,
}

/// The fields that a call must have. Others are sent along.
#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    phone_number: Cow<'a, str>,
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    transcript: Vec<Turn<'a>>,
    duration_s: f64,
    #[serde(borrow)]
    outcome: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with role, text and ts_ms")]
struct Turn<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow, rename = "text")]
    _text: Cow<'a, str>,
    #[serde(rename = "ts_ms")]
    _ts_ms: f64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            number: 0,
            bytes: 0,
        }
    }

    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line. A line that is too long is never held in memory.
    pub(super) fn next(&mut self) -> io::Result<Line> {
        let mut body = Vec::new();
        let limit = LONGEST_LINE as u64 + 1;
        let read = self.input.by_ref().take(limit).read_until(b'\n', &mut body)?;
        if read == 0 {
            return Ok(Line::End);
        }
        self.number += 1;
        self.bytes += read as u64;
        if body.last() != Some(&b'\n') && body.len() > LONGEST_LINE {
            self.bytes += skip_line(&mut self.input)?;
            return Ok(self.bad(format!("it is longer than {} MiB", LONGEST_LINE >> 20)));
        }
        if self.number == 1 && body.starts_with(b"\xef\xbb\xbf") {
            body.drain(..3);
        }
        let body = body.trim_ascii();
        if body.is_empty() {
            return Ok(Line::Blank);
        }
        Ok(match check(body) {
            Ok(session) => Line::Call {
                number: self.number,
                session,
                body: body.to_vec(),
            },
            Err(why) => self.bad(why),
        })
    }

    fn bad(&self, why: String) -> Line {
        Line::Bad {
            number: self.number,
            why,
        }
    }
}

/// Reads up to the line's end without keeping anything; returns how many bytes that were.
fn skip_line(input: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = input.fill_buf()?;
        let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        skipped += used as u64;
        if done {
            return Ok(skipped);
        }
    }
}

/// The call's `session_id`, or what is wrong with the line.
fn check(line: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    if !text.starts_with('{') {
        return Err("it is not a JSON object".to_owned());
    }
    let call: Call<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        // serde_json repeats the value that it did not expect, which may be what somebody said.
        serde_json::error::Category::Data => format!("{} (column {})", shape(&error), error.column()),
        _ => format!("it is not a JSON object (column {})", error.column()),
    })?;
    if call.phone_number.is_empty() {
        return Err("phone_number is empty".to_owned());
    }
    if call.session_id.is_empty() {
        return Err("session_id is empty".to_owned());
    }
    if !(call.duration_s >= 0.0 && call.duration_s.is_finite()) {
        return Err("duration_s must be 0 or more".to_owned());
    }
    if call.outcome.parse::<CallOutcome>().is_err() {
        return Err(format!(
            "outcome must be one of {}",
            CallOutcome::ALL.map(CallOutcome::as_str).join(", ")
        ));
    }
    if let Some(at) = call
        .transcript
        .iter()
        .position(|turn| !matches!(turn.role.as_ref(), "user" | "agent"))
    {
        return Err(format!("transcript[{at}].role must be user or agent"));
    }
    Ok(call.session_id.into_owned())
}

/// What does not fit, without the value: a missing field by its name, else what was expected.
fn shape(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match (text.starts_with("missing field"), text.split_once("expected ")) {
        (true, _) => text.split(" at line").next().unwrap_or_default().to_owned(),
        (false, Some((_, expected))) => format!("expected {}", expected.split(" at line").next().unwrap_or_default()),
        (false, None) => "a field does not fit".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(input);
        let mut seen = Vec::new();
        loop {
            match lines.next().expect("a line") {
                Line::End => break,
                Line::Blank => seen.push("blank".to_owned()),
                Line::Bad { number, why } => seen.push(format!("{number}: {why}")),
                Line::Call { number, session, body } => {
                    seen.push(format!("{number}: call {session} of {} bytes", body.len()));
                }
            }
        }
        assert_eq!(lines.bytes(), input.len() as u64);
        seen
    }

    fn call(change: &str, into: &str) -> String {
        // One line.
        let call = concat!(
            r#"{"phone_number":"+12025550142","session_id":"s","#,
            r#""transcript":[{"role":"user","text":"hi","ts_ms":1}],"duration_s":2,"outcome":"other"}"#
        );
        assert!(call.contains(change));
        call.replacen(change, into, 1)
    }

    #[test]
    fn calls_are_read_with_their_numbers() {
        let good = call("\"s\"", "\"s\\u0031\"");
        let input = format!("\u{feff}{good}\r\n\n  \n{good}");
        let expected = format!("call s1 of {} bytes", good.len());
        assert_eq!(
            read(input.as_bytes()),
            [
                format!("1: {expected}"),
                "blank".into(),
                "blank".into(),
                format!("4: {expected}")
            ]
        );
        assert!(read(b"").is_empty());
    }

    #[test]
    fn bad_lines_say_why_and_repeat_nothing() {
        for (line, why) in [
            ("nonsense".to_owned(), "it is not a JSON object"),
            ("{\"phone_number\":".to_owned(), "it is not a JSON object"),
            ("[]".to_owned(), "it is not a JSON object"),
            ("{}".to_owned(), "missing field `phone_number`"),
            ("\"secret words\"".to_owned(), "it is not a JSON object"),
            (
                call("{\"role\":\"user\",\"text\":\"hi\",\"ts_ms\":1}", "\"secret words\""),
                "expected an object with role",
            ),
            (call("\"session_id\":\"s\",", ""), "missing field `session_id`"),
            (call("\"s\"", "\"\""), "session_id is empty"),
            (call("\"+12025550142\"", "\"\""), "phone_number is empty"),
            (call("\"hi\"", "[\"secret words\"]"), "expected a string"),
            (
                call("[{\"role\":\"user\",\"text\":\"hi\",\"ts_ms\":1}]", "\"secret words\""),
                "expected a sequence",
            ),
            (
                call("\"user\"", "\"caller\""),
                "transcript[0].role must be user or agent",
            ),
            (
                call("\"duration_s\":2", "\"duration_s\":-1"),
                "duration_s must be 0 or more",
            ),
            (
                call("\"other\"", "\"secret words\""),
                "outcome must be one of appointment_booked",
            ),
        ] {
            let seen = read(line.as_bytes());
            assert_eq!(seen.len(), 1);
            assert!(seen[0].contains(why), "{line}: {seen:?}");
            assert!(!seen[0].contains("secret"), "{seen:?}");
        }
        assert!(read(b"\"\xff\"")[0].contains("UTF-8"));
    }

    #[test]
    fn the_sample_of_the_documentation_is_fit_to_be_replayed() {
        let sample = include_bytes!("../../../../../docs/sample-calls.jsonl");
        let seen = read(sample);
        assert_eq!(seen.len(), 12);
        assert!(seen.iter().all(|line| line.contains(": call sample-")), "{seen:?}");
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let good = call("\"s\"", "\"s\"");
        let input = format!(
            "{}\n{good}\n{}",
            "x".repeat(LONGEST_LINE + 5),
            "y".repeat(LONGEST_LINE + 1)
        );
        let seen = read(input.as_bytes());
        assert_eq!(seen.len(), 3);
        assert!(seen[0].starts_with("1: it is longer than 8 MiB"), "{seen:?}");
        assert!(seen[1].starts_with("2: call s"), "{seen:?}");
        assert!(seen[2].starts_with("3: it is longer"), "{seen:?}");
    }
}
