//! Measures what the service makes of calls: summaries against people's own by ROUGE, beside two simple methods, names
//! against the names that callers were given, how much of what was booked the next agent reads, how much of what people
//! talked about over many sessions, and whether that is kept from other persons. The data stay outside the repository;
//! their paths are arguments.

mod answer;
mod bookings;
mod curve;
mod dialogues;
mod identity;
mod names;
mod phrasings;
mod porter;
mod rouge;
mod sessions;
mod share;
mod speed;

use std::{fs, process::ExitCode};

use dialogues::{METHODS, Naming, transcript};
use language::Speaker;
use names::{Call, NameResult, Source};

const USAGE: &str = "usage: eval [--dialogues FILE.jsonl] [--calls FILE.jsonl] [--bookings FILE.jsonl] \
    [--sessions FILE.jsonl [--curve FILE.svg]] [--show N]";

#[derive(Default)]
struct Args {
    dialogues: Option<String>,
    calls: Option<String>,
    bookings: Option<String>,
    sessions: Option<String>,
    /// Where the curve of quality against words is written.
    curve: Option<String>,
    show: usize,
}

/// Measures something on the lines of a file.
type Measure = fn(&[String], &Args) -> Result<(), String>;

fn main() -> ExitCode {
    let args = match args(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(fault) => {
            eprintln!("{fault}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut failed = false;
    let measures: [(&str, &Option<String>, Measure); 4] = [
        ("dialogues", &args.dialogues, summaries),
        ("calls", &args.calls, names),
        ("bookings", &args.bookings, booked),
        ("sessions", &args.sessions, remembered),
    ];
    for (what, path, run) in measures {
        let Some(path) = path else {
            println!("{what}: no file given, nothing measured");
            continue;
        };
        let done = read(path).and_then(|lines| run(&lines, &args));
        if let Err(fault) = done {
            eprintln!("{what}: {path}: {fault}");
            failed = true;
        }
    }
    phrasings::print();
    speed::print();
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn args(mut given: impl Iterator<Item = String>) -> Result<Args, String> {
    let mut args = Args::default();
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--dialogues" => args.dialogues = Some(value),
            "--calls" => args.calls = Some(value),
            "--bookings" => args.bookings = Some(value),
            "--sessions" => args.sessions = Some(value),
            "--curve" => args.curve = Some(value),
            "--show" => {
                args.show = value
                    .parse()
                    .map_err(|_| format!("--show: `{value}` is not a number"))?;
            }
            _ => return Err(format!("unknown argument {name}")),
        }
    }
    Ok(args)
}

/// The lines of a file that hold something.
fn read(path: &str) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    Ok(text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(str::to_owned)
        .collect())
}

/// What each of `lines` holds.
fn parsed<T>(lines: &[String], parse: fn(&str) -> Result<T, serde_json::Error>) -> Result<Vec<T>, String> {
    let one = |(number, line): (usize, &String)| parse(line).map_err(|error| format!("line {}: {error}", number + 1));
    lines.iter().enumerate().map(one).collect()
}

fn summaries(lines: &[String], args: &Args) -> Result<(), String> {
    let dialogues = parsed(lines, dialogues::parse)?;
    println!("summaries of {} dialogues, ROUGE F-measure in percent", dialogues.len());
    for (title, naming) in [
        ("speakers of the references named caller and agent", Naming::Roles),
        ("speakers named as in the references: content only", Naming::Persons),
    ] {
        println!("{title}");
        println!(
            "  {:<14} {:>6} {:>6} {:>6} {:>11} {:>10}",
            "", "R-1", "R-2", "R-L", "mean words", "most words"
        );
        for method in METHODS {
            let (score, words, most) = dialogues::evaluate(method, &dialogues, naming);
            println!(
                "  {:<14} {:>6.2} {:>6.2} {:>6.2} {words:>11.1} {most:>10}",
                method.name,
                100.0 * score.one,
                100.0 * score.two,
                100.0 * score.longest
            );
        }
    }
    for dialogue in dialogues.iter().take(args.show) {
        println!("---");
        for (speaker, text) in &dialogue.turns {
            println!("  {}: {text}", named(*speaker));
        }
        println!("people: {}", dialogue.references.join(" / "));
        println!("ours:   {}", dialogues::summary_of(&transcript(&dialogue.turns)));
    }
    Ok(())
}

const fn named(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Caller => "user",
        Speaker::Agent => "agent",
    }
}

fn names(lines: &[String], args: &Args) -> Result<(), String> {
    let calls = parsed(lines, Call::parse)?;
    println!("names of {} recorded calls", calls.len());
    println!(
        "  {:<6} {:>6} {:>6} {:>9} {:>8}",
        "", "right", "other", "doubtful", "nothing"
    );
    for (title, source) in [("text", Source::Text), ("asr", Source::Asr)] {
        let results: Vec<NameResult> = calls.iter().map(|call| call.name_result(source)).collect();
        let count = |wanted| results.iter().filter(|result| **result == wanted).count();
        println!(
            "  {title:<6} {:>6} {:>6} {:>9} {:>8}",
            count(NameResult::Right),
            count(NameResult::Other),
            count(NameResult::Doubtful),
            count(NameResult::Nothing)
        );
        for (call, result) in calls.iter().zip(&results) {
            if *result != NameResult::Right {
                println!("         {result:?} in {}", call.sid);
            }
        }
    }
    for call in calls.iter().take(args.show) {
        println!("---");
        println!("text: {}", dialogues::summary_of(&call.transcript(Source::Text)));
        println!("asr:  {}", dialogues::summary_of(&call.transcript(Source::Asr)));
    }
    Ok(())
}

fn booked(lines: &[String], args: &Args) -> Result<(), String> {
    let dialogues = parsed(lines, bookings::Dialogue::parse)?;
    bookings::print(&dialogues);
    let Some(calls) = &args.calls else {
        println!("identity: no file of calls given, from which the names are taken");
        return Ok(());
    };
    let calls = parsed(&read(calls)?, Call::parse)?;
    identity::print(&dialogues, calls.into_iter().map(|call| call.caller_name).collect());
    Ok(())
}

fn remembered(lines: &[String], args: &Args) -> Result<(), String> {
    let people = sessions::People::of(&parsed(lines, sessions::Conversation::parse)?)?;
    sessions::print(&people);
    let Some(path) = &args.curve else { return Ok(()) };
    fs::write(path, curve::svg(&sessions::curves(&people))).map_err(|error| format!("{path}: {error}"))
}
