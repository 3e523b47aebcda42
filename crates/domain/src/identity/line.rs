//! What look-ups tell of the line: what of it changed since an earlier answer, and whether several people share it.

use super::name::fits;
use crate::enrichment::{CachedLookup, Enrichment, vendor};

/// When something of the line changed between two answers of one vendor; in milliseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LineChanges {
    pub(super) carrier: Option<i64>,
    pub(super) line_type: Option<i64>,
    pub(super) owner: Option<i64>,
}

/// What changed, as far as `lookups` tell: several answers of one vendor, or what an answer replaced.
pub(super) fn changes(lookups: &[CachedLookup]) -> LineChanges {
    let mut changes = LineChanges::default();
    for lookup in lookups.iter().filter(|lookup| lookup.vendor != vendor::OFFLINE) {
        if let Some(former) = &lookup.former {
            changes.note(&former.found, &lookup.found, former.until_ms);
        }
        let is_former =
            |other: &&CachedLookup| other.vendor == lookup.vendor && other.fetched_at_ms < lookup.fetched_at_ms;
        for former in lookups.iter().filter(is_former) {
            changes.note(&former.found, &lookup.found, lookup.fetched_at_ms);
        }
    }
    changes
}

impl LineChanges {
    fn note(&mut self, before: &Enrichment, now: &Enrichment, at_ms: i64) {
        let line = |found: &'_ Enrichment| found.phone.clone().unwrap_or_default();
        let (line_before, line_now) = (line(before), line(now));
        let differ = |before: Option<String>, now: Option<String>, is_same: fn(&str, &str) -> bool| {
            before.zip(now).is_some_and(|(before, now)| !is_same(&before, &now))
        };
        if differ(line_before.carrier, line_now.carrier, is_one_firm) {
            self.carrier = self.carrier.max(Some(at_ms));
        }
        if differ(line_before.line_type, line_now.line_type, |before, now| before == now) {
            self.line_type = self.line_type.max(Some(at_ms));
        }
        if differ(person(before), person(now), fits) || differ(company(before), company(now), is_one_firm) {
            self.owner = self.owner.max(Some(at_ms));
        }
    }
}

fn person(found: &Enrichment) -> Option<String> {
    found.person.as_ref().and_then(|person| person.name.clone())
}

/// The firm that has the line; beside a person it is the employer.
fn company(found: &Enrichment) -> Option<String> {
    let company = found.company.as_ref().and_then(|company| company.name.clone());
    company.filter(|_| person(found).is_none())
}

/// Whether two names of firms begin with the same word: vendors add "Inc.", "USA" or "Wireless" as they like.
fn is_one_firm(one: &str, other: &str) -> bool {
    let first = |name: &str| {
        let mut words = name
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words
            .find(|word| !word.eq_ignore_ascii_case("the"))
            .map(str::to_lowercase)
    };
    let (one, other) = (first(one), first(other));
    one.is_none() || other.is_none() || one == other
}

/// Whether the line is one that several people share: a service number, or one that is no mobile and whose owner is a
/// firm.
pub(super) fn is_shared(lookups: &[CachedLookup]) -> bool {
    let types = || {
        let lines = lookups.iter().filter_map(|lookup| lookup.found.phone.as_ref());
        lines.filter_map(|line| line.line_type.as_deref())
    };
    let is_mobile = |line_type| matches!(line_type, "mobile" | "pager" | "personal");
    // What a database of people tells of a number is an employer, not the owner of the line.
    let owners = lookups.iter().filter(|lookup| lookup.vendor != vendor::PDL);
    let is_firms = owners.map(|lookup| &lookup.found).any(|found| company(found).is_some());
    types().any(|line_type| matches!(line_type, "toll_free" | "premium" | "shared_cost" | "uan" | "voicemail"))
        || is_firms && types().next().is_some() && !types().any(is_mobile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enrichment::{Company, Former, Line, Person};

    fn answer(person: &str, company: &str, carrier: &str, line_type: &str) -> Enrichment {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Enrichment {
            person: some(person).map(|name| Person {
                name: Some(name),
                ..Person::default()
            }),
            company: some(company).map(|name| Company {
                name: Some(name),
                address: None,
            }),
            phone: Some(Line {
                carrier: some(carrier),
                line_type: some(line_type),
            }),
        }
    }

    fn lookup(vendor: &str, found: Enrichment, former: Option<Enrichment>) -> CachedLookup {
        CachedLookup {
            vendor: vendor.to_owned(),
            fetched_at_ms: 200,
            found,
            former: former.map(|found| Former { found, until_ms: 100 }),
        }
    }

    #[test]
    fn what_changed_between_two_answers_is_told() {
        let table = [
            (
                ("Ana Ruiz", "", "Verizon Wireless", "mobile"),
                ("RUIZ ANA", "", "VERIZON", "mobile"),
                [false; 3],
            ),
            (
                ("", "", "T-Mobile USA, Inc.", "mobile"),
                ("", "", "T-Mobile", "mobile"),
                [false; 3],
            ),
            (("Ana Ruiz", "", "Verizon", "mobile"), ("", "", "", ""), [false; 3]),
            (("", "", "", ""), ("Tom Baker", "", "AT&T", "mobile"), [false; 3]),
            (
                ("", "", "Verizon", "mobile"),
                ("", "", "AT&T", "mobile"),
                [true, false, false],
            ),
            (("", "", "", "landline"), ("", "", "", "mobile"), [false, true, false]),
            (
                ("Ana Ruiz", "", "", ""),
                ("Tom Baker", "", "", ""),
                [false, false, true],
            ),
            (
                ("", "Acme Ltd", "", ""),
                ("", "Bolt & Sons", "", ""),
                [false, false, true],
            ),
            (("", "Acme Ltd", "", ""), ("", "ACME", "", ""), [false; 3]),
            // An employer is not the owner.
            (("Ana Ruiz", "Acme", "", ""), ("Ana Ruiz", "Bolt", "", ""), [false; 3]),
        ];
        for ((a, b, c, d), (e, f, g, h), [carrier, line_type, owner]) in table {
            let (before, now) = (answer(a, b, c, d), answer(e, f, g, h));
            let expected = |at_ms: i64| LineChanges {
                carrier: carrier.then_some(at_ms),
                line_type: line_type.then_some(at_ms),
                owner: owner.then_some(at_ms),
            };
            let stored = lookup(vendor::TWILIO, now.clone(), Some(before.clone()));
            assert_eq!(changes(&[stored]), expected(100), "{before:?} {now:?}");
            let earlier = CachedLookup {
                fetched_at_ms: 50,
                ..lookup(vendor::TWILIO, before.clone(), None)
            };
            let fresh = lookup(vendor::TWILIO, now.clone(), None);
            assert_eq!(
                changes(&[fresh.clone(), earlier.clone()]),
                expected(200),
                "{before:?} {now:?}"
            );
            let of_another = CachedLookup {
                vendor: vendor::TRESTLE.to_owned(),
                ..earlier
            };
            assert_eq!(
                changes(&[fresh, of_another]),
                LineChanges::default(),
                "two vendors differ always"
            );
        }
    }

    #[test]
    fn a_line_that_several_people_share_is_known() {
        for (vendor, found, expected) in [
            (vendor::TWILIO, answer("", "", "", "toll_free"), true),
            (vendor::TRESTLE, answer("", "Acme", "", "landline"), true),
            (vendor::TRESTLE, answer("", "Acme", "", "fixed_voip"), true),
            (vendor::TRESTLE, answer("", "Acme", "", "mobile"), false),
            (vendor::TRESTLE, answer("Ana Ruiz", "Acme", "", "landline"), false),
            (vendor::TRESTLE, answer("", "Acme", "", ""), false),
            (vendor::PDL, answer("", "Acme", "", "landline"), false),
            (vendor::TWILIO, answer("Ana Ruiz", "", "", "landline"), false),
        ] {
            assert_eq!(is_shared(&[lookup(vendor, found.clone(), None)]), expected, "{found:?}");
        }
    }
}
