//! The use cases over mocked ports: scope first, degraded instead of failed, and what reaches the memory.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    CallerService,
    access::{KeyId, Principal, Scope, Scopes, TenantId},
    call::{CallId, CallOutcome, EndedCall, RecentCall, Role, SessionId, Turn, started_at_ms},
    caller::Caller,
    context::{CallContext, Deadline},
    enrichment::{CachedLookup, Enrichment, Person, ShownEnrichment, Ttl},
    error::{Error, PortError},
    json::JsonObject,
    memory::{Arrival, Recollection},
    phone::{PhoneNumber, Region},
    port::{
        Clock, EnrichmentAnswer, RecallQuery,
        enrichment::{MockEnricher, MockEnrichmentCache},
        memory::MockCallerMemory,
        probe::MockProbe,
    },
    usecase::{CallerPorts, CallerRules, RecallInput},
};
use uuid::Uuid;

const NOW_MS: i64 = 1_790_000_000_000;

struct StoppedClock(Instant);

impl Clock for StoppedClock {
    fn now_ms(&self) -> i64 {
        NOW_MS
    }

    fn instant(&self) -> Instant {
        self.0
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
    let ports = CallerPorts {
        memory: Arc::new(memory),
        lookups: Arc::new(lookups),
        enricher: Arc::new(enricher),
        clock: Arc::new(StoppedClock(some_instant())),
        probe: Arc::new(probe),
    };
    let rules = CallerRules {
        default_region: "US".parse().unwrap(),
        ttl: Ttl::default(),
        unfinished_after: Duration::from_hours(2),
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
    }
}

fn context(scopes: &[Scope], region: Option<&str>) -> CallContext {
    CallContext {
        principal: Principal {
            key_id: KeyId(Uuid::from_u128(1)),
            tenant_id: TenantId(Uuid::from_u128(2)),
            scopes: scopes.iter().copied().collect(),
            region: region.map(|region| region.parse().unwrap()),
            rate_per_second: None,
            rate_burst: None,
        },
        deadline: Deadline(some_instant() + Duration::from_secs(1)),
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736".to_owned(),
    }
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
        gaps: 2,
        lookups: Vec::new(),
    }
}

fn unreachable_input<T>(_: Region) -> Result<T, Error> {
    panic!("the input must not be read before the scope is checked")
}

#[tokio::test]
async fn a_missing_scope_is_refused_before_the_input_is_read() {
    let service = service(MockCallerMemory::new(), 0);
    let without = |scope: Scope| -> Vec<Scope> { Scope::ALL.into_iter().filter(|other| *other != scope).collect() };

    let recall = service
        .recall_and_enrich(&context(&without(Scope::Recall), None), unreachable_input)
        .await;
    assert!(
        matches!(recall, Err(Error::InsufficientScope(Scope::Recall))),
        "{recall:?}"
    );
    let end = service
        .end_call(&context(&without(Scope::CallsWrite), None), unreachable_input)
        .await;
    assert!(
        matches!(end, Err(Error::InsufficientScope(Scope::CallsWrite))),
        "{end:?}"
    );
    let get = service
        .get_caller(&context(&without(Scope::CallersRead), None), || panic!("not read"))
        .await;
    assert!(
        matches!(get, Err(Error::InsufficientScope(Scope::CallersRead))),
        "{get:?}"
    );
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
    let input = |_| {
        Ok(RecallInput {
            number: number(),
            session_id: Some(SessionId("s-1".to_owned())),
        })
    };
    let recall = service(memory, 0)
        .recall_and_enrich(&context(&[Scope::Recall], None), input)
        .await
        .unwrap();
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
    let input = |_| {
        Ok(RecallInput {
            number: number(),
            session_id: None,
        })
    };
    let recall = service(memory, 0)
        .recall_and_enrich(&context(&[Scope::Recall], None), input)
        .await
        .unwrap();
    assert_eq!(recall.summary, "Caller needs a plumber.");
}

#[tokio::test]
async fn a_failed_read_degrades_the_recall_and_shows_nothing() {
    let mut memory = MockCallerMemory::new();
    memory
        .expect_recall()
        .returning(|_, _, _| Err(PortError::deadline("recall")));
    let input = |_| {
        Ok(RecallInput {
            number: number(),
            session_id: None,
        })
    };
    let recall = service(memory, 1)
        .recall_and_enrich(&context(&[Scope::Recall], None), input)
        .await
        .unwrap();
    assert!(matches!(recall.degraded, Some(PortError::Unavailable(_))));
    assert!(!recall.known && recall.caller.is_none() && recall.summary.is_empty() && recall.recent_calls.is_empty());
    assert_eq!(recall.enrichment, ShownEnrichment::default());
    assert!(recall.memory_age_ms.is_none() && recall.enrichment_age_ms.is_none());
}

#[tokio::test]
async fn the_tenants_region_comes_before_the_default() {
    let mut memory = MockCallerMemory::new();
    memory.expect_recall().returning(|_, _, _| Ok(recollection()));
    let service = service(memory, 0);
    for (own, expected) in [(None, "US"), (Some("GB"), "GB")] {
        let mut seen = None;
        let input = |region: Region| {
            seen = Some(region.as_str().to_owned());
            Ok(RecallInput {
                number: number(),
                session_id: None,
            })
        };
        service
            .recall_and_enrich(&context(&[Scope::Recall], own), input)
            .await
            .unwrap();
        assert_eq!(seen.as_deref(), Some(expected));
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
        service
            .end_call(&context(&[Scope::CallsWrite], None), |_| Ok(ended_call()))
            .await
            .unwrap();
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
    let ctx = context(&Scope::ALL, None);
    let end = service.end_call(&ctx, |_| Ok(ended_call())).await;
    assert!(matches!(end, Err(Error::Port(PortError::Unavailable(_)))), "{end:?}");
    let failed = service.get_caller(&ctx, || Ok(number())).await;
    assert!(
        matches!(failed, Err(Error::Port(PortError::Unavailable(_)))),
        "{failed:?}"
    );
    let unknown = service.get_caller(&ctx, || Ok(number())).await;
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
    let input = |_| {
        Ok(RecallInput {
            number: number(),
            session_id: None,
        })
    };
    let recall = service
        .recall_and_enrich(&context(&[Scope::Recall], None), input)
        .await
        .unwrap();
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
    let input = |_| {
        Ok(RecallInput {
            number: number(),
            session_id: None,
        })
    };
    let recall = service.recall_and_enrich(&context(&[Scope::Recall], None), input).await;
    assert!(recall.unwrap().degraded.is_some());
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
    let ctx = context(&[Scope::CallersRead], None);
    let unnamed = enriched_service(read(None), lookups, MockEnricher::new(), 0);
    let caller = unnamed.get_caller(&ctx, || Ok(number())).await.unwrap();
    assert_eq!(caller.name.as_deref(), Some("Maren Okafor"));

    let named = enriched_service(read(Some("Jo")), MockEnrichmentCache::new(), MockEnricher::new(), 0);
    let caller = named.get_caller(&ctx, || Ok(number())).await.unwrap();
    assert_eq!(caller.name.as_deref(), Some("Jo"));
}
