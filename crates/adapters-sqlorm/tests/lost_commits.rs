//! A connection that breaks after PostgreSQL committed and before it said so: what must be counted once is counted
//! once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use adapters_sqlorm::{Database, SqlSummaryBacklog};
use domain::port::{Day, RequestId, StorageOptions, SummaryBacklog};
use sea_orm::sqlx::{Connection, PgConnection, Row, query};
use support::{POSTGRES_URL, Place, tenant};
use testkit::sample::ample;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use uuid::Uuid;

const DAY: Day = Day(20_000);

/// Passes connections on to `server`, and breaks the next one that is about to tell of a commit after `armed` is set.
async fn proxy(server: String, armed: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(&server).await.unwrap();
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
            let armed = Arc::clone(&armed);
            tokio::spawn(async move {
                let mut bytes = vec![0; 64 * 1024];
                while let Ok(read @ 1..) = from_server.read(&mut bytes).await {
                    let told = bytes[..read].windows(7).any(|window| window == b"COMMIT\0");
                    if told && armed.swap(false, Ordering::SeqCst) {
                        return;
                    }
                    if to_client.write_all(&bytes[..read]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_not_counted_twice_when_its_commit_is_not_heard_of() {
    let Some(place) = Place::postgres().await else { return };
    let direct = place.migrated().await;
    let tenant = tenant(&direct, "one").await;
    let server = std::env::var(POSTGRES_URL).unwrap();
    let (_, after) = server.split_once('@').unwrap();
    let (host, _) = after.split_once('/').unwrap();
    let armed = Arc::new(AtomicBool::new(false));
    let port = proxy(host.to_owned(), Arc::clone(&armed)).await;
    // In plain text, so that the proxy reads along.
    let proxied = place.options.url.replace(host, &format!("127.0.0.1:{port}"));
    let mut options = StorageOptions::new(format!("{proxied}?sslmode=disable"));
    options.connections = 2;
    let database = Database::open(options).await.unwrap();
    let backlog = SqlSummaryBacklog::new(&database);

    armed.store(true, Ordering::SeqCst);
    let request = RequestId(Uuid::now_v7());
    let reserved = backlog.reserve(tenant, DAY, request, 5, ample()).await;
    assert!(reserved.unwrap(), "it finds out by itself that it was counted");
    assert!(!armed.load(Ordering::SeqCst), "the connection broke after a commit");
    let mut connection = PgConnection::connect(&place.options.url).await.unwrap();
    let row = query("SELECT requests FROM rewrite_requests")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(row.get::<i64, _>(0), 1);
    for (expected, request) in [
        (true, request),
        (true, RequestId(Uuid::now_v7())),
        (false, RequestId(Uuid::now_v7())),
    ] {
        let reserved = backlog.reserve(tenant, DAY, request, 2, ample()).await;
        assert_eq!(reserved.unwrap(), expected);
    }
}
