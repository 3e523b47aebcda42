//! Writes shell completions and manual pages, made of the program's own commands: `dist FOLDER`. `.ci/dist` puts them
//! into the archives of a release.

#[path = "../../api/src/bundled.rs"]
mod bundled;

use std::{env, error::Error, fs, path::PathBuf};

use clap_complete::{generate_to, shells};

const NAME: &str = "caller-memory";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("give the folder to write to")?);
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    let mut command = api::command(&bundled::storages());
    generate_to(shells::Bash, &mut command, NAME, &completions)?;
    generate_to(shells::Fish, &mut command, NAME, &completions)?;
    generate_to(shells::Zsh, &mut command, NAME, &completions)?;
    let manual = folder.join("man");
    fs::create_dir_all(&manual)?;
    clap_mangen::generate_to(command, &manual)?;
    Ok(())
}
