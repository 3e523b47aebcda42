//! Whether a strict tenant is kept from another person's memory, and keeps its own callers': histories of one person
//! and of two behind one number, made of dialogues and of the names that callers of recorded calls were given.
//!
//! The rules are called directly, in the order in which calls and recalls would come.

use domain::{
    call::{self, CallId, CallOutcome, Contact, RecentCall, Role, Turn},
    caller::Caller,
    enrichment::{CachedLookup, Enrichment, Former, Line, ShownEnrichment},
    facts::{self, FactKey, FactView, KnownFact, SaidFact},
    identity::{Evidence, IdentityMode, Judgement, Recommendation, StatedName, Trace},
    json::JsonObject,
    memory::{RECENT_CALLS, Recollection},
    themes::Themes,
    time_zone::TimeZone,
};
use language::{findings, summary};
use uuid::Uuid;

use crate::{
    bookings::{Dialogue, TODAY_MS},
    share::Share,
};

const DAY_MS: i64 = 86_400_000;

/// How many calls each person makes.
const CALLS: usize = 4;

/// How a person names themselves, one call after the other: with the whole name, with the first part, not at all.
const INTRODUCTIONS: [&str; 4] = [
    "Hi, my name is {whole}.",
    "Hello, this is {first} calling.",
    "",
    "My name is {whole}.",
];

/// The days between two calls: of one person, and from the first person's last to the second's first.
const WEEK: i64 = 7;
const SILENCE: i64 = 120;

/// Two persons behind one number.
#[derive(Clone, Copy)]
struct Scene {
    title: &'static str,
    /// Days from the first person's last call to the second's first.
    gap: i64,
    /// Whether the second person says a name.
    is_named: bool,
    /// Whether a look-up names another carrier from the second person's first call on.
    has_other_carrier: bool,
}

const SCENES: [Scene; 4] = [
    Scene {
        title: "a week later, another name",
        gap: WEEK,
        is_named: true,
        has_other_carrier: false,
    },
    Scene {
        title: "after 120 days, another name",
        gap: SILENCE,
        is_named: true,
        has_other_carrier: false,
    },
    Scene {
        title: "after 120 days, no name",
        gap: SILENCE,
        is_named: false,
        has_other_carrier: false,
    },
    Scene {
        title: "after 120 days, no name, other carrier",
        gap: SILENCE,
        is_named: false,
        has_other_carrier: true,
    },
];

/// What a number's memory holds while its calls come in.
#[derive(Default)]
struct Number {
    now_ms: i64,
    trace: Trace,
    /// Newest first.
    calls: Vec<RecentCall>,
    /// Oldest first.
    stated: Vec<KnownFact>,
    lookups: Vec<CachedLookup>,
}

impl Number {
    fn new() -> Self {
        Self {
            now_ms: TODAY_MS,
            ..Self::default()
        }
    }

    /// A call of somebody who says `introduction` first, some days after the one before.
    #[expect(
        clippy::cast_precision_loss,
        reason = "milliseconds of this century are far below 2^53"
    )]
    fn call(&mut self, dialogue: &Dialogue, introduction: &str) {
        let started_at_ms = self.now_ms;
        let mut turns = dialogue.transcript(started_at_ms as f64);
        if !introduction.is_empty() {
            let turn = Turn {
                role: Role::User,
                text: introduction.to_owned(),
                ts_ms: started_at_ms as f64,
            };
            turns.insert(0, turn);
        }
        let transcript = call::read(&turns);
        let findings = findings::of_call(&transcript, Some(TimeZone::default().day(started_at_ms)));
        let call_id = CallId(Uuid::from_u128(self.calls.len() as u128));
        let found = facts::of_call(&transcript, &findings).facts.into_iter();
        let said: Vec<SaidFact> = found
            .map(|fact| {
                let turn = &turns[fact.turn];
                SaidFact::new(fact, turn, started_at_ms, started_at_ms + DAY_MS)
            })
            .collect();
        self.trace.call(Contact {
            first_ms: started_at_ms,
            last_ms: started_at_ms + 60_000,
        });
        if let Some(stated) = StatedName::of_call(call_id, &said) {
            self.trace.state(stated);
        }
        self.stated.extend(said.into_iter().map(|said| KnownFact {
            key: said.fact.key,
            value: said.fact.value,
            quote: said.fact.quote,
            call_id: Some(call_id),
            said_at_ms: said.said_at_ms,
            observed_at_ms: started_at_ms,
            terms: said.fact.terms,
        }));
        let recent = RecentCall {
            call_id,
            started_at_ms,
            duration_s: 60.0,
            summary: summary::of_call(&transcript, &findings),
            outcome: CallOutcome::Other,
        };
        self.calls.insert(0, recent);
    }

    /// A look-up says something else from now on.
    fn changes_carrier(&mut self) {
        let of = |carrier: &str| Enrichment {
            phone: Some(Line {
                carrier: Some(carrier.to_owned()),
                line_type: Some("mobile".to_owned()),
            }),
            ..Enrichment::default()
        };
        self.lookups.push(CachedLookup {
            vendor: "twilio".to_owned(),
            fetched_at_ms: self.now_ms,
            found: of("One Wireless"),
            former: Some(Former {
                found: of("Other Mobile"),
                until_ms: self.now_ms,
            }),
        });
    }

    /// What a tenant of this mode is advised and shown.
    fn recall(&self, mode: IdentityMode) -> (Recommendation, Recollection) {
        let facts = facts::standing(self.stated.iter().cloned(), |fact| {
            FactView::new(fact.key, &fact.value, fact.terms.as_ref())
        });
        let name = facts.iter().find(|fact| fact.key == FactKey::Name);
        let mut read = Recollection {
            known: true,
            caller: Caller {
                name: name.map(|fact| fact.value.clone()),
                first_seen_ms: TODAY_MS,
                last_seen_ms: self.now_ms,
                total_calls: self.calls.len() as u64,
                tags: Vec::new(),
                custom_attributes: JsonObject::default(),
                corrections: Vec::new(),
                do_not_call: None,
            },
            memory_changed_ms: None,
            summary: None,
            recent_calls: self.calls.iter().take(RECENT_CALLS).cloned().collect(),
            facts,
            gaps: 0,
            trace: self.trace.clone(),
            lookups: self.lookups.clone(),
            themes: Themes::default(),
        };
        let judgement = Judgement::of(&Evidence {
            mode,
            now_ms: self.now_ms,
            trace: &read.trace,
            name: read.caller.name.as_deref(),
            lookups: &read.lookups,
            attestation: None,
        });
        let identity = judgement.withhold(&mut read, &mut ShownEnrichment::default());
        (identity.recommendation, read)
    }
}

fn introduction(name: &str, call: usize) -> String {
    let first = name.split_whitespace().next().unwrap_or(name);
    INTRODUCTIONS[call % INTRODUCTIONS.len()]
        .replace("{whole}", name)
        .replace("{first}", first)
}

/// What was counted over all histories.
#[derive(Default)]
struct Counts {
    /// Recalls that a strict tenant is shown whole.
    kept: Share,
    /// Recalls of which any tenant is advised to use the memory as it is.
    used: Share,
}

/// Recalls of one person, `gap` days apart in the middle and a week elsewhere: before every call but the first.
fn of_one(dialogues: &[Dialogue], names: &[String], gap: i64) -> Counts {
    let mut counts = Counts::default();
    for (place, calls) in dialogues.chunks_exact(CALLS).enumerate() {
        let mut number = Number::new();
        for (call, dialogue) in calls.iter().enumerate() {
            if call > 0 {
                number.now_ms += DAY_MS * if call == CALLS / 2 { gap } else { WEEK };
                let whole = number.recall(IdentityMode::Off).1;
                let shown = number.recall(IdentityMode::Strict).1;
                let keeps = (shown.facts, shown.recent_calls) == (whole.facts, whole.recent_calls);
                counts.kept.count(keeps);
                let advice = number.recall(IdentityMode::Confirm).0;
                counts.used.count(advice == Recommendation::Use);
            }
            // Two in five never say a name.
            let name = (place % 5 < 3).then(|| &names[place % names.len()]);
            number.call(
                dialogue,
                &name.map_or(String::new(), |name| introduction(name, call + place)),
            );
        }
    }
    counts
}

/// Recalls of the second of two persons once there is evidence of them: of these, how many show a fact, a call or the
/// name of the first one; and how many show what the second one said before.
fn of_two(dialogues: &[Dialogue], names: &[String], scene: Scene) -> (Share, Share) {
    let (mut leaks, mut own) = (Share::default(), Share::default());
    for (place, calls) in dialogues.chunks_exact(2 * CALLS).enumerate() {
        let first = &names[place % names.len()];
        // Every pair of names comes, those too that share a part.
        let second = &names[(place + 1 + place / names.len() % (names.len() - 1)) % names.len()];
        let mut number = Number::new();
        for (call, dialogue) in calls[..CALLS].iter().enumerate() {
            number.call(dialogue, &introduction(first, call));
            number.now_ms += DAY_MS * if call + 1 < CALLS { WEEK } else { scene.gap };
        }
        if scene.has_other_carrier {
            number.changes_carrier();
        }
        for (call, dialogue) in calls[CALLS..].iter().enumerate() {
            if call > 0 || scene.gap == SILENCE {
                let shown = number.recall(IdentityMode::Strict).1;
                let is_firsts = |call_id: CallId| call_id.0.as_u128() < CALLS as u128;
                let names_first = shown.caller.name.as_deref() == Some(first.as_str());
                let shows_first = shown.facts.iter().any(|fact| fact.call_id.is_some_and(is_firsts))
                    || shown.recent_calls.iter().any(|call| is_firsts(call.call_id));
                leaks.count(shows_first || names_first);
                if call > 1 {
                    own.count(shown.recent_calls.iter().any(|call| !is_firsts(call.call_id)));
                }
            }
            let said = if scene.is_named {
                introduction(second, call)
            } else {
                String::new()
            };
            number.call(dialogue, &said);
            number.now_ms += DAY_MS * WEEK;
        }
    }
    (leaks, own)
}

/// Prints what a strict tenant is kept from and keeps.
pub(crate) fn print(dialogues: &[Dialogue], mut names: Vec<String>) {
    names.sort();
    names.dedup();
    if names.len() < 2 {
        println!("identity: fewer than two names, nothing measured");
        return;
    }
    println!("who is behind a number, {} names", names.len());
    println!(
        "  {:<42} {:>9} {:>13}",
        "one person, recalls in percent", "kept", "advised: use"
    );
    for (title, gap) in [
        ("calls a week apart", WEEK),
        ("120 days of silence in between", SILENCE),
    ] {
        let Counts { kept, used } = of_one(dialogues, &names, gap);
        println!("  {title:<42} {kept:>9} {used:>13}");
    }
    println!(
        "  {:<42} {:>9} {:>13}",
        "two persons, recalls of the second", "leaks", "own is shown"
    );
    for scene in SCENES {
        let (leaks, own) = of_two(dialogues, &names, scene);
        println!("  {:<42} {leaks:>9} {own:>13}", scene.title);
    }
}
