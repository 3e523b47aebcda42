//! The memory of callers and calls, and the cache of look-ups that a recall shows with them.

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, SessionId, Turn},
    caller::Caller,
    context::Deadline,
    enrichment::CachedLookup,
    error::PortError,
    identity::Trace,
    memory::{CallRecord, OpenCall, Recollection},
    phone::PhoneNumber,
    port::{CallerMemory, EnrichmentCache, OpenCalls, RecallQuery},
};
use sea_orm::{FromQueryResult, Statement};
use uuid::Uuid;

use crate::{
    Database,
    contact::ContactNote,
    end::EndedRow,
    error::undecodable,
    lookup::FoundBlocks,
    recall::{self, LookupRow, RecallRead, RecallRow, StoredCaller, StoredCallerRow},
    row::first_seen,
    session::SessionKey,
    trace::TraceRow,
    transcript,
};

/// [`CallerMemory`] and [`EnrichmentCache`] in SQL.
pub struct SqlCallerMemory {
    db: Database,
    /// Reports of one writer are ordered by their arrival; every process is a writer of its own, and so is every
    /// restart.
    writer: Uuid,
}

impl SqlCallerMemory {
    /// The memory kept in `db`. Make one for each process: in the order of call reports each counts as a process of its
    /// own.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self {
            db: db.clone(),
            writer: Uuid::now_v7(),
        }
    }

    /// Reads everything at once.
    async fn find(&self, tenant: TenantId, query: &RecallQuery, deadline: Deadline) -> Result<RecallRead, PortError> {
        let session = query.session_id.as_ref();
        let session = session
            .map(|session| SessionKey::of(session).to_bytes())
            .unwrap_or_default();
        let row: Option<RecallRow> = self
            .db
            .read_one("recall", deadline, recall::statement(self.db.dialect()), || {
                vec![
                    tenant.0.into(),
                    query.number.as_e164().into(),
                    query.unfinished_before_ms.into(),
                    session.clone().into(),
                ]
            })
            .await?;
        row.ok_or_else(|| undecodable("recall"))?.try_into()
    }

    /// Creates the caller unless somebody else does at the same moment; returns whether this did.
    async fn create(
        &self,
        tenant: TenantId,
        id: Uuid,
        query: &RecallQuery,
        deadline: Deadline,
    ) -> Result<bool, PortError> {
        let values = vec![
            id.into(),
            tenant.0.into(),
            query.number.as_e164().into(),
            query.now_ms.into(),
        ];
        let created = self.db.execute("first contact", deadline, CREATE, values).await?;
        Ok(created > 0)
    }
}

const CREATE: &str = "\
INSERT INTO callers (id, tenant_id, phone_number, first_seen_ms, last_seen_ms, total_calls, tags, custom_attributes)
VALUES ($1, $2, $3, $4, $4, 0, '[]', '{}')
ON CONFLICT (tenant_id, phone_number) DO NOTHING";

pub(crate) const TRANSCRIPT: &str = "SELECT transcript FROM calls WHERE tenant_id = $1 AND id = $2";

/// A row of [`TRANSCRIPT`].
#[derive(FromQueryResult)]
struct TranscriptRow {
    transcript: Vec<u8>,
}

// What vendors say is written in one way, so that the same answers are the same text; a miss is an empty object.
const STORE_LOOKUP: &str = "\
INSERT INTO enrichment_cache (tenant_id, phone_number, vendor, fetched_at_ms, found) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (tenant_id, phone_number, vendor) DO UPDATE
  SET fetched_at_ms = excluded.fetched_at_ms, found = excluded.found,
    former = CASE WHEN enrichment_cache.found IN (excluded.found, '{}')
      THEN enrichment_cache.former ELSE enrichment_cache.found END,
    former_until_ms = CASE WHEN enrichment_cache.found IN (excluded.found, '{}')
      THEN enrichment_cache.former_until_ms ELSE excluded.fetched_at_ms END
  WHERE enrichment_cache.fetched_at_ms < excluded.fetched_at_ms";

#[async_trait]
impl CallerMemory for SqlCallerMemory {
    async fn recall(
        &self,
        tenant: TenantId,
        query: &RecallQuery,
        deadline: Deadline,
    ) -> Result<Recollection, PortError> {
        let find = || self.find(tenant, query, deadline);
        let mut found = find().await?;
        let mut known = true;
        if found.caller.is_none() {
            let id = Uuid::now_v7();
            known = !self.create(tenant, id, query, deadline).await?;
            if known {
                found = find().await?;
                // A connection may break after it created the caller and before it said so.
                known = found.caller.as_ref().is_none_or(|caller| caller.id != id);
            } else {
                found.caller = Some(StoredCaller {
                    id,
                    profile: first_seen(query.now_ms),
                    memory_changed_ms: None,
                    trace: Trace::default(),
                });
            }
        }
        let StoredCaller {
            id,
            profile,
            memory_changed_ms,
            trace,
        } = found.caller.ok_or_else(|| undecodable("caller"))?;
        self.db.note(ContactNote {
            tenant: tenant.0,
            caller: id,
            session: query.session_id.clone(),
            at_ms: query.now_ms,
        });
        Ok(Recollection {
            known,
            caller: profile,
            memory_changed_ms,
            summary: found.summary,
            recent_calls: found.recent_calls,
            facts: found.facts,
            themes: found.themes,
            gaps: found.gaps,
            trace,
            lookups: found.lookups,
        })
    }

    async fn record_end(&self, tenant: TenantId, record: &CallRecord, deadline: Deadline) -> Result<(), PortError> {
        let row = EndedRow::new(tenant.0, record, self.writer)?;
        self.db
            .transaction("record_end", deadline, move |transaction| row.commit(transaction))
            .await
    }

    async fn caller(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<Caller>, PortError> {
        let row: Option<StoredCallerRow> = self
            .db
            .read_one("caller", deadline, recall::CALLER, || {
                vec![tenant.0.into(), number.as_e164().into()]
            })
            .await?;
        Ok(row.map(|row| StoredCaller::from(row).profile))
    }

    async fn trace(&self, tenant: TenantId, number: &PhoneNumber, deadline: Deadline) -> Result<Trace, PortError> {
        let row: Option<TraceRow> = self
            .db
            .read_one("trace", deadline, recall::TRACE, || {
                vec![tenant.0.into(), number.as_e164().into()]
            })
            .await?;
        Ok(row.map(Trace::from).unwrap_or_default())
    }

    async fn transcript(
        &self,
        tenant: TenantId,
        call_id: CallId,
        deadline: Deadline,
    ) -> Result<Option<Vec<Turn>>, PortError> {
        let row: Option<TranscriptRow> = self
            .db
            .read_one("transcript", deadline, TRANSCRIPT, || {
                vec![tenant.0.into(), call_id.0.into()]
            })
            .await?;
        row.map(|row| transcript::decode(&row.transcript)).transpose()
    }
}

/// The open calls of the tenant `$1` that were begun by `$2`, newest first, at most `$3`.
pub(crate) const OPEN_CALLS: &str = "\
SELECT c.phone_number, o.session_id, o.recalled_at_ms
FROM contacts AS o JOIN callers AS c ON c.id = o.caller_id AND c.tenant_id = o.tenant_id
WHERE o.tenant_id = $1 AND NOT o.ended AND o.recalled_at_ms <= $2 ORDER BY o.recalled_at_ms DESC LIMIT $3";

/// A row of [`OPEN_CALLS`].
#[derive(FromQueryResult)]
struct OpenCallRow {
    phone_number: String,
    session_id: Option<String>,
    recalled_at_ms: i64,
}

/// Of all tenants, because a metric names none.
const COUNT_OPEN_CALLS: &str = "\
SELECT count(*) AS open_calls FROM (SELECT 1 FROM contacts WHERE NOT ended AND recalled_at_ms <= $1 LIMIT $2) AS open";

/// The row of [`COUNT_OPEN_CALLS`].
#[derive(FromQueryResult)]
struct OpenCallsCountRow {
    open_calls: i64,
}

#[async_trait]
impl OpenCalls for SqlCallerMemory {
    async fn open_calls(
        &self,
        tenant: TenantId,
        begun_by_ms: i64,
        limit: u32,
        deadline: Deadline,
    ) -> Result<Vec<OpenCall>, PortError> {
        let values = [tenant.0.into(), begun_by_ms.into(), i64::from(limit).into()];
        let statement = Statement::from_sql_and_values(self.db.dialect(), OPEN_CALLS, values);
        let rows: Vec<OpenCallRow> = self.db.read_all("open_calls", deadline, statement).await?;
        let open = |row: OpenCallRow| {
            Ok(OpenCall {
                number: PhoneNumber::from_e164(&row.phone_number).map_err(|_| undecodable("phone number"))?,
                session_id: row.session_id.map(SessionId),
                begun_at_ms: row.recalled_at_ms,
            })
        };
        rows.into_iter().map(open).collect()
    }

    async fn count_open_calls(&self, begun_by_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError> {
        let row: Option<OpenCallsCountRow> = self
            .db
            .read_one("count_open_calls", deadline, COUNT_OPEN_CALLS, || {
                vec![begun_by_ms.into(), i64::from(most).into()]
            })
            .await?;
        let row = row.ok_or_else(|| undecodable("count of open calls"))?;
        Ok(u64::try_from(row.open_calls).unwrap_or_default())
    }
}

#[async_trait]
impl EnrichmentCache for SqlCallerMemory {
    async fn store_lookup(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        lookup: &CachedLookup,
        deadline: Deadline,
    ) -> Result<(), PortError> {
        let found = serde_json::to_string(&FoundBlocks::from(&lookup.found))
            .map_err(|error| PortError::Internal(Box::new(error)))?;
        let values = vec![
            tenant.0.into(),
            number.as_e164().into(),
            lookup.vendor.as_str().into(),
            lookup.fetched_at_ms.into(),
            found.into(),
        ];
        self.db
            .execute("store_lookup", deadline, STORE_LOOKUP, values)
            .await
            .map(|_| ())
    }

    async fn lookups(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<CachedLookup>, PortError> {
        let values = [tenant.0.into(), number.as_e164().into()];
        let statement = Statement::from_sql_and_values(self.db.dialect(), recall::LOOKUPS, values);
        let rows: Vec<LookupRow> = self.db.read_all("lookups", deadline, statement).await?;
        Ok(rows.into_iter().filter_map(LookupRow::decode).collect())
    }
}
