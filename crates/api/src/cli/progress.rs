//! How far a command is with its file.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over the bytes of the file; nothing when standard error is not a terminal.
pub(super) fn progress(length: Option<u64>) -> ProgressBar {
    let (bar, template) = match length {
        Some(bytes) => (ProgressBar::new(bytes), "{wide_bar} {percent}% {msg}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
