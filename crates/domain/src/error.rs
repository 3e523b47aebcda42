//! The two-faced errors: what the client may see, and the cause that only the log shows.

use std::{error, fmt};

use crate::access::Scope;

/// The hidden side of an error: its cause chain, logged once at the boundary and never sent to a client.
pub type Cause = Box<dyn std::error::Error + Send + Sync + 'static>;

/// Why a port could not do its work. There are only as many variants as somebody decides on.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    /// The outside could not be reached, or did not answer by the deadline; a retry may succeed.
    #[error("a dependency did not answer")]
    Unavailable(#[source] Cause),
    /// Something is wrong that a retry will not mend: data that cannot be decoded, a statement that is refused.
    #[error("a dependency answered with a failure")]
    Internal(#[source] Cause),
}

/// The cause of [`PortError::Unavailable`] when the deadline passed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the deadline passed during {during}")]
pub struct DeadlineExceeded {
    /// The unit of work that did not finish, in the port's words.
    pub during: &'static str,
}

/// The cause of [`PortError::Unavailable`] of a storage that answers but cannot read all that serving needs, for
/// example because a table was renamed or a right taken away.
#[derive(Debug, thiserror::Error)]
#[error("the storage cannot read")]
pub struct CannotRead(#[source] pub PortError);

/// The cause of [`PortError::Unavailable`] of a storage that answers but cannot write, for example
/// because its disk is full.
#[derive(Debug, thiserror::Error)]
#[error("the storage cannot write")]
pub struct CannotWrite(#[source] pub PortError);

/// The cause of [`PortError::Internal`] of a storage whose schema lacks a step that this release needs, for example
/// because somebody has undone it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the database lacks a migration of this release; run `caller-memory migrate up`")]
pub struct SchemaTooOld;

/// An error with its causes, each said once, in one line for the log.
#[derive(Debug, Clone, Copy)]
pub struct Chain<'a>(pub &'a (dyn error::Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.0.to_string();
        f.write_str(&said)?;
        let mut source = self.0.source();
        while let Some(cause) = source {
            // Many errors repeat their cause in their own text.
            let text = cause.to_string();
            if !said.contains(&text) {
                write!(f, ": {text}")?;
                said.push_str(&text);
            }
            source = cause.source();
        }
        Ok(())
    }
}

impl PortError {
    /// The error of a unit of work that did not finish by its deadline.
    #[must_use]
    pub fn deadline(during: &'static str) -> Self {
        Self::Unavailable(Box::new(DeadlineExceeded { during }))
    }
}

/// Why a use case gives no answer. The texts are meant for the client; the sources are not. What is wrong with a
/// request's form is for its transport to say, before it comes to a use case.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The key is valid but lacks the scope.
    #[error("this key lacks the scope `{}`; create a key that has it", .0.as_str())]
    InsufficientScope(Scope),
    /// There is no such caller in the tenant.
    #[error("no caller has this number")]
    NotFound,
    /// A dependency that the work needs failed.
    #[error(transparent)]
    Port(#[from] PortError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_shows_every_cause_once() {
        let error = PortError::Unavailable("outer".into());
        assert_eq!(Chain(&error).to_string(), "a dependency did not answer: outer");
        let twice = PortError::Internal(Box::new(CannotWrite(error)));
        assert_eq!(
            Chain(&twice).to_string(),
            "a dependency answered with a failure: the storage cannot write: a dependency did not answer: outer"
        );
    }
}
