//! Who is asking: tenants, keys, scopes and the limits that come with them.

use std::{fmt, num::NonZeroU32, str::FromStr};

use uuid::Uuid;

use crate::{caller::Change, identity::IdentityMode, phone::Region, time_zone::TimeZone};

/// A tenant. Every stored row belongs to one, and no port method works without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TenantId(pub Uuid);

/// The name of the tenant that the first start creates, and that a command is about when it is given no other.
pub const DEFAULT_TENANT: &str = "default";

/// The public identity of an API key; it appears in listings and logs, the key itself never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub Uuid);

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl KeyId {
    /// The id of the key that takes this one's place in a rotation. It follows from this id, so that a key can be
    /// rotated only once: a second successor would have the same id.
    #[must_use]
    pub fn successor(self) -> Self {
        Self(Uuid::from_u128(self.0.as_u128().wrapping_add(1)))
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `recall`: POST `/v1/recall_and_enrich`.
    Recall,
    /// `calls:write`: POST `/v1/calls/end`.
    CallsWrite,
    /// `callers:read`: GET `/v1/caller/{phone_number}`.
    CallersRead,
}

impl Scope {
    /// Every scope, in the order in which listings show them.
    pub const ALL: [Self; 3] = [Self::Recall, Self::CallsWrite, Self::CallersRead];

    /// The scope's name on the command line and in listings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::CallsWrite => "calls:write",
            Self::CallersRead => "callers:read",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The text is not the name of a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{0}`; the scopes are {names}", names = scope_names())]
pub struct UnknownScope(pub String);

/// The names of all scopes, as in a sentence.
fn scope_names() -> String {
    let [others @ .., last] = &Scope::ALL.map(Scope::as_str);
    format!("{} and {last}", others.join(", "))
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.as_str() == name)
            .ok_or_else(|| UnknownScope(name.to_owned()))
    }
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scopes(u8);

impl Scopes {
    /// The set of every scope.
    #[must_use]
    pub fn all() -> Self {
        Scope::ALL.into_iter().collect()
    }

    /// Whether the set holds `scope`.
    #[must_use]
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// The scopes of the set, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.contains(*scope))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | scope.bit()))
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The token bucket of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RateLimit {
    /// Tokens that flow back each second.
    pub per_second: NonZeroU32,
    /// Tokens that the full bucket holds.
    pub burst: NonZeroU32,
}

/// What a tenant has set for itself; the service's default applies where it has set nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TenantSettings {
    /// The region for national numbers.
    pub region: Option<Region>,
    /// Tokens per second for each key.
    pub rate_per_second: Option<NonZeroU32>,
    /// Bucket size for each key.
    pub rate_burst: Option<NonZeroU32>,
    /// Where its days begin; UTC when it has set nothing.
    pub time_zone: Option<TimeZone>,
    /// How careful it is where a number may have another person behind it.
    pub identity: Option<IdentityMode>,
    /// What is kept of a call in which the caller refused consent; everything when it has set nothing.
    pub on_refused_consent: Option<OnRefusedConsent>,
}

/// What is kept of a call in which the caller refused consent to recording, or to keeping what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnRefusedConsent {
    /// `store`: everything, as of any call.
    Store,
    /// `metadata-only`: neither the transcript nor what was made of its words, but for the refusal itself and a wish
    /// not to be called.
    MetadataOnly,
}

impl OnRefusedConsent {
    /// Its name in commands and in storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::MetadataOnly => "metadata-only",
        }
    }
}

/// The text names nothing that may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected store or metadata-only")]
pub struct UnknownOnRefusedConsent;

impl FromStr for OnRefusedConsent {
    type Err = UnknownOnRefusedConsent;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::Store, Self::MetadataOnly]
            .into_iter()
            .find(|kept| kept.as_str() == name)
            .ok_or(UnknownOnRefusedConsent)
    }
}

/// What becomes of a tenant's settings. Of one that is cleared, the service's default holds again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettingsChange {
    /// The region for national numbers.
    pub region: Change<Region>,
    /// Tokens per second for each key.
    pub rate_per_second: Change<NonZeroU32>,
    /// Bucket size for each key.
    pub rate_burst: Change<NonZeroU32>,
    /// Where its days begin.
    pub time_zone: Change<TimeZone>,
    /// How careful it is where a number may have another person behind it.
    pub identity: Change<IdentityMode>,
    /// What is kept of a call in which the caller refused consent.
    pub on_refused_consent: Change<OnRefusedConsent>,
}

impl SettingsChange {
    /// What `settings` become.
    #[must_use]
    pub fn apply(self, settings: TenantSettings) -> TenantSettings {
        TenantSettings {
            region: self.region.apply(settings.region),
            rate_per_second: self.rate_per_second.apply(settings.rate_per_second),
            rate_burst: self.rate_burst.apply(settings.rate_burst),
            time_zone: self.time_zone.apply(settings.time_zone),
            identity: self.identity.apply(settings.identity),
            on_refused_consent: self.on_refused_consent.apply(settings.on_refused_consent),
        }
    }
}

/// Who a verified key speaks for, and what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The key that was presented.
    pub key_id: KeyId,
    /// The tenant the key belongs to; it is the only source of a tenant in the program.
    pub tenant_id: TenantId,
    /// What the key may do.
    pub scopes: Scopes,
    /// What the tenant has set.
    pub settings: TenantSettings,
}

/// SHA-256 of a key: what is stored and compared in place of the key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(pub [u8; 32]);

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyHash({:02x}{:02x}..)", self.0[0], self.0[1])
    }
}

/// A stored key that is neither revoked nor unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyGrant {
    /// Who the key speaks for.
    pub principal: Principal,
    /// When the key ends, in milliseconds since the epoch; `None` means never.
    pub expires_at_ms: Option<i64>,
}

/// A tenant as the administrator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    /// The tenant's identity.
    pub id: TenantId,
    /// The unique name by which commands address it.
    pub name: String,
    /// What it has set.
    pub settings: TenantSettings,
    /// When it was created, in milliseconds since the epoch.
    pub created_at_ms: i64,
}

/// A key as the administrator sees it: everything but the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// The key's identity.
    pub id: KeyId,
    /// The name of the tenant it belongs to.
    pub tenant: String,
    /// The first 12 characters of the key, to recognise it by.
    pub shown: String,
    /// What the key may do.
    pub scopes: Scopes,
    /// The administrator's note.
    pub label: Option<String>,
    /// When it was created, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// When it ends, in milliseconds since the epoch; `None` means never.
    pub expires_at_ms: Option<i64>,
    /// When it was revoked, in milliseconds since the epoch.
    pub revoked_at_ms: Option<i64>,
}

/// A key to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// SHA-256 of the key.
    pub hash: KeyHash,
    /// The first 12 characters of the key.
    pub shown: String,
    /// What the key may do.
    pub scopes: Scopes,
    /// The administrator's note.
    pub label: Option<String>,
    /// When it ends, in milliseconds since the epoch; `None` means never.
    pub expires_at_ms: Option<i64>,
}
