//! The clauses of [`EnrichmentCache`].

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    access::TenantId,
    enrichment::{CachedLookup, Enrichment, Line, Person},
    memory::Recollection,
    phone::PhoneNumber,
    port::{CallerMemory, EnrichmentCache},
};

use super::{EnrichmentCacheFixture, GRACE, at_once, is_unavailable, promptly};
use crate::sample::{NOW_MS, ample, lookup, number, passed, query, within};

/// One tenant's view of the cache and of the memory that shows it.
#[derive(Clone)]
struct View {
    cache: Arc<dyn EnrichmentCache>,
    memory: Arc<dyn CallerMemory>,
    tenant: TenantId,
}

impl View {
    fn first(fixture: &EnrichmentCacheFixture) -> Self {
        Self {
            cache: Arc::clone(&fixture.cache),
            memory: Arc::clone(&fixture.memory),
            tenant: fixture.tenants[0],
        }
    }

    fn second(fixture: &EnrichmentCacheFixture) -> Self {
        Self {
            tenant: fixture.tenants[1],
            ..Self::first(fixture)
        }
    }

    async fn store(&self, number: &PhoneNumber, lookup: &CachedLookup) {
        let stored = self.cache.store_lookup(self.tenant, number, lookup, ample()).await;
        stored.expect("a healthy cache stores");
    }

    async fn recall(&self, number: &PhoneNumber) -> Recollection {
        let read = self.memory.recall(self.tenant, &query(number, NOW_MS), ample()).await;
        read.expect("a healthy memory recalls")
    }

    /// The look-ups that a recall of the number shows, by vendor; reading them alone must show the same.
    async fn shown(&self, number: &PhoneNumber) -> Vec<CachedLookup> {
        let mut lookups = self.recall(number).await.lookups;
        lookups.sort_by(|a, b| a.vendor.cmp(&b.vendor));
        let read = self.cache.lookups(self.tenant, number, ample()).await;
        let mut read = read.expect("a healthy cache reads");
        read.sort_by(|a, b| a.vendor.cmp(&b.vendor));
        assert!(read == lookups, "a recall and a reading show different look-ups");
        lookups
    }
}

/// An answer of `vendor` that can be told from others by its carrier.
fn told_apart(vendor: &str, fetched_at_ms: i64, carrier: &str) -> CachedLookup {
    let mut lookup = lookup(vendor, fetched_at_ms);
    lookup.found.phone = Some(Line {
        carrier: Some(carrier.to_owned()),
        line_type: None,
    });
    lookup
}

/// MUST 3, and `recall` MUST 5: what was stored is shown to later recalls in every field, of any age.
pub async fn a_stored_look_up_is_shown_exactly(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    for (i, fetched_at_ms) in [0, 1, NOW_MS, NOW_MS + 86_400_000].into_iter().enumerate() {
        let stored = lookup("twilio", fetched_at_ms);
        view.store(&number(i), &stored).await;
        for _ in 0..2 {
            assert_eq!(view.shown(&number(i)).await, std::slice::from_ref(&stored));
        }
    }
}

/// MUST 3: empty blocks and empty fields come back as they were; an answer without any block is a miss and is kept too.
pub async fn partial_answers_and_misses_are_kept(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    let name = |name: &str| Person {
        name: Some(name.to_owned()),
        ..Person::default()
    };
    let answers = [
        Enrichment::default(),
        Enrichment {
            person: Some(name("Maren Okafor")),
            ..Enrichment::default()
        },
        Enrichment {
            person: Some(Person::default()),
            ..Enrichment::default()
        },
        Enrichment {
            person: Some(name("")),
            phone: Some(Line {
                carrier: None,
                line_type: Some("fixed_voip".to_owned()),
            }),
            ..Enrichment::default()
        },
    ];
    for (i, found) in answers.into_iter().enumerate() {
        let stored = CachedLookup {
            vendor: "trestle".to_owned(),
            fetched_at_ms: NOW_MS,
            found,
            former: None,
        };
        view.store(&number(i), &stored).await;
        assert_eq!(view.shown(&number(i)).await, [stored]);
    }
}

/// MUST 3: the answers of several vendors stand side by side.
pub async fn vendors_stand_side_by_side(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    let (telnyx, twilio) = (lookup("telnyx", NOW_MS), lookup("twilio", NOW_MS - 5));
    view.store(&number(0), &twilio).await;
    view.store(&number(0), &telnyx).await;
    assert_eq!(view.shown(&number(0)).await, [telnyx, twilio]);
}

/// MUST 2: a newer answer of the same vendor replaces the older one as a whole, a hit by a miss included.
pub async fn a_newer_answer_replaces_an_older_one(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    view.store(&number(0), &lookup("twilio", NOW_MS)).await;
    let miss = CachedLookup {
        vendor: "twilio".to_owned(),
        fetched_at_ms: NOW_MS + 1,
        found: Enrichment::default(),
        former: None,
    };
    view.store(&number(0), &miss).await;
    let shown = view.shown(&number(0)).await.remove(0);
    assert_eq!((shown.found, shown.fetched_at_ms), (miss.found, miss.fetched_at_ms));
    let hit = lookup("twilio", NOW_MS + 2);
    view.store(&number(0), &hit).await;
    let shown = view.shown(&number(0)).await.remove(0);
    assert_eq!((shown.found, shown.fetched_at_ms), (hit.found, hit.fetched_at_ms));
}

/// MUST 5: what an answer replaced is remembered with it, through misses and repetitions.
pub async fn an_answer_remembers_what_it_replaced(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    let miss = CachedLookup {
        found: Enrichment::default(),
        ..told_apart("twilio", NOW_MS + 3, "")
    };
    let answers = [
        told_apart("twilio", NOW_MS, "first"),
        told_apart("twilio", NOW_MS + 1, "first"),
        told_apart("twilio", NOW_MS + 2, "second"),
        miss,
        told_apart("twilio", NOW_MS + 4, "second"),
        told_apart("twilio", NOW_MS + 5, "third"),
    ];
    let mut expected: Option<CachedLookup> = None;
    for answer in answers {
        view.store(&number(0), &answer).await;
        let stored = match expected {
            Some(former) => answer.replacing(former),
            None => answer,
        };
        assert_eq!(view.shown(&number(0)).await, std::slice::from_ref(&stored));
        expected = Some(stored);
    }
    view.store(&number(0), &told_apart("twilio", NOW_MS, "older")).await;
    assert_eq!(
        view.shown(&number(0)).await,
        expected.as_slice(),
        "an older answer replaces nothing"
    );
}

/// MUST 2: an older answer never replaces a newer one, in whatever order they are stored.
pub async fn an_older_answer_never_replaces_a_newer_one(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    let newer = told_apart("twilio", NOW_MS, "newer");
    view.store(&number(0), &newer).await;
    view.store(&number(0), &told_apart("twilio", NOW_MS - 1, "older")).await;
    assert_eq!(view.shown(&number(0)).await, [newer]);

    at_once((0..25).map(|i| {
        let view = view.clone();
        async move {
            let answer = told_apart("twilio", NOW_MS + i, &format!("answer {i}"));
            view.store(&number(1), &answer).await;
        }
    }))
    .await;
    let shown = view.shown(&number(1)).await.remove(0);
    let newest = told_apart("twilio", NOW_MS + 24, "answer 24");
    assert_eq!((shown.found, shown.fetched_at_ms), (newest.found, newest.fetched_at_ms));
}

/// MUST 2 and 3: an answer is shown for its own number only, and leaves those of other numbers alone.
pub async fn look_ups_stay_with_their_number(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    let (first, second) = (
        told_apart("twilio", NOW_MS, "first"),
        told_apart("twilio", NOW_MS + 1, "second"),
    );
    view.store(&number(0), &first).await;
    view.store(&number(1), &second).await;
    assert_eq!(view.shown(&number(0)).await, [first]);
    assert_eq!(view.shown(&number(1)).await, [second]);
    assert!(view.shown(&number(2)).await.is_empty());
}

/// MUST 2 and 3: an answer is shown to its own tenant only, and leaves those of other tenants alone.
pub async fn look_ups_stay_in_their_tenant(fixture: &EnrichmentCacheFixture) {
    let (own, other) = (View::first(fixture), View::second(fixture));
    let ours = told_apart("twilio", NOW_MS, "ours");
    own.store(&number(0), &ours).await;
    assert!(other.shown(&number(0)).await.is_empty());
    let theirs = told_apart("twilio", NOW_MS + 1_000, "theirs");
    other.store(&number(0), &theirs).await;
    assert_eq!(own.shown(&number(0)).await, [ours]);
    assert_eq!(other.shown(&number(0)).await, [theirs]);
}

/// MUST 4: storing an answer creates no caller, so the first contact is still one; it sees the answer.
pub async fn storing_creates_no_caller(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    let stored = lookup("twilio", NOW_MS);
    view.store(&number(0), &stored).await;
    let caller = view.memory.caller(view.tenant, &number(0), ample()).await;
    assert!(matches!(caller, Ok(None)), "nobody called yet: {caller:?}");
    let read = view.recall(&number(0)).await;
    assert!(!read.known);
    assert_eq!(read.lookups, [stored]);
    assert_eq!(read.memory_changed_ms, None, "a look-up is no memory of the caller");
}

/// MUST 3: names and addresses survive any text.
pub async fn look_ups_survive_any_text(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    let texts = [
        "O'Brien \"Bobby\" \\ Tables'); --",
        "Łukasz Żółć 王小明 محمد שרה 👩\u{200d}🔧",
        "e\u{301}\u{200b}\u{202e}x\u{202c}\u{feff}\u{10ffff}\u{1}\n\t",
        "{\"name\": null}",
    ];
    for (i, text) in texts.into_iter().enumerate() {
        let mut stored = told_apart("pdl", NOW_MS, text);
        stored.found.person = Some(Person {
            name: Some(text.to_owned()),
            title: Some(text.repeat(500)),
            company: Some(String::new()),
        });
        view.store(&number(i), &stored).await;
        assert!(
            view.shown(&number(i)).await == [stored],
            "look-up {i} came back changed"
        );
    }
}

/// MUST 1: with a deadline that has passed, the method says so promptly; with a tight one, it returns by it.
pub async fn store_lookup_keeps_its_deadline(fixture: &EnrichmentCacheFixture) {
    let view = View::first(fixture);
    let (caller, answer) = (number(0), lookup("twilio", NOW_MS));
    let late = view.cache.store_lookup(view.tenant, &caller, &answer, passed());
    let stored = promptly("store_lookup", late).await;
    assert!(
        is_unavailable(&stored),
        "store_lookup with a passed deadline: {stored:?}"
    );

    for (i, micros) in [50, 200, 500, 1_000, 5_000].into_iter().enumerate() {
        let (caller, time) = (number(i), Duration::from_micros(micros));
        let began = Instant::now();
        let tight = view.cache.store_lookup(view.tenant, &caller, &answer, within(time));
        let stored = tight.await;
        assert!(began.elapsed() < time + GRACE, "store_lookup is late");
        assert!(
            stored.is_ok() || is_unavailable(&stored),
            "a missed deadline is {stored:?}"
        );
        view.store(&caller, &answer).await;
        assert_eq!(
            view.shown(&caller).await,
            std::slice::from_ref(&answer),
            "the retry is stored"
        );
    }
}

/// Expands to the contract suite of [`EnrichmentCache`]: a module with one test for each clause.
///
/// The fixture is a future that gives `Option<`[`EnrichmentCacheFixture`]`>`; see
/// [`contract`](crate::contract) for how fixtures are built.
#[macro_export]
macro_rules! enrichment_cache_contract {
    ($module:ident, $fixture:expr $(,)?) => {
        $crate::contract_tests! {
            $module, $fixture, enrichment_cache:
            a_stored_look_up_is_shown_exactly,
            partial_answers_and_misses_are_kept,
            vendors_stand_side_by_side,
            a_newer_answer_replaces_an_older_one,
            an_answer_remembers_what_it_replaced,
            an_older_answer_never_replaces_a_newer_one,
            look_ups_stay_with_their_number,
            look_ups_stay_in_their_tenant,
            storing_creates_no_caller,
            look_ups_survive_any_text,
            store_lookup_keeps_its_deadline,
        }
    };
}
