//! Which vendors are worth asking, given what the cache holds.

use super::{Blocks, CachedLookup, Ttl};

/// What is known of a number before anybody is asked.
#[derive(Debug, Clone, Copy)]
pub struct CachedLookups<'a> {
    lookups: &'a [CachedLookup],
    ttl: Ttl,
    now_ms: i64,
    fresh: Blocks,
    held: Blocks,
}

/// Whether a vendor is to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It can add nothing that is missing or stale, or its own answer is still fresh.
    Nothing,
    /// What it can add is there but stale: ask it, without making the caller wait.
    Refresh,
    /// It may fill a block that nobody has filled: ask it, and wait.
    Answer,
}

impl<'a> CachedLookups<'a> {
    /// Takes stock of `lookups` at `now_ms`, in milliseconds since the epoch.
    #[must_use]
    pub fn new(lookups: &'a [CachedLookup], ttl: Ttl, now_ms: i64) -> Self {
        let filled_by = |only_fresh: bool| {
            lookups
                .iter()
                .filter(|lookup| !only_fresh || lookup.is_fresh(ttl, now_ms))
                .fold(Blocks::NONE, |blocks, lookup| blocks.union(lookup.found.blocks()))
        };
        Self {
            lookups,
            ttl,
            now_ms,
            fresh: filled_by(true),
            held: filled_by(false),
        }
    }

    /// Whether `vendor`, which can fill `fills`, is to be asked.
    #[must_use]
    pub fn need(&self, vendor: &str, fills: Blocks) -> Need {
        let wanted = fills.without(self.fresh);
        let has_answered = self
            .lookups
            .iter()
            .any(|lookup| lookup.vendor == vendor && lookup.is_fresh(self.ttl, self.now_ms));
        if wanted.is_empty() || has_answered {
            Need::Nothing
        } else if wanted.without(self.held).is_empty() {
            Need::Refresh
        } else {
            Need::Answer
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enrichment::{Block, Enrichment, Line, Person};

    const NOW_MS: i64 = 1_790_856_000_000;
    const TTL: Ttl = Ttl {
        hit_ms: 1000,
        miss_ms: 100,
    };
    const PHONE: Blocks = Blocks::NONE.with(Block::Phone);
    const PERSON: Blocks = Blocks::NONE.with(Block::Person);

    fn lookup(vendor: &str, age_ms: i64, blocks: Blocks) -> CachedLookup {
        CachedLookup {
            vendor: vendor.to_owned(),
            fetched_at_ms: NOW_MS - age_ms,
            found: Enrichment {
                person: blocks.contains(Block::Person).then(Person::default),
                phone: blocks.contains(Block::Phone).then(Line::default),
                company: None,
            },
            former: None,
        }
    }

    #[test]
    fn with_nothing_known_every_vendor_is_needed() {
        let known = CachedLookups::new(&[], TTL, NOW_MS);
        assert_eq!(known.need("twilio", PHONE), Need::Answer);
        assert_eq!(known.need("idle", Blocks::NONE), Need::Nothing);
    }

    #[test]
    fn a_fresh_block_needs_nobody_else() {
        let lookups = [lookup("twilio", 10, PHONE)];
        let known = CachedLookups::new(&lookups, TTL, NOW_MS);
        assert_eq!(
            known.need("twilio", PHONE.union(PERSON)),
            Need::Nothing,
            "it has said what it knows"
        );
        assert_eq!(known.need("telnyx", PHONE), Need::Nothing);
        assert_eq!(known.need("trestle", PHONE.union(PERSON)), Need::Answer);
    }

    #[test]
    fn a_stale_block_is_refreshed_without_waiting() {
        let lookups = [lookup("twilio", 5000, PHONE)];
        let known = CachedLookups::new(&lookups, TTL, NOW_MS);
        assert_eq!(known.need("twilio", PHONE), Need::Refresh);
        assert_eq!(known.need("trestle", PHONE.union(PERSON)), Need::Answer);
    }

    #[test]
    fn a_miss_counts_until_its_own_shorter_time() {
        let lookups = [lookup("pdl", 99, Blocks::NONE)];
        assert_eq!(
            CachedLookups::new(&lookups, TTL, NOW_MS).need("pdl", PERSON),
            Need::Nothing
        );
        assert_eq!(
            CachedLookups::new(&lookups, TTL, NOW_MS + 1).need("pdl", PERSON),
            Need::Answer
        );
    }
}
