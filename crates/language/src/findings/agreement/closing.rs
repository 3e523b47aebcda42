//! Which earlier agreement is meant by one that was moved or called off.

use super::{
    moment::{Day, is_of_a_time},
    terms::Status,
};
use crate::text::small::is_small;

/// An agreement as far as another one can mean it.
#[derive(Debug, Clone, Copy)]
pub struct Agreed<'a> {
    /// What was agreed, in words.
    pub what: &'a str,
    /// Its day, when it is settled.
    pub day: Option<Day>,
    /// How it stands.
    pub status: Status,
}

impl Agreed<'_> {
    /// Whether it was moved or called off, so that an earlier agreement no longer stands.
    #[must_use]
    pub fn closes(&self) -> bool {
        matches!(self.status, Status::Moved | Status::Cancelled)
    }

    /// Whether this one can have closed `earlier`: both speak of the same thing, or one of them does not say of what,
    /// and something that is called off by its day is of that day.
    #[must_use]
    pub fn can_close(&self, earlier: &Agreed<'_>) -> bool {
        if !self.closes() || earlier.status == Status::Cancelled {
            return false;
        }
        let is_called_off_by_day = self.status == Status::Cancelled && self.day.is_some();
        if is_called_off_by_day && self.day != earlier.day {
            return false;
        }
        self.what == earlier.what || can_mean(self.what, earlier.what)
    }
}

/// What stands for any agreement.
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

/// Whether two texts name the same thing, or one of them none.
fn can_mean(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let mut named = names(&one).peekable();
    let other: Vec<&str> = names(&other).collect();
    named.peek().is_none() || other.is_empty() || named.any(|word| other.contains(&word))
}

/// The words of a text in lower case that name a thing rather than a time.
fn names(lower: &str) -> impl Iterator<Item = &str> {
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| {
        let is_figure = word.starts_with(|c: char| c.is_ascii_digit());
        !word.is_empty() && !is_figure && !is_small(word) && !is_of_a_time(word) && !ANY.contains(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closes(what: &str, day: Option<Day>, status: Status, earlier: &str) -> bool {
        let earlier = Agreed {
            what: earlier,
            day: Day::of(2026, 10, 16),
            status: Status::Agreed,
        };
        Agreed { what, day, status }.can_close(&earlier)
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
        let off = Agreed {
            what: "table",
            day: None,
            status: Status::Cancelled,
        };
        assert!(!off.can_close(&off));
    }
}
