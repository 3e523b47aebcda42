//! Writing: one answer on standard output, one line on standard error, and never a panic when nobody reads.

use std::{
    fmt::Write as _,
    io::{self, ErrorKind, Write as _},
};

use chrono::{DateTime, Datelike};
use domain::invisible;
use serde::Serialize;

use super::failure::Failure;

/// Writes the answer and a line break to standard output. That the reader has gone away is not a failure.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes the answer as one JSON value.
pub(super) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Failed(format!("cannot write the answer as JSON: {error}")))?;
    print_json(&text)
}

/// Writes JSON that is text already. What a terminal would obey, or not show, is escaped: others wrote it.
pub(super) fn print_json(text: &str) -> Result<(), Failure> {
    print(&escaped(text))
}

/// The same JSON value, with `\u` escapes in place of what a terminal would obey. Outside of strings, where nothing may
/// be escaped, JSON has no such characters but the blanks between its values.
fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || c == '\r' || c == '\t' || !invisible::is_never_shown(c) {
            escaped.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    escaped
}

/// Writes one line to standard error. When even that fails, there is nobody left to tell.
pub(super) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(line));
}

/// The text in one line and without what a terminal would obey: others wrote it.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter_map(invisible::visible).collect()
}

/// Rows under headings, in columns two spaces apart.
pub(super) fn table<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = headings.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: [&str; N]| {
        let padded: Vec<_> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(headings)];
    lines.extend(rows.iter().map(|row| line(row.each_ref().map(String::as_str))));
    lines.join("\n")
}

/// The count with the noun in the form that it asks for: `1 call`, `2 calls`.
pub(super) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Milliseconds since the epoch as `2026-11-20 14:02 UTC`.
pub(super) fn moment(ms: i64) -> String {
    match DateTime::from_timestamp_millis(ms).filter(|at| (0..=9999).contains(&at.year())) {
        Some(at) => at.format("%Y-%m-%d %H:%M UTC").to_string(),
        None => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        let retries = [0, 1, 2].map(|count| counted(count, "retry", "retries"));
        assert_eq!(retries, ["0 retries", "1 retry", "2 retries"]);
    }

    #[test]
    fn a_moment_is_readable() {
        assert_eq!(moment(1_591_060_431_793), "2020-06-02 01:13 UTC");
        assert_eq!(moment(-1), "1969-12-31 23:59 UTC");
        assert_eq!(moment(i64::MAX), format!("{} ms", i64::MAX));
    }

    #[test]
    fn a_table_has_columns() {
        let rows = [
            ["a".to_owned(), "longer".to_owned()],
            ["größer".to_owned(), "b".to_owned()],
        ];
        assert_eq!(table(["NAME", "X"], &rows), "NAME    X\na       longer\ngrößer  b");
    }

    #[test]
    fn json_gives_a_terminal_no_orders_and_keeps_its_value() {
        let value = serde_json::json!({ "text": "a\u{9b}2Jb\u{202e}c\u{e0041}d\u{7f}é\u{1b}\n" });
        let json = escaped(&serde_json::to_string_pretty(&value).expect("JSON"));
        assert_eq!(
            json,
            "{\n  \"text\": \"a\\u009b2Jb\\u202ec\\udb40\\udc41d\\u007fé\\u001b\\n\"\n}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json).expect("JSON"), value);
    }

    #[test]
    fn a_terminal_is_given_no_orders() {
        assert_eq!(printable("a\u{1b}[2Jb\nc\u{202e}d"), "a [2Jb cd");
    }
}
