//! `doctor`: looks at what `serve` would meet, leaves everything as it was, and says what to do.

use std::{
    ffi::OsString,
    fs,
    io::{self, ErrorKind},
    net::{SocketAddr, TcpListener},
    path::Path,
    time::{Duration, Instant},
};

use clap::Args;
use domain::{
    context::Deadline,
    error::{PortError, SchemaTooOld},
    port::Storage,
};
use outgoing::BaseUrl;
use serde::Serialize;

use super::{
    failure::Failure,
    output,
    store::{block_on, deadline, now_ms, unusable, with_storage},
};
use crate::{
    config::{EnrichmentSettings, LlmSettings, PaidVendor, ServeSettings},
    error::Chain,
    storage_parts::missing_parts,
    storages::{DATABASE_URL, pending},
    vendors,
};

#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Print one JSON object: ok, and the checks
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: ServeSettings,
    /// The variables that hold nothing usable, with what is wrong; the settings have the defaults in their place.
    #[arg(skip)]
    pub(super) wrong: Vec<(OsString, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warn,
    Fail,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    message: String,
}

#[derive(Serialize)]
struct Report {
    ok: bool,
    checks: Vec<Check>,
}

/// 2026-01-01T00:00:00Z: no clock that is right shows an earlier time.
const EARLIEST_NOW_MS: i64 = 1_767_225_600_000;

/// How long a vendor's address may take to answer.
const VENDOR_PATIENCE: Duration = Duration::from_secs(5);

/// How far the clock may be behind what is stored: replicas' clocks differ a little.
const CLOCK_BEHIND_MS: i64 = 60_000;

pub(super) fn run(doctor: &Doctor) -> Result<(), Failure> {
    let settings = &doctor.settings;
    let mut checks = Vec::new();
    if doctor.wrong.is_empty() {
        checks.push(ok("settings", "every setting can be read".to_owned()));
    }
    checks.extend(doctor.wrong.iter().map(|(_, what)| fail("settings", what.clone())));
    checks.extend(listeners(settings));
    let mut newest_ms = None;
    if doctor.wrong.iter().any(|(variable, _)| variable == DATABASE_URL) {
        checks.push(fail(
            "database",
            format!("not looked at: {DATABASE_URL} cannot be read"),
        ));
    } else {
        let (found, newest) = database(settings);
        checks.extend(found);
        newest_ms = newest;
    }
    checks.extend(vendors(&settings.enrichment));
    checks.push(language_model(&settings.llm));
    checks.push(clock(now_ms(), newest_ms));
    report(checks, doctor.json)
}

fn report(checks: Vec<Check>, json: bool) -> Result<(), Failure> {
    let failed = checks.iter().filter(|check| check.status == Status::Fail).count();
    if json {
        output::json(&Report {
            ok: failed == 0,
            checks,
        })?;
    } else {
        let lines: Vec<_> = checks
            .iter()
            .map(|check| {
                let status = match check.status {
                    Status::Ok => "ok",
                    Status::Warn => "warn",
                    Status::Fail => "FAIL",
                };
                output::printable(&format!("{status:<5} {:<11} {}", check.name, check.message))
            })
            .collect();
        output::print(&lines.join("\n"))?;
    }
    if failed == 0 {
        return Ok(());
    }
    let failed = output::counted(failed as u64, "check", "checks");
    Err(Failure::Failed(format!(
        "{failed} failed; follow the advice and run `caller-memory doctor` again"
    )))
}

fn listeners(settings: &ServeSettings) -> Vec<Check> {
    if settings.listen == settings.admin_listen && settings.listen.port() != 0 {
        return vec![fail(
            "listeners",
            "CALLER_MEMORY_LISTEN and CALLER_MEMORY_ADMIN_LISTEN are the same; give them different ports".to_owned(),
        )];
    }
    let mut checks = vec![
        listener("CALLER_MEMORY_LISTEN", settings.listen),
        listener("CALLER_MEMORY_ADMIN_LISTEN", settings.admin_listen),
    ];
    if !settings.admin_listen.ip().is_loopback() {
        checks.push(warn(
            "listeners",
            format!(
                "CALLER_MEMORY_ADMIN_LISTEN {} has no authentication; make sure that only your own network can reach \
                 it",
                settings.admin_listen
            ),
        ));
    }
    if !settings.listen.ip().is_loopback() {
        checks.push(warn(
            "listeners",
            format!(
                "CALLER_MEMORY_LISTEN {} is plain HTTP, and keys travel over it; put a proxy with TLS in front of it",
                settings.listen
            ),
        ));
    }
    checks
}

fn listener(variable: &str, address: SocketAddr) -> Check {
    match TcpListener::bind(address) {
        Ok(_) => ok("listeners", format!("{variable} {address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => warn(
            "listeners",
            format!("{variable} {address} is in use; if the service is not running already, choose another port"),
        ),
        Err(error) => fail(
            "listeners",
            format!("{variable} {address} cannot be used: {error}; choose another address"),
        ),
    }
}

/// The checks of the database, and when the newest tenant was created.
fn database(settings: &ServeSettings) -> (Vec<Check>, Option<i64>) {
    let file = settings.database.database_url.file();
    if let Some(check) = file.and_then(|file| absent_file(&file)) {
        return (vec![check], None);
    }
    let looked = with_storage(&settings.database, async |storage| Ok(look(settings, storage).await));
    looked.unwrap_or_else(|failure| (vec![fail("database", failure.into_text())], None))
}

async fn look(settings: &ServeSettings, storage: &dyn Storage) -> (Vec<Check>, Option<i64>) {
    let scheme = settings.database.database_url.scheme();
    let missing = missing_parts(settings, storage);
    let mut checks: Vec<_> = missing.iter().map(|part| fail("database", part.to_string())).collect();
    let failed = |error: &(dyn std::error::Error + 'static)| unusable(error).into_text();
    match storage.ready(deadline()).await {
        Ok(()) => {}
        // A check of its own, below.
        Err(PortError::Internal(cause)) if cause.is::<SchemaTooOld>() => {}
        Err(error) => {
            checks.push(fail("database", failed(&error)));
            return (checks, None);
        }
    }
    checks.push(ok("database", format!("the {scheme} database answers")));
    let pending = match pending(storage).await {
        Ok(pending) => pending,
        Err(error) => {
            checks.push(fail("migrations", failed(&error)));
            return (checks, None);
        }
    };
    checks.push(match (pending, settings.database.auto_migrate) {
        (0, _) => ok("migrations", "all migrations are applied".to_owned()),
        (_, true) => warn(
            "migrations",
            format!("{pending} pending; the next start of `caller-memory serve` applies them"),
        ),
        (_, false) => fail(
            "migrations",
            format!("{pending} pending and CALLER_MEMORY_AUTO_MIGRATE is false; run `caller-memory migrate up`"),
        ),
    });
    if pending > 0 {
        return (checks, None);
    }
    match storage.access().tenants(deadline()).await {
        Ok(tenants) => {
            checks.push(match tenants.len() {
                0 => warn(
                    "tenants",
                    "there are none yet; the first start of `caller-memory serve` creates `default` and its key"
                        .to_owned(),
                ),
                count => ok("tenants", format!("{count} found")),
            });
            (checks, tenants.iter().map(|tenant| tenant.created_at_ms).max())
        }
        Err(error) => {
            checks.push(fail("tenants", failed(&error)));
            (checks, None)
        }
    }
}

/// A file that is not there yet is only told of: opening it would create it.
fn absent_file(path: &Path) -> Option<Check> {
    if path.exists() {
        return None;
    }
    let nearest = path
        .ancestors()
        .skip(1)
        .find(|folder| folder.exists() || folder.as_os_str().is_empty())?;
    let nearest = if nearest.as_os_str().is_empty() {
        Path::new(".")
    } else {
        nearest
    };
    if !nearest.is_dir() {
        return Some(fail(
            "database",
            format!("{} is not a folder; correct {DATABASE_URL}", nearest.display()),
        ));
    }
    Some(match try_to_create_in(nearest) {
        Ok(()) => warn(
            "database",
            format!(
                "{} does not exist yet; the first start of `caller-memory serve` creates it",
                path.display()
            ),
        ),
        Err(error) => fail(
            "database",
            format!(
                "{} does not exist and cannot be created in {}: {error}; make the folder writable or correct \
                 {DATABASE_URL}",
                path.display(),
                nearest.display()
            ),
        ),
    })
}

/// Makes an empty folder in `folder` and takes it away again: permissions alone do not tell, for example where the file
/// system is read-only.
fn try_to_create_in(folder: &Path) -> io::Result<()> {
    let trial = folder.join(format!(".caller-memory-doctor-{}", std::process::id()));
    fs::create_dir(&trial)?;
    fs::remove_dir(&trial)
}

/// Whether the vendors in use can be set up and their addresses answer. No key is sent and nothing is looked up.
fn vendors(settings: &EnrichmentSettings) -> Vec<Check> {
    if let Err(error) = vendors::vendors(settings) {
        return vec![fail("look-ups", Chain(&error).to_string())];
    }
    let mut checks = Vec::new();
    for vendor in settings.paid() {
        let PaidVendor { name, base_url, .. } = vendor;
        checks.push(match reach(base_url) {
            Ok(()) => ok("look-ups", format!("{name} answers at {base_url}")),
            Err(why) => fail(
                "look-ups",
                format!("{name} cannot be reached at {base_url}: {why}; check the network and the vendor's BASE_URL"),
            ),
        });
    }
    if settings.lookup_webhook_url.is_some() {
        checks.push(ok(
            "look-ups",
            "your own records are asked; this check does not try them".to_owned(),
        ));
    }
    if checks.is_empty() {
        checks.push(ok(
            "look-ups",
            "no vendor is set up; recalls show only what the number itself reveals".to_owned(),
        ));
    }
    checks
}

fn reach(base: &BaseUrl) -> Result<(), String> {
    let reached = block_on(async {
        let client = adapters_enrichment::client().map_err(|error| Chain(&error).to_string())?;
        let deadline = Deadline(Instant::now() + VENDOR_PATIENCE);
        adapters_enrichment::reach(&client, base, deadline)
            .await
            .map_err(|error| Chain(&error).to_string())
    });
    reached.unwrap_or_else(|failure| Err(failure.into_text()))
}

/// Whether the language model can be set up, its endpoint answers, and takes the key. The list of models is asked for,
/// which costs nothing; no text is sent.
fn language_model(settings: &LlmSettings) -> Check {
    const NAME: &str = "summaries";
    let (model, base) = match (vendors::language_model(settings), &settings.llm_base_url) {
        (Err(error), _) => return fail(NAME, Chain(&error).to_string()),
        (Ok(Some(model)), Some(base)) => (model, base),
        (Ok(_), _) => {
            return ok(
                NAME,
                "summaries are made by rules; no language model is set up".to_owned(),
            );
        }
    };
    let reached = block_on(async {
        let deadline = Deadline(Instant::now() + VENDOR_PATIENCE);
        model.reach(deadline).await.map_err(|error| Chain(&error).to_string())
    });
    match reached.unwrap_or_else(|failure| Err(failure.into_text())) {
        Ok(401 | 403) => fail(
            NAME,
            format!("the language model at {base} refuses the key; check CALLER_MEMORY_LLM_API_KEY"),
        ),
        Ok(200..=299) => ok(NAME, format!("the language model answers at {base}")),
        Ok(status) => warn(
            NAME,
            format!(
                "{base}/models answers with status {status}; make sure that CALLER_MEMORY_LLM_BASE_URL is the \
                 address before /chat/completions"
            ),
        ),
        Err(why) => fail(
            NAME,
            format!(
                "the language model cannot be reached at {base}: {why}; check the network and \
                 CALLER_MEMORY_LLM_BASE_URL"
            ),
        ),
    }
}

fn clock(now_ms: i64, newest_ms: Option<i64>) -> Check {
    let shown = output::moment(now_ms);
    let advice = "set it, for example with NTP: the expiry of keys and the times of calls depend on it";
    if now_ms < EARLIEST_NOW_MS {
        fail("clock", format!("it shows {shown}, which is in the past; {advice}"))
    } else if newest_ms.is_some_and(|newest| now_ms + CLOCK_BEHIND_MS < newest) {
        fail(
            "clock",
            format!("it shows {shown}, but the database holds something newer; {advice}"),
        )
    } else {
        ok("clock", format!("it shows {shown}"))
    }
}

fn ok(name: &'static str, message: String) -> Check {
    Check {
        name,
        status: Status::Ok,
        message,
    }
}

fn warn(name: &'static str, message: String) -> Check {
    Check {
        name,
        status: Status::Warn,
        message,
    }
}

fn fail(name: &'static str, message: String) -> Check {
    Check {
        name,
        status: Status::Fail,
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_is_seen() {
        let now = EARLIEST_NOW_MS + 1;
        assert_eq!(clock(0, None).status, Status::Fail);
        assert_eq!(clock(now, None).status, Status::Ok);
        assert_eq!(clock(now, Some(now + CLOCK_BEHIND_MS)).status, Status::Ok);
        assert_eq!(clock(now, Some(now + CLOCK_BEHIND_MS + 1)).status, Status::Fail);
    }

    #[test]
    fn a_missing_file_is_told_of_and_not_created() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/b.db");
        assert_eq!(absent_file(&path).expect("a check").status, Status::Warn);
        assert!(!path.parent().expect("a folder").exists());
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("written");
        assert_eq!(absent_file(&file.join("b.db")).expect("a check").status, Status::Fail);
        assert!(absent_file(&file).is_none());
    }
}
