//! Phrasings with what a careful listener would note, and what the rules note. The evaluation prints the same counts.

use std::collections::{BTreeMap, BTreeSet};

use language::{
    Speaker, Transcript,
    findings::{self, Finding, Topic},
};

const PHRASINGS: &str = include_str!("phrasings.txt");

/// A piece of a call, and what is to be noted, as `key=value`.
pub(crate) struct Phrasing {
    pub(crate) turns: Vec<(Speaker, &'static str)>,
    pub(crate) wanted: BTreeSet<String>,
}

/// How the facts of a key were noted.
#[derive(Debug, Default)]
pub(crate) struct Count {
    pub(crate) noted: usize,
    pub(crate) right: usize,
    pub(crate) wanted: usize,
}

/// The phrasings of the table.
///
/// # Panics
/// When a line is none of a phrasing.
pub(crate) fn phrasings() -> Vec<Phrasing> {
    let blocks = PHRASINGS.split("\n\n").map(|block| {
        let (mut turns, mut wanted) = (Vec::new(), BTreeSet::new());
        for line in block.lines().filter(|line| !line.starts_with('#')) {
            if let Some(text) = line.strip_prefix("user: ") {
                turns.push((Speaker::Caller, text));
            } else if let Some(text) = line.strip_prefix("agent: ") {
                turns.push((Speaker::Agent, text));
            } else if let Some(fact) = line.strip_prefix("= ") {
                wanted.insert(fact.to_owned());
            } else {
                assert!(line.is_empty(), "`{line}` is no line of a phrasing");
            }
        }
        Phrasing { turns, wanted }
    });
    blocks.filter(|phrasing| !phrasing.turns.is_empty()).collect()
}

/// The key of what is stated about `topic`.
pub(crate) const fn key(topic: Topic) -> &'static str {
    match topic {
        Topic::Name => "name",
        Topic::Email => "email",
        Topic::CallbackNumber => "callback_number",
        Topic::Address => "address",
        Topic::City => "city",
        Topic::PreferredTime => "preferred_time",
        Topic::PreferredChannel => "preferred_channel",
        Topic::Reference => "reference",
        Topic::Amount => "amount",
        Topic::Appointment => "appointment",
        Topic::Order => "order",
        Topic::Promise => "promise",
        Topic::Consent => "consent",
        Topic::DoNotCall => "do_not_call",
    }
}

/// What the rules note of `turns`, as `key=value`.
pub(crate) fn noted(turns: &[(Speaker, &str)]) -> BTreeSet<String> {
    let transcript = Transcript::read(turns.iter().copied());
    let findings = findings::of_call(&transcript, None);
    let stated = findings.into_iter().filter_map(|finding| match finding {
        Finding::Statement(statement) => Some(format!("{}={}", key(statement.topic), statement.value)),
        Finding::Doubt(_) => None,
    });
    stated.collect()
}

/// How the facts of each key were noted.
pub(crate) fn counts(phrasings: &[Phrasing]) -> BTreeMap<String, Count> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for Phrasing { turns, wanted } in phrasings {
        let noted = noted(turns);
        for fact in noted.union(wanted) {
            let key = fact.split('=').next().unwrap_or_default();
            let count = counts.entry(key.to_owned()).or_default();
            let (is_noted, is_wanted) = (noted.contains(fact), wanted.contains(fact));
            count.noted += usize::from(is_noted);
            count.wanted += usize::from(is_wanted);
            count.right += usize::from(is_noted && is_wanted);
        }
    }
    counts
}
