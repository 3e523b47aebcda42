//! `caller import`: profiles from a file, in batches of one transaction each.
//!
//! The file is read as a stream. What stays in memory is one batch, the rows that are listed as refused, and, so that a
//! number that is there twice is noticed, 16 bytes for each number (with what a hash table needs beside it, 20 to 40).

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
};

use clap::Args;
use domain::{
    access::TenantId,
    caller::{self, Change, ImportCounts, ProfileChange},
    phone::{PhoneError, PhoneNumber, Region},
    port::CallerAdmin,
};
use indicatif::ProgressBar;
use serde::Serialize;

use super::{
    rows::{Fields, Format, Row, Rows},
    tenant::TenantArgs,
};
use crate::{
    cli::{
        failure::Failure,
        output,
        progress::progress,
        store::{deadline, now_ms, unusable},
    },
    rest::json,
};

#[derive(Debug, Args)]
pub(in crate::cli) struct Import {
    /// The file: .csv with a header, .jsonl or .ndjson, with `phone_number`, `name`, `tags` and `custom_attributes`
    file: PathBuf,
    #[command(flatten)]
    of: TenantArgs,
}

/// Callers that are written in one transaction. A running service waits for no more than that.
const BATCH: usize = 1_000;

/// Refused rows that are shown on standard error.
const SHOWN: u64 = 20;

/// Refused rows that `--json` lists.
const LISTED: usize = 10_000;

pub(super) fn run(command: &Import) -> Result<(), Failure> {
    let file = &command.file;
    let format = format(file)?;
    let (input, length) = open(file)?;
    let rows = Rows::new(BufReader::new(input), format);
    let mut rows = rows.map_err(|stop| Failure::Failed(format!("{}: {stop}", file.display())))?;
    let bar = progress(length);
    let (tally, stopped) = command.of.with_callers(async |callers| {
        let mut work = Importer {
            admin: callers.admin.as_ref(),
            tenant: callers.tenant,
            region: callers.region,
            bar: &bar,
            lines: HashMap::new(),
            batch: BTreeMap::new(),
            tally: Tally::default(),
        };
        let stopped = work.all(&mut rows).await.err();
        Ok((work.tally, stopped))
    })?;
    bar.finish_and_clear();
    tally.say_how_many_more();
    if command.of.common.json {
        output::json(&tally.summary)?;
    } else {
        output::print(&tally.text())?;
    }
    tally.verdict(stopped.as_deref())
}

/// The format that the file's name ends with.
fn format(file: &Path) -> Result<Format, Failure> {
    let ending = file
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    match ending.as_str() {
        "csv" => Ok(Format::Csv),
        "jsonl" | "ndjson" => Ok(Format::JsonLines),
        _ => Err(Failure::Usage(format!(
            "the name of {} does not show its format; it must end in .csv, .jsonl or .ndjson",
            file.display()
        ))),
    }
}

fn open(path: &Path) -> Result<(impl Read + use<>, Option<u64>), Failure> {
    let cannot = |error| {
        Failure::Failed(format!(
            "cannot read {}: {error}; name a file of callers that is there",
            path.display()
        ))
    };
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(Failure::Failed(format!(
            "{} is a folder; name a file of callers",
            path.display()
        )));
    }
    Ok((file, metadata.is_file().then_some(metadata.len())))
}

/// An import that is under way.
struct Importer<'a> {
    admin: &'a dyn CallerAdmin,
    tenant: TenantId,
    region: Region,
    bar: &'a ProgressBar,
    /// The line on which each number was first, by its digits.
    lines: HashMap<u64, u64>,
    batch: BTreeMap<PhoneNumber, ProfileChange>,
    tally: Tally,
}

impl Importer<'_> {
    /// Writes every good row; why it stopped before the end of the file.
    async fn all(&mut self, rows: &mut Rows<impl std::io::BufRead>) -> Result<(), String> {
        let mut read = 0;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return self.write(read).await,
                Err(stop) => {
                    self.write(read).await?;
                    return Err(stop.to_string());
                }
            };
            read = row.line;
            self.take(row);
            if self.batch.len() == BATCH {
                self.write(read).await?;
                self.bar.set_position(rows.bytes());
                let rows = output::counted(self.tally.summary.rows, "row", "rows");
                self.bar.set_message(rows);
            }
        }
    }

    fn take(&mut self, row: Row) {
        self.tally.summary.rows += 1;
        let line = row.line;
        match row.fields.and_then(|fields| self.check(line, fields)) {
            Ok((number, change)) => {
                self.batch.insert(number, change);
            }
            Err(error) => {
                if let Some(complaint) = self.tally.refuse(line, error) {
                    self.bar.suspend(|| output::complain(&complaint));
                }
            }
        }
    }

    /// What a row means to whom, or what is wrong with it.
    fn check(&mut self, line: u64, fields: Fields) -> Result<(PhoneNumber, ProfileChange), String> {
        let number = PhoneNumber::normalise(&fields.phone_number, self.region).map_err(|error| match error {
            PhoneError::Withheld => {
                "phone_number stands for a withheld caller ID and not for a caller; leave the row out".to_owned()
            }
            PhoneError::Unparseable | PhoneError::NotE164 => format!(
                "phone_number is not a phone number; write it in E.164, for example +12025550142, or as it is \
                 dialled within {}, with its area code",
                self.region.as_str()
            ),
        })?;
        let digits = number.as_e164().bytes().filter(u8::is_ascii_digit);
        let digits = digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
        if let Some(first) = self.lines.get(&digits) {
            return Err(format!(
                "this number is already on line {first}; keep one of the two rows"
            ));
        }
        self.lines.insert(digits, line);
        Ok((number, change(fields)?))
    }

    /// Writes what has gathered up to the line `read`.
    async fn write(&mut self, read: u64) -> Result<(), String> {
        if !self.batch.is_empty() {
            let imported = self
                .admin
                .import(self.tenant, &self.batch, now_ms(), deadline())
                .await
                .map_err(|error| unusable(&error).into_text())?;
            self.tally.count(imported);
            self.batch.clear();
        }
        self.tally.stored_to = read;
        Ok(())
    }
}

/// What a row makes of a profile, within the limits.
fn change(fields: Fields) -> Result<ProfileChange, String> {
    let fault = |error: caller::ProfileFault| error.to_string();
    Ok(ProfileChange {
        name: match fields.name {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            // A name of blanks was read as none.
            Change::Set(name) => caller::name(&name).map_err(fault)?.map_or(Change::Keep, Change::Set),
        },
        tags: match fields.tags {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(tags) => Change::Set(caller::tags(tags.iter().map(String::as_str)).map_err(fault)?),
        },
        custom_attributes: match fields.custom_attributes {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(text) => {
                let object = json::field("custom_attributes", &text, |value| value.object());
                let object = object.map_err(|error| error.to_string())?;
                Change::Set(caller::custom_attributes(object).map_err(fault)?)
            }
        },
    })
}

/// What became of the rows so far.
#[derive(Default)]
struct Tally {
    summary: Summary,
    refused: u64,
    /// Every good row up to this line is stored.
    stored_to: u64,
}

#[derive(Default, Serialize)]
struct Summary {
    rows: u64,
    created: u64,
    updated: u64,
    unchanged: u64,
    refused: Vec<RefusedRow>,
}

#[derive(Serialize)]
struct RefusedRow {
    line: u64,
    error: String,
}

impl Tally {
    fn count(&mut self, imported: ImportCounts) {
        self.summary.created += imported.created;
        self.summary.updated += imported.updated;
        self.summary.unchanged += imported.unchanged;
    }

    /// Counts a refused row; what is to be said about it, when it is one of the first.
    fn refuse(&mut self, line: u64, error: String) -> Option<String> {
        self.refused += 1;
        let complaint = (self.refused <= SHOWN).then(|| format!("line {line} refused: {error}"));
        if self.summary.refused.len() < LISTED {
            self.summary.refused.push(RefusedRow { line, error });
        }
        complaint
    }

    fn say_how_many_more(&self) {
        if let Some(more @ 1..) = self.refused.checked_sub(SHOWN) {
            let more = output::counted(more, "more row", "more rows");
            output::complain(&format!("and {more} refused"));
        }
    }

    fn text(&self) -> String {
        let Summary {
            rows,
            created,
            updated,
            unchanged,
            ..
        } = self.summary;
        let refused = self.refused;
        let rows = output::counted(rows, "row", "rows");
        let created = output::counted(created, "caller", "callers");
        format!("{rows}: {created} created, {updated} updated, {unchanged} unchanged, {refused} refused")
    }

    fn verdict(&self, stopped: Option<&str>) -> Result<(), Failure> {
        let refused = self.refused;
        match (stopped, self.stored_to) {
            (Some(why), 0) => Err(Failure::Failed(format!(
                "the import stopped: {why}; it is not certain that anything was stored, so import the file again"
            ))),
            (Some(why), line) => Err(Failure::Failed(format!(
                "the import stopped: {why}; every good row up to line {line} is stored; correct the cause and import \
                 the file again; rows that are stored already do not change"
            ))),
            (None, _) if refused > 0 => {
                let refused = output::counted(refused, "row was", "rows were");
                Err(Failure::Failed(format!(
                    "{refused} refused and the others are stored; correct what was refused and import the file \
                     again; rows that are stored already do not change"
                )))
            }
            (None, _) => Ok(()),
        }
    }
}
