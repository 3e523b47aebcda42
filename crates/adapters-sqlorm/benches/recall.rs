//! The known recall on SQLite: how long one takes, and how many a second there are when many ask at once.
//!
//! `cargo bench -p adapters-sqlorm` seeds a database in a temporary folder. Two variables change that:
//! `CALLER_MEMORY_BENCH_CALLERS` is the number of callers (default 100,000, each with 5 calls), and with
//! `CALLER_MEMORY_BENCH_FILE` the database is this file, which is kept and seeded only when it is not there yet, so
//! that a running service can be put over it.

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use adapters_sqlorm::{Database, SqlCallerMemory, SqlKeyStore};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use domain::{
    access::TenantId,
    context::Deadline,
    phone::PhoneNumber,
    port::{AccessAdmin, CallerMemory, RecallQuery, StorageOptions},
};
use sea_orm::sqlx::{self, ConnectOptions, Connection, sqlite::SqliteConnectOptions};
use testkit::sample::{self, NOW_MS, ample};
use tokio::runtime::Runtime;

/// Recalls that are under way at once when throughput is measured.
const AT_ONCE: u64 = 32;

/// Seeds `file`, which has the schema, with `callers` callers of `tenant`, five calls each. The calls of one caller lie
/// far apart, as they do when calls come in one after the other for years.
async fn seed(file: &Path, tenant: TenantId, callers: u32) {
    let mut connection = SqliteConnectOptions::new()
        .filename(file)
        .pragma("synchronous", "off")
        .pragma("cache_size", "-262144")
        .connect()
        .await
        .unwrap();
    let mut transaction = connection.begin().await.unwrap();
    sqlx::query(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $2)
         INSERT INTO callers (id, tenant_id, phone_number, name, first_seen_ms, last_seen_ms, total_calls,
           memory_changed_ms, tags, custom_attributes)
         SELECT randomblob(16), $1, printf('+1555%07d', i), 'Maren Okafor', $3, $3, 5, $3, '[\"vip\"]',
           '{\"plan\":\"gold\"}'
         FROM n",
    )
    .bind(tenant.0)
    .bind(callers)
    .bind(NOW_MS)
    .execute(&mut *transaction)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO calls (id, tenant_id, caller_id, session_key, session_id, started_at_ms, received_at_ms,
           duration_s, outcome, summary, writer, arrival, body_hash, transcript)
         SELECT randomblob(16), tenant_id, callers.id, randomblob(32), hex(randomblob(16)), $1 + value * 86400000,
           $1 + value * 86400000, 184.25, 'quote_given',
           'Caller asked to have the boiler serviced before the winter and wanted to know the price for two visits '
             || 'a year. Agent quoted 240 dollars and offered Tuesday morning.',
           randomblob(16), value, randomblob(32), randomblob(900)
         FROM callers, json_each('[0,1,2,3,4]') WHERE tenant_id = $2 ORDER BY value, random()",
    )
    .bind(NOW_MS)
    .bind(tenant.0)
    .execute(&mut *transaction)
    .await
    .unwrap();
    transaction.commit().await.unwrap();
    sqlx::query("PRAGMA wal_checkpoint(truncate)")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

/// A seeded database with its tenant.
struct Scene {
    memory: Arc<SqlCallerMemory>,
    tenant: TenantId,
    callers: u32,
    began_ms: i64,
    next: AtomicU64,
}

impl Scene {
    async fn open(file: PathBuf, callers: u32) -> Self {
        let is_there = file.exists();
        let database = Database::open(StorageOptions::new(format!("sqlite://{}", file.display())))
            .await
            .unwrap();
        database.migrate_up().await.unwrap();
        let admin = SqlKeyStore::new(&database);
        if !is_there {
            let tenant = sample::new_tenant("default");
            let tenant = admin.create_tenant(&tenant, NOW_MS, ample()).await.unwrap();
            let began = Instant::now();
            seed(&file, tenant.id, callers).await;
            println!("seeded {callers} callers in {:?}", began.elapsed());
        }
        let tenants = admin.tenants(ample()).await.unwrap();
        Self {
            memory: Arc::new(SqlCallerMemory::new(&database)),
            tenant: tenants[0].id,
            callers,
            began_ms: i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap(),
            next: AtomicU64::new(0),
        }
    }

    /// Recalls a caller, another one each time.
    async fn recall(&self) {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        // A step that has no factor in common with the number of callers visits all of them.
        let i = (turn * 7_919) % u64::from(self.callers);
        let query = RecallQuery {
            number: PhoneNumber::from_e164(&format!("+1555{i:07}")).unwrap(),
            session_id: None,
            // Later each time, so that the contacts noted behind the recalls have something to write.
            now_ms: self.began_ms + i64::try_from(turn).unwrap(),
            unfinished_before_ms: self.began_ms,
        };
        let deadline = Deadline(Instant::now() + Duration::from_secs(5));
        let read = self.memory.recall(self.tenant, &query, deadline).await.unwrap();
        assert_eq!(read.recent_calls.len(), 5);
    }
}

fn recalls(criterion: &mut Criterion) {
    let callers = std::env::var("CALLER_MEMORY_BENCH_CALLERS").map_or(100_000, |callers| callers.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = std::env::var("CALLER_MEMORY_BENCH_FILE").map_or_else(|_| folder.path().join("bench.db"), PathBuf::from);
    let runtime = Runtime::new().unwrap();
    let scene = Arc::new(runtime.block_on(Scene::open(file, callers)));

    let mut group = criterion.benchmark_group(format!("known recall, SQLite, {callers} callers of 5 calls"));
    group.bench_function("one after the other", |bencher| {
        bencher.iter_custom(|times| {
            runtime.block_on(async {
                let began = Instant::now();
                for _ in 0..times {
                    scene.recall().await;
                }
                began.elapsed()
            })
        });
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function(format!("{AT_ONCE} at once"), |bencher| {
        bencher.iter_custom(|times| {
            runtime.block_on(async {
                let began = Instant::now();
                let tasks: Vec<_> = (0..AT_ONCE)
                    .map(|task| {
                        let scene = Arc::clone(&scene);
                        let own = times / AT_ONCE + u64::from(task < times % AT_ONCE);
                        tokio::spawn(async move {
                            for _ in 0..own {
                                scene.recall().await;
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
                began.elapsed()
            })
        });
    });
    group.finish();
}

criterion_group!(benches, recalls);
criterion_main!(benches);
