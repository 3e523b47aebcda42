//! Verifies keys against the store, and from memory most of the time.

use std::{
    net::IpAddr,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use domain::{
    access::{KeyGrant, KeyHash, Principal, RateLimit},
    async_trait,
    context::Deadline,
    error::{Chain, PortError},
    port::{AuthError, Authenticator, Clock, KeyStore},
};
use moka::sync::Cache;

use crate::{failures::Failures, key::hash_credential, single_flight::SingleFlight};

/// Most verified keys in memory; about 300 bytes each.
const MOST_VERIFIED: u64 = 100_000;

/// Most unknown keys in memory; about 200 bytes each.
const MOST_UNKNOWN: u64 = 10_000;

/// Most look-ups in the store at once. Beyond it a key that is not in memory counts as one whose look-up failed.
const MOST_LOOKUPS: usize = 1_024;

/// How long a key counts as unknown after the store said so. Short, because the key may be created right after it was
/// tried; long enough that a client with a wrong key does not cost a look-up for each of its requests.
const UNKNOWN_FOR: Duration = Duration::from_secs(3);

/// How long the store is not asked for a verified key again after it failed.
const HOLD_OFF: Duration = Duration::from_secs(1);

/// The longest that a request with a verified key waits for a store that may be down.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// How long a look-up may take, whatever the deadline of the request that began it: longer than an impatient request
/// has, because others may wait for it too and its answer serves the next one; but not so long that one that hangs
/// keeps a recovered store out of sight.
const LOOKUP_LIMIT: Duration = Duration::from_millis(500);

/// How long keys stay in memory, and how many failures an address may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthOptions {
    /// How long a verified key is served from memory before the store is asked again. 30 seconds by default.
    pub cache: Duration,
    /// How much longer a verified key stays valid while the store cannot be reached. 900 seconds by default.
    pub stale: Duration,
    /// The bucket of failed credentials of each address: an IPv4 address or an IPv6 network of 64 bits. 100 failures at
    /// once and 1 per second afterwards by default.
    pub failures: RateLimit,
}

impl Default for AuthOptions {
    fn default() -> Self {
        Self {
            cache: Duration::from_secs(30),
            stale: Duration::from_mins(15),
            failures: RateLimit {
                per_second: NonZeroU32::MIN,
                burst: NonZeroU32::MIN.saturating_add(99),
            },
        }
    }
}

/// An [`Authenticator`] over a key store, with a memory.
///
/// - A key that the store granted less than [`AuthOptions::cache`] ago costs a SHA-256 and a look into a map.
/// - After that the store is asked again, once for all simultaneous requests with the key. While it fails or hangs, the
///   key stays valid for [`AuthOptions::stale`] more; a request waits for it at most half of its time, at most 100 ms,
///   and for a second after a failure not at all.
/// - The expiry of a key is checked against the clock in each request.
/// - A key that the store does not know is refused from memory for 3 seconds. A failed look-up is not remembered.
/// - Each failed credential (malformed, unknown, revoked, expired) draws a token from the bucket of its address. While
///   that is empty, credentials from there that are not verified in memory are refused without asking the store.
///
/// Look-ups run as tasks of their own, so this works within a tokio runtime only.
pub struct CachedAuthenticator {
    memory: Arc<Memory>,
    lookups: SingleFlight<KeyHash, Answer>,
    store: Arc<dyn KeyStore>,
    failures: Failures,
    clock: Arc<dyn Clock>,
}

impl CachedAuthenticator {
    /// Puts a memory over `store`.
    #[must_use]
    pub fn new(store: Arc<dyn KeyStore>, clock: Arc<dyn Clock>, options: AuthOptions) -> Self {
        Self {
            memory: Arc::new(Memory::new(options, Arc::clone(&clock))),
            lookups: SingleFlight::new(MOST_LOOKUPS),
            store,
            failures: Failures::new(options.failures, Arc::clone(&clock)),
            clock,
        }
    }

    /// Asks the store about a key whose cache time is over, and falls back on what is known.
    async fn confirm(&self, known: Arc<VerifiedKey>, hash: KeyHash, deadline: Deadline) -> Answer {
        let now = self.clock.instant();
        if known.is_held_off(now) {
            return Answer::Granted(known);
        }
        let patience = (deadline.left(now) / 2).min(LONGEST_PAUSE);
        match self.ask(hash, patience).await.0 {
            Answer::Failed(cause) => {
                if known.hold_off(self.clock.instant()) {
                    tracing::warn!(
                        key_id = %known.grant.principal.key_id,
                        cause = %Chain(&*cause),
                        "the key store does not answer; a key that was verified before stays valid for now"
                    );
                }
                Answer::Granted(known)
            }
            answer => answer,
        }
    }

    /// Asks the store about a key of which nothing is known.
    async fn learn(&self, hash: KeyHash, deadline: Deadline) -> Answer {
        let left = || deadline.left(self.clock.instant());
        match self.ask(hash, left()).await {
            // The look-up began before this request came, and may have hung since before the store recovered. One that
            // begins now will show.
            (Answer::Failed(_), false) if !left().is_zero() => self.ask(hash, left()).await.0,
            (answer, _) => answer,
        }
    }

    /// The answer of a look-up, joined or begun, and whether it was begun here.
    async fn ask(&self, hash: KeyHash, patience: Duration) -> (Answer, bool) {
        let flight = self
            .lookups
            .join(hash, || self.memory.fresh(&hash), || self.look_up(hash));
        match flight {
            None => (Answer::failed(PortError::Unavailable(Box::new(TooManyLookups))), true),
            Some(mut flight) => {
                let answer = flight.wait(patience).await;
                (
                    answer.unwrap_or_else(|| Answer::failed(PortError::deadline("find_key"))),
                    flight.began_here,
                )
            }
        }
    }

    /// The look-up itself. It outlives the request, remembers what it finds, and ends by its own limit.
    fn look_up(&self, hash: KeyHash) -> impl Future<Output = Answer> + Send + 'static {
        let (memory, store) = (Arc::clone(&self.memory), Arc::clone(&self.store));
        // The answer holds for the moment of the question: a key revoked meanwhile gains no cache time.
        let asked_at = self.clock.instant();
        async move {
            let limit = tokio::time::Instant::now() + LOOKUP_LIMIT;
            let found = tokio::time::timeout_at(limit, store.find_key(&hash, Deadline(limit.into_std()))).await;
            match found {
                Ok(Ok(grant)) => memory.remember(hash, grant, asked_at),
                Ok(Err(cause)) => Answer::failed(cause),
                Err(_) => Answer::failed(PortError::deadline("find_key")),
            }
        }
    }
}

#[async_trait]
impl Authenticator for CachedAuthenticator {
    async fn authenticate(&self, credential: &str, source: IpAddr, deadline: Deadline) -> Result<Principal, AuthError> {
        let Some(hash) = hash_credential(credential) else {
            return Err(self.failures.refuse(source));
        };
        let answer = match self.memory.verified(&hash) {
            Some((known, Age::Fresh)) => Answer::Granted(known),
            Some((known, Age::Stale)) => self.confirm(known, hash, deadline).await,
            None => {
                self.failures.admit(source)?;
                self.learn(hash, deadline).await
            }
        };
        match answer {
            Answer::Granted(key) if is_live(&key.grant, &*self.clock) => Ok(key.grant.principal.clone()),
            Answer::Granted(_) | Answer::Unknown => Err(self.failures.refuse(source)),
            Answer::Failed(cause) => Err(AuthError::Unavailable(Box::new(cause))),
        }
    }
}

/// What a look-up says, for all who joined it.
#[derive(Clone)]
enum Answer {
    /// The store granted the key, now or within the time for which that counts.
    Granted(Arc<VerifiedKey>),
    /// The store knows no such key, or it is revoked or expired.
    Unknown,
    /// The store did not answer.
    Failed(Arc<PortError>),
}

impl Answer {
    fn failed(cause: PortError) -> Self {
        Self::Failed(Arc::new(cause))
    }
}

/// More keys are being looked up at once than the service allows.
#[derive(Debug, thiserror::Error)]
#[error("{MOST_LOOKUPS} keys are being looked up already")]
struct TooManyLookups;

/// What the store said about keys, and when.
struct Memory {
    options: AuthOptions,
    clock: Arc<dyn Clock>,
    verified: Cache<KeyHash, Arc<VerifiedKey>>,
    /// When the store was asked about keys that it does not know.
    unknown: Cache<KeyHash, Instant>,
}

/// Whether the store must be asked again about a verified key.
enum Age {
    Fresh,
    Stale,
}

impl Memory {
    fn new(options: AuthOptions, clock: Arc<dyn Clock>) -> Self {
        Self {
            options,
            clock,
            verified: Cache::new(MOST_VERIFIED),
            unknown: Cache::builder()
                .max_capacity(MOST_UNKNOWN)
                .time_to_live(UNKNOWN_FOR)
                .build(),
        }
    }

    /// A key that the store granted not too long ago and that has not expired since.
    fn verified(&self, hash: &KeyHash) -> Option<(Arc<VerifiedKey>, Age)> {
        let known = self.verified.get(hash)?;
        let age = self.age(known.asked_at);
        if age >= self.options.cache.saturating_add(self.options.stale) || !is_live(&known.grant, &*self.clock) {
            None
        } else if age < self.options.cache {
            Some((known, Age::Fresh))
        } else {
            Some((known, Age::Stale))
        }
    }

    /// What is known so freshly that the store need not be asked.
    fn fresh(&self, hash: &KeyHash) -> Option<Answer> {
        if let Some((known, Age::Fresh)) = self.verified(hash) {
            return Some(Answer::Granted(known));
        }
        let asked_at = self.unknown.get(hash)?;
        (self.age(asked_at) < UNKNOWN_FOR).then_some(Answer::Unknown)
    }

    /// Takes in what the store said at `asked_at`. An expired key is as good as unknown.
    fn remember(&self, hash: KeyHash, grant: Option<KeyGrant>, asked_at: Instant) -> Answer {
        if let Some(grant) = grant.filter(|grant| is_live(grant, &*self.clock)) {
            let verified = Arc::new(VerifiedKey {
                grant,
                asked_at,
                held_off_until: Mutex::new(None),
            });
            self.verified.insert(hash, Arc::clone(&verified));
            Answer::Granted(verified)
        } else {
            self.verified.invalidate(&hash);
            self.unknown.insert(hash, asked_at);
            Answer::Unknown
        }
    }

    fn age(&self, asked_at: Instant) -> Duration {
        self.clock.instant().saturating_duration_since(asked_at)
    }
}

/// A key that the store granted.
struct VerifiedKey {
    grant: KeyGrant,
    asked_at: Instant,
    /// Until when the store is left alone because it failed. It belongs to this grant and not to the map of grants, so
    /// that noting a failure can never bring back a key that was removed meanwhile.
    held_off_until: Mutex<Option<Instant>>,
}

impl VerifiedKey {
    fn is_held_off(&self, now: Instant) -> bool {
        let until = self.held_off_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| now < until)
    }

    /// Leaves the store alone for a while; `false` when somebody else has said so already.
    fn hold_off(&self, now: Instant) -> bool {
        let mut until = self.held_off_until.lock().unwrap_or_else(PoisonError::into_inner);
        let first = until.is_none_or(|until| until <= now);
        if first {
            *until = Some(now + HOLD_OFF);
        }
        first
    }
}

fn is_live(grant: &KeyGrant, clock: &dyn Clock) -> bool {
    grant.expires_at_ms.is_none_or(|end| clock.now_ms() < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_unknown_keys_is_bounded() {
        let clock = Arc::new(testkit::ManualClock::stopped_at(0));
        let memory = Memory::new(AuthOptions::default(), clock.clone());
        for guess in 0..3 * MOST_UNKNOWN {
            let mut hash = KeyHash([0; 32]);
            hash.0[..8].copy_from_slice(&guess.to_be_bytes());
            memory.remember(hash, None, clock.instant());
        }
        memory.unknown.run_pending_tasks();
        assert!(memory.unknown.entry_count() <= MOST_UNKNOWN);
    }
}
