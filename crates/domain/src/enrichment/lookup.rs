//! A look-up: what a vendor told, how it ended, and for how long it is good.

use std::fmt;

/// The person behind a number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Person {
    /// Full name.
    pub name: Option<String>,
    /// Job title.
    pub title: Option<String>,
    /// Employer.
    pub company: Option<String>,
}

/// The company behind a number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Company {
    /// Company name.
    pub name: Option<String>,
    /// Postal address in one line.
    pub address: Option<String>,
}

/// The line itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The carrier that serves the line.
    pub carrier: Option<String>,
    /// The line type in the spelling of [`canonical`](super::line_type::canonical), for example `mobile` or
    /// `fixed_voip`.
    pub line_type: Option<String>,
}

/// The blocks that look-ups fill; a block is `None` when nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enrichment {
    /// The person behind the number.
    pub person: Option<Person>,
    /// The company behind the number.
    pub company: Option<Company>,
    /// The line itself.
    pub phone: Option<Line>,
}

impl Enrichment {
    /// Whether no block is filled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.person.is_none() && self.company.is_none() && self.phone.is_none()
    }

    /// The blocks that are filled.
    #[must_use]
    pub fn blocks(&self) -> Blocks {
        let filled = [
            (Block::Person, self.person.is_some()),
            (Block::Company, self.company.is_some()),
            (Block::Phone, self.phone.is_some()),
        ];
        filled
            .into_iter()
            .filter(|(_, is_filled)| *is_filled)
            .fold(Blocks::NONE, |blocks, (block, _)| blocks.with(block))
    }
}

/// A vendor's answer as the cache keeps it. Only complete answers are kept: a hit or a miss, never a partial one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedLookup {
    /// The vendor's short name, for example `twilio`; lower-case ASCII.
    pub vendor: String,
    /// When the vendor answered, in milliseconds since the epoch.
    pub fetched_at_ms: i64,
    /// What it said; an empty one is a miss.
    pub found: Enrichment,
    /// What it had said before, when that was something else.
    pub former: Option<Former>,
}

/// A vendor's answer that another one replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Former {
    /// What the vendor said; never empty.
    pub found: Enrichment,
    /// When the answer came that replaced it, in milliseconds since the epoch.
    pub until_ms: i64,
}

impl CachedLookup {
    /// The look-up in place of `stored`, which it remembers when that said something else. Of a miss nothing is
    /// remembered but what it had replaced.
    #[must_use]
    pub fn replacing(self, stored: Self) -> Self {
        let former = if stored.found.is_empty() || stored.found == self.found {
            stored.former
        } else {
            Some(Former {
                found: stored.found,
                until_ms: self.fetched_at_ms,
            })
        };
        Self { former, ..self }
    }

    /// Whether the answer is young enough to save a look-up. Stamps of another machine whose clock is ahead count as
    /// young only within the same time, so that a wrong clock cannot keep an answer for ever.
    #[must_use]
    pub fn is_fresh(&self, ttl: Ttl, now_ms: i64) -> bool {
        let ttl_ms = if self.found.is_empty() { ttl.miss_ms } else { ttl.hit_ms };
        now_ms.abs_diff(self.fetched_at_ms) < ttl_ms
    }
}

/// For how long an answer saves a look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ttl {
    /// An answer that filled a block, in milliseconds.
    pub hit_ms: u64,
    /// An answer that the vendor knows nothing, in milliseconds.
    pub miss_ms: u64,
}

impl Ttl {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
}

impl Default for Ttl {
    /// Thirty days for hits, one day for misses.
    fn default() -> Self {
        Self {
            hit_ms: 30 * Self::DAY_MS,
            miss_ms: Self::DAY_MS,
        }
    }
}

/// One of the three parts of an [`Enrichment`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Block {
    /// [`Enrichment::person`].
    Person,
    /// [`Enrichment::company`].
    Company,
    /// [`Enrichment::phone`].
    Phone,
}

/// A set of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Blocks(u8);

impl Blocks {
    /// No block.
    pub const NONE: Self = Self(0);
    /// Every block.
    pub const ALL: Self = Self::NONE.with(Block::Person).with(Block::Company).with(Block::Phone);

    /// The set with `block` in it.
    #[must_use]
    pub const fn with(self, block: Block) -> Self {
        Self(self.0 | 1 << block as u8)
    }

    /// Whether `block` is in the set.
    #[must_use]
    pub const fn contains(self, block: Block) -> bool {
        self.0 & (1 << block as u8) != 0
    }

    /// The blocks of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The blocks of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set has no block.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [Block::Person, Block::Company, Block::Phone];
        f.debug_set()
            .entries(all.into_iter().filter(|block| self.contains(*block)))
            .finish()
    }
}

/// How a look-up at a vendor ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupOutcome {
    /// The vendor filled at least one block and has nothing more to say.
    Hit(Enrichment),
    /// The vendor filled at least one block but could not reach a source for the rest. What it did not fill is unknown,
    /// so the answer is shown and not cached.
    Partial(Enrichment),
    /// The vendor knows nothing of this number.
    Miss,
    /// The vendor does not accept the number.
    Invalid,
    /// No usable answer this time: late, out of order, too many requests, unreadable.
    Transient,
    /// The vendor refuses the account: key, plan, quota or balance. Asking again is pointless until somebody mends
    /// that.
    Denied,
}

impl LookupOutcome {
    /// A hit, or a miss when no block is filled.
    #[must_use]
    pub fn complete(found: Enrichment) -> Self {
        if found.is_empty() { Self::Miss } else { Self::Hit(found) }
    }

    /// A partial answer, or a transient failure when no block is filled.
    #[must_use]
    pub fn partial(found: Enrichment) -> Self {
        if found.is_empty() {
            Self::Transient
        } else {
            Self::Partial(found)
        }
    }

    /// The outcome's name in metrics and logs.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Hit(_) => "hit",
            Self::Partial(_) => "partial",
            Self::Miss => "miss",
            Self::Invalid => "invalid",
            Self::Transient => "transient",
            Self::Denied => "denied",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_sets_hold_what_was_put_in() {
        let set = Blocks::NONE.with(Block::Phone).with(Block::Person);
        assert!(set.contains(Block::Phone) && set.contains(Block::Person) && !set.contains(Block::Company));
        assert_eq!(Blocks::ALL.without(set), Blocks::NONE.with(Block::Company));
        assert_eq!(set.union(Blocks::NONE.with(Block::Company)), Blocks::ALL);
        assert!(Blocks::NONE.is_empty() && !set.is_empty());
        assert_eq!(format!("{set:?}"), "{Person, Phone}");
    }

    #[test]
    fn an_answer_remembers_what_it_replaced_and_a_miss_nothing_of_its_own() {
        let answer = |fetched_at_ms, carrier: Option<&str>| CachedLookup {
            vendor: "twilio".to_owned(),
            fetched_at_ms,
            found: Enrichment {
                phone: carrier.map(|carrier| Line {
                    carrier: Some(carrier.to_owned()),
                    line_type: None,
                }),
                ..Enrichment::default()
            },
            former: None,
        };
        let former = |lookup: &CachedLookup| {
            let line = |former: &Former| former.found.phone.clone().and_then(|line| line.carrier);
            lookup.former.as_ref().map(|former| (line(former), former.until_ms))
        };
        let first = answer(1, Some("one"));
        let again = answer(2, Some("one")).replacing(first);
        assert_eq!(former(&again), None);
        let miss = answer(3, None).replacing(again);
        assert_eq!(former(&miss), Some((Some("one".to_owned()), 3)));
        let other = answer(4, Some("two")).replacing(miss);
        assert_eq!(former(&other), Some((Some("one".to_owned()), 3)));
        let third = answer(5, Some("three")).replacing(other);
        assert_eq!(former(&third), Some((Some("two".to_owned()), 5)));
    }

    #[test]
    fn a_hit_lives_longer_than_a_miss_and_a_wrong_clock_keeps_nothing_for_ever() {
        let ttl = Ttl {
            hit_ms: 1000,
            miss_ms: 10,
        };
        let hit = CachedLookup {
            vendor: "twilio".to_owned(),
            fetched_at_ms: 50_000,
            found: Enrichment {
                phone: Some(Line::default()),
                ..Enrichment::default()
            },
            former: None,
        };
        let miss = CachedLookup {
            found: Enrichment::default(),
            ..hit.clone()
        };
        assert!(hit.is_fresh(ttl, 50_999) && !hit.is_fresh(ttl, 51_000));
        assert!(miss.is_fresh(ttl, 50_009) && !miss.is_fresh(ttl, 50_010));
        assert!(hit.is_fresh(ttl, 49_500), "another machine's clock may be ahead");
        assert!(!hit.is_fresh(ttl, 40_000), "but not by more than the time to live");
    }
}
