//! What summaries and facts need to know of words: where they stand in a turn, which of them were really said, and how
//! to show them safely.

pub(crate) mod numbers;
pub(crate) mod ordinary;
pub(crate) mod phrases;
pub(crate) mod plain;
pub(crate) mod small;
pub(crate) mod words;
