//! The numbers that a text tells, in digits and in words, so that a number which was never said is noticed.

use std::collections::HashSet;

use crate::text::{
    numbers::{spoken_digit, spoken_tens},
    words::{After, words},
};

/// The most words of one number, and the most groups of one number in digits.
const LONGEST: usize = 16;

/// From so many digits on, groups with blanks or dashes between may be one number: a telephone number or an account's.
const LONG: usize = 7;

/// The numbers of a text, as digits without leading zeros.
#[derive(Debug, Default)]
pub(super) struct Numbers(HashSet<String>);

/// A word of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    /// Zero to nine, by itself or as the end of a larger one.
    Unit(u64),
    /// Ten to ninety.
    Tens(u64),
    /// Hundred, thousand, million.
    Times(u64),
    /// `double` or `triple` of the digit that follows; by itself it is no number.
    Repeat(usize),
}

impl Numbers {
    /// Adds the numbers of `text`.
    pub(super) fn add(&mut self, text: &str) {
        self.add_digits(text);
        for run in spoken(text) {
            for from in 0..run.len() {
                for to in from + 1..=run.len().min(from + LONGEST) {
                    self.0.extend(readings(&run[from..to]));
                }
            }
        }
    }

    /// Whether every number of `text` is among these: each run of digits, and each number in words from ten on.
    pub(super) fn hold_all_of(&self, text: &str) -> bool {
        let groups = groups(text);
        let told = |(start, end): &(usize, usize)| self.0.contains(bare(&text[*start..*end]));
        let digits = groups
            .iter()
            .all(|group| group.iter().all(told) || self.0.contains(bare(&joined(text, group))));
        let other = text.chars().any(|c| c.is_numeric() && !c.is_ascii_digit());
        digits && !other && spoken(text).iter().all(|run| self.hold_spoken(run))
    }

    /// Whether the words are numbers of these, one behind the other, each as long as can be.
    fn hold_spoken(&self, mut run: &[Figure]) -> bool {
        while !run.is_empty() {
            let longest = (1..=run.len().min(LONGEST)).rev();
            let Some((length, told)) = longest
                .map(|length| (length, readings(&run[..length])))
                .find(|(_, told)| !told.is_empty())
            else {
                return false;
            };
            let small = matches!(run[..length], [Figure::Unit(_)]);
            if !small && !told.iter().any(|number| self.0.contains(number)) {
                return false;
            }
            run = &run[length..];
        }
        true
    }

    fn add_digits(&mut self, text: &str) {
        for group in groups(text) {
            for from in 0..group.len() {
                for to in from + 1..=group.len().min(from + LONGEST) {
                    let part = &group[from..to];
                    let number = joined(text, part);
                    if part.len() == 1 || number.len() >= LONG || thousands(text, part) {
                        self.0.insert(bare(&number).to_owned());
                    }
                }
            }
        }
    }
}

/// Without leading zeros.
fn bare(digits: &str) -> &str {
    match digits.trim_start_matches('0') {
        "" => "0",
        bare => bare,
    }
}

/// Runs of digits that may belong to one number: with no more than a separator between them.
fn groups(text: &str) -> Vec<Vec<(usize, usize)>> {
    let mut groups: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_digit()).map(|offset| at + offset) {
        let end = text[start..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(text.len(), |offset| start + offset);
        at = end;
        match groups.last_mut() {
            Some(group)
                if group
                    .last()
                    .is_some_and(|last| matches!(&text[last.1..start], " " | "-" | "," | "." | ") " | ")")) =>
            {
                group.push((start, end));
            }
            _ => groups.push(vec![(start, end)]),
        }
    }
    groups
}

fn joined(text: &str, group: &[(usize, usize)]) -> String {
    group.iter().map(|(start, end)| &text[*start..*end]).collect()
}

/// Whether the runs are thousands with commas between.
fn thousands(text: &str, group: &[(usize, usize)]) -> bool {
    group
        .windows(2)
        .all(|pair| &text[pair[0].1..pair[1].0] == "," && pair[1].1 - pair[1].0 == 3)
}

/// Runs of number words in `text`.
fn spoken(text: &str) -> Vec<Vec<Figure>> {
    let mut runs = Vec::new();
    let mut run = Vec::new();
    for word in words(text) {
        for part in word.norm.split('-') {
            match figure(part) {
                Some(figure) => run.push(figure),
                // "one hundred and five"
                None if part == "and" && matches!(run.last(), Some(Figure::Times(_))) => {}
                None => runs.push(std::mem::take(&mut run)),
            }
        }
        if matches!(word.after, After::Stop | After::Question) {
            runs.push(std::mem::take(&mut run));
        }
    }
    runs.push(run);
    for run in &mut runs {
        while matches!(run.last(), Some(Figure::Repeat(_))) {
            run.pop();
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn figure(word: &str) -> Option<Figure> {
    let ordinal = match word {
        "first" => Some(1),
        "second" => Some(2),
        "third" => Some(3),
        "fourth" => Some(4),
        "fifth" => Some(5),
        "sixth" => Some(6),
        "seventh" => Some(7),
        "eighth" => Some(8),
        "ninth" => Some(9),
        _ => None,
    };
    let tenth = match word {
        "tenth" => Some(10),
        "eleventh" => Some(11),
        "twelfth" => Some(12),
        "thirteenth" => Some(13),
        "fourteenth" => Some(14),
        "fifteenth" => Some(15),
        "sixteenth" => Some(16),
        "seventeenth" => Some(17),
        "eighteenth" => Some(18),
        "nineteenth" => Some(19),
        "twentieth" => Some(20),
        "thirtieth" => Some(30),
        _ => None,
    };
    match word {
        "hundred" => return Some(Figure::Times(100)),
        "thousand" => return Some(Figure::Times(1000)),
        "million" => return Some(Figure::Times(1_000_000)),
        "double" => return Some(Figure::Repeat(2)),
        "triple" => return Some(Figure::Repeat(3)),
        _ => {}
    }
    let unit = spoken_digit(word).map(u64::from).or(ordinal).map(Figure::Unit);
    let tens = || spoken_tens(word).map(u64::from).or(tenth).map(Figure::Tens);
    unit.or_else(tens)
}

/// What the words can mean: one number, or digits that are read out.
fn readings(run: &[Figure]) -> Vec<String> {
    [cardinal(run).map(|number| number.to_string()), read_out(run)]
        .into_iter()
        .flatten()
        .map(|digits| bare(&digits).to_owned())
        .collect()
}

/// "two thousand one hundred five" as 2105.
fn cardinal(run: &[Figure]) -> Option<u64> {
    let (mut whole, mut part) = (0_u64, 0_u64);
    for figure in run {
        match *figure {
            Figure::Unit(unit) if part % 10 == 0 && part % 100 != 10 => part += unit,
            Figure::Tens(tens) if part % 100 == 0 => part += tens,
            Figure::Times(100) if part < 100 => part = part.max(1) * 100,
            Figure::Times(times) if times > 100 && (whole == 0 || whole % times == 0) => {
                whole = whole.checked_add(part.max(1).checked_mul(times)?)?;
                part = 0;
            }
            _ => return None,
        }
    }
    whole.checked_add(part)
}

/// "twenty twenty six" as 2026, "five double one" as 511.
fn read_out(run: &[Figure]) -> Option<String> {
    let mut digits = String::new();
    let mut times = 1;
    let mut open_tens = false;
    for figure in run {
        match *figure {
            Figure::Unit(unit) => {
                if std::mem::take(&mut open_tens) && unit > 0 {
                    digits.pop();
                }
                for _ in 0..std::mem::replace(&mut times, 1) {
                    digits.push_str(&unit.to_string());
                }
            }
            Figure::Tens(tens) => {
                digits.push_str(&tens.to_string());
                open_tens = tens >= 20;
            }
            Figure::Repeat(count) => times = count,
            Figure::Times(_) => return None,
        }
    }
    (!digits.is_empty()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(source: &str, text: &str) -> bool {
        let mut numbers = Numbers::default();
        numbers.add(source);
        numbers.hold_all_of(text)
    }

    #[test]
    fn numbers_that_were_said_are_found_in_digits() {
        for (source, text) in [
            ("it is twenty five dollars", "a price of $25"),
            ("twenty-five", "25"),
            ("two hundred and five", "205"),
            ("two thousand one hundred", "2100"),
            ("it was nineteen ninety five", "1995"),
            ("in twenty twenty six", "2026"),
            ("at nine thirty", "at 9:30"),
            ("on the twenty first", "on the 21st"),
            ("two zero two five five five oh one four two", "202-555-0142"),
            ("my number is 202 555 0142", "2025550142"),
            ("my number is 2025550142", "(202) 555-0142"),
            ("it costs 1,200 dollars", "1200"),
            ("it costs 1200 dollars", "1,200"),
            ("five double one", "511"),
            ("007", "7"),
            ("nothing", "two issues and no number"),
            ("a fifty percent discount", "a discount of fifty percent"),
        ] {
            assert!(told(source, text), "{source} -> {text}");
        }
    }

    #[test]
    fn numbers_that_were_not_said_are_noticed() {
        for (source, text) in [
            ("it is twenty five dollars", "$50"),
            ("nothing", "3 calls"),
            ("it costs $12.50", "1250"),
            ("room 12 50 dollars", "1250"),
            ("five or six", "56"),
            ("order 4711", "order 471"),
            ("no price", "a refund of fifty dollars"),
            ("no price", "a refund of two thousand dollars"),
            ("one half", "½ price"),
            ("it is fifteen", "50"),
            ("twenty. five", "25"),
        ] {
            assert!(!told(source, text), "{source} -> {text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_holds_its_own_numbers(text in "[0-9a-z ,.-]{0,40}|((one|twenty|five|hundred|thousand|oh|first)[ .-]){0,8}") {
            prop_assert!(told(&text, &text), "{text}");
        }
    }
}
