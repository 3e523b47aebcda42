//! A PostgreSQL server that stops, freezes and comes back, under a memory that must answer in time and recover by
//! itself.
//!
//! The server is a disposable one, told what to do by an executable; the tests take turns.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use adapters_sqlorm::{Database, SqlCallerMemory};
use domain::{
    access::TenantId,
    context::Deadline,
    error::PortError,
    facts::FactKey,
    port::{CallerMemory, EnrichmentCache, KeyStore},
};
use sea_orm::sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use support::{POSTGRES_URL, Place, tenant, within_ms};
use testkit::{
    eventually,
    sample::{self, NOW_MS, ample, number, query, query_in, record},
};
use tokio::sync::{Mutex, MutexGuard};

const CTL: &str = "CALLER_MEMORY_TEST_POSTGRES_CTL";
const URL: &str = "CALLER_MEMORY_TEST_POSTGRES_VICTIM_URL";

/// What a recall is given.
const DEADLINE: Duration = Duration::from_millis(300);

/// How much later than its deadline an answer may come.
const GRACE: Duration = Duration::from_millis(50);

static TURN: Mutex<()> = Mutex::const_new(());

/// The disposable server, for one test at a time. It is running again when this is dropped.
struct Victim {
    control: String,
    _turn: MutexGuard<'static, ()>,
}

impl Victim {
    fn tell(&self, what: &str) {
        let told = Command::new(&self.control).arg(what).status().unwrap();
        assert!(told.success(), "{} {what}: {told}", self.control);
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // Whatever state the test left it in; what does not apply fails and does no harm.
        for what in ["thaw", "start"] {
            let _ = Command::new(&self.control)
                .arg(what)
                .stderr(std::process::Stdio::null())
                .status();
        }
    }
}

struct Scene {
    database: Database,
    memory: Arc<SqlCallerMemory>,
    tenant: TenantId,
    victim: Victim,
}

/// A migrated database with one caller and one call on the disposable server.
async fn scene() -> Option<Scene> {
    let (Ok(control), Ok(url)) = (std::env::var(CTL), std::env::var(URL)) else {
        println!("skipped: {CTL} and {URL} are not set; run just test");
        return None;
    };
    let victim = Victim {
        control,
        _turn: TURN.lock().await,
    };
    let database = Place::on_postgres(&url).await.migrated().await;
    let memory = Arc::new(SqlCallerMemory::new(&database));
    let tenant = tenant(&database, "one").await;
    memory
        .record_end(tenant, &record(&number(0), "before", NOW_MS, 1), ample())
        .await
        .unwrap();
    Some(Scene {
        database,
        memory,
        tenant,
        victim,
    })
}

/// Awaits `work` and checks that it gave up, as [`PortError::Unavailable`], not later than a little after its deadline.
async fn gives_up<T>(what: &str, deadline: Deadline, work: impl Future<Output = Result<T, PortError>>) {
    let done = work.await;
    let late = Instant::now().saturating_duration_since(deadline.0);
    assert!(late < GRACE, "{what} answered {late:?} after its deadline");
    assert!(
        matches!(done, Err(PortError::Unavailable(_))),
        "{what} must be unavailable"
    );
}

impl Scene {
    async fn everything_gives_up(&self) {
        let Self {
            database,
            memory,
            tenant,
            ..
        } = self;
        let at = || Deadline(Instant::now() + DEADLINE);
        let deadline = at();
        gives_up(
            "recall",
            deadline,
            memory.recall(*tenant, &query(&number(0), NOW_MS), deadline),
        )
        .await;
        let deadline = at();
        gives_up(
            "first recall",
            deadline,
            memory.recall(*tenant, &query(&number(9), NOW_MS), deadline),
        )
        .await;
        let deadline = at();
        gives_up("caller", deadline, memory.caller(*tenant, &number(0), deadline)).await;
        let deadline = at();
        let end = record(&number(0), "during", NOW_MS, 2);
        gives_up("record_end", deadline, memory.record_end(*tenant, &end, deadline)).await;
        let deadline = at();
        let lookup = sample::lookup("vendor", NOW_MS);
        gives_up(
            "store_lookup",
            deadline,
            memory.store_lookup(*tenant, &number(0), &lookup, deadline),
        )
        .await;
        let deadline = at();
        let keys = adapters_sqlorm::SqlKeyStore::new(database);
        let hash = sample::key_hash("no such key");
        gives_up("find_key", deadline, keys.find_key(&hash, deadline)).await;
        let deadline = at();
        gives_up("ping", deadline, database.ping(deadline)).await;
    }

    /// Many at once, each of which gives up in time.
    async fn a_crowd_gives_up(&self) {
        let tasks: Vec<_> = (0..60)
            .map(|i| {
                let (memory, tenant) = (Arc::clone(&self.memory), self.tenant);
                tokio::spawn(async move {
                    let deadline = Deadline(Instant::now() + DEADLINE);
                    if i % 3 == 0 {
                        let end = record(&number(i), &format!("crowd {i}"), NOW_MS, 1);
                        gives_up("record_end", deadline, memory.record_end(tenant, &end, deadline)).await;
                    } else {
                        let query = query_in(&number(i), NOW_MS, "crowd");
                        gives_up("recall", deadline, memory.recall(tenant, &query, deadline)).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }

    /// Many at once, each of which is answered.
    async fn a_crowd_is_answered(&self) {
        let tasks: Vec<_> = (0..60)
            .map(|i| {
                let (memory, tenant) = (Arc::clone(&self.memory), self.tenant);
                tokio::spawn(async move {
                    let query = query(&number(i), NOW_MS + 1);
                    memory.recall(tenant, &query, within_ms(2_000)).await.unwrap();
                    let end = record(&number(i), &format!("after {i}"), NOW_MS, 1);
                    memory.record_end(tenant, &end, within_ms(3_000)).await.unwrap();
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }

    /// The calls that were reported while the server was away are there as a whole or not at all, and reporting them
    /// again makes each of them count once.
    async fn reports_can_be_repeated(&self) {
        for i in (0..60).step_by(3) {
            let end = record(&number(i), &format!("crowd {i}"), NOW_MS, 1);
            self.memory.record_end(self.tenant, &end, ample()).await.unwrap();
        }
        for i in 0..60 {
            let caller = self
                .memory
                .caller(self.tenant, &number(i), ample())
                .await
                .unwrap()
                .unwrap();
            let before = u64::from(i == 0);
            let crowd = u64::from(i % 3 == 0);
            let after = 1;
            let during = u64::from(i == 0);
            let expected = before + crowd + after;
            assert!(
                (expected..=expected + during).contains(&caller.total_calls),
                "caller {i} has {} calls",
                caller.total_calls
            );
        }
    }

    /// Nothing waits for ever: connections are all given back, and the contacts are written.
    async fn everything_is_given_back(&self) {
        eventually(
            "the connections are given back and the contacts are written",
            async || {
                let state = self.database.pool();
                (state.idle == state.connections && state.contacts_waiting == 0).then_some(())
            },
        )
        .await;
        let state = self.database.pool();
        assert!(state.connections <= state.max_connections);
        assert_eq!(state.contacts_dropped, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_server_is_given_up_in_time_and_found_again() {
    let Some(scene) = scene().await else { return };
    scene.victim.tell("stop");
    scene.everything_gives_up().await;
    for _ in 0..3 {
        scene.a_crowd_gives_up().await;
    }
    scene.victim.tell("start");
    scene.a_crowd_is_answered().await;
    scene.reports_can_be_repeated().await;
    scene.everything_is_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_between_two_recalls_is_not_noticed() {
    let Some(scene) = scene().await else { return };
    for _ in 0..3 {
        scene.victim.tell("stop");
        scene.victim.tell("start");
        // Every pooled connection is broken now, and each is found out by whoever uses it first.
        scene.a_crowd_is_answered().await;
    }
    scene.everything_is_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_server_is_given_up_in_time_and_found_again() {
    let Some(scene) = scene().await else { return };
    // Contacts are on their way when the server freezes.
    scene
        .memory
        .recall(scene.tenant, &query_in(&number(0), NOW_MS + 5, "open"), ample())
        .await
        .unwrap();
    scene.victim.tell("freeze");
    scene.everything_gives_up().await;
    for _ in 0..3 {
        scene.a_crowd_gives_up().await;
    }
    let state = scene.database.pool();
    assert!(state.connections <= state.max_connections);
    scene.victim.tell("thaw");
    eventually("the server is found again", async || {
        let recall = scene
            .memory
            .recall(scene.tenant, &query(&number(0), NOW_MS), within_ms(300))
            .await;
        recall.ok()
    })
    .await;
    scene.a_crowd_is_answered().await;
    scene.reports_can_be_repeated().await;
    scene.everything_is_given_back().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_over_a_frozen_server_ends_in_time() {
    let Some(scene) = scene().await else { return };
    scene.victim.tell("freeze");
    let _ = scene
        .memory
        .recall(scene.tenant, &query(&number(0), NOW_MS), within_ms(100))
        .await;
    let began = Instant::now();
    scene.database.close(within_ms(500)).await;
    assert!(began.elapsed() < Duration::from_millis(500) + GRACE);
}

/// What an administrator takes away, how it is given back, and whether it is done from within the database.
const TAKEN_AWAY: [(&str, &str, bool); 8] = [
    ("ALTER ROLE {role} NOLOGIN", "ALTER ROLE {role} LOGIN", false),
    (
        "ALTER ROLE {role} CONNECTION LIMIT 0",
        "ALTER ROLE {role} CONNECTION LIMIT -1",
        false,
    ),
    (
        "ALTER DATABASE {name} ALLOW_CONNECTIONS false",
        "ALTER DATABASE {name} ALLOW_CONNECTIONS true",
        false,
    ),
    (
        "ALTER DATABASE {name} RENAME TO {role}",
        "ALTER DATABASE {role} RENAME TO {name}",
        false,
    ),
    (
        "REVOKE INSERT ON calls FROM {role}",
        "GRANT INSERT ON calls TO {role}",
        true,
    ),
    (
        "REVOKE INSERT, SELECT ON calls FROM {role}",
        "GRANT INSERT, SELECT ON calls TO {role}",
        true,
    ),
    (
        "REVOKE UPDATE ON callers FROM {role}",
        "GRANT UPDATE ON callers TO {role}",
        true,
    ),
    (
        "REVOKE INSERT ON facts FROM {role}",
        "GRANT INSERT ON facts TO {role}",
        true,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_an_administrator_takes_away_is_unavailable_until_it_is_given_back() {
    let Some(place) = Place::postgres().await else { return };
    let owner = place.migrated().await;
    let tenant = tenant(&owner, "one").await;
    owner.close(ample()).await;
    let url = place.options.url.clone();
    let (_, name) = url.rsplit_once('/').unwrap();
    let role = format!("{name}_app");
    let mut server = PgConnection::connect(&std::env::var(POSTGRES_URL).unwrap())
        .await
        .unwrap();
    let run = async |sql: &str, server: &mut PgConnection, is_within: bool| {
        let sql = AssertSqlSafe(sql.replace("{role}", &role).replace("{name}", name));
        if is_within {
            let mut database = PgConnection::connect(&url).await.unwrap();
            database.execute(sql).await.unwrap();
            database.close().await.unwrap();
        } else {
            server.execute(sql).await.unwrap();
        }
    };
    run("CREATE ROLE {role} LOGIN", &mut server, false).await;
    run("GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}", &mut server, true).await;
    let mut options = place.options.clone();
    options.url = url.replace("postgres@", &format!("{role}@"));
    let database = Database::open(options).await.unwrap();
    let memory = SqlCallerMemory::new(&database);
    let end = async |session: &str| {
        let mut end = record(&number(0), session, NOW_MS, 1);
        end.facts = vec![sample::said(FactKey::City, "Lisbon", NOW_MS)];
        memory.record_end(tenant, &end, ample()).await
    };
    end("before").await.unwrap();

    for (take, give, is_within) in TAKEN_AWAY {
        let terminate = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'";
        run(terminate, &mut server, false).await;
        run(take, &mut server, is_within).await;
        // Those that came in between.
        run(terminate, &mut server, false).await;
        let written = end(take).await;
        assert!(matches!(written, Err(PortError::Unavailable(_))), "{take}: {written:?}");
        let read = memory.caller(tenant, &number(0), ample()).await;
        assert!(!matches!(read, Err(PortError::Internal(_))), "{take}: {read:?}");
        for _ in 0..2 {
            let ready = database.ping(ample()).await;
            assert!(matches!(ready, Err(PortError::Unavailable(_))), "{take}: {ready:?}");
        }
        run(give, &mut server, is_within).await;
        database.ping(ample()).await.unwrap();
        end(take).await.unwrap();
    }
    database.close(ample()).await;
}
