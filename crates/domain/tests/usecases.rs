//! The use cases over mocked ports: scope first, degraded instead of failed, and what reaches the memory.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use domain::{
    CallerService,
    access::{KeyId, OnRefusedConsent, Principal, Scope, Scopes, TenantId, TenantSettings},
    call::{CallId, CallOutcome, Contact, EndedCall, RecentCall, Role, SessionId, Turn, contact, started_at_ms},
    caller::{Caller, DoNotCall},
    context::{CallContext, Deadline},
    enrichment::{CachedLookup, Enrichment, Person, ShownEnrichment, Ttl},
    error::{Error, PortError},
    facts::{FactKey, KnownFact, Status, Terms},
    identity::{Attestation, IdentityMode, Recommendation, Signal, StatedName, Trace, Withheld},
    json::JsonObject,
    memory::{Arrival, Recollection},
    phone::PhoneNumber,
    port::{
        Clock, EnrichmentAnswer, RecallQuery, Stage,
        enrichment::{MockEnricher, MockEnrichmentCache},
        memory::MockCallerMemory,
        probe::MockProbe,
    },
    recall::Recall,
    themes::Themes,
    usecase::{CallerPorts, CallerRules, RecallInput},
};
use mockall::{Sequence, predicate::eq};
use uuid::Uuid;

const NOW_MS: i64 = 1_790_000_000_000;

/// How far the monotonic clock goes on each time it is read.
const TICK: Duration = Duration::from_millis(10);

/// Shows one wall-clock time for ever, and a monotonic time that a reading moves on: what is measured takes one tick.
struct TickingClock {
    began: Instant,
    readings: AtomicU32,
}

impl TickingClock {
    fn new() -> Self {
        Self {
            began: some_instant(),
            readings: AtomicU32::new(0),
        }
    }
}

impl Clock for TickingClock {
    fn now_ms(&self) -> i64 {
        NOW_MS
    }

    fn instant(&self) -> Instant {
        self.began + TICK * self.readings.fetch_add(1, Ordering::Relaxed)
    }
}

#[expect(clippy::disallowed_methods, reason = "a test has to begin somewhere")]
fn some_instant() -> Instant {
    Instant::now()
}

/// The use cases over a memory, with an enricher that knows what it is told and asks nobody.
fn service(memory: MockCallerMemory, degraded: usize) -> CallerService {
    let mut enricher = MockEnricher::new();
    enricher.expect_enrich().returning(|query, _| EnrichmentAnswer {
        lookups: query.cached,
        ..EnrichmentAnswer::default()
    });
    let mut lookups = MockEnrichmentCache::new();
    lookups
        .expect_lookups()
        .returning(|_, _, _| Ok(vec![named_by("twilio", 70)]));
    enriched_service(memory, lookups, enricher, degraded)
}

fn enriched_service(
    memory: MockCallerMemory,
    lookups: MockEnrichmentCache,
    enricher: MockEnricher,
    degraded: usize,
) -> CallerService {
    let mut probe = MockProbe::new();
    probe.expect_stage().return_const(());
    probe.expect_facts().return_const(());
    probe.expect_degraded().times(degraded).return_const(());
    bare_service(memory, lookups, enricher, probe)
}

/// The use cases over these mocks and nothing else.
fn bare_service(
    memory: MockCallerMemory,
    lookups: MockEnrichmentCache,
    enricher: MockEnricher,
    probe: MockProbe,
) -> CallerService {
    let ports = CallerPorts {
        memory: Arc::new(memory),
        lookups: Arc::new(lookups),
        enricher: Arc::new(enricher),
        clock: Arc::new(TickingClock::new()),
        probe: Arc::new(probe),
    };
    let rules = CallerRules {
        default_region: "US".parse().unwrap(),
        ttl: Ttl::default(),
        unfinished_after: Duration::from_hours(2),
        summary: domain::summary::SummaryLength::default(),
    };
    CallerService::new(ports, rules)
}

/// An answer of `vendor` that names a person.
fn named_by(vendor: &str, age_ms: i64) -> CachedLookup {
    let person = Person {
        name: Some("Maren Okafor".to_owned()),
        ..Person::default()
    };
    CachedLookup {
        vendor: vendor.to_owned(),
        fetched_at_ms: NOW_MS - age_ms,
        found: Enrichment {
            person: Some(person),
            ..Enrichment::default()
        },
        former: None,
    }
}

fn context(scopes: &[Scope], region: Option<&str>) -> CallContext {
    CallContext {
        principal: Principal {
            key_id: KeyId(Uuid::from_u128(1)),
            tenant_id: TenantId(Uuid::from_u128(2)),
            scopes: scopes.iter().copied().collect(),
            settings: TenantSettings {
                region: region.map(|region| region.parse().unwrap()),
                ..TenantSettings::default()
            },
        },
        deadline: Deadline(some_instant() + Duration::from_secs(1)),
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736".to_owned(),
    }
}

/// A key of a tenant whose days begin in `zone`.
fn in_zone(scopes: &[Scope], zone: Option<&str>) -> CallContext {
    let mut ctx = context(scopes, None);
    ctx.principal.settings.time_zone = zone.map(|zone| zone.parse().unwrap());
    ctx
}

fn number() -> PhoneNumber {
    PhoneNumber::from_e164("+12025550142").unwrap()
}

fn ended_call() -> EndedCall {
    EndedCall {
        session_id: SessionId("s-1".to_owned()),
        number: number(),
        transcript: vec![Turn {
            role: Role::User,
            text: "I need a plumber tomorrow".to_owned(),
            ts_ms: 0.0,
        }],
        duration_s: 60.0,
        outcome: CallOutcome::Other,
        agent_metadata: None,
    }
}

fn recollection() -> Recollection {
    Recollection {
        known: true,
        caller: Caller {
            name: None,
            first_seen_ms: NOW_MS - 10_000,
            last_seen_ms: NOW_MS - 5_000,
            total_calls: 1,
            tags: vec!["vip".to_owned()],
            custom_attributes: JsonObject::default(),
            corrections: Vec::new(),
            do_not_call: None,
        },
        memory_changed_ms: Some(NOW_MS - 2_000),
        summary: None,
        recent_calls: vec![RecentCall {
            call_id: CallId(Uuid::from_u128(9)),
            started_at_ms: NOW_MS - 60_000,
            duration_s: 58.0,
            summary: "Caller asked for a plumber.".to_owned(),
            outcome: CallOutcome::Other,
        }],
        facts: Vec::new(),
        themes: Themes::default(),
        gaps: 2,
        trace: Trace::default(),
        lookups: Vec::new(),
    }
}

fn input(session_id: Option<&str>) -> RecallInput {
    RecallInput {
        number: number(),
        session_id: session_id.map(|id| SessionId(id.to_owned())),
        attestation: None,
    }
}

/// Recalls the caller with a key that may.
async fn recall(service: &CallerService, session_id: Option<&str>) -> Recall {
    let ctx = context(&[Scope::Recall], None);
    let permit = service.permit_recall(&ctx).unwrap();
    service.recall_and_enrich(permit, input(session_id)).await
}

/// Ends the call with a key that may.
async fn end(service: &CallerService, call: EndedCall) -> Result<(), PortError> {
    let ctx = context(&[Scope::CallsWrite], None);
    let permit = service.permit_end_call(&ctx).unwrap();
    service.end_call(permit, call).await
}

/// Reads the caller with a key that may.
async fn get(service: &CallerService) -> Result<Caller, Error> {
    let ctx = context(&[Scope::CallersRead], None);
    let permit = service.permit_get_caller(&ctx).unwrap();
    service.get_caller(permit, &number()).await
}

#[test]
fn a_missing_scope_is_refused_before_the_input_is_read() {
    // A call of any port would fail: nothing is expected of them.
    let service = bare_service(
        MockCallerMemory::new(),
        MockEnrichmentCache::new(),
        MockEnricher::new(),
        MockProbe::new(),
    );
    let without = |scope: Scope| {
        let others: Vec<Scope> = Scope::ALL.into_iter().filter(|other| *other != scope).collect();
        context(&others, None)
    };
    let refused = service.permit_recall(&without(Scope::Recall)).map(drop);
    assert!(
        matches!(refused, Err(Error::InsufficientScope(Scope::Recall))),
        "{refused:?}"
    );
    let refused = service.permit_end_call(&without(Scope::CallsWrite)).map(drop);
    assert!(
        matches!(refused, Err(Error::InsufficientScope(Scope::CallsWrite))),
        "{refused:?}"
    );
    let refused = service.permit_get_caller(&without(Scope::CallersRead)).map(drop);
    assert!(
        matches!(refused, Err(Error::InsufficientScope(Scope::CallersRead))),
        "{refused:?}"
    );
}

#[test]
fn one_scope_permits_its_use_case_alone() {
    let service = bare_service(
        MockCallerMemory::new(),
        MockEnrichmentCache::new(),
        MockEnricher::new(),
        MockProbe::new(),
    );
    for scope in Scope::ALL {
        let ctx = context(&[scope], None);
        let permitted = [
            (Scope::Recall, service.permit_recall(&ctx).is_ok()),
            (Scope::CallsWrite, service.permit_end_call(&ctx).is_ok()),
            (Scope::CallersRead, service.permit_get_caller(&ctx).is_ok()),
        ];
        for (needed, given) in permitted {
            assert_eq!(given, needed == scope, "{needed:?} with {scope:?}");
        }
    }
}

#[tokio::test]
async fn a_recall_shows_what_is_remembered() {
    let mut memory = MockCallerMemory::new();
    memory
        .expect_recall()
        .withf(|tenant, query: &RecallQuery, _| {
            *tenant == TenantId(Uuid::from_u128(2))
                && query.now_ms == NOW_MS
                && query.session_id == Some(SessionId("s-1".to_owned()))
        })
        .times(1)
        .returning(|_, _, _| Ok(recollection()));
    let recall = recall(&service(memory, 0), Some("s-1")).await;
    assert!(recall.known && recall.degraded.is_none());
    assert_eq!(recall.caller, Some(recollection().caller));
    assert_eq!(recall.recent_calls, recollection().recent_calls);
    assert_eq!(recall.memory_age_ms, Some(2_000));
    assert!(!recall.summary.is_empty(), "a caller with a call has a summary");
    assert_eq!(recall.enrichment, ShownEnrichment::default());
    assert_eq!((recall.cache_hit, recall.enrichment_age_ms), (false, None));
}

#[tokio::test]
async fn a_language_models_summary_comes_before_that_of_the_rules() {
    let mut memory = MockCallerMemory::new();
    let read = Recollection {
        summary: Some("Caller needs a plumber.".to_owned()),
        ..recollection()
    };
    memory.expect_recall().return_once(move |_, _, _| Ok(read));
    let recall = recall(&service(memory, 0), None).await;
    assert_eq!(recall.summary, "Caller needs a plumber.");
}

#[tokio::test]
async fn a_failed_read_degrades_the_recall_and_shows_nothing() {
    let mut memory = MockCallerMemory::new();
    memory
        .expect_recall()
        .returning(|_, _, _| Err(PortError::deadline("recall")));
    let recall = recall(&service(memory, 1), None).await;
    assert!(matches!(recall.degraded, Some(PortError::Unavailable(_))));
    assert!(!recall.known && recall.caller.is_none() && recall.summary.is_empty() && recall.recent_calls.is_empty());
    assert_eq!(recall.enrichment, ShownEnrichment::default());
    assert!(recall.memory_age_ms.is_none() && recall.enrichment_age_ms.is_none());
}

#[test]
fn the_tenants_region_comes_before_the_default() {
    let service = service(MockCallerMemory::new(), 0);
    for (own, expected) in [(None, "US"), (Some("GB"), "GB")] {
        let ctx = context(&Scope::ALL, own);
        assert_eq!(service.permit_recall(&ctx).unwrap().region().as_str(), expected);
        assert_eq!(service.permit_end_call(&ctx).unwrap().region().as_str(), expected);
    }
}

#[tokio::test]
async fn tomorrow_follows_the_day_where_the_tenant_is() {
    // 3 July 2026, 03:30 in UTC, when it is still 2 July in New York.
    let began_ms = 1_783_049_400_000.0;
    let turn = |role, text: &str, after_ms: f64| Turn {
        role,
        text: text.to_owned(),
        ts_ms: began_ms + after_ms,
    };
    let call = EndedCall {
        transcript: vec![
            turn(Role::User, "Can I have a haircut tomorrow at 3 pm?", 0.0),
            turn(Role::Agent, "Your haircut is booked for tomorrow at 3 pm.", 4_000.0),
        ],
        ..ended_call()
    };
    for (zone, when) in [
        (None, "2026-07-04T15:00"),
        (Some("America/New_York"), "2026-07-03T15:00"),
    ] {
        let mut memory = MockCallerMemory::new();
        memory.expect_record_end().times(1).returning(move |_, record, _| {
            let terms = record.facts.iter().filter_map(|said| said.fact.terms.as_ref());
            let agreed: Vec<_> = terms.map(|terms| terms.when.as_deref()).collect();
            assert_eq!(agreed, [Some(when)]);
            Ok(())
        });
        let service = service(memory, 0);
        let ctx = in_zone(&[Scope::CallsWrite], zone);
        let permit = service.permit_end_call(&ctx).unwrap();
        service.end_call(permit, call.clone()).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_for_today_is_to_come_until_the_tenants_day_ends() {
    let agreed = KnownFact {
        key: FactKey::Appointment,
        value: "haircut at noon".to_owned(),
        quote: "your haircut at noon is booked".to_owned(),
        call_id: Some(CallId(Uuid::from_u128(8))),
        said_at_ms: NOW_MS - 86_400_000,
        observed_at_ms: NOW_MS - 86_400_000,
        terms: Some(Terms {
            when: Some("2026-09-21T12:00".to_owned()),
            status: Status::Agreed,
        }),
    };
    // The clock shows 21 September 2026, 14:13 in UTC; on Kiritimati the next day has begun.
    for (zone, told, last) in [
        (
            None,
            "Agreed: \"haircut at noon\" (2026-09-21 12:00).",
            "21 September 2026",
        ),
        (
            Some("Pacific/Kiritimati"),
            "Past: \"haircut at noon\" (2026-09-21 12:00).",
            "22 September 2026",
        ),
    ] {
        let mut memory = MockCallerMemory::new();
        let facts = vec![agreed.clone()];
        memory.expect_recall().times(1).return_once(move |_, _, _| {
            Ok(Recollection {
                facts,
                ..recollection()
            })
        });
        let service = service(memory, 0);
        let ctx = in_zone(&[Scope::Recall], zone);
        let permit = service.permit_recall(&ctx).unwrap();
        let summary = service.recall_and_enrich(permit, input(None)).await.summary;
        assert!(summary.contains(told) && summary.contains(last), "{zone:?}: {summary}");
    }
}

#[tokio::test]
async fn what_is_kept_of_a_call_without_consent_is_the_tenants_choice() {
    let turn = |role, text: &str| Turn {
        role,
        text: text.to_owned(),
        ts_ms: 0.0,
    };
    let refusing = EndedCall {
        transcript: vec![
            turn(Role::Agent, "Your haircut is booked for tomorrow at three."),
            turn(
                Role::User,
                "My name is Maren Okafor. Please don't record this, and take me off your list.",
            ),
        ],
        ..ended_call()
    };
    let agreeing = ended_call();
    for (kept, call, is_withheld) in [
        (None, &refusing, false),
        (Some(OnRefusedConsent::Store), &refusing, false),
        (Some(OnRefusedConsent::MetadataOnly), &refusing, true),
        (Some(OnRefusedConsent::MetadataOnly), &agreeing, false),
    ] {
        let (asks, reported) = (*call == refusing, call.clone());
        let mut memory = MockCallerMemory::new();
        memory.expect_record_end().times(1).returning(move |_, record, _| {
            let keys: Vec<_> = record.facts.iter().map(|said| said.fact.key).collect();
            let quote = record.no_more_calls.as_ref().map(|wish| wish.quote.as_str());
            assert_eq!(quote, asks.then_some("take me off your list"), "{keys:?}");
            assert_eq!(
                (record.call.duration_s, record.call.outcome),
                (reported.duration_s, reported.outcome)
            );
            if is_withheld {
                assert_eq!(keys, [FactKey::Consent]);
                assert!(record.call.transcript.is_empty() && record.summary.is_empty());
            } else {
                assert_eq!(record.call, reported);
                assert_eq!(keys.contains(&FactKey::Consent), asks);
                assert!(!record.summary.is_empty());
            }
            Ok(())
        });
        let service = service(memory, 0);
        let mut ctx = context(&[Scope::CallsWrite], None);
        ctx.principal.settings.on_refused_consent = kept;
        let permit = service.permit_end_call(&ctx).unwrap();
        service.end_call(permit, call.clone()).await.unwrap();
    }
}

#[tokio::test]
async fn a_caller_who_is_not_to_be_called_is_told_of_first() {
    for (summary, rest) in [
        (None, "1 call so far"),
        (Some("Caller likes tea.".to_owned()), "Caller likes tea."),
    ] {
        let mut memory = MockCallerMemory::new();
        memory.expect_recall().return_once(move |_, _, _| {
            let mut read = recollection();
            read.caller.do_not_call = Some(DoNotCall {
                at_ms: 1_783_053_000_000,
                quote: Some("stop calling me".to_owned()),
                call_id: None,
            });
            read.summary = summary;
            Ok(read)
        });
        let told = recall(&service(memory, 0), None).await.summary;
        let expected = format!("Asked not to be called again (3 July 2026). {rest}");
        assert!(told.starts_with(&expected), "{told}");
    }
}

#[tokio::test]
async fn call_ends_are_numbered_as_they_arrive() {
    let mut memory = MockCallerMemory::new();
    let mut expected = 0;
    memory.expect_record_end().times(3).returning(move |_, record, _| {
        assert_eq!(record.arrival, Arrival(expected));
        assert_eq!((record.received_at_ms, record.started_at_ms), (NOW_MS, NOW_MS - 60_000));
        expected += 1;
        Ok(())
    });
    let service = service(memory, 0);
    for _ in 0..3 {
        end(&service, ended_call()).await.unwrap();
    }
}

#[tokio::test]
async fn a_memory_that_fails_is_an_error_and_never_an_unknown_caller() {
    let mut memory = MockCallerMemory::new();
    memory
        .expect_record_end()
        .returning(|_, _, _| Err(PortError::deadline("record_end")));
    memory
        .expect_caller()
        .times(1)
        .returning(|_, _, _| Err(PortError::deadline("caller")));
    memory.expect_caller().times(1).returning(|_, _, _| Ok(None));
    let service = service(memory, 0);
    let ended = end(&service, ended_call()).await;
    assert!(matches!(ended, Err(PortError::Unavailable(_))), "{ended:?}");
    let failed = get(&service).await;
    assert!(
        matches!(failed, Err(Error::Port(PortError::Unavailable(_)))),
        "{failed:?}"
    );
    let unknown = get(&service).await;
    assert!(matches!(unknown, Err(Error::NotFound)), "{unknown:?}");
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "epoch milliseconds are far below 2^53")]
fn a_call_begins_at_its_first_epoch_time_or_a_duration_ago() {
    let with_first = |ts_ms: f64| {
        let mut call = ended_call();
        call.transcript[0].ts_ms = ts_ms;
        started_at_ms(&call, NOW_MS)
    };
    let a_duration_ago = NOW_MS - 60_000;
    assert_eq!(with_first((NOW_MS - 90_000) as f64), NOW_MS - 90_000);
    assert_eq!(with_first(1_591_060_435_762.0), 1_591_060_435_762);
    for relative in [
        0.0,
        1_500.0,
        -5.0,
        1_591_060_435.0,
        f64::MAX,
        (NOW_MS + 2 * 86_400_000) as f64,
    ] {
        assert_eq!(with_first(relative), a_duration_ago, "{relative}");
    }
    let silent = EndedCall {
        transcript: Vec::new(),
        duration_s: 1e300,
        ..ended_call()
    };
    assert_eq!(
        started_at_ms(&silent, NOW_MS),
        0,
        "an absurd duration does not overflow"
    );
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "epoch milliseconds are far below 2^53")]
fn a_call_is_a_contact_when_it_happened_or_when_it_is_reported() {
    let contact_of = |ts_ms: f64, duration_s: f64| {
        let mut call = ended_call();
        call.transcript[0].ts_ms = ts_ms;
        call.duration_s = duration_s;
        let Contact { first_ms, last_ms } = contact(&call, NOW_MS);
        (first_ms, last_ms)
    };
    let ago = |ms: i64| (NOW_MS - ms) as f64;
    let reported = (NOW_MS, NOW_MS);
    assert_eq!(contact_of(ago(90_000), 60.0), (NOW_MS - 90_000, NOW_MS - 30_000));
    assert_eq!(contact_of(ago(90_000), 0.0), (NOW_MS - 90_000, NOW_MS - 90_000));
    assert_eq!(
        contact_of(ago(30_000), 60.0),
        (NOW_MS - 30_000, NOW_MS),
        "not after the report"
    );
    assert_eq!(contact_of(ago(-60_000), 60.0), reported, "a clock that runs ahead");
    assert_eq!(contact_of(1_500.0, 60.0), reported, "no epoch time");
    assert_eq!(contact_of(ago(90_000), f64::MAX), (NOW_MS - 90_000, NOW_MS));
}

#[test]
fn scopes_are_a_set_with_names() {
    let set: Scopes = [Scope::Recall, Scope::CallersRead, Scope::Recall].into_iter().collect();
    assert_eq!(
        set.iter().map(Scope::as_str).collect::<Vec<_>>(),
        ["recall", "callers:read"]
    );
    assert!(!set.contains(Scope::CallsWrite) && Scopes::all().contains(Scope::CallsWrite));
    assert_eq!("calls:write".parse(), Ok(Scope::CallsWrite));
    assert!(
        "calls"
            .parse::<Scope>()
            .unwrap_err()
            .to_string()
            .contains("calls:write")
    );
}

#[tokio::test]
async fn a_recall_is_completed_by_look_ups_and_says_what_was_cut() {
    let mut memory = MockCallerMemory::new();
    let cached = named_by("twilio", 900);
    let read = Recollection {
        lookups: vec![cached.clone()],
        ..recollection()
    };
    memory.expect_recall().return_once(move |_, _, _| Ok(read));
    let mut enricher = MockEnricher::new();
    enricher
        .expect_enrich()
        .withf(move |query, _| query.cached == [cached.clone()] && query.tenant == TenantId(Uuid::from_u128(2)))
        .times(1)
        .returning(|query, _| EnrichmentAnswer {
            lookups: query.cached,
            called: vec!["pdl".to_owned()],
            cut: vec!["trestle".to_owned()],
        });
    let service = enriched_service(memory, MockEnrichmentCache::new(), enricher, 0);
    let recall = recall(&service, None).await;
    assert_eq!(recall.cut, ["enrichment.trestle"]);
    assert_eq!((recall.cache_hit, recall.enrichment_age_ms), (true, Some(900)));
    let person = recall.enrichment.person.expect("a person is shown");
    assert_eq!((person.source.as_str(), person.fetched_at_ms), ("twilio", NOW_MS - 900));
    let name = recall.caller.and_then(|caller| caller.name);
    assert_eq!(name.as_deref(), Some("Maren Okafor"), "nobody else named the caller");
}

#[tokio::test]
async fn a_degraded_recall_looks_nothing_up() {
    let mut memory = MockCallerMemory::new();
    memory
        .expect_recall()
        .returning(|_, _, _| Err(PortError::deadline("recall")));
    // A call of either would fail: nothing is expected of them.
    let service = enriched_service(memory, MockEnrichmentCache::new(), MockEnricher::new(), 1);
    assert!(recall(&service, None).await.degraded.is_some());
}

#[tokio::test]
async fn a_profile_takes_its_name_from_kept_look_ups_and_asks_nobody() {
    let read = |name: Option<&str>| {
        let name = name.map(str::to_owned);
        let mut memory = MockCallerMemory::new();
        memory.expect_caller().return_once(move |_, _, _| {
            Ok(Some(Caller {
                name,
                ..recollection().caller
            }))
        });
        memory
    };
    let mut lookups = MockEnrichmentCache::new();
    lookups
        .expect_lookups()
        .times(1)
        .returning(|_, _, _| Ok(vec![named_by("twilio", 5)]));
    let unnamed = enriched_service(read(None), lookups, MockEnricher::new(), 0);
    let caller = get(&unnamed).await.unwrap();
    assert_eq!(caller.name.as_deref(), Some("Maren Okafor"));

    let named = enriched_service(read(Some("Jo")), MockEnrichmentCache::new(), MockEnricher::new(), 0);
    let caller = get(&named).await.unwrap();
    assert_eq!(caller.name.as_deref(), Some("Jo"));
}

/// A probe that wants to be told of exactly these stages, in this order, one tick each.
fn probe_of(stages: &[Stage]) -> MockProbe {
    let mut probe = MockProbe::new();
    let mut order = Sequence::new();
    for stage in stages {
        probe
            .expect_stage()
            .with(eq(*stage), eq(TICK))
            .times(1)
            .in_sequence(&mut order)
            .return_const(());
    }
    probe
}

#[tokio::test]
async fn a_recall_reads_the_memory_and_then_looks_up_each_by_the_deadline() {
    let ctx = context(&[Scope::Recall], None);
    let (tenant, deadline) = (ctx.principal.tenant_id, ctx.deadline);
    let (mut memory, mut enricher, mut order) = (MockCallerMemory::new(), MockEnricher::new(), Sequence::new());
    let query = RecallQuery {
        number: number(),
        session_id: Some(SessionId("s-1".to_owned())),
        now_ms: NOW_MS,
        unfinished_before_ms: NOW_MS - 2 * 3_600_000,
    };
    memory
        .expect_recall()
        .with(eq(tenant), eq(query), eq(deadline))
        .times(1)
        .in_sequence(&mut order)
        .return_once(|_, _, _| Ok(recollection()));
    enricher
        .expect_enrich()
        .withf(move |query, until| query.tenant == tenant && query.number == number() && *until == deadline)
        .times(1)
        .in_sequence(&mut order)
        .return_once(|_, _| EnrichmentAnswer::default());
    let probe = probe_of(&[Stage::MemoryRecall, Stage::Enrichment]);
    let service = bare_service(memory, MockEnrichmentCache::new(), enricher, probe);
    let permit = service.permit_recall(&ctx).unwrap();
    let recall = service.recall_and_enrich(permit, input(Some("s-1"))).await;
    assert_eq!((recall.memory_ms, recall.enrichment_ms), (10.0, 10.0));
    assert_eq!((recall.gaps, recall.facts), (Some(2), Some(Vec::new())));
    assert!(recall.cut.is_empty());
}

#[tokio::test]
async fn a_memory_that_fails_in_whatever_way_degrades_a_recall_after_its_time_was_told() {
    for failure in [
        || PortError::deadline("recall"),
        || PortError::Internal("a row that cannot be read".into()),
    ] {
        let mut memory = MockCallerMemory::new();
        memory
            .expect_recall()
            .times(1)
            .return_once(move |_, _, _| Err(failure()));
        let mut probe = probe_of(&[Stage::MemoryRecall]);
        probe.expect_degraded().times(1).return_const(());
        let service = bare_service(memory, MockEnrichmentCache::new(), MockEnricher::new(), probe);
        let recall = recall(&service, None).await;
        let kept = recall.degraded.expect("the recall is degraded");
        assert_eq!(kept.to_string(), failure().to_string(), "the cause is kept for the log");
        assert_eq!((recall.memory_ms, recall.enrichment_ms), (10.0, 0.0));
        assert_eq!((recall.gaps, recall.facts), (None, None), "nothing is claimed");
    }
}

#[tokio::test]
async fn a_first_contact_is_unknown_and_has_no_summary() {
    let mut memory = MockCallerMemory::new();
    memory.expect_recall().return_once(|_, _, _| {
        Ok(Recollection {
            known: false,
            caller: Caller {
                total_calls: 0,
                ..recollection().caller
            },
            memory_changed_ms: None,
            recent_calls: Vec::new(),
            gaps: 0,
            ..recollection()
        })
    });
    let recall = recall(&service(memory, 0), None).await;
    assert!(!recall.known && recall.degraded.is_none() && recall.summary.is_empty());
    assert_eq!((recall.gaps, recall.memory_age_ms), (Some(0), None));
}

#[tokio::test]
async fn a_call_end_is_read_for_facts_and_summed_up_before_it_is_committed_by_the_deadline() {
    let ctx = context(&[Scope::CallsWrite], None);
    let (tenant, deadline) = (ctx.principal.tenant_id, ctx.deadline);
    let call = EndedCall {
        transcript: vec![Turn {
            role: Role::User,
            text: "My name is Maren Okafor and I need a plumber tomorrow.".to_owned(),
            ts_ms: 2_000.0,
        }],
        ..ended_call()
    };
    let expected = call.clone();
    let mut memory = MockCallerMemory::new();
    memory
        .expect_record_end()
        .withf(move |asked, record, until| {
            let said = record
                .facts
                .iter()
                .map(|said| (said.fact.value.as_str(), said.said_at_ms));
            let name = ("Maren Okafor", record.started_at_ms + 2_000);
            (*asked, *until) == (tenant, deadline)
                && record.call == expected
                && record.summary.contains("plumber")
                && said.into_iter().any(|said| said == name)
        })
        .times(1)
        .return_once(|_, _, _| Ok(()));
    let mut probe = probe_of(&[Stage::Facts, Stage::Summary, Stage::MemoryRecordEnd]);
    probe.expect_facts().times(1..).return_const(());
    let service = bare_service(memory, MockEnrichmentCache::new(), MockEnricher::new(), probe);
    let permit = service.permit_end_call(&ctx).unwrap();
    service.end_call(permit, call).await.unwrap();
}

#[tokio::test]
async fn a_report_has_the_number_of_its_permit_however_late_its_body_comes() {
    let mut memory = MockCallerMemory::new();
    let mut order = Sequence::new();
    for arrival in [Arrival(1), Arrival(0)] {
        memory
            .expect_record_end()
            .withf(move |_, record, _| record.arrival == arrival)
            .times(1)
            .in_sequence(&mut order)
            .return_once(|_, _, _| Ok(()));
    }
    let service = service(memory, 0);
    let ctx = context(&[Scope::CallsWrite], None);
    let first = service.permit_end_call(&ctx).unwrap();
    let second = service.permit_end_call(&ctx).unwrap();
    service.end_call(second, ended_call()).await.unwrap();
    service.end_call(first, ended_call()).await.unwrap();
}

#[tokio::test]
async fn a_call_end_that_is_not_committed_says_why_after_its_time_was_told() {
    let mut memory = MockCallerMemory::new();
    memory
        .expect_record_end()
        .times(1)
        .return_once(|_, _, _| Err(PortError::Internal("the disk is full".into())));
    let mut probe = probe_of(&[Stage::Facts, Stage::Summary, Stage::MemoryRecordEnd]);
    probe.expect_facts().return_const(());
    let service = bare_service(memory, MockEnrichmentCache::new(), MockEnricher::new(), probe);
    let ended = end(&service, ended_call()).await;
    let cause = match ended {
        Err(PortError::Internal(cause)) => cause.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(cause, "the disk is full");
}

#[tokio::test]
async fn a_profile_is_read_by_the_deadline_and_then_its_kept_look_ups() {
    let ctx = context(&[Scope::CallersRead], None);
    let (tenant, deadline) = (ctx.principal.tenant_id, ctx.deadline);
    let (mut memory, mut lookups, mut order) = (MockCallerMemory::new(), MockEnrichmentCache::new(), Sequence::new());
    memory
        .expect_caller()
        .with(eq(tenant), eq(number()), eq(deadline))
        .times(1)
        .in_sequence(&mut order)
        .return_once(|_, _, _| Ok(Some(recollection().caller)));
    lookups
        .expect_lookups()
        .with(eq(tenant), eq(number()), eq(deadline))
        .times(1)
        .in_sequence(&mut order)
        .return_once(|_, _, _| Ok(Vec::new()));
    let service = bare_service(memory, lookups, MockEnricher::new(), probe_of(&[Stage::MemoryCaller]));
    let permit = service.permit_get_caller(&ctx).unwrap();
    let caller = service.get_caller(permit, &number()).await.unwrap();
    assert_eq!(caller, recollection().caller, "without a name that anybody knows");
}

#[tokio::test]
async fn an_unknown_caller_has_no_look_ups_read_and_look_ups_that_fail_are_an_error() {
    let mut memory = MockCallerMemory::new();
    memory.expect_caller().return_once(|_, _, _| Ok(None));
    let service = bare_service(
        memory,
        MockEnrichmentCache::new(),
        MockEnricher::new(),
        probe_of(&[Stage::MemoryCaller]),
    );
    assert!(matches!(get(&service).await, Err(Error::NotFound)));

    let mut memory = MockCallerMemory::new();
    memory
        .expect_caller()
        .return_once(|_, _, _| Ok(Some(recollection().caller)));
    let mut lookups = MockEnrichmentCache::new();
    lookups
        .expect_lookups()
        .times(1)
        .return_once(|_, _, _| Err(PortError::deadline("lookups")));
    let service = bare_service(memory, lookups, MockEnricher::new(), probe_of(&[Stage::MemoryCaller]));
    let failed = get(&service).await;
    assert!(
        matches!(failed, Err(Error::Port(PortError::Unavailable(_)))),
        "{failed:?}"
    );
}

/// Two calls, in which different names were stated, and a fact of each.
fn of_two_persons() -> Recollection {
    let call = |id| CallId(Uuid::from_u128(id));
    let said = |id, key, value: &str| KnownFact {
        key,
        value: value.to_owned(),
        quote: value.to_owned(),
        call_id: Some(call(id)),
        said_at_ms: NOW_MS - 100_000 + i64::try_from(id).unwrap(),
        observed_at_ms: NOW_MS,
        terms: None,
    };
    let stated = |id, name: &str| StatedName {
        call_id: call(id),
        at_ms: NOW_MS - 100_000 + i64::try_from(id).unwrap(),
        name: name.to_owned(),
    };
    let first = recollection().recent_calls.remove(0);
    let recent = |id| RecentCall {
        call_id: call(id),
        ..first.clone()
    };
    Recollection {
        caller: Caller {
            name: Some("Tom Baker".to_owned()),
            total_calls: 2,
            custom_attributes: JsonObject::from_validated("{\"plan\":\"gold\"}".to_owned()),
            ..recollection().caller
        },
        summary: Some("Ana Ruiz wants a plumber.".to_owned()),
        recent_calls: vec![recent(2), recent(1)],
        facts: vec![
            said(2, FactKey::Name, "Tom Baker"),
            said(1, FactKey::Email, "ana@example.com"),
        ],
        trace: Trace::new(
            vec![stated(1, "Ana Ruiz"), stated(2, "Tom Baker")],
            Some(NOW_MS - 90_000),
            None,
        ),
        ..recollection()
    }
}

/// Recalls what was read for a tenant of this mode, with a look-up that names somebody.
async fn recall_as(mode: IdentityMode, read: Recollection, attestation: Option<Attestation>) -> Recall {
    let mut memory = MockCallerMemory::new();
    memory.expect_recall().return_once(move |_, _, _| Ok(read));
    let mut enricher = MockEnricher::new();
    enricher.expect_enrich().return_once(|_, _| EnrichmentAnswer {
        lookups: vec![named_by("trestle", 1_000)],
        ..EnrichmentAnswer::default()
    });
    let service = bare_service(memory, MockEnrichmentCache::new(), enricher, lenient_probe());
    let mut ctx = context(&[Scope::Recall], None);
    ctx.principal.settings.identity = Some(mode);
    let permit = service.permit_recall(&ctx).unwrap();
    let input = RecallInput {
        attestation,
        ..input(None)
    };
    service.recall_and_enrich(permit, input).await
}

fn lenient_probe() -> MockProbe {
    let mut probe = MockProbe::new();
    probe.expect_stage().return_const(());
    probe
}

#[tokio::test]
async fn a_strict_tenant_is_not_shown_another_persons_memory() {
    let recall = recall_as(IdentityMode::Strict, of_two_persons(), None).await;
    let identity = recall.identity.unwrap();
    assert_eq!(identity.recommendation, Recommendation::Withhold);
    assert_eq!(identity.signals, [Signal::NamesDiffer]);
    assert_eq!(identity.withheld, Some(Withheld { facts: 2, calls: 2 }));
    let caller = recall.caller.unwrap();
    assert!(
        recall.known && caller.total_calls == 2,
        "that somebody called is no secret"
    );
    assert_eq!((caller.name, caller.tags), (None, Vec::new()));
    assert_eq!(caller.custom_attributes, JsonObject::default());
    assert_eq!((recall.summary.as_str(), recall.facts), ("", Some(Vec::new())));
    assert!(recall.recent_calls.is_empty() && recall.enrichment.person.is_none());
}

#[tokio::test]
async fn that_somebody_wants_no_calls_is_never_withheld_but_whose_words_it_was() {
    for (mode, quote) in [
        (IdentityMode::Strict, None),
        (IdentityMode::Confirm, Some("stop calling me")),
    ] {
        let mut read = of_two_persons();
        read.caller.do_not_call = Some(DoNotCall {
            at_ms: NOW_MS - 60_000,
            quote: Some("stop calling me".to_owned()),
            call_id: Some(CallId(Uuid::from_u128(1))),
        });
        let recall = recall_as(mode, read, None).await;
        let mark = recall.caller.unwrap().do_not_call.unwrap();
        assert_eq!(
            (mark.at_ms, mark.quote.as_deref()),
            (NOW_MS - 60_000, quote),
            "{mode:?}"
        );
        assert!(recall.summary.contains("not to be called"), "{}", recall.summary);
    }
}

#[tokio::test]
async fn other_tenants_are_advised_and_shown_everything() {
    for (mode, recommendation, signals) in [
        (
            IdentityMode::Confirm,
            Recommendation::Withhold,
            vec![Signal::NamesDiffer],
        ),
        (IdentityMode::Off, Recommendation::Use, Vec::new()),
    ] {
        let read = of_two_persons();
        let recall = recall_as(mode, read.clone(), None).await;
        let identity = recall.identity.unwrap();
        assert_eq!(
            (identity.recommendation, identity.withheld),
            (recommendation, None),
            "{mode:?}"
        );
        assert_eq!(identity.signals, signals);
        assert_eq!((recall.facts, recall.caller), (Some(read.facts), Some(read.caller)));
        assert_eq!(
            (Some(recall.summary), recall.recent_calls),
            (read.summary, read.recent_calls)
        );
        assert!(recall.enrichment.person.is_some());
    }
}

#[tokio::test]
async fn a_confirmed_name_releases_what_is_that_persons_and_no_more() {
    let with_third = |name: &str| {
        let mut read = of_two_persons();
        let mut names = read.trace.names().to_vec();
        names.push(StatedName {
            call_id: CallId(Uuid::from_u128(3)),
            at_ms: NOW_MS - 50_000,
            name: name.to_owned(),
        });
        read.trace = Trace::new(names, Some(NOW_MS - 40_000), None);
        read.caller.name = Some(name.to_owned());
        read
    };
    let values = |recall: &Recall| -> Vec<String> {
        let facts = recall.facts.iter().flatten();
        facts.map(|fact| fact.value.clone()).collect()
    };
    let first = recall_as(IdentityMode::Strict, with_third("Ana"), None).await;
    assert_eq!(values(&first), ["ana@example.com"]);
    assert!(
        first.summary.contains("ana@example.com") && !first.summary.contains("Tom"),
        "{}",
        first.summary
    );
    let second = recall_as(IdentityMode::Strict, with_third("Tom"), None).await;
    assert_eq!(values(&second), ["Tom Baker"]);
    assert!(!second.summary.contains("ana"), "{}", second.summary);
    for (recall, name, tags) in [(first, "Ana", 1), (second, "Tom", 0)] {
        let (identity, caller) = (recall.identity.unwrap(), recall.caller.unwrap());
        assert_eq!(identity.recommendation, Recommendation::Confirm);
        assert_eq!(identity.withheld, Some(Withheld { facts: 1, calls: 1 }));
        assert_eq!((caller.name.as_deref(), caller.tags.len()), (Some(name), tags));
        assert!(recall.enrichment.person.is_none(), "the look-up names a third person");
    }
}

#[tokio::test]
async fn a_failed_attestation_withholds_from_a_strict_tenant() {
    let read = Recollection {
        trace: Trace::default(),
        ..of_two_persons()
    };
    let recall = recall_as(IdentityMode::Strict, read, Some(Attestation::Failed)).await;
    let identity = recall.identity.unwrap();
    assert_eq!(identity.signals, [Signal::AttestationFailed]);
    assert_eq!(identity.withheld, Some(Withheld { facts: 2, calls: 2 }));
}

#[tokio::test]
async fn a_profile_alone_is_withheld_too() {
    for (mode, expected) in [(IdentityMode::Strict, None), (IdentityMode::Confirm, Some("Tom Baker"))] {
        let mut memory = MockCallerMemory::new();
        let Recollection { caller, trace, .. } = of_two_persons();
        memory.expect_caller().return_once(|_, _, _| Ok(Some(caller)));
        memory.expect_trace().return_once(|_, _, _| Ok(trace));
        let mut lookups = MockEnrichmentCache::new();
        lookups
            .expect_lookups()
            .returning(|_, _, _| Ok(vec![named_by("trestle", 1_000)]));
        let service = bare_service(memory, lookups, MockEnricher::new(), lenient_probe());
        let mut ctx = context(&[Scope::CallersRead], None);
        ctx.principal.settings.identity = Some(mode);
        let permit = service.permit_get_caller(&ctx).unwrap();
        let caller = service.get_caller(permit, &number()).await.unwrap();
        assert_eq!(caller.name.as_deref(), expected);
        assert_eq!(caller.tags.is_empty(), expected.is_none());
    }
}

#[tokio::test]
async fn after_a_silence_that_no_name_settled_only_the_calls_since_are_shown() {
    let mut read = of_two_persons();
    let long_ago = NOW_MS - 100 * 24 * 60 * 60 * 1000;
    let mut ana = read.trace.names()[0].clone();
    ana.at_ms = long_ago;
    read.caller.name = Some(ana.name.clone());
    read.trace = Trace::new(vec![ana], Some(NOW_MS - 30_000), Some(NOW_MS - 40_000));
    read.recent_calls[1].started_at_ms = long_ago;
    read.facts[1].said_at_ms = long_ago;
    let recall = recall_as(IdentityMode::Strict, read, None).await;
    assert_eq!(recall.caller.unwrap().name, None);
    assert_eq!(recall.identity.unwrap().withheld, Some(Withheld { facts: 1, calls: 1 }));
}
