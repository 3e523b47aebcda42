//! From several vendors' answers to the one that is shown.
//!
//! Each block comes from one vendor: the first in the block's order of belief whose answer is fresh, else the first
//! whose answer is stale. Numbers are reassigned and vendors lag, so two of them may describe different people: a title
//! or an employer joins another vendor's name only when the names agree.

use crate::text;

use super::{CachedLookup, Company, Line, Person, Ttl, vendor};

/// The answer that is shown in a block, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockAnswer<T> {
    /// What is known.
    pub value: T,
    /// The vendor's short name; `webhook+pdl` where the title and employer come from a second vendor.
    pub source: String,
    /// When the vendor answered, in milliseconds since the epoch; of two vendors, the older answer.
    pub fetched_at_ms: i64,
}

/// What a recall shows: for each block the best answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownEnrichment {
    /// The person behind the number.
    pub person: Option<BlockAnswer<Person>>,
    /// The company behind the number.
    pub company: Option<BlockAnswer<Company>>,
    /// The line itself.
    pub phone: Option<BlockAnswer<Line>>,
}

impl ShownEnrichment {
    /// Whether no block is filled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.origins().next().is_none()
    }

    /// When the oldest answer shown was fetched, in milliseconds since the epoch; `None` when none is shown.
    #[must_use]
    pub fn oldest_ms(&self) -> Option<i64> {
        self.origins().map(|(_, fetched_at_ms)| fetched_at_ms).min()
    }

    /// Whether something is shown from the cache, and nothing from one of the vendors `called` for this answer. What
    /// the number itself tells is neither.
    #[must_use]
    pub fn is_cached(&self, called: &[String]) -> bool {
        self.is_from_outside() && !called.iter().any(|vendor| self.is_from(vendor))
    }

    /// Whether any block shown is from a vendor or the operator's records, and not from the number itself.
    #[must_use]
    pub fn is_from_outside(&self) -> bool {
        self.origins().any(|(source, _)| source != vendor::OFFLINE)
    }

    /// Whether any block shown is from `vendor`.
    #[must_use]
    pub fn is_from(&self, vendor: &str) -> bool {
        self.origins()
            .any(|(source, _)| source.split('+').any(|part| part == vendor))
    }

    fn origins(&self) -> impl Iterator<Item = (&str, i64)> {
        let person = self
            .person
            .as_ref()
            .map(|block| (block.source.as_str(), block.fetched_at_ms));
        let company = self
            .company
            .as_ref()
            .map(|block| (block.source.as_str(), block.fetched_at_ms));
        let phone = self
            .phone
            .as_ref()
            .map(|block| (block.source.as_str(), block.fetched_at_ms));
        [person, company, phone].into_iter().flatten()
    }
}

/// Who is believed first about the person.
const PERSON_ORDER: &[&str] = &[
    vendor::WEBHOOK,
    vendor::PDL,
    vendor::TRESTLE,
    vendor::TWILIO,
    vendor::TELNYX,
];
/// Who is believed first about the company: who knows the line's owner comes before who knows the person's employer.
const COMPANY_ORDER: &[&str] = &[
    vendor::WEBHOOK,
    vendor::TRESTLE,
    vendor::PDL,
    vendor::TWILIO,
    vendor::TELNYX,
];
/// Who is believed first about the line.
const PHONE_ORDER: &[&str] = &[vendor::WEBHOOK, vendor::TWILIO, vendor::TRESTLE, vendor::TELNYX];

/// Picks for each block the best of `lookups` at `now_ms`, in milliseconds since the epoch.
#[must_use]
pub fn merge(lookups: &[CachedLookup], ttl: Ttl, now_ms: i64) -> ShownEnrichment {
    let person = person(&ordered(lookups, PERSON_ORDER, ttl, now_ms));
    ShownEnrichment {
        company: company(&ordered(lookups, COMPANY_ORDER, ttl, now_ms), person.as_ref()),
        phone: phone(&ordered(lookups, PHONE_ORDER, ttl, now_ms)),
        person,
    }
}

/// Fresh answers before stale ones, each in `order`, of one vendor the newest first.
fn ordered<'a>(lookups: &'a [CachedLookup], order: &[&str], ttl: Ttl, now_ms: i64) -> Vec<&'a CachedLookup> {
    let rank = |name: &str| match order.iter().position(|known| *known == name) {
        Some(position) => position,
        None if name == vendor::OFFLINE => order.len() + 1,
        None => order.len(),
    };
    let mut lookups: Vec<_> = lookups.iter().collect();
    lookups.sort_by_key(|lookup| {
        let newest_first = std::cmp::Reverse(lookup.fetched_at_ms);
        (!lookup.is_fresh(ttl, now_ms), rank(&lookup.vendor), newest_first)
    });
    lookups
}

fn block_answer<T: Clone>(value: &T, lookup: &CachedLookup) -> BlockAnswer<T> {
    BlockAnswer {
        value: value.clone(),
        source: lookup.vendor.clone(),
        fetched_at_ms: lookup.fetched_at_ms,
    }
}

/// The first person with a name; only when nobody knows the name, one without.
fn person(lookups: &[&CachedLookup]) -> Option<BlockAnswer<Person>> {
    let people = || {
        lookups
            .iter()
            .filter_map(|lookup| Some((*lookup, lookup.found.person.as_ref()?)))
    };
    let (lookup, best) = people()
        .find(|(_, person)| person.name.is_some())
        .or_else(|| people().next())?;
    let mut shown = block_answer(best, lookup);
    shown.value.name = shown.value.name.map(text::name);
    if best.title.is_none() && best.company.is_none() {
        let job = people()
            .find(|(other, person)| (person.title.is_some() || person.company.is_some()) && same_person(lookup, other));
        if let Some((other, person)) = job {
            shown.value.title.clone_from(&person.title);
            shown.value.company.clone_from(&person.company);
            shown.source = format!("{}+{}", lookup.vendor, other.vendor);
            shown.fetched_at_ms = lookup.fetched_at_ms.min(other.fetched_at_ms);
        }
    }
    Some(shown)
}

/// The first company; a person's employer only beside that person, or when no person is shown.
fn company(lookups: &[&CachedLookup], person: Option<&BlockAnswer<Person>>) -> Option<BlockAnswer<Company>> {
    lookups.iter().find_map(|lookup| {
        let company = lookup.found.company.as_ref()?;
        let belongs = lookup.vendor != vendor::PDL
            || person.is_none_or(|shown| {
                shown.source.split('+').any(|part| part == lookup.vendor)
                    || agree(
                        (&shown.source, &shown.value),
                        (&lookup.vendor, lookup.found.person.as_ref()),
                    )
            });
        belongs.then(|| block_answer(company, lookup))
    })
}

/// The first line whose type is known; else the first whose carrier is.
fn phone(lookups: &[&CachedLookup]) -> Option<BlockAnswer<Line>> {
    let lines = || {
        lookups
            .iter()
            .filter_map(|lookup| Some((*lookup, lookup.found.phone.as_ref()?)))
    };
    let (lookup, line) = lines()
        .find(|(_, line)| line.line_type.is_some())
        .or_else(|| lines().next())?;
    Some(block_answer(line, lookup))
}

fn same_person(one: &CachedLookup, other: &CachedLookup) -> bool {
    one.found
        .person
        .as_ref()
        .is_some_and(|person| agree((&one.vendor, person), (&other.vendor, other.found.person.as_ref())))
}

/// Whether two vendors' names can be those of one person: the surnames are the same and the given names begin alike.
fn agree((one_vendor, one): (&str, &Person), (other_vendor, other): (&str, Option<&Person>)) -> bool {
    let (Some(one), Some(other)) = (&one.name, other.and_then(|person| person.name.as_ref())) else {
        return false;
    };
    let (one, other) = (words(one), words(other));
    if one.len() < 2 || other.len() < 2 {
        return false;
    }
    readings(one_vendor, &one).any(|one| readings(other_vendor, &other).any(|other| one == other))
}

/// The words of a name in lower case, without generational suffixes.
fn words(name: &str) -> Vec<String> {
    name.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty() && !matches!(word.as_str(), "jr" | "sr" | "ii" | "iii" | "iv"))
        .collect()
}

/// The surname and the initial of the given name, in each order in which the vendor may have written them: caller-name
/// records have no settled order.
fn readings<'a>(vendor: &str, words: &'a [String]) -> impl Iterator<Item = (&'a str, Option<char>)> {
    let is_cnam = vendor
        .split('+')
        .any(|part| part == vendor::TWILIO || part == vendor::TELNYX);
    let given_first = words.last().zip(words.first());
    let surname_first = words.first().zip(words.get(1)).filter(|_| is_cnam);
    [given_first, surname_first]
        .into_iter()
        .flatten()
        .map(|(surname, given)| (surname.as_str(), given.chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enrichment::Enrichment;

    const NOW_MS: i64 = 1_790_856_000_000;
    const TTL: Ttl = Ttl {
        hit_ms: 1000,
        miss_ms: 100,
    };

    fn some(text: &str) -> Option<String> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn lookup(vendor: &str, age_ms: i64, found: Enrichment) -> CachedLookup {
        CachedLookup {
            vendor: vendor.to_owned(),
            fetched_at_ms: NOW_MS - age_ms,
            found,
            former: None,
        }
    }

    fn person_of(name: &str, title: &str, company: &str) -> Enrichment {
        Enrichment {
            person: Some(Person {
                name: some(name),
                title: some(title),
                company: some(company),
            }),
            ..Enrichment::default()
        }
    }

    fn company_of(name: &str, address: &str) -> Enrichment {
        Enrichment {
            company: Some(Company {
                name: some(name),
                address: some(address),
            }),
            ..Enrichment::default()
        }
    }

    fn line_of(carrier: &str, line_type: &str) -> Enrichment {
        Enrichment {
            phone: Some(Line {
                carrier: some(carrier),
                line_type: some(line_type),
            }),
            ..Enrichment::default()
        }
    }

    fn shown(lookups: &[CachedLookup]) -> ShownEnrichment {
        merge(lookups, TTL, NOW_MS)
    }

    #[test]
    fn nothing_known_shows_nothing() {
        let shown = shown(&[lookup("pdl", 1, Enrichment::default())]);
        assert!(shown.is_empty());
        assert_eq!(shown.oldest_ms(), None);
    }

    #[test]
    fn each_block_comes_from_the_vendor_believed_first() {
        let shown = shown(&[
            lookup("offline", 0, line_of("", "mobile")),
            lookup("telnyx", 1, line_of("Telnyx's carrier", "voip")),
            lookup("trestle", 2, line_of("Trestle's carrier", "mobile")),
            lookup("twilio", 3, line_of("Twilio's carrier", "mobile")),
            lookup("trestle", 2, company_of("Harrow & Pike Plumbing LLC", "2207 Quarry Rd")),
            lookup("twilio", 3, company_of("Harrow Pike Plb", "")),
        ]);
        let phone = shown.phone.as_ref().expect("a line");
        assert_eq!((phone.source.as_str(), phone.fetched_at_ms), ("twilio", NOW_MS - 3));
        assert_eq!(shown.company.as_ref().expect("a company").source, "trestle");
        assert_eq!(shown.oldest_ms(), Some(NOW_MS - 3));
        assert!(shown.is_from("trestle") && !shown.is_from("telnyx"));
    }

    #[test]
    fn what_is_shown_is_cached_when_no_call_added_to_it() {
        let called = |vendors: &[&str]| vendors.iter().map(|vendor| (*vendor).to_owned()).collect::<Vec<_>>();
        let lookups = [
            lookup("twilio", 1, line_of("Northwind", "mobile")),
            lookup("offline", 0, line_of("", "mobile")),
        ];
        assert!(
            shown(&lookups).is_cached(&called(&["trestle"])),
            "the call added nothing"
        );
        assert!(!shown(&lookups).is_cached(&called(&["twilio"])));
        assert!(
            !shown(&lookups[1..]).is_cached(&called(&[])),
            "the number itself is no cache"
        );
        assert!(!shown(&[]).is_cached(&called(&[])));
    }

    #[test]
    fn a_fresh_answer_beats_a_stale_one_and_a_known_type_beats_a_bare_carrier() {
        let shown = shown(&[
            lookup("twilio", 5000, line_of("old", "landline")),
            lookup("trestle", 1, line_of("bare", "")),
            lookup("telnyx", 2, line_of("fresh", "mobile")),
        ]);
        assert_eq!(shown.phone.expect("a line").source, "telnyx");
    }

    #[test]
    fn a_stale_answer_is_better_than_none() {
        let shown = shown(&[lookup("twilio", 5000, line_of("old", "landline"))]);
        assert_eq!(shown.phone.expect("a line").source, "twilio");
    }

    #[test]
    fn a_vendor_without_a_settled_place_comes_after_the_named_ones_and_before_the_numbering_plan() {
        let found = |first: &str, second: &str| {
            let lookups = [
                lookup(first, 1, line_of("a", "mobile")),
                lookup(second, 1, line_of("b", "voip")),
            ];
            merge(&lookups, TTL, NOW_MS).phone.map(|line| line.source)
        };
        assert_eq!(found("acme", "telnyx").as_deref(), Some("telnyx"));
        assert_eq!(found("offline", "acme").as_deref(), Some("acme"));
    }

    #[test]
    fn a_title_joins_another_vendors_name_only_when_the_names_agree() {
        let job = person_of("Maren Okafor", "Operations Director", "Harrow & Pike");
        let cases = [
            ("webhook", "Maren J. Okafor", true),
            ("webhook", "M Okafor Jr", true),
            ("webhook", "Teodoro Vance", false),
            ("webhook", "Idris Okafor", false),
            ("webhook", "Okafor", false),
            ("webhook", "Okafor Maren", false),
        ];
        for (vendor, name, joins) in cases {
            let shown = shown(&[
                lookup(vendor, 1, person_of(name, "", "")),
                lookup("pdl", 9, job.clone()),
            ]);
            let person = shown.person.expect("a person");
            assert_eq!(person.value.name.as_deref(), Some(name));
            assert_eq!(person.value.title.is_some(), joins, "{name}");
            assert_eq!(person.value.company.is_some(), joins, "{name}");
            let expected = if joins {
                ("webhook+pdl", NOW_MS - 9)
            } else {
                ("webhook", NOW_MS - 1)
            };
            assert_eq!((person.source.as_str(), person.fetched_at_ms), expected, "{name}");
        }
    }

    #[test]
    fn a_person_with_a_job_of_their_own_takes_none_from_another_vendor() {
        let shown = shown(&[
            lookup("webhook", 1, person_of("Maren Okafor", "Owner", "")),
            lookup(
                "pdl",
                1,
                person_of("Maren Okafor", "Operations Director", "Harrow & Pike"),
            ),
        ]);
        let person = shown.person.expect("a person").value;
        assert_eq!((person.title.as_deref(), person.company), (Some("Owner"), None));
    }

    #[test]
    fn a_name_beats_a_title_without_one() {
        let shown = shown(&[
            lookup("pdl", 1, person_of("", "Operations Director", "Harrow & Pike")),
            lookup("twilio", 1, person_of("Okafor Maren", "", "")),
        ]);
        let person = shown.person.expect("a person");
        assert_eq!(person.source, "twilio");
        assert_eq!(person.value.title, None, "whose title it is cannot be told");
    }

    #[test]
    fn an_employer_is_shown_only_beside_the_employee() {
        let employed = Enrichment {
            person: person_of("Maren Okafor", "Operations Director", "Harrow & Pike").person,
            ..company_of("Harrow & Pike", "2207 Quarry Rd")
        };
        let company_beside = |vendor: &str, name: &str| {
            let lookups = [
                lookup(vendor, 1, person_of(name, "", "")),
                lookup("pdl", 5000, employed.clone()),
            ];
            merge(&lookups, TTL, NOW_MS).company.map(|company| company.source)
        };
        assert_eq!(company_beside("twilio", "Okafor Maren").as_deref(), Some("pdl"));
        assert_eq!(company_beside("trestle", "Maren Okafor").as_deref(), Some("pdl"));
        assert_eq!(company_beside("trestle", "Teodoro Vance"), None);
        assert_eq!(
            shown(&[lookup("pdl", 1, employed)]).company.expect("a company").source,
            "pdl"
        );
    }
}
