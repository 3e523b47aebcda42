//! What look-ups cost, and how much a tenant lets them cost.

use std::{collections::BTreeMap, fmt, str::FromStr};

use async_trait::async_trait;
use chrono::{Datelike, NaiveDate};

use super::AdminError;
use crate::{access::TenantId, context::Deadline, error::PortError};

/// A day in UTC, as days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

/// The text is not a day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a day; write it as 2026-11-21")]
pub struct UnknownDay(pub String);

impl Day {
    /// The day of a time in milliseconds since the epoch.
    #[must_use]
    pub fn of_ms(ms: i64) -> Self {
        let days = ms.div_euclid(24 * 60 * 60 * 1000);
        Self(i32::try_from(days).unwrap_or(if days < 0 { i32::MIN } else { i32::MAX }))
    }
}

impl fmt::Display for Day {
    /// Writes `2026-11-21`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NaiveDate::from_epoch_days(self.0).filter(|date| (0..=9999).contains(&date.year())) {
            Some(date) => date.fmt(f),
            None => write!(f, "day {}", self.0),
        }
    }
}

impl FromStr for Day {
    type Err = UnknownDay;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
        date.map(|date| Self(date.to_epoch_days()))
            .ok_or_else(|| UnknownDay(text.to_owned()))
    }
}

/// One paid request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purchase {
    /// For whom.
    pub tenant: TenantId,
    /// The vendor's short name.
    pub vendor: String,
    /// On which day.
    pub day: Day,
    /// Its price in micro-dollars; 0 when the operator gave none.
    pub price_micro_usd: u64,
}

/// What a tenant allows for one day, all vendors together; `None` is no cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DailyCaps {
    /// Paid requests.
    pub lookups: Option<u64>,
    /// Their price, in micro-dollars.
    pub spend_micro_usd: Option<u64>,
}

/// Somebody wants to buy for a tenant that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no tenant {0}")]
pub struct NoSuchTenant(pub TenantId);

/// Counts paid requests. This is all that serving needs.
///
/// Implementations MUST:
/// 1. return by the deadline with [`PortError::Unavailable`] when the work is not done by then, and be safe to cancel:
///    a cancelled reservation is counted or not, never twice;
/// 2. count a purchase exactly once when they return `true`, and not at all when they return `false`;
/// 3. return `false` exactly when the purchase would take the tenant's day above one of its caps, as they are at that
///    moment;
/// 4. hold the caps against any number of simultaneous purchases, from any number of processes;
/// 5. keep tenants, vendors and days apart: caps are of one tenant and one day, counts of one vendor as well;
/// 6. refuse a purchase for a tenant that does not exist, with [`PortError::Internal`] and [`NoSuchTenant`] as its
///    cause, and count nothing.
#[async_trait]
pub trait SpendLedger: Send + Sync {
    /// Counts a purchase that is about to be made, unless a cap forbids it; whether it may be made.
    async fn reserve(&self, purchase: &Purchase, deadline: Deadline) -> Result<bool, PortError>;
}

/// What was bought from one vendor for one tenant on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The tenant's name.
    pub tenant: String,
    /// The vendor's short name.
    pub vendor: String,
    /// The day.
    pub day: Day,
    /// Paid requests sent.
    pub lookups: u64,
    /// Their price, in micro-dollars.
    pub spend_micro_usd: u64,
}

/// What becomes of one cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CapChange {
    /// It stays as it is.
    #[default]
    Keep,
    /// There is none from now on.
    Lift,
    /// It is this from now on; a store may keep what is above [`i64::MAX`] as that.
    Set(u64),
}

impl CapChange {
    /// The cap after this change to `cap`.
    #[must_use]
    pub fn apply(self, cap: Option<u64>) -> Option<u64> {
        match self {
            Self::Keep => cap,
            Self::Lift => None,
            Self::Set(to) => Some(to),
        }
    }
}

/// What becomes of a tenant's caps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CapChanges {
    /// Paid requests a day.
    pub lookups: CapChange,
    /// Their price a day, in micro-dollars.
    pub spend_micro_usd: CapChange,
}

impl CapChanges {
    /// The caps after these changes to `caps`.
    #[must_use]
    pub fn apply(self, caps: DailyCaps) -> DailyCaps {
        DailyCaps {
            lookups: self.lookups.apply(caps.lookups),
            spend_micro_usd: self.spend_micro_usd.apply(caps.spend_micro_usd),
        }
    }
}

/// Reads the counts and sets the caps; the command line works through it.
///
/// Implementations MUST return by the deadline, be safe to cancel, and do each method as one unit or not at all.
#[async_trait]
pub trait SpendAdmin: Send + Sync {
    /// Everything counted since the day `since`, of all tenants or the one named, by day, tenant and vendor.
    ///
    /// # Errors
    /// [`AdminError::UnknownTenant`] when there is no tenant of this name.
    async fn usage(&self, tenant: Option<String>, since: Day, deadline: Deadline) -> Result<Vec<Usage>, AdminError>;

    /// Changes a tenant's caps, and returns them as they are then. The next purchase is held against them.
    ///
    /// # Errors
    /// [`AdminError::UnknownTenant`] when there is no tenant of this name.
    async fn change_caps(&self, tenant: &str, changes: CapChanges, deadline: Deadline)
    -> Result<DailyCaps, AdminError>;

    /// The caps of every tenant that has any, by the tenant's name.
    ///
    /// # Errors
    /// [`AdminError::Port`] when the store failed.
    async fn caps(&self, deadline: Deadline) -> Result<BTreeMap<String, DailyCaps>, AdminError>;
}

#[cfg(test)]
mod tests {
    use super::Day;

    #[test]
    fn days_begin_at_midnight_utc_and_read_as_they_are_written() {
        let day = Day::of_ms(1_790_856_000_000);
        assert_eq!(day.to_string(), "2026-10-01");
        assert_eq!("2026-10-01".parse(), Ok(day));
        assert_eq!(Day::of_ms(0).to_string(), "1970-01-01");
        assert_eq!(Day::of_ms(-1).to_string(), "1969-12-31");
        assert_eq!(Day::of_ms(86_399_999), Day(0));
        assert_eq!(Day::of_ms(86_400_000), Day(1));
        for text in ["", "2026", "2026-13-01", "2026-02-30", "yesterday", "2026-10-01T00:00"] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
        assert!(!Day(i32::MAX).to_string().is_empty());
    }
}
