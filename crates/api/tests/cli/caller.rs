//! `caller import`, `set` and `show` as scripts and people meet them: the real program over a database in a folder of
//! its own.

use std::{fmt::Write as _, fs, process::Command};

use domain::{access::TenantId, facts::FactKey, json::JsonObject, phone::PhoneNumber, port::CallerMemory};
use serde_json::{Value, json};
use testkit::sample;

use super::{
    NUMBER,
    program::{IN_MEMORY, Program, deadline},
};

/// The program over a database that has a tenant `acme`.
struct Acme {
    program: Program,
    tenant: TenantId,
}

impl std::ops::Deref for Acme {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

impl Acme {
    fn new() -> Self {
        let program = Program::new();
        let tenant = program.tenant("acme");
        Self { program, tenant }
    }

    fn caller(&self, args: &[&str]) -> Value {
        self.json(&[&["caller"], args, &["--tenant", "acme"]].concat())
    }

    /// Imports a file of this name and content; the exit code, the summary and what was said.
    fn import(&self, name: &str, content: impl AsRef<[u8]>) -> (i32, Value, String) {
        self.write(name, content);
        let output = self.run(&["caller", "import", name, "--tenant", "acme", "--json"]);
        let summary = serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        (output.code, summary, output.stderr)
    }

    fn with_memory(&self, work: impl AsyncFnOnce(&dyn CallerMemory)) {
        self.with_storage(async |storage| work(&*storage.memory()).await);
    }
}

fn counts(rows: u64, created: u64, updated: u64, unchanged: u64) -> Value {
    json!({"rows": rows, "created": created, "updated": updated, "unchanged": unchanged, "refused": []})
}

#[test]
fn a_csv_file_is_imported_and_imported_again() {
    let program = Acme::new();
    let file = "\u{feff}phone_number,name,tags,custom_attributes\r\n\
        (202) 555-0142,\"Okafor, Maren\",vip; gold ;;vip,\"{\"\"plan\"\": \"\"gold\"\",\r\n \"\"since\"\": 2019}\"\r\n\
        tel:+44 20 7946 0958,Noor,,\r\n";
    assert_eq!(
        program.import("callers.csv", file),
        (0, counts(2, 2, 0, 0), String::new())
    );
    assert_eq!(
        program.import("callers.csv", file),
        (0, counts(2, 0, 0, 2), String::new())
    );

    let shown = program.caller(&["show", NUMBER]);
    assert_eq!(shown["name"], "Okafor, Maren");
    assert_eq!(shown["tags"], json!(["vip", "gold"]));
    assert_eq!(shown["custom_attributes"], json!({"plan": "gold", "since": 2019}));
    assert_eq!((&shown["total_calls"], &shown["calls"]), (&json!(0), &json!([])));
    assert_eq!(shown["first_seen_ms"], shown["last_seen_ms"]);
    assert_eq!(program.caller(&["show", "+442079460958"])["name"], "Noor");

    // What a file does not speak of stays: a missing column, and an empty cell.
    let second = "tags,phone_number,name\nsilver,+12025550142,\n,+442079460958,Noor Haddad\n";
    assert_eq!(program.import("second.CSV", second).1, counts(2, 0, 2, 0));
    let shown = program.caller(&["show", NUMBER]);
    assert_eq!(
        (&shown["name"], &shown["tags"], &shown["custom_attributes"]["plan"]),
        (&json!("Okafor, Maren"), &json!(["silver"]), &json!("gold"))
    );

    let table = program.done(&["caller", "import", "second.CSV", "--tenant", "acme"]);
    assert_eq!(table, "2 rows: 0 callers created, 0 updated, 2 unchanged, 0 refused\n");
}

#[test]
fn json_lines_are_imported_and_clear_what_is_null() {
    let program = Acme::new();
    let first = r#"{"phone_number": "202 555 0142", "name": "Maren", "tags": ["a", "b;c"], "custom_attributes": {"n": 1.50}}

{"phone_number": "+442079460958", "tags": "a; b"}"#;
    assert_eq!(program.import("callers.jsonl", first).1, counts(2, 2, 0, 0));
    let shown = program.caller(&["show", NUMBER]);
    assert_eq!(shown["tags"], json!(["a", "b;c"]));
    assert_eq!(program.caller(&["show", "+442079460958"])["tags"], json!(["a", "b"]));

    let second = r#"{"phone_number": "+12025550142", "name": null, "custom_attributes": null}"#;
    assert_eq!(program.import("callers.ndjson", second).1, counts(1, 0, 1, 0));
    let shown = program.caller(&["show", NUMBER]);
    assert_eq!(
        (&shown["name"], &shown["tags"], &shown["custom_attributes"]),
        (&Value::Null, &json!(["a", "b;c"]), &json!({}))
    );
}

#[test]
fn bad_rows_are_reported_by_line_and_the_others_are_written() {
    let program = Acme::new();
    let long = "x".repeat(101);
    let many: String = (0..51).fold(String::new(), |mut tags, tag| {
        let _ = write!(tags, "{tag};");
        tags
    });
    let file = format!(
        "phone_number,name,tags,custom_attributes\n\
        +12025550100,\"a\nb\",,\n\
        12345,c,,\n\
        anonymous,d,,\n\
        +12025550101,e,,{{\n\
        +12025550102,f,,[1]\n\
        +12025550103,{long},,\n\
        +12025550104,g,{many},\n\
        +12025550105,Good,,\n\
        (202) 555-0105,h,,\n\
        +12025550106,i\0,,\n\
        +12025550107,j\n\
        ,k,,\n\
        +12025550108,l,,\"{{\"\"a\"\": \"\"\\u0000\"\"}}\"\n\
        +12025550109,m,,\"{{\"\"a\"\": \"\"{}\"\"}}\"\n",
        "x".repeat(16 * 1024)
    );
    let (code, summary, said) = program.import("callers.csv", file);
    assert_eq!(code, 1);
    let refused = summary["refused"].as_array().expect("an array");
    let expected = [
        (2, "the name holds a control character"),
        (
            4,
            "not a phone number; write it in E.164, for example +12025550142, or as it is dialled within US",
        ),
        (5, "withheld caller ID"),
        (6, "custom_attributes: is not JSON"),
        (7, "custom_attributes: expected an object"),
        (8, "longer than 100 characters; shorten it"),
        (9, "more than 50 tags"),
        (11, "this number is already on line 10"),
        (12, "the name holds a control character"),
        (13, "it has 2 cells where the first line has 4"),
        (14, "phone_number is empty"),
        (15, "\\u0000; remove it"),
        (16, "longer than 16 KiB"),
    ];
    assert_eq!(refused.len(), expected.len(), "{refused:#?}");
    for (refused, (line, says)) in refused.iter().zip(expected) {
        let error = refused["error"].as_str().expect("a text");
        assert!(
            refused["line"] == line && error.contains(says),
            "{line} {says}: {refused}"
        );
        assert!(said.contains(&format!("line {line} refused: {error}\n")), "{said}");
    }
    assert_eq!((&summary["rows"], &summary["created"]), (&json!(14), &json!(1)));
    assert!(
        said.contains("error: 13 rows were refused and the others are stored"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 14, "{said}");
    assert!(
        !said.replace("+12025550142", "").contains("555"),
        "no number is repeated but the example: {said}"
    );
    assert_eq!(program.caller(&["show", "+12025550105"])["name"], "Good");
    assert!(
        program
            .fails(1, &["caller", "show", "+12025550101", "--tenant", "acme"])
            .contains("no caller with this number")
    );

    let many_bad = format!("phone_number\n{}", "x\n".repeat(25));
    let (code, summary, said) = program.import("bad.csv", many_bad);
    assert_eq!((code, summary["refused"].as_array().map(Vec::len)), (1, Some(25)));
    assert_eq!(said.matches(" refused: ").count(), 20, "{said}");
    assert!(said.contains("\nand 5 more rows refused\n"), "{said}");
}

#[test]
fn what_is_wrong_with_a_file_is_said_before_anything_is_written() {
    let program = Acme::new();
    program.write("column.csv", "phone_number,email\n+12025550142,a\n");
    program.write("none.csv", "name\nMaren\n");
    program.write("empty.csv", "");
    program.write("callers.txt", "");
    program.write("good.csv", "phone_number\n+12025550142\n");
    fs::create_dir(program.path("folder.csv")).expect("a folder");
    for (code, args, says) in [
        (
            1,
            &["import", "column.csv"][..],
            "there is no column `email`; the columns are phone_number, name, tags, custom_attributes",
        ),
        (1, &["import", "none.csv"], "no column `phone_number`"),
        (1, &["import", "empty.csv"], "no column `phone_number`"),
        (2, &["import", "callers.txt"], "must end in .csv, .jsonl or .ndjson"),
        (1, &["import", "missing.csv"], "cannot read missing.csv"),
        (1, &["import", "folder.csv"], "is a folder"),
        (
            1,
            &["import", "good.csv", "--tenant", "nobody"],
            "no tenant is named `nobody`; `caller-memory tenant list` shows the tenants",
        ),
        (2, &["import"], "<FILE>"),
        (
            1,
            &["show", NUMBER, "--tenant", "nobody"],
            "no tenant is named `nobody`",
        ),
        (1, &["show", NUMBER], "has no caller with this number"),
        (2, &["show", "12345"], "NUMBER: this is not a phone number"),
        (2, &["show", "anonymous"], "withheld"),
        (2, &["set", NUMBER], "--name"),
        (
            2,
            &["set", "12345", "--name", "a"],
            "NUMBER: this is not a phone number",
        ),
        (2, &["set", NUMBER, "--attr", "plan"], "write it as KEY=VALUE"),
        (2, &["set", NUMBER, "--name", "a\nb"], "control character"),
        (2, &["set", NUMBER, "--tag", "a\tb"], "a tag holds a control character"),
    ] {
        let tenant = if args.contains(&"--tenant") {
            &[][..]
        } else {
            &["--tenant", "acme"]
        };
        let line = program.fails(code, &[&["caller"], args, tenant].concat());
        assert!(line.contains(says), "{args:?}: {line}");
    }
    program.fails(1, &["caller", "show", NUMBER, "--tenant", "acme"]);
}

#[test]
fn a_file_that_breaks_off_says_what_is_stored() {
    let program = Acme::new();
    let mut file = "phone_number,name\n".to_owned();
    for index in 0..1_050 {
        let _ = writeln!(file, "+1202556{index:04},Caller {index}");
    }
    // A row that never ends stops the import; what came before it is stored.
    let endless = format!("{file}+12025550142,\"{}", "x\n".repeat(1 << 20));
    let (code, summary, said) = program.import("callers.csv", &endless);
    assert_eq!((code, summary), (1, counts(1_050, 1_050, 0, 0)));
    assert!(
        said.contains("the row that begins in line 1052 is longer than 1 MiB")
            && said.contains("every good row up to line 1051 is stored"),
        "{said}"
    );
    assert_eq!(program.import("callers.csv", &file).1, counts(1_050, 0, 0, 1_050));
    let cut = format!("{file}+12025550142,\"Mar");
    let (code, summary, said) = program.import("callers.csv", &cut);
    assert_eq!((code, &summary["unchanged"]), (1, &json!(1_050)));
    assert!(said.contains("line 1052 refused: a quote that is opened"), "{said}");
}

#[test]
fn a_database_that_fails_in_the_middle_says_up_to_which_line_all_is_stored() {
    if IN_MEMORY {
        println!("skipped: only a database of SQLite can be made to fail from outside");
        return;
    }
    let program = Acme::new();
    // A thousand callers go into one transaction; the second one meets a caller that must not change.
    program.caller(&["set", "+12025561020", "--name", "Before"]);
    let sql = "CREATE TRIGGER no BEFORE UPDATE ON callers BEGIN SELECT RAISE(ABORT, 'no'); END";
    let file = program.path("data/caller-memory.db");
    let run = |sql: &str| {
        let done = Command::new("sqlite3").arg(&file).arg(sql).status();
        done.is_ok_and(|status| status.success())
    };
    if !run(sql) {
        println!("skipped: the program sqlite3 is not installed");
        return;
    }
    let mut rows = "phone_number,name\n".to_owned();
    for index in 0..1_050 {
        let _ = writeln!(rows, "+1202556{index:04},Caller {index}");
    }
    let (code, summary, said) = program.import("callers.csv", &rows);
    assert_eq!((code, &summary["created"]), (1, &json!(1_000)), "{summary}");
    assert!(said.contains("every good row up to line 1001 is stored"), "{said}");
    program.fails(1, &["caller", "show", "+12025561010", "--tenant", "acme"]);
    assert!(run("DROP TRIGGER no"));
    assert_eq!(program.import("callers.csv", &rows).1, counts(1_050, 49, 1, 1_000));
}

#[test]
fn a_damaged_transcript_is_named_and_the_others_are_shown() {
    if IN_MEMORY {
        println!("skipped: only a database of SQLite can be damaged from outside");
        return;
    }
    let program = Acme::new();
    let tenant = program.tenant;
    program.with_memory(async |memory| {
        for (session, at) in [("first", 0), ("second", 1)] {
            let call = sample::record(&sample::number(42), session, sample::NOW_MS + at, 1);
            memory.record_end(tenant, &call, deadline()).await.expect("recorded");
        }
    });
    let sql = "UPDATE calls SET transcript = x'00' WHERE started_at_ms = (SELECT max(started_at_ms) FROM calls)";
    let file = program.path("data/caller-memory.db");
    let damaged = Command::new("sqlite3").arg(&file).arg(sql).status();
    if !damaged.is_ok_and(|status| status.success()) {
        println!("skipped: the program sqlite3 is not installed");
        return;
    }
    let show = ["caller", "show", NUMBER, "--tenant", "acme", "--transcripts"];
    let output = program.run(&[&show[..], &["--json"]].concat());
    assert_eq!(output.code, 1, "{output:?}");
    let shown: Value = serde_json::from_str(&output.stdout).expect("one JSON value");
    assert_eq!(shown["calls"][0].get("transcript"), None, "{shown}");
    assert!(shown["calls"][1]["transcript"][0]["text"].is_string(), "{shown}");
    let damaged = shown["calls"][0]["call_id"].as_str().expect("an id");
    assert!(
        output.stderr.contains("cannot be read") && output.stderr.contains(damaged),
        "{output:?}"
    );
    let output = program.run(&show);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(
        output.stdout.contains("    agent ") && output.stderr.contains(damaged),
        "{output:?}"
    );
}

#[test]
fn one_caller_is_set_and_shown() {
    let program = Acme::new();
    let set = |args: &[&str]| program.caller(&[&["set", "202-555-0142"], args].concat());
    let first = set(&[
        "--name",
        " Maren Okafor ",
        "--tag",
        "vip",
        "--tag",
        " gold",
        "--attr",
        "plan=gold",
        "--attr",
        "n=1",
    ]);
    assert_eq!(
        (&first["name"], &first["tags"], &first["custom_attributes"]),
        (
            &json!("Maren Okafor"),
            &json!(["vip", "gold"]),
            &json!({"plan": "gold", "n": "1"})
        )
    );
    assert_eq!(
        (&first["phone_number"], &first["total_calls"]),
        (&json!(NUMBER), &json!(0))
    );
    let second = set(&["--attr", "n=", "--attr", "seat=a=b"]);
    assert_eq!(second["custom_attributes"], json!({"plan": "gold", "seat": "a=b"}));
    assert_eq!((&second["name"], &second["tags"]), (&first["name"], &first["tags"]));
    assert_eq!(set(&["--tag", "new"])["tags"], json!(["new"]));
    let cleared = set(&["--tag", "", "--name", ""]);
    assert_eq!((&cleared["tags"], &cleared["name"]), (&json!([]), &Value::Null));
    assert_eq!(cleared["custom_attributes"], second["custom_attributes"]);

    let long = format!("a={}", "x".repeat(16 * 1024));
    let line = program.fails(1, &["caller", "set", NUMBER, "--tenant", "acme", "--attr", &long]);
    assert!(
        line.contains("16 KiB") && line.contains("nothing was changed"),
        "{line}"
    );
    assert_eq!(
        program.caller(&["show", NUMBER])["custom_attributes"],
        second["custom_attributes"]
    );
    let printed = program.done(&["caller", "set", NUMBER, "--tenant", "acme", "--name", "Maren"]);
    assert!(
        printed.starts_with("+12025550142\n  name      Maren\n") && printed.contains("attribute plan = gold"),
        "{printed}"
    );
}

#[test]
fn a_history_shows_the_newest_calls_and_what_was_said() {
    let program = Acme::new();
    let tenant = program.tenant;
    let other = program.tenant("beta");
    program.with_memory(async |memory| {
        for index in 0..102_i64 {
            let mut call = sample::record(&sample::number(42), &format!("call {index}"), sample::NOW_MS + index, 1);
            call.call.transcript[1].text = format!("I said\u{1b}[2J \"{index}\"\n");
            if index == 101 {
                let metadata = "{\"build\": 7.0, \"note\": \"\u{202e}yes\"}";
                call.call.agent_metadata = Some(JsonObject::from_validated(metadata.to_owned()));
            }
            memory.record_end(tenant, &call, deadline()).await.expect("recorded");
        }
        let elsewhere = sample::record(&sample::number(42), "elsewhere", sample::NOW_MS, 1);
        memory
            .record_end(other, &elsewhere, deadline())
            .await
            .expect("recorded");
    });
    let shown = program.caller(&["show", NUMBER, "--transcripts"]);
    let calls = shown["calls"].as_array().expect("an array");
    assert_eq!((calls.len(), &shown["total_calls"]), (100, &json!(102)));
    assert_eq!(calls[0]["summary"], "Caller asked about call 101.");
    assert_eq!(
        calls[99]["transcript"][1],
        json!({"role": "user", "text": "I said\u{1b}[2J \"2\"\n", "ts_ms": 1250.5})
    );
    assert_eq!(calls[0]["agent_metadata"], json!({"build": 7.0, "note": "\u{202e}yes"}));
    assert_eq!(calls[1]["agent_metadata"], Value::Null);
    assert_eq!(program.caller(&["show", NUMBER])["calls"][0].get("transcript"), None);

    let text = program.done(&["caller", "show", NUMBER, "--tenant", "acme", "--transcripts"]);
    assert!(text.contains("    user  I said [2J \"101\"\n"), "{text}");
    assert_eq!(text.matches("agent_metadata").count(), 1, "{text}");
    assert!(
        text.contains("\n  agent_metadata {\"build\": 7.0, \"note\": "),
        "{text}"
    );
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "a terminal is given no orders");
    assert!(text.ends_with("These are the newest 100 of 102 calls.\n"), "{text}");
    let text = program.done(&["caller", "show", NUMBER, "--tenant", "beta"]);
    assert!(
        text.contains("60 s, other\n  Caller asked about elsewhere.\n") && !text.contains("agent"),
        "{text}"
    );
    assert!(!text.contains("newest"), "{text}");
}

#[test]
fn the_operator_corrects_what_was_heard() {
    let program = Acme::new();
    let tenant = program.tenant;
    program.with_memory(async |memory| {
        let mut call = sample::record(
            &PhoneNumber::from_e164(NUMBER).expect("a number"),
            "one",
            sample::NOW_MS,
            1,
        );
        call.facts = vec![
            sample::said(FactKey::Name, "Pete", sample::NOW_MS),
            sample::said(FactKey::City, "York", sample::NOW_MS),
        ];
        memory.record_end(tenant, &call, deadline()).await.expect("recorded");
    });
    let caller = |args: &[&str]| program.caller(args);
    let corrections = |shown: &Value| -> Vec<Value> {
        let all = shown["corrections"].as_array().expect("corrections").iter();
        all.map(|one| json!([one["word"], one["key"], one["value"], one["when"]]))
            .collect()
    };
    let shown = |history: &Value| -> Vec<Value> {
        let facts = history["facts"].as_array().expect("facts").iter();
        facts
            .map(|fact| json!([fact["key"], fact["value"], fact["call_id"].is_null(), fact["stands"]]))
            .collect()
    };

    caller(&["fact", "set", NUMBER, "city", "Leeds"]);
    caller(&["fact", "drop", NUMBER, "name", "pete"]);
    let set = caller(&[
        "fact",
        "set",
        NUMBER,
        "appointment",
        "haircut",
        "--when",
        "2026-03-08T16:15",
    ]);
    assert_eq!(
        corrections(&set),
        [
            json!(["set", "city", "Leeds", null]),
            json!(["drop", "name", "pete", null]),
            json!(["set", "appointment", "haircut", "2026-03-08T16:15"]),
        ]
    );
    assert_eq!(
        shown(&caller(&["show", NUMBER])),
        [
            json!(["appointment", "haircut", true, true]),
            json!(["city", "Leeds", true, true]),
            json!(["city", "York", false, false]),
            json!(["name", "Pete", false, false]),
        ]
    );
    let card = program.done(&["caller", "show", NUMBER, "--tenant", "acme"]);
    for line in ["dropped   name = pete", "city = Leeds (the operator's word"] {
        assert!(card.contains(line), "{line}: {card}");
    }

    let named = caller(&["fact", "set", NUMBER, "name", "Peter Miller"]);
    assert_eq!(named["name"], "Peter Miller");
    let unnamed = caller(&["fact", "drop", NUMBER, "name"]);
    assert_eq!(unnamed["name"], Value::Null);
    assert_eq!(corrections(&caller(&["fact", "drop", NUMBER, "city"])).len(), 3);
    // What else is written of a caller leaves them.
    assert_eq!(corrections(&caller(&["set", NUMBER, "--tag", "vip"])).len(), 3);

    for (code, args, says) in [
        (2, &[NUMBER, "shoe_size", "9"][..], "the keys of facts are name, email"),
        (2, &[NUMBER, "city", " "], "the value is empty"),
        (
            2,
            &[NUMBER, "city", "Leeds", "--when", "2026-03-08"],
            "for appointments, orders and promises",
        ),
        (2, &[NUMBER, "order", "lamp", "--when", "tomorrow"], "2026-03-08T16:15"),
        (1, &["+12025550199", "city", "Leeds"], "has no caller with this number"),
    ] {
        let args = [&["caller", "fact", "set"], args, &["--tenant", "acme"]].concat();
        let line = program.fails(code, &args);
        assert!(line.contains(says), "{args:?}: {line}");
    }
}
