//! Days and hours as people say them in Spanish, resolved from the day of the call. What the words do not settle stays
//! open.

use std::ops::Range;

use super::{
    super::{
        agreement::{Day, Mention, Moment, SaidDay, SaidHour},
        utterance::Utterance,
    },
    numbers::{below_hundred, small_number},
};

/// The days and hours that begin within `places` of `utterance`, in order. `today` is the day of the call.
pub(super) fn mentions(utterance: &Utterance<'_>, places: &Range<usize>, today: Option<Day>) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = places.start;
    while at < places.end.min(utterance.words.len()) {
        let day = day(utterance, at, today).map(|(end, day)| (end, Moment::Day(SaidDay(day))));
        let Some((end, moment)) = day.or_else(|| hour(utterance, at).map(|(end, hour)| (end, Moment::Clock(hour))))
        else {
            at += 1;
            continue;
        };
        found.push(Mention {
            places: at..end,
            moment,
        });
        at = end;
    }
    found
}

const WEEKDAYS: [&str; 7] = ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"];

fn weekday(word: &str) -> Option<i64> {
    let place = WEEKDAYS.iter().position(|name| *name == word)?;
    i64::try_from(place).ok()
}

const MONTHS: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

fn month(word: &str) -> Option<u8> {
    let place = MONTHS
        .iter()
        .position(|name| *name == word || *name == "septiembre" && word == "setiembre")?;
    u8::try_from(place + 1).ok()
}

/// The day named at `place`, and the place behind it; inside, `None` for one that the words leave open.
fn day(utterance: &Utterance<'_>, place: usize, today: Option<Day>) -> Option<(usize, Option<Day>)> {
    let word = |offset: usize| utterance.norm(place + offset);
    let last = if place == 0 { "" } else { utterance.norm(place - 1) };
    let in_days = |days: i64| today.map(|today| Day(today.0 + days));
    match word(0) {
        "hoy" => return Some((place + 1, in_days(0))),
        "pasado" if word(1) == "manana" => return Some((place + 2, in_days(2))),
        // "De la mañana" is a part of a day.
        "manana" if !matches!(last, "la" | "esta" | "cada" | "una") => return Some((place + 1, in_days(1))),
        "esta" if matches!(word(1), "manana" | "noche" | "tarde") => return Some((place + 2, in_days(0))),
        "dentro" | "en" => return counted(utterance, place, today),
        _ => {}
    }
    let article = usize::from(matches!(word(0), "al" | "del" | "el" | "este"));
    let next = usize::from(word(article) == "proximo");
    let dia = usize::from(word(article) == "dia");
    let name = place + article + next;
    if let Some(wanted) = weekday(utterance.norm(name)) {
        // "Los lunes", "todos los martes", "cada viernes" are many.
        if matches!(last, "los" | "cada" | "todos") {
            return Some((name + 1, None));
        }
        let dated = name + 1 + usize::from(utterance.norm(name + 1) == "dia");
        if let Some((end, day)) = date(utterance, dated, article == 1, today) {
            return Some((end, day.filter(|day| day.weekday() == wanted)));
        }
        let behind = match (utterance.norm(name + 1), utterance.norm(name + 2)) {
            ("que", "viene") => Some((name + 3, true)),
            ("proximo", _) => Some((name + 2, true)),
            ("no" | "pasado", _) => Some((name + 2, false)),
            _ => None,
        };
        let is_next = next == 1 || behind.is_some_and(|(_, is_next)| is_next);
        let end = behind.map_or(name + 1, |(end, _)| end);
        let is_open = behind.is_some_and(|(_, is_next)| !is_next) || tells_week(utterance, end);
        let resolved = today
            .filter(|_| !is_open)
            .and_then(|today| match (wanted - today.weekday()).rem_euclid(7) {
                // Today or in a week.
                0 if !is_next => None,
                0 => Some(Day(today.0 + 7)),
                // Tomorrow is not called the next one.
                1 if is_next => None,
                days => Some(Day(today.0 + days)),
            });
        return Some((end, resolved));
    }
    if next == 1 {
        return None;
    }
    date(utterance, place + article + dia, article == 1, today).filter(|(end, _)| article == 1 || *end > place + 1)
}

/// Whether the words behind a day of the week tell another week than the next one.
fn tells_week(utterance: &Utterance<'_>, place: usize) -> bool {
    let of = usize::from(matches!(utterance.norm(place), "de" | "dentro"));
    let article = usize::from(matches!(
        utterance.norm(place + of),
        "de" | "en" | "la" | "otra" | "esta"
    ));
    of + article > 0
        && (of..of + article + 2)
            .any(|offset| matches!(utterance.norm(place + offset), "semana" | "semanas" | "mes" | "ano"))
}

/// "Dentro de dos días", "en tres días"; weeks are often about then.
fn counted(utterance: &Utterance<'_>, place: usize, today: Option<Day>) -> Option<(usize, Option<Day>)> {
    let first = place + 1 + usize::from(utterance.norm(place) == "dentro" && utterance.norm(place + 1) == "de");
    let (unit, count) = below_hundred(utterance, first)?;
    let days = i64::from(count);
    match utterance.norm(unit) {
        "dia" | "dias" if utterance.norm(place) == "dentro" => Some((unit + 1, today.map(|today| Day(today.0 + days)))),
        "dia" | "dias" | "semana" | "semanas" | "mes" | "meses" => Some((unit + 1, None)),
        _ => None,
    }
}

/// A date of this year that is gone for longer, in days, is meant to come again.
const GONE_DAYS: i64 = 60;

/// The date at `place`: "3 de marzo", "uno de abril"; with `is_led` by an article, also the number of a day alone that
/// ends a phrase.
fn date(utterance: &Utterance<'_>, place: usize, is_led: bool, today: Option<Day>) -> Option<(usize, Option<Day>)> {
    if let Some(day) = Day::at_beginning_of(utterance.norm(place)).filter(|_| utterance.norm(place).len() == 10) {
        return Some((place + 1, Some(day)));
    }
    let (end, number) = number_of_day(utterance, place)?;
    let of = usize::from(utterance.norm(end) == "de");
    let Some(month) = month(utterance.norm(end + of)) else {
        let is_alone = utterance.ends_before(end) || matches!(utterance.norm(end), "a" | "al" | "por" | "de");
        let is_of_this_month = is_led && is_alone && utterance.norm(place).starts_with(|c: char| c.is_ascii_digit());
        return (is_of_this_month && place > 1 && utterance.norm(place - 1) == "dia")
            .then(|| (end, next_day(number, today)));
    };
    let behind = end + of + 1;
    let in_year = matches!(utterance.norm(behind), "de" | "del");
    let year = utterance.norm(behind + usize::from(in_year)).parse::<i64>().ok();
    if let Some(year) = year.filter(|year| in_year && (2000..2200).contains(year)) {
        return Some((behind + 2, Day::of(year, month, number)));
    }
    let day = today.and_then(|today| {
        let (year, ..) = today.calendar();
        let this_year = Day::of(year, month, number)?;
        if today.0 - this_year.0 > GONE_DAYS {
            Day::of(year + 1, month, number)
        } else {
            Some(this_year)
        }
    });
    Some((behind, day))
}

/// The next day of that number.
fn next_day(number: u8, today: Option<Day>) -> Option<Day> {
    let (year, month, day) = today?.calendar();
    match (number >= day, month) {
        (true, _) => Day::of(year, month, number),
        (false, 12) => Day::of(year + 1, 1, number),
        (false, _) => Day::of(year, month + 1, number),
    }
}

fn number_of_day(utterance: &Utterance<'_>, place: usize) -> Option<(usize, u8)> {
    let word = utterance.norm(place);
    let (end, number) = match word {
        "primero" => (place + 1, 1),
        _ => match word.parse::<u8>() {
            Ok(number) => (place + 1, number),
            Err(_) => below_hundred(utterance, place)?,
        },
    };
    (1..=31).contains(&number).then_some((end, number))
}

/// The hour named at `place`, and the place behind it: "a las tres y media de la tarde", "a las 15:30", "al mediodía".
fn hour(utterance: &Utterance<'_>, place: usize) -> Option<(usize, SaidHour)> {
    let word = |offset: usize| utterance.norm(place + offset);
    let said = |hour: u8, minute: u8, settled: bool| SaidHour { hour, minute, settled };
    if word(0) == "al" && word(1) == "mediodia" {
        return Some((place + 2, said(12, 0, true)));
    }
    let lead = usize::from(matches!(word(0), "a" | "para" | "sobre"));
    if !matches!(word(lead), "la" | "las") {
        return None;
    }
    let first = place + lead + 1;
    // "Después de las tres", "antes de las tres", "desde las tres" are other hours.
    let last = if place == 0 { "" } else { utterance.norm(place - 1) };
    let is_related = matches!(last, "de" | "desde" | "hasta" | "entre" | "sobre" | "partir") || word(0) == "sobre";
    let (mut end, hour, mut minute) = face(utterance, first)?;
    // "La una", but not "la 3".
    if word(lead) == "la" && hour != 1 {
        return None;
    }
    let mut hour = hour;
    let written = utterance.norm(end - 1).contains([':', '.']) && end == first + 1;
    let behind = utterance.norm(end);
    match (behind, utterance.norm(end + 1)) {
        ("y", "media") => (end, minute) = (end + 2, 30),
        ("y", "cuarto") => (end, minute) = (end + 2, 15),
        ("y", _) if !written => {
            if let Some((behind, minutes)) = below_hundred(utterance, end + 1).filter(|(_, minutes)| *minutes < 60) {
                (end, minute) = (behind, minutes);
            }
        }
        ("menos", "cuarto") => (end, hour, minute) = (end + 2, (hour + 23) % 24, 45),
        ("menos", _) => {
            if let Some((behind, minutes)) =
                below_hundred(utterance, end + 1).filter(|(_, minutes)| (1..30).contains(minutes))
            {
                (end, hour, minute) = (behind, (hour + 23) % 24, 60 - minutes);
            }
        }
        _ if !written && hour < 24 => {
            // "Las quince treinta"; "las tres treinta".
            if let Some((behind, minutes)) =
                below_hundred(utterance, end).filter(|(_, minutes)| (10..60).contains(minutes))
            {
                (end, minute) = (behind, minutes);
            }
        }
        _ => {}
    }
    if utterance.norm(end) == "en" && utterance.norm(end + 1) == "punto" {
        end += 2;
    }
    if matches!(utterance.norm(end), "h" | "horas" | "hrs") {
        end += 1;
    }
    let (end, half) = half(utterance, end);
    let settled = match half {
        _ if hour == 0 || hour > 12 => Some(hour),
        Some(Half::Morning) if hour < 12 => Some(hour),
        Some(Half::Noon) => Some(if hour < 4 { hour + 12 } else { hour }).filter(|hour| *hour >= 12),
        Some(Half::Afternoon) if hour < 9 || hour == 12 => Some(hour % 12 + 12),
        Some(Half::BehindNoon) => Some(hour % 12 + 12),
        Some(Half::Night) if (6..12).contains(&hour) => Some(hour + 12),
        _ => None,
    };
    // "A las 09:30" is read off a clock of twenty-four hours.
    let settled = settled.or_else(|| utterance.norm(first).starts_with('0').then_some(hour));
    let open = said(hour, minute, false);
    let found = settled
        .filter(|_| !is_related)
        .map_or(open, |hour| said(hour, minute, true));
    Some((end, found))
}

/// The hour and the minute on the face of a clock at `place`, and the place behind.
fn face(utterance: &Utterance<'_>, place: usize) -> Option<(usize, u8, u8)> {
    let word = utterance
        .norm(place)
        .trim_end_matches(|c: char| c.is_ascii_alphabetic());
    if word.is_empty() || !word.starts_with(|c: char| c.is_ascii_digit()) {
        let hour = small_number(utterance.norm(place)).filter(|hour| (1..24).contains(hour))?;
        return Some((place + 1, hour, 0));
    }
    let (hour, minute) = word.split_once([':', '.']).unwrap_or((word, "00"));
    let (hour, minute) = (hour.parse::<u8>().ok()?, minute.parse::<u8>().ok()?);
    (hour < 24 && minute < 60).then_some((place + 1, hour, minute))
}

enum Half {
    Morning,
    Noon,
    BehindNoon,
    Afternoon,
    Night,
}

/// The part of the day behind an hour, and the place behind it.
fn half(utterance: &Utterance<'_>, place: usize) -> (usize, Option<Half>) {
    let word = |offset: usize| utterance.norm(place + offset);
    let part = match (word(0), word(1)) {
        ("a.m" | "am", _) => return (place + 1, Some(Half::Morning)),
        ("p.m" | "pm", _) => return (place + 1, Some(Half::BehindNoon)),
        ("a", "m") => return (place + 2, Some(Half::Morning)),
        ("p", "m") => return (place + 2, Some(Half::BehindNoon)),
        ("del", part) => (2, part),
        ("de" | "por" | "en", "la") => (3, word(2)),
        _ => return (place, None),
    };
    let half = match part.1 {
        "madrugada" | "manana" => Half::Morning,
        "mediodia" => Half::Noon,
        "tarde" => Half::Afternoon,
        "noche" => Half::Night,
        _ => return (place, None),
    };
    (place + part.0, Some(half))
}

#[cfg(test)]
mod tests {
    use super::{super::folding::folded, *};
    use crate::transcript::{Speaker, Transcript};

    /// What a text names, called on Wednesday, 4 March 2026.
    fn told(text: &str) -> String {
        let call = Transcript::read([(Speaker::Caller, text)]);
        let turn = folded(&call.turns[0]);
        let utterance = Utterance::new(0, &turn);
        let found = mentions(&utterance, &(0..utterance.words.len()), Day::of(2026, 3, 4));
        let shown = found.iter().map(|mention| match mention.moment {
            Moment::Day(SaidDay(day)) => day.map_or_else(|| "?".to_owned(), |day| day.to_string()),
            Moment::Clock(SaidHour { hour, minute, settled }) => {
                format!("{hour:02}:{minute:02}{}", if settled { "" } else { "?" })
            }
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn days_and_hours_are_resolved() {
        for (text, expected) in [
            ("mañana por la mañana", "2026-03-05"),
            ("manana a las diez de la manana", "2026-03-05 10:00"),
            ("pasado mañana", "2026-03-06"),
            ("el lunes", "2026-03-09"),
            ("el próximo martes", "2026-03-10"),
            ("el próximo jueves", "?"),
            ("el martes que viene", "2026-03-10"),
            ("el miércoles", "?"),
            ("los lunes", "?"),
            ("el lunes de la otra semana", "?"),
            ("el lunes pasado", "?"),
            ("el 3 de marzo", "2026-03-03"),
            ("el tres de abril", "2026-04-03"),
            ("el treinta y uno de marzo", "2026-03-31"),
            ("el 3 de enero de 2027", "2027-01-03"),
            ("el primero de abril", "2026-04-01"),
            ("martes 10 de marzo", "2026-03-10"),
            ("lunes 10 de marzo", "?"),
            ("el día 3 a las 15:30", "2026-04-03 15:30"),
            ("dentro de tres días", "2026-03-07"),
            ("en dos semanas", "?"),
            ("a las tres y media de la tarde", "15:30"),
            ("a las tres", "03:00?"),
            ("a la una de la tarde", "13:00"),
            ("a las cuatro menos cuarto de la tarde", "15:45"),
            ("a las 8 de la noche", "20:00"),
            ("a las nueve y veinticinco de la mañana", "09:25"),
            ("a las quince treinta", "15:30"),
            ("a las 10:15 a.m.", "10:15"),
            ("a las 5 pm", "17:00"),
            ("a las 09:30", "09:30"),
            ("al mediodía", "12:00"),
            ("a las doce de la noche", "12:00?"),
            ("a las doce del mediodía", "12:00"),
            ("antes de las cinco de la tarde", "05:00?"),
            ("a la calle mayor", ""),
            ("los dos", ""),
            ("el uno y el otro", ""),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }
}
