//! Every decoder against every recorded answer, cut, mutated and mismatched: none panics, and none says something
//! empty.
//!
//! The same is fuzzed with `cargo fuzz run decoders`; see `fuzz/`.

#![expect(clippy::expect_used, reason = "an expectation that fails is how a test fails")]

use std::{collections::BTreeMap, fs, path::Path};

use adapters_enrichment::{pdl, telnyx, trestle, twilio, webhook};
use domain::enrichment::{Enrichment, LookupOutcome};
use proptest::prelude::*;

const STATUSES: [u16; 14] = [0, 200, 204, 301, 400, 401, 402, 403, 404, 422, 429, 500, 503, 999];

fn decode_all(status: u16, body: &[u8]) -> [LookupOutcome; 5] {
    [
        twilio::decode(status, body),
        trestle::decode(status, body),
        telnyx::decode(status, body),
        pdl::decode(status, body, 6),
        webhook::decode(status, body),
    ]
}

fn assert_sound(status: u16, body: &[u8]) {
    for outcome in decode_all(status, body) {
        if let LookupOutcome::Hit(found) | LookupOutcome::Partial(found) = outcome {
            assert!(!found.is_empty(), "a hit fills a block");
            for text in texts(&found) {
                let is_clean = !text.is_empty() && text.chars().count() <= 210 && !text.chars().any(char::is_control);
                assert!(is_clean || text.contains(", "), "{text:?}");
            }
        }
    }
}

fn texts(found: &Enrichment) -> Vec<&str> {
    let person = found
        .person
        .iter()
        .flat_map(|person| [&person.name, &person.title, &person.company]);
    let company = found
        .company
        .iter()
        .flat_map(|company| [&company.name, &company.address]);
    let phone = found.phone.iter().flat_map(|phone| [&phone.carrier, &phone.line_type]);
    let texts = person.chain(company).chain(phone);
    texts.filter_map(|text| text.as_deref()).collect()
}

fn corpus() -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"));
    let entries = fs::read_dir(folder).expect("the fixtures are there");
    let corpus: BTreeMap<_, _> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.display().to_string(), fs::read(&path).expect("a fixture")))
        .collect();
    assert!(corpus.len() >= 50);
    corpus
}

#[test]
fn no_decoder_panics_on_any_recorded_answer_with_any_status_or_cut_anywhere() {
    for body in corpus().values() {
        for status in STATUSES {
            assert_sound(status, body);
        }
        for end in 0..body.len() {
            assert_sound(200, &body[..end]);
        }
    }
}

#[test]
fn a_refusal_is_told_from_the_lack_of_an_answer() {
    let [twilio, trestle, telnyx, pdl, webhook] = decode_all(200, br#"{"errors":[{"code":"10009"}]}"#);
    assert_eq!(
        [twilio, trestle, pdl],
        [const { LookupOutcome::Transient }; 3],
        "not this vendor's form"
    );
    assert_eq!(telnyx, LookupOutcome::Denied);
    assert_eq!(webhook, LookupOutcome::Miss, "any object may be the operator's");
}

/// JSON values that vendors do not send where a text, a list or an object is expected.
const ODD: [&str; 12] = [
    "null",
    "true",
    "false",
    "0",
    "-1e308",
    "\"\"",
    "\"N/A\"",
    "[]",
    "{}",
    "[[\"x\"]]",
    "\"\\u0000\\u202e\"",
    "[{\"type\":\"Person\"}]",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_decoder_panics_on_any_bytes(status in any::<u16>(), body in proptest::collection::vec(any::<u8>(), 0..400)) {
        assert_sound(status, &body);
    }

    #[test]
    fn no_decoder_panics_on_a_mutated_answer(
        pick in any::<prop::sample::Index>(),
        status in prop::sample::select(&STATUSES),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let corpus = corpus();
        let bodies: Vec<_> = corpus.values().collect();
        let mut body = (*pick.get(&bodies)).clone();
        for (at, byte) in edits {
            let at = at.index(body.len());
            body[at] = byte;
        }
        assert_sound(status, &body);
    }

    #[test]
    fn no_decoder_panics_when_values_change_their_type(
        pick in any::<prop::sample::Index>(),
        swaps in proptest::collection::vec((any::<prop::sample::Index>(), prop::sample::select(&ODD)), 1..4),
    ) {
        let corpus = corpus();
        let bodies: Vec<_> = corpus.values().collect();
        let body = pick.get(&bodies).as_slice();
        let mut json: serde_json::Value = serde_json::from_slice(body).expect("a fixture is JSON");
        for (at, odd) in swaps {
            let odd = serde_json::from_str(odd).expect("JSON");
            let count = count(&json);
            replace(&mut json, &mut at.index(count), odd);
        }
        assert_sound(200, json.to_string().as_bytes());
    }
}

fn children(json: &mut serde_json::Value) -> Vec<&mut serde_json::Value> {
    match json {
        serde_json::Value::Object(fields) => fields.values_mut().collect(),
        serde_json::Value::Array(items) => items.iter_mut().collect(),
        _ => Vec::new(),
    }
}

fn count(json: &serde_json::Value) -> usize {
    let below: usize = match json {
        serde_json::Value::Object(fields) => fields.values().map(count).sum(),
        serde_json::Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    };
    below + 1
}

/// Replaces the value that comes at the place `left` in depth-first order.
fn replace(json: &mut serde_json::Value, left: &mut usize, odd: serde_json::Value) -> Option<serde_json::Value> {
    if *left == 0 {
        *json = odd;
        return None;
    }
    *left -= 1;
    let mut odd = Some(odd);
    for child in children(json) {
        odd = replace(child, left, odd.take()?);
    }
    odd
}
