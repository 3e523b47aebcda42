//! Whether the memory of a number may be used for whoever calls now: tables of evidence, and what holds for any.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

use domain::{
    call::CallId,
    enrichment::{CachedLookup, Enrichment, Former, Line, Person},
    identity::{
        Attestation, Evidence, IdentityMode, Judgement,
        Recommendation::{self, Confirm, Use, Withhold},
        SILENCE_MS,
        Signal::{
            self, AttestationFailed, AttestationWeak, CarrierChanged, NamesDiffer, OwnerChanged, SharedLine, Silence,
        },
        StatedName, Trace,
    },
};
use proptest::prelude::*;
use uuid::Uuid;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const WEEK_MS: i64 = 7 * DAY_MS;

/// The caller is recalled then.
const NOW_MS: i64 = 2_000 * DAY_MS;

/// A name stated in each of these calls, a week apart, the last a week ago.
fn weekly(names: &[&str]) -> Trace {
    let calls = i64::try_from(names.len()).unwrap();
    let stated = (0..).zip(names).map(|(place, name)| StatedName {
        call_id: CallId(Uuid::from_u128(u128::try_from(place).unwrap())),
        at_ms: NOW_MS - (calls - place) * WEEK_MS,
        name: (*name).to_owned(),
    });
    Trace::new(stated.collect(), Some(NOW_MS - WEEK_MS), None)
}

fn judge(mode: IdentityMode, trace: &Trace, lookups: &[CachedLookup]) -> (Recommendation, Vec<Signal>) {
    judge_named(mode, trace, None, lookups, None)
}

fn judge_named(
    mode: IdentityMode,
    trace: &Trace,
    name: Option<&str>,
    lookups: &[CachedLookup],
    attestation: Option<Attestation>,
) -> (Recommendation, Vec<Signal>) {
    let judgement = Judgement::of(&Evidence {
        mode,
        now_ms: NOW_MS,
        trace,
        name,
        lookups,
        attestation,
    });
    (judgement.recommendation, judgement.signals)
}

/// A look-up that said something else until `until_ms`.
fn changed(carrier: [&str; 2], owner: [&str; 2], until_ms: i64) -> CachedLookup {
    let found = |place: usize| Enrichment {
        person: Some(Person {
            name: Some(owner[place].to_owned()),
            ..Person::default()
        }),
        phone: Some(Line {
            carrier: Some(carrier[place].to_owned()),
            line_type: Some("mobile".to_owned()),
        }),
        company: None,
    };
    CachedLookup {
        vendor: "twilio".to_owned(),
        fetched_at_ms: until_ms,
        found: found(1),
        former: Some(Former {
            found: found(0),
            until_ms,
        }),
    }
}

#[test]
fn names_tell_persons_apart() {
    let none: &[Signal] = &[];
    let table: [(&[&str], Recommendation, &[Signal]); 17] = [
        (&[], Use, none),
        (&["Ana Ruiz"], Use, none),
        (&["Ana Ruiz", "Ana", "Mrs Ruiz", "Ana Ruiz"], Use, none),
        (&["Pete", "Peter Miller", "Miller"], Use, none),
        (&["Jon", "John"], Use, none),
        // Two who have never been one: the second is not confirmed.
        (&["Ana Ruiz", "Tom Baker"], Withhold, &[NamesDiffer]),
        (&["Ana Ruiz", "Ana Ruiz", "Ana Ruiz", "Tom"], Withhold, &[NamesDiffer]),
        (&["Ana Ruiz", "Tom Ruiz"], Withhold, &[NamesDiffer]),
        // Named again, whoever it is: the memory is of two.
        (&["Ana Ruiz", "Tom Baker", "Ana Ruiz"], Confirm, &[NamesDiffer]),
        (&["Ana Ruiz", "Tom Baker", "Tom"], Confirm, &[NamesDiffer]),
        (
            &["Ana Ruiz", "Tom Baker", "Tom", "Mr Baker", "Tom Baker"],
            Confirm,
            &[NamesDiffer],
        ),
        (&["Ana Ruiz", "Tom Baker", "Tom", "Ana"], Confirm, &[NamesDiffer]),
        // A surname alone belongs to the one who had it last.
        (&["Ana Miller", "Peter Miller", "Miller"], Confirm, &[NamesDiffer]),
        (&["Miller", "Peter", "Peter Miller"], Use, none),
        // Three make a shared line.
        (
            &["Ana Ruiz", "Tom Baker", "Lee Chen"],
            Withhold,
            &[NamesDiffer, SharedLine],
        ),
        (
            &["Ana Ruiz", "Tom Baker", "Lee Chen", "Ana Ruiz"],
            Confirm,
            &[NamesDiffer, SharedLine],
        ),
        (&["Ana", "Tom", "Ana", "Tom", "Ana"], Confirm, &[NamesDiffer]),
    ];
    for (names, recommendation, signals) in table {
        for mode in [IdentityMode::Confirm, IdentityMode::Strict] {
            let judged = judge(mode, &weekly(names), &[]);
            assert_eq!(judged, (recommendation, signals.to_vec()), "{names:?} {mode:?}");
        }
        assert_eq!(judge(IdentityMode::Off, &weekly(names), &[]), (Use, Vec::new()));
    }
}

#[test]
fn the_operators_name_came_before_all() {
    for (given, names, expected) in [
        ("Ana Ruiz", &[][..], Use),
        ("Ana Ruiz", &["Ana"], Use),
        ("Ana Ruiz", &["Tom Baker"], Withhold),
        ("Ana Ruiz", &["Tom Baker", "Tom"], Confirm),
        ("Ana Ruiz", &["Tom Baker", "Ana"], Confirm),
        // The name that stands is one that was stated.
        ("Tom Baker", &["Ana Ruiz", "Tom Baker"], Withhold),
    ] {
        let judged = judge_named(IdentityMode::Strict, &weekly(names), Some(given), &[], None);
        assert_eq!(judged.0, expected, "{given} {names:?}");
    }
}

#[test]
fn silence_and_a_changed_line_tell_that_a_number_was_passed_on() {
    let silent = |days: i64| Trace::new(Vec::new(), Some(NOW_MS - days * DAY_MS), None);
    let at = NOW_MS - DAY_MS;
    let same = changed(["Verizon", "Verizon Wireless"], ["Ana Ruiz", "RUIZ ANA"], at);
    let carrier = changed(["Verizon", "AT&T"], ["Ana Ruiz", "Ana Ruiz"], at);
    let owner = changed(["Verizon", "Verizon"], ["Ana Ruiz", "Tom Baker"], at);
    let both = changed(["Verizon", "AT&T"], ["Ana Ruiz", "Tom Baker"], at);
    for (days, lookup, in_confirm, in_strict, signals) in [
        (90, &same, Use, Use, &[][..]),
        (91, &same, Confirm, Withhold, &[Silence]),
        (1000, &same, Confirm, Withhold, &[Silence]),
        (7, &carrier, Confirm, Confirm, &[CarrierChanged]),
        (7, &owner, Confirm, Confirm, &[OwnerChanged]),
        (7, &both, Withhold, Withhold, &[CarrierChanged, OwnerChanged]),
        (91, &carrier, Withhold, Withhold, &[Silence, CarrierChanged]),
        (91, &owner, Withhold, Withhold, &[Silence, OwnerChanged]),
    ] {
        for (mode, expected) in [(IdentityMode::Confirm, in_confirm), (IdentityMode::Strict, in_strict)] {
            let judged = judge(mode, &silent(days), std::slice::from_ref(lookup));
            assert_eq!(judged, (expected, signals.to_vec()), "{days} days, {mode:?}");
        }
    }
}

#[test]
fn a_name_that_fits_an_earlier_one_settles_what_happened_in_between() {
    let both = [changed(
        ["Verizon", "AT&T"],
        ["Ana Ruiz", "Tom Baker"],
        NOW_MS - 10 * DAY_MS,
    )];
    let returned = |names: &[&str]| {
        let mut trace = weekly(names);
        trace.returned_ms = Some(NOW_MS - 10 * DAY_MS);
        trace
    };
    // The names were stated 14 days and 7 days ago.
    assert_eq!(
        judge(IdentityMode::Strict, &returned(&["Ana Ruiz", "Ana"]), &both),
        (Use, vec![])
    );
    let after = judge(IdentityMode::Strict, &returned(&["Ana Ruiz"]), &both);
    assert_eq!(
        after,
        (Confirm, vec![Silence, CarrierChanged, OwnerChanged]),
        "not named before"
    );
    let mut before = weekly(&["Ana Ruiz", "Ana Ruiz", "Tom Baker"]);
    before.forget(CallId(Uuid::from_u128(2)));
    before.last_call_ms = Some(NOW_MS - 11 * DAY_MS);
    let before = judge(IdentityMode::Confirm, &before, &both);
    assert_eq!(
        before,
        (Withhold, vec![CarrierChanged, OwnerChanged]),
        "nobody called since"
    );
}

#[test]
fn what_the_client_attests_counts_for_this_call() {
    for (attestation, expected) in [
        (None, (Use, vec![])),
        (Some(Attestation::Vouched), (Use, vec![])),
        (Some(Attestation::Weak), (Confirm, vec![AttestationWeak])),
        (Some(Attestation::Failed), (Withhold, vec![AttestationFailed])),
    ] {
        let judged = judge_named(IdentityMode::Confirm, &weekly(&["Ana"]), None, &[], attestation);
        assert_eq!(judged, expected, "{attestation:?}");
    }
}

#[test]
fn a_firms_line_is_shared() {
    let lookup = CachedLookup {
        vendor: "twilio".to_owned(),
        fetched_at_ms: NOW_MS,
        found: Enrichment {
            phone: Some(Line {
                carrier: None,
                line_type: Some("toll_free".to_owned()),
            }),
            ..Enrichment::default()
        },
        former: None,
    };
    let judged = judge(IdentityMode::Strict, &weekly(&["Ana"]), &[lookup]);
    assert_eq!(judged, (Confirm, vec![SharedLine]));
}

fn any_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "Ana Ruiz",
        "Ana",
        "Ruiz",
        "Tom Baker",
        "Tom",
        "Thomas",
        "Baker",
        "Peter Miller",
        "Pete",
        "Miller",
        "Lee",
        "",
    ])
}

fn any_mode() -> impl Strategy<Value = IdentityMode> {
    prop::sample::select(IdentityMode::ALL.to_vec())
}

proptest! {
    #[test]
    fn saying_the_same_name_again_never_raises_the_recommendation(
        names in prop::collection::vec(any_name(), 1..12),
        mode in any_mode(),
    ) {
        let mut again = names.clone();
        again.push(names[names.len() - 1]);
        let (before, _) = judge(mode, &weekly(&names), &[]);
        let (after, _) = judge(mode, &weekly(&again), &[]);
        prop_assert!(after <= before, "{names:?}: {before:?}, then {after:?}");
    }

    #[test]
    fn one_persons_names_always_let_the_memory_be_used(
        names in prop::collection::vec(prop::sample::select(vec!["Tom Baker", "Tom", "Thomas Baker", "Mr Baker"]), 0..30),
        mode in any_mode(),
    ) {
        let mut stated = vec!["Thomas Baker"];
        stated.extend(names);
        prop_assert_eq!(judge(mode, &weekly(&stated), &[]), (Use, vec![]));
    }

    #[test]
    fn the_order_in_which_calls_are_reported_does_not_matter(
        names in prop::collection::vec(any_name(), 0..16),
        mode in any_mode(),
        seed in any::<u64>(),
    ) {
        let in_order = weekly(&names);
        let mut stated = in_order.names().to_vec();
        stated.sort_by_key(|name| (name.at_ms.cast_unsigned()).wrapping_mul(seed | 1));
        let shuffled = Trace::new(stated, in_order.last_call_ms, None);
        prop_assert_eq!(&shuffled, &in_order);
        prop_assert_eq!(judge(mode, &shuffled, &[]), judge(mode, &in_order, &[]));
    }

    #[test]
    fn off_says_nothing_and_silence_never_lowers_the_recommendation(
        names in prop::collection::vec(any_name(), 0..8),
        mode in any_mode(),
        silent_ms in 0..4 * SILENCE_MS,
    ) {
        let now = weekly(&names);
        let mut silent = now.clone();
        silent.last_call_ms = Some(NOW_MS - silent_ms);
        let (spoken, _) = judge(mode, &now, &[]);
        let (after, signals) = judge(mode, &silent, &[]);
        prop_assert!(after >= spoken);
        prop_assert_eq!(signals.contains(&Silence), silent_ms > SILENCE_MS && mode != IdentityMode::Off);
        prop_assert!(mode != IdentityMode::Off || after == Use);
    }
}
