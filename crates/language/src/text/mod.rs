//! Words: where they stand in a text, which of them were really said, what they mean, and how to show them safely.

pub mod invisible;
pub(crate) mod look;
pub(crate) mod numbers;
pub(crate) mod ordinary;
pub(crate) mod phrases;
pub mod plain;
pub(crate) mod small;
pub(crate) mod words;
