//! The whole command line again, over a storage that keeps everything in memory: the example `in_memory`, as another
//! binary with a storage of its own has it. And what the program says when a storage leaves parts out.

#[path = "cli/main.rs"]
mod cli;

use cli::program::{Program, free_ports};
use serde_json::json;

/// The program over a storage that leaves out all that may be left out.
fn bare() -> Program {
    let (port, admin) = free_ports();
    Program::new()
        .set("CALLER_MEMORY_DATABASE_URL", "bare:data/bare.db")
        .set("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{port}"))
        .set("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{admin}"))
}

#[test]
fn an_unknown_scheme_is_told_what_there_is() {
    let program = Program::new().set("CALLER_MEMORY_DATABASE_URL", "sqlite://hunter2.db");
    for args in [&["serve"][..], &["tenant", "list"], &["migrate", "up"]] {
        let line = program.fails(2, args);
        assert!(
            line.contains("CALLER_MEMORY_DATABASE_URL") && line.contains("expected memory:[PATH] or bare:[PATH]"),
            "{line}"
        );
        assert!(!line.contains("hunter2"), "{line}");
    }
    let help = program.done(&["serve", "--help"]);
    assert!(help.contains("`memory:[PATH]` or `bare:[PATH]`"), "{help}");
    assert!(help.contains("memory:data/caller-memory.db"), "{help}");
}

#[test]
fn commands_say_what_the_storage_leaves_out() {
    let program = bare();
    program.done(&["tenant", "create", "acme"]);
    program.write("callers.csv", "phone_number,name\n+12025550142,Maren\n");
    let receipt = "019ab001-2c00-7000-8000-000000000001";
    for (args, says) in [
        (&["caller", "show", "+12025550142", "--tenant", "acme"][..], "callers"),
        (
            &["caller", "set", "+12025550142", "--tenant", "acme", "--name", "x"],
            "callers",
        ),
        (&["caller", "import", "callers.csv", "--tenant", "acme"], "callers"),
        (&["calls", "open"], "never written back"),
        (&["usage"], "what look-ups cost"),
        (&["tenant", "set", "acme", "--daily-lookups", "1"], "what look-ups cost"),
        (&["receipt", "stats"], "keep receipts"),
        (&["receipt", "show", receipt], "keep receipts"),
    ] {
        let line = program.fails(1, args);
        assert!(
            line.contains("the database of CALLER_MEMORY_DATABASE_URL cannot") && line.contains(says),
            "{args:?}: {line}"
        );
    }
    let tenants = program.json(&["tenant", "list"]);
    assert_eq!(
        (&tenants[0]["name"], &tenants[0]["daily_lookups"]),
        (&json!("acme"), &json!(null))
    );
    assert_eq!(program.json(&["migrate", "up"]), json!([]));
    assert_eq!(
        program.done(&["migrate", "status"]),
        "no migrations: this kind of database has none\n"
    );
}

#[test]
fn settings_that_need_what_the_storage_leaves_out_stop_the_start() {
    for (settings, named, says) in [
        (
            &[("CALLER_MEMORY_FEEDBACK_LOOP", "true")][..],
            "CALLER_MEMORY_FEEDBACK_LOOP",
            "keep receipts",
        ),
        (
            &[
                ("CALLER_MEMORY_LLM_BASE_URL", "http://127.0.0.1:9/v1"),
                ("CALLER_MEMORY_LLM_MODEL", "m"),
            ],
            "CALLER_MEMORY_LLM_BASE_URL",
            "wait for a language model",
        ),
        (
            &[("TRESTLE_API_KEY", "secret")],
            "TRESTLE_API_KEY",
            "what look-ups cost",
        ),
        (
            &[("TWILIO_ACCOUNT_SID", "AC1"), ("TWILIO_AUTH_TOKEN", "secret")],
            "TWILIO_ACCOUNT_SID",
            "what look-ups cost",
        ),
    ] {
        let program = settings
            .iter()
            .fold(bare(), |program, (name, value)| program.set(name, *value));
        let output = program.run(&["serve"]);
        assert_eq!(output.code, 1, "{output:?}");
        let error = output.stderr.lines().last().unwrap_or_default();
        assert!(
            error.starts_with(&format!(
                "error: {named}: the database of CALLER_MEMORY_DATABASE_URL cannot"
            )) && error.contains(says),
            "{output:?}"
        );
        let output = program.run(&["doctor"]);
        assert_eq!(output.code, 1, "{output:?}");
        assert!(
            output
                .stdout
                .lines()
                .any(|line| line.starts_with("FAIL  database") && line.contains(named)),
            "{output:?}"
        );
    }
}

#[test]
fn a_storage_that_leaves_parts_out_is_served() {
    let program = bare();
    program.done(&["tenant", "create", "acme"]);
    let (_, key) = program.key(&["--tenant", "acme"]);
    let service = program.serve(&[]);
    let program = program
        .set("CALLER_MEMORY_URL", &service.url)
        .set("CALLER_MEMORY_KEY", &key);
    assert_eq!(program.json(&["recall", "+12025550142"])["known"], false);
    assert_eq!(program.json(&["recall", "+12025550142"])["known"], true);
}
