//! A disk that is full for a while: nothing is acknowledged that is not stored, and everything works again when there
//! is room.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;
use tempfile::TempDir;

use crate::service::{Database, KEY, Service, command, eventually};

/// The database's log, to which every write goes first.
fn log(database: &Database) -> PathBuf {
    let file = database.url.strip_prefix("sqlite://").expect("the database is SQLite");
    PathBuf::from(format!("{file}-wal"))
}

/// The calls of a test, each of a caller of its own.
#[derive(Default)]
struct Calls {
    reported: usize,
    acknowledged: Vec<String>,
    refused: Vec<String>,
}

impl Calls {
    fn succeed(&mut self, service: &Service, times: usize) {
        for _ in 0..times {
            let number = self.next();
            assert_eq!(service.end(&number, &number).status, 204);
            self.acknowledged.push(number);
        }
    }

    fn fail(&mut self, service: &Service, times: usize) {
        for _ in 0..times {
            let number = self.next();
            let answer = service.end(&number, &number);
            let code = &answer.body["error"]["code"];
            assert_eq!((answer.status, code), (503, &json!("service_unavailable")));
            assert!(answer.headers.contains_key("retry-after"));
            self.refused.push(number);
        }
    }

    /// Reports the last refused call once more.
    fn repeat(&mut self, service: &Service) {
        let number = self.refused.pop().expect("a call was refused");
        assert_eq!(service.end(&number, &number).status, 204);
        self.acknowledged.push(number);
    }

    fn next(&mut self) -> String {
        self.reported += 1;
        assert!(self.reported < 100, "there are a hundred fictional numbers");
        format!("+120255501{:02}", self.reported)
    }

    /// A service finds every call that was acknowledged, and none of those that were refused.
    fn are_stored(&self, service: &Service) {
        for number in &self.acknowledged {
            let caller = service.get(number, KEY);
            assert_eq!(
                (caller.status, &caller.body["total_calls"]),
                (200, &json!(1)),
                "{number}"
            );
        }
        for number in &self.refused {
            assert_eq!(service.get(number, KEY).status, 404, "{number} was refused");
        }
    }
}

/// The disk is full for 1, 2 and 20 calls, and the process is killed when it has room.
fn survives_a_full_disk(database: &Database, fill: impl Fn(&Service), make_room: impl Fn(&Service)) {
    let mut calls = Calls::default();
    let mut service = Service::start(database, &[]);
    for times in [1, 2, 20] {
        calls.succeed(&service, 3);
        fill(&service);
        calls.fail(&service, times);
        assert_eq!(service.admin_status("/readyz"), Some(503));
        let known = service.recall(&json!({"phone_number": calls.acknowledged[0]}), &[]);
        assert_eq!((known.status, &known.body["known"]), (200, &json!(true)), "reads go on");
        make_room(&service);
        eventually("the service is ready again", || {
            service.admin_status("/readyz") == Some(200)
        });
        calls.repeat(&service);
        calls.succeed(&service, 3);
        let key = command(database, &["key", "create"])["key"].clone();
        let number = &calls.acknowledged[0];
        assert_eq!(service.get(number, key.as_str().expect("a key")).status, 200);
    }
    service.signal("KILL");
    service.wait();
    calls.are_stored(&Service::start(database, &[]));
}

/// Where they cannot, standard output says so.
fn files_can_be_limited() -> bool {
    let prlimit = Command::new("prlimit").arg("--version").output();
    if let Err(error) = &prlimit {
        println!("skipped: prlimit, which limits the files of a process, cannot be run here: {error}");
    }
    prlimit.is_ok()
}

#[test]
fn calls_that_a_file_has_no_room_for_are_refused_and_no_other_is_lost() {
    if !files_can_be_limited() {
        return;
    }
    let database = Database::sqlite();
    let fill = |service: &Service| {
        let log = fs::metadata(log(&database)).expect("the log is there");
        service.limit_files(&log.len().to_string());
    };
    survives_a_full_disk(&database, fill, |service| service.limit_files("unlimited"));
}

#[test]
fn a_disk_that_is_full_makes_the_service_not_ready_and_says_so() {
    if !files_can_be_limited() {
        return;
    }
    let database = Database::sqlite();
    let service = Service::start(&database, &[]);
    assert_eq!(service.admin_text("/readyz"), "ready\n");
    service.limit_files("1");
    Calls::default().fail(&service, 1);
    assert_eq!(service.admin_text("/readyz"), "the database cannot write\n");
    service.limit_files("unlimited");
    eventually("the service is ready again", || {
        service.admin_text("/readyz") == "ready\n"
    });
}

/// A small disk of its own.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None`, said on standard output, where none may be mounted.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
            .arg(folder.path())
            .output();
        match mount {
            Ok(output) if output.status.success() => Some(Self(folder)),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                println!("skipped: a small disk may not be mounted here: {}", said.trim());
                None
            }
            Err(error) => {
                println!("skipped: mount cannot be run here: {error}");
                None
            }
        }
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn fill(&self) {
        let mut filler = File::create(self.filler()).expect("a file");
        while filler.write_all(&[0; 4096]).is_ok() {}
    }

    fn make_room(&self) {
        fs::remove_file(self.filler()).expect("the filler is there");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a failed test's service may still have it open.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[test]
fn calls_that_a_disk_has_no_room_for_are_refused_and_no_other_is_lost() {
    let Some(disk) = SmallDisk::mount() else { return };
    let database = Database::sqlite_in(disk.path());
    survives_a_full_disk(&database, |_| disk.fill(), |_| disk.make_room());
}
