//! Turns recorded calls into the lines that `caller-memory replay` posts: `calls_to_replay FILE > calls.jsonl`.
//!
//! The input has one call a line: `sid`, `caller_name`, `start_time_ms`, `end_time_ms`, `tasks` with a `task_type`
//! each, and `segments` with `role`, `start_timestamp_ms` and `text`. Every caller gets a fictional number of the range
//! +1 202 555 0100 to 0199.

use std::{
    collections::HashMap,
    error::Error,
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Write},
    process::ExitCode,
};

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct RecordedCall {
    sid: String,
    caller_name: String,
    start_time_ms: u64,
    end_time_ms: u64,
    #[serde(default)]
    tasks: Vec<Task>,
    segments: Vec<Segment>,
}

#[derive(Deserialize)]
struct Task {
    #[serde(default)]
    task_type: String,
}

#[derive(Deserialize)]
struct Segment {
    role: String,
    start_timestamp_ms: u64,
    text: String,
}

/// The numbers given to callers so far, by name.
#[derive(Default)]
struct Numbers(HashMap<String, usize>);

impl Numbers {
    /// The caller's number; `None` when the fictional range has no more.
    fn of(&mut self, caller: &str) -> Option<String> {
        let next = self.0.len();
        let number = *self.0.entry(caller.to_owned()).or_insert(next);
        (number < 100).then(|| format!("+120255501{number:02}"))
    }
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("error: give the file of recorded calls");
        return ExitCode::from(2);
    };
    match convert(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn convert(path: &str) -> Result<(), Box<dyn Error>> {
    let mut numbers = Numbers::default();
    let mut output = BufWriter::new(io::stdout().lock());
    for (index, line) in BufReader::new(File::open(path)?).lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let call: RecordedCall = serde_json::from_str(&line).map_err(|error| format!("line {}: {error}", index + 1))?;
        let number = numbers
            .of(&call.caller_name)
            .ok_or("more than 100 callers, and no more fictional numbers")?;
        writeln!(output, "{}", replay_line(call, &number))?;
    }
    Ok(output.flush()?)
}

fn replay_line(mut call: RecordedCall, number: &str) -> Value {
    // The turns of the two speakers lie one after the other in the input; only this clock is common to both.
    call.segments.sort_by_key(|segment| segment.start_timestamp_ms);
    let transcript: Vec<_> = call
        .segments
        .iter()
        .map(|segment| {
            let role = if segment.role == "caller" { "user" } else { "agent" };
            json!({"role": role, "text": segment.text, "ts_ms": segment.start_timestamp_ms})
        })
        .collect();
    let outcome = if call.tasks.iter().any(|task| task.task_type.contains("appointment")) {
        "appointment_booked"
    } else if call.segments.iter().all(|segment| segment.role != "caller") {
        "no_answer"
    } else {
        "other"
    };
    json!({
        "session_id": call.sid,
        "phone_number": number,
        "transcript": transcript,
        "duration_s": seconds(call.end_time_ms.saturating_sub(call.start_time_ms)),
        "outcome": outcome,
    })
}

fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}
