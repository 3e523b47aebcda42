//! Money as people write it on a command line, `2.50`, kept exactly as whole micro-dollars: no fraction is ever
//! rounded.

use std::{fmt, str::FromStr};

/// An amount from 0 to 9223372036854.775807 dollars, in micro-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usd(pub(super) u64);

/// The text is not an amount of dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected dollars with at most six decimals, for example 2.50")]
pub(super) struct NotUsd;

const MICRO: u64 = 1_000_000;

impl FromStr for Usd {
    type Err = NotUsd;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let (dollars, decimals) = text.split_once('.').unwrap_or((text, "0"));
        if !is_digits(dollars) || !is_digits(decimals) || decimals.len() > 6 {
            return Err(NotUsd);
        }
        let dollars: u64 = dollars.parse().map_err(|_| NotUsd)?;
        let micro: u64 = format!("{decimals:0<6}").parse().map_err(|_| NotUsd)?;
        dollars
            .checked_mul(MICRO)
            .and_then(|whole| whole.checked_add(micro))
            // What databases can count.
            .filter(|micro| i64::try_from(*micro).is_ok())
            .map(Self)
            .ok_or(NotUsd)
    }
}

impl fmt::Display for Usd {
    /// Writes all decimals that are not zero, and at least two: `2.50`, `0.008`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:06}", self.0 % MICRO);
        let (cents, rest) = decimals.split_at(2);
        f.pad(&format!("{}.{cents}{}", self.0 / MICRO, rest.trim_end_matches('0')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written_exactly() {
        for (text, micro, written) in [
            ("0", 0, "0.00"),
            ("5", 5_000_000, "5.00"),
            ("2.5", 2_500_000, "2.50"),
            ("0.10", 100_000, "0.10"),
            ("0.008", 8_000, "0.008"),
            ("0.000001", 1, "0.000001"),
            ("007.0", 7_000_000, "7.00"),
            ("1.010100", 1_010_100, "1.0101"),
            ("9223372036854.775807", i64::MAX.unsigned_abs(), "9223372036854.775807"),
        ] {
            assert_eq!(text.parse(), Ok(Usd(micro)), "{text}");
            assert_eq!(Usd(micro).to_string(), written);
            assert_eq!(written.parse(), Ok(Usd(micro)), "{written}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            ".",
            ".5",
            "5.",
            "-1",
            "+1",
            "1e3",
            "1,50",
            "1.0000001",
            "$2",
            "2 ",
            "٣",
            "1.2.3",
            "nan",
            "9223372036854.775808",
            "99999999999999999999999",
        ] {
            assert_eq!(text.parse::<Usd>(), Err(NotUsd), "{text}");
        }
    }
}
