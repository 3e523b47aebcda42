//! The two-faced errors: what the client may see, and the cause that only the log shows.

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

/// The cause of [`PortError::Unavailable`] of a storage that answers but cannot write, for example
/// because its disk is full.
#[derive(Debug, thiserror::Error)]
#[error("the storage cannot write")]
pub struct CannotWrite(#[source] pub PortError);

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
