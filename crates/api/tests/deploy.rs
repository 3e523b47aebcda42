//! What `deploy/` says of the program is true of it: its settings, and the names of its metrics.
#![expect(
    clippy::expect_used,
    reason = "a test fails by panicking, in its steps as well as in its body"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    process::{Command, Stdio},
};

use serde_json::Value;

const EXAMPLE: &str = include_str!("../../../deploy/example.env");
const ALERTS: &str = include_str!("../../../deploy/prometheus/alerts.yml");
const PROMETHEUS: &str = include_str!("../../../deploy/prometheus/prometheus.yml");
const DASHBOARD: &str = include_str!("../../../deploy/grafana/caller-memory.json");

/// Where metrics, and the values of their labels, get their names.
const SOURCES: [&str; 6] = [
    include_str!("../src/telemetry/metrics.rs"),
    include_str!("../src/telemetry/pool.rs"),
    include_str!("../src/route.rs"),
    include_str!("../../domain/src/enrichment/mod.rs"),
    include_str!("../../domain/src/port/enrichment.rs"),
    include_str!("../../domain/src/enrichment/lookup.rs"),
];

/// Each setting of `serve --help` with its default, which is empty when there is none.
fn settings() -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = Command::new(env!("CARGO_BIN_EXE_caller-memory"))
        .args(["serve", "--help"])
        .current_dir(folder.path())
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    assert!(shown.status.success(), "{shown:?}");
    let help = String::from_utf8(shown.stdout).expect("text");
    let tagged = |line: &str, tag: &str| {
        let rest = line.trim().strip_prefix(tag)?;
        Some(rest.strip_suffix(']').expect("the tag ends on its line").to_owned())
    };
    let mut settings = BTreeMap::new();
    let mut newest = None;
    for line in help.lines() {
        if let Some(variable) = tagged(line, "[env: ") {
            let variable = variable.trim_end_matches('=').to_owned();
            settings.insert(variable.clone(), String::new());
            newest = Some(variable);
        } else if let Some(default) = tagged(line, "[default: ") {
            let variable = newest.take().expect("a default comes after its variable");
            settings.insert(variable, default);
        }
    }
    assert!(settings.contains_key("CALLER_MEMORY_LISTEN"), "{help}");
    settings
}

/// Each line `#NAME=value` of the example.
fn examples() -> BTreeMap<String, String> {
    let mut examples = BTreeMap::new();
    for line in EXAMPLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
    {
        let setting = line.strip_prefix('#').and_then(|line| line.split_once('='));
        let (name, value) = setting.expect("every line is a comment `# ...` or a setting `#NAME=value`");
        let before = examples.insert(name.to_owned(), value.to_owned());
        assert_eq!(before, None, "{name} is there twice");
    }
    examples
}

#[test]
fn the_example_lists_every_setting_with_its_default() {
    let (examples, settings) = (examples(), settings());
    let missing: Vec<_> = settings.keys().filter(|name| !examples.contains_key(*name)).collect();
    let unknown: Vec<_> = examples.keys().filter(|name| !settings.contains_key(*name)).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "deploy/example.env: to add {missing:?}, to remove {unknown:?}"
    );
    assert_eq!(
        examples, settings,
        "deploy/example.env: the defaults are those of serve --help"
    );
}

/// Every query of alerts and dashboard. The whole text of the alerts stands for theirs.
fn queries() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let mut queries: Vec<_> = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten()
        .map(|target| target["expr"].as_str().expect("a query").to_owned())
        .collect();
    assert!(queries.len() > 10, "{queries:?}");
    queries.push(ALERTS.to_owned());
    queries
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_in_the_source(literal: &str) -> bool {
    let literal = format!("\"{literal}\"");
    SOURCES.iter().any(|source| source.contains(&literal))
}

#[test]
fn alerts_and_dashboard_ask_for_metrics_that_exist() {
    let queries = queries();
    let names: BTreeSet<_> = queries
        .iter()
        .flat_map(|query| query.split(|c| !is_of_a_name(c)))
        .filter_map(|word| word.strip_prefix("caller_memory_"))
        .collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        // What the text format puts after a registered name: the kind of sample, and before it the unit.
        let kinds = ["_total", "_bucket", "_count", "_sum"];
        let family = kinds.iter().find_map(|kind| name.strip_suffix(kind)).unwrap_or(name);
        let registered = family.strip_suffix("_seconds").unwrap_or(family);
        assert!(
            is_in_the_source(registered),
            "no metric is registered as {registered:?}"
        );
    }
}

#[test]
fn alerts_and_dashboard_ask_for_labels_that_exist() {
    let mut seen = BTreeSet::new();
    for query in queries() {
        for (at, equals) in query.match_indices("=\"") {
            let (before, after) = (&query[..at], &query[at + equals.len()..]);
            let label = before.rsplit(|c| !is_of_a_name(c)).next().expect("a label");
            let value = after.split('"').next().expect("a value in quotes");
            let exists = match label {
                "route" | "stage" | "outcome" => is_in_the_source(value),
                "status" => value.parse().is_ok_and(|status: u16| (200..600).contains(&status)),
                // A bucket's bound, as it is in the list of them.
                "le" => SOURCES[0].contains(&format!(" {value},")),
                "job" => PROMETHEUS.contains(&format!("job_name: {value}\n")),
                _ => panic!("no metric has the label {label:?}"),
            };
            assert!(exists, "nothing is counted under {label}={value:?}");
            seen.insert(label.to_owned());
        }
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

/// The image and CI compile with the toolchain that everybody has.
#[test]
fn one_toolchain_compiles_everywhere() {
    const TOOLCHAIN: &str = include_str!("../../../rust-toolchain.toml");
    const DOCKERFILE: &str = include_str!("../../../deploy/Dockerfile");
    const CI: &str = include_str!("../../../.github/workflows/ci.yml");
    const RELEASE: &str = include_str!("../../../.github/workflows/release.yml");
    let version = TOOLCHAIN.lines().find_map(|line| line.strip_prefix("channel = \""));
    let version = version.expect("a channel").trim_end_matches('"');
    assert!(version.starts_with(env!("CARGO_PKG_RUST_VERSION")), "{version}");
    let images: Vec<&str> = [DOCKERFILE, CI, RELEASE]
        .iter()
        .flat_map(|file| file.split_whitespace())
        .filter(|word| word.starts_with("rust:"))
        .collect();
    assert!(images.len() > 2, "each file names the image");
    for image in images {
        assert!(
            image.starts_with(&format!("rust:{version}-")),
            "{image} is not of {version}"
        );
    }
}
