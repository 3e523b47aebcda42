//! The program in a folder of its own, and a client of it.

use std::{
    fs::{self, File},
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// How long anything may take before a test gives up on it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A folder with the program's file in it.
pub(crate) struct Place(TempDir);

/// What a command printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Where the program keeps everything when it is told nothing.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("data/caller-memory.redb")
    }

    /// Runs a command of the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let output = self
            .command(env!("CARGO_BIN_EXE_caller-memory-redb"))
            .args(args)
            .output();
        let output = output.expect("the program runs");
        Output {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub(crate) fn done(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.code, Some(0), "{args:?}: {output:?}");
        output.stdout
    }

    /// The environment of the test says nothing to the program.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env_clear().stdin(Stdio::null());
        command
    }
}

/// A running service.
pub(crate) struct Service<'p> {
    place: &'p Place,
    child: Child,
    public: SocketAddr,
    admin: SocketAddr,
}

impl<'p> Service<'p> {
    /// Starts the service and waits until it is ready.
    pub(crate) fn start(place: &'p Place) -> Self {
        Self::start_with(place, place.command(env!("CARGO_BIN_EXE_caller-memory-redb")))
    }

    /// Starts the service so that none of its files may grow beyond `kib` until [`Service::lift_limit`]: a full disk
    /// without one.
    pub(crate) fn start_limited(place: &'p Place, kib: u64) -> Self {
        let mut command = place.command("/bin/sh");
        let limit = format!("ulimit -S -f {}; exec \"$0\"", kib * 2);
        command.args(["-c", &limit, env!("CARGO_BIN_EXE_caller-memory-redb")]);
        Self::start_with(place, command)
    }

    fn start_with(place: &'p Place, mut command: Command) -> Self {
        let (public, admin) = (free_address(), free_address());
        let print = |name| File::create(place.0.path().join(name)).expect("a file");
        let child = command
            .env("CALLER_MEMORY_LISTEN", public.to_string())
            .env("CALLER_MEMORY_ADMIN_LISTEN", admin.to_string())
            .stdout(print("stdout"))
            .stderr(print("stderr"))
            .spawn()
            .expect("the program starts");
        let mut service = Self {
            place,
            child,
            public,
            admin,
        };
        eventually("the service is ready", || {
            if let Some(status) = service.child.try_wait().expect("a status") {
                panic!("the service ended with {status}:\n{}", service.printed());
            }
            service.readiness() == 200
        });
        service
    }

    /// Everything that the service has printed.
    pub(crate) fn printed(&self) -> String {
        let read = |name| fs::read_to_string(self.place.0.path().join(name)).unwrap_or_default();
        read("stdout") + &read("stderr")
    }

    /// The key that the first start printed.
    pub(crate) fn printed_key(&self) -> String {
        let printed = self.printed();
        let is_key = |word: &&str| word.starts_with("sk_live_");
        let key = printed
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .find(is_key);
        key.expect("a first start prints its key").to_owned()
    }

    pub(crate) fn readiness(&self) -> u16 {
        request(self.admin, "GET /readyz HTTP/1.1", "", "").0
    }

    /// Recalls `number` and returns the answer's JSON.
    pub(crate) fn recall(&self, key: &str, number: &str, session: &str) -> String {
        let body = format!(r#"{{"phone_number":"{number}","session_id":"{session}"}}"#);
        let (status, answer) = request(self.public, "POST /v1/recall_and_enrich HTTP/1.1", key, &body);
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// Reports the end of a call and returns the status of the answer.
    pub(crate) fn end(&self, key: &str, number: &str, session: &str) -> u16 {
        let body = format!(
            r#"{{"session_id":"{session}","phone_number":"{number}","duration_s":61.5,
            "outcome":"callback_requested","transcript":[{{"role":"user","ts_ms":1800,
            "text":"My name is Maren Okafor. Please call me back about my water heater."}}]}}"#
        );
        request(self.public, "POST /v1/calls/end HTTP/1.1", key, &body).0
    }

    /// Stops the service as an operator does, and waits for its end.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(sent.expect("kill runs").success());
        let mut ended = None;
        eventually("the service ends", || {
            ended = self.child.try_wait().expect("a status");
            ended.is_some()
        });
        ended.expect("it ended")
    }

    /// Ends the service at once, without a chance to write anything.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Lets the service's files grow again.
    pub(crate) fn lift_limit(&self) {
        let pid = self.child.id().to_string();
        let lifted = Command::new("prlimit")
            .args(["--fsize=unlimited:", "--pid", &pid])
            .status();
        assert!(lifted.expect("prlimit runs").success());
    }
}

impl Drop for Service<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- the service printed:\n{}", self.printed());
        }
        // It has ended already where the test ended it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request and returns the status and the body of the answer; status 0 when there is none.
fn request(address: SocketAddr, line: &str, key: &str, body: &str) -> (u16, String) {
    let request = format!(
        "{line}\r\nHost: test\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let exchange = || {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        std::io::Result::Ok(answer)
    };
    let answer = exchange().unwrap_or_default();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.unwrap_or_default(), body.to_owned())
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address")
}

/// Waits for a condition; fails when it does not come.
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "it never came that {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
