//! Spans of time as people write them on a command line: `90d`, `24h`, `15m`, `30s`.

use std::str::FromStr;

/// A span of time of at least one second and at most 100 years, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span(i64);

/// The text is not a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a whole number above 0 with s, m, h or d, at most 36500d, for example 90d or 24h")]
pub(super) struct NotASpan;

const LONGEST_MS: i64 = 36_500 * 86_400_000;

impl Span {
    /// The moment that lies this span after `ms`; both in milliseconds since the epoch.
    pub(super) fn after(self, ms: i64) -> i64 {
        ms.saturating_add(self.0)
    }

    /// Reads a span, or a whole number of seconds.
    pub(super) fn or_seconds(text: &str) -> Result<Self, NotASpan> {
        let is_bare = text.ends_with(|last: char| last.is_ascii_digit());
        if is_bare {
            format!("{text}s").parse()
        } else {
            text.parse()
        }
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
        let unit_ms = match unit {
            's' => 1000,
            'm' => 60_000,
            'h' => 3_600_000,
            'd' => 86_400_000,
            _ => return Err(NotASpan),
        };
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
    fn a_span_leads_to_a_moment() {
        assert_eq!(Span(1000).after(5), 1005);
        assert_eq!(Span(1000).after(i64::MAX), i64::MAX);
        assert_eq!(Span(1000).before(5), -995);
    }
}
