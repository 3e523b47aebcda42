//! Settings that cannot be read: each stops the start with a line that names it.

use std::{collections::BTreeSet, ffi::OsStr, os::unix::ffi::OsStrExt};

use serde_json::Value;

use super::program::{EMBEDDED, IN_MEMORY, Program, free_ports, one_line};

/// What a setting cannot hold, and what has to be set beside it for it to be looked at.
type Wrong = (
    &'static str,
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
);

const LLM: &str = "CALLER_MEMORY_LLM_BASE_URL";
const MODEL: &str = "CALLER_MEMORY_LLM_MODEL";

/// Every setting of `serve`. A setting that takes any text is wrong when its other half is missing, or when no header
/// can carry it.
const WRONG: [Wrong; 43] = [
    ("CALLER_MEMORY_LISTEN", &["nowhere", "127.0.0.1:99999", "8080"], &[]),
    ("CALLER_MEMORY_ADMIN_LISTEN", &["9090", "localhost"], &[]),
    (
        "CALLER_MEMORY_DATABASE_URL",
        &["mysql://me:hunter2@host/db", "sqlite://", "data.db"],
        &[],
    ),
    ("CALLER_MEMORY_AUTO_MIGRATE", &["perhaps", "2"], &[]),
    (
        "CALLER_MEMORY_BOOTSTRAP_KEY",
        &["hunter2", "sk_live_hunter2", "sk_live_hunter2-hunter2-hunter2-hunter2"],
        &[],
    ),
    ("CALLER_MEMORY_DOCS", &["perhaps"], &[]),
    ("CALLER_MEMORY_DEFAULT_REGION", &["XX", "Atlantis"], &[]),
    (
        "CALLER_MEMORY_RECALL_DEADLINE_MS",
        &["0", "19", "-1", "60001", "0.3"],
        &[],
    ),
    ("CALLER_MEMORY_WRITE_DEADLINE_MS", &["0", "5", "60001", "fast"], &[]),
    ("CALLER_MEMORY_UNFINISHED_AFTER_S", &["0", "2592001", "2h"], &[]),
    ("CALLER_MEMORY_SUMMARY_WORDS", &["39", "401", "many"], &[]),
    ("CALLER_MEMORY_RATE_PER_SECOND", &["0", "4294967296", "many"], &[]),
    ("CALLER_MEMORY_RATE_BURST", &["0", "-5"], &[]),
    ("CALLER_MEMORY_MAX_BODY_BYTES", &["0", "1073741825", "2MB"], &[]),
    ("CALLER_MEMORY_AUTH_CACHE_S", &["86401", "30s"], &[]),
    ("CALLER_MEMORY_AUTH_STALE_S", &["604801", "-1"], &[]),
    ("CALLER_MEMORY_FEEDBACK_LOOP", &["sometimes"], &[]),
    ("CALLER_MEMORY_RECEIPT_DAYS", &["0", "3651"], &[]),
    ("CALLER_MEMORY_LOG", &["=,="], &[]),
    ("CALLER_MEMORY_LOG_FORMAT", &["xml", "JSON!"], &[]),
    (
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        &["localhost:4318", "grpc://localhost"],
        &[],
    ),
    (LLM, &["localhost:11434", "ftp://localhost"], &[(MODEL, "a")]),
    (MODEL, &["a-model-without-an-address"], &[]),
    (
        "CALLER_MEMORY_LLM_API_KEY",
        &["hunter2\n"],
        &[(LLM, "http://localhost:9/v1"), (MODEL, "a")],
    ),
    ("CALLER_MEMORY_LLM_DAILY_REQUESTS", &["-1", "4294967296", "many"], &[]),
    ("CALLER_MEMORY_LLM_TIMEOUT_S", &["0", "601"], &[]),
    ("TWILIO_ACCOUNT_SID", &["AC-without-a-token"], &[]),
    ("TWILIO_AUTH_TOKEN", &["hunter2"], &[]),
    ("TWILIO_API_KEY", &["SK-without-a-secret"], &[]),
    ("TWILIO_API_SECRET", &["hunter2"], &[]),
    ("TRESTLE_API_KEY", &["hunter2\n"], &[]),
    ("TELNYX_API_KEY", &["hunter2\n"], &[]),
    ("PDL_API_KEY", &["hunter2\n"], &[]),
    ("CALLER_MEMORY_LOOKUP_WEBHOOK_URL", &["records", "ftp://records/"], &[]),
    (
        "CALLER_MEMORY_LOOKUP_WEBHOOK_SECRET",
        &["hunter2\n"],
        &[("CALLER_MEMORY_LOOKUP_WEBHOOK_URL", "http://localhost:9/records")],
    ),
    ("CALLER_MEMORY_LOOKUP_WEBHOOK_SECRET", &["hunter2"], &[]),
    (
        "CALLER_MEMORY_TWILIO_BASE_URL",
        &["lookups.twilio.com", "ftp://host"],
        &[],
    ),
    ("CALLER_MEMORY_TRESTLE_BASE_URL", &["api.trestleiq.com"], &[]),
    ("CALLER_MEMORY_TELNYX_BASE_URL", &["api.telnyx.com"], &[]),
    ("CALLER_MEMORY_PDL_BASE_URL", &["api.peopledatalabs.com"], &[]),
    ("CALLER_MEMORY_PRICES", &["-1", "0.008"], &[]),
    ("CALLER_MEMORY_ENRICHMENT_TTL_S", &["-1", "315360001", "30d"], &[]),
    ("CALLER_MEMORY_ENRICHMENT_MISS_TTL_S", &["-1", "315360001"], &[]),
];

/// The prices, which one row of the table stands for.
const PRICES: [&str; 4] = [
    "CALLER_MEMORY_TWILIO_PRICE_MICRO_USD",
    "CALLER_MEMORY_TRESTLE_PRICE_MICRO_USD",
    "CALLER_MEMORY_TELNYX_PRICE_MICRO_USD",
    "CALLER_MEMORY_PDL_PRICE_MICRO_USD",
];

/// The variables that the help of `serve` names.
fn settings() -> BTreeSet<String> {
    let help = Program::new().done(&["serve", "--help"]);
    let named = help.split("[env: ").skip(1);
    named
        .map(|rest| rest.split(['=', ']']).next().expect("a name").to_owned())
        .collect()
}

fn cases() -> impl Iterator<
    Item = (
        &'static str,
        &'static [&'static str],
        &'static [(&'static str, &'static str)],
    ),
> {
    WRONG.into_iter().flat_map(|(name, values, beside)| {
        let names = if name == "CALLER_MEMORY_PRICES" {
            PRICES.to_vec()
        } else {
            vec![name]
        };
        names.into_iter().map(move |name| (name, values, beside))
    })
}

#[test]
fn every_setting_that_is_wrong_is_named() {
    let tried: BTreeSet<_> = cases().map(|(name, ..)| name.to_owned()).collect();
    assert_eq!(tried, settings(), "the table has every setting of `serve`");
    let (port, admin) = free_ports();
    for (name, values, beside) in cases() {
        for value in values {
            let program = Program::new()
                .set("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{port}"))
                .set("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{admin}"))
                .set("CALLER_MEMORY_LOG", "error");
            let program = beside
                .iter()
                .fold(program, |program, (name, value)| program.set(name, *value));
            let program = program.set(name, *value);
            let output = program.run(&["serve"]);
            assert!(matches!(output.code, 1 | 2), "{name}={value}: {output:?}");
            assert_eq!(output.stdout, "", "{name}={value}");
            let line = one_line(&output.stderr);
            assert!(line.contains(name), "{name}={value}: {line}");
            assert!(!line.contains("hunter2"), "{name}: {line}");
            for rust in ["..=", "invalid digit"] {
                assert!(!line.contains(rust), "{name}={value}: {line}");
            }
            assert!(!program.path("data").exists(), "{name}={value}: nothing is created");
        }
    }
}

/// Runs a command with a variable whose value is not UTF-8.
fn run_with_bytes(program: &Program, variable: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = program.command(args);
    let output = command.env(variable, OsStr::from_bytes(b"\xff")).output();
    let output = output.expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_setting_that_is_not_utf8_is_named() {
    let program = Program::new();
    for (variable, args) in [
        ("CALLER_MEMORY_LISTEN", &["serve"][..]),
        ("CALLER_MEMORY_BOOTSTRAP_KEY", &["serve"]),
        ("CALLER_MEMORY_DATABASE_URL", &["key", "list"]),
        ("CALLER_MEMORY_KEY", &["recall", "+12025550142"]),
    ] {
        let (code, stdout, stderr) = run_with_bytes(&program, variable, args);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{variable}: {stderr}");
        let line = one_line(&stderr);
        assert!(
            line.contains(&format!("{variable}: the value is not UTF-8")),
            "{variable}: {line}"
        );
    }
    let (code, checks, _) = run_with_bytes(&program, "CALLER_MEMORY_LISTEN", &["doctor"]);
    assert_eq!(code, Some(1));
    assert!(
        checks.contains("FAIL  settings    CALLER_MEMORY_LISTEN: the value is not UTF-8"),
        "{checks}"
    );
    let (code, ..) = run_with_bytes(&program, "CALLER_MEMORY_LISTEN", &["tenant", "list"]);
    assert_eq!(
        code,
        Some(0),
        "a command does not mind the settings that it does not read"
    );
}

#[test]
fn the_scheme_of_the_database_may_be_in_capitals() {
    let url = format!("{}fresh.db", EMBEDDED.to_uppercase());
    let program = Program::new().set("CALLER_MEMORY_DATABASE_URL", url);
    program.done(&["tenant", "create", "acme"]);
    assert!(program.path("fresh.db").exists());
    if !IN_MEMORY {
        let postgres = program.set("CALLER_MEMORY_DATABASE_URL", "POSTGRES://me:hunter2@127.0.0.1:1/db");
        let line = postgres.fails(1, &["tenant", "list"]);
        assert!(line.contains("cannot reach PostgreSQL at 127.0.0.1:1"), "{line}");
    }
}

#[test]
fn the_value_of_a_parameter_that_nobody_knows_is_not_logged() {
    if IN_MEMORY {
        println!("skipped: only PostgreSQL's URLs have such parameters");
        return;
    }
    let (port, admin) = free_ports();
    let program = Program::new()
        .set("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{port}"))
        .set("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{admin}"))
        .set("CALLER_MEMORY_LOG", "trace")
        .set(
            "CALLER_MEMORY_DATABASE_URL",
            "postgres://me@127.0.0.1:1/db?passwort=hunter2",
        );
    let output = program.run(&["serve"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("cannot open the database"), "{output:?}");
    assert!(!output.stderr.contains("hunter2"), "{output:?}");
}

#[test]
fn settings_that_are_blank_count_as_not_set() {
    let program = settings()
        .iter()
        .fold(Program::new(), |program, name| program.set(name, ""));
    let report: Value = serde_json::from_str(&program.run(&["doctor", "--json"]).stdout).expect("JSON");
    assert_eq!(report["checks"][0]["message"], "every setting can be read", "{report}");
    assert_eq!(program.json(&["tenant", "list"]), serde_json::json!([]));
}

#[test]
fn a_variable_that_no_setting_has_is_named() {
    let program = Program::new().set("CALLER_MEMORY_LISTN", "127.0.0.1:8080");
    for args in [&["serve"][..], &[], &["tenant", "list"]] {
        let line = program.fails(2, args);
        assert!(line.contains("CALLER_MEMORY_LISTN is not a setting"), "{line}");
        assert!(line.contains("serve --help"), "{line}");
    }
    assert!(!program.path("data").exists(), "nothing was begun");
    assert!(program.done(&["--help"]).contains("Usage:"), "help is always there");
    let report = program.run(&["doctor"]);
    assert_eq!(report.code, 1);
    assert!(
        report.stdout.contains("FAIL  settings    CALLER_MEMORY_LISTN"),
        "{report:?}"
    );

    let others = Program::new()
        .set("CALLER_MEMORY_PORT", "tcp://10.0.0.11:8080")
        .set("CALLER_MEMORY_SERVICE_HOST", "10.0.0.11")
        .set("CALLER_MEMORY_OUTBOX", "outbox")
        .set("CALLER_MEMORY_KEY", "sk_live_abc");
    assert_eq!(others.json(&["tenant", "list"]), serde_json::json!([]));

    let program = Program::new();
    program.write(".env", "CALLER_MEMORY_DATABSE_URL=postgres://me:hunter2@h/db\n");
    let line = program.fails(2, &["migrate", "up"]);
    assert!(
        line.contains("CALLER_MEMORY_DATABSE_URL") && !line.contains("hunter2"),
        "{line}"
    );
}
