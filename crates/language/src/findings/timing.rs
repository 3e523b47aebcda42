//! Times as people say them: "tuesday at nine", "after 5 pm", "weekday mornings".

use std::ops::Range;

use super::utterance::Utterance;
use crate::text::{
    numbers::{spoken_digit, spoken_tens},
    words::After,
};

/// A phrase that tells a time.
pub(super) struct Timing {
    /// The places of its words.
    pub(super) places: Range<usize>,
    /// Whether it names a day or a date.
    pub(super) day: bool,
    /// Whether it names an hour.
    pub(super) clock: bool,
    /// Whether it names a part of the day.
    pub(super) part: bool,
}

const DAYS: &[&str] = &[
    "friday",
    "fridays",
    "monday",
    "mondays",
    "saturday",
    "saturdays",
    "sunday",
    "sundays",
    "thursday",
    "thursdays",
    "today",
    "tomorrow",
    "tonight",
    "tuesday",
    "tuesdays",
    "wednesday",
    "wednesdays",
    "weekday",
    "weekdays",
    "weekend",
    "weekends",
];

const MONTHS: &[&str] = &[
    "april",
    "august",
    "december",
    "february",
    "january",
    "july",
    "june",
    "march",
    "may",
    "november",
    "october",
    "september",
];

const PARTS: &[&str] = &[
    "afternoon",
    "afternoons",
    "evening",
    "evenings",
    "lunch",
    "lunchtime",
    "midday",
    "midnight",
    "morning",
    "mornings",
    "night",
    "nights",
    "noon",
];

const ORDINALS: &[&str] = &[
    "eighteenth",
    "eighth",
    "eleventh",
    "fifteenth",
    "fifth",
    "first",
    "fourteenth",
    "fourth",
    "nineteenth",
    "ninth",
    "second",
    "seventeenth",
    "seventh",
    "sixteenth",
    "sixth",
    "tenth",
    "third",
    "thirteenth",
    "thirtieth",
    "twelfth",
    "twentieth",
];

/// Words that join the parts of a time.
const JOINTS: &[&str] = &[
    "after", "and", "any", "anytime", "around", "at", "before", "between", "by", "during", "early", "every", "from",
    "half", "in", "late", "next", "of", "on", "or", "past", "quarter", "the", "this", "till", "time", "to", "until",
    "week",
];

/// Words of a clock behind the hour.
const CLOCK: &[&str] = &["a", "a.m", "am", "m", "o'clock", "p", "p.m", "pm"];

/// The time that begins at `place`, joints in front included. `None` when no day, part of a day or hour is named.
pub(super) fn timing(utterance: &Utterance<'_>, place: usize) -> Option<Timing> {
    let (mut day, mut clock, mut part) = (false, false, false);
    let mut at = place;
    let mut end = place;
    while at < utterance.words.len() && at < place + 14 {
        if at > place && utterance.stops_before(at) {
            break;
        }
        let norm = utterance.norm(at);
        let last = utterance.norm(at.wrapping_sub(1));
        let date = MONTHS.contains(&norm) && dated(utterance, at)
            || is_dated(norm) && matches!(last, "the" | "on")
            || norm == "week" && last == "next"
            || (ORDINALS.contains(&norm) || is_dated(norm))
                && utterance.norm(at + 1) == "of"
                && MONTHS.contains(&utterance.norm(at + 2));
        if DAYS.contains(&norm) || date {
            day = true;
        } else if PARTS.contains(&norm) {
            part = true;
        } else if let Some(length) = hour(utterance, at, place) {
            clock = true;
            at += length - 1;
        } else if day
            && (ORDINALS.contains(&norm)
                || is_dated(norm)
                || (spoken_tens(norm).is_some() && ORDINALS.contains(&utterance.norm(at + 1))))
        {
            // The number of a day.
        } else if JOINTS.contains(&norm) {
            // It counts only when a time follows.
            if utterance.words[at].after == After::Pause {
                break;
            }
            at += 1;
            continue;
        } else {
            break;
        }
        at += 1;
        end = at;
        if utterance.words[at - 1].after == After::Pause && !goes_on(utterance, at) {
            break;
        }
    }
    (day || clock || part).then_some(Timing {
        places: place..end,
        day,
        clock,
        part,
    })
}

/// Whether a time goes on behind a comma: "monday, march 3rd at nine".
fn goes_on(utterance: &Utterance<'_>, place: usize) -> bool {
    let norm = utterance.norm(place);
    DAYS.contains(&norm)
        || MONTHS.contains(&norm)
        || PARTS.contains(&norm)
        || matches!(norm, "at" | "the" | "between" | "after" | "before")
}

/// Whether a month is meant at `place`: the number of a day follows it, or stands before it.
fn dated(utterance: &Utterance<'_>, place: usize) -> bool {
    let next = utterance.norm(place + 1);
    ORDINALS.contains(&next)
        || is_dated(next)
        || spoken_tens(next).is_some()
        || spoken_digit(next).is_some()
        || (place > 1 && utterance.norm(place - 1) == "of")
}

/// A number of a day as `3rd`, or `3` to `31` in figures.
fn is_dated(norm: &str) -> bool {
    let figures = norm.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &norm[figures.len()..];
    matches!(ending, "st" | "nd" | "rd" | "th" | "")
        && figures.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
        && (!ending.is_empty() || figures.len() <= 2)
}

/// How many words the hour at `place` takes: "5", "five thirty", "3:30 pm", "nine a m", "half past three". A bare
/// number counts only behind a word that makes it an hour.
fn hour(utterance: &Utterance<'_>, place: usize, first: usize) -> Option<usize> {
    let norm = utterance.norm(place);
    let spoken = spoken_digit(norm).is_some_and(|hour| hour > 0) || matches!(norm, "ten" | "eleven" | "twelve");
    let figures = norm
        .trim_end_matches("am")
        .trim_end_matches("pm")
        .trim_end_matches("a.m")
        .trim_end_matches("p.m");
    let marked = figures.len() < norm.len();
    let written = match figures.split_once(':') {
        Some((hours, minutes)) => {
            hours.parse::<u8>().is_ok_and(|hours| hours < 24)
                && minutes.len() == 2
                && minutes.parse::<u8>().is_ok_and(|minutes| minutes < 60)
        }
        None => figures.parse::<u8>().is_ok_and(|hour| (1..=12).contains(&hour)),
    };
    if !(spoken || written) {
        return None;
    }
    let mut length = 1;
    if matches!(
        utterance.norm(place + 1),
        "thirty" | "fifteen" | "forty" | "ten" | "twenty" | "fifty" | "oh"
    ) {
        length += 1;
        if utterance.norm(place + 1) != "thirty" && spoken_digit(utterance.norm(place + 2)).is_some_and(|unit| unit > 0)
        {
            length += 1;
        }
    }
    let minutes = length > 1;
    let mut suffix = false;
    while suffix_at(utterance, place + length) {
        suffix = true;
        length += 1;
    }
    // More digits make it a number that is read out.
    if spoken_digit(utterance.norm(place + length)).is_some() && !suffix {
        return None;
    }
    let before = place.checked_sub(1).map_or("", |last| utterance.norm(last));
    let led = matches!(
        before,
        "at" | "after"
            | "before"
            | "between"
            | "around"
            | "until"
            | "till"
            | "by"
            | "past"
            | "from"
            | "to"
            | "and"
            | "or"
    ) && (place > first || matches!(before, "at" | "after" | "before" | "around" | "until" | "by"));
    let o_clock = figures.contains(':');
    // "Ten in the morning".
    let behind = place + length;
    let halved = utterance.norm(behind) == "in"
        && utterance.norm(behind + 1) == "the"
        && matches!(utterance.norm(behind + 2), "afternoon" | "evening" | "morning");
    (marked || suffix || o_clock || led || halved || (minutes && written)).then_some(length)
}

fn suffix_at(utterance: &Utterance<'_>, place: usize) -> bool {
    let norm = utterance.norm(place);
    match norm {
        "a" | "p" => utterance.norm(place + 1) == "m",
        "m" => place > 0 && matches!(utterance.norm(place - 1), "a" | "p"),
        _ => CLOCK.contains(&norm),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Speaker, Transcript};

    fn time_in(text: &str) -> Option<String> {
        let call = Transcript::read([(Speaker::Caller, text)]);
        let utterance = Utterance::new(0, &call.turns[0]);
        timing(&utterance, 0).map(|timing| utterance.quote(timing.places).to_owned())
    }

    #[test]
    fn times_end_where_other_words_begin() {
        for (text, expected) in [
            (
                "tuesday at nine in the morning please",
                "tuesday at nine in the morning",
            ),
            ("after 5 pm on weekdays", "after 5 pm on weekdays"),
            ("between nine and eleven a m", "between nine and eleven a m"),
            ("Monday, March 3rd at 2:30. Thanks", "Monday, March 3rd at 2:30"),
            ("mornings work best", "mornings"),
            ("the twelfth of may please", "the twelfth of may"),
            ("next week or so", "next week"),
        ] {
            assert_eq!(time_in(text).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn other_numbers_are_no_times() {
        for text in [
            "at two oh two five five five",
            "at the store",
            "two of them",
            "after that",
            "may i ask",
        ] {
            assert_eq!(time_in(text), None, "{text}");
        }
    }
}
