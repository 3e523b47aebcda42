//! Tables with typed keys and rows, over redb's tables of typed keys and bytes.
//!
//! Keys are redb's own tuples, which compare part by part, so that everything that begins with the same parts lies
//! together and is read as one range. Rows are structs of `rows.rs` in postcard, which keeps floating-point numbers and
//! texts to the last bit.

use std::{marker::PhantomData, ops::RangeInclusive};

use domain::error::PortError;
use redb::{Key, ReadTransaction, ReadableTable, TableDefinition, TableError, Value, WriteTransaction};
use serde::{Serialize, de::DeserializeOwned};

/// The end of a range of keys that end with a text. It is greater than the name of any tenant or vendor, because none
/// begins with its one character, the last of Unicode.
pub(crate) const LAST_TEXT: &str = "\u{10ffff}";

/// What tables can be read through: a snapshot, or a write with what it has written so far.
pub(crate) trait View {
    /// Opens a table.
    fn open<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<impl ReadableTable<K, V>, TableError>;
}

impl View for ReadTransaction {
    fn open<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<impl ReadableTable<K, V>, TableError> {
        self.open_table(definition)
    }
}

impl View for WriteTransaction {
    fn open<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<impl ReadableTable<K, V>, TableError> {
        self.open_table(definition)
    }
}

/// From which end a range is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Order {
    /// From the smallest key on.
    Ascending,
    /// From the largest key on.
    Descending,
}

/// A table whose keys are `K` and whose rows are `R`.
pub(crate) struct Rows<K: Key + 'static, R> {
    definition: TableDefinition<'static, K, &'static [u8]>,
    row: PhantomData<fn() -> R>,
}

impl<K: Key + 'static, R: Serialize + DeserializeOwned> Rows<K, R> {
    /// The table of this name.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            definition: TableDefinition::new(name),
            row: PhantomData,
        }
    }

    /// Makes sure that the table is there, because a snapshot cannot open one that is not.
    pub(crate) fn create(&self, write: &WriteTransaction) -> Result<(), PortError> {
        write.open_table(self.definition).map_err(fault)?;
        Ok(())
    }

    /// The row under `key`.
    pub(crate) fn get(&self, view: &impl View, key: K::SelfType<'_>) -> Result<Option<R>, PortError> {
        let table = view.open(self.definition).map_err(fault)?;
        let row = table.get(key).map_err(fault)?;
        row.map(|row| decode(row.value())).transpose()
    }

    /// Writes `row` under `key`, in the place of what was there.
    pub(crate) fn put(&self, write: &WriteTransaction, key: K::SelfType<'_>, row: &R) -> Result<(), PortError> {
        let row = postcard::to_allocvec(row).map_err(|error| PortError::Internal(Box::new(error)))?;
        let mut table = write.open_table(self.definition).map_err(fault)?;
        table.insert(key, row.as_slice()).map_err(fault)?;
        Ok(())
    }

    /// Removes the row under `key`, if there is one.
    pub(crate) fn remove(&self, write: &WriteTransaction, key: K::SelfType<'_>) -> Result<(), PortError> {
        let mut table = write.open_table(self.definition).map_err(fault)?;
        table.remove(key).map_err(fault)?;
        Ok(())
    }

    /// Reads a range from one of its ends, and gives what `pick` makes of the first `most` entries that it does not
    /// pass over.
    pub(crate) fn scan<T>(
        &self,
        view: &impl View,
        range: RangeInclusive<K::SelfType<'_>>,
        order: Order,
        most: usize,
        mut pick: impl FnMut(K::SelfType<'_>, R) -> Result<Option<T>, PortError>,
    ) -> Result<Vec<T>, PortError> {
        let table = view.open(self.definition).map_err(fault)?;
        let mut entries = table.range(range).map_err(fault)?;
        let mut picked = Vec::new();
        while picked.len() < most {
            let entry = match order {
                Order::Ascending => entries.next(),
                Order::Descending => entries.next_back(),
            };
            let Some(entry) = entry else { break };
            let (key, row) = entry.map_err(fault)?;
            picked.extend(pick(key.value(), decode(row.value())?)?);
        }
        Ok(picked)
    }
}

fn decode<R: DeserializeOwned>(row: &[u8]) -> Result<R, PortError> {
    postcard::from_bytes(row).map_err(|error| PortError::Internal(Box::new(error)))
}

/// What a port says of an error of redb: a disk that fails may serve again, a file that is damaged will not mend by
/// itself.
pub(crate) fn fault(error: impl Into<redb::Error>) -> PortError {
    use redb::Error::{DatabaseClosed, Io, LockPoisoned, PreviousIo};

    let error = error.into();
    match error {
        Io(_) | PreviousIo | DatabaseClosed | LockPoisoned(_) => PortError::Unavailable(Box::new(error)),
        _ => PortError::Internal(Box::new(error)),
    }
}
