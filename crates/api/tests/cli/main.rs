//! The command line as scripts and people meet it: the real program in a folder of its own.
#![expect(
    clippy::expect_used,
    reason = "a test fails by panicking, in its steps as well as in its body"
)]

mod caller;
pub(crate) mod program;
mod receipt;
mod settings;
mod spend;
mod tenant;

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use program::{
    EMBEDDED, IN_MEMORY, Program, executable, free_ports, now_ms, on_each_database, one_line, text, wait_until,
};
use serde_json::{Value, json};

const NUMBER: &str = "+12025550142";

fn fields(value: &Value) -> Vec<&str> {
    let mut fields: Vec<_> = value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    fields.sort_unstable();
    fields
}

fn call(session: &str) -> String {
    json!({
        "phone_number": NUMBER,
        "session_id": session,
        "transcript": [{"role": "user", "text": "I would like to book a cleaning.", "ts_ms": 1_700_000_000_000_i64}],
        "duration_s": 12.5,
        "outcome": "appointment_booked",
    })
    .to_string()
}

#[test]
fn help_shows_every_setting_and_no_secret() {
    let program = Program::new()
        .set("CALLER_MEMORY_DATABASE_URL", "postgres://me:hunter2@localhost/db")
        .set("CALLER_MEMORY_BOOTSTRAP_KEY", "sk_live_abcdefghijklmnopqrstuvwx")
        .set("CALLER_MEMORY_KEY", "sk_live_zyxwvutsrqponmlkjihgfedcb")
        .set("CALLER_MEMORY_LISTEN", "");
    let help = program.done(&["serve", "--help"]);
    for setting in [
        "LISTEN",
        "ADMIN_LISTEN",
        "DATABASE_URL",
        "AUTO_MIGRATE",
        "BOOTSTRAP_KEY",
        "DEFAULT_REGION",
        "RECALL_DEADLINE_MS",
        "WRITE_DEADLINE_MS",
        "RATE_PER_SECOND",
        "RATE_BURST",
        "MAX_BODY_BYTES",
        "AUTH_CACHE_S",
        "AUTH_STALE_S",
        "LOG",
        "LOG_FORMAT",
    ] {
        assert!(help.contains(&format!("CALLER_MEMORY_{setting}")), "{setting}: {help}");
        assert!(
            help.contains(&format!("--{}", setting.to_lowercase().replace('_', "-"))),
            "{setting}: {help}"
        );
    }
    let every = [
        vec!["--help"],
        vec!["help"],
        vec!["migrate", "up", "--help"],
        vec!["tenant", "create", "--help"],
        vec!["key", "create", "--help"],
        vec!["key", "rotate", "--help"],
        vec!["recall", "--help"],
        vec!["replay", "--help"],
        vec!["doctor", "--help"],
        vec!["openapi", "--help"],
    ];
    for help in every.iter().map(|args| program.done(args)).chain([help]) {
        assert!(help.contains("Usage:"), "{help}");
        assert!(
            !help.contains("hunter2") && !help.contains("sk_live_abc") && !help.contains("sk_live_zyx"),
            "{help}"
        );
    }
    assert_eq!(
        program.done(&["--version"]),
        format!("caller-memory {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn usage_errors_are_one_line_that_says_what_to_do() {
    let program = Program::new();
    for (args, says) in [
        (&["frobnicate"][..], "caller-memory --help"),
        (&["--frobnicate"], "caller-memory serve --help"),
        (&["migrate"], "`caller-memory migrate` needs a subcommand"),
        (&["migrate", "down", "--steps", "0"], "--steps"),
        (&["tenant"], "needs a subcommand"),
        (&["tenant", "create"], "<NAME>"),
        (&["tenant", "create", "a b"], "a tenant's name has 1 to 64"),
        (&["tenant", "create", "a\nb"], "a tenant's name has 1 to 64"),
        (
            &["tenant", "create", "acme", "--default-region", "Atlantis"],
            "unknown region",
        ),
        (
            &["tenant", "create", "acme", "--rate-per-second", "0"],
            "expected a whole number from 1",
        ),
        (
            &["tenant", "create", "acme", "--rate-burst", "-1"],
            "--rate-burst <N>: invalid value `-1`",
        ),
        (
            &["usage", "--since", "yesterday"],
            "error: --since <DAY>: `yesterday` is not a day",
        ),
        (
            &["recall", "202", "555", "0142", "--key", "sk_live_x"],
            "unexpected argument '555' found; a number with spaces needs quotes around it",
        ),
        (
            &["key", "create", "--tenant", "acme", "--scope", "everything"],
            "the scopes are recall",
        ),
        (&["key", "create", "--tenant", "acme", "--expires-in", "0d"], "above 0"),
        (
            &["calls", "open", "--older-than", "0s"],
            "error: --older-than <SPAN>: invalid value `0s`: expected a whole number above 0, of seconds or with",
        ),
        (&["key", "create", "--tenant", "acme", "--expires-in", "-1d"], "above 0"),
        (
            &[
                "key",
                "create",
                "--tenant",
                "acme",
                "--expires-in",
                "99999999999999999999d",
            ],
            "at most 36500d",
        ),
        (
            &["key", "create", "--tenant", "acme", "--expires-in", "soon"],
            "for example 90d",
        ),
        (
            &["key", "create", "--tenant", "acme", "--label", "a\tb"],
            "one line of 1 to 200",
        ),
        (&["key", "revoke", "42"], "expected a key's id"),
        (&["key", "rotate", "42"], "expected a key's id"),
        (
            &["key", "rotate", "00000000-0000-0000-0000-000000000000", "--grace", "0s"],
            "above 0",
        ),
        (&["recall"], "<NUMBER>"),
        (&["recall", NUMBER], "give --key <KEY> or set CALLER_MEMORY_KEY"),
        (&["recall", NUMBER, "--key", "a b"], "expected an API key"),
        (
            &["recall", NUMBER, "--key", "sk_live_x", "--deadline-ms", "19"],
            "expected a whole number from 20 to 5000",
        ),
        (
            &["recall", NUMBER, "--key", "sk_live_x", "--url", "localhost:8080"],
            "for example http://127.0.0.1:8080",
        ),
        (&["replay", "calls.jsonl"], "CALLER_MEMORY_KEY"),
        (
            &["replay", "calls.jsonl", "--key", "sk_live_x", "--concurrency", "0"],
            "--concurrency",
        ),
        (
            &["replay", "calls.jsonl", "--key", "sk_live_x", "--concurrency", "1000"],
            "--concurrency",
        ),
        (&["openapi", "now"], "unexpected argument"),
        (
            &["serve", "--auto-migrate", "perhaps"],
            "error: --auto-migrate <BOOL>: invalid value `perhaps`",
        ),
    ] {
        let line = program.fails(2, args);
        assert!(line.contains(says), "{args:?}: {line}");
    }
    let line = program.fails(2, &["recall", NUMBER, "sk_live_abcdefghijklmnopqrstuvwx"]);
    assert!(!line.contains("sk_live_abc"), "{line}");
}

#[test]
fn a_setting_that_does_not_parse_is_named_and_stops_every_start() {
    let program = Program::new().set("CALLER_MEMORY_RATE_BURST", "-5");
    // Without a command and with flags of `serve` alone, `serve` is meant.
    for args in [&["serve"][..], &[], &["--log", "info"]] {
        let line = program.fails(2, args);
        assert!(line.contains("CALLER_MEMORY_RATE_BURST"), "{args:?}: {line}");
    }
}

#[test]
fn dotenv_is_read_and_the_environment_goes_before_it() {
    let program = Program::new();
    program.write(".env", "# settings\nCALLER_MEMORY_LISTEN=from-dotenv\n");
    assert!(program.fails(2, &["serve"]).contains("from-dotenv"));
    let program = program.set("CALLER_MEMORY_LISTEN", "from-environment");
    assert!(program.fails(2, &["serve"]).contains("from-environment"));

    let program = Program::new();
    program.write(
        ".env",
        "CALLER_MEMORY_DATABASE_URL=postgres://me:hunter2@h/db\nhunter2 is my password\n",
    );
    let line = program.fails(2, &["tenant", "list"]);
    assert!(line.contains(".env") && !line.contains("hunter2"), "{line}");
}

#[test]
fn a_blank_variable_counts_as_not_set() {
    let program = Program::new()
        .set("CALLER_MEMORY_DATABASE_URL", "")
        .set("CALLER_MEMORY_BOOTSTRAP_KEY", "");
    assert_eq!(program.json(&["tenant", "list"]), json!([]));
    assert!(program.path("data/caller-memory.db").exists());
}

#[test]
fn migrations_go_up_and_down() {
    for program in on_each_database() {
        let states = |value: &Value| -> Vec<bool> {
            let states = value.as_array().expect("an array");
            assert!(!states.is_empty());
            states
                .iter()
                .map(|state| {
                    assert_eq!(fields(state), ["applied", "name"]);
                    state["applied"].as_bool().expect("a boolean")
                })
                .collect()
        };
        assert!(
            states(&program.json(&["migrate", "status"]))
                .iter()
                .all(|applied| !applied)
        );
        assert!(program.done(&["migrate", "status"]).contains("pending"));
        assert!(states(&program.json(&["migrate", "up"])).iter().all(|applied| *applied));
        let again = program.done(&["migrate", "up"]);
        assert!(again.contains("applied") && !again.contains("pending"), "{again}");
        let doctor = program.done(&["doctor"]);
        assert!(
            doctor.contains("ok    database") && doctor.contains("ok    migrations"),
            "{doctor}"
        );
        let down = states(&program.json(&["migrate", "down"]));
        assert_eq!(down.iter().filter(|applied| !**applied).count(), 1, "one step down");
        assert_eq!(down.last(), Some(&false), "the newest");
        let left = (down.len() - 1).to_string();
        let too_many = program.fails(1, &["migrate", "down", "--steps", "4294967295", "--yes"]);
        assert!(
            too_many.contains(&left) && too_many.contains("nothing was undone"),
            "{too_many}"
        );
        let unsaid = program.fails(2, &["migrate", "down", "--steps", &left]);
        assert!(unsaid.contains("callers") && unsaid.contains("--yes"), "{unsaid}");
        assert_eq!(
            states(&program.json(&["migrate", "status"])),
            down,
            "nothing was undone"
        );
        let all_down = program.json(&["migrate", "down", "--steps", &left, "--yes"]);
        assert!(states(&all_down).iter().all(|applied| !applied));
        let none_left = program.fails(1, &["migrate", "down"]);
        assert!(none_left.contains("no migration is applied"), "{none_left}");
        assert!(states(&program.json(&["migrate", "up"])).iter().all(|applied| *applied));
    }
}

/// A device on which every write fails, as on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_first_key_that_cannot_be_shown_is_said() {
    let (port, admin) = free_ports();
    let program = Program::new()
        .set("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{port}"))
        .set("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{admin}"));
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let ended = program
        .command(&["serve"])
        .stdout(full)
        .stderr(std::process::Stdio::piped())
        .output();
    let ended = ended.expect("the program runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    for says in ["cannot be shown", "`caller-memory key create`", "revoke"] {
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn without_auto_migration_a_pending_migration_stops_a_command() {
    let program = Program::new().set("CALLER_MEMORY_AUTO_MIGRATE", "false");
    for args in [&["tenant", "list"][..], &["key", "create", "--tenant", "acme"]] {
        assert!(program.fails(1, args).contains("caller-memory migrate up"));
    }
    program.done(&["migrate", "up"]);
    assert_eq!(program.json(&["tenant", "list"]), json!([]));
}

#[test]
fn tenants_are_created_and_listed() {
    for program in on_each_database() {
        let args = [
            "tenant",
            "create",
            "acme",
            "--default-region",
            "GB",
            "--rate-per-second",
            "5",
            "--rate-burst",
            "9",
        ];
        let acme = program.json(&args);
        assert_eq!(
            fields(&acme),
            [
                "created_at_ms",
                "daily_lookups",
                "daily_spend_micro_usd",
                "default_region",
                "id",
                "identity",
                "name",
                "on_refused_consent",
                "rate_burst",
                "rate_per_second",
                "time_zone"
            ]
        );
        assert_eq!(acme["name"], "acme");
        assert_eq!(acme["default_region"], "GB");
        assert_eq!((&acme["rate_per_second"], &acme["rate_burst"]), (&json!(5), &json!(9)));
        assert!(
            program
                .done(&["tenant", "create", "beta"])
                .contains("key create --tenant beta")
        );
        let tenants = program.json(&["tenant", "list"]);
        assert_eq!(tenants[0], acme);
        assert_eq!(tenants[1]["name"], "beta");
        assert_eq!(tenants[1]["default_region"], Value::Null);
        let table = program.done(&["tenant", "list"]);
        assert!(
            table.starts_with("NAME") && table.contains("acme") && table.contains("beta"),
            "{table}"
        );
        assert!(
            program
                .fails(1, &["tenant", "create", "acme"])
                .contains("exists already")
        );
    }
}

#[test]
fn keys_are_printed_once_and_stored_as_hashes() {
    let program = Program::new();
    program.done(&["tenant", "create", "acme"]);
    let created = program.json(&[
        "key",
        "create",
        "--tenant",
        "acme",
        "--scope",
        "recall",
        "--scope",
        "callers:read",
        "--label",
        "agent",
        "--expires-in",
        "90d",
    ]);
    assert_eq!(fields(&created), ["expires_at_ms", "id", "key", "scopes", "tenant"]);
    let key = text(&created["key"]);
    let secret = key.strip_prefix("sk_live_").expect("the prefix");
    assert!(
        secret.len() == 43 && secret.bytes().all(|b| b.is_ascii_alphanumeric()),
        "{key}"
    );
    assert_eq!(created["tenant"], "acme");
    assert_eq!(created["scopes"], json!(["recall", "callers:read"]));
    let left = created["expires_at_ms"].as_i64().expect("a time") - now_ms();
    assert!((89 * 86_400_000..=90 * 86_400_000).contains(&left), "{left}");

    let plain = program.done(&["key", "create", "--tenant", "acme"]);
    assert_eq!(plain.matches("sk_live_").count(), 1, "{plain}");
    assert!(
        plain.contains("recall calls:write callers:read") && plain.contains("never"),
        "{plain}"
    );

    let keys = program.json(&["key", "list", "--tenant", "acme"]);
    assert_eq!(keys.as_array().expect("an array").len(), 2);
    assert_eq!(
        fields(&keys[0]),
        [
            "created_at_ms",
            "expires_at_ms",
            "id",
            "label",
            "revoked_at_ms",
            "scopes",
            "shown",
            "tenant"
        ]
    );
    assert_eq!(keys[0]["id"], created["id"]);
    assert_eq!(keys[0]["shown"], json!(key[..12]));
    assert_eq!(keys[0]["label"], "agent");
    assert_eq!(keys[0]["expires_at_ms"], created["expires_at_ms"]);
    assert_eq!(keys[0]["revoked_at_ms"], Value::Null);
    assert_eq!(keys[1]["label"], Value::Null);
    let table = program.done(&["key", "list", "--tenant", "acme"]);
    assert!(table.contains(&key[..12]) && !table.contains(&key), "{table}");
    for file in fs::read_dir(program.path("data"))
        .expect("the folder")
        .map(|file| file.expect("a file").path())
    {
        let bytes = fs::read(&file).expect("read");
        assert!(
            !bytes.windows(secret.len()).any(|part| part == secret.as_bytes()),
            "{}",
            file.display()
        );
    }

    assert!(
        program
            .fails(1, &["key", "list", "--tenant", "nobody"])
            .contains("tenant list")
    );
    assert!(
        program
            .fails(1, &["key", "create", "--tenant", "nobody"])
            .contains("tenant list")
    );
}

#[test]
fn keys_are_revoked_and_rotated() {
    for program in on_each_database() {
        program.done(&["tenant", "create", "acme"]);
        let (id, key) = program.key(&[
            "--tenant",
            "acme",
            "--scope",
            "recall",
            "--label",
            "agent",
            "--expires-in",
            "30d",
        ]);
        let successor = program.json(&["key", "rotate", &id, "--grace", "1h"]);
        assert_eq!(fields(&successor), ["expires_at_ms", "id", "key", "scopes", "tenant"]);
        assert_ne!(successor["key"], json!(key));
        assert_eq!(successor["scopes"], json!(["recall"]));
        let keys = program.json(&["key", "list", "--tenant", "acme"]);
        let old_left = keys[0]["expires_at_ms"].as_i64().expect("a time") - now_ms();
        assert!((3_500_000..=3_600_000).contains(&old_left), "{old_left}");
        assert_eq!(keys[1]["label"], "agent");
        assert_eq!(keys[1]["expires_at_ms"], successor["expires_at_ms"]);

        let revoked = program.json(&["key", "revoke", &id]);
        assert!(revoked["revoked_at_ms"].is_i64(), "{revoked}");
        assert!(revoked.get("key").is_none(), "{revoked}");
        assert!(
            program.done(&["key", "revoke", &id]).contains("revoked"),
            "a second time is fine"
        );
        assert!(program.done(&["key", "list", "--tenant", "acme"]).contains("revoked"));
        assert!(program.fails(1, &["key", "rotate", &id]).contains("create a new one"));
        let nobody = "00000000-0000-0000-0000-000000000000";
        for command in ["revoke", "rotate"] {
            assert!(
                program
                    .fails(1, &["key", command, nobody])
                    .contains("key list --tenant")
            );
        }
    }
}

#[test]
fn a_database_that_cannot_be_opened_names_the_setting_and_no_password() {
    let (closed, _) = free_ports();
    let url = format!("postgres://me:hunter2@127.0.0.1:{closed}/db");
    let program = Program::new().set("CALLER_MEMORY_DATABASE_URL", &url);
    // A program that does not know the scheme says so, which is a usage error.
    let line = program.fails(if IN_MEMORY { 2 } else { 1 }, &["tenant", "list"]);
    assert!(
        line.contains("CALLER_MEMORY_DATABASE_URL") && !line.contains("hunter2"),
        "{line}"
    );
    let program = Program::new().set("CALLER_MEMORY_DATABASE_URL", format!("{EMBEDDED}file/below.db"));
    program.write("file", "");
    assert!(
        program
            .fails(1, &["tenant", "list"])
            .contains("CALLER_MEMORY_DATABASE_URL")
    );
}

#[test]
fn the_first_line_of_a_start_on_a_terminal_says_how_to_go_on() {
    let (port, admin) = free_ports();
    let program = Program::new()
        .set("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{port}"))
        .set("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{admin}"))
        .set("CALLER_MEMORY_DATABASE_URL", format!("{EMBEDDED}file/below.db"));
    program.write("file", "");
    let output = program.run(&["serve"]);
    assert!(
        !output.stderr.contains("Ctrl-C"),
        "a script reads the log alone: {output:?}"
    );
    if !has_script() {
        println!("skipped in a terminal: there is no `script` of util-linux to make one");
        return;
    }
    let serve = format!("'{}'", executable().display());
    let output = in_terminal(&program, &serve, &[]);
    let first = output.lines().next().expect("a line");
    assert!(
        first.contains("`caller-memory --help`") && first.contains("Ctrl-C"),
        "{output}"
    );
}

/// Whether there is a program that makes terminals.
fn has_script() -> bool {
    let version = Command::new("script").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// What a command prints in a terminal, on standard output and standard error.
fn in_terminal(program: &Program, command: &str, variables: &[(&str, &str)]) -> String {
    let output = Command::new("script")
        .args(["-qec", command, "/dev/null"])
        .current_dir(program.folder.path())
        .env_clear()
        .envs(program.variables.iter().map(|(name, value)| (name, value)))
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("script runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn serve_does_not_start_without_its_port_or_its_database() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let (free, other) = free_ports();
    for variable in ["CALLER_MEMORY_LISTEN", "CALLER_MEMORY_ADMIN_LISTEN"] {
        let program = Program::new()
            .set("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{free}"))
            .set("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{other}"))
            .set(variable, &address);
        let line = program.fails(1, &["serve"]);
        assert!(line.contains(variable) && line.contains(&address), "{line}");
    }
    let program = Program::new()
        .set("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{free}"))
        .set("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{other}"))
        .set("CALLER_MEMORY_DATABASE_URL", format!("{EMBEDDED}file/below.db"));
    program.write("file", "");
    assert!(program.fails(1, &[]).contains("CALLER_MEMORY_DATABASE_URL"));
}

/// Runs the doctor as somebody who may write nothing in the program's folder.
#[test]
fn doctor_says_that_the_database_cannot_be_created() {
    let (port, admin) = free_ports();
    let program = Program::new()
        .set("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{port}"))
        .set("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{admin}"));
    let folder = program.folder.path();
    let mode = |mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("the folder is ours");
    let is_root = fs::metadata(folder).expect("a folder").uid() == 0;
    mode(0o555);
    let mut command = program.command(&["doctor"]);
    if is_root {
        // Root may write everywhere.
        command.uid(65_534).gid(65_534);
    }
    let output = command.output();
    mode(0o755);
    let output = match output {
        Ok(output) => output,
        Err(error) if is_root && error.kind() == ErrorKind::PermissionDenied => {
            println!("skipped: others than root may not run the program where it is: {error}");
            return;
        }
        Err(error) => panic!("the program starts: {error}"),
    };
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.lines()
            .any(|line| line.starts_with("FAIL  database") && line.contains("Permission denied")),
        "{said}"
    );
}

#[test]
fn doctor_says_what_is_wrong_and_changes_nothing() {
    let (port, admin) = free_ports();
    let listen = [("LISTEN", port), ("ADMIN_LISTEN", admin)];
    let program = listen.iter().fold(Program::new(), |program, (name, port)| {
        program.set(&format!("CALLER_MEMORY_{name}"), format!("127.0.0.1:{port}"))
    });
    let fresh = program.done(&["doctor"]);
    assert!(
        fresh.contains("ok    settings") && fresh.contains("warn  database"),
        "{fresh}"
    );
    assert!(!program.path("data").exists(), "a look creates nothing");

    program.done(&["migrate", "up"]);
    let report = program.json(&["doctor"]);
    assert_eq!(fields(&report), ["checks", "ok"]);
    assert_eq!(report["ok"], true);
    let checks = report["checks"].as_array().expect("an array");
    for name in ["settings", "listeners", "database", "migrations", "tenants", "clock"] {
        assert!(checks.iter().any(|check| check["name"] == name), "{name}: {report}");
    }
    assert!(
        checks
            .iter()
            .all(|check| fields(check) == ["message", "name", "status"]),
        "{report}"
    );

    let program = program.set("CALLER_MEMORY_AUTO_MIGRATE", "false");
    program.done(&["migrate", "down"]);
    let output = program.run(&["doctor"]);
    assert_eq!(output.code, 1);
    assert!(
        output.stdout.contains("FAIL  migrations") && output.stdout.contains("migrate up"),
        "{output:?}"
    );
    one_line(&output.stderr);

    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let report = Program::new().set("CALLER_MEMORY_LISTEN", &address).run(&["doctor"]);
    assert!(
        report
            .stdout
            .lines()
            .any(|line| line.starts_with("warn") && line.contains(&address)),
        "{report:?}"
    );
}

#[test]
fn doctor_tells_of_every_setting_that_is_wrong() {
    let (closed, _) = free_ports();
    let program = Program::new()
        .set("CALLER_MEMORY_LISTEN", "nowhere")
        .set("CALLER_MEMORY_RATE_BURST", "0")
        .set("CALLER_MEMORY_BOOTSTRAP_KEY", "hunter2")
        .set(
            "CALLER_MEMORY_DATABASE_URL",
            format!("postgres://me:hunter2@127.0.0.1:{closed}/db"),
        );
    let output = program.run(&["doctor"]);
    assert_eq!(output.code, 1, "{output:?}");
    for variable in ["LISTEN", "RATE_BURST", "BOOTSTRAP_KEY", "DATABASE_URL"] {
        let found = output
            .stdout
            .lines()
            .any(|line| line.starts_with("FAIL") && line.contains(variable));
        assert!(found, "{variable}: {output:?}");
    }
    assert!(
        !output.stdout.contains("hunter2") && !output.stderr.contains("hunter2"),
        "{output:?}"
    );
    let report: Value = serde_json::from_str(&program.run(&["doctor", "--json"]).stdout).expect("JSON");
    assert_eq!(report["ok"], false);
    assert_eq!(report["checks"][0]["status"], "fail");

    let line = program.fails(2, &["doctor", "--rate-burst", "none"]);
    assert!(
        line.contains("--rate-burst"),
        "a flag that is wrong is a usage error: {line}"
    );
}

#[test]
fn openapi_prints_the_document() {
    let document: Value = serde_json::from_str(&Program::new().done(&["openapi"])).expect("JSON");
    assert!(text(&document["openapi"]).starts_with("3.1"), "{document}");
    assert!(
        document["paths"]
            .as_object()
            .expect("paths")
            .contains_key("/v1/recall_and_enrich")
    );
}

#[test]
fn recall_prints_a_card_or_what_is_wrong() {
    let program = Program::new();
    program.done(&["tenant", "create", "acme"]);
    let (_, key) = program.key(&["--tenant", "acme"]);
    let service = program.serve(&[]);
    let program = program
        .set("CALLER_MEMORY_URL", &service.url)
        .set("CALLER_MEMORY_KEY", &key);

    let card = program.done(&["recall", NUMBER]);
    assert!(
        card.starts_with(&format!("{NUMBER}  unknown name  new caller\n")),
        "{card}"
    );
    let card = program.done(&["recall", "(202) 555-0142"]);
    assert!(card.contains("known caller") && card.contains("of 300 ms"), "{card}");
    let card = program.done(&["recall", NUMBER, "--deadline-ms", "2000"]);
    assert!(card.contains("of 2000 ms"), "{card}");
    let as_it_came = program.done(&["recall", NUMBER, "--json"]);
    assert!(as_it_came.starts_with(r#"{"trace_id":"#), "{as_it_came}");
    let recall = program.json(&["recall", NUMBER]);
    assert_eq!(recall["known"], true);
    assert_eq!(recall["caller"]["total_calls"], 0);

    // A number that no `f64` holds is the operator's, and no reason to show nothing.
    let row = format!(r#"{{"phone_number": "{NUMBER}", "custom_attributes": {{"distance": 1e400}}}}"#);
    program.write("callers.jsonl", row);
    program.done(&["caller", "import", "callers.jsonl", "--tenant", "acme"]);
    let as_it_came = program.done(&["recall", NUMBER, "--json"]);
    assert!(as_it_came.contains(r#""distance": 1e400"#), "{as_it_came}");
    let card = program.done(&["recall", NUMBER]);
    assert!(card.contains("distance = 1e400"), "{card}");

    let line = program.fails(1, &["recall", "anonymous"]);
    assert!(line.contains("400 bad_request") && line.contains("withheld"), "{line}");
    let line = program.fails(1, &["recall", NUMBER, "--key", "sk_live_000000000000000000000000"]);
    assert!(
        line.contains("401 unauthorized") && line.contains("CALLER_MEMORY_KEY"),
        "{line}"
    );
    let line = program.fails(1, &["recall", NUMBER, "--url", &format!("{}/nowhere", service.url)]);
    assert!(line.contains("404") && line.contains("--url"), "{line}");
    let (closed, _) = free_ports();
    let line = program.fails(1, &["recall", NUMBER, "--url", &format!("http://127.0.0.1:{closed}")]);
    assert!(
        line.contains("no answer from http://127.0.0.1") && line.contains("--url"),
        "{line}"
    );
}

#[test]
fn a_card_has_colours_in_a_terminal_alone() {
    let program = Program::new();
    program.done(&["tenant", "create", "acme"]);
    let (_, key) = program.key(&["--tenant", "acme"]);
    let service = program.serve(&[]);
    let program = program
        .set("CALLER_MEMORY_URL", &service.url)
        .set("CALLER_MEMORY_KEY", &key)
        .set("TERM", "xterm");
    assert!(!program.done(&["recall", NUMBER]).contains('\u{1b}'));
    if !has_script() {
        println!("skipped in a terminal: there is no `script` of util-linux to make one");
        return;
    }
    let recall = format!("'{}' recall {NUMBER}", executable().display());
    let card = in_terminal(&program, &recall, &[]);
    assert!(card.contains("\u{1b}[32mknown caller\u{1b}[0m"), "{card:?}");
    let card = in_terminal(&program, &recall, &[("NO_COLOR", "1")]);
    assert!(card.contains("known caller") && !card.contains('\u{1b}'), "{card:?}");
}

#[test]
fn revocation_rotation_expiry_and_scopes_take_effect() {
    let program = Program::new();
    program.done(&["tenant", "create", "acme"]);
    let service = program.serve(&[("CALLER_MEMORY_AUTH_CACHE_S", "0")]);
    let program = program.set("CALLER_MEMORY_URL", &service.url);
    let works = |key: &str| program.run(&["recall", NUMBER, "--key", key]).code == 0;
    let refused = |key: &str| {
        wait_until("the key to be refused", || {
            let output = program.run(&["recall", NUMBER, "--key", key]);
            (output.code == 1 && output.stderr.contains("401")).then_some(())
        });
    };

    let (id, key) = program.key(&["--tenant", "acme"]);
    assert!(works(&key));
    program.done(&["key", "revoke", &id]);
    refused(&key);

    let (id, old) = program.key(&["--tenant", "acme"]);
    assert!(works(&old));
    let new = text(&program.json(&["key", "rotate", &id, "--grace", "2s"])["key"]);
    assert!(works(&new));
    refused(&old);
    assert!(works(&new));

    let (_, key) = program.key(&["--tenant", "acme", "--expires-in", "2s"]);
    refused(&key);

    let (_, key) = program.key(&["--tenant", "acme", "--scope", "callers:read"]);
    let line = program.fails(1, &["recall", NUMBER, "--key", &key]);
    assert!(line.contains("403 insufficient_scope"), "{line}");
}

#[test]
fn replay_stores_calls_and_skips_bad_lines() {
    let program = Program::new();
    program.done(&["tenant", "create", "acme"]);
    let (_, key) = program.key(&["--tenant", "acme"]);
    let service = program.serve(&[]);
    let program = program
        .set("CALLER_MEMORY_URL", &service.url)
        .set("CALLER_MEMORY_KEY", &key);

    let good: Vec<_> = (0..20).map(|n| call(&format!("s{n}"))).collect();
    program.write("good.jsonl", good.join("\n"));
    let summary = program.done(&["replay", "good.jsonl"]);
    assert!(
        summary.contains("20 calls") && summary.contains("20 stored"),
        "{summary}"
    );
    assert!(
        summary.contains("status 204  20") && summary.contains("p99"),
        "{summary}"
    );
    assert_eq!(program.json(&["recall", NUMBER])["caller"]["total_calls"], 20);

    let summary = program.json(&["replay", "good.jsonl", "--concurrency", "8"]);
    assert_eq!(
        fields(&summary),
        [
            "bad_lines",
            "calls",
            "failed",
            "p50_ms",
            "p99_ms",
            "retries",
            "seconds",
            "statuses",
            "stored"
        ]
    );
    assert_eq!((&summary["stored"], &summary["failed"]), (&json!(20), &json!(0)));
    assert_eq!(
        program.json(&["recall", NUMBER])["caller"]["total_calls"],
        20,
        "a repeat does not count twice"
    );

    let withheld = call("w").replace(NUMBER, "anonymous");
    program.write(
        "mixed.jsonl",
        format!("{}\nnonsense\n\n{withheld}\n{{\"session_id\":\"x\"}}\n", call("new")),
    );
    let output = program.run(&["replay", "mixed.jsonl"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(
        output.stdout.contains("2 calls") && output.stdout.contains("status 400  1"),
        "{output:?}"
    );
    assert!(
        output.stderr.contains("line 2 skipped: it is not a JSON object"),
        "{output:?}"
    );
    assert!(
        output.stderr.contains("line 4 not stored: 400 bad_request"),
        "{output:?}"
    );
    assert!(output.stderr.contains("line 5 skipped: missing field"), "{output:?}");
    assert_eq!(output.stderr.lines().count(), 4, "{output:?}");
    assert_eq!(program.json(&["recall", NUMBER])["caller"]["total_calls"], 21);

    let output = program.run_with_input(&["replay", "-"], &call("from standard input"));
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{output:?}");
    assert_eq!(program.json(&["recall", NUMBER])["caller"]["total_calls"], 22);

    let absent = program.run(&["replay", "absent.jsonl"]).stderr;
    assert!(
        absent.contains("cannot read absent.jsonl") && absent.contains("`-` for standard input"),
        "{absent}"
    );
    assert!(program.fails(1, &["replay", "data"]).contains("is a folder"));
}

#[test]
fn a_correction_later_in_the_file_wins() {
    let program = Program::new();
    program.done(&["tenant", "create", "acme"]);
    let (_, key) = program.key(&["--tenant", "acme"]);
    let service = program.serve(&[]);
    let program = program
        .set("CALLER_MEMORY_URL", &service.url)
        .set("CALLER_MEMORY_KEY", &key);
    let mut file = String::new();
    for outcome in ["other", "quote_given", "no_answer", "callback_requested"] {
        for session in 0..5 {
            let line = call(&format!("s{session}")).replace("appointment_booked", outcome);
            writeln!(file, "{line}").expect("written");
        }
    }
    program.write("calls.jsonl", &file);
    program.done(&["replay", "calls.jsonl", "--concurrency", "8"]);
    let recall = program.json(&["recall", NUMBER]);
    assert_eq!(recall["caller"]["total_calls"], 5);
    let calls = recall["memory"]["recent_calls"].as_array().expect("an array");
    assert_eq!(calls.len(), 5);
    assert!(
        calls.iter().all(|call| call["outcome"] == "callback_requested"),
        "{recall}"
    );
}

#[test]
fn replay_goes_on_after_429() {
    let program = Program::new();
    program.done(&[
        "tenant",
        "create",
        "acme",
        "--rate-per-second",
        "10",
        "--rate-burst",
        "4",
    ]);
    let (_, key) = program.key(&["--tenant", "acme"]);
    let service = program.serve(&[]);
    let program = program
        .set("CALLER_MEMORY_URL", &service.url)
        .set("CALLER_MEMORY_KEY", &key);
    let calls: Vec<_> = (0..16).map(|n| call(&format!("s{n}"))).collect();
    program.write("calls.jsonl", calls.join("\n"));
    let summary = program.json(&["replay", "calls.jsonl", "--concurrency", "8"]);
    assert_eq!(summary["stored"], 16);
    assert_eq!(summary["statuses"], json!({"204": 16}));
    assert!(summary["retries"].as_u64().expect("a number") > 0, "{summary}");
}

/// A service that answers its first requests with the given statuses, and all after them with the last one.
struct Stub {
    url: String,
    requests: Arc<AtomicUsize>,
}

impl Stub {
    fn new(statuses: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        // Ends with the process: there is nothing to stop it that would be simpler.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                stream
                    .set_read_timeout(Some(Duration::from_secs(5)))
                    .expect("a timeout");
                if read_request(&mut stream).is_none() {
                    continue;
                }
                let at = count.fetch_add(1, Ordering::SeqCst).min(statuses.len() - 1);
                let _ = write!(
                    stream,
                    "HTTP/1.1 {}\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                    statuses[at]
                );
            }
        });
        Self { url, requests }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn read_request(stream: &mut TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            return reader.read_exact(&mut vec![0; length]).ok();
        }
    }
}

#[test]
fn replay_retries_a_bounded_number_of_times() {
    let program = Program::new().set("CALLER_MEMORY_KEY", "sk_live_x");
    program.write("calls.jsonl", call("s"));

    let stub = Stub::new(&["503 Service Unavailable", "429 Too Many Requests", "204 No Content"]);
    let summary = program.json(&["replay", "calls.jsonl", "--url", &stub.url]);
    assert_eq!((&summary["stored"], &summary["retries"]), (&json!(1), &json!(2)));
    assert_eq!(stub.requests(), 3);

    let stub = Stub::new(&["503 Service Unavailable"]);
    let output = program.run(&["replay", "calls.jsonl", "--url", &stub.url]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("line 1 not stored: 503"), "{output:?}");
    assert_eq!(stub.requests(), 9);
}

#[test]
fn replay_stops_when_every_line_would_fail() {
    let program = Program::new().set("CALLER_MEMORY_KEY", "sk_live_x");
    let calls: Vec<_> = (0..100).map(|n| call(&format!("s{n}"))).collect();
    program.write("calls.jsonl", calls.join("\n"));

    let stub = Stub::new(&["401 Unauthorized"]);
    let output = program.run(&["replay", "calls.jsonl", "--url", &stub.url]);
    assert_eq!(output.code, 1);
    assert!(one_line(&output.stderr).contains("CALLER_MEMORY_KEY"), "{output:?}");
    assert!(
        stub.requests() <= 4,
        "one for each connection at most: {}",
        stub.requests()
    );

    let (closed, _) = free_ports();
    let output = program.run(&["replay", "calls.jsonl", "--url", &format!("http://127.0.0.1:{closed}")]);
    assert_eq!(output.code, 1);
    let line = one_line(&output.stderr);
    assert!(
        line.contains("stopped at line") && line.contains("no answer from"),
        "{line}"
    );
}

#[test]
fn the_sample_calls_make_a_caller_card() {
    let program = Program::new();
    program.done(&["tenant", "create", "acme"]);
    let (_, key) = program.key(&["--tenant", "acme"]);
    let service = program.serve(&[]);
    let program = program
        .set("CALLER_MEMORY_URL", &service.url)
        .set("CALLER_MEMORY_KEY", &key);
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sample-calls.jsonl");
    let summary = program.json(&["replay", sample.to_str().expect("UTF-8")]);
    assert_eq!((&summary["calls"], &summary["stored"]), (&json!(12), &json!(12)));
    let card = program.done(&["recall", "+12025550151"]);
    assert!(
        card.contains("known caller") && card.contains("2026-10-14 09:20 UTC"),
        "{card}"
    );
    assert_eq!(
        card.lines().filter(|line| line.starts_with("  call ")).count(),
        3,
        "{card}"
    );
}
