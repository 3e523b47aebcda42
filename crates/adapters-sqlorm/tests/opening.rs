//! Opening a database: what is created, and what an administrator reads when it fails.

mod support;

use std::time::{Duration, Instant};

use adapters_sqlorm::Database;
use domain::port::StorageOptions;
use support::{Place, within_ms};

async fn refusal(url: &str) -> String {
    let began = Instant::now();
    let refused = Database::open(StorageOptions::new(url)).await;
    assert!(began.elapsed() < Duration::from_secs(7), "opening is bounded");
    let text = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(!text.is_empty() && !text.contains('\n'), "one line: {text}");
    assert!(!text.contains("hush"), "no password: {text}");
    text
}

#[tokio::test]
async fn an_unknown_kind_of_database_is_refused() {
    for url in ["", "mysql://root:hush@localhost/x", "/var/lib/data.db"] {
        assert!(refusal(url).await.contains("sqlite://"));
    }
}

#[tokio::test]
async fn a_database_in_memory_is_refused() {
    for url in [
        "sqlite::memory:",
        "sqlite://x.db?mode=memory",
        "sqlite://x.db?vfs=memdb",
        "sqlite://%3Amemory%3A",
        "sqlite://",
    ] {
        assert!(refusal(url).await.contains("needs a file"));
    }
}

#[tokio::test]
async fn a_url_with_nonsense_is_refused_without_its_password() {
    for url in [
        "postgres://user:hush@host:notaport/x",
        "postgres://user:hush@[::1/x",
        "postgres://user:hush@host/x?sslmode=maybe",
    ] {
        assert!(refusal(url).await.contains("postgres://"));
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_its_place() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let text = refusal(&format!("postgres://user:hush@127.0.0.1:{port}/x")).await;
    assert!(text.contains(&format!("127.0.0.1:{port}")), "{text}");
}

#[tokio::test]
async fn a_server_that_accepts_and_says_nothing_is_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let text = refusal(&format!("postgres://user:hush@127.0.0.1:{port}/x")).await;
    assert!(text.contains("no answer"), "{text}");
}

#[tokio::test]
async fn a_folder_in_place_of_the_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = refusal(&format!("sqlite://{}", folder.path().display())).await;
    assert!(text.contains(&folder.path().display().to_string()), "{text}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "not a database, but long enough to have a header".repeat(100)).unwrap();
    let text = refusal(&format!("sqlite://{}", file.display())).await;
    assert!(text.contains("notes.txt"), "{text}");
}

#[tokio::test]
async fn an_sqlite_file_is_created_with_its_folder_for_its_owner_only() {
    let place = Place::sqlite();
    let database = place.migrated().await;
    database.ping(within_ms(1_000)).await.unwrap();
    let file = place.options.url.strip_prefix("sqlite://").unwrap();
    let metadata = std::fs::metadata(file).unwrap();
    assert!(metadata.is_file());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        let lock = std::fs::metadata(format!("{file}.migrate.lock")).unwrap();
        assert_eq!(lock.permissions().mode() & 0o777, 0o600, "who can read it can lock it");
    }
    database.close(within_ms(2_000)).await;
    assert!(database.ping(within_ms(100)).await.is_err(), "closed is closed");
}

#[tokio::test]
async fn a_new_folder_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let url = format!("sqlite://{}", data.join("memory.db").display());
    assert!(Database::open(StorageOptions::new(url)).await.is_ok());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(data).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

/// Root, who has every file, opens what others cannot: there, the test has nothing to look at.
#[cfg(unix)]
#[tokio::test]
async fn a_file_of_somebody_else_is_opened_not_created() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&file).is_ok() {
        println!("skipped: root reads every file");
        return;
    }
    let text = refusal(&format!("sqlite://{}", file.display())).await;
    assert!(text.contains("cannot open") && text.contains("owns the file"), "{text}");
}

#[tokio::test]
async fn a_refused_password_is_said_without_the_password() {
    let Some(place) = Place::postgres().await else { return };
    let (_, rest) = place.options.url.split_once('@').unwrap();
    let text = refusal(&format!("postgres://nobody_of_this_name:hush@{rest}")).await;
    assert!(text.contains("nobody_of_this_name"), "{text}");
}
