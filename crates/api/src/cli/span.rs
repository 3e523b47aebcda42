//! Spans of time as people write them on a command line: `90d`, `24h`, `15m`, `30s`.

use std::{fmt, str::FromStr};

/// A span of time in whole seconds, at least one and at most 100 years; kept in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span(i64);

/// The text is neither a span of time nor a number of seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a whole number above 0, of seconds or with s, m, h or d, at most 36500d, for example 90 or 24h")]
pub(super) struct NotASpanOrSeconds;

/// The text is not a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a whole number above 0 with s, m, h or d, at most 36500d, for example 90d or 24h")]
pub(super) struct NotASpan;

const LONGEST_MS: i64 = 36_500 * 86_400_000;

/// The units and their milliseconds, the longest first.
const UNITS: [(char, i64); 4] = [('d', 86_400_000), ('h', 3_600_000), ('m', 60_000), ('s', 1000)];

impl Span {
    /// The span of this many seconds.
    pub(super) fn of_seconds(seconds: u32) -> Self {
        Self(i64::from(seconds) * 1000)
    }

    /// The moment that lies this span after `ms`; both in milliseconds since the epoch.
    pub(super) fn after(self, ms: i64) -> i64 {
        ms.saturating_add(self.0)
    }

    /// Reads a span, or a whole number of seconds.
    pub(super) fn or_seconds(text: &str) -> Result<Self, NotASpanOrSeconds> {
        let is_bare = text.ends_with(|last: char| last.is_ascii_digit());
        let read = if is_bare {
            format!("{text}s").parse()
        } else {
            text.parse()
        };
        read.map_err(|NotASpan| NotASpanOrSeconds)
    }

    /// The moment that lies this span before `ms`; both in milliseconds since the epoch.
    pub(super) fn before(self, ms: i64) -> i64 {
        ms.saturating_sub(self.0)
    }
}

impl FromStr for Span {
    type Err = NotASpan;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (unit_at, unit) = text.char_indices().next_back().ok_or(NotASpan)?;
        let (_, unit_ms) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or(NotASpan)?;
        let digits = &text[..unit_at];
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(NotASpan);
        }
        let count: i64 = digits.parse().map_err(|_| NotASpan)?;
        count
            .checked_mul(unit_ms)
            .filter(|ms| (1..=LONGEST_MS).contains(ms))
            .map(Self)
            .ok_or(NotASpan)
    }
}

impl fmt::Display for Span {
    /// Writes it as it is read, in the longest unit of which it is a whole number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.into_iter().find(|(_, unit_ms)| self.0 % unit_ms == 0);
        // Every span is a whole number of seconds.
        let (unit, unit_ms) = whole.unwrap_or(('s', 1000));
        write!(f, "{}{unit}", self.0 / unit_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read() {
        for (text, ms) in [
            ("1s", 1000),
            ("15m", 900_000),
            ("24h", 86_400_000),
            ("90d", 7_776_000_000),
            ("007d", 604_800_000),
            ("36500d", LONGEST_MS),
        ] {
            assert_eq!(text.parse(), Ok(Span(ms)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "d",
            "0d",
            "0s",
            "-1d",
            "+1d",
            "1",
            "1.5h",
            "1w",
            "1D",
            " 1d",
            "1d ",
            "1 d",
            "٣d",
            "36501d",
            "9223372036854775807d",
            "99999999999999999999d",
            "1é",
        ] {
            assert_eq!(text.parse::<Span>(), Err(NotASpan), "{text}");
        }
    }

    #[test]
    fn spans_are_written_as_they_are_read() {
        for text in ["1s", "90s", "15m", "2h", "25h", "90d"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
        assert_eq!(Span::of_seconds(7_200).to_string(), "2h");
    }

    #[test]
    fn a_span_leads_to_a_moment() {
        assert_eq!(Span(1000).after(5), 1005);
        assert_eq!(Span(1000).after(i64::MAX), i64::MAX);
        assert_eq!(Span(1000).before(5), -995);
    }
}
