//! What third parties know about a number.

/// The person behind a number. Values are as the vendor gives them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Person {
    /// Full name.
    pub name: Option<String>,
    /// Job title.
    pub title: Option<String>,
    /// Employer.
    pub company: Option<String>,
}

/// The company behind a number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Company {
    /// Company name.
    pub name: Option<String>,
    /// Postal address in one line.
    pub address: Option<String>,
}

/// The line itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The carrier that serves the line.
    pub carrier: Option<String>,
    /// The line type in canonical spelling, for example `mobile` or `fixed_voip`.
    pub line_type: Option<String>,
}

/// The blocks that look-ups fill; a block is `None` when nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Enrichment {
    /// The person behind the number.
    pub person: Option<Person>,
    /// The company behind the number.
    pub company: Option<Company>,
    /// The line itself.
    pub phone: Option<Line>,
}

impl Enrichment {
    /// Whether no block is filled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.person.is_none() && self.company.is_none() && self.phone.is_none()
    }
}

/// A vendor's answer as the cache keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedLookup {
    /// The vendor's short name, for example `twilio`; lower-case ASCII.
    pub vendor: String,
    /// When the vendor answered, in milliseconds since the epoch.
    pub fetched_at_ms: i64,
    /// What it said; an empty one is a miss.
    pub found: Enrichment,
}
