//! The caller as the service knows them, and the part of it that is the operator's.

use std::{fmt, sync::Arc};

use crate::{
    call::{CallId, RecentCall},
    correction::{Correction, CorrectionFault},
    enrichment::ShownEnrichment,
    facts::KnownFact,
    json::JsonObject,
};

/// The most characters of a name.
pub const NAME_CHARS: usize = language::findings::NAME_CHARACTERS;

/// The most tags of a caller.
pub const TAGS: usize = 50;

/// The most characters of a tag.
pub const TAG_CHARS: usize = 100;

/// The most bytes of a caller's attributes, as the text of a JSON object.
pub const ATTRIBUTES_BYTES: usize = 16 * 1024;

/// The most calls that a history holds.
pub const HISTORY_CALLS: usize = 100;

/// The most facts that a history holds.
pub const HISTORY_FACTS: usize = 200;

/// The stored profile of a caller. Every value is known; a profile that could not be read is not a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    /// The caller's name as the operator set it, else as the caller stated it; `None` rather than a guess.
    pub name: Option<String>,
    /// First contact, in milliseconds since the epoch.
    pub first_seen_ms: i64,
    /// Latest contact, in milliseconds since the epoch; in a recall, the one before this request.
    pub last_seen_ms: i64,
    /// The number of distinct ended calls.
    pub total_calls: u64,
    /// The operator's tags.
    pub tags: Vec<String>,
    /// The operator's attributes.
    pub custom_attributes: JsonObject,
    /// The operator's word on facts, oldest first.
    pub corrections: Vec<Correction>,
    /// The wish not to be called any more; `None` where there is none. Only an operator takes it away.
    pub do_not_call: Option<DoNotCall>,
}

/// The mark of a caller who does not want to be called any more.
#[derive(Clone, PartialEq, Eq)]
pub struct DoNotCall {
    /// When the caller said so, or the operator noted it; in milliseconds since the epoch.
    pub at_ms: i64,
    /// The words that say so; `None` where the operator noted it, and in an answer that keeps them from whoever calls.
    pub quote: Option<String>,
    /// The call in which it was said; `None` where the operator noted it.
    pub call_id: Option<CallId>,
}

impl fmt::Debug for DoNotCall {
    /// Leaves the quote out: what people say never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DoNotCall")
            .field("at_ms", &self.at_ms)
            .field("call_id", &self.call_id)
            .finish_non_exhaustive()
    }
}

impl Caller {
    /// The caller with the name that look-ups know, when neither the operator nor the caller gave one.
    #[must_use]
    pub fn or_named_by(mut self, shown: &ShownEnrichment) -> Self {
        if self.name.is_none() {
            self.name = shown.person.as_ref().and_then(|person| person.value.name.clone());
        }
        self
    }
}

/// What an operator says about a caller. Beside it, the service keeps what it learns itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// The name, as [`name`] reads it.
    pub name: Option<String>,
    /// The tags, as [`tags`] reads them.
    pub tags: Vec<String>,
    /// The attributes, as [`custom_attributes`] reads them.
    pub custom_attributes: JsonObject,
    /// The word on facts, as [`crate::correction::add`] keeps it.
    pub corrections: Vec<Correction>,
}

/// What becomes of one part of something stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// It is empty from now on.
    Clear,
    /// It is this from now on.
    Set(T),
}

impl<T> Change<T> {
    /// What is stored after this change to `stored`.
    #[must_use]
    pub fn apply(self, stored: Option<T>) -> Option<T> {
        match self {
            Self::Keep => stored,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }
}

/// What becomes of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfileChange {
    /// The name.
    pub name: Change<String>,
    /// All of the tags.
    pub tags: Change<Vec<String>>,
    /// All of the attributes.
    pub custom_attributes: Change<JsonObject>,
}

impl ProfileChange {
    /// The profile after this change to `profile`.
    #[must_use]
    pub fn apply(self, profile: Profile) -> Profile {
        let attributes = self.custom_attributes.apply(Some(profile.custom_attributes));
        Profile {
            name: self.name.apply(profile.name),
            tags: self.tags.apply(Some(profile.tags)).unwrap_or_default(),
            custom_attributes: attributes.unwrap_or_default(),
            corrections: profile.corrections,
        }
    }
}

/// Makes a profile of the stored one. It may be run more often than once, on what is stored each time.
pub type ProfileEdit = Arc<dyn Fn(Profile) -> Result<Profile, ProfileFault> + Send + Sync>;

/// What became of the callers of an import; together they are all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    /// Callers that there were not before.
    pub created: u64,
    /// Callers of whom something else is stored now.
    pub updated: u64,
    /// Callers of whom the same is stored as before.
    pub unchanged: u64,
}

/// A caller with the latest calls.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The caller, with the operator's name alone.
    pub caller: Caller,
    /// The latest calls by start, newest first, ties by commit; at most [`HISTORY_CALLS`].
    pub calls: Vec<HistoryCall>,
}

/// A call as a history shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryCall {
    /// What recalls show of it.
    pub call: RecentCall,
    /// What the agent reported beside it; recalls never show it.
    pub agent_metadata: Option<JsonObject>,
}

/// A fact as a history shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryFact {
    /// The fact.
    pub fact: KnownFact,
    /// Whether recalls show it; what was superseded they do not.
    pub stands: bool,
}

/// Why a profile is not kept. The texts say what to do and repeat nothing of the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProfileFault {
    /// The name is too long.
    #[error("the name is longer than {NAME_CHARS} characters; shorten it")]
    LongName,
    /// The name holds a control character.
    #[error("the name holds a control character, a tab or a line break for example; remove it")]
    ControlInName,
    /// There are too many tags.
    #[error("there are more than {TAGS} tags; keep the ones that matter")]
    ManyTags,
    /// A tag is too long.
    #[error("a tag is longer than {TAG_CHARS} characters; shorten it")]
    LongTag,
    /// A tag holds a control character.
    #[error("a tag holds a control character, a tab or a line break for example; remove it")]
    ControlInTag,
    /// The attributes are no JSON object.
    #[error("the attributes are not a JSON object; write them as {{\"plan\": \"gold\"}}")]
    NoObject,
    /// A correction of a fact is not kept.
    #[error(transparent)]
    Correction(#[from] CorrectionFault),
    /// The attributes are too long.
    #[error(
        "the attributes are longer than {} KiB as JSON; keep the ones that an agent needs",
        ATTRIBUTES_BYTES / 1024
    )]
    LongAttributes,
}

/// Reads a name: without the blanks around it, and `None` when nothing is left.
///
/// # Errors
/// [`ProfileFault::ControlInName`], [`ProfileFault::LongName`].
pub fn name(text: &str) -> Result<Option<String>, ProfileFault> {
    if text.contains(char::is_control) {
        return Err(ProfileFault::ControlInName);
    }
    let name = text.trim();
    if name.chars().count() > NAME_CHARS {
        return Err(ProfileFault::LongName);
    }
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

/// Reads tags: without the blanks around them, in their order, without empty ones and repeats.
///
/// # Errors
/// [`ProfileFault::ControlInTag`], [`ProfileFault::LongTag`], [`ProfileFault::ManyTags`].
pub fn tags<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>, ProfileFault> {
    let mut tags: Vec<String> = Vec::new();
    for text in texts {
        if text.contains(char::is_control) {
            return Err(ProfileFault::ControlInTag);
        }
        let tag = text.trim();
        if tag.chars().count() > TAG_CHARS {
            return Err(ProfileFault::LongTag);
        }
        if tag.is_empty() || tags.iter().any(|known| known == tag) {
            continue;
        }
        if tags.len() == TAGS {
            return Err(ProfileFault::ManyTags);
        }
        tags.push(tag.to_owned());
    }
    Ok(tags)
}

/// Checks the length of attributes. [`JsonObject`] already guarantees that they are an object.
///
/// # Errors
/// [`ProfileFault::LongAttributes`].
pub fn custom_attributes(attributes: JsonObject) -> Result<JsonObject, ProfileFault> {
    if attributes.as_str().len() > ATTRIBUTES_BYTES {
        return Err(ProfileFault::LongAttributes);
    }
    Ok(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_has_limits() {
        assert_eq!(name("  Maren Okafor "), Ok(Some("Maren Okafor".to_owned())));
        assert_eq!(name(" \u{a0}"), Ok(None));
        let longest = "ä".repeat(NAME_CHARS);
        assert_eq!(name(&format!(" {longest} ")), Ok(Some(longest.clone())));
        assert_eq!(name(&format!("{longest}x")), Err(ProfileFault::LongName));
        for text in ["a\0", "a\tb", "a\n", "\u{85}a", "\u{1b}[2J"] {
            assert_eq!(name(text), Err(ProfileFault::ControlInName), "{text:?}");
        }
    }

    #[test]
    fn tags_are_trimmed_without_blanks_and_repeats() {
        assert_eq!(
            tags([" vip ", "", "gold", "vip", "  ", "VIP"]),
            Ok(["vip", "gold", "VIP"].map(str::to_owned).to_vec())
        );
        assert_eq!(tags([]), Ok(Vec::new()));
        let many: Vec<String> = (0..=TAGS).map(|n| n.to_string()).collect();
        let most = || many.iter().take(TAGS).map(String::as_str);
        assert_eq!(tags(most().chain(["0", " "])).map(|tags| tags.len()), Ok(TAGS));
        assert_eq!(tags(many.iter().map(String::as_str)), Err(ProfileFault::ManyTags));
        let longest = "ü".repeat(TAG_CHARS);
        assert_eq!(tags([longest.as_str()]).map(|tags| tags.len()), Ok(1));
        assert_eq!(tags([format!("{longest}x").as_str()]), Err(ProfileFault::LongTag));
        assert_eq!(tags(["a\u{0}"]), Err(ProfileFault::ControlInTag));
    }

    #[test]
    fn attributes_have_a_limit() {
        let of = |bytes: usize| JsonObject::from_validated(format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8)));
        assert!(custom_attributes(of(ATTRIBUTES_BYTES)).is_ok());
        assert_eq!(
            custom_attributes(of(ATTRIBUTES_BYTES + 1)),
            Err(ProfileFault::LongAttributes)
        );
    }

    #[test]
    fn every_fault_says_what_to_do() {
        for (fault, says) in [
            (ProfileFault::LongName, "longer than 100 characters; shorten"),
            (ProfileFault::ManyTags, "more than 50 tags; keep"),
            (ProfileFault::LongTag, "longer than 100 characters; shorten"),
            (ProfileFault::NoObject, r#"write them as {"plan": "gold"}"#),
            (ProfileFault::LongAttributes, "longer than 16 KiB"),
        ] {
            assert!(fault.to_string().contains(says), "{fault}");
        }
    }
}
