//! Contacts: what a recall of a known caller leaves behind, written after its answer.
//!
//! A commit flushes the disk, which is far too much for each recall. So contacts gather in a bounded list, and one task
//! writes all that have gathered in one transaction. A contact moves values forward only, so that their order does not
//! matter.

use std::{
    mem::take,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use domain::{access::TenantId, call::SessionId, context::Deadline, error::PortError, phone::PhoneNumber};
use redb::WriteTransaction;
use tokio::time::timeout_at;
use uuid::Uuid;

use crate::{
    rows::{BegunRow, OpenRow, SessionRow},
    schema::{CALLERS, CALLS, CALLS_OF_CALLER, OPEN, OPEN_OF_CALLER, SESSIONS, session_key},
    store::Store,
};

/// Contacts that may wait; a further one is dropped and counted.
const WAITING: usize = 16_384;

/// How long one attempt to write what has gathered may take.
const WRITING: Duration = Duration::from_secs(5);

/// A caller was recalled at `at_ms`, in milliseconds since the epoch.
#[derive(Debug, Clone)]
pub(crate) struct ContactNote {
    pub(crate) tenant: TenantId,
    pub(crate) number: PhoneNumber,
    pub(crate) session: Option<SessionId>,
    pub(crate) at_ms: i64,
}

/// The contacts that wait to be written.
pub(crate) struct Contacts {
    store: Arc<Store>,
    waiting: Mutex<Waiting>,
    /// Held by whoever takes contacts, until they are written.
    writing: tokio::sync::Mutex<()>,
    dropped: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    contacts: Vec<ContactNote>,
    /// Whether a task is writing them.
    is_writing: bool,
}

impl Contacts {
    pub(crate) fn new(store: &Arc<Store>) -> Self {
        Self {
            store: Arc::clone(store),
            waiting: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
            dropped: AtomicU64::new(0),
        }
    }

    /// Notes `contact` without waiting.
    pub(crate) fn note(self: &Arc<Self>, contact: ContactNote) {
        let mut waiting = self.lock();
        if waiting.contacts.len() >= WAITING {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        waiting.contacts.push(contact);
        if !waiting.is_writing {
            waiting.is_writing = true;
            let contacts = Arc::clone(self);
            tokio::spawn(async move { contacts.write_what_gathers().await });
        }
    }

    /// Waits until what was noted before has been written or dropped; gives up at the deadline.
    pub(crate) async fn flush(&self, deadline: Deadline) {
        let Ok(_writing) = timeout_at(deadline.0.into(), self.writing.lock()).await else {
            return;
        };
        let contacts = take(&mut self.lock().contacts);
        if !contacts.is_empty() {
            self.write(contacts, deadline).await;
        }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.lock().contacts.len()
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write_what_gathers(&self) {
        loop {
            let _writing = self.writing.lock().await;
            let Some(contacts) = self.gathered() else { return };
            self.write(contacts, Deadline(Instant::now() + WRITING)).await;
        }
    }

    /// What has gathered; `None` when there is nothing, and then the next contact starts a task again.
    fn gathered(&self) -> Option<Vec<ContactNote>> {
        let mut waiting = self.lock();
        waiting.is_writing = !waiting.contacts.is_empty();
        waiting.is_writing.then(|| take(&mut waiting.contacts))
    }

    async fn write(&self, contacts: Vec<ContactNote>, deadline: Deadline) {
        let count = contacts.len();
        let write = move |write: &WriteTransaction| contacts.iter().try_for_each(|contact| note(write, contact));
        if let Err(error) = self.store.write("contacts", deadline, write).await {
            self.dropped.fetch_add(count as u64, Ordering::Relaxed);
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::warn!(contacts = count, %error, cause, "contacts could not be written");
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
