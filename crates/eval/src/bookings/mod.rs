//! How much of what was booked in a call stands in what the agent of the next call reads, beside simple methods.
//!
//! The definitions are those of a script that measures the running service; here its rules are called directly, on
//! every dialogue, and chains of calls follow the order of the file, while the script draws some at random.

mod gold;

use std::{cmp::Reverse, collections::BTreeMap};

use domain::{
    call::CallOutcome,
    facts::{FactKey, KnownFact},
    summary::SummaryLength,
};

use crate::{
    answer::{Answer, Ended},
    share::Share,
};
pub(crate) use gold::Dialogue;
use gold::{Item, Kind, tokens};

/// Noon of Friday, 1 March 2019 in UTC, the day on which the dialogues take place; in milliseconds since the epoch.
pub(crate) const TODAY_MS: i64 = 1_551_441_600_000;

/// How far apart the calls of a caller are.
const WEEK_MS: i64 = 7 * 86_400_000;

/// How many calls of the same caller make a chain.
const CHAIN: usize = 6;

/// When the answer is read. Agreements for days that are gone are told last and in fewer words, so that it matters: a
/// service with a clock of its own answers long after 2019.
const READINGS: [(&str, i64); 2] = [
    ("caller-memory, at once", TODAY_MS + 3_600_000),
    ("caller-memory, years on", TODAY_MS + 8 * 365 * 86_400_000),
];

/// A text that anybody can make of the turns of a call.
type Baseline = (&'static str, fn(&[&str]) -> String);

const LEAD: Baseline = ("LEAD-3", |turns| turns[..turns.len().min(3)].join(" "));

const OF_ONE_CALL: [Baseline; 4] = [
    ("last three turns", |turns| {
        turns[turns.len().saturating_sub(3)..].join(" ")
    }),
    LEAD,
    ("last 60 words", |turns| {
        let all = turns.join(" ");
        let words: Vec<&str> = all.split_whitespace().collect();
        words[words.len().saturating_sub(60)..].join(" ")
    }),
    ("longest 3 turns", |turns| {
        let mut turns = turns.to_vec();
        turns.sort_by_key(|text| words(text));
        turns[turns.len().saturating_sub(3)..].join(" ")
    }),
];

const OF_EACH_CALL: [Baseline; 2] = [
    ("longest turn of each call", |turns| {
        let longest = turns.iter().min_by_key(|text| Reverse(words(text)));
        longest.map_or(String::new(), ToString::to_string)
    }),
    LEAD,
];

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// How much of what was booked some texts say.
#[derive(Debug, Default)]
struct Coverage {
    /// Dates, times, names and places.
    items: Share,
    /// Calls of which every item is there.
    whole: Share,
    /// Items of the first of several calls that a text is about.
    oldest: Share,
    words: usize,
    texts: usize,
}

impl Coverage {
    /// Counts a text about calls in which `gold` was booked, oldest first.
    fn add(&mut self, gold: &[&Vec<Item>], text: &str) {
        self.words += words(text);
        self.texts += 1;
        let text = tokens(text);
        for (place, booked) in gold.iter().enumerate() {
            let mut is_whole = true;
            for item in *booked {
                let hit = item.stands_in(&text);
                is_whole &= hit;
                self.items.count(hit);
                if place == 0 && gold.len() > 1 {
                    self.oldest.count(hit);
                }
            }
            self.whole.count(is_whole);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words, far below 2^53")]
    fn mean_words(&self) -> f64 {
        self.words as f64 / self.texts.max(1) as f64
    }
}

/// How the facts of calls agree with what people noted.
#[derive(Debug, Default)]
struct Facts {
    /// Calls with a booked date or time that got an appointment or an order.
    found: Share,
    /// Of the agreements found there, those that fit all the bookings of their call taken together.
    right: Share,
    /// Those that fit one booking of their call. Taken together, bookings make wrong what is right: a stay without an
    /// hour, because a table was booked for one in the same call.
    right_singly: Share,
    /// Those whose value or quote says a date or time that was booked.
    said: Share,
    /// Calls with an appointment in which no service was given a date or a time.
    invented: Share,
    /// All facts of a key, and those that could be judged.
    of_key: BTreeMap<FactKey, (usize, Share)>,
    /// Calls with a fact about the caller that nobody annotated as theirs.
    unsupported: Share,
}

impl Facts {
    /// Counts the facts of a call in which `gold` was booked.
    fn add(&mut self, dialogue: &Dialogue, gold: &[Item], facts: &[KnownFact]) {
        let moments: Vec<&Item> = gold
            .iter()
            .filter(|item| matches!(item.kind, Kind::Date | Kind::Time))
            .collect();
        let agreements = || facts.iter().filter(|fact| is_agreement(fact));
        if !moments.is_empty() {
            self.found.count(agreements().next().is_some());
            for fact in agreements() {
                self.right.count(fits(fact, &moments));
                self.right_singly.count(fits_one(fact, &moments));
                let words = tokens(&format!("{} {}", fact.value, fact.quote));
                self.said.count(moments.iter().any(|item| item.stands_in(&words)));
            }
        }
        let has_moment = dialogue.has_moment();
        if !has_moment {
            self.invented
                .count(facts.iter().any(|fact| fact.key == FactKey::Appointment));
        }
        let mut is_unsupported = false;
        for fact in facts {
            let value = tokens(&fact.value);
            let is_right = match fact.key {
                FactKey::Name => Some(dialogue.spans(Kind::Name).contains(&value)),
                FactKey::City | FactKey::Address => Some(dialogue.spans(Kind::Place).contains(&value)),
                FactKey::Appointment if !moments.is_empty() || !has_moment => Some(fits_one(fact, &moments)),
                // What is ordered without a time, a ride for one, is no booking of the other measures.
                FactKey::Order => Some(fits_one(fact, &moments) || dialogue.has_order()),
                _ => None,
            };
            let (given, judged) = self.of_key.entry(fact.key).or_default();
            *given += 1;
            if let Some(is_right) = is_right {
                judged.count(is_right);
            }
            let is_about_caller = matches!(
                fact.key,
                FactKey::Name | FactKey::Email | FactKey::CallbackNumber | FactKey::Address | FactKey::City
            );
            is_unsupported |= is_about_caller && is_right != Some(true);
        }
        self.unsupported.count(is_unsupported);
    }
}

fn is_agreement(fact: &KnownFact) -> bool {
    matches!(fact.key, FactKey::Appointment | FactKey::Order)
}

/// Whether an agreement is for one of the booked dates, if there are any, and for one of the booked times, if there are
/// any.
fn fits(fact: &KnownFact, moments: &[&Item]) -> bool {
    let when = fact.terms.as_ref().and_then(|terms| terms.when.as_deref());
    [(Kind::Date, 0..10), (Kind::Time, 11..16)]
        .into_iter()
        .all(|(kind, place)| {
            let mut booked = moments.iter().filter(|item| item.kind == kind).peekable();
            let part = when.and_then(|when| when.get(place));
            booked.peek().is_none() || booked.any(|item| part == Some(&item.value))
        })
}

/// Whether an agreement fits one of the bookings of its call.
fn fits_one(fact: &KnownFact, moments: &[&Item]) -> bool {
    moments
        .chunk_by(|one, other| one.turn == other.turn)
        .any(|booking| fits(fact, booking))
}

/// The answer at `now_ms` about a caller whose calls were `dialogues`, oldest first, a week apart, the last of them at
/// [`TODAY_MS`].
#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of this century are far below 2^53"
)]
fn answer(dialogues: &[&Dialogue], outcome: CallOutcome, now_ms: i64) -> Answer {
    let mut started_at_ms = TODAY_MS;
    let mut calls = Vec::new();
    for (place, dialogue) in dialogues.iter().enumerate().rev() {
        let turns = dialogue.transcript(started_at_ms as f64);
        calls.push(Ended::of(&turns, place, started_at_ms, outcome));
        started_at_ms -= WEEK_MS;
    }
    calls.reverse();
    crate::answer::answer(&calls, SummaryLength::default(), now_ms)
}

/// What was read of each call alone.
fn one_call(calls: &[(&Dialogue, Vec<Item>)], now_ms: i64) -> (Coverage, Facts) {
    let (mut coverage, mut facts) = (Coverage::default(), Facts::default());
    for (dialogue, gold) in calls {
        let answer = answer(&[dialogue], CallOutcome::Other, now_ms);
        if !gold.is_empty() {
            coverage.add(&[gold], &answer.text);
        }
        facts.add(dialogue, gold, &answer.facts);
    }
    (coverage, facts)
}

/// What `text` makes of each chain of calls.
fn chains(calls: &[&(&Dialogue, Vec<Item>)], length: usize, text: impl Fn(&[&Dialogue]) -> String) -> Coverage {
    let mut coverage = Coverage::default();
    for chain in calls.chunks_exact(length) {
        let dialogues: Vec<&Dialogue> = chain.iter().map(|(dialogue, _)| *dialogue).collect();
        let gold: Vec<&Vec<Item>> = chain.iter().map(|(_, gold)| gold).collect();
        coverage.add(&gold, &text(&dialogues));
    }
    coverage
}

/// The texts of a simple method about a chain of calls.
fn simple(method: fn(&[&str]) -> String) -> impl Fn(&[&Dialogue]) -> String {
    move |chain| {
        let texts: Vec<String> = chain.iter().map(|dialogue| method(&dialogue.texts())).collect();
        texts.join(" ")
    }
}

/// Prints the tables for `dialogues`.
pub(crate) fn print(dialogues: &[Dialogue]) {
    let calls: Vec<(&Dialogue, Vec<Item>)> = dialogues.iter().map(|dialogue| (dialogue, dialogue.gold())).collect();
    let booked: Vec<&(&Dialogue, Vec<Item>)> = calls.iter().filter(|(_, gold)| !gold.is_empty()).collect();
    println!("bookings of {} calls, in percent", calls.len());
    println!(
        "  {:<26} {:>6} {:>6} {:>6} {:>11}",
        format!("one call ({} booked)", booked.len()),
        "items",
        "whole",
        "oldest",
        "mean words"
    );
    let mut facts = Facts::default();
    for (name, now_ms) in READINGS {
        let (coverage, found) = one_call(&calls, now_ms);
        print_row(name, &coverage);
        // The clock of the reader changes no fact.
        facts = found;
    }
    for (name, method) in OF_ONE_CALL {
        print_row(name, &chains(&booked, 1, simple(method)));
    }
    println!("  six calls, a week apart ({} callers)", booked.len() / CHAIN);
    for (name, now_ms) in READINGS {
        let text = |chain: &[&Dialogue]| answer(chain, CallOutcome::AppointmentBooked, now_ms).text;
        print_row(name, &chains(&booked, CHAIN, text));
    }
    for (name, method) in OF_EACH_CALL {
        print_row(name, &chains(&booked, CHAIN, simple(method)));
    }
    print_facts(&facts);
}

fn print_row(name: &str, coverage: &Coverage) {
    let Coverage {
        items, whole, oldest, ..
    } = coverage;
    println!(
        "  {name:<26} {items:>6} {whole:>6} {oldest:>6} {:>11.1}",
        coverage.mean_words()
    );
}

fn print_facts(facts: &Facts) {
    println!("  appointments and orders");
    for (name, share) in [
        ("calls with a booked date or time that got one", facts.found),
        ("right", facts.right),
        ("right, booking by booking", facts.right_singly),
        ("said", facts.said),
        ("calls without one that got an appointment", facts.invented),
    ] {
        println!("    {name:<46} {share:>6} of {:>4}", share.of);
    }
    println!(
        "  calls with a fact about the caller that nothing supports: {} of {}",
        facts.unsupported.hits, facts.unsupported.of
    );
    println!(
        "  {:<26} {:>6} {:>6} {:>9}",
        "facts by key", "found", "judged", "precision"
    );
    for key in FactKey::ALL {
        let (found, share) = facts.of_key.get(&key).copied().unwrap_or_default();
        println!("    {:<24} {found:>6} {:>6} {share:>9}", key.as_str(), share.of);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = READINGS[0].1;

    /// A table with day and hour and, when `stays`, a room with a day only.
    fn booking(stays: bool) -> Dialogue {
        let mut turns = vec![
            r#"{"role": "user", "text": "Book a table at Sino for tomorrow at half past 11 in the morning.",
                "spans": [["restaurant_name", 16, 20]], "acts": [
                ["INFORM", "restaurant_name", ["Sino"], ["Sino"]],
                ["INFORM", "date", ["tomorrow"], ["2019-03-02"]],
                ["INFORM", "time", ["half past 11 in the morning"], ["11:30"]]]}"#,
            r#"{"role": "agent", "text": "Your table at Sino is booked for tomorrow at 11:30 am.", "spans": [],
                "acts": [["CONFIRM", "time", ["11:30 am"], ["11:30"]]]}"#,
        ];
        let mut calls = vec![
            r#"{"turn": 1, "method": "ReserveRestaurant", "ok": true,
                "params": {"date": "2019-03-02", "restaurant_name": "Sino", "time": "11:30",
                    "location": "never said"}}"#,
            r#"{"turn": 1, "method": "ReserveHotel", "ok": false, "params": {"check_in_date": "2019-03-02"}}"#,
        ];
        if stays {
            turns.push(
                r#"{"role": "agent", "text": "I have booked your room for March 9th.", "spans": [],
                    "acts": [["CONFIRM", "check_in_date", ["March 9th"], ["2019-03-09"]]]}"#,
            );
            calls.push(
                r#"{"turn": 2, "method": "ReserveHotel", "ok": true, "params": {"check_in_date": "2019-03-09"}}"#,
            );
        }
        let line = format!(r#"{{"turns": [{}], "calls": [{}]}}"#, turns.join(","), calls.join(","));
        Dialogue::parse(&line).expect("parses")
    }

    fn small_talk() -> Dialogue {
        let line = r#"{"turns": [{"role": "user", "text": "My name is Ana Ruiz.", "spans": [], "acts": []}],
            "calls": []}"#;
        Dialogue::parse(line).expect("parses")
    }

    /// A ride, for which no service was given a time.
    fn ride() -> Dialogue {
        let turns = [
            ("user", "Get me a cab to Rumrill Boulevard, please."),
            (
                "agent",
                "Please confirm: a shared ride for 2 people to Rumrill Boulevard.",
            ),
            ("user", "Yes, that is right."),
            ("agent", "Your ride is booked."),
        ];
        let turns = turns.map(|(role, text)| serde_json::json!({"role": role, "text": text, "spans": [], "acts": []}));
        let call = serde_json::json!({"turn": 3, "method": "GetRide", "ok": true, "params": {"number_of_seats": "2"}});
        Dialogue::parse(&serde_json::json!({"turns": turns, "calls": [call]}).to_string()).expect("parses")
    }

    fn share(hits: usize, of: usize) -> Share {
        Share { hits, of }
    }

    #[test]
    fn what_was_booked_and_said_is_looked_for_by_whole_words() {
        let gold = booking(false).gold();
        let values: Vec<&str> = gold.iter().map(|item| item.value.as_str()).collect();
        assert_eq!(values, ["2019-03-02", "Sino", "11:30"]);
        let mut coverage = Coverage::default();
        coverage.add(&[&gold], "Casino, tomorrow, at 11:30 AM");
        coverage.add(&[&gold], "Tomorrow half past 11, in the morning: SINO");
        assert_eq!((coverage.items, coverage.whole), (share(5, 6), share(1, 2)));
        assert!((coverage.mean_words() - 6.5).abs() < 1e-9);
    }

    #[test]
    fn a_room_without_an_hour_is_right_beside_a_table_with_one() {
        let dialogues = [booking(false), booking(true), small_talk()];
        let calls: Vec<_> = dialogues.iter().map(|dialogue| (dialogue, dialogue.gold())).collect();
        let (coverage, facts) = one_call(&calls, NOW_MS);
        assert_eq!(coverage.whole, share(2, 2));
        assert_eq!((facts.found, facts.invented), (share(2, 2), share(0, 1)));
        assert_eq!((facts.right, facts.right_singly), (share(2, 3), share(3, 3)));
        assert_eq!(facts.of_key[&FactKey::Appointment], (3, share(3, 3)));
        // Nobody noted the name that the caller gives.
        assert_eq!(facts.of_key[&FactKey::Name], (1, share(0, 1)));
        assert_eq!(facts.unsupported, share(1, 3));
    }

    #[test]
    fn a_ride_is_an_order_but_no_booking() {
        let ride = ride();
        let (coverage, facts) = one_call(&[(&ride, ride.gold())], NOW_MS);
        assert_eq!((coverage.texts, facts.found), (0, share(0, 0)));
        assert_eq!(facts.of_key[&FactKey::Order], (1, share(1, 1)));
    }

    #[test]
    fn the_oldest_call_of_a_chain_is_counted_apart() {
        let (table, both) = (booking(false), booking(true));
        let calls = [(&table, table.gold()), (&both, both.gold())];
        let calls: Vec<_> = calls.iter().collect();
        let coverage = chains(&calls, 2, |_| "Sino on March 9th".to_owned());
        assert_eq!(
            (coverage.items, coverage.whole, coverage.oldest),
            (share(3, 7), share(0, 2), share(1, 3))
        );
        let lead = chains(&calls, 2, simple(LEAD.1));
        assert_eq!((lead.items, lead.whole), (share(7, 7), share(2, 2)));
        // A seventh call would make no second chain.
        assert_eq!(chains(&calls[..1], 2, simple(LEAD.1)).texts, 0);
    }

    #[test]
    fn simple_methods_take_turns_by_place_and_length() {
        let turns = ["a b c", "d", "e f", "g h i", "j"];
        let texts: Vec<String> = OF_ONE_CALL.iter().map(|(_, method)| method(&turns)).collect();
        assert_eq!(
            texts,
            ["e f g h i j", "a b c d e f", "a b c d e f g h i j", "e f a b c g h i"]
        );
        assert_eq!(OF_EACH_CALL[0].1(&turns), "a b c");
    }
}
