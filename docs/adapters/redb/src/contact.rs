//! Contacts: what a recall of a known caller leaves behind, written after its answer.
//!
//! A commit flushes the disk, which is far too much for each recall. So contacts gather in a bounded queue, and one
//! task writes what has gathered in one transaction. A contact moves values forward only, so that their order does not
//! matter.

use std::{sync::Arc, time::Instant};

use domain::{
    access::TenantId,
    call::SessionId,
    context::Deadline,
    error::{Chain, PortError},
    phone::PhoneNumber,
};
use redb::WriteTransaction;
use uuid::Uuid;
use write_behind::{End, Options, Sink, WriteBehind};

use crate::{
    rows::{BegunRow, OpenRow, SessionRow},
    schema::{CALLERS, CALLS, CALLS_OF_CALLER, OPEN, OPEN_OF_CALLER, SESSIONS, session_key},
    store::Store,
};

/// A caller was recalled at `at_ms`, in milliseconds since the epoch.
#[derive(Debug, Clone)]
pub(crate) struct ContactNote {
    pub(crate) tenant: TenantId,
    pub(crate) number: PhoneNumber,
    pub(crate) session: Option<SessionId>,
    pub(crate) at_ms: i64,
}

/// The contacts that wait to be written.
pub(crate) type Contacts = WriteBehind<ContactSink>;

/// Starts the task that writes contacts to `store`.
pub(crate) fn start(store: &Arc<Store>) -> Contacts {
    WriteBehind::start(ContactSink(Arc::clone(store)), Options::default())
}

/// The store, as what contacts are written to.
pub(crate) struct ContactSink(Arc<Store>);

impl Sink for ContactSink {
    type Item = ContactNote;
    type Error = PortError;

    fn bytes(contact: &ContactNote) -> usize {
        let session = contact.session.as_ref().map_or(0, |session| session.0.len());
        size_of::<ContactNote>() + contact.number.as_e164().len() + session
    }

    async fn write(&self, contacts: &[ContactNote]) -> Result<(), PortError> {
        let contacts = contacts.to_vec();
        let write = move |write: &WriteTransaction| contacts.iter().try_for_each(|contact| note(write, contact));
        let deadline = Deadline(Instant::now() + Options::default().attempt);
        self.0.write("contacts", deadline, write).await
    }

    fn is_passing(error: &PortError) -> bool {
        matches!(error, PortError::Unavailable(_))
    }

    fn left(&self, contacts: usize, end: End<PortError>) {
        match end {
            End::Written => {}
            End::Failed(error) => tracing::warn!(contacts, error = %Chain(&error), "contacts could not be written"),
            End::TimedOut => tracing::warn!(contacts, "contacts could not be written in time"),
        }
    }
}

/// Writes `contact` of a caller who is there.
pub(crate) fn note(write: &WriteTransaction, contact: &ContactNote) -> Result<(), PortError> {
    let ContactNote {
        tenant: TenantId(tenant),
        number,
        session,
        at_ms,
    } = contact;
    let key = (*tenant, number.as_e164());
    if let Some(mut caller) = CALLERS.get(write, key)?
        && caller.last_seen_ms < *at_ms
    {
        caller.last_seen_ms = *at_ms;
        CALLERS.put(write, key, &caller)?;
    }
    match session {
        Some(session) => begin(write, *tenant, number, session, *at_ms),
        None => Ok(()),
    }
}

/// The session was recalled at `at_ms`: its first recall gives the start of its call, which is open until it ends.
fn begin(
    write: &WriteTransaction,
    tenant: Uuid,
    number: &PhoneNumber,
    session: &SessionId,
    at_ms: i64,
) -> Result<(), PortError> {
    let key = session_key(session);
    let mut row = SESSIONS.get(write, (tenant, &key))?.unwrap_or_default();
    if row.begun.as_ref().is_some_and(|begun| begun.at_ms <= at_ms) {
        return Ok(());
    }
    close(write, tenant, session, &row)?;
    row.begun = Some(BegunRow {
        at_ms,
        number: number.as_e164().to_owned(),
    });
    SESSIONS.put(write, (tenant, &key), &row)?;
    let Some(id) = row.call else {
        let open = OpenRow {
            session_id: session.0.clone(),
            number: number.as_e164().to_owned(),
        };
        OPEN.put(write, (tenant, at_ms, &key), &open)?;
        return OPEN_OF_CALLER.put(write, (tenant, number.as_e164(), at_ms, &key), &());
    };
    if let Some(mut call) = CALLS.get(write, (tenant, id))? {
        let caller = call.report.number.clone();
        CALLS_OF_CALLER.remove(write, (tenant, &caller, call.started_at_ms, call.commit))?;
        call.started_at_ms = at_ms;
        CALLS_OF_CALLER.put(write, (tenant, &caller, at_ms, call.commit), &id)?;
        CALLS.put(write, (tenant, id), &call)?;
    }
    Ok(())
}

/// The session is no longer open as `row` says it was begun.
pub(crate) fn close(
    write: &WriteTransaction,
    tenant: Uuid,
    session: &SessionId,
    row: &SessionRow,
) -> Result<(), PortError> {
    let Some(begun) = &row.begun else { return Ok(()) };
    let key = session_key(session);
    OPEN.remove(write, (tenant, begun.at_ms, &key))?;
    OPEN_OF_CALLER.remove(write, (tenant, &begun.number, begun.at_ms, &key))
}
