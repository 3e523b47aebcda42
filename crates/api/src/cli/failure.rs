//! How a command fails.

/// Why a command ends with an exit code other than 0: one line that says what to do.
#[derive(Debug)]
pub(super) enum Failure {
    /// The command line or a setting is wrong: exit code 2.
    Usage(String),
    /// The work was not done, or not all of it: exit code 1.
    Failed(String),
}

impl Failure {
    /// The line.
    pub(super) fn into_text(self) -> String {
        let (Self::Usage(text) | Self::Failed(text)) = self;
        text
    }
}
