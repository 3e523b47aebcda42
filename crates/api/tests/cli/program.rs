//! The real program in a folder of its own.

#[path = "../support/in_memory.rs"]
mod in_memory;

use std::{
    fs::{self, File},
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use adapters_sqlorm::SqlDriver;
use domain::{
    access::TenantId,
    context::Deadline,
    port::{Storage, StorageDriver, StorageOptions},
};
use serde_json::Value;
use tempfile::TempDir;
use testkit::InMemoryDriver;

/// Whether the suite is about the example `in_memory` in place of the program itself.
pub(crate) const IN_MEMORY: bool = matches!(env!("CARGO_CRATE_NAME").as_bytes(), b"cli_in_memory");

/// What comes before the path in the URL of an embedded storage of the program.
pub(crate) const EMBEDDED: &str = if IN_MEMORY { "memory:" } else { "sqlite://" };

/// The program that the suite is about.
pub(crate) fn executable() -> &'static Path {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        if IN_MEMORY {
            in_memory::example()
        } else {
            PathBuf::from(env!("CARGO_BIN_EXE_caller-memory"))
        }
    })
}

/// The program in a folder of its own, with an environment of its own.
pub(crate) struct Program {
    pub(crate) folder: TempDir,
    pub(crate) variables: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            variables: Vec::new(),
        }
    }

    pub(crate) fn set(mut self, variable: &str, value: impl Into<String>) -> Self {
        self.variables.push((variable.to_owned(), value.into()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("written");
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(executable());
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end; one that does not end is killed and fails the test.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_with_input(args, "")
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> Output {
        let mut command = self.command(args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("piped");
        let input = input.to_owned();
        thread::spawn(move || stdin.write_all(input.as_bytes()));
        let stdout = read_all(child.stdout.take().expect("piped"));
        let stderr = read_all(child.stderr.take().expect("piped"));
        let status = wait_until("the command to end", || child.try_wait().expect("a status"));
        let read = |pipe: thread::JoinHandle<String>| pipe.join().expect("read");
        let output = Output {
            code: status.code().expect("no signal"),
            stdout: read(stdout),
            stderr: read(stderr),
        };
        assert!(!output.stderr.contains("panicked"), "{args:?}: {output:?}");
        output
    }

    /// Runs a command that must succeed; returns its answer.
    pub(crate) fn done(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.code, 0, "{args:?}: {output:?}");
        assert_eq!(output.stderr, "", "{args:?}: {output:?}");
        output.stdout
    }

    /// Runs a command with `--json` that must succeed; standard output must be one JSON value.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let answer = self.done(&[args, &["--json"]].concat());
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{args:?}: {error}: {answer}"))
    }

    /// Runs a command that must fail with one line; returns the line.
    pub(crate) fn fails(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.code, code, "{args:?}: {output:?}");
        assert_eq!(output.stdout, "", "{args:?}: {output:?}");
        one_line(&output.stderr)
    }

    pub(crate) fn tenant(&self, name: &str) -> TenantId {
        let created = self.json(&["tenant", "create", name]);
        TenantId(text(&created["id"]).parse().expect("a UUID"))
    }

    /// Does something with the storage as a running service does.
    pub(crate) fn with_storage<T>(&self, work: impl AsyncFnOnce(&dyn Storage) -> T) -> T {
        let options = StorageOptions {
            url: format!("{EMBEDDED}{}", self.path("data/caller-memory.db").display()),
            connections: 1,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let storage = if IN_MEMORY {
                InMemoryDriver.open(options).await
            } else {
                SqlDriver.open(options).await
            };
            let storage = storage.expect("a storage");
            let done = work(storage.as_ref()).await;
            storage.close(deadline()).await;
            done
        })
    }

    pub(crate) fn key(&self, args: &[&str]) -> (String, String) {
        let created = self.json(&[&["key", "create"], args].concat());
        (text(&created["id"]), text(&created["key"]))
    }

    /// Starts the service on free ports and waits until it is ready.
    pub(crate) fn serve(&self, settings: &[(&str, &str)]) -> Running {
        let (port, admin) = free_ports();
        let log = File::create(self.path("serve.log")).expect("a file");
        let child = self
            .command(&["serve"])
            .env("CALLER_MEMORY_LISTEN", format!("127.0.0.1:{port}"))
            .env("CALLER_MEMORY_ADMIN_LISTEN", format!("127.0.0.1:{admin}"))
            .envs(settings.iter().copied())
            .stdout(log.try_clone().expect("a handle"))
            .stderr(log)
            .spawn()
            .expect("the service starts");
        let mut running = Running {
            child,
            url: format!("http://127.0.0.1:{port}"),
        };
        wait_until("the service to be ready", || {
            if let Some(status) = running.child.try_wait().expect("a status") {
                panic!(
                    "{status}: {}",
                    fs::read_to_string(self.path("serve.log")).unwrap_or_default()
                );
            }
            let mut stream = TcpStream::connect(("127.0.0.1", admin)).ok()?;
            stream
                .set_read_timeout(Some(Duration::from_secs(5)))
                .expect("a timeout");
            stream
                .write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                .ok()?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).ok()?;
            answer.starts_with("HTTP/1.1 200").then_some(())
        });
        running
    }
}

/// The program over an empty embedded storage and, where the program knows PostgreSQL and there is a server for it, an
/// empty PostgreSQL database.
pub(crate) fn on_each_database() -> Vec<Program> {
    let mut programs = vec![Program::new()];
    if IN_MEMORY {
        println!("skipped on PostgreSQL: this program knows storages in memory only");
        return programs;
    }
    match std::env::var("CALLER_MEMORY_TEST_POSTGRES_URL") {
        Err(_) => println!("skipped on PostgreSQL: CALLER_MEMORY_TEST_POSTGRES_URL is not set; `just test` sets it"),
        Ok(server) => {
            let name = format!("cli_{}", uuid::Uuid::now_v7().simple());
            let create = format!("CREATE DATABASE {name}");
            let status = Command::new("psql").args([server.as_str(), "-qc", &create]).status();
            assert!(status.expect("psql runs").success(), "psql creates a database");
            let (base, _) = server.rsplit_once('/').expect("the URL names a database");
            programs.push(Program::new().set("CALLER_MEMORY_DATABASE_URL", format!("{base}/{name}")));
        }
    }
    programs
}

/// A running service; it ends with the test.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn read_all(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("UTF-8");
        text
    })
}

pub(crate) fn wait_until<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(done) = done() {
            return done;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn free_ports() -> (u16, u16) {
    let bind = || TcpListener::bind("127.0.0.1:0").expect("a port");
    let (one, other) = (bind(), bind());
    let port = |listener: &TcpListener| listener.local_addr().expect("an address").port();
    (port(&one), port(&other))
}

pub(crate) fn one_line(stderr: &str) -> String {
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("error: ") && stderr.ends_with('\n'), "{stderr}");
    assert!(!stderr.contains("Usage:"), "{stderr}");
    stderr.trim_end().to_owned()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("after 1970");
    i64::try_from(since.as_millis()).expect("in range")
}

/// By when a step on the database must be done.
pub(crate) fn deadline() -> Deadline {
    Deadline(Instant::now() + Duration::from_secs(30))
}
