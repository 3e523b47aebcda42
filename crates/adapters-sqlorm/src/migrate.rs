//! Schema steps.
use crate::Database;

/// A schema step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationState {
    /// The step's name.
    pub name: String,
    /// Whether it has been applied.
    pub applied: bool,
}

/// Why the schema could not be changed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MigrateError(String);

impl Database {
    /// Every schema step, oldest first. Changes nothing.
    ///
    /// # Errors
    /// [`MigrateError`].
    pub async fn migrations(&self) -> Result<Vec<MigrationState>, MigrateError> {
        todo!()
    }

    /// Applies the pending steps; returns the names of those applied now. Safe with several processes at once.
    ///
    /// # Errors
    /// [`MigrateError`].
    pub async fn migrate_up(&self) -> Result<Vec<String>, MigrateError> {
        todo!()
    }

    /// Reverts the latest `steps` steps; returns their names, latest first.
    ///
    /// # Errors
    /// [`MigrateError`].
    pub async fn migrate_down(&self, steps: u32) -> Result<Vec<String>, MigrateError> {
        let _ = steps;
        todo!()
    }
}
