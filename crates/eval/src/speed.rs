//! How long the longest calls take.

use std::time::{Duration, Instant};

use language::{Speaker, Transcript, findings, summary, themes};

use crate::dialogues::transcript;

/// Turns of the call that is measured.
const TURNS: usize = 10_000;

/// A call that does not end, of what callers and agents say.
fn endless() -> Vec<(Speaker, String)> {
    let said = [
        (Speaker::Agent, "thank you for calling how can i help you today"),
        (
            Speaker::Caller,
            "hi uh my name is maren okafor and i i would like to change the delivery of my order",
        ),
        (Speaker::Agent, "sure what is the order number"),
        (Speaker::Caller, "it's four eight two one three <unk> [noise]"),
        (
            Speaker::Agent,
            "okay i've moved the delivery to tuesday at nine and we will send you a confirmation by email",
        ),
        (
            Speaker::Caller,
            "Great. Can you also tell me how much the express shipping costs, please?",
        ),
    ];
    said.iter()
        .cycle()
        .take(TURNS)
        .enumerate()
        // Each turn differs, so that none is dropped as said before.
        .map(|(place, (speaker, text))| (*speaker, format!("{text} number{place}")))
        .collect()
}

/// Prints the median time of finding the words, the summary, the facts and the themes of a call of 10,000 turns.
pub(crate) fn print() {
    let call = endless();
    let read: Transcript<'_> = transcript(&call);
    let found = findings::of_call(&read, None);
    let count = || {
        transcript(&call);
        call.len()
    };
    println!("a call of {TURNS} turns, median of 9");
    for (what, took) in [
        ("words", median(count)),
        ("summary", median(|| summary::of_call(&read, &found).len())),
        ("facts", median(|| findings::of_call(&read, None).len())),
        ("themes", median(|| themes::of_call(&read).len())),
    ] {
        println!("  {what:<7} {:>8.2} ms", millis(took));
    }
}

fn median(work: impl Fn() -> usize) -> Duration {
    let mut took: Vec<Duration> = (0..9)
        .map(|_| {
            let began = Instant::now();
            std::hint::black_box(work());
            began.elapsed()
        })
        .collect();
    took.sort_unstable();
    took[took.len() / 2]
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
