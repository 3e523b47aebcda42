//! The commit of an ended call: one transaction that can be repeated, overtaken and tried again.
//!
//! The call's row carries who wrote it last (`writer`, `arrival`) and a hash of what the client reported. A report
//! reads them first and writes only over what it read, so that no lock is held while it decides; when another report
//! came in between, the transaction begins again.
//!
//! Locks are taken in one order, sessions before callers before calls, here and where contacts are written.

use std::sync::Arc;

use domain::{
    call::EndedCall,
    error::PortError,
    identity::SILENCE_MS,
    memory::{CallRecord, Wish},
    themes::Themes,
};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, FromQueryResult, Statement};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    facts::{self, FactRows},
    session::{LOCKS, SessionKey},
    transaction::{Decision, TransactionFuture, read_one, run},
    transcript,
};

/// An ended call on its way into its row.
#[derive(Clone)]
pub(crate) struct EndedRow {
    tenant: Uuid,
    record: Arc<CallRecord>,
    session_key: SessionKey,
    writer: Uuid,
    body_hash: Vec<u8>,
    transcript: Vec<u8>,
}

/// What a report finds of its session.
#[derive(FromQueryResult)]
struct StoredCall {
    id: Uuid,
    caller_id: Uuid,
    phone_number: String,
    writer: Uuid,
    arrival: i64,
    body_hash: Vec<u8>,
    themes: Option<String>,
    no_more_calls: bool,
}

/// The caller of an ended call: who it is, and what they spoke of before it.
#[derive(FromQueryResult)]
struct CountedCaller {
    id: Uuid,
    themes: Option<String>,
}

/// What a caller speaks of.
#[derive(FromQueryResult)]
pub(crate) struct ThemesRow {
    pub(crate) themes: Option<String>,
}

/// When a call that was written began, in milliseconds since the epoch.
#[derive(FromQueryResult)]
struct StartRow {
    started_at_ms: i64,
}

pub(crate) const FIND: &str = "\
SELECT k.id, k.caller_id, c.phone_number, k.writer, k.arrival, k.body_hash, k.themes, k.no_more_calls
FROM calls AS k JOIN callers AS c ON c.id = k.caller_id AND c.tenant_id = k.tenant_id
WHERE k.tenant_id = $1 AND k.session_key = $2";

/// The same report again: only its arrival counts.
const ARRIVE_AGAIN: &str = "\
UPDATE calls SET writer = $3, arrival = $4
WHERE tenant_id = $1 AND id = $2 AND writer = $5 AND arrival = $6 AND body_hash = $7";

/// Finds or creates the caller, whose row it locks, and counts the call.
const COUNT_SQLITE: &str = "\
INSERT INTO callers (id, tenant_id, phone_number, first_seen_ms, last_seen_ms, total_calls, memory_changed_ms, tags,
  custom_attributes, last_call_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, '[]', '{}', $5)
ON CONFLICT (tenant_id, phone_number) DO UPDATE SET
  first_seen_ms = CASE WHEN callers.first_seen_ms > excluded.first_seen_ms
    THEN excluded.first_seen_ms ELSE callers.first_seen_ms END,
  last_seen_ms = CASE WHEN callers.last_seen_ms < excluded.last_seen_ms
    THEN excluded.last_seen_ms ELSE callers.last_seen_ms END,
  total_calls = callers.total_calls + excluded.total_calls,
  memory_changed_ms = excluded.memory_changed_ms,
  returned_ms = CASE WHEN $8 - callers.last_call_ms > 7776000000 THEN $8 ELSE callers.returned_ms END,
  last_call_ms = CASE WHEN callers.last_call_ms > excluded.last_call_ms
    THEN callers.last_call_ms ELSE excluded.last_call_ms END
RETURNING id, themes";
const _: () = assert!(SILENCE_MS == 7_776_000_000, "the silence in the statements here");

/// The same on PostgreSQL, where the session is locked first: a contact that is being written is then visible to the
/// statements that follow, or sees the call. Ends of calls do not wait for each other.
const COUNT_POSTGRES: &str = "\
WITH session AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared($9, $10))
INSERT INTO callers (id, tenant_id, phone_number, first_seen_ms, last_seen_ms, total_calls, memory_changed_ms, tags,
  custom_attributes, last_call_ms)
SELECT $1, $2, $3, $4, $5, $6, $7, '[]', '{}', $5 FROM session
ON CONFLICT (tenant_id, phone_number) DO UPDATE SET
  first_seen_ms = LEAST(callers.first_seen_ms, excluded.first_seen_ms),
  last_seen_ms = GREATEST(callers.last_seen_ms, excluded.last_seen_ms),
  total_calls = callers.total_calls + excluded.total_calls,
  memory_changed_ms = excluded.memory_changed_ms,
  returned_ms = CASE WHEN $8 - callers.last_call_ms > 7776000000 THEN $8 ELSE callers.returned_ms END,
  last_call_ms = GREATEST(callers.last_call_ms, excluded.last_call_ms)
RETURNING id, themes";

/// The session's first recall tells the start better than the report.
const INSERT: &str = "\
INSERT INTO calls (id, tenant_id, caller_id, session_key, session_id, started_at_ms, received_at_ms, duration_s,
  outcome, summary, writer, arrival, body_hash, agent_metadata, transcript, rewrite_due_ms, themes, rules)
VALUES ($1, $2, $3, $4, $5,
  COALESCE((SELECT recalled_at_ms FROM contacts WHERE tenant_id = $2 AND session_key = $4), $6),
  $7, $8, $9, $10, $11, $12, $13, $14, $15, $7, $16, $17)
ON CONFLICT (tenant_id, session_key) DO NOTHING
RETURNING started_at_ms";

/// A session that was recalled is open until its call is there.
const CLOSE: &str = "UPDATE contacts SET ended = true WHERE tenant_id = $1 AND session_key = $2";

const REPLACE: &str = "\
UPDATE calls SET caller_id = $3,
  started_at_ms = COALESCE((SELECT recalled_at_ms FROM contacts WHERE tenant_id = $2 AND session_key = $4), $5),
  received_at_ms = $6, duration_s = $7, outcome = $8, summary = $9, writer = $10, arrival = $11, body_hash = $12,
  agent_metadata = $13, transcript = $14, rewrite_due_ms = $6, rewrite_attempts = 0, themes = $18, rules = $19
WHERE id = $1 AND tenant_id = $2 AND writer = $15 AND arrival = $16 AND body_hash = $17
RETURNING started_at_ms";

/// The correction of a number takes the call away from the caller it was counted for, who lacks a rewrite from then on.
const UNCOUNT: &str = "\
UPDATE callers SET total_calls = total_calls - 1, memory_changed_ms = $3, rewrite_due_ms = $3, rewrite_attempts = 0
WHERE tenant_id = $1 AND id = $2
RETURNING themes";

/// What a caller speaks of after a call, or after the correction of one. The caller is locked.
pub(crate) const SET_THEMES: &str = "UPDATE callers SET themes = $3 WHERE tenant_id = $1 AND id = $2";

/// Marks a caller who does not want to be called; the first mark stays.
pub(crate) const MARK: &str = "\
UPDATE callers SET do_not_call_ms = $3, do_not_call_quote = $4, do_not_call_id = $5
WHERE tenant_id = $1 AND id = $2 AND do_not_call_ms IS NULL";

/// A call marks its caller once.
pub(crate) const MARKED: &str = "UPDATE calls SET no_more_calls = true WHERE tenant_id = $1 AND id = $2";

/// What a language model made of the caller's calls, one of which may no longer be told.
const FORGET_REWRITE: &str = "\
UPDATE callers SET rewrite = NULL, rewrite_for_ms = NULL WHERE tenant_id = $1 AND id = $2 AND rewrite IS NOT NULL";

impl EndedRow {
    /// The row of `record`, reported to the process `writer`.
    pub(crate) fn new(tenant: Uuid, record: &CallRecord, writer: Uuid) -> Result<Self, PortError> {
        let call = &record.call;
        let transcript = transcript::to_json(&call.transcript)?;
        Ok(Self {
            tenant,
            session_key: SessionKey::of(&call.session_id),
            writer,
            body_hash: body_hash(call, &transcript),
            transcript: transcript::compress(&transcript)?,
            record: Arc::new(record.clone()),
        })
    }

    fn agent_metadata(&self) -> Option<String> {
        let metadata = self.record.call.agent_metadata.as_ref();
        metadata.map(|json| json.as_str().to_owned())
    }

    /// Commits the row; see the module.
    pub(crate) fn commit<'t>(&self, transaction: &'t DatabaseTransaction) -> TransactionFuture<'t, ()> {
        let row = self.clone();
        Box::pin(async move { row.work(transaction).await })
    }

    async fn work(self, transaction: &DatabaseTransaction) -> Result<Decision<()>, DbErr> {
        let stored = self.find(transaction).await?;
        let Some(stored) = stored else {
            let CountedCaller { id: caller, themes } = self.count(transaction, 1).await?;
            // Made while the caller is locked, so that a caller's calls have ids in the order of their commits.
            let call = Uuid::now_v7();
            let Some(inserted) = self.insert(transaction, call, caller).await? else {
                return Ok(Decision::Again);
            };
            self.close_session(transaction).await?;
            self.write_facts(transaction, call, caller, &inserted).await?;
            if !self.record.themes.is_empty() {
                let themes = kept(themes).with(&self.record.themes);
                set_themes(transaction, self.tenant, caller, &themes).await?;
            }
            self.mark(transaction, call, caller).await?;
            return Ok(Decision::Commit(()));
        };
        if stored.writer == self.writer && stored.arrival > self.record.arrival.0 {
            return Ok(Decision::Discard(()));
        }
        if stored.body_hash == self.body_hash {
            return Ok(written(&self.arrive_again(transaction, stored).await?));
        }
        let moved = stored.phone_number != self.record.call.number.as_e164();
        let CountedCaller { id: caller, themes } = self.count(transaction, i64::from(moved)).await?;
        let (call, former) = (stored.id, stored.caller_id);
        let marks = moved || !stored.no_more_calls;
        let (before, now) = (kept(stored.themes.clone()), &self.record.themes);
        if moved {
            let values = [self.tenant.into(), former.into(), self.record.received_at_ms.into()];
            let row: Option<ThemesRow> = read_one(transaction, UNCOUNT, values).await?;
            let of_former = kept(row.and_then(|row| row.themes)).corrected(&before, &Themes::default());
            set_themes(transaction, self.tenant, former, &of_former).await?;
            let themes = kept(themes).with(now);
            set_themes(transaction, self.tenant, caller, &themes).await?;
        } else if before != *now {
            let themes = kept(themes).corrected(&before, now);
            set_themes(transaction, self.tenant, caller, &themes).await?;
        }
        let Some(replaced) = self.replace(transaction, caller, stored).await? else {
            return Ok(Decision::Again);
        };
        facts::take_away(transaction, self.tenant, call, former).await?;
        self.write_facts(transaction, call, caller, &replaced).await?;
        if marks {
            self.mark(transaction, call, caller).await?;
        }
        if self.record.call.transcript.is_empty() {
            run(transaction, FORGET_REWRITE, [self.tenant.into(), former.into()]).await?;
        }
        Ok(Decision::Commit(()))
    }

    async fn close_session(&self, transaction: &DatabaseTransaction) -> Result<ExecResult, DbErr> {
        let values = [self.tenant.into(), self.session_key.to_bytes().into()];
        run(transaction, CLOSE, values).await
    }

    /// Writes the facts, with their times counted from the start that the call has been given.
    async fn write_facts(
        &self,
        transaction: &DatabaseTransaction,
        call: Uuid,
        caller: Uuid,
        StartRow { started_at_ms }: &StartRow,
    ) -> Result<(), DbErr> {
        let said = self.record.facts_since(*started_at_ms);
        FactRows::new(&said)
            .write(transaction, self.tenant, call, caller, self.record.received_at_ms)
            .await
    }

    /// Marks the caller when the call says that they do not want to be called.
    async fn mark(&self, transaction: &DatabaseTransaction, call: Uuid, caller: Uuid) -> Result<(), DbErr> {
        let Some(wish) = &self.record.no_more_calls else {
            return Ok(());
        };
        mark(transaction, self.tenant, caller, call, wish).await?;
        run(transaction, MARKED, [self.tenant.into(), call.into()]).await?;
        Ok(())
    }

    async fn find(&self, transaction: &DatabaseTransaction) -> Result<Option<StoredCall>, DbErr> {
        let values = [self.tenant.into(), self.session_key.to_bytes().into()];
        read_one(transaction, FIND, values).await
    }

    async fn count(&self, transaction: &DatabaseTransaction, calls: i64) -> Result<CountedCaller, DbErr> {
        let mut values = vec![
            Uuid::now_v7().into(),
            self.tenant.into(),
            self.record.call.number.as_e164().into(),
            self.record.contact.first_ms.into(),
            self.record.contact.last_ms.into(),
            calls.into(),
            self.record.received_at_ms.into(),
            self.record.span().first_ms.into(),
        ];
        let dialect = transaction.get_database_backend();
        let count = if dialect == DbBackend::Sqlite {
            COUNT_SQLITE
        } else {
            values.extend([LOCKS.into(), self.session_key.lock().into()]);
            COUNT_POSTGRES
        };
        let row = transaction
            .query_one_raw(Statement::from_sql_and_values(dialect, count, values))
            .await?;
        CountedCaller::from_query_result(&row.ok_or(DbErr::RecordNotInserted)?, "")
    }

    async fn insert(
        &self,
        transaction: &DatabaseTransaction,
        call: Uuid,
        caller: Uuid,
    ) -> Result<Option<StartRow>, DbErr> {
        let values = [
            call.into(),
            self.tenant.into(),
            caller.into(),
            self.session_key.to_bytes().into(),
            self.record.call.session_id.0.clone().into(),
            self.record.started_at_ms.into(),
            self.record.received_at_ms.into(),
            self.record.call.duration_s.into(),
            self.record.call.outcome.as_str().into(),
            self.record.summary.clone().into(),
            self.writer.into(),
            self.record.arrival.0.into(),
            self.body_hash.clone().into(),
            self.agent_metadata().into(),
            self.transcript.clone().into(),
            self.record.themes.as_str().into(),
            i64::from(self.record.rules).into(),
        ];
        read_one(transaction, INSERT, values).await
    }

    async fn replace(
        &self,
        transaction: &DatabaseTransaction,
        caller: Uuid,
        stored: StoredCall,
    ) -> Result<Option<StartRow>, DbErr> {
        let values = [
            stored.id.into(),
            self.tenant.into(),
            caller.into(),
            self.session_key.to_bytes().into(),
            self.record.started_at_ms.into(),
            self.record.received_at_ms.into(),
            self.record.call.duration_s.into(),
            self.record.call.outcome.as_str().into(),
            self.record.summary.clone().into(),
            self.writer.into(),
            self.record.arrival.0.into(),
            self.body_hash.clone().into(),
            self.agent_metadata().into(),
            self.transcript.clone().into(),
            stored.writer.into(),
            stored.arrival.into(),
            stored.body_hash.into(),
            self.record.themes.as_str().into(),
            i64::from(self.record.rules).into(),
        ];
        read_one(transaction, REPLACE, values).await
    }

    async fn arrive_again(&self, transaction: &DatabaseTransaction, stored: StoredCall) -> Result<ExecResult, DbErr> {
        let values = [
            self.tenant.into(),
            stored.id.into(),
            self.writer.into(),
            self.record.arrival.0.into(),
            stored.writer.into(),
            stored.arrival.into(),
            stored.body_hash.into(),
        ];
        run(transaction, ARRIVE_AGAIN, values).await
    }
}

/// The themes that a row keeps; one of an earlier release has none.
pub(crate) fn kept(themes: Option<String>) -> Themes {
    Themes::stored(themes.unwrap_or_default())
}

pub(crate) async fn set_themes(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    caller: Uuid,
    themes: &Themes,
) -> Result<ExecResult, DbErr> {
    let values = [tenant.into(), caller.into(), themes.as_str().into()];
    run(transaction, SET_THEMES, values).await
}

/// Marks the caller who said so in the call; whether they were not marked.
pub(crate) async fn mark(
    transaction: &DatabaseTransaction,
    tenant: Uuid,
    caller: Uuid,
    call: Uuid,
    wish: &Wish,
) -> Result<bool, DbErr> {
    let values = [
        tenant.into(),
        caller.into(),
        wish.at_ms.into(),
        wish.quote.clone().into(),
        call.into(),
    ];
    Ok(run(transaction, MARK, values).await?.rows_affected() > 0)
}

/// Nothing written means that another report of the session came in between.
fn written(result: &ExecResult) -> Decision<()> {
    if result.rows_affected() == 0 {
        Decision::Again
    } else {
        Decision::Commit(())
    }
}

/// SHA-256 of everything a client reports of a call. Each part is preceded by its length, so that no two reports run
/// together.
fn body_hash(call: &EndedCall, transcript: &[u8]) -> Vec<u8> {
    let EndedCall {
        session_id,
        number,
        transcript: _,
        duration_s,
        outcome,
        agent_metadata,
    } = call;
    let metadata = agent_metadata.as_ref().map(|json| json.as_str().as_bytes());
    let parts: [&[u8]; 7] = [
        session_id.0.as_bytes(),
        number.as_e164().as_bytes(),
        transcript,
        &duration_s.to_bits().to_be_bytes(),
        outcome.as_str().as_bytes(),
        &[u8::from(metadata.is_some())],
        metadata.unwrap_or_default(),
    ];
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().to_vec()
}
