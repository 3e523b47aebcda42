//! The commit of an ended call, in one transaction that can be repeated and overtaken.

use domain::{
    call::{CallId, SessionId},
    error::PortError,
    memory::CallRecord,
    themes::Themes,
};
use redb::WriteTransaction;
use uuid::Uuid;

use crate::{
    backlog, contact, facts,
    rows::{CallRow, CallerRow, ReportRow, SessionRow, TurnRow, WorkRow},
    schema::{CALLERS, CALLS, CALLS_OF_CALLER, COMMITS, SESSIONS, TRANSCRIPTS, session_key},
};

/// Commits the call that `process` was told of.
pub(crate) fn record(
    write: &WriteTransaction,
    tenant: Uuid,
    process: Uuid,
    record: &CallRecord,
) -> Result<(), PortError> {
    let session = &record.call.session_id;
    let row = SESSIONS
        .get(write, (tenant, &session_key(session)))?
        .unwrap_or_default();
    let stored = match row.call {
        Some(id) => CALLS.get(write, (tenant, id))?.map(|call| (id, call)),
        None => None,
    };
    let Some((id, stored)) = stored else {
        return insert(write, tenant, process, record, session, row);
    };
    if stored.process == process && stored.arrival > record.arrival.0 {
        return Ok(());
    }
    let transcript = transcript(record);
    if stored.report == ReportRow::new(&record.call)
        && TRANSCRIPTS.get(write, (tenant, id))?.as_ref() == Some(&transcript)
    {
        let arrived = CallRow {
            process,
            arrival: record.arrival.0,
            ..stored
        };
        return CALLS.put(write, (tenant, id), &arrived);
    }
    let corrected = CallRow {
        commit: stored.commit,
        corrections: stored.corrections + 1,
        // A call marks a number once.
        no_more_calls: stored.no_more_calls && stored.report.number == record.call.number.as_e164(),
        ..call(process, record, &row)
    };
    take_away(write, tenant, id, &stored, record)?;
    TRANSCRIPTS.put(write, (tenant, id), &transcript)?;
    let of_same = stored.report.number == record.call.number.as_e164();
    put(write, tenant, id, corrected, record, !of_same)
}

/// Commits the first report of a call.
fn insert(
    write: &WriteTransaction,
    tenant: Uuid,
    process: Uuid,
    record: &CallRecord,
    session: &SessionId,
    row: SessionRow,
) -> Result<(), PortError> {
    let id = Uuid::now_v7();
    let commit = COMMITS.get(write, tenant)?.unwrap_or_default() + 1;
    COMMITS.put(write, tenant, &commit)?;
    let call = CallRow {
        commit,
        ..call(process, record, &row)
    };
    contact::close(write, tenant, session, &row)?;
    let ended = SessionRow { call: Some(id), ..row };
    SESSIONS.put(write, (tenant, &session_key(session)), &ended)?;
    TRANSCRIPTS.put(write, (tenant, id), &transcript(record))?;
    put(write, tenant, id, call, record, true)
}

fn transcript(record: &CallRecord) -> Vec<TurnRow> {
    record.call.transcript.iter().map(TurnRow::new).collect()
}

/// The row of a call that has no place among the others yet.
fn call(process: Uuid, record: &CallRecord, session: &SessionRow) -> CallRow {
    let recalled_at_ms = session.begun.as_ref().map(|begun| begun.at_ms);
    CallRow {
        report: ReportRow::new(&record.call),
        summary: record.summary.clone(),
        started_at_ms: recalled_at_ms.unwrap_or(record.started_at_ms),
        received_at_ms: record.received_at_ms,
        commit: 0,
        corrections: 0,
        process,
        arrival: record.arrival.0,
        facts: Vec::new(),
        work: WorkRow::default(),
        themes: record.themes.as_str().to_owned(),
        no_more_calls: false,
    }
}

/// Takes what the former report said away from the caller it said it of.
fn take_away(
    write: &WriteTransaction,
    tenant: Uuid,
    id: Uuid,
    former: &CallRow,
    record: &CallRecord,
) -> Result<(), PortError> {
    let number = former.report.number.as_str();
    CALLS_OF_CALLER.remove(write, (tenant, number, former.started_at_ms, former.commit))?;
    backlog::forget_call(write, tenant, id, former.work)?;
    let Some(mut caller) = CALLERS.get(write, (tenant, number))? else {
        return Ok(());
    };
    facts::remove(write, tenant, number, &mut caller, (id, former))?;
    caller.total_calls -= 1;
    let before = Themes::stored(former.themes.clone());
    caller.set_themes(&caller.themes().corrected(&before, &Themes::default()));
    if record.call.transcript.is_empty() {
        caller.rewrite = None;
    }
    caller.changed(record.received_at_ms);
    if number != record.call.number.as_e164() {
        backlog::lack_caller(write, tenant, number, &mut caller, record.received_at_ms)?;
    }
    CALLERS.put(write, (tenant, number), &caller)
}

/// Writes the call and gives it to its caller, for whom it `is_one_more` or one that was corrected.
fn put(
    write: &WriteTransaction,
    tenant: Uuid,
    id: Uuid,
    mut call: CallRow,
    record: &CallRecord,
    is_one_more: bool,
) -> Result<(), PortError> {
    let number = record.call.number.as_e164();
    let caller = CALLERS.get(write, (tenant, number))?;
    let mut caller = caller.unwrap_or_else(|| CallerRow::new(record.contact.last_ms));
    caller.total_calls += 1;
    caller.first_seen_ms = caller.first_seen_ms.min(record.contact.first_ms);
    caller.last_seen_ms = caller.last_seen_ms.max(record.contact.last_ms);
    caller.changed(record.received_at_ms);
    let themes = if is_one_more {
        caller.themes().with(&record.themes)
    } else {
        caller.themes().corrected(&Themes::default(), &record.themes)
    };
    caller.set_themes(&themes);
    let mut trace = caller.trace();
    trace.call(record.span());
    caller.set_trace(&trace);
    CALLS_OF_CALLER.put(write, (tenant, number, call.started_at_ms, call.commit), &id)?;
    let said = record.facts_since(call.started_at_ms);
    facts::add(write, tenant, number, &mut caller, (id, &mut call), &said)?;
    if let Some(wish) = &record.no_more_calls {
        if !call.no_more_calls {
            let mark = caller.do_not_call().unwrap_or_else(|| wish.mark(CallId(id)));
            caller.set_do_not_call(Some(mark));
        }
        call.no_more_calls = true;
    }
    backlog::lack_call(write, tenant, id, &mut call, record.received_at_ms)?;
    CALLERS.put(write, (tenant, number), &caller)?;
    CALLS.put(write, (tenant, id), &call)
}
