//! How long the longest calls take.

use std::time::{Duration, Instant};

use domain::{
    call::{Role, Turn},
    facts, summary,
};

/// Turns of the call that is measured.
const TURNS: usize = 10_000;

/// A call that does not end, of what callers and agents say.
fn endless() -> Vec<Turn> {
    let said = [
        (Role::Agent, "thank you for calling how can i help you today"),
        (
            Role::User,
            "hi uh my name is maren okafor and i i would like to change the delivery of my order",
        ),
        (Role::Agent, "sure what is the order number"),
        (Role::User, "it's four eight two one three <unk> [noise]"),
        (
            Role::Agent,
            "okay i've moved the delivery to tuesday at nine and we will send you a confirmation by email",
        ),
        (
            Role::User,
            "Great. Can you also tell me how much the express shipping costs, please?",
        ),
    ];
    said.iter()
        .cycle()
        .take(TURNS)
        .enumerate()
        .map(|(place, (role, text))| Turn {
            role: *role,
            // Each turn differs, so that none is dropped as said before.
            text: format!("{text} number{place}"),
            ts_ms: 0.0,
        })
        .collect()
}

/// Prints the median time of a summary and of the facts of a call of 10,000 turns.
pub(crate) fn print() {
    let call = endless();
    println!("a call of {TURNS} turns, median of 9");
    println!("  summary {:>8.2} ms", millis(median(|| summary::of_call(&call).len())));
    println!(
        "  facts   {:>8.2} ms",
        millis(median(|| facts::of_call(&call).facts.len()))
    );
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
