//! [`SummaryBacklog`]: what lacks a rewrite by a language model.
//!
//! Whatever is lacking has an entry under the time at which it is due. A claim moves the entry to the end of its lease,
//! so a claim stands exactly while there is an entry of its lease and the version that was claimed has not changed.

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, Turn},
    context::Deadline,
    error::PortError,
    facts::SaidFact,
    port::{
        Claim, Day, RequestId, Subject, SummaryBacklog,
        rewrite::{ATTEMPTS, WORTH_MS},
    },
    rewrite::{self, Rewrite},
};
use redb::WriteTransaction;
use uuid::Uuid;

use crate::{
    Redb, access, calls, facts,
    rows::{CallRow, CallerRow, WorkRow},
    schema::{CALLERS, CALLS, DUE_CALLERS, DUE_CALLS, REWRITE_REQUESTS, REWRITE_RESERVATIONS},
    table::{Order, View},
};

#[async_trait]
impl SummaryBacklog for Redb {
    async fn claim(&self, now_ms: i64, leased_until_ms: i64, deadline: Deadline) -> Result<Option<Claim>, PortError> {
        // Mostly nothing is due, and finding that out takes no commit.
        let look = move |view: &_| Ok::<_, PortError>(longest_due(view, now_ms)?.is_some());
        if !self.store.read("claim", deadline, look).await? {
            return Ok(None);
        }
        let write = move |write: &_| match longest_due(write, now_ms)? {
            Some(Work::Caller(tenant, number)) => claim_caller(write, tenant, &number, leased_until_ms),
            Some(Work::Call(tenant, id)) => claim_call(write, tenant, id, leased_until_ms),
            None => Ok(None),
        };
        self.store.write("claim", deadline, write).await
    }

    async fn reserve(
        &self,
        tenant: TenantId,
        day: Day,
        request: RequestId,
        cap: u32,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        let write = move |write: &_| {
            let TenantId(tenant) = tenant;
            let key = (tenant, day.0, request.0);
            if REWRITE_RESERVATIONS.get(write, key)?.is_some() {
                return Ok(true);
            }
            let counted = REWRITE_REQUESTS.get(write, (tenant, day.0))?.unwrap_or_default();
            if counted >= cap {
                return Ok(false);
            }
            REWRITE_REQUESTS.put(write, (tenant, day.0), &(counted + 1))?;
            REWRITE_RESERVATIONS.put(write, key, &())?;
            // Nobody asks again about what was let through before yesterday.
            let old = (tenant, i32::MIN, Uuid::nil())..=(tenant, day.0 - 2, Uuid::max());
            let old = REWRITE_RESERVATIONS.scan(write, old, Order::Ascending, usize::MAX, |key, ()| Ok(Some(key)))?;
            for key in old {
                REWRITE_RESERVATIONS.remove(write, key)?;
            }
            Ok(true)
        };
        self.store.write("request to the model", deadline, write).await
    }

    async fn settle(
        &self,
        claim: &Claim,
        rewrite: Option<Rewrite>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        let claim = claim.clone();
        let write = move |write: &_| {
            let TenantId(tenant) = claim.tenant;
            match claimed(write, &claim)? {
                Some(ClaimedWork::Caller(number, caller)) => settle_caller(write, tenant, &number, caller, rewrite)?,
                Some(ClaimedWork::Call(id, call)) => settle_call(write, tenant, id, call, rewrite, now_ms)?,
                None => return Ok(false),
            }
            Ok(true)
        };
        self.store.write("rewrite", deadline, write).await
    }

    async fn put_back(&self, claim: &Claim, due_ms: i64, counts: bool, deadline: Deadline) -> Result<(), PortError> {
        let claim = claim.clone();
        let write = move |write: &_| {
            let TenantId(tenant) = claim.tenant;
            let attempts = claim.attempt.saturating_sub(u32::from(!counts));
            let work = WorkRow {
                due_ms: Some(due_ms),
                attempts,
            };
            match claimed(write, &claim)? {
                Some(ClaimedWork::Caller(number, mut caller)) => {
                    set_caller_work(write, tenant, &number, &mut caller, work)?;
                    CALLERS.put(write, (tenant, &number), &caller)
                }
                Some(ClaimedWork::Call(id, mut call)) => {
                    set_call_work(write, tenant, id, &mut call, work)?;
                    CALLS.put(write, (tenant, id), &call)
                }
                None => Ok(()),
            }
        };
        self.store.write("work put back", deadline, write).await
    }
}

/// A call lacks a rewrite from `at_ms` on, with all of its attempts. Does not write the row.
pub(crate) fn lack_call(
    write: &WriteTransaction,
    tenant: Uuid,
    id: Uuid,
    call: &mut CallRow,
    at_ms: i64,
) -> Result<(), PortError> {
    set_call_work(write, tenant, id, call, lacking_since(at_ms))
}

/// A caller lacks a rewrite from `at_ms` on, with all of its attempts. Does not write the row.
pub(crate) fn lack_caller(
    write: &WriteTransaction,
    tenant: Uuid,
    number: &str,
    caller: &mut CallerRow,
    at_ms: i64,
) -> Result<(), PortError> {
    set_caller_work(write, tenant, number, caller, lacking_since(at_ms))
}

/// What was lacking of a call that is being replaced is lacking no more.
pub(crate) fn forget_call(write: &WriteTransaction, tenant: Uuid, id: Uuid, work: WorkRow) -> Result<(), PortError> {
    match work.due_ms {
        Some(due_ms) => DUE_CALLS.remove(write, (tenant, due_ms, id)),
        None => Ok(()),
    }
}

fn lacking_since(at_ms: i64) -> WorkRow {
    WorkRow {
        due_ms: Some(at_ms),
        attempts: 0,
    }
}

fn set_call_work(
    write: &WriteTransaction,
    tenant: Uuid,
    id: Uuid,
    call: &mut CallRow,
    work: WorkRow,
) -> Result<(), PortError> {
    forget_call(write, tenant, id, call.work)?;
    if let Some(due_ms) = work.due_ms {
        DUE_CALLS.put(write, (tenant, due_ms, id), &())?;
    }
    call.work = work;
    Ok(())
}

fn set_caller_work(
    write: &WriteTransaction,
    tenant: Uuid,
    number: &str,
    caller: &mut CallerRow,
    work: WorkRow,
) -> Result<(), PortError> {
    if let Some(due_ms) = caller.work.due_ms {
        DUE_CALLERS.remove(write, (tenant, due_ms, caller.id))?;
    }
    if let Some(due_ms) = work.due_ms {
        DUE_CALLERS.put(write, (tenant, due_ms, caller.id), &number.to_owned())?;
    }
    caller.work = work;
    Ok(())
}

/// Something that may be claimed, with its tenant.
enum Work {
    Caller(Uuid, String),
    Call(Uuid, Uuid),
}

/// What has been due for longest, callers first.
fn longest_due(view: &impl View, now_ms: i64) -> Result<Option<Work>, PortError> {
    let worth_ms = now_ms.saturating_sub(WORTH_MS);
    let (mut callers, mut calls) = (Vec::new(), Vec::new());
    for tenant in access::tenant_ids(view)? {
        let range = (tenant, worth_ms, Uuid::nil())..=(tenant, now_ms, Uuid::max());
        callers.extend(
            DUE_CALLERS.scan(view, range.clone(), Order::Ascending, 1, |(_, due_ms, _), number| {
                let caller = CALLERS.get(view, (tenant, &number))?;
                let is_worth_it = caller.is_some_and(|caller| {
                    caller.work.attempts < ATTEMPTS && caller.memory_changed_ms.is_some_and(|ms| ms >= worth_ms)
                });
                Ok(is_worth_it.then_some((due_ms, Work::Caller(tenant, number))))
            })?,
        );
        calls.extend(DUE_CALLS.scan(view, range, Order::Ascending, 1, |(_, due_ms, id), ()| {
            let call = CALLS.get(view, (tenant, id))?;
            let is_worth_it = call.is_some_and(|call| call.work.attempts < ATTEMPTS && call.received_at_ms >= worth_ms);
            Ok(is_worth_it.then_some((due_ms, Work::Call(tenant, id))))
        })?);
    }
    let longest = |work: Vec<(i64, Work)>| work.into_iter().min_by_key(|(due_ms, _)| *due_ms);
    Ok(longest(callers).or_else(|| longest(calls)).map(|(_, work)| work))
}

fn leased(work: WorkRow, until_ms: i64) -> WorkRow {
    WorkRow {
        due_ms: Some(until_ms),
        attempts: work.attempts + 1,
    }
}

fn claim_caller(
    write: &WriteTransaction,
    tenant: Uuid,
    number: &str,
    leased_until_ms: i64,
) -> Result<Option<Claim>, PortError> {
    let Some(mut caller) = CALLERS.get(write, (tenant, number))? else {
        return Ok(None);
    };
    let work = leased(caller.work, leased_until_ms);
    set_caller_work(write, tenant, number, &mut caller, work)?;
    CALLERS.put(write, (tenant, number), &caller)?;
    Ok(Some(Claim {
        tenant: TenantId(tenant),
        subject: Subject::Caller {
            caller: caller.id,
            total_calls: caller.total_calls,
            recent_calls: calls::recent(write, tenant, number)?,
            facts: caller.facts(),
        },
        version: version(caller.changes),
        attempt: caller.work.attempts,
        leased_until_ms,
    }))
}

fn claim_call(
    write: &WriteTransaction,
    tenant: Uuid,
    id: Uuid,
    leased_until_ms: i64,
) -> Result<Option<Claim>, PortError> {
    let Some(mut call) = CALLS.get(write, (tenant, id))? else {
        return Ok(None);
    };
    let work = leased(call.work, leased_until_ms);
    set_call_work(write, tenant, id, &mut call, work)?;
    CALLS.put(write, (tenant, id), &call)?;
    Ok(Some(Claim {
        tenant: TenantId(tenant),
        subject: Subject::Call {
            call: CallId(id),
            transcript: transcript(write, tenant, id)?,
        },
        version: version(call.corrections),
        attempt: call.work.attempts,
        leased_until_ms,
    }))
}

fn transcript(view: &impl View, tenant: Uuid, call: Uuid) -> Result<Vec<Turn>, PortError> {
    Ok(calls::transcript(view, tenant, call)?.unwrap_or_default())
}

fn version(count: u64) -> Vec<u8> {
    count.to_be_bytes().to_vec()
}

/// What a claim is about, while it stands.
enum ClaimedWork {
    Caller(String, CallerRow),
    Call(Uuid, CallRow),
}

fn claimed(view: &impl View, claim: &Claim) -> Result<Option<ClaimedWork>, PortError> {
    let (TenantId(tenant), until_ms) = (claim.tenant, claim.leased_until_ms);
    match &claim.subject {
        Subject::Caller { caller, .. } => {
            let Some(number) = DUE_CALLERS.get(view, (tenant, until_ms, *caller))? else {
                return Ok(None);
            };
            let caller = CALLERS.get(view, (tenant, &number))?;
            let stands = caller.filter(|caller| version(caller.changes) == claim.version);
            Ok(stands.map(|caller| ClaimedWork::Caller(number, caller)))
        }
        Subject::Call { call, .. } => {
            let id = call.0;
            if DUE_CALLS.get(view, (tenant, until_ms, id))?.is_none() {
                return Ok(None);
            }
            let call = CALLS.get(view, (tenant, id))?;
            let stands = call.filter(|call| version(call.corrections) == claim.version);
            Ok(stands.map(|call| ClaimedWork::Call(id, call)))
        }
    }
}

fn settle_caller(
    write: &WriteTransaction,
    tenant: Uuid,
    number: &str,
    mut caller: CallerRow,
    rewrite: Option<Rewrite>,
) -> Result<(), PortError> {
    set_caller_work(write, tenant, number, &mut caller, WorkRow::default())?;
    if let Some(rewrite) = rewrite {
        caller.rewrite = Some((rewrite.summary, caller.changes));
    }
    CALLERS.put(write, (tenant, number), &caller)
}

/// Keeps the rewrite of a call; its caller lacks one from now on.
fn settle_call(
    write: &WriteTransaction,
    tenant: Uuid,
    id: Uuid,
    mut call: CallRow,
    rewrite: Option<Rewrite>,
    now_ms: i64,
) -> Result<(), PortError> {
    set_call_work(write, tenant, id, &mut call, WorkRow::default())?;
    let number = call.report.number.clone();
    let caller = CALLERS.get(write, (tenant, &number))?;
    let mut caller = caller.ok_or_else(|| PortError::Internal("a call without its caller".into()))?;
    if let Some(rewrite) = rewrite {
        call.summary = rewrite.summary;
        let transcript = transcript(write, tenant, id)?;
        let said = rewrite.facts.into_iter().filter_map(|fact| {
            let turn = transcript.get(fact.turn)?;
            Some(SaidFact::new(fact, turn, call.started_at_ms, call.received_at_ms))
        });
        let known = facts::of_call(write, tenant, &call)?;
        let joining = rewrite::beside(
            known
                .iter()
                .filter_map(|fact| fact.stated().map(|stated| (stated.key, stated.value))),
            said.collect(),
        );
        facts::add(write, tenant, &number, &mut caller, (id, &mut call), &joining)?;
    }
    lack_caller(write, tenant, &number, &mut caller, now_ms)?;
    CALLERS.put(write, (tenant, &number), &caller)?;
    CALLS.put(write, (tenant, id), &call)
}
