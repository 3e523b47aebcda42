//! The whole program over redb: served over HTTP, commands beside it, restarts, kills, other programs and full disks.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod service;

use service::{Place, Service, eventually};

const NUMBER: &str = "+12025550142";

#[test]
fn a_call_is_known_to_the_next_recall_and_after_a_restart() {
    let place = Place::new();
    let service = Service::start(&place);
    let key = service.printed_key();
    let first = service.recall(&key, NUMBER, "one");
    assert!(first.contains(r#""known":false"#), "{first}");
    assert_eq!(service.end(&key, NUMBER, "one"), 204);
    let known = |answer: &str| {
        assert!(answer.contains(r#""known":true"#), "{answer}");
        assert!(answer.contains(r#""total_calls":1"#), "{answer}");
        assert!(answer.contains("Maren Okafor"), "{answer}");
        assert!(answer.contains("water heater"), "{answer}");
    };
    known(&service.recall(&key, NUMBER, "two"));
    assert!(service.stop().success());

    let service = Service::start(&place);
    assert!(!service.printed().contains("sk_live_"), "there is a key already");
    known(&service.recall(&key, NUMBER, "three"));
}

#[test]
fn commands_work_beside_a_running_service_and_without_one() {
    let place = Place::new();
    let service = Service::start(&place);
    let key = service.printed_key();
    assert_eq!(service.end(&key, NUMBER, "one"), 204);

    let shown = place.done(&["caller", "show", NUMBER]);
    assert!(shown.contains("Maren Okafor"), "{shown}");
    place.done(&["tenant", "create", "acme"]);
    let created = place.done(&["key", "create", "--tenant", "acme", "--json"]);
    let (_, acme) = created.split_once("sk_live_").expect("a key is printed");
    let acme: String = acme.chars().take_while(char::is_ascii_alphanumeric).collect();
    let acme = format!("sk_live_{acme}");
    let answer = service.recall(&acme, NUMBER, "of another tenant");
    assert!(answer.contains(r#""known":false"#), "{answer}");
    assert!(service.stop().success());

    for (command, expected) in [
        (["tenant", "list"].as_slice(), "acme"),
        (&["caller", "show", NUMBER], "callback_requested"),
        (&["calls", "open"], ""),
        (&["migrate", "status"], ""),
    ] {
        let printed = place.done(command);
        assert!(printed.contains(expected), "{command:?}: {printed}");
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let place = Place::new();
    let mut acknowledged = 0;
    let mut key = String::new();
    for round in 0..3 {
        let service = Service::start(&place);
        if round == 0 {
            key = service.printed_key();
        }
        for call in 0..10 {
            assert_eq!(service.end(&key, NUMBER, &format!("{round}-{call}")), 204);
            acknowledged += 1;
        }
        service.kill();
    }
    let service = Service::start(&place);
    let answer = service.recall(&key, NUMBER, "after");
    assert!(answer.contains(&format!(r#""total_calls":{acknowledged}"#)), "{answer}");
}

#[test]
fn a_program_that_keeps_the_file_for_itself_is_named_as_the_cause() {
    let place = Place::new();
    place.done(&["tenant", "create", "acme"]);
    let other = redb::Database::open(place.file()).expect("the file opens");
    let output = place.run(&["tenant", "list"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{output:?}");
    assert!(output.stderr.contains("another program has it open"), "{output:?}");
    assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
    drop(other);
    assert!(place.done(&["tenant", "list"]).contains("acme"));
}

#[test]
fn a_full_disk_refuses_calls_and_loses_none_that_it_acknowledged() {
    let place = Place::new();
    let service = Service::start(&place);
    let key = service.printed_key();
    assert!(service.stop().success());
    let size = std::fs::metadata(place.file()).expect("the file is there").len();

    let service = Service::start_limited(&place, size / 1024);
    let mut acknowledged = 0;
    let mut refused = 0;
    while refused < 20 {
        let session = format!("{acknowledged} and {refused}");
        match service.end(&key, NUMBER, &session) {
            204 => acknowledged += 1,
            503 => refused += 1,
            status => panic!("a full disk is answered with {status}"),
        }
        assert!(acknowledged < 100_000, "the file is full at some time");
    }
    assert_eq!(service.readiness(), 503, "nobody should send calls here");
    service.lift_limit();
    eventually("the service is ready again", || service.readiness() == 200);
    for call in 0..5 {
        assert_eq!(service.end(&key, NUMBER, &format!("after {call}")), 204);
        acknowledged += 1;
    }
    service.kill();

    let service = Service::start(&place);
    let answer = service.recall(&key, NUMBER, "after all");
    let total = answer.split_once(r#""total_calls":"#).map(|(_, rest)| rest);
    let total = total.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    let total: u64 = total.and_then(|total| total.parse().ok()).expect("a count of calls");
    // A refused call may have reached the disk all the same; an acknowledged one has.
    assert!(
        (acknowledged..=acknowledged + refused).contains(&total),
        "{total} of {acknowledged}"
    );
}

#[test]
fn the_guide_shows_the_program_and_names_every_suite() {
    let guide = include_str!("../../../../ADAPTERS.md");
    let (_, program) = include_str!("../../src/main.rs").split_once("\n\n").expect("code");
    assert!(guide.contains(program), "the program is another: {program}");
    let suites = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../crates/testkit/src/contract");
    for suite in std::fs::read_dir(suites).expect("testkit is there") {
        let suite = suite.expect("an entry").path();
        let name = suite.file_stem().expect("a name").to_string_lossy().into_owned();
        let macro_rule = format!("macro_rules! {name}_contract ");
        let is_suite = std::fs::read_to_string(&suite).expect("a module").contains(&macro_rule);
        let is_named = guide.contains(&format!("`{name}`")) || guide.contains(&format!("{name}_contract!"));
        assert!(!is_suite || is_named, "{name} is missing");
    }
}
