//! Writes shell completions and manual pages, made of the program's own commands: `dist FOLDER`. `.ci/dist` puts them
//! into the archives of a release.

use std::{env, error::Error, fs, path::PathBuf};

use clap::Command;
use clap_complete::{generate_to, shells};

const NAME: &str = "caller-memory";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("give the folder to write to")?);
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    let mut command = without_help_commands(api::command(&api::bundled::storages()));
    generate_to(shells::Bash, &mut command, NAME, &completions)?;
    generate_to(shells::Fish, &mut command, NAME, &completions)?;
    generate_to(shells::Zsh, &mut command, NAME, &completions)?;
    let manual = folder.join("man");
    fs::create_dir_all(&manual)?;
    clap_mangen::generate_to(command, &manual)?;
    Ok(())
}

/// Leaves out the commands named `help`, which would get a page for each command of theirs.
fn without_help_commands(command: Command) -> Command {
    command
        .disable_help_subcommand(true)
        .mut_subcommands(without_help_commands)
}
