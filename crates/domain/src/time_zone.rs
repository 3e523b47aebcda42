//! Where a tenant's days begin.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Datelike, NaiveDate, TimeZone as _};
use chrono_tz::Tz;
use language::findings::Day;

/// A time zone of the IANA database, as the program was built with it. UTC unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TimeZone(Tz);

/// The text is not the name of a time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown time zone `{0}`; give a name of the IANA database, for example America/New_York")]
pub struct UnknownTimeZone(pub String);

/// The most characters of a wrong name that are repeated; the longest right one has 32.
const NAME_CHARACTERS: usize = 40;

impl FromStr for TimeZone {
    type Err = UnknownTimeZone;

    /// Reads a name in the database's own spelling, such as `America/New_York`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.parse()
            .map(Self)
            .map_err(|_| UnknownTimeZone(name.chars().take(NAME_CHARACTERS).collect()))
    }
}

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TimeZone {
    /// The zone's name in the IANA database.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        self.0.name()
    }

    /// The day there at `ms`, in milliseconds since the epoch. A time that no calendar shows is counted in UTC.
    #[must_use]
    pub fn day(self, ms: i64) -> Day {
        let since_the_epoch = |date: NaiveDate| date.signed_duration_since(NaiveDate::default()).num_days();
        Day(self.date(ms).map_or(ms.div_euclid(86_400_000), since_the_epoch))
    }

    /// The day there at `ms`, in milliseconds since the epoch, as people write it: `3 May 2026`. `None` for a time that
    /// no calendar shows, or of a year that has not four digits.
    #[must_use]
    pub fn written_day(self, ms: i64) -> Option<String> {
        let date = self.date(ms).filter(|date| (0..=9999).contains(&date.year()))?;
        Some(date.format("%-d %B %Y").to_string())
    }

    fn date(self, ms: i64) -> Option<NaiveDate> {
        let utc = DateTime::from_timestamp_millis(ms)?.naive_utc();
        // A time at the calendar's end may have no local one.
        let offset = self.0.offset_from_utc_datetime(&utc);
        utc.checked_add_offset(chrono::Offset::fix(&offset))
            .map(|local| local.date())
    }
}

/// A moment and where it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// Milliseconds since the epoch.
    pub ms: i64,
    /// Where its day begins.
    pub zone: TimeZone,
}

impl LocalTime {
    /// The day there.
    #[must_use]
    pub fn today(self) -> Day {
        self.zone.day(self.ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        name.parse().unwrap()
    }

    #[test]
    fn a_day_begins_where_the_tenant_is() {
        // 2026-11-22 02:30 in UTC; New York is five hours behind, Kiritimati fourteen ahead.
        let ms = 1_795_314_600_000;
        for (name, day) in [
            ("UTC", "22 November 2026"),
            ("America/New_York", "21 November 2026"),
            ("Pacific/Kiritimati", "22 November 2026"),
            ("Asia/Kolkata", "22 November 2026"),
        ] {
            assert_eq!(zone(name).written_day(ms).as_deref(), Some(day), "{name}");
        }
        assert_eq!(TimeZone::default().day(ms).to_string(), "2026-11-22");
        assert_eq!(zone("America/New_York").day(ms).to_string(), "2026-11-21");
    }

    #[test]
    fn summer_time_moves_the_beginning_of_a_day() {
        // 04:30 in UTC is half past midnight in New York in summer, and half past eleven in winter.
        let of = |ms| zone("America/New_York").day(ms).to_string();
        assert_eq!(of(1_783_053_000_000), "2026-07-03");
        assert_eq!(of(1_798_777_800_000), "2026-12-31");
    }

    #[test]
    fn any_time_has_a_day() {
        for ms in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(TimeZone::default().day(ms), Day(ms.div_euclid(86_400_000)));
        }
        for ms in [DateTime::<chrono::Utc>::MIN_UTC, DateTime::<chrono::Utc>::MAX_UTC].map(|at| at.timestamp_millis()) {
            let _ = (zone("Pacific/Kiritimati").day(ms), zone("America/New_York").day(ms));
            assert_eq!(zone("Pacific/Kiritimati").written_day(ms), None);
        }
    }

    #[test]
    fn names_are_those_of_the_database() {
        assert_eq!(zone("Europe/Berlin").to_string(), "Europe/Berlin");
        for wrong in ["", "Berlin", "Europe/berlin", "+02:00", " UTC"] {
            assert_eq!(wrong.parse::<TimeZone>(), Err(UnknownTimeZone(wrong.to_owned())));
        }
        let long = "x".repeat(100_000).parse::<TimeZone>().unwrap_err();
        assert_eq!(long.0.len(), NAME_CHARACTERS);
    }
}
