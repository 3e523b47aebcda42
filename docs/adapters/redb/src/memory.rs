//! [`CallerMemory`]: recalls, profiles and transcripts. Call ends are in `end.rs`.

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, Turn},
    caller::Caller,
    context::Deadline,
    error::PortError,
    identity::Trace,
    memory::{CallRecord, MOST_GAPS, Recollection},
    phone::PhoneNumber,
    port::{CallerMemory, RecallQuery},
};
use redb::WriteTransaction;
use uuid::Uuid;

use crate::{
    Redb, calls,
    contact::{self, ContactNote},
    end, lookups,
    rows::CallerRow,
    schema::{CALLERS, FIRST_SESSION, LAST_SESSION, OPEN_OF_CALLER, session_key},
    table::{Order, View},
};

#[async_trait]
impl CallerMemory for Redb {
    async fn recall(
        &self,
        tenant: TenantId,
        query: &RecallQuery,
        deadline: Deadline,
    ) -> Result<Recollection, PortError> {
        let contact = ContactNote {
            tenant,
            number: query.number.clone(),
            session: query.session_id.clone(),
            at_ms: query.now_ms,
        };
        let asked = query.clone();
        let read = move |view: &_| recollect(view, tenant.0, &asked);
        if let Some(recollection) = self.store.read("recall", deadline, read).await? {
            // One that finds the queue full is dropped, and counted there.
            let _ = self.contacts.push(contact);
            return Ok(recollection);
        }
        let asked = query.clone();
        let write = move |write: &_| first_contact(write, &contact, &asked);
        self.store.write("first recall", deadline, write).await
    }

    async fn record_end(&self, tenant: TenantId, record: &CallRecord, deadline: Deadline) -> Result<(), PortError> {
        let (process, record) = (self.process, record.clone());
        let write = move |write: &_| end::record(write, tenant.0, process, &record);
        self.store.write("call end", deadline, write).await
    }

    async fn caller(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<Caller>, PortError> {
        let number = number.clone();
        let read = move |view: &_| {
            let caller = CALLERS.get(view, (tenant.0, number.as_e164()))?;
            Ok(caller.map(|caller| caller.caller()))
        };
        self.store.read("caller", deadline, read).await
    }

    async fn trace(&self, tenant: TenantId, number: &PhoneNumber, deadline: Deadline) -> Result<Trace, PortError> {
        let number = number.clone();
        let read = move |view: &_| {
            let caller = CALLERS.get(view, (tenant.0, number.as_e164()))?;
            Ok(caller.map(|caller| caller.trace()).unwrap_or_default())
        };
        self.store.read("trace", deadline, read).await
    }

    async fn transcript(
        &self,
        tenant: TenantId,
        call_id: CallId,
        deadline: Deadline,
    ) -> Result<Option<Vec<Turn>>, PortError> {
        let read = move |view: &_| calls::transcript(view, tenant.0, call_id.0);
        self.store.read("transcript", deadline, read).await
    }
}

/// What is known of a caller; `None` when there is no such caller.
fn recollect(view: &impl View, tenant: Uuid, query: &RecallQuery) -> Result<Option<Recollection>, PortError> {
    let number = query.number.as_e164();
    let Some(row) = CALLERS.get(view, (tenant, number))? else {
        return Ok(None);
    };
    Ok(Some(Recollection {
        known: true,
        caller: row.caller(),
        memory_changed_ms: row.memory_changed_ms,
        summary: row.summary(),
        recent_calls: calls::recent(view, tenant, number)?,
        facts: row.facts(),
        themes: row.themes(),
        gaps: gaps(view, tenant, query)?,
        trace: row.trace(),
        lookups: lookups::of_number(view, tenant, number)?,
    }))
}

/// A recall of a caller who was not there a moment ago: of those that come at once, the first creates the caller.
fn first_contact(
    write: &WriteTransaction,
    contact: &ContactNote,
    query: &RecallQuery,
) -> Result<Recollection, PortError> {
    let TenantId(tenant) = contact.tenant;
    let key = (tenant, query.number.as_e164());
    let is_new = CALLERS.get(write, key)?.is_none();
    if is_new {
        CALLERS.put(write, key, &CallerRow::new(query.now_ms))?;
    }
    let known = recollect(write, tenant, query)?;
    contact::note(write, contact)?;
    let recollection = known.ok_or_else(|| PortError::Internal("the caller just written is not there".into()))?;
    Ok(Recollection {
        known: !is_new,
        ..recollection
    })
}

/// How many calls of the caller were begun long ago and never ended, this one not among them.
fn gaps(view: &impl View, tenant: Uuid, query: &RecallQuery) -> Result<u64, PortError> {
    let number = query.number.as_e164();
    let range = (tenant, number, i64::MIN, FIRST_SESSION)..=(tenant, number, query.unfinished_before_ms, LAST_SESSION);
    let own = query.session_id.as_ref().map(session_key);
    let most = usize::try_from(MOST_GAPS).unwrap_or(usize::MAX);
    let gaps = OPEN_OF_CALLER.scan(view, range, Order::Ascending, most, |(.., session), ()| {
        Ok((own.as_ref() != Some(session)).then_some(()))
    })?;
    Ok(gaps.len() as u64)
}
