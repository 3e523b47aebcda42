//! `tenant set`, and what a running service makes of it; the tenant that commands are about by default; lists without
//! rows.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

use super::program::{EMBEDDED, Program, Running, wait_until};

/// Region, rate and burst of the answer.
fn shown(tenant: &Value) -> Value {
    json!([
        tenant["default_region"],
        tenant["rate_per_second"],
        tenant["rate_burst"]
    ])
}

#[test]
fn a_tenant_changes_as_it_is_told() {
    let program = Program::new();
    program.done(&[
        "tenant",
        "create",
        "acme",
        "--default-region",
        "GB",
        "--rate-burst",
        "9",
    ]);
    let set = |args: &[&str]| program.json(&[&["tenant", "set", "acme"], args].concat());
    assert_eq!(shown(&set(&["--rate-per-second", "20"])), json!(["GB", 20, 9]));
    assert_eq!(
        shown(&set(&[
            "--default-region",
            "IE",
            "--rate-burst",
            "default",
            "--daily-lookups",
            "5"
        ])),
        json!(["IE", 20, null])
    );
    let last = set(&["--default-region", "default", "--rate-per-second", "default"]);
    assert_eq!(shown(&last), json!([null, null, null]));
    assert_eq!(last["daily_lookups"], 5, "the cap stays");
    assert_eq!(program.json(&["tenant", "list"]), json!([last]));
    for mode in ["strict", "off", "confirm"] {
        assert_eq!(set(&["--identity", mode])["identity"], mode);
    }
    let table = program.done(&["tenant", "set", "acme", "--rate-burst", "7"]);
    assert!(table.starts_with("NAME") && table.contains("acme"), "{table}");

    for (args, says) in [
        (&["--default-region", "Atlantis"][..], "or default"),
        (&["--rate-per-second", "0"], "or default"),
        (&["--rate-burst", "none"], "or default"),
        (&["--rate-burst", "-1"], "--rate-burst"),
        (&["--identity", "maybe"], "expected off, confirm or strict"),
        (&["--time-zone", "New York"], "for example America/New_York, or default"),
    ] {
        let line = program.fails(2, &[&["tenant", "set", "acme"], args].concat());
        assert!(line.contains(says), "{args:?}: {line}");
    }
    let line = program.fails(1, &["tenant", "set", "nobody", "--rate-burst", "1"]);
    assert!(line.contains("no tenant is named `nobody`"), "{line}");
}

#[test]
fn a_tenant_is_somewhere() {
    let program = Program::new();
    let create = |args: &[&str]| program.json(&[&["tenant", "create"], args].concat());
    assert_eq!(create(&["acme"])["time_zone"], "UTC");
    assert_eq!(
        create(&["bolt", "--time-zone", "Asia/Kolkata"])["time_zone"],
        "Asia/Kolkata"
    );
    let set = |zone: &str| program.json(&["tenant", "set", "acme", "--time-zone", zone]);
    assert_eq!(set("America/New_York")["time_zone"], "America/New_York");
    assert_eq!(program.json(&["tenant", "list"])[0]["time_zone"], "America/New_York");
    assert_eq!(set("default")["time_zone"], "UTC");
    let line = program.fails(2, &["tenant", "create", "cord", "--time-zone", "Europe/Atlantis"]);
    assert!(line.contains("unknown time zone `Europe/Atlantis`"), "{line}");
}

/// The header `RateLimit-Policy` of an answer to the key.
fn policy(service: &Running, key: &str) -> String {
    let host = service.url.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(host).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("a timeout");
    write!(
        stream,
        "GET /v1/caller/%2B12025550142 HTTP/1.1\r\nhost: {host}\r\n\
         authorization: Bearer {key}\r\nconnection: close\r\n\r\n"
    )
    .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let header = answer.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("ratelimit-policy: ")
            .map(ToOwned::to_owned)
    });
    header.unwrap_or_else(|| panic!("no policy: {answer}"))
}

#[test]
fn a_running_service_takes_a_changed_tenant_over() {
    let program = Program::new();
    program.done(&["tenant", "create", "acme"]);
    let (_, key) = program.key(&["--tenant", "acme"]);
    let service = program.serve(&[("CALLER_MEMORY_AUTH_CACHE_S", "1")]);
    let program = program
        .set("CALLER_MEMORY_URL", &service.url)
        .set("CALLER_MEMORY_KEY", &key);
    // Read as a number of the United States.
    program.done(&["recall", "7700 900123"]);
    program.done(&["caller", "show", "+17700900123", "--tenant", "acme"]);
    assert!(policy(&service, &key).contains("q=100;"), "the service's burst");

    program.done(&[
        "tenant",
        "set",
        "acme",
        "--default-region",
        "GB",
        "--rate-per-second",
        "3",
        "--rate-burst",
        "60",
    ]);
    wait_until("the rate to be taken over", || {
        policy(&service, &key).contains("q=60;w=20").then_some(())
    });
    program.done(&["recall", "7700 900123"]);
    program.done(&["caller", "show", "+447700900123", "--tenant", "acme"]);

    program.done(&[
        "tenant",
        "set",
        "acme",
        "--rate-per-second",
        "default",
        "--rate-burst",
        "default",
    ]);
    wait_until("the service's own rate", || {
        policy(&service, &key).contains("q=100;").then_some(())
    });
}

#[test]
fn keys_are_of_the_default_tenant_unless_another_is_named() {
    let program = Program::new();
    let line = program.fails(1, &["key", "create"]);
    assert!(line.contains("no tenant is named `default`"), "{line}");
    program.done(&["tenant", "create", "default"]);
    let created = program.json(&["key", "create"]);
    assert_eq!(created["tenant"], "default");
    assert_eq!(program.json(&["key", "list"])[0]["id"], created["id"]);
}

#[test]
fn a_key_for_an_empty_database_says_what_comes_first() {
    let program = Program::new().set("CALLER_MEMORY_DATABASE_URL", format!("{EMBEDDED}fresh.db"));
    let first = program.fails(1, &["key", "create"]);
    for says in [
        "no tenant is named `default`: the database fresh.db was created just now and has none yet",
        "`caller-memory serve`",
        "`caller-memory tenant create default`",
    ] {
        assert!(first.contains(says), "{first}");
    }
    let again = program.fails(1, &["key", "list", "--tenant", "acme"]);
    assert!(
        again.contains("no tenant is named `acme`: the database has none yet")
            && again.contains("`caller-memory tenant create acme`"),
        "{again}"
    );
    for args in [
        &["caller", "show", "+12025550142"][..],
        &["calls", "open", "--tenant", "default"],
    ] {
        let line = program.fails(1, args);
        assert!(
            line.contains("no tenant is named `default`: the database has none yet"),
            "{line}"
        );
    }
    program.done(&["tenant", "create", "default"]);
    program.done(&["key", "create"]);
}

#[test]
fn what_only_reads_creates_no_database() {
    let program = Program::new();
    for args in [
        &["usage"][..],
        &["calls", "open"],
        &["receipt", "stats"],
        &["usage", "--json"],
    ] {
        let line = program.fails(1, args);
        assert!(
            line.contains("there is no database data/caller-memory.db yet"),
            "{args:?}: {line}"
        );
        assert!(!program.path("data").exists(), "{args:?}");
    }
}

#[test]
fn lists_without_rows_say_so() {
    let program = Program::new();
    for (args, says) in [
        (&["tenant", "list"][..], "no tenants yet"),
        (&["usage"], "no look-ups were paid for"),
        (&["calls", "open"], "no open calls"),
        (&["receipt", "stats"], "no receipts"),
    ] {
        let answer = program.done(args);
        assert!(
            answer.contains(says) && answer.lines().count() == 1,
            "{args:?}: {answer}"
        );
    }
    program.done(&["tenant", "create", "acme"]);
    let answer = program.done(&["key", "list", "--tenant", "acme"]);
    assert!(
        answer.contains("`caller-memory key create --tenant acme` makes one"),
        "{answer}"
    );
    for args in [&["key", "list", "--tenant", "acme"][..], &["usage"], &["calls", "open"]] {
        assert_eq!(program.json(args), json!([]), "{args:?}");
    }
}
