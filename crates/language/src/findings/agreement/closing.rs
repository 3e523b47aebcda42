//! Which earlier agreement is meant by one that was moved or called off, and what is left of many.

use std::{collections::HashMap, hash::Hash};

use super::{
    moment::{Day, is_of_a_time},
    terms::{Agreement, Status},
};
use crate::text::small::{WordList, is_small};

/// An agreement as far as another one can mean it.
#[derive(Debug, Clone, Copy)]
pub struct AgreementView<'a> {
    /// What was agreed, in words.
    pub what: &'a str,
    /// Its day, when it is settled.
    pub day: Option<Day>,
    /// How it stands.
    pub status: Status,
}

impl Agreement {
    /// As far as another one can mean it.
    pub(super) fn view(&self) -> AgreementView<'_> {
        AgreementView {
            what: &self.what,
            day: self.terms.day,
            status: self.terms.status,
        }
    }
}

/// Among how many agreements before it one that was moved or called off finds the one that it closes.
const REACH: usize = 64;

/// What is left of statements that are given oldest first: all but the agreements that were closed. One that was moved
/// or called off closes one of the 64 agreements before it that nothing has closed: the latest of those that fit it
/// best.
/// `of` is `None` for what is no agreement.
#[must_use]
pub fn unclosed<T>(oldest_first: impl IntoIterator<Item = T>, of: impl Fn(&T) -> Option<AgreementView<'_>>) -> Vec<T> {
    let mut left: Vec<Option<T>> = Vec::new();
    // The places of those that can be closed.
    let mut open: Vec<usize> = Vec::new();
    for stated in oldest_first {
        if let Some(agreed) = of(&stated) {
            if agreed.closes() {
                let reach = open.split_off(open.len().saturating_sub(REACH));
                let meant = closed_by(&agreed, &reach, |place| left[place].as_ref().and_then(&of));
                for place in reach {
                    if meant.contains(&place) {
                        left[place] = None;
                    } else {
                        open.push(place);
                    }
                }
            }
            if agreed.status != Status::Cancelled {
                open.push(left.len());
            }
        }
        left.push(Some(stated));
    }
    left.into_iter().flatten().collect()
}

/// Which of `stated`, oldest first, only say again what was said before. `said` is `None` for what is never a repeat,
/// and `of` for what is no agreement. Of agreements, what was closed since may have been agreed anew, and what was
/// agreed since may have been closed again: that is no repeat. Linear in the number of statements.
pub fn repeats<'a, T, S: Eq + Hash>(
    stated: &'a [T],
    said: impl Fn(&'a T) -> Option<S>,
    of: impl Fn(&'a T) -> Option<AgreementView<'a>>,
) -> Vec<bool> {
    let mut known: HashMap<S, usize> = HashMap::new();
    // The latest agreement, and the latest one that closed another.
    let mut latest: [Option<usize>; 2] = [None; 2];
    let mut is_repeat = |(place, statement): (usize, &'a T)| {
        let said = said(statement)?;
        let closes = of(statement).map(|agreed| usize::from(agreed.closes()));
        let before = known.get(&said).copied();
        if before
            .is_some_and(|before| closes.is_none_or(|closes| latest[1 - closes].is_none_or(|other| other < before)))
        {
            return Some(true);
        }
        known.insert(said, place);
        if let Some(closes) = closes {
            latest[closes] = Some(place);
        }
        None
    };
    stated
        .iter()
        .enumerate()
        .map(|statement| is_repeat(statement).is_some())
        .collect()
}

/// The places of what `closer` closes: one agreement, and whatever says the same in the same words; or all that it can
/// mean, when it says so.
pub(super) fn closed_by<'a>(
    closer: &AgreementView<'_>,
    reach: &[usize],
    at: impl Fn(usize) -> Option<AgreementView<'a>>,
) -> Vec<usize> {
    let can_be_meant = |place: &usize| {
        let agreed = at(*place)?;
        Some((*place, agreed.what, closer.likeness(&agreed)?))
    };
    let nearest_first = reach.iter().rev().filter_map(can_be_meant);
    let able: Vec<(usize, &str, Likeness)> = nearest_first.collect();
    let Some((_, meant, _)) = able.iter().min_by_key(|(.., likeness)| *likeness) else {
        return Vec::new();
    };
    let means_all = closer.status == Status::Cancelled && says_all(closer.what);
    let same = able.iter().filter(|(_, what, _)| means_all || what == meant);
    same.map(|(place, ..)| *place).collect()
}

/// How well one that closes fits an earlier agreement, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// They say the same.
    Equal,
    /// They name the same things.
    SameNames,
    /// The earlier one names all that this one names, and more.
    NamesMore,
    /// The earlier one names only some of it: so many names are missing.
    NamesLess(usize),
    /// One of them names nothing.
    Unnamed,
}

impl AgreementView<'_> {
    /// Whether it was moved or called off, so that an earlier agreement no longer stands.
    #[must_use]
    pub fn closes(&self) -> bool {
        matches!(self.status, Status::Moved | Status::Cancelled)
    }

    /// How well this one fits `earlier` as what it closes, and `None` when it cannot have closed it: they speak of
    /// different things, or something is called off by its day and `earlier` is of another one.
    fn likeness(&self, earlier: &AgreementView<'_>) -> Option<Likeness> {
        if !self.closes() || earlier.status == Status::Cancelled {
            return None;
        }
        let is_called_off_by_day = self.status == Status::Cancelled && self.day.is_some();
        if is_called_off_by_day && self.day != earlier.day {
            return None;
        }
        if self.what == earlier.what {
            return Some(Likeness::Equal);
        }
        let (one, other) = (self.what.to_lowercase(), earlier.what.to_lowercase());
        let (one, other): (Vec<&str>, Vec<&str>) = (names(&one).collect(), names(&other).collect());
        if one.is_empty() || other.is_empty() {
            return Some(Likeness::Unnamed);
        }
        let are_among = |some: &[&str], all: &[&str]| some.iter().all(|name| all.contains(name));
        match (are_among(&one, &other), are_among(&other, &one)) {
            (true, true) => Some(Likeness::SameNames),
            (true, false) => Some(Likeness::NamesMore),
            (false, true) => Some(Likeness::NamesLess(one.len().saturating_sub(other.len()))),
            (false, false) => None,
        }
    }
}

/// What stands for any agreement: those of [`NOUNS`](super::cues::NOUNS) that are nothing by themselves. A table, a
/// room or a ticket is a thing, so that a cancelled table closes no haircut.
const ANY: &[&str] = &[
    "appointment",
    "booking",
    "event",
    "order",
    "purchase",
    "reservation",
    "transaction",
    "trip",
    "visit",
];

/// Other words that name no thing: the two sides, what became of an agreement, and words for its time.
const NAMELESS: &[&str] = &[
    "agent",
    "called",
    "caller",
    "canceled",
    "cancelled",
    "date",
    "moved",
    "new",
    "rescheduled",
    "slot",
    "theirs",
    "time",
];

/// The same in Spanish, as people write it: what stands for any agreement, and words for its time.
#[rustfmt::skip]
static IN_SPANISH: WordList = WordList::of(&[
    "abril", "agosto", "al", "catorce", "cinco", "cita", "cuarto", "cuatro", "de", "del", "diciembre", "diez",
    "doce", "domingo", "dos", "día", "el", "enero", "febrero", "horas", "hoy", "jueves", "julio", "junio", "la",
    "las", "lunes", "manana", "martes", "marzo", "mayo", "mañana", "media", "mediodia", "mediodía", "menos",
    "miercoles", "miércoles", "noche", "noviembre", "nueve", "ocho", "octubre", "once", "para", "pasado", "por",
    "próximo", "quince", "reserva", "sabado", "seis", "septiembre", "siete", "sábado", "tarde", "treinta", "tres",
    "turno", "una", "uno", "veinte", "viernes", "visita", "y",
]);

/// The words of a text in lower case that name a thing rather than a time.
fn names(lower: &str) -> impl Iterator<Item = &str> {
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.map(without_ending).filter(|word| is_name(word))
}

/// Whether an agreement is about more than one: "all your appointments", "both haircuts".
fn says_all(what: &str) -> bool {
    let first = what.split(' ').take(3);
    first
        .map(str::to_lowercase)
        .any(|word| matches!(word.as_str(), "all" | "both" | "everything"))
}

/// Whether a word in lower case names a thing rather than a time.
pub(super) fn is_name(word: &str) -> bool {
    let is_figure = word.starts_with(|c: char| c.is_ascii_digit());
    let is_nameless =
        is_small(word) || is_of_a_time(word) || ANY.contains(&word) || NAMELESS.contains(&word) || IN_SPANISH.has(word);
    !word.is_empty() && !is_figure && !is_nameless
}

/// A word without what an apostrophe joins to it: "ana's" is "ana", and "they'll" is "they".
fn without_ending(word: &str) -> &str {
    match word.rsplit_once('\'') {
        Some((word, "" | "d" | "ll" | "re" | "s" | "ve")) => word,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_off_in_spanish_closes_what_it_names() {
        assert!(cancels(
            "cita del viernes",
            "cita el viernes a las diez y media de la mañana"
        ));
        assert!(cancels("cita", "mesa para dos el sábado a las nueve de la noche"));
        assert!(!cancels("limpieza del viernes", "mesa para dos el sábado"));
    }

    #[test]
    fn searched_lists_are_sorted() {
        assert!(IN_SPANISH.is_sorted());
    }

    fn closes(what: &str, day: Option<Day>, status: Status, earlier: &str) -> bool {
        let earlier = AgreementView {
            what: earlier,
            day: Day::of(2026, 10, 16),
            status: Status::Agreed,
        };
        AgreementView { what, day, status }.likeness(&earlier).is_some()
    }

    fn cancels(what: &str, earlier: &str) -> bool {
        closes(what, None, Status::Cancelled, earlier)
    }

    /// What is left of agreements, cancellations with "off: " in front.
    fn left<'a>(said: &[&'a str]) -> Vec<&'a str> {
        unclosed(said.iter().copied(), |said| {
            let off = said.strip_prefix("off: ");
            Some(AgreementView {
                what: off.unwrap_or(said),
                day: None,
                status: if off.is_some() {
                    Status::Cancelled
                } else {
                    Status::Agreed
                },
            })
        })
    }

    #[test]
    fn what_is_closed_is_the_same_thing_or_unnamed() {
        let (thursday, friday) = (Day::of(2026, 10, 15), Day::of(2026, 10, 16));
        let tuesday = Day::of(2026, 10, 20);
        let table = "table for six at Osteria Nonna on Friday at 7 pm";
        assert!(closes("appointment on Friday", friday, Status::Cancelled, table));
        assert!(closes("table on friday", friday, Status::Cancelled, table));
        assert!(closes("table", None, Status::Cancelled, table));
        assert!(closes("Tuesday at 4", tuesday, Status::Moved, table));
        assert!(closes(
            "haircut on Friday",
            friday,
            Status::Cancelled,
            "Friday at half past ten"
        ));
        assert!(!closes("table on thursday", thursday, Status::Cancelled, table));
        assert!(!closes("haircut on Friday", friday, Status::Cancelled, table));
        assert!(!closes("haircut to Tuesday", tuesday, Status::Moved, table));
        assert!(!closes("table on friday", friday, Status::Agreed, table));
        assert!(!closes("table on friday", friday, Status::Requested, table));
    }

    #[test]
    fn nothing_is_called_off_twice() {
        let off = AgreementView {
            what: "table",
            day: None,
            status: Status::Cancelled,
        };
        assert_eq!(off.likeness(&off), None);
    }

    #[test]
    fn all_that_one_names_is_named_by_the_other() {
        assert!(!cancels("taxi to 12 Mill Lane", "technician comes to 12 Mill Lane"));
        assert!(!cancels(
            "delivery to the agent's shop",
            "meeting at the agent's office"
        ));
        assert!(cancels("Ana's haircut", "haircut for Ana"));
        assert!(cancels("haircut with Ben at the agent's shop", "haircut"));
        for nothing in [
            "appointment",
            "their appointment has been cancelled",
            "they've moved theirs to a new time",
            "the agent has rescheduled the caller's visit",
        ] {
            assert!(cancels(nothing, "technician comes to 12 Mill Lane"), "{nothing}");
        }
        assert!(ANY.iter().all(|word| super::super::cues::NOUNS.contains(word)));
    }

    #[test]
    fn what_is_named_is_closed_before_what_is_near() {
        let agreed = ["haircut for Ana", "haircut for Ben", "Friday at 7", "haircut"];
        for (off, closed) in [
            ("off: haircut", "haircut"),
            ("off: haircut for Ana", "haircut for Ana"),
            ("off: Ben's haircut", "haircut for Ben"),
            ("off: haircut for Ben with a shave", "haircut for Ben"),
            ("off: their appointment", "haircut"),
        ] {
            let said: Vec<&str> = agreed.into_iter().chain([off]).collect();
            let open: Vec<&str> = said.iter().copied().filter(|what| *what != closed).collect();
            assert_eq!(left(&said), open, "{off}");
        }
        let near = ["haircut for Ana", "haircut for Ben", "off: haircut"];
        assert_eq!(left(&near), ["haircut for Ana", "off: haircut"]);
        let again = ["haircut", "taxi", "haircut", "off: haircut", "haircut"];
        assert_eq!(left(&again), ["taxi", "off: haircut", "haircut"]);
    }

    #[test]
    fn only_what_is_open_takes_up_the_reach() {
        let named = |count: usize| (0..count).map(|i| format!("thing{}", "x".repeat(i + 1)));
        let is_closed = |between: Vec<String>| {
            let all: Vec<String> = ["taxi".to_owned()]
                .into_iter()
                .chain(between)
                .chain(["off: taxi".to_owned()])
                .collect();
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            !left(&all).contains(&"taxi")
        };
        assert!(is_closed(named(REACH - 1).collect()));
        assert!(!is_closed(named(REACH).collect()));
        let called_off =
            named(2 * REACH).flat_map(|thing| [format!("off: {thing}"), thing.clone(), format!("off: {thing}")]);
        assert!(is_closed(called_off.collect()));
    }
}
