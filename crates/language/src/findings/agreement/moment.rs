//! Days and hours as people say them, resolved from the day of the call: "next friday", "the 8th of this month",
//! "half past three in the afternoon". What the words do not settle stays unresolved: a null is better than a guess.

use std::{fmt, ops::Range};

use super::super::utterance::Utterance;
use crate::text::{
    numbers::{is_number, spoken_digit, spoken_tens},
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
    pub(in super::super) fn weekday(self) -> i64 {
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
pub struct TimeOfDay {
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
    /// Whether it is this hour, counted from midnight. Otherwise it may be before or after noon, or at another hour
    /// that the words relate to this one.
    pub(crate) settled: bool,
}

impl SaidHour {
    /// The hour, when it is settled.
    pub(crate) fn clock(self) -> Option<TimeOfDay> {
        self.settled.then_some(TimeOfDay {
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

impl Mention {
    fn is_hour(&self) -> bool {
        matches!(self.moment, Moment::Clock(_))
    }

    /// Leaves open which day or hour is meant.
    fn unsettle(&mut self) {
        match &mut self.moment {
            Moment::Day(day) => day.0 = None,
            Moment::Clock(hour) => hour.settled = false,
        }
    }
}

/// The days and hours that begin within `places` of `utterance`, in order. `today` is the day of the call.
pub(crate) fn mentions(utterance: &Utterance<'_>, places: &Range<usize>, today: Option<Day>) -> Vec<Mention> {
    let mut found = Vec::new();
    // The places in `found` of the day and of the hour that were named last in the same phrase.
    let mut phrase: [Option<usize>; 2] = [None; 2];
    let mut at = places.start;
    while at < places.end.min(utterance.words.len()) {
        let is_figure = utterance.norm(at).starts_with(|c: char| c.is_ascii_digit());
        if !is_figure && !BEGINNINGS.has(utterance.norm(at)) {
            at += 1;
            continue;
        }
        let day = day(utterance, at, today).map(|(end, day)| (end, Moment::Day(SaidDay(day))));
        let moment = day.or_else(|| clock(utterance, at).map(|(end, hour)| (end, Moment::Clock(hour))));
        let Some((end, moment)) = moment else {
            at += 1;
            continue;
        };
        let mut mention = Mention {
            places: at..end,
            moment,
        };
        at = end;
        let kind = usize::from(mention.is_hour());
        let is_joined = found.last().is_some_and(|last| is_joined(utterance, last, &mention));
        if is_related(utterance, &mention, is_joined) {
            mention.unsettle();
        }
        match phrase[kind].filter(|_| is_joined) {
            // "Friday or monday", "tomorrow, the 20th": different ones settle neither. "Friday at 3 or monday at 4" are
            // two moments.
            Some(other) if other + 1 == found.len() => {
                if found[other].moment != mention.moment {
                    found[other].unsettle();
                    mention.unsettle();
                }
            }
            None if is_joined => {}
            _ => phrase = [None; 2],
        }
        phrase[kind] = Some(found.len());
        found.push(mention);
        if let [Some(day), Some(hour)] = phrase
            && is_after_midnight(utterance, &found[day], &found[hour])
        {
            found[day].unsettle();
        }
    }
    found
}

/// Whether the words around a day or an hour make it another one, one of several, or one of many: "before 5 pm",
/// "every friday", "the second tuesday", "5 pm or 6". `is_joined` says that it is in one phrase with the one before it.
fn is_related(utterance: &Utterance<'_>, mention: &Mention, is_joined: bool) -> bool {
    let Range { start, end } = mention.places;
    let is_joint = |place: usize| matches!(utterance.norm(place), "about" | "around" | "at" | "on" | "the");
    if utterance.norm(end) == "or" {
        let joints = usize::from(is_joint(end + 1)) + usize::from(is_joint(end + 1) && is_joint(end + 2));
        let other = end + 1 + joints;
        let names_another = matches!(utterance.norm(other), "any" | "day" | "earlier" | "later" | "so");
        if names_another || is_number(utterance.norm(other)) || number_of_day(utterance, other).is_some() {
            return true;
        }
    }
    let mut first = start;
    while start - first < 2 && !utterance.stops_before(first) && is_joint(first - 1) {
        first -= 1;
    }
    if utterance.stops_before(first) {
        return false;
    }
    let before = first - 1;
    let touches = !utterance.ends_before(start);
    let of_weekday = || touches && weekday(utterance.norm(start)).is_some();
    let is_date = || (start..end).any(|place| date(utterance, place, None).is_some());
    match utterance.norm(before) {
        "after" | "before" | "between" | "each" | "every" | "not" | "past" | "than" => true,
        // At the beginning of a sentence it offers another one.
        "or" => !is_joined && !utterance.stops_before(before),
        "half" => mention.is_hour() && touches,
        "of" => before > 0 && is_period(utterance.norm(before - 1)),
        // "Weeks from friday"; "2 days from march 8th" begin on that date.
        "from" => before > 0 && is_period(utterance.norm(before - 1)) && !is_date(),
        "any" | "following" | "last" | "most" | "other" | "previous" => of_weekday(),
        // "In two weeks on friday".
        word if word == "next" || is_period(word) => !mention.is_hour() && !is_date(),
        _ => of_weekday() && number_of_day(utterance, before).is_some_and(|(.., is_ordinal)| is_ordinal),
    }
}

fn is_period(word: &str) -> bool {
    matches!(
        word,
        "days" | "fortnight" | "month" | "months" | "week" | "weeks" | "year" | "years"
    )
}

/// Whether one phrase names both: "friday at 5 pm", "friday or monday", but not "from the 20th until the 22nd".
fn is_joined(utterance: &Utterance<'_>, first: &Mention, second: &Mention) -> bool {
    let gap = first.places.end..second.places.start;
    if gap.len() > 3 || (gap.start..=gap.end).any(|place| utterance.stops_before(place)) {
        return false;
    }
    // Of a stay the first day tells when it is; "monday through friday" is any of them.
    let is_weekday = |mention: &Mention| weekday(utterance.norm(mention.places.end - 1)).is_some();
    gap.into_iter().all(|place| match utterance.norm(place) {
        "and" | "around" | "at" | "in" | "on" | "or" | "the" => true,
        "through" | "to" => is_weekday(first) && is_weekday(second),
        _ => false,
    })
}

/// Whether an hour of the night belongs to the day before it for some: "friday night at 12".
fn is_after_midnight(utterance: &Utterance<'_>, day: &Mention, hour: &Mention) -> bool {
    let is_early = matches!(hour.moment, Moment::Clock(hour) if hour.settled && hour.hour < 6);
    let start = day.places.start.min(hour.places.start);
    let end = day.places.end.max(hour.places.end);
    is_early && (start..end).any(|place| matches!(utterance.norm(place), "midnight" | "night" | "tonight"))
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
    named_day(utterance, place, today).or_else(|| counted_day(utterance, place, today))
}

/// The day that is told at `place` by its distance from another: "a week from friday", "the day before the 8th", "in
/// two days at 5 pm".
fn counted_day(utterance: &Utterance<'_>, place: usize, today: Option<Day>) -> Option<(usize, Option<Day>)> {
    let before = place.checked_sub(1).map_or("", |last| utterance.norm(last));
    let (unit, count) = match utterance.norm(place) {
        "day" if before == "the" => (place, 1),
        "a" => (place + 1, 1),
        word => (place + 1, i64::from(hour_word(word)?)),
    };
    let days = match utterance.norm(unit) {
        "day" | "days" => count,
        "week" | "weeks" => count * 7,
        _ => return None,
    };
    let article = usize::from(utterance.norm(unit + 2) == "the");
    let other = unit + 2 + article;
    let (end, day) = match utterance.norm(unit + 1) {
        "from" if utterance.norm(other) == "now" => (other + 1, today),
        // "For 3 days from march 8th" is a stay.
        "from" if before == "for" && date(utterance, other, today).is_some() => return None,
        "after" | "before" | "from" => named_day(utterance, other, today)?,
        // Without an hour, "in two days" is often a limit, and "in two weeks" is about then.
        _ if before == "in" && utterance.norm(unit) == "days" && behind_hour(utterance, unit + 1) > unit + 1 => {
            (unit + 1, today)
        }
        _ => return None,
    };
    let days = if utterance.norm(unit + 1) == "before" {
        -days
    } else {
        days
    };
    // "For a week from friday" may begin on that friday.
    let is_exact = !matches!(before, "for" | "least" | "most" | "than" | "within");
    Some((end, day.filter(|_| is_exact).map(|day| Day(day.0 + days))))
}

/// The day that is named at `place` by itself.
fn named_day(utterance: &Utterance<'_>, place: usize, today: Option<Day>) -> Option<(usize, Option<Day>)> {
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
    // A date and a day of the week that is none of that date contradict each other.
    if let Some((end, day)) = date(utterance, place, today) {
        return Some(match weekday(utterance.norm(end)) {
            Some(wanted) if !utterance.stops_before(end) => (end + 1, day.filter(|day| day.weekday() == wanted)),
            _ => (end, day),
        });
    }
    // "Next week on friday".
    let leading_week = week(utterance, place).map(|(end, week)| (end + usize::from(utterance.norm(end) == "on"), week));
    let (first, wanted) = match (leading_week, norm(0)) {
        (Some((first, _)), _) => (first, weekday(utterance.norm(first))?),
        (None, "next" | "this" | "coming") => (place + 1, weekday(norm(1))?),
        (None, name) => (place, weekday(name)?),
    };
    let behind = first + 1;
    // "Friday, March 8th": the date tells more.
    let dated = behind + usize::from(utterance.norm(behind) == "the");
    if let Some((end, day)) = date(utterance, dated, today) {
        return Some((end, day.filter(|day| day.weekday() == wanted)));
    }
    let of = usize::from(utterance.norm(behind) == "of");
    let touching_week = week(utterance, behind + of);
    let end = touching_week.map_or(behind, |(end, _)| end);
    let later = behind_hour(utterance, behind);
    let week = leading_week
        .or(touching_week)
        .or_else(|| week(utterance, later))
        .map(|(_, week)| week);
    let is_open = relates(utterance, behind) || tells_week(utterance, behind) || tells_week(utterance, later);
    let resolved = today.and_then(|today| {
        let this_week = Day(today.0 - today.weekday() + wanted);
        let next_week = Day(this_week.0 + 7);
        match (norm(0), week) {
            (_, Some(weeks)) => Some(Day(this_week.0 + 7 * weeks)),
            _ if is_open => None,
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

/// "This week" or "next week" at `place`: the place behind it, and the number of weeks from this one.
fn week(utterance: &Utterance<'_>, place: usize) -> Option<(usize, i64)> {
    match (utterance.norm(place), utterance.norm(place + 1)) {
        ("this", "week") => Some((place + 2, 0)),
        ("next", "week") => Some((place + 2, 1)),
        _ => None,
    }
}

/// Whether the words at `place` relate the day of the week before them to something else: "the monday after christmas".
fn relates(utterance: &Utterance<'_>, place: usize) -> bool {
    let next = utterance.norm(place + 1);
    let is_hour = || {
        let is_daily = matches!(next, "breakfast" | "dinner" | "lunch" | "school" | "work");
        is_daily || is_number(next) || clock(utterance, place + 1).is_some()
    };
    matches!(utterance.norm(place), "after" | "before") && !is_hour()
}

/// Whether the words at `place` tell another week than the next one, or many: "friday in two weeks", "monday in
/// december", "friday every week".
fn tells_week(utterance: &Utterance<'_>, place: usize) -> bool {
    for at in place..place + 4 {
        let word = utterance.norm(at);
        if utterance.ends_before(at) || is_period(word) || at > place && month(word).is_some() {
            return !utterance.ends_before(at);
        }
        let leads = matches!(
            word,
            "a" | "after" | "coming" | "each" | "every" | "few" | "following" | "in" | "next" | "of" | "the" | "this"
        );
        if !leads && hour_word(word).is_none() {
            return false;
        }
    }
    false
}

/// The place behind the hour or the part of the day that follows at `place`, or `place`.
fn behind_hour(utterance: &Utterance<'_>, place: usize) -> usize {
    let first = place + usize::from(utterance.norm(place) == "at");
    match clock(utterance, first) {
        Some((end, _)) => end,
        None if half(utterance.norm(place)).is_some() => place + 1,
        None => place,
    }
}

/// The date named at `place`: "march 8th", "8th of march", "the 8th", "8th of this month", "2019-03-08".
pub(super) fn date(utterance: &Utterance<'_>, place: usize, today: Option<Day>) -> Option<(usize, Option<Day>)> {
    if let Some(day) = written_date(utterance.norm(place)).filter(|day| YEARS.contains(&day.calendar().0)) {
        return Some((place + 1, Some(day)));
    }
    if let Some(month) = month(utterance.norm(place)) {
        let article = usize::from(utterance.norm(place + 1) == "the");
        let first = place + 1 + article;
        let (end, number, is_ordinal) = number_of_day(utterance, first)?;
        // "My sister June, 3 people", "in June, 5 pm".
        let is_count = counts(utterance.norm(end)) || half_behind(utterance, end).0 > end;
        if !is_ordinal && is_count {
            return None;
        }
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
        // "I have 2 may be 3" is no date, and "a table for 3 march 10th" has one behind the number.
        let is_other = !ordinal
            && of == 0
            && (utterance.norm(end) == "may"
                || number_of_day(utterance, end + 1).is_some_and(|(.., is_ordinal)| is_ordinal));
        return (!is_other).then(|| with_year(utterance, end + of + 1, month, number, today));
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
    let dated = dated || led && place > 1 && weekday(utterance.norm(place - 2)).is_some();
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

/// The years that people make agreements for.
const YEARS: Range<i64> = 1900..2200;

/// The date with the year that is said behind it, else the nearest: the one of this year unless it is long gone.
fn with_year(utterance: &Utterance<'_>, end: usize, month: u8, number: u8, today: Option<Day>) -> (usize, Option<Day>) {
    let of_year = |year: Option<i64>| Day::of(year?, month, number);
    if let Some((end, year)) = year(utterance, end, today) {
        return (end, of_year(year));
    }
    // "December 4th at 5 pm in 2027".
    let behind = behind_hour(utterance, end);
    if matches!(utterance.norm(behind), "in" | "next" | "of" | "this")
        && let Some((_, year)) = year(utterance, behind, today)
    {
        return (end, of_year(year));
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

/// The year at `place`, and the place behind it: "2027", "of twenty twenty seven", "next year".
fn year(utterance: &Utterance<'_>, place: usize, today: Option<Day>) -> Option<(usize, Option<i64>)> {
    let first = place + usize::from(matches!(utterance.norm(place), "in" | "of"));
    let this_year = today.map(|today| today.calendar().0);
    let said = utterance.norm(first);
    match (said, utterance.norm(first + 1)) {
        ("this", "year") => Some((first + 2, this_year)),
        ("next", "year") => Some((first + 2, this_year.map(|year| year + 1))),
        ("twenty", _) => spoken_year(utterance, first + 1),
        ("two", "thousand") => spoken_year(utterance, first + 2 + usize::from(utterance.norm(first + 2) == "and")),
        _ => {
            let year = said
                .parse()
                .ok()
                .filter(|year| said.len() == 4 && YEARS.contains(year))?;
            Some((first + 1, Some(year)))
        }
    }
}

/// The year of this century whose last two figures are spelled out at `place`, and the place behind it.
fn spoken_year(utterance: &Utterance<'_>, place: usize) -> Option<(usize, Option<i64>)> {
    let tens = spoken_tens(utterance.norm(place))?;
    let unit = spoken_digit(utterance.norm(place + 1)).filter(|unit| tens >= 20 && *unit > 0);
    let end = place + 1 + usize::from(unit.is_some());
    Some((end, Some(2000 + i64::from(tens + unit.unwrap_or_default()))))
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
    // "For 3 pm people" is "for 3 people".
    if counts(utterance.norm(end)) {
        return None;
    }
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
    (sure || (led && alone) || is_until_hour(utterance, place, end)).then_some((end, hour))
}

/// Whether an hour follows at `end` to which the number at `place` is another one: "9 or 10 am", "from 9 to 5 pm".
fn is_until_hour(utterance: &Utterance<'_>, place: usize, end: usize) -> bool {
    let joins = match utterance.norm(end) {
        "or" | "till" | "to" | "until" => true,
        "and" => place > 0 && utterance.norm(place - 1) == "between",
        _ => false,
    };
    joins
        && face(utterance, end + 1)
            .is_some_and(|(behind, hour, _)| hour.settled || half_behind(utterance, behind).0 > behind)
}

/// Whether a word says that people were counted before it.
fn counts(norm: &str) -> bool {
    matches!(norm, "adults" | "guests" | "people" | "person" | "persons")
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
    if let Some((end, hour)) = minutes_from_hour(utterance, place) {
        return Some((end, hour, true));
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

/// "Half past three", "quarter to five", "5 minutes to 3": the place behind it, and the hour.
fn minutes_from_hour(utterance: &Utterance<'_>, place: usize) -> Option<(usize, SaidHour)> {
    let norm = |place: usize| utterance.norm(place);
    let (behind, minutes) = match norm(place) {
        "half" => (place + 1, 30),
        "quarter" => (place + 1, 15),
        "a" if norm(place + 1) == "quarter" => (place + 2, 15),
        "twenty" if norm(place + 1) == "five" => (place + 2, 25),
        "twenty" | "20" => (place + 1, 20),
        "25" => (place + 1, 25),
        word => (place + 1, hour_word(word)?),
    };
    let is_named = matches!(norm(place), "a" | "half" | "quarter");
    let is_counted = matches!(norm(behind), "minute" | "minutes");
    let joint = behind + usize::from(is_counted);
    let hour = hour_word(norm(joint + 1))?;
    let before = place.checked_sub(1).map_or("", norm);
    // "From ten to five", "five to six" and "for five after three" may be something else.
    let is_sure = is_named || is_counted || before == "at";
    let can_be = minutes % 5 == 0 && !matches!(before, "between" | "from");
    let hour = match norm(joint) {
        "past" if is_sure || can_be => unsettled(hour, minutes),
        "after" if is_sure => unsettled(hour, minutes),
        "to" | "till" | "before" if minutes == 30 => return None,
        "to" | "till" if is_sure || can_be && minutes > hour => minutes_before(hour, minutes),
        "before" if is_sure => minutes_before(hour, minutes),
        _ => return None,
    };
    Some((joint + 2, hour))
}

const fn minutes_before(hour: u8, minutes: u8) -> SaidHour {
    unsettled(if hour == 1 { 12 } else { hour - 1 }, 60 - minutes)
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
        for text in ["next friday", "wednesday", "this monday", "not before tomorrow"] {
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

    /// What an agreement would take from the words: the first day and the first hour.
    fn when(what: &str) -> String {
        let text = format!("Your haircut {what}.");
        let call = Transcript::read([(Speaker::Agent, text.as_str())]);
        let utterance = Utterance::new(0, &call.turns[0]);
        let found = mentions(&utterance, &(0..utterance.words.len()), Some(Day(20_775)));
        let day = found.iter().find_map(|mention| match mention.moment {
            Moment::Day(day) => Some(day.0),
            Moment::Clock(_) => None,
        });
        let hour = found.iter().find_map(|mention| match mention.moment {
            Moment::Clock(hour) => Some(hour.clock()),
            Moment::Day(_) => None,
        });
        match (day.flatten(), hour.flatten()) {
            (None, _) => "null".to_owned(),
            (Some(day), None) => day.to_string(),
            (Some(day), Some(TimeOfDay { hour, minute })) => format!("{day} {hour:02}:{minute:02}"),
        }
    }

    // The call is on Wednesday, 18 November 2026.

    #[test]
    fn a_distance_is_counted_from_the_day_that_it_names() {
        for (text, day) in [
            ("next week on Friday", "2026-11-27"),
            ("next week Friday", "2026-11-27"),
            ("Friday of next week", "2026-11-27"),
            ("Friday of this week", "2026-11-20"),
            ("Friday morning next week", "2026-11-27"),
            ("a week from Friday", "2026-11-27"),
            ("a week from today", "2026-11-25"),
            ("two weeks from today", "2026-12-02"),
            ("2 weeks from now", "2026-12-02"),
            ("a week from tomorrow", "2026-11-26"),
            ("three weeks from Monday", "2026-12-14"),
            ("the day before Friday", "2026-11-19"),
            ("two days after Friday", "2026-11-22"),
            ("the day after the 30th", "2026-12-01"),
            ("in two days", "2026-11-20"),
            ("on Friday, two days from today", "2026-11-20"),
        ] {
            assert_eq!(when(&format!("{text} at 5 pm")), format!("{day} 17:00"), "{text}");
        }
    }

    #[test]
    fn moments_that_are_offered_each_with_its_hour_stay_apart() {
        assert_eq!(
            moments("Friday at 5 pm or Monday at 6 pm"),
            ["2026-10-16", "17:00", "2026-10-19", "18:00"]
        );
    }

    #[test]
    fn a_day_that_is_related_to_another_or_is_one_of_several_is_left_open() {
        for text in [
            "the following Friday",
            "Friday week",
            "the Friday after next",
            "in two weeks on Friday",
            "Friday in two weeks",
            "Friday of the week after next",
            "for a week from Friday",
            "a couple of weeks from Friday",
            "last Friday",
            "after Friday",
            "the first Monday in December",
            "the Monday after Christmas",
            "the second Tuesday of December",
            "on Saturday or Sunday",
            "this weekend or on Monday",
            "Friday or Monday",
            "Friday, Saturday or Sunday",
            "on the 20th or 21st",
            "every Friday",
            "every other Friday",
            "Monday through Friday",
            "between the 20th and the 22nd",
            "tomorrow or the day after",
            "not Friday but Monday",
        ] {
            assert_eq!(when(&format!("{text} at 5 pm")), "null", "{text}");
        }
        for text in [
            "Friday at 5 pm in two weeks",
            "Friday at 5 pm every week",
            "in two weeks",
            "in 2 to 3 days",
        ] {
            assert_eq!(when(text), "null", "{text}");
        }
    }

    #[test]
    fn a_date_and_a_day_of_the_week_that_contradict_each_other_settle_nothing() {
        for text in [
            "Friday the 13th",
            "Monday December 4th",
            "December 4th, Monday,",
            "Thursday the 25th of November",
            "Friday the first",
            "tomorrow, the 20th,",
        ] {
            assert_eq!(when(&format!("{text} at 5 pm")), "null", "{text}");
        }
        for (text, day) in [
            ("Friday December 4th", "2026-12-04"),
            ("December 4th, Friday,", "2026-12-04"),
            ("Tuesday the first", "2026-12-01"),
            ("tomorrow, the 19th,", "2026-11-19"),
        ] {
            assert_eq!(when(&format!("{text} at 5 pm")), format!("{day} 17:00"), "{text}");
        }
    }

    #[test]
    fn the_year_that_is_said_is_the_year() {
        for (text, told) in [
            ("December 4th of 2027", "2027-12-04"),
            ("December 4th at 5 pm in 2027", "2027-12-04 17:00"),
            ("4 December next year at 5 pm", "2027-12-04 17:00"),
            ("December 4th this year at 5 pm", "2026-12-04 17:00"),
            ("december fourth twenty twenty seven at 5 pm", "2027-12-04 17:00"),
            ("december fourth two thousand and thirty at 5 pm", "2030-12-04 17:00"),
            ("december fourth at twenty past five pm", "2026-12-04 17:20"),
            ("on 0000-01-01", "null"),
        ] {
            assert_eq!(when(text), told, "{text}");
        }
    }

    #[test]
    fn an_hour_that_is_related_to_another_or_is_one_of_several_is_left_open() {
        for (text, hour) in [
            ("ten to five pm", " 16:50"),
            ("twenty past five pm", " 17:20"),
            ("five past three pm", " 15:05"),
            ("5 minutes to 3 pm", " 14:55"),
            ("at twenty five to one pm", " 12:35"),
            ("at five to six pm", " 17:55"),
            ("from 3 pm to 4 pm", " 15:00"),
            ("at 5 pm or 6 pm", ""),
            ("at 5 pm or 6", ""),
            ("9 or 10 am", ""),
            ("half seven pm", ""),
            ("between 3 and 5 pm", ""),
            ("between 3 pm and 5 pm", ""),
            ("from 9 to 5 pm", ""),
            ("five to six pm", ""),
            ("from ten to five pm", ""),
            ("before 5 pm", ""),
            ("after 5 pm", ""),
            ("no later than 5 pm", ""),
            ("at 5 pm or later", ""),
        ] {
            assert_eq!(
                when(&format!("on Friday {text}")),
                format!("2026-11-20{hour}"),
                "{text}"
            );
        }
    }

    #[test]
    fn an_hour_behind_midnight_leaves_the_day_open() {
        for text in [
            "Friday night at 12",
            "tonight at 1 am",
            "at 1 tonight",
            "tomorrow night at 1",
        ] {
            assert_eq!(when(text), "null", "{text}");
        }
        assert_eq!(when("tonight at 9"), "2026-11-18 21:00");
        assert_eq!(when("Friday night at 9"), "2026-11-20 21:00");
    }

    #[test]
    fn people_who_are_counted_are_no_time() {
        assert_eq!(moments("my sister June 3 people"), [""; 0]);
        assert_eq!(when("for my sister June 3 people Friday"), "2026-11-20");
        assert_eq!(when("Friday for 3 pm people"), "2026-11-20");
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
