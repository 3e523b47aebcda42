set shell := ["bash", "-euo", "pipefail", "-c"]

# List the recipes
default:
    @just --list --unsorted

# Serve on the embedded database (release build)
run *args:
    cargo run --release -- {{ args }}

# Every test, with private PostgreSQL servers; installs PostgreSQL with apt-get when it is missing and allowed
test *args: test-adapters
    .ci/with-postgres cargo test --workspace --locked {{ args }}

# Check and test docs/adapters/redb, a package outside the workspace, with what the workspace has compiled
test-adapters:
    cargo fmt --check --manifest-path docs/adapters/redb/Cargo.toml
    cargo clippy --manifest-path docs/adapters/redb/Cargo.toml --target-dir target --all-targets --locked --quiet -- -D warnings
    cargo test --manifest-path docs/adapters/redb/Cargo.toml --target-dir target --locked

# Renew the adapters' lock files after a change of the workspace's dependencies, so that both have the same versions
lock-adapters:
    cp Cargo.lock docs/adapters/redb/Cargo.lock
    cargo metadata --manifest-path docs/adapters/redb/Cargo.toml --format-version 1 > /dev/null

# What CI runs; its last lines are the test runner's own
ci: format-check lint docs-check architecture deny test

# Check the formatting
format-check:
    cargo fmt --all --check

# Format the code
format:
    cargo fmt --all

# Clippy with warnings as errors
lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Build the API documentation with warnings as errors
docs-check:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked --quiet

# The dependency rules of docs/ARCHITECTURE.md
architecture:
    cargo test -p testkit --test architecture --test circles --locked --quiet

# Licences, sources, bans; known vulnerabilities too where the advisory database can be reached
deny:
    command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
    cargo fetch --locked --quiet
    cargo deny --log-level error --offline check bans licenses sources

# Look for known vulnerabilities in the dependencies (downloads the advisory database)
advisories:
    command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
    cargo deny check advisories

# Check deploy/ with hadolint, kubernetes-validate, systemd-analyze, promtool and their like, fetched where they can be
check-deploy:
    .ci/check-deploy

# Run the bridges of docs/integrations against the real service, with each platform's documented payloads (Python 3.11, PyPI)
test-integrations:
    .ci/test-integrations

# Run the shell blocks of README.md and docs/ in a fresh copy of the tree (Python 3.11, PyPI)
test-docs:
    .ci/test-docs

# The API page in headless Chromium, with the service that serves it; the screenshot in docs/ is renewed with `just test-browser docs/img/api-page.png`
test-browser screenshot="target/api-page.png":
    .ci/test-browser {{ screenshot }}

# schemathesis against the served document: CASES generated requests for each operation, valid and invalid
test-contract cases="500":
    .ci/test-contract {{ cases }}

# Criterion benches: phone parsing, and known recalls on SQLite with 100,000 callers of 5 calls each
bench:
    cargo bench -p domain
    cargo bench -p adapters-sqlorm

# Load the release build over HTTP with oha: known recalls on SQLite, first at RATE requests a second, then as many as go
load callers="100000" rate="1000" seconds="20" connections="32":
    .ci/load {{ callers }} {{ rate }} {{ seconds }} {{ connections }}

# Report call ends to the release build over HTTP, without a transcript and with one of TURNS turns
load-ends turns="20" rate="100" seconds="15" rounds="3":
    .ci/load-ends {{ turns }} {{ rate }} {{ seconds }} {{ rounds }}

# Run the official MCP clients and the conformance scenarios against /mcp; installs them from PyPI and npm into a temporary folder
test-mcp:
    .ci/test-mcp

# Replay calls (docs/sample-calls.jsonl, or a file as `caller-memory replay` takes it) into a fresh service and print one caller's card
demo *calls:
    .ci/demo {{ calls }}

# Test the Python and TypeScript clients against a fresh service; needs Python 3.10 and Node 20; downloads from PyPI and npm
test-clients:
    .ci/test-clients

# Make the clients' types from docs/openapi.json
clients:
    .ci/test-clients generate

# Measure summaries on DialogSum's development part and names on recorded calls; both files stay outside the repository
eval dialogues calls bookings sessions:
    cargo run --release --locked --quiet -p eval -- --dialogues {{ dialogues }} --calls {{ calls }} --bookings {{ bookings }} --sessions {{ sessions }} --curve docs/img/quality.svg

# The archive of a release for each TARGET, into target/dist, unpacked and started: for example x86_64-unknown-linux-gnu
dist *targets:
    .ci/dist {{ targets }}

# A newcomer's first build, ROUNDS times: fresh clone, empty registry, empty target folder
measure-build rounds="2":
    .ci/measure-build {{ rounds }}

# CPU time of recalls and call ends, this build against the program at BASELINE, in turn (Python 3)
compare baseline rounds="7":
    cargo build --release --locked --quiet
    .ci/compare {{ baseline }} target/release/caller-memory {{ rounds }}

# Instructions of a recall and of a call end, for each PROGRAM (Python 3, valgrind); the figures hardly depend on the machine's load
count-instructions +programs:
    .ci/count-instructions {{ programs }}
