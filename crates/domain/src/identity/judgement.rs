//! From the evidence to a recommendation: whether the person who calls now is the one whom the memory is about.

use super::{
    attestation::Attestation,
    line::{changes, is_shared},
    name::{fits, weight},
    setting::IdentityMode,
    trace::{STATED_NAMES, StatedName, Trace, is_silence},
};
use crate::{call::CallId, enrichment::CachedLookup};

/// What the agent is advised to do with the memory. The later ones are the more careful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Recommendation {
    /// `use`: nothing speaks against it.
    Use,
    /// `confirm`: ask who is calling first.
    Confirm,
    /// `withhold`: somebody else may be calling.
    Withhold,
}

impl Recommendation {
    /// Every recommendation, the most careful last.
    pub const ALL: [Self; 3] = [Self::Use, Self::Confirm, Self::Withhold];

    /// The recommendation's name in the interface.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Use => "use",
            Self::Confirm => "confirm",
            Self::Withhold => "withhold",
        }
    }
}

/// What speaks against using the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// `names_differ`: names that do not fit were stated in different calls, or one that does not fit the operator's.
    NamesDiffer,
    /// `silence`: nobody called for more than 90 days, and since then no name was stated that fits an earlier one.
    Silence,
    /// `carrier_changed`: a later look-up names another carrier.
    CarrierChanged,
    /// `line_type_changed`: a later look-up names another type of line.
    LineTypeChanged,
    /// `owner_changed`: a later look-up names another owner.
    OwnerChanged,
    /// `shared_line`: the line is a service number or a firm's, or three or more persons were named on it.
    SharedLine,
    /// `attestation_weak`: the client reports that the carrier does not vouch for the number.
    AttestationWeak,
    /// `attestation_failed`: the client reports that the verification of the number failed.
    AttestationFailed,
}

impl Signal {
    /// Every signal, in the order in which answers list them.
    pub const ALL: [Self; 8] = [
        Self::NamesDiffer,
        Self::Silence,
        Self::CarrierChanged,
        Self::LineTypeChanged,
        Self::OwnerChanged,
        Self::SharedLine,
        Self::AttestationWeak,
        Self::AttestationFailed,
    ];

    /// The signal's name in the interface.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NamesDiffer => "names_differ",
            Self::Silence => "silence",
            Self::CarrierChanged => "carrier_changed",
            Self::LineTypeChanged => "line_type_changed",
            Self::OwnerChanged => "owner_changed",
            Self::SharedLine => "shared_line",
            Self::AttestationWeak => "attestation_weak",
            Self::AttestationFailed => "attestation_failed",
        }
    }
}

/// How many different persons make a line a shared one.
const PERSONS_OF_A_SHARED_LINE: usize = 3;

/// By how much a call may begin before what is noted at its recall or its report, in milliseconds: an hour.
const CALL_MS: i64 = 60 * 60 * 1000;

/// What there is to judge by.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'e> {
    /// How careful the tenant is.
    pub mode: IdentityMode,
    /// When the caller is recalled, in milliseconds since the epoch.
    pub now_ms: i64,
    /// What the memory kept for this.
    pub trace: &'e Trace,
    /// The caller's name, whoever gave it.
    pub name: Option<&'e str>,
    /// The look-ups of the number, with those that they replaced.
    pub lookups: &'e [CachedLookup],
    /// What the client's carrier says about this call.
    pub attestation: Option<Attestation>,
}

/// What the evidence comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// How careful the tenant is.
    pub mode: IdentityMode,
    /// What the agent is advised.
    pub recommendation: Recommendation,
    /// What speaks against using the memory, each once, in the order of [`Signal::ALL`].
    pub signals: Vec<Signal>,
    /// Of whom the memory speaks.
    persons: Persons,
    /// Before this time the memory may be about somebody else, whatever was said; milliseconds since the epoch.
    since_ms: Option<i64>,
}

impl Judgement {
    /// Judges `evidence`.
    #[must_use]
    pub fn of(evidence: &Evidence<'_>) -> Self {
        let mode = evidence.mode;
        if mode == IdentityMode::Off {
            return Self {
                mode,
                recommendation: Recommendation::Use,
                signals: Vec::new(),
                persons: Persons::default(),
                since_ms: None,
            };
        }
        let persons = Persons::of(evidence.trace, evidence.name);
        let last_call_ms = evidence.trace.last_call_ms;
        let is_silent = last_call_ms.is_some_and(|last_ms| is_silence(last_ms, evidence.now_ms));
        // What happened before a name that fits earlier ones says nothing any more.
        let open = |at_ms: Option<i64>| at_ms.filter(|at_ms| !persons.are_confirmed_across(*at_ms));
        let returned_ms = open(evidence.trace.returned_ms);
        let line = changes(evidence.lookups);
        let (carrier_ms, line_type_ms) = (open(line.carrier), open(line.line_type));
        let owner_ms = open(line.owner);

        let has_silence = is_silent || returned_ms.is_some();
        // A number that is ported has a new carrier, and mostly another type of line: that is one sign.
        let signs = [has_silence, carrier_ms.or(line_type_ms).is_some(), owner_ms.is_some()];
        let signs = signs.into_iter().filter(|is_there| *is_there).count();
        let was_passed_on = signs > 1 || mode == IdentityMode::Strict && has_silence;
        let since_ms = returned_ms.max(carrier_ms).max(line_type_ms).max(owner_ms);
        let since_ms = since_ms.filter(|_| was_passed_on);
        let was_heard_since = !is_silent && last_call_ms >= since_ms;

        let differ = persons.differ();
        let is_shared = persons.count >= PERSONS_OF_A_SHARED_LINE || is_shared(evidence.lookups);
        let signals: Vec<Signal> = [
            (Signal::NamesDiffer, differ),
            (Signal::Silence, has_silence),
            (Signal::CarrierChanged, carrier_ms.is_some()),
            (Signal::LineTypeChanged, line_type_ms.is_some()),
            (Signal::OwnerChanged, owner_ms.is_some()),
            (Signal::SharedLine, is_shared),
            (Signal::AttestationWeak, evidence.attestation == Some(Attestation::Weak)),
            (
                Signal::AttestationFailed,
                evidence.attestation == Some(Attestation::Failed),
            ),
        ]
        .into_iter()
        .filter_map(|(signal, is_there)| is_there.then_some(signal))
        .collect();
        let is_another = differ && !persons.is_confirmed()
            || was_passed_on && !was_heard_since
            || evidence.attestation == Some(Attestation::Failed);
        let recommendation = match (is_another, signals.is_empty()) {
            (true, _) => Recommendation::Withhold,
            (false, false) => Recommendation::Confirm,
            (false, true) => Recommendation::Use,
        };
        Self {
            mode,
            recommendation,
            signals,
            persons,
            since_ms,
        }
    }

    /// Whether some of the memory may be about somebody else than the person who was heard last.
    pub(super) fn is_mixed(&self) -> bool {
        self.persons.differ() || self.since_ms.is_some()
    }

    /// Whether what happened at `at_ms`, in `call_id`, is about the person who was heard last.
    pub(super) fn is_own(&self, call_id: CallId, at_ms: i64) -> bool {
        self.since_ms.is_none_or(|since_ms| is_since(at_ms, since_ms)) && self.persons.are_own(call_id, at_ms)
    }

    /// Whether what was known of the number at first is about the person who was heard last.
    pub(super) fn owns_beginning(&self) -> bool {
        let first = || self.persons.stated.first().is_none_or(|(.., is_own)| *is_own);
        self.since_ms.is_none() && self.persons.given.unwrap_or_else(first)
    }

    /// Whether the name is the stated one of the person who was heard last.
    pub(super) fn is_theirs(&self, name: &str) -> bool {
        let was_named = self
            .since_ms
            .is_none_or(|since_ms| self.persons.are_named_since(since_ms));
        was_named && self.persons.full_name.as_deref().is_some_and(|own| fits(own, name))
    }
}

const fn is_since(at_ms: i64, since_ms: i64) -> bool {
    at_ms >= since_ms.saturating_sub(CALL_MS)
}

/// The persons whom names tell apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Persons {
    /// How many there are.
    count: usize,
    /// The fullest name of the one who stated a name last.
    full_name: Option<String>,
    /// When a name was stated in which call, and whether it is that person's; oldest first.
    stated: Vec<(CallId, i64, bool)>,
    /// Whether the operator's name is that person's; `None` when the operator gave none.
    given: Option<bool>,
}

impl Persons {
    /// Tells persons apart. A name belongs to the person who was named before it, if it fits; else to the latest of the
    /// others whom it fits; else to a new one. The operator's name, which nobody stated, came before all.
    fn of(trace: &Trace, name: Option<&str>) -> Self {
        let stated = trace.names();
        let given = name.filter(|name| stated.iter().all(|stated| stated.name != *name));
        let mut full_names: Vec<&str> = Vec::new();
        let mut current = 0;
        let mut person_of = |name| {
            let others = (0..full_names.len()).rev();
            let known = std::iter::once(current).chain(others);
            let known = known.filter(|person| *person < full_names.len());
            let fitting = known.into_iter().find(|person| fits(full_names[*person], name));
            current = fitting.unwrap_or(full_names.len());
            match full_names.get_mut(current) {
                None => full_names.push(name),
                Some(full) if *full != name && weight(name) > weight(full) => *full = name,
                Some(_) => {}
            }
            current
        };
        let given = given.map(&mut person_of);
        let persons: Vec<usize> = stated.iter().map(|stated| person_of(&stated.name)).collect();
        let count = full_names.len();
        let Some(last) = persons.last() else {
            // A name that nobody stated is nothing to compare with.
            return Self {
                count,
                given: given.map(|_| true),
                ..Self::default()
            };
        };
        let own = full_names[*last];
        let is_own: Vec<bool> = full_names.iter().map(|full| fits(full, own)).collect();
        let entry =
            |(StatedName { call_id, at_ms, .. }, person): (&StatedName, &usize)| (*call_id, *at_ms, is_own[*person]);
        Self {
            count,
            full_name: Some(own.to_owned()),
            stated: stated.iter().zip(&persons).map(entry).collect(),
            given: given.map(|person| is_own[person]),
        }
    }

    /// Whether anybody else was named than the one who was named last.
    fn differ(&self) -> bool {
        self.given == Some(false) || self.stated.iter().any(|(.., is_own)| !is_own)
    }

    /// Whether the person who was named last was named more than once.
    fn is_confirmed(&self) -> bool {
        let own = self.stated.iter().filter(|(.., is_own)| *is_own).count();
        own + usize::from(self.given == Some(true)) > 1
    }

    /// Whether the person who was named last was named before `at_ms` and again since.
    fn are_confirmed_across(&self, at_ms: i64) -> bool {
        let mut own = self
            .stated
            .iter()
            .filter(|(.., is_own)| *is_own)
            .map(|(_, stated_ms, _)| *stated_ms);
        let is_before = self.given == Some(true) || own.clone().any(|stated_ms| !is_since(stated_ms, at_ms));
        is_before && own.any(|stated_ms| is_since(stated_ms, at_ms))
    }

    /// Whether the person who was named last was named since `at_ms`.
    fn are_named_since(&self, at_ms: i64) -> bool {
        let mut own = self.stated.iter().filter(|(.., is_own)| *is_own);
        own.any(|(_, stated_ms, _)| is_since(*stated_ms, at_ms))
    }

    /// Whether what happened at `at_ms`, in `call_id`, is of the person who was named last. A call without a name
    /// belongs to the one who was named before it; the first calls, to the first one who was named.
    fn are_own(&self, call_id: CallId, at_ms: i64) -> bool {
        let in_call = self.stated.iter().find(|(of, ..)| *of == call_id);
        let before = || self.stated.iter().rfind(|(_, stated_ms, _)| *stated_ms <= at_ms);
        let is_own = |(.., is_own): &(CallId, i64, bool)| *is_own;
        match (in_call.or_else(before), self.stated.first()) {
            (Some(stated), _) => is_own(stated),
            (None, None) => true,
            // Who was named before the oldest name that is kept is not known.
            (None, Some(_)) if self.stated.len() == STATED_NAMES && self.differ() => false,
            (None, Some(first)) => self.given != Some(false) && is_own(first),
        }
    }
}
