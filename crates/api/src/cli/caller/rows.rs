//! The rows of a file of callers, read one by one: CSV or JSON lines, with the line of the file on which each begins.
//!
//! One row is in memory at a time, and none is longer than [`LONGEST`].

use std::io::{self, BufRead};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};
use domain::caller::Change;
use serde::{Deserialize, Deserializer};
use serde_json::{error::Category, value::RawValue};

use crate::rest::json;

/// The columns that there are; the first must be there.
pub(super) const COLUMNS: [&str; 4] = ["phone_number", "name", "tags", "custom_attributes"];

/// Bytes that a row may have. The longest profile is shorter, however its JSON is written.
const LONGEST: usize = 1 << 20;

/// How the rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    JsonLines,
}

/// What a row says, before its limits are looked at.
#[derive(Debug, PartialEq)]
pub(super) struct Fields {
    pub(super) phone_number: String,
    pub(super) name: Change<String>,
    pub(super) tags: Change<Vec<String>>,
    /// The text of what should be a JSON object.
    pub(super) custom_attributes: Change<String>,
}

/// A row: where it begins, and what it says or why it cannot be read. The reason repeats nothing of the row but names.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) fields: Result<Fields, String>,
}

/// Why nothing more can be read of a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop {
    #[error("it cannot be read beyond line {line}: {cause}")]
    Io { line: u64, cause: io::Error },
    #[error("the row that begins in line {0} is longer than 1 MiB, as when a closing quote is missing")]
    LongRow(u64),
    #[error("{0}")]
    Header(String),
}

/// Reads rows one by one.
pub(super) struct Rows<R> {
    lines: Lines<R>,
    shape: Shape,
}

enum Shape {
    /// The column of each cell, as an index of [`COLUMNS`].
    Csv {
        columns: Vec<usize>,
        records: Box<Records>,
    },
    JsonLines,
}

impl<R: BufRead> Rows<R> {
    /// Begins to read; of a CSV file the header, which must be right.
    pub(super) fn new(input: R, format: Format) -> Result<Self, Stop> {
        let mut lines = Lines::new(input);
        let shape = match format {
            Format::JsonLines => Shape::JsonLines,
            Format::Csv => {
                let mut records = Box::new(Records::new());
                let header = records.next(&mut lines)?;
                let columns = columns(header.map(|record| record.cells)).map_err(Stop::Header)?;
                Shape::Csv { columns, records }
            }
        };
        Ok(Self { lines, shape })
    }

    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.lines.bytes
    }

    /// The next row; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Row>, Stop> {
        match &mut self.shape {
            Shape::Csv { columns, records } => {
                let record = records.next(&mut self.lines)?;
                Ok(record.map(|Record { line, cells }| Row {
                    line,
                    fields: cells.and_then(|cells| from_cells(columns, &cells)),
                }))
            }
            Shape::JsonLines => loop {
                let Some(line) = self.lines.next()? else {
                    return Ok(None);
                };
                if line.text.trim_ascii().is_empty() && !line.is_long {
                    continue;
                }
                let fields = if line.is_long {
                    Err("it is longer than 1 MiB".to_owned())
                } else {
                    from_json(line.text.trim_ascii())
                };
                let line = line.number;
                return Ok(Some(Row { line, fields }));
            },
        }
    }
}

/// The column of each cell of a header.
fn columns(header: Option<Result<Vec<String>, String>>) -> Result<Vec<usize>, String> {
    let there_are = format!("the columns are {}, separated by commas", COLUMNS.join(", "));
    let names = header
        .unwrap_or_else(|| Ok(Vec::new()))
        .map_err(|why| format!("its first line cannot be read: {why}"))?;
    let mut columns = Vec::new();
    for name in names {
        let name = name.trim();
        let Some(column) = COLUMNS.iter().position(|known| *known == name) else {
            let short: String = name.chars().take(80).collect();
            return Err(format!("there is no column `{short}`; {there_are}"));
        };
        if columns.contains(&column) {
            return Err(format!("the column `{name}` is there twice; {there_are}"));
        }
        columns.push(column);
    }
    if columns.contains(&0) {
        Ok(columns)
    } else {
        Err(format!("its first line has no column `phone_number`; {there_are}"))
    }
}

fn from_cells(columns: &[usize], cells: &[String]) -> Result<Fields, String> {
    if cells.len() != columns.len() {
        return Err(format!(
            "it has {} cells where the first line has {}; put quotes around a cell that holds a comma",
            cells.len(),
            columns.len()
        ));
    }
    let cell = |column: usize| {
        let at = columns.iter().position(|known| *known == column)?;
        Some(cells[at].as_str()).filter(|cell| !cell.trim().is_empty())
    };
    let text = |column| cell(column).map_or(Change::Keep, |text| Change::Set(text.to_owned()));
    Ok(Fields {
        phone_number: cell(0).ok_or("phone_number is empty; every row needs one")?.to_owned(),
        name: text(1),
        tags: cell(2).map_or(Change::Keep, |tags| Change::Set(split(tags))),
        custom_attributes: text(3),
    })
}

fn split(tags: &str) -> Vec<String> {
    tags.split(';').map(str::to_owned).collect()
}

/// A line of JSON. What is null is there, and what is not there is `None`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonRow<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    phone_number: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    name: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    tags: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    custom_attributes: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

fn from_json(line: &[u8]) -> Result<Fields, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8; save the file as UTF-8")?;
    if !text.starts_with('{') {
        return Err("it is not a JSON object; write one object on each line".to_owned());
    }
    let row: JsonRow<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        // An unknown name, or one that is there twice.
        Category::Data => wrong_name(&error.to_string()),
        _ => format!(
            "it is not JSON (column {}); write one whole object on each line",
            error.column()
        ),
    })?;
    let string = |name, value: &RawValue| {
        json::field(name, value.get(), |value| value.string()).map_err(|error| error.to_string())
    };
    let list = |value: &RawValue| {
        json::field("tags", value.get(), |value| value.items(None, |item| item.string()))
            .map_err(|error| error.to_string())
    };
    let phone_number = row
        .phone_number
        .map(|value| string("phone_number", value))
        .transpose()?;
    Ok(Fields {
        phone_number: phone_number
            .filter(|number| !number.trim().is_empty())
            .ok_or("phone_number is missing or empty; every row needs one")?,
        name: change(row.name, |value| string("name", value).map(not_blank))?,
        tags: change(row.tags, |value| {
            if value.get().starts_with('[') {
                return list(value).map(Some);
            }
            if !value.get().starts_with('"') {
                return Err("tags: expected a list of strings, or one string with `;` between the tags".to_owned());
            }
            Ok(not_blank(string("tags", value)?).map(|tags| split(&tags)))
        })?,
        custom_attributes: change(row.custom_attributes, |value| Ok(Some(value.get().to_owned())))?,
    })
}

/// What is wrong with a name, in the words of the parser without their place.
fn wrong_name(error: &str) -> String {
    let of_a_call = ["session_id", "transcript", "duration_s", "outcome"];
    if of_a_call
        .iter()
        .any(|name| error.starts_with(&format!("unknown field `{name}`")))
    {
        return "it is a call and not a caller; `caller-memory replay` loads a file of calls".to_owned();
    }
    let error = error.split(" at line").next().unwrap_or_default();
    error.chars().take(200).collect()
}

/// An empty text is the same as an empty cell.
fn not_blank(text: String) -> Option<String> {
    Some(text).filter(|text| !text.trim().is_empty())
}

/// What a value means: nothing keeps, null clears, and what `read` makes nothing of keeps as well.
fn change<T>(
    value: Option<&RawValue>,
    read: impl FnOnce(&RawValue) -> Result<Option<T>, String>,
) -> Result<Change<T>, String> {
    match value {
        None => Ok(Change::Keep),
        Some(value) if value.get() == "null" => Ok(Change::Clear),
        Some(value) => Ok(read(value)?.map_or(Change::Keep, Change::Set)),
    }
}

/// A record of a CSV file.
struct Record {
    line: u64,
    cells: Result<Vec<String>, String>,
}

/// Puts the lines of a CSV file together to records.
struct Records {
    core: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Records {
    fn new() -> Self {
        // Lines end with a line feed here; the carriage return before it is taken away from the last cell below.
        let core = ReaderBuilder::new().terminator(Terminator::Any(b'\n')).build();
        Self {
            core,
            text: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn next(&mut self, lines: &mut Lines<impl BufRead>) -> Result<Option<Record>, Stop> {
        let mut begun = None;
        let (mut text, mut ends) = (0, 0);
        loop {
            let Some(line) = lines.next()? else {
                // A record that no line ends is inside a quote.
                return Ok(begun.map(|line| Record {
                    line,
                    cells: Err("a quote that is opened in this row is never closed; is the file cut off?".to_owned()),
                }));
            };
            if begun.is_none() && line.text.trim_ascii().is_empty() && !line.is_long {
                continue;
            }
            let first = *begun.get_or_insert(line.number);
            if line.is_long || text + line.text.len() > LONGEST {
                return Err(Stop::LongRow(first));
            }
            // There is room for everything, so that one line is one step.
            self.text.resize(text + line.text.len() + 1, 0);
            self.ends.resize(ends + line.text.len() + 1, 0);
            let (read, _, written, ended) =
                self.core
                    .read_record(line.text, &mut self.text[text..], &mut self.ends[ends..]);
            text += written;
            ends += ended;
            if read == ReadRecordResult::Record {
                return Ok(Some(Record {
                    line: first,
                    cells: cells_of(&self.text, &self.ends[..ends]),
                }));
            }
        }
    }
}

fn cells_of(text: &[u8], ends: &[usize]) -> Result<Vec<String>, String> {
    let mut cells = Vec::with_capacity(ends.len());
    let mut start = 0;
    for end in ends {
        let cell = std::str::from_utf8(&text[start..*end]).map_err(|_| "it is not UTF-8; save the file as UTF-8")?;
        cells.push(cell.to_owned());
        start = *end;
    }
    if let Some(last) = cells.last_mut()
        && last.ends_with('\r')
    {
        last.pop();
    }
    Ok(cells)
}

/// Reads the lines of a file, the last one with or without a line feed.
struct Lines<R> {
    input: R,
    number: u64,
    bytes: u64,
    text: Vec<u8>,
}

struct Line<'l> {
    number: u64,
    /// The line with a line feed at its end; of a long line only the beginning.
    text: &'l [u8],
    is_long: bool,
}

impl<R: BufRead> Lines<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            number: 0,
            bytes: 0,
            text: Vec::new(),
        }
    }

    fn next(&mut self) -> Result<Option<Line<'_>>, Stop> {
        self.text.clear();
        let (mut read, mut ended) = (0, false);
        while !ended {
            let buffer = match self.input.fill_buf() {
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) => {
                    let line = self.number;
                    return Err(Stop::Io { line, cause });
                }
                Ok([]) => break,
                Ok(buffer) => buffer,
            };
            let end = buffer.iter().position(|byte| *byte == b'\n');
            ended = end.is_some();
            let used = end.map_or(buffer.len(), |at| at + 1);
            // One byte more than may be, so that a long line is seen to be long.
            let room = (LONGEST + 1).saturating_sub(self.text.len());
            self.text.extend_from_slice(&buffer[..used.min(room)]);
            self.input.consume(used);
            read += used;
        }
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.bytes += read as u64;
        if self.number == 1 && self.text.starts_with(b"\xef\xbb\xbf") {
            self.text.drain(..3);
        }
        let is_long = self.text.len() > LONGEST;
        if !ended {
            self.text.push(b'\n');
        }
        Ok(Some(Line {
            number: self.number,
            text: &self.text,
            is_long,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(input: impl AsRef<[u8]>, format: Format) -> Result<Vec<Row>, Stop> {
        let mut rows = Rows::new(input.as_ref(), format)?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push(row);
        }
        assert_eq!(rows.bytes(), input.as_ref().len() as u64);
        Ok(read)
    }

    fn csv(input: impl AsRef<[u8]>) -> Vec<Row> {
        rows(input, Format::Csv).expect("a header")
    }

    /// The row of this number on this line, with nothing else.
    fn bare(line: u64, number: &str) -> Row {
        Row {
            line,
            fields: Ok(Fields {
                phone_number: number.to_owned(),
                name: Change::Keep,
                tags: Change::Keep,
                custom_attributes: Change::Keep,
            }),
        }
    }

    fn why(row: &Row) -> String {
        match &row.fields {
            Ok(fields) => panic!("line {} is good: {fields:?}", row.line),
            Err(why) => format!("{}: {why}", row.line),
        }
    }

    #[test]
    fn a_csv_file_is_read() {
        let file = "\u{feff}name, phone_number ,custom_attributes,tags\r\n\
            \"Okafor, \"\"Maren\"\"\",+12025550100,\"{\"\"a\"\": 1,\r\n\"\"b\"\": 2}\",vip; gold;\r\n\
            \r\n\
            ,+12025550101,, ";
        let rows = csv(file);
        let expected = Fields {
            phone_number: "+12025550100".to_owned(),
            name: Change::Set("Okafor, \"Maren\"".to_owned()),
            tags: Change::Set(["vip", " gold", ""].map(str::to_owned).to_vec()),
            custom_attributes: Change::Set("{\"a\": 1,\r\n\"b\": 2}".to_owned()),
        };
        assert_eq!(
            rows,
            [
                Row {
                    line: 2,
                    fields: Ok(expected)
                },
                bare(5, "+12025550101")
            ]
        );
    }

    #[test]
    fn lines_are_those_of_the_file() {
        for end in ["\n", "\r\n"] {
            let file = [
                "",
                "phone_number,name",
                "1,\"a",
                "",
                "b\"",
                "",
                "",
                "2,",
                "",
                "3,\"x\"",
                "4,y",
            ]
            .join(end);
            let lines: Vec<_> = csv(&file).iter().map(|row| row.line).collect();
            assert_eq!(lines, [3, 8, 10, 11], "{file:?}");
            let file = ["{\"phone_number\":\"1\"}", "", "  ", "{\"phone_number\":\"2\"}"].join(end);
            let read = rows(&file, Format::JsonLines).expect("rows");
            assert_eq!(read, [bare(1, "1"), bare(4, "2")], "{file:?}");
        }
    }

    #[test]
    fn a_header_must_be_right() {
        for (header, says) in [
            ("", "no column `phone_number`; the columns are phone_number, name, tags"),
            ("name,tags\n", "no column `phone_number`"),
            ("phone_number,email\n", "there is no column `email`; the columns are"),
            ("phone_number;name\n", "separated by commas"),
            ("phone_number,name,\n", "there is no column ``"),
            ("phone_number,name,name\n", "`name` is there twice"),
            ("phone_number,\"name\n", "never closed"),
            ("phone_number,Name\n", "no column `Name`"),
        ] {
            match rows(header, Format::Csv) {
                Err(Stop::Header(why)) => assert!(why.contains(says), "{header:?}: {why}"),
                other => panic!("{header:?}: {other:?}"),
            }
        }
        assert_eq!(csv("phone_number"), []);
    }

    #[test]
    fn a_bad_csv_row_leaves_the_others() {
        let rows = csv(b"phone_number,name\n,a\n1\n2,a,b\n3,\xff\n4,b\n5,\"c\n6,d\n");
        let bad: Vec<_> = rows.iter().filter(|row| row.fields.is_err()).map(why).collect();
        assert_eq!(bad.len(), 5, "{bad:#?}");
        for (bad, says) in bad.iter().zip([
            "2: phone_number is empty",
            "3: it has 1 cells where the first line has 2",
            "4: it has 3 cells",
            "5: it is not UTF-8",
            "7: a quote that is opened in this row is never closed",
        ]) {
            assert!(bad.starts_with(says), "{bad}");
        }
        assert_eq!(rows.iter().filter(|row| row.fields.is_ok()).count(), 1);
    }

    #[test]
    fn a_row_that_never_ends_is_not_held_in_memory() {
        let file = format!("phone_number,name\n1,a\n2,\"{}", "x\n".repeat(LONGEST));
        match rows(&file, Format::Csv) {
            Err(Stop::LongRow(3)) => {}
            other => panic!("{:?}", other.map(|rows| rows.len())),
        }
        let long = "x".repeat(LONGEST + 10);
        let file = format!("{{\"phone_number\":\"1\"}}\n{long}\n{{\"phone_number\":\"2\"}}\n");
        let read = rows(&file, Format::JsonLines).expect("rows");
        assert_eq!((&read[0], &read[2]), (&bare(1, "1"), &bare(3, "2")));
        assert_eq!(why(&read[1]), "2: it is longer than 1 MiB");
    }

    #[test]
    fn a_file_that_fails_says_where() {
        struct Fails;
        impl io::Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is gone"))
            }
        }
        use io::Read;
        let input = io::BufReader::new((&b"phone_number\n1\n2\n"[..]).chain(Fails));
        let mut rows = Rows::new(input, Format::Csv).expect("a header");
        assert_eq!(rows.next().expect("a row"), Some(bare(2, "1")));
        assert_eq!(rows.next().expect("a row"), Some(bare(3, "2")));
        let stop = rows.next().expect_err("no row").to_string();
        assert_eq!(stop, "it cannot be read beyond line 3: the disk is gone");
    }

    #[test]
    fn json_lines_are_read() {
        let read = |line: &str| {
            let rows = rows(line, Format::JsonLines).expect("rows");
            rows.into_iter().next().expect("a row").fields
        };
        let set = |tags: &[&str]| Change::Set(tags.iter().map(|tag| (*tag).to_owned()).collect());
        let fields =
            read(r#"{"phone_number":"1","name":"Ma\u0072en","tags":["a","b;c"],"custom_attributes":{"k": 1e400}}"#);
        assert_eq!(
            fields,
            Ok(Fields {
                phone_number: "1".to_owned(),
                name: Change::Set("Maren".to_owned()),
                tags: set(&["a", "b;c"]),
                custom_attributes: Change::Set(r#"{"k": 1e400}"#.to_owned()),
            })
        );
        let fields = read(r#"{"tags":"a; b","name":"","phone_number":"1"}"#).expect("good");
        assert_eq!((fields.name, fields.tags), (Change::Keep, set(&["a", " b"])));
        let fields = read(r#"{"tags":null,"name":null,"custom_attributes":null,"phone_number":"1"}"#).expect("good");
        assert_eq!(
            (fields.name, fields.tags, fields.custom_attributes),
            (Change::Clear, Change::Clear, Change::Clear)
        );
        let fields = read(r#"{"tags":[],"phone_number":"1"}"#).expect("good");
        assert_eq!(fields.tags, set(&[]));
        for (line, says) in [
            ("[1]", "not a JSON object"),
            (r#"{"phone_number":"1""#, "it is not JSON (column 19)"),
            (r#"{"phone_number":"1"} x"#, "it is not JSON"),
            (
                r#"{"phone_number":"1","email":"x"}"#,
                "unknown field `email`, expected one of `phone_number`",
            ),
            (
                r#"{"phone_number":"1","session_id":"x","transcript":[]}"#,
                "it is a call and not a caller; `caller-memory replay` loads",
            ),
            (
                r#"{"phone_number":"1","name":"a","name":"b"}"#,
                "duplicate field `name`",
            ),
            (r#"{"name":"a"}"#, "phone_number is missing"),
            (r#"{"phone_number":null}"#, "phone_number: expected a string"),
            (r#"{"phone_number":12025550100}"#, "phone_number: expected a string"),
            (r#"{"phone_number":"1","name":5}"#, "name: expected a string"),
            (
                r#"{"phone_number":"1","name":"a\u0000"}"#,
                "name: the string holds \\u0000; remove it",
            ),
            (
                r#"{"phone_number":"1","name":"\ud800"}"#,
                "name: the string holds half of a surrogate pair",
            ),
            (
                r#"{"phone_number":"1","tags":{"a":1}}"#,
                "tags: expected a list of strings, or one string",
            ),
            (r#"{"phone_number":"1","tags":["a",5]}"#, "tags[1]: expected a string"),
        ] {
            let why = read(line).expect_err(line);
            assert!(why.contains(says), "{line}: {why}");
            assert!(!why.contains("12025550100"), "{why}");
        }
    }

    proptest! {
        #[test]
        fn every_table_survives_csv(
            table in prop::collection::vec(prop::collection::vec("[^\r]{0,12}", 2), 0..12),
            crlf: bool,
        ) {
            let end = if crlf { "\r\n" } else { "\n" };
            let mut file = format!("phone_number,name{end}");
            let mut expected = Vec::new();
            let mut line = 2;
            for cells in &table {
                let quoted: Vec<_> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
                let record = quoted.join(",");
                expected.push((line, cells.clone()));
                line += 1 + record.matches('\n').count() as u64;
                file += &record;
                file += end;
            }
            let read = csv(&file);
            prop_assert_eq!(read.len(), expected.len());
            for (row, (line, cells)) in read.into_iter().zip(expected) {
                prop_assert_eq!(row.line, line);
                match row.fields {
                    Err(why) => prop_assert!(cells[0].trim().is_empty(), "{}", why),
                    Ok(fields) => {
                        prop_assert_eq!(&fields.phone_number, &cells[0]);
                        let name = if cells[1].trim().is_empty() {
                            Change::Keep
                        } else {
                            Change::Set(cells[1].clone())
                        };
                        prop_assert_eq!(fields.name, name);
                    }
                }
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = rows(&bytes, Format::JsonLines);
            let mut file = b"phone_number,name\n".to_vec();
            file.extend(bytes);
            prop_assert!(rows(&file, Format::Csv).is_ok());
        }
    }
}
