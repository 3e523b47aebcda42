//! Everything that the fakes keep, in one place: what one fake wrote, the others see, as with the ports over one store.
//!
//! A world is in the memory of the process, or in a file that several processes share. There, whoever opens the world
//! takes the file's lock, reads the file unless nobody wrote it since, and writes it anew before the lock is given
//! back.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read as _},
    marker::PhantomData,
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use domain::{access::TenantId, context::Deadline, error::PortError};

use crate::{
    codec::Codec,
    state::{Access, Callers, State},
};

/// The state, wherever it is; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct World(Arc<Place>);

#[derive(Debug, Default)]
struct Place {
    state: Mutex<State>,
    file: Option<PathBuf>,
}

impl World {
    /// The world in the file at `path`, which is created with its folder when it is missing.
    pub(crate) fn in_file(path: PathBuf) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let lock = lock(&path)?;
        let state = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let state = State::default();
                write(&path, &state)?;
                state
            }
            read => decode(&read?)?,
        };
        drop(lock);
        Ok(Self(Arc::new(Place {
            state: Mutex::new(state),
            file: Some(path),
        })))
    }

    /// Waits for its turn and opens a part of the world, unless the deadline has passed.
    pub(crate) fn open<P>(&self, during: &'static str, deadline: Deadline) -> Result<PartGuard<'_, P>, PortError> {
        if deadline.left(Instant::now()).is_zero() {
            return Err(PortError::deadline(during));
        }
        self.turn().map_err(|error| PortError::Unavailable(Box::new(error)))
    }

    /// Waits for its turn and opens the world.
    pub(crate) fn now(&self) -> PartGuard<'_, State> {
        self.turn().expect("the world's file can be read")
    }

    fn turn<P>(&self) -> io::Result<PartGuard<'_, P>> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &self.0.file {
            None => None,
            Some(path) => {
                let lock = lock(path)?;
                read_news(path, &mut state)?;
                Some((path.as_path(), lock))
            }
        };
        Ok(PartGuard {
            state,
            file,
            is_changed: false,
            part: PhantomData,
        })
    }
}

/// A part of the state.
pub(crate) trait Part {
    fn of(state: &State) -> &Self;
    fn of_mut(state: &mut State) -> &mut Self;
}

impl Part for State {
    fn of(state: &State) -> &Self {
        state
    }

    fn of_mut(state: &mut State) -> &mut Self {
        state
    }
}

impl Part for Access {
    fn of(state: &State) -> &Self {
        &state.access
    }

    fn of_mut(state: &mut State) -> &mut Self {
        &mut state.access
    }
}

impl Part for HashMap<TenantId, Callers> {
    fn of(state: &State) -> &Self {
        &state.callers
    }

    fn of_mut(state: &mut State) -> &mut Self {
        &mut state.callers
    }
}

/// A part of the world while nobody else has it. What was changed is written when this is dropped.
pub(crate) struct PartGuard<'a, P> {
    state: MutexGuard<'a, State>,
    /// The world's file and the lock on it.
    file: Option<(&'a Path, File)>,
    is_changed: bool,
    part: PhantomData<P>,
}

impl<P: Part> Deref for PartGuard<'_, P> {
    type Target = P;

    fn deref(&self) -> &P {
        P::of(&self.state)
    }
}

impl<P: Part> DerefMut for PartGuard<'_, P> {
    fn deref_mut(&mut self) -> &mut P {
        self.is_changed = true;
        P::of_mut(&mut self.state)
    }
}

impl<P> Drop for PartGuard<'_, P> {
    fn drop(&mut self) {
        if let Some((path, _lock)) = self.file.take().filter(|_| self.is_changed) {
            self.state.generation += 1;
            // Before the port answers, so that nothing is acknowledged that others do not find.
            write(path, &self.state).expect("the world's file can be written");
        }
    }
}

/// Waits for the lock that keeps other processes out; it is free again when the file is closed.
fn lock(path: &Path) -> io::Result<File> {
    let lock = File::create(beside(path, "lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// Reads the file when somebody else has written it.
fn read_news(path: &Path, state: &mut State) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut generation = [0; 8];
    file.read_exact(&mut generation)?;
    if u64::from_le_bytes(generation) != state.generation {
        *state = decode(&fs::read(path)?)?;
    }
    Ok(())
}

fn decode(mut bytes: &[u8]) -> io::Result<State> {
    let state = State::take(&mut bytes).filter(|_| bytes.is_empty());
    state.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "this file holds no world"))
}

/// Replaces the file at once: a process that dies leaves the old one or the new one.
fn write(path: &Path, state: &State) -> io::Result<()> {
    let mut bytes = Vec::new();
    state.put(&mut bytes);
    let new = beside(path, "new");
    fs::write(&new, bytes)?;
    fs::rename(new, path)
}

fn beside(path: &Path, what: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".");
    beside.push(what);
    beside.into()
}
