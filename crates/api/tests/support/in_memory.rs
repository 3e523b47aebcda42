//! The example `in_memory`: the program over storages in memory.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The example, which `cargo test` builds when it is not told to build one suite alone.
pub(crate) fn example() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_caller-memory"));
    let example = program.parent().expect("a folder").join("examples").join("in_memory");
    assert!(
        is_up_to_date(&example).unwrap_or_default(),
        "the example is not built, or older than its sources: run `cargo build -p api --example in_memory`"
    );
    example
}

/// Whether none of the sources that cargo lists beside `program` was written after it was built; `None` when something
/// of it is not there.
fn is_up_to_date(program: &Path) -> Option<bool> {
    let written = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let built = written(program)?;
    // The form of make: blanks part the paths, and those within one stand behind a backslash.
    let list = fs::read_to_string(program.with_extension("d")).ok()?;
    let (_, sources) = list.trim_end().split_once(": ")?;
    for source in sources.replace("\\ ", "\0").split(' ') {
        if written(Path::new(&source.replace('\0', " ")))? > built {
            return Some(false);
        }
    }
    Some(true)
}
