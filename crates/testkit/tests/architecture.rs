//! The dependency rules of the workspace, read from `cargo metadata`: a forbidden edge fails here before it spreads.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

type Names = BTreeSet<String>;

struct Member {
    /// Names of the dependencies of the finished program, `[build-dependencies]` included.
    normal: Names,
    /// Features that those dependencies switch on, as `crate/feature`.
    features: Names,
}

/// The workspace's members by name, with their direct dependencies.
fn members() -> BTreeMap<String, Member> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    array(&metadata["packages"])
        .map(|package| {
            let mut member = Member {
                normal: Names::new(),
                features: Names::new(),
            };
            for dependency in array(&package["dependencies"]).filter(|dependency| dependency["kind"] != "dev") {
                let name = text(&dependency["name"]);
                member
                    .features
                    .extend(array(&dependency["features"]).map(|f| format!("{name}/{}", text(f))));
                member.normal.insert(name);
            }
            (text(&package["name"]), member)
        })
        .collect()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("an array").iter()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn names(list: &[&str]) -> Names {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// Which members a member's program may use. A new crate must be placed here before it builds.
fn allowed_edges(member: &str) -> Names {
    match member {
        "language" | "migrations" | "outgoing" | "write-behind" => names(&[]),
        "domain" => names(&["language"]),
        "eval" => names(&["domain", "language"]),
        "adapters-sqlorm" => names(&["domain", "migrations", "write-behind"]),
        "api" => names(&[
            "write-behind",
            "domain",
            "adapters-sqlorm",
            "adapters-auth",
            "adapters-enrichment",
            "adapters-llm",
            "outgoing",
        ]),
        "adapters-enrichment" | "adapters-llm" => names(&["domain", "outgoing"]),
        "adapters-auth" | "testkit" => names(&["domain"]),
        "dist" => names(&["api"]),
        other => {
            panic!("crate `{other}` has no place in the architecture: add it to this test and to docs/ARCHITECTURE.md")
        }
    }
}

#[test]
fn members_use_only_the_members_they_may() {
    let members = members();
    let ours: Names = members.keys().cloned().collect();
    assert!(
        ours.contains("domain") && ours.contains("api"),
        "the metadata hold the workspace"
    );
    for (name, member) in &members {
        let used: Names = member.normal.intersection(&ours).cloned().collect();
        let allowed = allowed_edges(name);
        assert!(used.is_subset(&allowed), "{name} uses {used:?}; it may use {allowed:?}");
    }
}

#[test]
fn testkit_is_a_dev_dependency_only() {
    for (name, member) in members() {
        assert!(
            !member.normal.contains("testkit"),
            "{name} puts testkit into the program"
        );
        assert!(
            !member.features.contains("domain/mock"),
            "{name} puts the mocks into the program"
        );
    }
}

#[test]
fn the_domain_depends_on_exactly_this() {
    let expected = names(&[
        "async-trait",
        "chrono",
        "chrono-tz",
        "language",
        "mockall",
        "percent-encoding",
        "rlibphonenumber",
        "thiserror",
        "unicode-properties",
        "uuid",
    ]);
    assert_eq!(
        members()["domain"].normal,
        expected,
        "a dependency of the domain needs a reason in docs/ARCHITECTURE.md"
    );
}

#[test]
fn the_language_crate_depends_on_nothing() {
    assert_eq!(
        members()["language"].normal,
        Names::new(),
        "text comes in and text goes out: the crate needs nothing for that"
    );
}

#[test]
fn each_technology_is_known_to_its_crates_only() {
    let owners: &[(&[&str], &[&str])] = &[
        (&["actix-web", "actix-http", "utoipa", "utoipa-actix-web"], &["api"]),
        (&["clap"], &["api", "dist"]),
        (&["sea-orm", "sqlx"], &["adapters-sqlorm"]),
        (&["sea-orm-migration"], &["migrations"]),
        (&["governor"], &["adapters-auth"]),
        (&["reqwest", "rustls"], &["outgoing"]),
        // Tests ask with a client that the program does not have.
        (&["ureq"], &[]),
        (
            &["serde", "serde_json"],
            &["api", "adapters-sqlorm", "adapters-enrichment", "adapters-llm", "eval"],
        ),
    ];
    for (name, member) in members() {
        for (technologies, may) in owners {
            for technology in *technologies {
                assert!(
                    !member.normal.contains(*technology) || may.contains(&name.as_str()),
                    "{name} uses {technology}, which is for {may:?}"
                );
            }
        }
    }
}

#[test]
fn domain_and_language_ban_clocks_and_io() {
    let read = |member: &str| {
        let path = root().join("crates").join(member).join("clippy.toml");
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{member} has a clippy.toml: {error}"))
    };
    let bans = |settings: &str| -> Names {
        let lines = settings.lines().map(str::trim);
        lines
            .filter(|line| line.starts_with("{ path = ") && line.contains("reason = "))
            .filter_map(|line| line.split('"').nth(1).map(str::to_owned))
            .collect()
    };
    let domain = bans(&read("domain"));
    for call in [
        "std::time::SystemTime::now",
        "std::time::Instant::now",
        "std::fs::File::open",
        "uuid::Uuid::now_v7",
    ] {
        assert!(domain.contains(call), "{call} must be banned with a reason");
    }
    let of_std: Names = domain.into_iter().filter(|call| call.starts_with("std::")).collect();
    assert_eq!(
        bans(&read("language")),
        of_std,
        "the language crate keeps to the same bans"
    );
}

/// The columns of a line of comment; rustfmt keeps the code within them.
const COLUMNS: usize = 120;

/// Every Rust source below `folder`, what was built left out.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry of a folder").path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn line_comments_fit_into_the_columns() {
    let mut files = Vec::new();
    for folder in ["crates", "docs/adapters", "migrations"] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 100, "the walk sees only {} files", files.len());
    let mut long = String::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source is text");
        let lines = text.lines().enumerate();
        let comments = lines.filter(|(_, line)| line.trim_start().starts_with("//"));
        for (place, _) in comments.filter(|(_, line)| line.chars().count() > COLUMNS) {
            let path = file.strip_prefix(root()).unwrap_or(&file).display();
            let _ = writeln!(long, "{path}:{}", place + 1);
        }
    }
    assert!(long.is_empty(), "comments of more than {COLUMNS} columns:\n{long}");
}

#[test]
fn the_top_level_holds_what_it_should() {
    let listed = Command::new("git")
        .args(["ls-tree", "--name-only", "HEAD"])
        .current_dir(root())
        .output();
    let Some(output) = listed.ok().filter(|output| output.status.success()) else {
        println!("skipped: this is no git checkout, so nothing tells which files belong to the repository");
        return;
    };
    let allowed = names(&[
        "Cargo.lock",
        "Cargo.toml",
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "crates",
        "deploy",
        "docs",
        "justfile",
        "migrations",
        "rust-toolchain.toml",
    ]);
    for entry in String::from_utf8_lossy(&output.stdout).lines() {
        assert!(
            entry.starts_with('.') || allowed.contains(entry),
            "`{entry}` does not belong at the top level"
        );
    }
}
