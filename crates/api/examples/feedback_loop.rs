//! What the feedback loop costs a recall: known recalls in process on SQLite, in rounds with the loop off and on in
//! turn, so that what else the machine does falls on both alike. `cargo run --release -p api --example feedback_loop`

use std::{
    error::Error,
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use actix_web::{
    test::{TestRequest, call_service, init_service},
    web::Data,
};
use adapters_auth::{ApiKey, AuthOptions, CachedAuthenticator, GovernorRateLimiter};
use adapters_sqlorm::{Database, SqlCallerMemory, SqlKeyStore, SqlReceiptStore};
use api::{
    Api, Metrics, RequestLimits, app,
    receipts::{ReceiptLimits, Receipts},
};
use domain::{
    CallerService,
    access::{NewKey, RateLimit, Scopes},
    enrichment::Ttl,
    port::{AccessAdmin, CallerMemory, Clock, ReceiptStore, StorageOptions},
    usecase::{CallerPorts, CallerRules},
};
use testkit::{CachedOnly, sample};

/// Callers, each with five calls.
const CALLERS: usize = 100;
/// Rounds of each kind, and recalls in each.
const ROUNDS: usize = 10;
const RECALLS: usize = 1_000;
/// The time between two recalls.
const PACE: Duration = Duration::from_millis(2);

type Failure = Box<dyn Error>;

struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn instant(&self) -> Instant {
        Instant::now()
    }
}

/// A database with known callers, and a key.
async fn prepare(url: String) -> Result<(Database, ApiKey), Failure> {
    let database = Database::open(StorageOptions::new(url)).await?;
    database.migrate_up().await?;
    let admin = SqlKeyStore::new(&database);
    let tenant = sample::new_tenant("one");
    let tenant = admin.create_tenant(&tenant, sample::NOW_MS, sample::ample()).await?;
    let key = ApiKey::generate()?;
    let new = NewKey {
        hash: key.hash(),
        shown: key.shown().to_owned(),
        scopes: Scopes::all(),
        label: None,
        expires_at_ms: None,
    };
    admin.create_key("one", &new, sample::NOW_MS, sample::ample()).await?;
    let memory = SqlCallerMemory::new(&database);
    for caller in 0..CALLERS {
        for call in 0..5 {
            let record = sample::record(&sample::number(caller), &format!("{caller}-{call}"), sample::NOW_MS, 1);
            memory.record_end(tenant.id, &record, sample::ample()).await?;
        }
    }
    Ok((database, key))
}

fn api(database: &Database, with_receipts: bool) -> Result<Data<Api>, Failure> {
    let clock = Arc::new(SystemClock);
    let keys = Arc::new(SqlKeyStore::new(database));
    let memory = Arc::new(SqlCallerMemory::new(database));
    let rate = RateLimit {
        per_second: NonZeroU32::MAX,
        burst: NonZeroU32::MAX,
    };
    let metrics = Arc::new(Metrics::new());
    let ports = CallerPorts {
        memory: memory.clone(),
        lookups: memory,
        enricher: Arc::new(CachedOnly),
        clock: clock.clone(),
        probe: metrics.clone(),
    };
    let authenticator = CachedAuthenticator::new(keys, clock.clone(), AuthOptions::default());
    let limiter = GovernorRateLimiter::new(rate, clock.clone());
    let rules = CallerRules {
        default_region: "US".parse()?,
        ttl: Ttl::default(),
        unfinished_after: Duration::from_hours(2),
        summary: domain::summary::SummaryLength::default(),
    };
    let receipts = with_receipts.then(|| {
        let store = Arc::new(SqlReceiptStore::new(database));
        Arc::new(Receipts::start(
            store,
            clock,
            Arc::clone(&metrics),
            ReceiptLimits::default(),
        ))
    });
    let api = Api::new(
        CallerService::new(ports, rules),
        Arc::new(authenticator),
        Arc::new(limiter),
        RequestLimits::default(),
        metrics,
    );
    Ok(Data::new(api.with_receipts(receipts)))
}

/// How long each recall of a round took.
async fn round(api: &Data<Api>, key: &ApiKey) -> Result<Vec<Duration>, Failure> {
    let app = init_service(app(api)).await;
    let mut took = Vec::with_capacity(RECALLS);
    let mut pace = tokio::time::interval(PACE);
    for n in 0..RECALLS {
        let body = format!(
            r#"{{"phone_number": "{}", "session_id": "{n}"}}"#,
            sample::number(n % CALLERS).as_e164()
        );
        let request = TestRequest::post()
            .uri("/v1/recall_and_enrich")
            .insert_header(("Authorization", format!("Bearer {}", key.as_str())))
            .set_payload(body)
            .to_request();
        pace.tick().await;
        let began = Instant::now();
        let status = call_service(&app, request).await.status();
        took.push(began.elapsed());
        if status != 200 {
            return Err(format!("a recall was answered {status}").into());
        }
    }
    Ok(took)
}

fn print(name: &str, took: &mut [Duration]) {
    took.sort_unstable();
    let ms = |per_mille: usize| took[(took.len() - 1) * per_mille / 1000].as_secs_f64() * 1000.0;
    println!(
        "{name:<4} p50 {:.3} ms  p99 {:.3} ms  p99.9 {:.3} ms",
        ms(500),
        ms(990),
        ms(999)
    );
}

fn main() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite://{}", folder.path().join("memory.db").display());
    // As in the service, the database's tasks and the writing of receipts are on threads of their own.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (database, key, off, on) = runtime.block_on(async {
        let (database, key) = prepare(url).await?;
        let (off, on) = (api(&database, false)?, api(&database, true)?);
        Ok::<_, Failure>((database, key, off, on))
    })?;
    let (mut took_off, mut took_on) = actix_web::rt::System::new().block_on(async {
        let (mut took_off, mut took_on) = (Vec::new(), Vec::new());
        for n in 0..=ROUNDS {
            let (without, with) = (round(&off, &key).await?, round(&on, &key).await?);
            // The first round is for warming up.
            if n > 0 {
                took_off.extend(without);
                took_on.extend(with);
            }
        }
        Ok::<_, Failure>((took_off, took_on))
    })?;
    print("off", &mut took_off);
    print("on", &mut took_on);
    let stats = runtime.block_on(async {
        // What still waits is written within two pauses of the writer.
        tokio::time::sleep(Duration::from_secs(1)).await;
        SqlReceiptStore::new(&database).stats(None, 0, sample::ample()).await
    })?;
    let kept: u64 = stats.0.values().map(|tally| tally.receipts).sum();
    println!("receipts kept: {kept} of {}", (ROUNDS + 1) * RECALLS);
    Ok(())
}
