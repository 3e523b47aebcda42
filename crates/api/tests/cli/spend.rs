//! `usage` and `tenant set` as scripts and people meet them: the real program over a database that has counted
//! look-ups.

use domain::{
    access::TenantId,
    port::{Day, Purchase},
};
use serde_json::{Value, json};

use super::program::{Program, deadline, now_ms};

/// Counts look-ups as a running service does; returns for each whether the caps let it through.
fn buy(program: &Program, purchases: &[Purchase]) -> Vec<bool> {
    program.with_storage(async |storage| {
        let ledger = storage.spend().expect("a ledger");
        let mut bought = Vec::new();
        for purchase in purchases {
            bought.push(ledger.reserve(purchase, deadline()).await.expect("an answer"));
        }
        bought
    })
}

fn today() -> Day {
    Day::of_ms(now_ms())
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
    let (acme, beta) = (program.tenant("acme"), program.tenant("beta"));
    assert_eq!(program.json(&["usage"]), json!([]));
    let day = |text: &str| text.parse::<Day>().expect("a day");
    let old = day("2026-10-31");
    let bought = buy(
        &program,
        &[
            purchase(acme, "twilio", day("2026-11-01"), 8_000),
            purchase(acme, "twilio", day("2026-11-01"), 8_000),
            purchase(beta, "pdl", day("2026-11-02"), 1_280_000),
            purchase(acme, "telnyx", day("2026-11-02"), 0),
            purchase(acme, "pdl", day("2026-11-02"), 1),
            purchase(acme, "trestle", old, 70_000),
        ],
    );
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
    buy(&program, &days.map(|day| purchase(acme, "twilio", day, 1)));
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
    let set = |args: &[&str]| {
        let tenant = program.json(&[&["tenant", "set", "acme"], args].concat());
        let [lookups, spend] = ["daily_lookups", "daily_spend_micro_usd"].map(|name| tenant[name].clone());
        json!({"name": tenant["name"], "daily_lookups": lookups, "daily_spend_micro_usd": spend})
    };

    assert_eq!(set(&["--daily-lookups", "2"]), caps(json!(2), Value::Null));
    let [first, second, third] = ["twilio", "pdl", "pdl"].map(|vendor| purchase(acme, vendor, today(), 5_000));
    assert_eq!(buy(&program, &[first, second, third.clone()]), [true, true, false]);
    assert_eq!(set(&["--daily-spend-usd", "0.012"]), caps(json!(2), json!(12_000)));
    assert_eq!(set(&["--daily-lookups", "none"]), caps(Value::Null, json!(12_000)));
    assert_eq!(
        buy(&program, std::slice::from_ref(&third)),
        [false],
        "15000 are above 12000"
    );
    assert_eq!(set(&["--daily-spend-usd", "0.015"]), caps(Value::Null, json!(15_000)));
    assert_eq!(buy(&program, &[third]), [true], "15000 are not above 15000");
    assert_eq!(
        set(&["--daily-lookups", "0", "--daily-spend-usd", "9223372036854.775807"]),
        caps(json!(0), json!(i64::MAX))
    );

    let tenants = program.json(&["tenant", "list"]);
    assert_eq!(tenants[0]["daily_lookups"], 0);
    assert_eq!(tenants[0]["daily_spend_micro_usd"], i64::MAX);
    assert_eq!(tenants[1]["daily_lookups"], Value::Null);
    assert_eq!(tenants[1]["daily_spend_micro_usd"], Value::Null);
    let row = |args: &[&str]| {
        let table = program.done(&[&["tenant", "set", "acme"], args].concat());
        let row = table.lines().nth(1).expect("one row").to_owned();
        row.split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .map(ToOwned::to_owned)
            .collect::<Vec<_>>()
    };
    let set = row(&["--daily-lookups", "500", "--daily-spend-usd", "2.5"]);
    assert_eq!(
        set[..8],
        ["acme", "default", "default", "default", "UTC", "confirm", "500", "2.50"]
    );
    let lifted = row(&["--daily-lookups", "none", "--daily-spend-usd", "none"]);
    assert_eq!(lifted[6..8], ["no cap", "no cap"]);
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
