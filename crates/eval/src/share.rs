//! Shares in percent.

use std::fmt;

/// How many of some things are so; shown in percent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) hits: usize,
    pub(crate) of: usize,
}

impl Share {
    pub(crate) fn count(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.of += 1;
    }
}

impl fmt::Display for Share {
    #[expect(clippy::cast_precision_loss, reason = "counts, far below 2^53")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.of == 0 {
            return f.pad("-");
        }
        f.pad(&format!("{:.1}", 100.0 * self.hits as f64 / self.of as f64))
    }
}
