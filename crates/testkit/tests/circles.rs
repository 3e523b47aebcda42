//! No circles of files: what a file uses stands below it, so that every crate can be read from the ground up.
//!
//! The walk reads `use` declarations and paths in the code, as text: those that begin with `crate`, `self`, `super` or
//! a child module, or with a name that such a `use` has brought in. A name leads to the file that defines it, through
//! re-exports. `mod child;` alone is no use, nor is `use` of a module until something of the module is named;
//! `pub use child::Name` is one, so a parent that re-exports from its children must not define what they use. Modules
//! under `#[cfg(test)]` are left out.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

/// Longer paths than this come of names that lead to themselves.
const LONGEST_PATH: usize = 12;

/// The path of a module from the root of its crate.
type Module = Vec<String>;

/// A `use` path or one in the code, as it is written, in the module in which it stands.
struct Mention {
    module: Module,
    path: Vec<String>,
    /// The name under which a `use` brings it in.
    name: Option<String>,
}

impl Mention {
    /// The path of this `use`, without a glob at its end, and `rest` behind it.
    fn followed_by(&self, rest: &[String]) -> Self {
        let path = self.path.iter().filter(|part| *part != "*").chain(rest);
        Self {
            module: self.module.clone(),
            path: path.cloned().collect(),
            name: None,
        }
    }
}

/// What the walk knows of a file.
#[derive(Default)]
struct File {
    mentions: Vec<Mention>,
    /// The names of its items.
    items: BTreeSet<String>,
}

/// The files of one crate by their names below `src`, with the modules that they are.
struct Crate {
    files: BTreeMap<String, File>,
    modules: BTreeMap<Module, String>,
}

/// What one file uses: the files that define it, with the names.
type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

impl Crate {
    /// Reads a crate from its files: name below `src` and text.
    fn of(sources: &BTreeMap<String, String>) -> Self {
        let has_library = sources.contains_key("lib.rs");
        let mut read = Self {
            files: BTreeMap::new(),
            modules: BTreeMap::new(),
        };
        for (name, text) in sources {
            // Beside a library, `main.rs` is a crate of its own.
            if has_library && name == "main.rs" {
                continue;
            }
            let module = module_of(name);
            read.files.insert(name.clone(), Reader::read(text, &module));
            read.modules.insert(module, name.clone());
        }
        read
    }

    /// What each file uses of others.
    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (name, file) in &self.files {
            for mention in &file.mentions {
                let Some(other) = self.definition(mention, &mut BTreeSet::new()) else {
                    continue;
                };
                if other != *name {
                    let names = uses.entry(name.clone()).or_default().entry(other).or_default();
                    names.insert(mention.path.join("::"));
                }
            }
        }
        uses
    }

    /// The file in which what is mentioned is defined; `None` when it is of another crate, and when it is no more than
    /// a module: then what is used of the module is mentioned by itself.
    fn definition(&self, mention: &Mention, seen: &mut BTreeSet<(Module, Vec<String>)>) -> Option<String> {
        if mention.path.len() > LONGEST_PATH || !seen.insert((mention.module.clone(), mention.path.clone())) {
            return None;
        }
        let Some((mut module, mut rest)) = self.beginning(mention) else {
            let (first, rest) = mention.path.split_first()?;
            let holder = &self.files[self.file_of(&mention.module)?];
            // A path that begins with its own name is of another crate.
            let brought_in = |other: &&Mention| {
                other.module == mention.module
                    && other.name.as_ref() == Some(first)
                    && other.path.first() != Some(first)
            };
            let mut brought_in = holder.mentions.iter().filter(brought_in);
            return brought_in.find_map(|other| self.definition(&other.followed_by(rest), seen));
        };
        while let Some((first, after)) = rest.split_first() {
            let child: Module = module.iter().chain([first]).cloned().collect();
            if !self.modules.contains_key(&child) {
                break;
            }
            (module, rest) = (child, after);
        }
        let name = self.file_of(&module)?;
        let file = &self.files[name];
        let wanted = rest.first()?;
        if wanted == "*" || file.items.contains(wanted) {
            return Some(name.clone());
        }
        let of_module = |passed_on: &&Mention| passed_on.module == module;
        for passed_on in file.mentions.iter().filter(of_module) {
            let target = match passed_on.name.as_deref() {
                Some("*") => {
                    let target = self.definition(&passed_on.followed_by(rest), seen);
                    target.filter(|target| self.files[target].items.contains(wanted))
                }
                Some(name) if name == wanted => self.definition(&passed_on.followed_by(&rest[1..]), seen),
                _ => None,
            };
            if target.is_some() {
                return target;
            }
        }
        Some(name.clone())
    }

    /// The module at which a path begins, and what of the path is left.
    fn beginning<'m>(&self, mention: &'m Mention) -> Option<(Module, &'m [String])> {
        let (first, after) = mention.path.split_first()?;
        let mut module = mention.module.clone();
        let mut rest = after;
        match first.as_str() {
            "crate" => module.clear(),
            "self" => {}
            "super" => {
                module.pop()?;
                while let Some(("super", after)) = rest.split_first().map(|(first, after)| (first.as_str(), after)) {
                    module.pop()?;
                    rest = after;
                }
            }
            child => {
                module.push(child.to_owned());
                self.modules.get(&module)?;
            }
        }
        Some((module, rest))
    }

    /// The file that holds a module, which may stand within the file of one around it.
    fn file_of(&self, module: &[String]) -> Option<&String> {
        (0..=module.len())
            .rev()
            .find_map(|length| self.modules.get(&module[..length]))
    }

    /// The circles, each in words: its files, and what ties them.
    fn circles(&self) -> Vec<String> {
        let uses = self.uses();
        let reached: BTreeMap<&String, BTreeSet<&String>> = self
            .files
            .keys()
            .map(|file| (file, reached_from(file, &uses)))
            .collect();
        let mut told = BTreeSet::new();
        let mut circles = Vec::new();
        for file in self.files.keys() {
            let circle: BTreeSet<&String> = reached[file]
                .iter()
                .copied()
                .filter(|other| reached[*other].contains(file))
                .collect();
            if circle.is_empty() || !told.insert(circle.clone()) {
                continue;
            }
            let mut words = format!("a circle of {} files:", circle.len());
            for (from, used) in uses.iter().filter(|(from, _)| circle.contains(from)) {
                for (to, names) in used.iter().filter(|(to, _)| circle.contains(to)) {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    let _ = write!(words, "\n  {from} -> {to}: {}", names.join(", "));
                }
            }
            circles.push(words);
        }
        circles
    }
}

/// The files that `file` reaches through one use or more.
fn reached_from<'u>(file: &String, uses: &'u Uses) -> BTreeSet<&'u String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&String> = uses.get(file).into_iter().flat_map(BTreeMap::keys).collect();
    while let Some(file) = next.pop() {
        if reached.insert(file) {
            next.extend(uses.get(file).into_iter().flat_map(BTreeMap::keys));
        }
    }
    reached
}

/// The module that a file below `src` is.
fn module_of(file: &str) -> Module {
    let path = file.trim_end_matches(".rs");
    let mut module: Module = path.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

/// Reads a file word by word.
struct Reader<'t> {
    words: Vec<&'t str>,
    at: usize,
    file: File,
}

impl<'t> Reader<'t> {
    fn read(text: &'t str, module: &Module) -> File {
        let mut reader = Self {
            words: words(text),
            at: 0,
            file: File::default(),
        };
        reader.block(module, true);
        reader.file
    }

    fn word(&self, ahead: usize) -> &'t str {
        self.words.get(self.at + ahead).copied().unwrap_or_default()
    }

    /// Reads to the end of the block, or of the file. `is_module` tells whether its items are the file's own.
    fn block(&mut self, module: &Module, is_module: bool) {
        // Where the mentions of an item begin that is for tests alone.
        let mut test_from = None;
        while self.at < self.words.len() {
            match (self.word(0), self.word(1), self.word(2)) {
                ("}", ..) => {
                    self.at += 1;
                    return;
                }
                ("#", "[", "cfg") if self.word(4) == "test" => {
                    test_from = Some(self.file.mentions.len());
                    self.at += 5;
                }
                ("mod", name, "{") => {
                    self.at += 3;
                    let inner: Module = module.iter().cloned().chain([name.to_owned()]).collect();
                    self.block(&inner, false);
                    self.end_of_item(&mut test_from);
                }
                ("{", ..) => {
                    self.at += 1;
                    self.block(module, false);
                    self.end_of_item(&mut test_from);
                }
                (";", ..) => {
                    self.at += 1;
                    self.end_of_item(&mut test_from);
                }
                ("use", ..) => {
                    self.at += 1;
                    self.use_tree(module, &[]);
                }
                ("struct" | "enum" | "trait" | "type" | "fn" | "const" | "static", name, _)
                    if is_name(name) && name != "fn" =>
                {
                    if is_module {
                        self.file.items.insert(name.to_owned());
                    }
                    self.at += 2;
                }
                ("macro_rules", "!", name) => {
                    self.file.items.insert(name.to_owned());
                    self.at += 3;
                }
                (first, "::", _) if is_name(first) && !self.follows_a_path() => self.inline_path(module),
                _ => self.at += 1,
            }
        }
    }

    /// Forgets what an item for tests alone has mentioned.
    fn end_of_item(&mut self, test_from: &mut Option<usize>) {
        if let Some(from) = test_from.take() {
            self.file.mentions.truncate(from);
        }
    }

    /// Whether the word before belongs to the same path.
    fn follows_a_path(&self) -> bool {
        self.at > 0 && self.words[self.at - 1] == "::"
    }

    fn inline_path(&mut self, module: &Module) {
        let mut path = vec![self.word(0).to_owned()];
        self.at += 1;
        while self.word(0) == "::" && is_name(self.word(1)) {
            path.push(self.word(1).to_owned());
            self.at += 2;
        }
        self.mention(module, path, None);
    }

    /// Reads one branch of a `use`, up to what ends it.
    fn use_tree(&mut self, module: &Module, before: &[String]) {
        let mut path = before.to_vec();
        loop {
            match self.word(0) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.word(0), "}" | "") {
                        self.use_tree(module, &path);
                        if self.word(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "::" => self.at += 1,
                "self" if !path.is_empty() => self.at += 1,
                name if is_name(name) || name == "*" => {
                    path.push(name.to_owned());
                    self.at += 1;
                }
                _ => break,
            }
            if self.word(0) == "as" {
                let name = self.word(1).to_owned();
                self.at += 2;
                return self.mention(module, path, Some(name));
            }
        }
        let name = path.last().cloned();
        self.mention(module, path, name);
    }

    fn mention(&mut self, module: &Module, path: Vec<String>, name: Option<String>) {
        self.file.mentions.push(Mention {
            module: module.clone(),
            path,
            name,
        });
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word != "as"
}

/// The words and signs of Rust, without comments, literals and lifetimes.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment_length(rest)
        } else if let Some(length) = string_length(rest) {
            length
        } else if first == '\'' {
            quote_length(rest)
        } else if rest.starts_with("::") {
            words.push("::");
            2
        } else if first.is_alphanumeric() || first == '_' {
            let length = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            words.push(&rest[..length]);
            length
        } else {
            if !first.is_whitespace() {
                words.push(&rest[..first.len_utf8()]);
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    words
}

/// The length of a block comment, with those in it.
fn comment_length(text: &str) -> usize {
    let (mut open, mut at) = (0_usize, 0);
    while at < text.len() {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => (open, at) = (open + 1, at + 2),
            Some(b"*/") => (open, at) = (open - 1, at + 2),
            _ => at += 1,
        }
        if open == 0 {
            return at;
        }
    }
    text.len()
}

/// The length of the string literal with which `text` begins, if it does: plain, of bytes, of C, raw or not.
fn string_length(text: &str) -> Option<usize> {
    let prefix = text
        .find(|c: char| !matches!(c, 'b' | 'c' | 'r'))
        .filter(|length| *length <= 2)?;
    let hashes = text[prefix..].find(|c| c != '#')?;
    let is_raw = text[..prefix].ends_with('r');
    if !text[prefix + hashes..].starts_with('"') || (hashes > 0 && !is_raw) {
        return None;
    }
    let begin = prefix + hashes + 1;
    if is_raw {
        let end = format!("\"{}", "#".repeat(hashes));
        return Some(text[begin..].find(&end).map_or(text.len(), |at| begin + at + end.len()));
    }
    let mut is_escaped = false;
    let end = text.bytes().skip(begin).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    Some(end.map_or(text.len(), |end| begin + end + 1))
}

/// The length of the character, or of the lifetime, with which `text` begins.
fn quote_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((escaped, _))) => {
            text[escaped + 1..].find('\'').map_or(text.len(), |at| escaped + at + 2)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1 + text[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0),
    }
}

/// The Rust files below `folder`, by their names below it.
fn sources(folder: &Path) -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder of sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(folder).expect("a file of the folder");
                let name = name.to_string_lossy().replace('\\', "/");
                sources.insert(name, fs::read_to_string(&path).expect("a source in UTF-8"));
            }
        }
    }
    sources
}

#[test]
fn no_crate_has_a_circle_of_files() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut folders = vec![root.join("migrations/src")];
    for parent in ["crates", "docs/adapters"] {
        for entry in fs::read_dir(root.join(parent)).expect("a folder of crates").flatten() {
            folders.push(entry.path().join("src"));
        }
    }
    let mut found = String::new();
    let mut edges = 0;
    for folder in folders {
        let read = Crate::of(&sources(&folder));
        assert!(!read.files.is_empty(), "{} has no sources", folder.display());
        edges += read.uses().values().map(BTreeMap::len).sum::<usize>();
        for circle in read.circles() {
            let name = folder.parent().and_then(Path::file_name).unwrap_or_default();
            let _ = writeln!(found, "{}: {circle}", name.display());
        }
    }
    assert!(edges > 100, "the walk sees only {edges} uses of a file by another");
    assert!(
        found.is_empty(),
        "{found}\nmove what both sides need into a file below them"
    );
}

/// A made-up crate of these files.
fn made_up(files: &[(&str, &str)]) -> Crate {
    let owned = files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Crate::of(&owned.collect())
}

#[test]
fn a_circle_is_told_with_its_files_and_names() {
    let read = made_up(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::{b::Below, c};\npub struct Above;"),
        ("b.rs", "pub struct Below; fn f() -> crate::a::Above { todo!() }"),
        ("c.rs", "pub fn ground() {}"),
    ]);
    assert_eq!(
        read.circles(),
        ["a circle of 2 files:\n  a.rs -> b.rs: crate::b::Below\n  b.rs -> a.rs: crate::a::Above"]
    );
}

#[test]
fn a_long_circle_is_one() {
    let read = made_up(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use super::b::B; pub struct A;"),
        ("b.rs", "use super::c::C; pub struct B;"),
        ("c.rs", "use super::a::A; pub struct C;"),
    ]);
    assert_eq!(read.circles().len(), 1);
    assert!(read.circles()[0].starts_with("a circle of 3 files:"));
}

#[test]
fn a_parent_that_takes_from_a_child_must_not_define_what_the_child_uses() {
    let child = ("part/child.rs", "use super::State; pub struct Child(State);");
    let circle = made_up(&[
        ("lib.rs", "mod part;"),
        ("part/mod.rs", "mod child; pub use child::Child; pub struct State;"),
        child,
    ]);
    assert_eq!(circle.circles().len(), 1);
    let passed_on = made_up(&[
        ("lib.rs", "mod part;"),
        (
            "part/mod.rs",
            "mod child; mod state; pub use child::Child; pub use state::State;",
        ),
        ("part/state.rs", "pub struct State;"),
        child,
    ]);
    assert_eq!(
        passed_on.circles(),
        [""; 0],
        "the name leads to the file that defines it"
    );
    let used: Vec<String> = passed_on.uses()["part/child.rs"].keys().cloned().collect();
    assert_eq!(used, ["part/state.rs"]);
    let declared = made_up(&[
        ("lib.rs", "mod part;"),
        ("part/mod.rs", "mod child; pub struct State;"),
        child,
    ]);
    assert_eq!(declared.circles(), [""; 0], "`mod` alone is no use");
}

#[test]
fn paths_are_seen_wherever_they_stand() {
    for text in [
        "use crate::a::A;",
        "use crate::a::{self}; fn f() { a::f() }",
        "use crate::a as other; fn f() { other::f() }",
        "use crate::{x::Y, a::*};",
        "pub(crate) use super::a::A as Other;",
        "fn f() { let _: crate::a::A; }",
        "fn f() { log!(crate::a::f(), \"{}\"); }",
        "mod inner { use super::super::a::A; }",
        "#[derive(X)] #[with(crate::a::f)] struct S;",
        "#[cfg(test)] mod tests { } use crate::a::A;",
        "fn f<T>() where T: 'static { } fn g() { crate::a::f() }",
        "fn f<'a>(c: char) -> bool { c == '\"' && crate::a::f('x', '\\'') }",
    ] {
        let read = made_up(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; pub struct A; pub fn f() {}"),
            ("b.rs", &format!("pub struct B; {text}")),
        ]);
        assert_eq!(read.circles().len(), 1, "{text}");
    }
}

#[test]
fn what_is_no_use_is_not_seen() {
    for text in [
        "// use crate::a::A;",
        "/* /* use */ crate::a::A */",
        "/// [`crate::a::A`]\nfn f() {}",
        "const S: &str = \"crate::a::A\";",
        "const S: &str = r#\"\" crate::a::A\"#;",
        "#[cfg(test)]\nmod tests { use crate::a::A; fn f() { { crate::a::f() } } }",
        "#[cfg(test)]\nuse crate::a::A;",
        "use a::A;",
        "use crate::a;",
        "use std::a::A;",
        "fn f() { x::a::f() }",
    ] {
        let read = made_up(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; pub struct A; pub fn f() {}"),
            ("b.rs", &format!("pub struct B; {text}")),
        ]);
        assert_eq!(read.circles(), [""; 0], "{text}");
    }
}

#[test]
fn children_are_found_by_their_names_alone_and_through_globs() {
    let read = made_up(&[
        ("lib.rs", "mod part;"),
        ("part/mod.rs", "mod child; fn f() { child::f() }"),
        ("part/child.rs", "pub fn f() { super::f() }"),
    ]);
    assert_eq!(read.circles().len(), 1);
    let read = made_up(&[
        ("main.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod deep; pub use deep::*;"),
        ("a/deep.rs", "use crate::b::B; pub struct Deep;"),
        ("b.rs", "use crate::a::Deep; pub struct B;"),
    ]);
    assert_eq!(
        read.circles(),
        ["a circle of 2 files:\n  a/deep.rs -> b.rs: crate::b::B\n  b.rs -> a/deep.rs: crate::a::Deep"]
    );
}
