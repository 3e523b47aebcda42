//! What the agent reads of a caller: a few sentences, pure and deterministic. [`language::summary`]
//! summarises a call.
//!
//! The text reports; it never instructs. What people said stands between quotation marks, as plain text in one line.

use language::text::plain::{line, plain};
use time::OffsetDateTime;

use crate::{
    call::{CallOutcome, RecentCall},
    facts::{FactKey, KnownFact},
};

/// The most words of a caller's summary.
pub const CALLER_WORDS: usize = 120;

/// The most words of a fact's value; a longer one is cut.
const VALUE_WORDS: usize = 12;

/// The most words of all facts together.
const FACT_WORDS: usize = 36;

/// What an agent should know before it speaks, in at most [`CALLER_WORDS`] words: how often the caller called and when
/// last, what the newest call was about and came to, what is open, and what stands. Empty when there were no calls.
/// `recent_calls` are newest first, and so are `facts`, of which only those that stand are given.
#[must_use]
pub fn of_caller(total_calls: u64, recent_calls: &[RecentCall], facts: &[KnownFact]) -> String {
    let Some((last, earlier)) = recent_calls.split_first() else {
        return String::new();
    };
    let count = if total_calls == 1 {
        "1 call so far".to_owned()
    } else {
        format!("{total_calls} calls so far")
    };
    let when = date(last.started_at_ms).map_or(String::new(), |date| format!(", the last on {date} (UTC)"));
    let mut paragraph = Paragraph::default();
    paragraph.add(&format!("{count}{when}: {}.", outcome(last.outcome)));
    paragraph.add(&line(&last.summary));
    paragraph.add(&open(recent_calls));
    paragraph.add(&on_record(facts, &last.summary));
    for call in earlier.iter().filter(|call| date(call.started_at_ms).is_some()) {
        paragraph.add(&line_of_call(call));
    }
    paragraph.text
}

/// A call by date, outcome and gist.
pub(crate) fn line_of_call(call: &RecentCall) -> String {
    let when = date(call.started_at_ms).map_or("Undated".to_owned(), |date| format!("On {date}"));
    let gist = line(&call.summary);
    let gist = if gist.is_empty() {
        String::new()
    } else {
        format!(" {gist}")
    };
    format!("{when}: {}.{gist}", outcome(call.outcome))
}

/// Sentences as long as they fit.
#[derive(Default)]
struct Paragraph {
    text: String,
    words: usize,
}

impl Paragraph {
    /// Adds `sentences` when they fit into what is left of [`CALLER_WORDS`].
    fn add(&mut self, sentences: &str) {
        let words = sentences.split_whitespace().count();
        if words == 0 || self.words + words > CALLER_WORDS {
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(sentences);
        self.words += words;
    }
}

/// The callback that was asked for and that no conversation since can have settled.
fn open(recent_calls: &[RecentCall]) -> String {
    let answered = |call: &&RecentCall| call.outcome != CallOutcome::NoAnswer;
    match recent_calls.iter().find(answered) {
        Some(call) if call.outcome == CallOutcome::CallbackRequested => match date(call.started_at_ms) {
            Some(date) => format!("Open: the callback requested on {date}."),
            None => "Open: the callback.".to_owned(),
        },
        _ => String::new(),
    }
}

/// Standing facts, newest first, as many as fit into [`FACT_WORDS`]. What was said stands between quotation marks, with
/// the day where "tomorrow" would mean another one by now. The name is left out, because the profile shows it, and so
/// is whatever `gist` already says.
fn on_record(facts: &[KnownFact], gist: &str) -> String {
    let gist = gist.to_lowercase();
    let mut left = FACT_WORDS;
    let mut told = Vec::new();
    for fact in facts {
        let what = match fact.key {
            FactKey::Name => continue,
            FactKey::Email => "e-mail",
            FactKey::CallbackNumber => "callback number",
            FactKey::Address => "address",
            FactKey::City => "city",
            FactKey::PreferredTime => "best time",
            FactKey::PreferredChannel => "prefers",
            FactKey::Reference => "reference",
            FactKey::Appointment => "appointment",
            FactKey::Promise => "was promised",
        };
        let value = first_words(&plain(&fact.value), VALUE_WORDS);
        if gist.contains(&value.to_lowercase()) {
            continue;
        }
        let said = match (fact.key, date(fact.said_at_ms)) {
            (FactKey::Appointment | FactKey::Promise, Some(date)) => format!(" (said on {date})"),
            _ => String::new(),
        };
        let fact = format!("{what} \"{value}\"{said}");
        let words = fact.split_whitespace().count();
        if words <= left {
            left -= words;
            told.push(fact);
        }
    }
    if told.is_empty() {
        String::new()
    } else {
        format!("On record: {}.", told.join(", "))
    }
}

/// An outcome in words.
const fn outcome(outcome: CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::AppointmentBooked => "an appointment was booked",
        CallOutcome::QuoteGiven => "a quote was given",
        CallOutcome::CallbackRequested => "a callback was requested",
        CallOutcome::NoAnswer => "it was not answered",
        CallOutcome::Other => "no particular outcome",
    }
}

/// The day of a time in milliseconds since the epoch, in UTC; `None` for a time that no calendar shows.
fn date(ms: i64) -> Option<String> {
    let date = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000)).ok()?.date();
    Some(format!("{} {} {}", date.day(), date.month(), date.year()))
}

/// The first `most` words of `text`, with an ellipsis where it was cut.
fn first_words(text: &str, most: usize) -> String {
    let mut words = text.split(' ');
    let kept: Vec<&str> = words.by_ref().take(most).collect();
    let mut kept = kept.join(" ");
    if words.next().is_some() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::CallId;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn call(started_at_ms: i64, outcome: CallOutcome, summary: &str) -> RecentCall {
        RecentCall {
            call_id: CallId(Uuid::nil()),
            started_at_ms,
            duration_s: 60.0,
            summary: summary.to_owned(),
            outcome,
        }
    }

    fn fact(key: FactKey, value: &str) -> KnownFact {
        KnownFact {
            key,
            value: value.to_owned(),
            quote: value.to_owned(),
            call_id: CallId(Uuid::nil()),
            said_at_ms: NEW_YEARS_EVE,
            observed_at_ms: NEW_YEARS_EVE,
        }
    }

    const NEW_YEARS_EVE: i64 = 1_767_225_599_000;
    const DAY: i64 = 86_400_000;

    #[test]
    fn a_caller_without_calls_has_no_summary() {
        assert_eq!(of_caller(0, &[], &[]), "");
    }

    #[test]
    fn a_caller_is_told_by_count_date_outcome_and_gist() {
        let gist = "Caller said: \"my dishwasher leaks\".";
        assert_eq!(
            of_caller(1, &[call(NEW_YEARS_EVE, CallOutcome::AppointmentBooked, gist)], &[]),
            "1 call so far, the last on 31 December 2025 (UTC): an appointment was booked. Caller said: \"my dishwasher leaks\"."
        );
        assert!(of_caller(1, &[call(i64::MAX, CallOutcome::Other, "")], &[]).starts_with("1 call so far: "));
    }

    #[test]
    fn a_callback_is_open_until_there_was_a_conversation() {
        let asked = call(
            NEW_YEARS_EVE - DAY,
            CallOutcome::CallbackRequested,
            "Caller wants a quote.",
        );
        let missed = call(NEW_YEARS_EVE, CallOutcome::NoAnswer, "");
        let spoken = call(NEW_YEARS_EVE, CallOutcome::QuoteGiven, "");
        assert_eq!(
            of_caller(2, &[missed, asked.clone()], &[]),
            "2 calls so far, the last on 31 December 2025 (UTC): it was not answered. Open: the callback requested on 30 December 2025. \
             On 30 December 2025: a callback was requested. Caller wants a quote."
        );
        assert!(!of_caller(2, &[spoken, asked], &[]).contains("Open"));
    }

    #[test]
    fn standing_facts_are_quoted() {
        let calls = [call(NEW_YEARS_EVE, CallOutcome::Other, "")];
        let facts = [
            fact(FactKey::Name, "Ana"),
            fact(FactKey::PreferredTime, "after 5 pm"),
            fact(FactKey::Address, "1 \"x\" road\n<b>obey</b>"),
            fact(FactKey::Appointment, "tomorrow at nine"),
        ];
        assert_eq!(
            of_caller(1, &calls, &facts),
            "1 call so far, the last on 31 December 2025 (UTC): no particular outcome. \
             On record: best time \"after 5 pm\", address \"1 'x' road b obey /b\", \
             appointment \"tomorrow at nine\" (said on 31 December 2025)."
        );
    }

    #[test]
    fn a_fact_that_the_gist_tells_is_not_told_twice() {
        let gist = "Agent will send a technician.";
        let calls = [call(NEW_YEARS_EVE, CallOutcome::Other, gist)];
        let told = of_caller(1, &calls, &[fact(FactKey::Promise, "Send a technician")]);
        assert!(told.ends_with(gist), "{told}");
    }

    #[test]
    fn more_facts_than_fit_leave_the_newest() {
        let calls = [call(NEW_YEARS_EVE, CallOutcome::Other, "")];
        let facts: Vec<KnownFact> = (0..40)
            .map(|i| fact(FactKey::Reference, &format!("order number {i}00")))
            .collect();
        let told = of_caller(1, &calls, &facts);
        assert!(
            told.contains("On record: reference \"order number 000\"") && !told.contains("3900"),
            "{told}"
        );
    }

    proptest! {
        #[test]
        fn any_memory_gives_a_bounded_line(
            total in any::<u64>(),
            calls in prop::collection::vec((any::<i64>(), any::<String>()), 0..6),
            value in any::<String>(),
        ) {
            let calls: Vec<RecentCall> =
                calls.into_iter().map(|(ms, summary)| call(ms, CallOutcome::CallbackRequested, &summary)).collect();
            let told = of_caller(total, &calls, &[fact(FactKey::Promise, &value)]);
            prop_assert!(told.split_whitespace().count() <= CALLER_WORDS);
            let unsafe_mark = |c: char| c.is_control() || "<>{}[]`".contains(c);
            prop_assert!(!told.chars().any(unsafe_mark));
            prop_assert_eq!(told.is_empty(), calls.is_empty());
        }
    }
}
