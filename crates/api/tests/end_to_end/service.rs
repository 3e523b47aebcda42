//! The real binary in a folder of its own, on free ports, with a client.

#[path = "../support/in_memory.rs"]
mod in_memory;

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_caller-memory");

/// The key that every service here knows from its start.
pub(crate) const KEY: &str = "sk_live_endToEndTestsOnly0123456789";

/// How long a start, a stop or a recovery may take before a test gives up on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A database that several services may share in turn.
pub(crate) struct Database {
    pub(crate) url: String,
    /// The program that knows databases of this kind.
    program: PathBuf,
    /// Keeps the file of an embedded database.
    _folder: Option<TempDir>,
}

impl Database {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = Self::sqlite_in(folder.path());
        Self {
            _folder: Some(folder),
            ..database
        }
    }

    /// An SQLite database in a folder that somebody else keeps.
    pub(crate) fn sqlite_in(folder: &Path) -> Self {
        Self {
            url: format!("sqlite://{}", folder.join("data/memory.db").display()),
            program: PathBuf::from(PROGRAM),
            _folder: None,
        }
    }

    /// A new database on the PostgreSQL server that `variable` names; `None`, said on standard output, without one.
    pub(crate) fn postgres(variable: &str) -> Option<Self> {
        let Ok(server) = std::env::var(variable) else {
            println!("skipped: {variable} is not set; `just test` starts the servers that this test needs");
            return None;
        };
        let name = format!("e2e_{}", uuid::Uuid::now_v7().simple());
        let psql = Command::new("psql")
            .args([&server, "-qc", &format!("CREATE DATABASE {name}")])
            .status();
        assert!(psql.expect("psql runs").success(), "psql creates a database");
        let (base, _) = server.rsplit_once('/').expect("the URL names a database");
        Some(Self {
            url: format!("{base}/{name}"),
            program: PathBuf::from(PROGRAM),
            _folder: None,
        })
    }

    /// A storage of the example `in_memory`, in a file that its processes share.
    pub(crate) fn in_memory() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self {
            url: format!("memory:{}", folder.path().join("memory").display()),
            program: in_memory::example(),
            _folder: Some(folder),
        }
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        self.url.starts_with("memory:")
    }

    /// The binary over this database, in `folder`, with no setting of the surroundings.
    pub(crate) fn program(&self, folder: &Path) -> Command {
        let mut command = bare(&self.program, folder);
        command.env("CALLER_MEMORY_DATABASE_URL", &self.url);
        command
    }
}

pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
    admin: SocketAddr,
    folder: TempDir,
    agent: ureq::Agent,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: ureq::http::HeaderMap,
    pub(crate) body: Value,
    /// The body as it came.
    pub(crate) text: String,
    pub(crate) took: Duration,
}

impl Service {
    /// Starts a service that knows [`KEY`] and waits until it is ready.
    pub(crate) fn start(database: &Database, settings: &[(&str, &str)]) -> Self {
        let mut all = vec![("CALLER_MEMORY_BOOTSTRAP_KEY", KEY)];
        all.extend_from_slice(settings);
        let mut service = Self::spawn(database, &all);
        service.wait_until_ready();
        service
    }

    /// Starts a service with exactly these settings, and does not wait.
    pub(crate) fn spawn(database: &Database, settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (address, admin) = (free_address(), free_address());
        let child = database
            .program(folder.path())
            .env("CALLER_MEMORY_LISTEN", address.to_string())
            .env("CALLER_MEMORY_ADMIN_LISTEN", admin.to_string())
            .env("CALLER_MEMORY_RATE_PER_SECOND", "100000")
            .env("CALLER_MEMORY_RATE_BURST", "100000")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(File::create(folder.path().join("stdout")).expect("a file"))
            .stderr(File::create(folder.path().join("stderr")).expect("a file"))
            .spawn()
            .expect("the binary starts");
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(20)))
            .max_idle_connections_per_host(64);
        Self {
            child,
            address,
            admin,
            folder,
            agent: config.build().new_agent(),
        }
    }

    pub(crate) fn wait_until_ready(&mut self) {
        eventually("the service is ready", || {
            if let Some(status) = self.child.try_wait().expect("the child can be asked") {
                panic!("the service ended with {status}:\n{}", self.output());
            }
            self.admin_status("/readyz") == Some(200)
        });
    }

    /// The status of an admin path; `None` when there is no answer.
    pub(crate) fn admin_status(&self, path: &str) -> Option<u16> {
        self.agent
            .get(format!("http://{}{path}", self.admin))
            .call()
            .ok()
            .map(|response| response.status().as_u16())
    }

    /// The text of an admin path.
    pub(crate) fn admin_text(&self, path: &str) -> String {
        let response = self.agent.get(format!("http://{}{path}", self.admin)).call();
        let mut response = response.expect("the admin listener answers");
        response.body_mut().read_to_string().expect("it answers in text")
    }

    /// The status of a path of the public listener, asked without a key.
    pub(crate) fn public_status(&self, path: &str) -> u16 {
        let response = self.agent.get(format!("http://{}{path}", self.address)).call();
        response.expect("an answer").status().as_u16()
    }

    pub(crate) fn metrics(&self) -> String {
        self.admin_text("/metrics")
    }

    /// Everything the service has printed.
    pub(crate) fn output(&self) -> String {
        let read = |name| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        format!("{}{}", read("stdout"), read("stderr"))
    }

    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(self.folder.path().join("stdout")).unwrap_or_default()
    }

    pub(crate) fn try_post(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Result<Answer, ureq::Error> {
        let mut request = self.agent.post(format!("http://{}{path}", self.address));
        request = request.header("Authorization", format!("Bearer {KEY}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let began = Instant::now();
        answer(request.send_json(body)?, began)
    }

    pub(crate) fn recall(&self, body: &Value, headers: &[(&str, &str)]) -> Answer {
        self.try_post("/v1/recall_and_enrich", body, headers)
            .expect("an answer")
    }

    pub(crate) fn end(&self, session_id: &str, number: &str) -> Answer {
        self.try_post("/v1/calls/end", &call(session_id, number), &[])
            .expect("an answer")
    }

    pub(crate) fn get(&self, number: &str, key: &str) -> Answer {
        let url = format!("http://{}/v1/caller/{}", self.address, number.replace('+', "%2B"));
        let began = Instant::now();
        let response = self
            .agent
            .get(url)
            .header("Authorization", format!("Bearer {key}"))
            .call();
        answer(response.expect("an answer"), began).expect("a body")
    }

    /// Sends a signal by name, for example `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([format!("-{name}"), self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
    }

    /// Lets no file of the service grow beyond so many bytes; `unlimited` ends that.
    pub(crate) fn limit_files(&self, bytes: &str) {
        let limited = Command::new("prlimit")
            .args([format!("--fsize={bytes}:"), format!("--pid={}", self.child.id())])
            .status();
        assert!(limited.expect("prlimit runs").success());
    }

    /// Waits for the end of the process.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let mut ended = None;
        eventually("the service ends", || {
            ended = self.child.try_wait().expect("the child can be asked");
            ended.is_some()
        });
        ended.expect("it ended")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // A failed test says what the service saw.
        if std::thread::panicking() {
            eprintln!("--- the service printed:\n{}", self.output());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(mut response: ureq::http::Response<ureq::Body>, began: Instant) -> Result<Answer, ureq::Error> {
    let text = response.body_mut().read_to_string()?;
    let took = began.elapsed();
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Ok(Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body,
        text,
        took,
    })
}

/// The binary, in `folder`, with no setting of the surroundings.
pub(crate) fn program(folder: &Path) -> Command {
    bare(Path::new(PROGRAM), folder)
}

fn bare(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_clear();
    command
}

/// Runs a command with `--json` on the database.
pub(crate) fn command(database: &Database, args: &[&str]) -> Value {
    command_with(database, &[], args)
}

/// The same with these settings beside the database's.
pub(crate) fn command_with(database: &Database, settings: &[(&str, &str)], args: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = database
        .program(folder.path())
        .envs(settings.iter().copied())
        .args(args)
        .arg("--json")
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""), "{args:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

/// A report of one call.
pub(crate) fn call(session_id: &str, number: &str) -> Value {
    json!({
        "session_id": session_id, "phone_number": number, "duration_s": 61.5, "outcome": "callback_requested",
        "transcript": [
            {"role": "agent", "text": "How can I help?", "ts_ms": 0},
            {"role": "user", "text": "Please call me back about my water heater.", "ts_ms": 1800},
        ],
    })
}

pub(crate) fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
}

/// Waits for a condition, not for a time; fails loudly when it does not come.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(
            began.elapsed() < PATIENCE,
            "after {PATIENCE:?} it is still not so that {what}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}
