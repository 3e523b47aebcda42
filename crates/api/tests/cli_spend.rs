//! `usage` and `tenant set` as scripts and people meet them: the real program over a database that has counted look-ups.
#![expect(
    clippy::expect_used,
    reason = "a test fails by panicking, in its steps as well as in its body"
)]

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use adapters_sqlorm::{Database, DatabaseOptions, SqlSpendLedger};
use domain::{
    access::TenantId,
    context::Deadline,
    port::{Day, Purchase, SpendLedger},
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The program in a folder of its own, with an SQLite database there.
struct Program(TempDir);

#[derive(Debug)]
struct Output {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Program {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_caller-memory"))
            .args(args)
            .current_dir(self.0.path())
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .expect("the program runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Output {
            code: output.status.code().expect("no signal"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    fn done(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{args:?}: {output:?}");
        output.stdout
    }

    fn json(&self, args: &[&str]) -> Value {
        let answer = self.done(&[args, &["--json"]].concat());
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{args:?}: {error}: {answer}"))
    }

    /// Runs a command that must fail with one line; returns the line.
    fn fails(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(
            (output.code, output.stdout.as_str()),
            (code, ""),
            "{args:?}: {output:?}"
        );
        assert_eq!(output.stderr.lines().count(), 1, "{args:?}: {output:?}");
        assert!(output.stderr.starts_with("error: "), "{args:?}: {output:?}");
        output.stderr
    }

    fn tenant(&self, name: &str) -> TenantId {
        let created = self.json(&["tenant", "create", name]);
        let id = created["id"].as_str().expect("an id");
        TenantId(id.parse().expect("a UUID"))
    }

    /// Counts look-ups as a running service does; returns for each whether the caps let it through.
    fn buy(&self, purchases: &[Purchase]) -> Vec<bool> {
        let url = format!("sqlite://{}", self.0.path().join("data/caller-memory.db").display());
        let deadline = || Deadline(Instant::now() + Duration::from_secs(30));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let database = Database::open(DatabaseOptions::new(url)).await.expect("a database");
            let ledger = SqlSpendLedger::new(&database);
            let mut bought = Vec::new();
            for purchase in purchases {
                bought.push(ledger.reserve(purchase, deadline()).await.expect("an answer"));
            }
            database.close(deadline()).await;
            bought
        })
    }
}

fn today() -> Day {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    Day::of_ms(i64::try_from(since.as_millis()).expect("in range"))
}

fn purchase(tenant: TenantId, vendor: &str, day: Day, price_micro_usd: u64) -> Purchase {
    Purchase {
        tenant,
        vendor: vendor.to_owned(),
        day,
        price_micro_usd,
    }
}

#[test]
fn usage_is_shown_by_day_tenant_and_vendor() {
    let program = Program::new();
    assert_eq!(program.json(&["usage"]), json!([]));
    let (acme, beta) = (program.tenant("acme"), program.tenant("beta"));
    let day = |text: &str| text.parse::<Day>().expect("a day");
    let old = day("2026-10-31");
    let bought = program.buy(&[
        purchase(acme, "twilio", day("2026-11-01"), 8_000),
        purchase(acme, "twilio", day("2026-11-01"), 8_000),
        purchase(beta, "pdl", day("2026-11-02"), 1_280_000),
        purchase(acme, "telnyx", day("2026-11-02"), 0),
        purchase(acme, "pdl", day("2026-11-02"), 1),
        purchase(acme, "trestle", old, 70_000),
    ]);
    assert_eq!(bought, [true; 6]);

    let table = program.done(&["usage", "--since", "2026-11-01"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        rows,
        [
            vec!["DAY", "TENANT", "VENDOR", "LOOK-UPS", "USD"],
            vec!["2026-11-01", "acme", "twilio", "2", "0.016"],
            vec!["2026-11-02", "acme", "pdl", "1", "0.000001"],
            vec!["2026-11-02", "acme", "telnyx", "1", "0.00"],
            vec!["2026-11-02", "beta", "pdl", "1", "1.28"],
        ]
    );
    assert_eq!(
        program.json(&["usage", "--tenant", "beta", "--since", "2026-11-01"]),
        json!([{"day": "2026-11-02", "tenant": "beta", "vendor": "pdl", "lookups": 1, "spend_micro_usd": 1_280_000}])
    );
    let since_the_day_before = program.json(&["usage", "--since", "2026-10-31", "--tenant", "acme"]);
    assert_eq!(since_the_day_before.as_array().expect("an array").len(), 4);
    assert_eq!(since_the_day_before[0]["day"], "2026-10-31");
}

#[test]
fn usage_shows_the_last_thirty_days() {
    let program = Program::new();
    let acme = program.tenant("acme");
    let days = [0, 29, 30].map(|ago| Day(today().0 - ago));
    program.buy(&days.map(|day| purchase(acme, "twilio", day, 1)));
    let shown = program.json(&["usage"]);
    let shown: Vec<_> = shown
        .as_array()
        .expect("an array")
        .iter()
        .map(|row| &row["day"])
        .collect();
    // When midnight passes meanwhile, the oldest of them has gone.
    assert_eq!(shown.last(), Some(&&json!(days[0].to_string())));
    assert!(!shown.contains(&&json!(days[2].to_string())), "{shown:?}");
    assert!(shown.len() == 2 || today() != days[0], "{shown:?}");
}

#[test]
fn caps_are_set_kept_and_lifted() {
    let program = Program::new();
    let acme = program.tenant("acme");
    program.tenant("beta");
    let caps = |lookups: Value, spend: Value| json!({"name": "acme", "daily_lookups": lookups, "daily_spend_micro_usd": spend});
    let set = |args: &[&str]| program.json(&[&["tenant", "set", "acme"], args].concat());

    assert_eq!(set(&["--daily-lookups", "2"]), caps(json!(2), Value::Null));
    let [first, second, third] = ["twilio", "pdl", "pdl"].map(|vendor| purchase(acme, vendor, today(), 5_000));
    assert_eq!(program.buy(&[first, second, third.clone()]), [true, true, false]);
    assert_eq!(set(&["--daily-spend-usd", "0.012"]), caps(json!(2), json!(12_000)));
    assert_eq!(set(&["--daily-lookups", "none"]), caps(Value::Null, json!(12_000)));
    assert_eq!(
        program.buy(std::slice::from_ref(&third)),
        [false],
        "15000 are above 12000"
    );
    assert_eq!(set(&["--daily-spend-usd", "0.015"]), caps(Value::Null, json!(15_000)));
    assert_eq!(program.buy(&[third]), [true], "15000 are not above 15000");
    assert_eq!(
        set(&["--daily-lookups", "0", "--daily-spend-usd", "9223372036854.775807"]),
        caps(json!(0), json!(i64::MAX))
    );

    let tenants = program.json(&["tenant", "list"]);
    assert_eq!(tenants[0]["daily_lookups"], 0);
    assert_eq!(tenants[0]["daily_spend_micro_usd"], i64::MAX);
    assert_eq!(tenants[1]["daily_lookups"], Value::Null);
    assert_eq!(tenants[1]["daily_spend_micro_usd"], Value::Null);
    assert_eq!(
        program.done(&[
            "tenant",
            "set",
            "acme",
            "--daily-lookups",
            "500",
            "--daily-spend-usd",
            "2.5"
        ]),
        "tenant acme: look-ups a day 500, USD a day 2.50\n"
    );
    assert_eq!(
        program.done(&[
            "tenant",
            "set",
            "acme",
            "--daily-lookups",
            "none",
            "--daily-spend-usd",
            "none"
        ]),
        "tenant acme: look-ups a day no cap, USD a day no cap\n"
    );
    assert!(program.done(&["tenant", "list"]).contains("LOOK-UPS/DAY"));
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let program = Program::new();
    program.tenant("acme");
    for (code, args, says) in [
        (1, &["usage", "--tenant", "nobody"][..], "no tenant is named `nobody`"),
        (
            1,
            &["tenant", "set", "nobody", "--daily-lookups", "1"],
            "no tenant is named `nobody`",
        ),
        (2, &["tenant", "set", "acme"], "--daily-lookups"),
        (2, &["tenant", "set"], "<NAME>"),
        (
            2,
            &["tenant", "set", "acme", "--daily-lookups", "-1"],
            "a whole number of look-ups, or none",
        ),
        (
            2,
            &["tenant", "set", "acme", "--daily-lookups", "+1"],
            "a whole number of look-ups, or none",
        ),
        (
            2,
            &["tenant", "set", "acme", "--daily-lookups", "9223372036854775808"],
            "or none",
        ),
        (
            2,
            &["tenant", "set", "acme", "--daily-spend-usd", "0.0000001"],
            "at most six decimals",
        ),
        (
            2,
            &["tenant", "set", "acme", "--daily-spend-usd", "-1"],
            "at most six decimals",
        ),
        (2, &["tenant", "set", "acme", "--daily-spend-usd", "1e3"], "or none"),
        (2, &["usage", "--since", "yesterday"], "write it as 2026-11-21"),
        (2, &["usage", "--since", "2026-02-30"], "write it as 2026-11-21"),
        (2, &["usage", "--tenant", "a b"], "a tenant's name has 1 to 64"),
        (2, &["usage", "everything"], "unexpected argument"),
    ] {
        let line = program.fails(code, args);
        assert!(line.contains(says), "{args:?}: {line}");
    }
    assert_eq!(program.json(&["tenant", "list"])[0]["daily_lookups"], Value::Null);
}
