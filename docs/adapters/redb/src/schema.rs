//! The tables and their keys.
//!
//! Every key of a tenant's data begins with the tenant, so that no range can reach into another's. There are three
//! exceptions, which come before a tenant is known: the file's own [`META`], the tenants' names, and the hashes by
//! which keys are found.
//!
//! redb has no second index. Where something is found in two ways, there are two tables, and one function that writes
//! both.

use domain::{call::SessionId, error::Cause};
use redb::WriteTransaction;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    rows::{
        CallRow, CallerRow, FactRow, KeyPlace, KeyRow, LookupRow, OpenRow, ReceiptRow, SessionRow, SpendRow, TenantRow,
        TurnRow,
    },
    table::Rows,
};

/// The format of the rows that this release writes.
// 2: facts have terms. 3: tenants have a time zone. 4: callers and calls have themes. 5: tenants have an identity mode,
// callers corrections and what tells who they are, look-ups what they replaced. 6: callers may be marked as not to be
// called.
pub(crate) const FORMAT: u32 = 6;

/// The hash of a session's name, which may be as long as a client likes; keys should be short.
pub(crate) type SessionKey = [u8; 32];

/// The smallest and the largest key that ends with a session.
pub(crate) const FIRST_SESSION: &SessionKey = &[0; 32];
pub(crate) const LAST_SESSION: &SessionKey = &[u8::MAX; 32];

/// About the file itself: under `format` the [`FORMAT`] of its rows.
pub(crate) const META: Rows<&str, u32> = Rows::new("meta");

/// Tenant.
pub(crate) const TENANTS: Rows<Uuid, TenantRow> = Rows::new("tenants");
/// Name of a tenant.
pub(crate) const TENANT_NAMES: Rows<&str, Uuid> = Rows::new("tenant_names");
/// Tenant, key.
pub(crate) const KEYS: Rows<(Uuid, Uuid), KeyRow> = Rows::new("keys");
/// SHA-256 of a key.
pub(crate) const KEY_HASHES: Rows<&[u8; 32], KeyPlace> = Rows::new("key_hashes");

/// Tenant, number.
pub(crate) const CALLERS: Rows<(Uuid, &str), CallerRow> = Rows::new("callers");
/// Tenant, session.
pub(crate) const SESSIONS: Rows<(Uuid, &SessionKey), SessionRow> = Rows::new("sessions");
/// Tenant, when it was begun, session: what has not ended.
pub(crate) const OPEN: Rows<(Uuid, i64, &SessionKey), OpenRow> = Rows::new("open");
/// Tenant, number, when it was begun, session: the same by caller.
pub(crate) const OPEN_OF_CALLER: Rows<(Uuid, &str, i64, &SessionKey), ()> = Rows::new("open_of_caller");
/// Tenant, call.
pub(crate) const CALLS: Rows<(Uuid, Uuid), CallRow> = Rows::new("calls");
/// Tenant, call. Apart from the calls, because most readers want no transcript.
pub(crate) const TRANSCRIPTS: Rows<(Uuid, Uuid), Vec<TurnRow>> = Rows::new("transcripts");
/// Tenant, number, start, commit: which call that is.
pub(crate) const CALLS_OF_CALLER: Rows<(Uuid, &str, i64, u64), Uuid> = Rows::new("calls_of_caller");
/// Tenant: how many calls were committed.
pub(crate) const COMMITS: Rows<Uuid, u64> = Rows::new("commits");
/// Tenant, number, order, commit, place: every fact, oldest first.
pub(crate) const FACTS: Rows<(Uuid, &str, i64, u64, u32), FactRow> = Rows::new("facts");
/// Tenant, number, vendor.
pub(crate) const LOOKUPS: Rows<(Uuid, &str, &str), LookupRow> = Rows::new("lookups");

/// Tenant, when it is due, caller: the number of the caller who lacks a rewrite.
pub(crate) const DUE_CALLERS: Rows<(Uuid, i64, Uuid), String> = Rows::new("due_callers");
/// Tenant, when it is due, call.
pub(crate) const DUE_CALLS: Rows<(Uuid, i64, Uuid), ()> = Rows::new("due_calls");
/// Tenant, day: requests to the language model.
pub(crate) const REWRITE_REQUESTS: Rows<(Uuid, i32), u32> = Rows::new("rewrite_requests");
/// Tenant, day, request to the language model: the ones that were let through lately.
pub(crate) const REWRITE_RESERVATIONS: Rows<(Uuid, i32, Uuid), ()> = Rows::new("rewrite_reservations");

/// Tenant, day, vendor.
pub(crate) const SPEND: Rows<(Uuid, i32, &str), SpendRow> = Rows::new("spend");

/// Tenant, when it was made, receipt.
pub(crate) const RECEIPTS: Rows<(Uuid, i64, Uuid), ReceiptRow> = Rows::new("receipts");
/// Tenant, receipt: when it was made.
pub(crate) const RECEIPT_TIMES: Rows<(Uuid, Uuid), i64> = Rows::new("receipt_times");

/// The key of a session.
pub(crate) fn session_key(session: &SessionId) -> SessionKey {
    Sha256::digest(session.0.as_bytes()).into()
}

/// The file was written by another release.
#[derive(Debug, thiserror::Error)]
#[error("its rows are of format {0}, and this release knows format {FORMAT} alone; use the release that wrote it")]
pub(crate) struct UnknownFormat(u32);

/// Creates the tables of an empty file, and checks the format of any other.
pub(crate) fn prepare(write: &WriteTransaction) -> Result<(), Cause> {
    match META.get(write, "format")? {
        Some(FORMAT) => return Ok(()),
        Some(other) => return Err(UnknownFormat(other).into()),
        None => META.put(write, "format", &FORMAT)?,
    }
    TENANTS.create(write)?;
    TENANT_NAMES.create(write)?;
    KEYS.create(write)?;
    KEY_HASHES.create(write)?;
    CALLERS.create(write)?;
    SESSIONS.create(write)?;
    OPEN.create(write)?;
    OPEN_OF_CALLER.create(write)?;
    CALLS.create(write)?;
    TRANSCRIPTS.create(write)?;
    CALLS_OF_CALLER.create(write)?;
    COMMITS.create(write)?;
    FACTS.create(write)?;
    LOOKUPS.create(write)?;
    DUE_CALLERS.create(write)?;
    DUE_CALLS.create(write)?;
    REWRITE_REQUESTS.create(write)?;
    REWRITE_RESERVATIONS.create(write)?;
    SPEND.create(write)?;
    RECEIPTS.create(write)?;
    RECEIPT_TIMES.create(write)?;
    Ok(())
}
