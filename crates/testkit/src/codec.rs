//! How a world becomes bytes, so that several processes can share it. The form is that of one build: it is for tests
//! and not kept.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    num::NonZeroU32,
};

use domain::{
    access::{KeyHash, KeyId, KeyInfo, OnRefusedConsent, Scope, Scopes, Tenant, TenantId, TenantSettings},
    call::{CallId, CallOutcome, Contact, EndedCall, Role, SessionId, Turn},
    caller::{self, DoNotCall},
    correction::{Correction, Word},
    enrichment::{CachedLookup, Company, Enrichment, Former, Line, Person},
    facts::{Fact, FactKey, SaidFact, Status, Terms},
    identity::IdentityMode,
    json::JsonObject,
    memory::{Arrival, CallRecord, Wish},
    phone::{PhoneNumber, Region},
    port::{DailyCaps, Day, RequestId},
    receipt::{CallerState, Group, Receipt, ReceiptId},
    themes::Themes,
    time_zone::TimeZone,
};
use uuid::Uuid;

use crate::state::{Access, Call, Callers, PendingRewrite, Profile, Spend, State};

/// A value that can be written and read again.
pub(crate) trait Codec: Sized {
    /// Appends the value to `bytes`.
    fn put(&self, bytes: &mut Vec<u8>);

    /// Takes a value off the front of `bytes`; `None` when there is none.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

/// Numbers, by their little-endian bytes.
macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl Codec for $number {
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                let (number, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*number))
            }
        }
    )+};
}

/// Structures, field by field.
macro_rules! structs {
    ($($structure:path { $($field:ident),+ })+) => {$(
        impl Codec for $structure {
            fn put(&self, bytes: &mut Vec<u8>) {
                let Self { $($field),+ } = self;
                $($field.put(bytes);)+
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Codec::take(bytes)?),+ })
            }
        }
    )+};
}

/// Types that are stored as another one.
macro_rules! as_others {
    ($($type:ty as $other:ty: $put:expr, $take:expr;)+) => {$(
        impl Codec for $type {
            fn put(&self, bytes: &mut Vec<u8>) {
                let put: fn(&Self) -> $other = $put;
                put(self).put(bytes);
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                let take: fn($other) -> Option<Self> = $take;
                take(Codec::take(bytes)?)
            }
        }
    )+};
}

/// Tuples, part by part.
macro_rules! tuples {
    ($(($($part:ident),+))+) => {$(
        impl<$($part: Codec),+> Codec for ($($part,)+) {
            fn put(&self, bytes: &mut Vec<u8>) {
                #[expect(non_snake_case, reason = "the parts are named by their types")]
                let ($($part,)+) = self;
                $($part.put(bytes);)+
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(($($part::take(bytes)?,)+))
            }
        }
    )+};
}

/// Maps, by their length and their entries.
macro_rules! maps {
    ($($map:ident: $($bound:ident),+;)+) => {$(
        impl<K: Codec $(+ $bound)+, V: Codec> Codec for $map<K, V> {
            fn put(&self, bytes: &mut Vec<u8>) {
                self.len().put(bytes);
                for (key, value) in self {
                    key.put(bytes);
                    value.put(bytes);
                }
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                take_all(bytes)
            }
        }
    )+};
}

numbers!(u8, i32, i64, u32, u64, f64);
tuples!((A, B)(A, B, C));
maps! {
    BTreeMap: Ord;
    HashMap: Eq, Hash;
}
structs! {
    State { generation, steps, access, callers, spend, receipts }
    Access { tenants, keys }
    Tenant { id, name, settings, created_at_ms }
    TenantSettings { region, rate_per_second, rate_burst, time_zone, identity, on_refused_consent }
    KeyInfo { id, tenant, shown, scopes, label, created_at_ms, expires_at_ms, revoked_at_ms }
    Callers { profiles, said, calls, sessions, lookups, rewrite_requests, commits }
    Profile { id, first_seen, last_seen, memory_changed, pending, rewrite, themes, do_not_call }
    DoNotCall { at_ms, quote, call_id }
    Wish { quote, at_ms }
    PendingRewrite { due, attempts }
    caller::Profile { name, tags, custom_attributes, corrections }
    Correction { key, word, at_ms }
    Call { id, record, process, commit, corrections, pending, no_more_calls, is_rewritten, by_model }
    CallRecord { call, summary, facts, themes, no_more_calls, rules, started_at_ms, contact, received_at_ms, arrival }
    Contact { first_ms, last_ms }
    EndedCall { session_id, number, transcript, duration_s, outcome, agent_metadata }
    Turn { role, text, ts_ms }
    SaidFact { fact, said_at_ms, order_ms }
    Fact { key, value, quote, turn, terms }
    Terms { when, status }
    CachedLookup { vendor, fetched_at_ms, found, former }
    Former { found, until_ms }
    Enrichment { person, company, phone }
    Person { name, title, company }
    Company { name, address }
    Line { carrier, line_type }
    Spend { caps, bought }
    DailyCaps { lookups, spend_micro_usd }
    Receipt { id, tenant, at_ms, trace_id, number, session_id, deadline_ms, cut, group, response }
    Group { caller, enriched }
}
as_others! {
    bool as u8: |yes| u8::from(*yes), |byte| Some(byte == 1);
    usize as u64: |number| *number as u64, |number| usize::try_from(number).ok();
    NonZeroU32 as u32: |number| number.get(), Self::new;
    String as Vec<u8>: |text| text.clone().into_bytes(), |bytes| Self::from_utf8(bytes).ok();
    Uuid as Vec<u8>: |id| id.into_bytes().to_vec(), |bytes| Self::from_slice(&bytes).ok();
    TenantId as Uuid: |id| id.0, |id| Some(Self(id));
    KeyId as Uuid: |id| id.0, |id| Some(Self(id));
    CallId as Uuid: |id| id.0, |id| Some(Self(id));
    ReceiptId as Uuid: |id| id.0, |id| Some(Self(id));
    RequestId as Uuid: |id| id.0, |id| Some(Self(id));
    KeyHash as Vec<u8>: |hash| hash.0.to_vec(), |bytes| bytes.try_into().ok().map(Self);
    Region as String: |region| region.as_str().to_owned(), |text| text.parse().ok();
    IdentityMode as String: |mode| mode.as_str().to_owned(), |text| text.parse().ok();
    OnRefusedConsent as String: |kept| kept.as_str().to_owned(), |text| text.parse().ok();
    TimeZone as String: |time_zone| time_zone.as_str().to_owned(), |text| text.parse().ok();
    Scopes as Vec<Scope>: |scopes| scopes.iter().collect(), |scopes| Some(scopes.into_iter().collect());
    Scope as String: |scope| scope.as_str().to_owned(), |text| text.parse().ok();
    SessionId as String: |id| id.0.clone(), |text| Some(Self(text));
    PhoneNumber as String: |number| number.as_e164().to_owned(), |text| Self::from_e164(&text).ok();
    Themes as String: |themes| themes.as_str().to_owned(), |text| Some(Self::stored(text));
    JsonObject as String: |object| object.as_str().to_owned(), |text| Some(Self::from_validated(text));
    CallOutcome as String: |outcome| outcome.as_str().to_owned(), |text| text.parse().ok();
    Role as u8: |role| u8::from(*role == Role::User), |byte| Some(if byte == 1 { Role::User } else { Role::Agent });
    Arrival as i64: |arrival| arrival.0, |number| Some(Self(number));
    Status as String: |status| status.as_str().to_owned(), |text| text.parse().ok();
    FactKey as String: |key| key.as_str().to_owned(), |text| text.parse().ok();
    Word as (bool, Option<String>, Option<Terms>):
        |word| match word {
            Word::Set { value, terms } => (true, Some(value.clone()), terms.clone()),
            Word::Drop { value } => (false, value.clone(), None),
        },
        |(sets, value, terms)| {
            if sets {
                value.map(|value| Self::Set { value, terms })
            } else {
                Some(Self::Drop { value })
            }
        };
    Day as i32: |day| day.0, |day| Some(Self(day));
    CallerState as u8: |state| *state as u8,
        |byte| [Self::Known, Self::New, Self::Degraded].get(usize::from(byte)).copied();
}

impl<T: Codec> Codec for Option<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.is_some().put(bytes);
        if let Some(value) = self {
            value.put(bytes);
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        if bool::take(bytes)? {
            T::take(bytes).map(Some)
        } else {
            Some(None)
        }
    }
}

/// Reads the entries of a collection.
fn take_all<T: Codec, C: FromIterator<T>>(bytes: &mut &[u8]) -> Option<C> {
    let entries = usize::take(bytes)?;
    (0..entries).map(|_| T::take(bytes)).collect()
}

impl<T: Codec> Codec for Vec<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.len().put(bytes);
        for entry in self {
            entry.put(bytes);
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        take_all(bytes)
    }
}
