//! Days and hours as people say them, resolved from the day of the call: "next friday", "the 8th of this month",
//! "half past three in the afternoon". What the words do not settle stays unresolved: a null is better than a guess.

use std::{fmt, ops::Range};

use super::super::utterance::Utterance;
use crate::text::{
    numbers::{spoken_digit, spoken_tens},
    small::{WordList, is_small},
};

/// A day of the Gregorian calendar, counted from 1 January 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

impl Day {
    /// The day that a calendar calls so; `None` for one that does not exist.
    #[must_use]
    pub fn of(year: i64, month: u8, day: u8) -> Option<Self> {
        if !(1..=12).contains(&month) || day == 0 || day > length_of_month(year, month) {
            return None;
        }
        // Howard Hinnant, "chrono-compatible low-level date algorithms": years begin in March, so that leap days end
        // them.
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let months = (i64::from(month) + 9) % 12;
        let of_year = (153 * months + 2) / 5 + i64::from(day) - 1;
        let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
        Some(Self(era * 146_097 + days - 719_468))
    }

    /// The day written as `YYYY-MM-DD` at the beginning of `text`; `None` for anything else.
    #[must_use]
    pub fn at_beginning_of(text: &str) -> Option<Self> {
        text.get(..10).and_then(written_date)
    }

    /// Year, month and day of the month.
    #[must_use]
    pub fn calendar(self) -> (i64, u8, u8) {
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let months = (5 * of_year + 2) / 153;
        let day = of_year - (153 * months + 2) / 5 + 1;
        let month = if months < 10 { months + 3 } else { months - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        (
            year,
            u8::try_from(month).unwrap_or_default(),
            u8::try_from(day).unwrap_or_default(),
        )
    }

    /// The day of the week, Monday as 0.
    pub(super) fn weekday(self) -> i64 {
        (self.0 + 3).rem_euclid(7)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.calendar();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

const fn length_of_month(year: i64, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A time of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Clock {
    /// The hour, 0 to 23.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
}

/// What a phrase names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A day.
    Day(SaidDay),
    /// An hour.
    Clock(SaidHour),
}

/// A day as said; `None` when the words fit more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SaidDay(pub(crate) Option<Day>);

/// An hour as said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SaidHour {
    /// As said, 0 to 23.
    pub(crate) hour: u8,
    /// The minute.
    pub(crate) minute: u8,
    /// Whether `hour` counts from midnight; otherwise it may be before or after noon.
    pub(crate) settled: bool,
}

impl SaidHour {
    /// The hour, when it is settled.
    pub(crate) fn clock(self) -> Option<Clock> {
        self.settled.then_some(Clock {
            hour: self.hour,
            minute: self.minute,
        })
    }

    /// Whether the other is the same place on a clock of twelve.
    pub(crate) fn looks_like(self, other: Self) -> bool {
        self.hour % 12 == other.hour % 12 && self.minute == other.minute
    }
}

/// A day or an hour, and the places of its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The places of the words in their utterance.
    pub(crate) places: Range<usize>,
    /// What they name.
    pub(crate) moment: Moment,
}

/// The days and hours that begin within `places` of `utterance`, in order. `today` is the day of the call.
pub(crate) fn mentions(utterance: &Utterance<'_>, places: &Range<usize>, today: Option<Day>) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = places.start;
    while at < places.end.min(utterance.words.len()) {
        let is_figure = utterance.norm(at).starts_with(|c: char| c.is_ascii_digit());
        if !is_figure && !BEGINNINGS.has(utterance.norm(at)) {
            at += 1;
            continue;
        }
        let day = day(utterance, at, today).map(|(end, day)| (end, Moment::Day(SaidDay(day))));
        let moment = day.or_else(|| clock(utterance, at).map(|(end, hour)| (end, Moment::Clock(hour))));
        match moment {
            Some((end, moment)) => {
                found.push(Mention {
                    places: at..end,
                    moment,
                });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Whether a word in lower case belongs to a day or an hour.
pub(super) fn is_of_a_time(word: &str) -> bool {
    BEGINNINGS.has(word)
        || weekday(word).is_some()
        || month(word).is_some()
        || matches!(word, "am" | "past" | "pm" | "quarter" | "o'clock")
}

/// The words, figures apart, that a day or an hour may begin with. Most words are none of them.
static BEGINNINGS: WordList = WordList::of(&[
    "a",
    "afternoon",
    "apr",
    "april",
    "aug",
    "august",
    "coming",
    "day",
    "dec",
    "december",
    "eight",
    "eighteenth",
    "eighth",
    "eleven",
    "eleventh",
    "evening",
    "feb",
    "february",
    "fifteenth",
    "fifth",
    "first",
    "five",
    "four",
    "fourteenth",
    "fourth",
    "fri",
    "friday",
    "half",
    "jan",
    "january",
    "jul",
    "july",
    "jun",
    "june",
    "later",
    "mar",
    "march",
    "may",
    "midday",
    "midnight",
    "monday",
    "morning",
    "next",
    "night",
    "nine",
    "nineteenth",
    "ninth",
    "noon",
    "nov",
    "november",
    "oct",
    "october",
    "one",
    "quarter",
    "saturday",
    "second",
    "sep",
    "sept",
    "september",
    "seven",
    "seventeenth",
    "seventh",
    "six",
    "sixteenth",
    "sixth",
    "sunday",
    "ten",
    "tenth",
    "third",
    "thirteenth",
    "thirtieth",
    "thirty",
    "this",
    "three",
    "thu",
    "thur",
    "thurs",
    "thursday",
    "today",
    "tomorrow",
    "tonight",
    "tue",
    "tues",
    "tuesday",
    "twelfth",
    "twelve",
    "twentieth",
    "twenty",
    "two",
    "wednesday",
]);

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

pub(super) fn weekday(norm: &str) -> Option<i64> {
    let place = match norm {
        "tue" | "tues" => 1,
        "thu" | "thur" | "thurs" => 3,
        "fri" => 4,
        _ => WEEKDAYS.iter().position(|name| *name == norm)?,
    };
    i64::try_from(place).ok()
}

fn month(norm: &str) -> Option<u8> {
    Some(match norm {
        "january" | "jan" => 1,
        "february" | "feb" => 2,
        "march" | "mar" => 3,
        "april" | "apr" => 4,
        "may" => 5,
        "june" | "jun" => 6,
        "july" | "jul" => 7,
        "august" | "aug" => 8,
        "september" | "sep" | "sept" => 9,
        "october" | "oct" => 10,
        "november" | "nov" => 11,
        "december" | "dec" => 12,
        _ => return None,
    })
}

/// The day named at `place`, and the place behind it.
fn day(utterance: &Utterance<'_>, place: usize, today: Option<Day>) -> Option<(usize, Option<Day>)> {
    let norm = |offset: usize| utterance.norm(place + offset);
    let from_today = |days: i64| today.map(|today| Day(today.0 + days));
    match norm(0) {
        "today" | "tonight" => return Some((place + 1, today)),
        "later" if norm(1) == "today" => return Some((place + 2, today)),
        "this" if matches!(norm(1), "morning" | "afternoon" | "evening") => return Some((place + 2, today)),
        "tomorrow" => return Some((place + 1, from_today(1))),
        "day" if norm(1) == "after" && norm(2) == "tomorrow" => return Some((place + 3, from_today(2))),
        _ => {}
    }
    if let Some((end, day)) = date(utterance, place, today) {
        return Some((end, day));
    }
    let (first, wanted) = match norm(0) {
        "next" | "this" | "coming" => (place + 1, weekday(norm(1))?),
        name => (place, weekday(name)?),
    };
    let behind = first + 1;
    // "Friday, March 8th": the date tells more.
    let dated = if utterance.norm(behind) == "the" {
        behind + 1
    } else {
        behind
    };
    if let Some((end, day)) = date(utterance, dated, today) {
        return Some((end, day));
    }
    let week = (utterance.norm(behind), utterance.norm(behind + 1));
    let end = if matches!(week, ("next" | "this", "week")) {
        behind + 2
    } else {
        behind
    };
    let resolved = today.and_then(|today| {
        let this_week = Day(today.0 - today.weekday() + wanted);
        let next_week = Day(this_week.0 + 7);
        match (norm(0), week) {
            (_, ("next", "week")) => Some(next_week),
            (_, ("this", "week")) => Some(this_week),
            // Said before that day of the week, people mean either.
            ("next", _) => (this_week <= today).then_some(next_week),
            ("this", _) => (this_week >= today).then_some(this_week),
            _ if this_week > today => Some(this_week),
            _ if this_week < today => Some(next_week),
            _ => None,
        }
    });
    Some((end, resolved))
}

/// The date named at `place`: "march 8th", "8th of march", "the 8th", "8th of this month", "2019-03-08".
pub(super) fn date(utterance: &Utterance<'_>, place: usize, today: Option<Day>) -> Option<(usize, Option<Day>)> {
    if let Some(day) = written_date(utterance.norm(place)) {
        return Some((place + 1, Some(day)));
    }
    if let Some(month) = month(utterance.norm(place)) {
        let article = usize::from(utterance.norm(place + 1) == "the");
        let first = place + 1 + article;
        let (end, number, _) = number_of_day(utterance, first)?;
        // "You may first want to know": of these two months an ordinal in letters needs more around it.
        let is_verb = matches!(utterance.norm(place), "march" | "may") && ordinal(utterance.norm(first)).is_some();
        let before = place.checked_sub(1).map_or("", |last| utterance.norm(last));
        let led = matches!(before, "by" | "for" | "from" | "of" | "on" | "to" | "until") || weekday(before).is_some();
        let followed = utterance.ends_before(end) || utterance.norm(end) == "at" || clock(utterance, end).is_some();
        if is_verb && article == 0 && !led && !followed {
            return None;
        }
        return Some(with_year(utterance, end, month, number, today));
    }
    let (end, number, ordinal) = number_of_day(utterance, place)?;
    let of = usize::from(utterance.norm(end) == "of");
    if let Some(month) = month(utterance.norm(end + of)) {
        // "I have 2 may be 3" is no date.
        return (ordinal || of > 0 || utterance.norm(end) != "may")
            .then(|| with_year(utterance, end + of + 1, month, number, today));
    }
    if !ordinal {
        return None;
    }
    if of > 0 && matches!(utterance.norm(end + 1), "this" | "next" | "the") && utterance.norm(end + 2) == "month" {
        let day = today.and_then(|today| {
            let (year, month, _) = today.calendar();
            match utterance.norm(end + 1) {
                "next" if month == 12 => Day::of(year + 1, 1, number),
                "next" => Day::of(year, month + 1, number),
                _ => Day::of(year, month, number),
            }
        });
        return Some((end + 3, day));
    }
    // "The 8th" alone; "the 8th floor", "the first one" and "5th avenue" are none.
    let figures = utterance.norm(place).starts_with(|c: char| c.is_ascii_digit());
    let led = place > 0 && utterance.norm(place - 1) == "the";
    let dated = led
        && place > 1
        && matches!(
            utterance.norm(place - 2),
            "on" | "by" | "from" | "until" | "till" | "for" | "to"
        );
    let alone = utterance.ends_before(end)
        || is_small(utterance.norm(end))
        || matches!(utterance.norm(end), "through" | "till" | "until")
        || clock(utterance, end).is_some();
    if !(led && alone && (figures || dated)) || matches!(utterance.norm(end), "one" | "of" | "time") {
        return None;
    }
    let day = today.and_then(|today| {
        let (year, month, day) = today.calendar();
        match (number >= day, month) {
            (true, _) => Day::of(year, month, number),
            (false, 12) => Day::of(year + 1, 1, number),
            (false, _) => Day::of(year, month + 1, number),
        }
    });
    Some((end, day))
}

/// A date of this year that is gone for longer, in days, is meant to come again.
const GONE_DAYS: i64 = 60;

/// The date with the year that is said behind it, else the nearest: the one of this year unless it is long gone.
fn with_year(utterance: &Utterance<'_>, end: usize, month: u8, number: u8, today: Option<Day>) -> (usize, Option<Day>) {
    let said = utterance.norm(end);
    if said.len() == 4
        && let Ok(year) = said.parse::<i64>()
        && (1900..2200).contains(&year)
    {
        return (end + 1, Day::of(year, month, number));
    }
    let day = today.and_then(|today| {
        let (year, ..) = today.calendar();
        let this_year = Day::of(year, month, number)?;
        if this_year.0 < today.0 - GONE_DAYS {
            Day::of(year + 1, month, number)
        } else {
            Some(this_year)
        }
    });
    (end, day)
}

/// "2019-03-08".
fn written_date(norm: &str) -> Option<Day> {
    let mut parts = norm.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return None;
    }
    Day::of(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

/// The number of a day at `place`: the place behind it, the number, and whether it is an ordinal.
fn number_of_day(utterance: &Utterance<'_>, place: usize) -> Option<(usize, u8, bool)> {
    let norm = utterance.norm(place);
    if norm.starts_with(|c: char| c.is_ascii_digit()) {
        let figures = norm.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let ordinal = matches!(&norm[figures.len()..], "st" | "nd" | "rd" | "th");
        let number: u8 = figures.parse().ok().filter(|number| (1..=31).contains(number))?;
        return (ordinal || figures.len() == norm.len()).then_some((place + 1, number, ordinal));
    }
    let (tens, at) = match norm {
        "twenty" => (20, place + 1),
        "thirty" => (30, place + 1),
        _ => (0, place),
    };
    let unit = ordinal(utterance.norm(at)).filter(|unit| tens == 0 || *unit < 10);
    match unit {
        Some(unit) if tens + unit <= 31 => Some((at + 1, tens + unit, true)),
        _ => None,
    }
}

fn ordinal(norm: &str) -> Option<u8> {
    Some(match norm {
        "first" => 1,
        "second" => 2,
        "third" => 3,
        "fourth" => 4,
        "fifth" => 5,
        "sixth" => 6,
        "seventh" => 7,
        "eighth" => 8,
        "ninth" => 9,
        "tenth" => 10,
        "eleventh" => 11,
        "twelfth" => 12,
        "thirteenth" => 13,
        "fourteenth" => 14,
        "fifteenth" => 15,
        "sixteenth" => 16,
        "seventeenth" => 17,
        "eighteenth" => 18,
        "nineteenth" => 19,
        "twentieth" => 20,
        "thirtieth" => 30,
        _ => return None,
    })
}

/// Half of the day.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    BeforeNoon,
    AfterNoon,
    /// After noon from six on, else before it.
    Night,
}

fn half(norm: &str) -> Option<Half> {
    Some(match norm {
        "am" | "a.m" | "morning" => Half::BeforeNoon,
        "pm" | "p.m" | "afternoon" | "evening" => Half::AfterNoon,
        "night" | "tonight" => Half::Night,
        _ => return None,
    })
}

/// The hour named at `place`, and the place behind it.
fn clock(utterance: &Utterance<'_>, place: usize) -> Option<(usize, SaidHour)> {
    let norm = utterance.norm(place);
    match norm {
        "noon" | "midday" => return Some((place + 1, settled(12, 0))),
        "midnight" => return Some((place + 1, settled(0, 0))),
        _ => {}
    }
    // "Evening 6:15", "tomorrow morning at nine".
    let joint = usize::from(matches!(utterance.norm(place + 1), "at" | "around"));
    if matches!(norm, "morning" | "afternoon" | "evening" | "night")
        && let Some((end, hour, _)) = face(utterance, place + 1 + joint)
        && hour.hour <= 12
    {
        let (end, said) = half_behind(utterance, end);
        let half = said.or_else(|| half(norm))?;
        let hour = if hour.settled {
            hour
        } else {
            in_half(hour.hour, hour.minute, half)
        };
        return Some((end, hour));
    }
    let (first, hour, sure) = face(utterance, place)?;
    if hour.settled {
        return Some((first, hour));
    }
    let led = place > 0 && matches!(utterance.norm(place - 1), "at" | "around" | "until" | "till");
    if led && place > 1 && utterance.norm(place - 2) == "tonight" && hour.hour <= 12 {
        return Some((first, in_half(hour.hour, hour.minute, Half::Night)));
    }
    let (end, half) = half_behind(utterance, first);
    // "A table for two tonight" names no hour.
    let half = half.filter(|_| sure || led || end > first);
    if let Some(half) = half {
        return (hour.hour <= 12).then(|| (end, in_half(hour.hour, hour.minute, half)));
    }
    if hour.hour > 12 || (hour.hour == 0 && sure) {
        return sure.then(|| (end, settled(hour.hour, hour.minute)));
    }
    // A bare number is an hour only where nothing is counted.
    let next = utterance.norm(end);
    let alone = utterance.ends_before(end)
        || matches!(
            next,
            "it" | "on"
                | "tomorrow"
                | "today"
                | "tonight"
                | "in"
                | "and"
                | "for"
                | "if"
                | "please"
                | "is"
                | "works"
                | "the"
        )
        || weekday(next).is_some();
    (sure || (led && alone)).then_some((end, hour))
}

const fn unsettled(hour: u8, minute: u8) -> SaidHour {
    SaidHour {
        hour,
        minute,
        settled: false,
    }
}

const fn settled(hour: u8, minute: u8) -> SaidHour {
    SaidHour {
        hour,
        minute,
        settled: true,
    }
}

fn in_half(hour: u8, minute: u8, half: Half) -> SaidHour {
    let before_noon = match half {
        Half::BeforeNoon => true,
        Half::AfterNoon => false,
        Half::Night => hour < 6 || hour == 12,
    };
    settled(if before_noon { hour % 12 } else { hour % 12 + 12 }, minute)
}

/// The face of a clock at `place`: the place behind it, the hour, and whether the words can be nothing else.
fn face(utterance: &Utterance<'_>, place: usize) -> Option<(usize, SaidHour, bool)> {
    let norm = utterance.norm(place);
    // "Half past three", "quarter to five".
    let (joint, minutes) = match norm {
        "half" => (place + 1, 30),
        "quarter" => (place + 1, 15),
        "a" if utterance.norm(place + 1) == "quarter" => (place + 2, 15),
        _ => (place, 0),
    };
    if minutes > 0 {
        let hour = hour_word(utterance.norm(joint + 1))?;
        let end = joint + 2;
        return match utterance.norm(joint) {
            "past" | "after" => Some((end, unsettled(hour, minutes), true)),
            "to" | "till" | "before" if minutes == 15 => {
                Some((end, unsettled(if hour == 1 { 12 } else { hour - 1 }, 45), true))
            }
            _ => None,
        };
    }
    if let Some((hours, minutes)) = norm.split_once(':') {
        let hour: u8 = hours.parse().ok().filter(|hour| *hour < 24)?;
        let figures = minutes.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.');
        let minute: u8 = figures
            .parse()
            .ok()
            .filter(|minute| *minute < 60 && figures.len() == 2)?;
        let hour = match half(&minutes[figures.len()..]) {
            Some(half) if hour <= 12 => in_half(hour, minute, half),
            _ => unsettled(hour, minute),
        };
        return Some((place + 1, hour, true));
    }
    if let Some(hour) = hour_word(norm) {
        let next = utterance.norm(place + 1);
        if matches!(next, "o'clock" | "oclock" | "o\"clock") {
            return Some((place + 2, unsettled(hour, 0), true));
        }
        let minute = match next {
            "thirty" => 30,
            "fifteen" => 15,
            "forty" if utterance.norm(place + 2) == "five" => 45,
            _ => 0,
        };
        let end = place + 1 + usize::from(minute > 0) + usize::from(minute == 45);
        // "Five thirty" may be an amount; with a half of the day behind it, it is none.
        return Some((end, unsettled(hour, minute), false));
    }
    // "5pm".
    let figures = norm.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.');
    let half = half(&norm[figures.len()..])?;
    let hour: u8 = figures.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    Some((place + 1, in_half(hour, 0, half), true))
}

/// An hour of one word, 1 to 12.
fn hour_word(norm: &str) -> Option<u8> {
    let spoken = spoken_digit(norm)
        .filter(|hour| *hour > 0)
        .or_else(|| spoken_tens(norm));
    let figures = || norm.parse().ok().filter(|_| norm.len() <= 2);
    spoken.or_else(figures).filter(|hour| (1..=12).contains(hour))
}

/// The half of the day that is said at `place`, and the place behind it.
fn half_behind(utterance: &Utterance<'_>, place: usize) -> (usize, Option<Half>) {
    let norm = |offset: usize| utterance.norm(place + offset);
    match (norm(0), norm(1), norm(2)) {
        ("a", "m", _) => (place + 2, Some(Half::BeforeNoon)),
        ("p", "m", _) => (place + 2, Some(Half::AfterNoon)),
        ("in", "the", part) if half(part).is_some() => (place + 3, half(part)),
        ("at", "night", _) => (place + 2, Some(Half::Night)),
        (word @ ("am" | "a.m" | "pm" | "p.m"), ..) => (place + 1, half(word)),
        // The day is read on its own.
        (word @ "tonight", ..) => (place, half(word)),
        ("tomorrow" | "this", part @ ("morning" | "afternoon" | "evening"), _) => (place, half(part)),
        ("tomorrow", "night", _) => (place, Some(Half::Night)),
        _ => (place, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Speaker, Transcript};
    use proptest::prelude::*;

    /// Wednesday, 14 October 2026.
    const WEDNESDAY: Day = Day(20_740);

    fn moments(text: &str) -> Vec<String> {
        let call = Transcript::read([(Speaker::Caller, text)]);
        let utterance = Utterance::new(0, &call.turns[0]);
        mentions(&utterance, &(0..utterance.words.len()), Some(WEDNESDAY))
            .into_iter()
            .map(|mention| match mention.moment {
                Moment::Day(SaidDay(Some(day))) => day.to_string(),
                Moment::Day(SaidDay(None)) => "some day".to_owned(),
                Moment::Clock(hour) => {
                    let mark = if hour.settled { "" } else { "?" };
                    format!("{:02}:{:02}{mark}", hour.hour, hour.minute)
                }
            })
            .collect()
    }

    #[test]
    fn a_day_is_its_calendar() {
        for (day, calendar) in [
            (Day(0), (1970, 1, 1)),
            (Day(-1), (1969, 12, 31)),
            (Day(11_016), (2000, 2, 29)),
            (WEDNESDAY, (2026, 10, 14)),
        ] {
            assert_eq!(day.calendar(), calendar);
            assert_eq!(Day::of(calendar.0, calendar.1, calendar.2), Some(day));
        }
        assert_eq!(WEDNESDAY.weekday(), 2);
        for (year, month, day) in [(2026, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 1, 0)] {
            assert_eq!(Day::of(year, month, day), None);
        }
    }

    #[test]
    fn days_are_resolved_from_the_day_of_the_call() {
        for (text, days) in [
            ("come today", &["2026-10-14"][..]),
            ("later today is fine", &["2026-10-14"]),
            ("not before tomorrow", &["2026-10-15"]),
            ("the day after tomorrow", &["2026-10-16"]),
            ("on friday please", &["2026-10-16"]),
            ("this friday", &["2026-10-16"]),
            ("monday is better", &["2026-10-19"]),
            ("next monday", &["2026-10-19"]),
            ("friday next week", &["2026-10-23"]),
            ("thursday this week", &["2026-10-15"]),
            ("October 20th", &["2026-10-20"]),
            ("the 20th of october", &["2026-10-20"]),
            ("on 3 November", &["2026-11-03"]),
            ("january the fifth", &["2027-01-05"]),
            ("the twenty third of november", &["2026-11-23"]),
            ("March 8th, 2028", &["2028-03-08"]),
            ("the 20th", &["2026-10-20"]),
            ("on the 3rd", &["2026-11-03"]),
            ("the 9th of next month", &["2026-11-09"]),
            ("Friday, October 23rd", &["2026-10-23"]),
            ("2026-12-01", &["2026-12-01"]),
            ("on may first", &["2027-05-01"]),
            ("may the first", &["2027-05-01"]),
            ("from the 20th until the 22nd", &["2026-10-20", "2026-10-22"]),
        ] {
            assert_eq!(moments(text), days, "{text}");
        }
    }

    #[test]
    fn what_fits_more_than_one_day_is_left_open() {
        // "Next friday" on a wednesday is in two days for some and in nine for others.
        for text in ["next friday", "wednesday", "this monday"] {
            assert_eq!(moments(text), ["some day"], "{text}");
        }
    }

    #[test]
    fn hours_are_settled_by_their_half_of_the_day() {
        for (text, hours) in [
            ("at 5 pm", &["17:00"][..]),
            ("at 5pm", &["17:00"]),
            ("at 9am", &["09:00"]),
            ("9:30am", &["09:30"]),
            ("12pm", &["12:00"]),
            ("12am", &["00:00"]),
            ("nine a m", &["09:00"]),
            ("12 pm", &["12:00"]),
            ("12:15 am", &["00:15"]),
            ("half past 11 in the morning", &["11:30"]),
            ("quarter past 4 in the evening", &["16:15"]),
            ("a quarter to one in the afternoon", &["12:45"]),
            ("evening 6:15", &["18:15"]),
            ("seven thirty pm", &["19:30"]),
            ("8 at night", &["20:00"]),
            ("14:30", &["14:30"]),
            ("noon", &["12:00"]),
            ("five o'clock", &["05:00?"]),
            ("11:30", &["11:30?"]),
            ("at nine tomorrow", &["09:00?", "2026-10-15"]),
            ("tomorrow morning at nine", &["2026-10-15", "09:00"]),
        ] {
            assert_eq!(moments(text), hours, "{text}");
        }
    }

    #[test]
    fn what_a_moment_begins_with_can_be_searched() {
        assert!(BEGINNINGS.is_sorted());
    }

    #[test]
    fn other_numbers_and_words_are_no_moments() {
        for text in [
            "a table for 4",
            "it costs 12 dollars",
            "may i have two",
            "you may first want to look",
            "march second in line",
            "the first one",
            "on the 8th floor",
            "5th avenue",
            "my number is 202 555 0143",
            "half of it",
            "march on",
            "at the store",
            "a 3 star hotel",
        ] {
            assert_eq!(moments(text), [""; 0], "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_moments_in_order_within_it(text in "\\PC{0,60}|((the|next|march|8th|5|30|pm|of|half|past|to|monday|2026-10-14|:) ){0,20}") {
            let call = Transcript::read([(Speaker::Caller, text.as_str())]);
            let utterance = Utterance::new(0, &call.turns[0]);
            let mut end = 0;
            for mention in mentions(&utterance, &(0..utterance.words.len()), Some(WEDNESDAY)) {
                prop_assert!(mention.places.start >= end && mention.places.start < mention.places.end);
                prop_assert!(mention.places.end <= utterance.words.len());
                end = mention.places.end;
            }
        }
    }
}
