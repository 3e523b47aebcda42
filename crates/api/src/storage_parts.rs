//! The parts that a storage may leave out, and what the settings need of them.

use std::fmt;

use domain::port::Storage;

use crate::{config::ServeSettings, storages::DATABASE_URL};

/// A part that a storage may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Callers,
    OpenCalls,
    OldCalls,
    Spend,
    Receipts,
    Backlog,
}

impl fmt::Display for Part {
    /// Writes what the storage does not do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Callers => "cannot import, change or show callers",
            Self::OpenCalls => "cannot list the calls that were never written back",
            Self::OldCalls => "cannot read calls again",
            Self::Spend => "cannot count what look-ups cost",
            Self::Receipts => "cannot keep receipts",
            Self::Backlog => "cannot keep the summaries that wait for a language model",
        })
    }
}

/// A setting needs what the storage leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: the database of {DATABASE_URL} {part}; unset {setting}, or use another database")]
pub struct MissingPart {
    setting: &'static str,
    part: Part,
}

/// The settings that need what the storage leaves out.
pub(crate) fn missing_parts(settings: &ServeSettings, storage: &dyn Storage) -> Vec<MissingPart> {
    let receipts = settings.feedback_loop.then_some("CALLER_MEMORY_FEEDBACK_LOOP");
    let model = settings.llm.llm_base_url.as_ref().map(|_| "CALLER_MEMORY_LLM_BASE_URL");
    let paid = settings.enrichment.paid().next().map(|vendor| vendor.setting);
    let needed = [
        (receipts, Part::Receipts, storage.receipts().is_some()),
        (model, Part::Backlog, storage.backlog().is_some()),
        (paid, Part::Spend, storage.spend().is_some()),
    ];
    let missing = needed.into_iter().filter(|(_, _, is_there)| !is_there);
    missing
        .filter_map(|(setting, part, _)| setting.map(|setting| MissingPart { setting, part }))
        .collect()
}
