//! Receipts: written in batches by one statement, read with the outcome of their calls, deleted when they are too old.

use domain::{
    access::TenantId,
    async_trait,
    call::{CallOutcome, SessionId},
    context::Deadline,
    error::PortError,
    phone::PhoneNumber,
    port::{AdminError, ReceiptStore},
    receipt::{CallerState, Group, Receipt, ReceiptId, ShownReceipt, Stats},
};
use sea_orm::{DbBackend, FromQueryResult, Statement};
use serde::Serialize;
use tokio::task::yield_now;
use uuid::Uuid;

use crate::{
    Database,
    error::undecodable,
    session::{SessionKey, hex},
    words,
};

/// Answers are short and written once for each recall; what a higher level gains is not worth its time.
const LEVEL: i32 = 1;

/// [`ReceiptStore`] in SQL.
pub struct SqlReceiptStore {
    db: Database,
}

impl SqlReceiptStore {
    /// The receipts kept in `db`.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self { db: db.clone() }
    }

    /// Checks that there is a tenant of this name; `None` passes.
    async fn check(&self, tenant: Option<&String>, deadline: Deadline) -> Result<(), AdminError> {
        let Some(name) = tenant else { return Ok(()) };
        let found = self.db.query_one("tenant", deadline, FIND_TENANT, || vec![name.into()]);
        let found = found.await?;
        found.map(|_| ()).ok_or_else(|| AdminError::UnknownTenant(name.clone()))
    }
}

/// A receipt as the statements read it; bytes are in hexadecimal.
#[derive(Serialize)]
struct Row<'r> {
    id: String,
    tenant_id: String,
    at_ms: i64,
    trace_id: &'r str,
    phone_number: &'r str,
    session_key: Option<String>,
    session_id: Option<&'r str>,
    deadline_ms: i64,
    cuts: String,
    known: bool,
    degraded: bool,
    enriched: bool,
    response: String,
}

impl<'r> Row<'r> {
    fn new(receipt: &'r Receipt, compressor: &mut zstd::bulk::Compressor<'_>) -> Result<Self, PortError> {
        let session = receipt.session_id.as_ref();
        let Group { caller, enriched } = receipt.group;
        let response = compressor.compress(&receipt.response).map_err(internal)?;
        Ok(Self {
            id: receipt.id.0.simple().to_string(),
            tenant_id: receipt.tenant.0.simple().to_string(),
            at_ms: receipt.at_ms,
            trace_id: &receipt.trace_id,
            phone_number: receipt.number.as_e164(),
            session_key: session.map(|id| SessionKey::of(id).to_hex()),
            session_id: session.map(|id| id.0.as_str()),
            deadline_ms: i64::try_from(receipt.deadline_ms).unwrap_or(i64::MAX),
            cuts: serde_json::to_string(&receipt.cut).map_err(internal)?,
            known: caller == CallerState::Known,
            degraded: caller == CallerState::Degraded,
            enriched,
            response: hex(&response),
        })
    }
}

const KEEP_SQLITE: &str = "\
INSERT INTO receipts (id, tenant_id, at_ms, trace_id, phone_number, session_key, session_id, deadline_ms, cuts, known,
  degraded, enriched, response)
SELECT unhex(value ->> 'id'), unhex(value ->> 'tenant_id'), value ->> 'at_ms', value ->> 'trace_id',
  value ->> 'phone_number', unhex(value ->> 'session_key'), value ->> 'session_id', value ->> 'deadline_ms',
  value ->> 'cuts', value ->> 'known', value ->> 'degraded', value ->> 'enriched', unhex(value ->> 'response')
FROM json_each($1) WHERE true
ON CONFLICT (id) DO NOTHING";

const KEEP_POSTGRES: &str = "\
INSERT INTO receipts (id, tenant_id, at_ms, trace_id, phone_number, session_key, session_id, deadline_ms, cuts, known,
  degraded, enriched, response)
SELECT id, tenant_id, at_ms, trace_id, phone_number, decode(session_key, 'hex'), session_id, deadline_ms, cuts, known,
  degraded, enriched, decode(response, 'hex')
FROM json_to_recordset($1::json) AS receipt (id uuid, tenant_id uuid, at_ms bigint, trace_id text, phone_number text,
  session_key text, session_id text, deadline_ms bigint, cuts text, known boolean, degraded boolean, enriched boolean,
  response text)
ON CONFLICT (id) DO NOTHING";

const FIND_TENANT: &str = "SELECT 1 FROM tenants WHERE name = $1";

/// An id is looked for in every tenant when none is named, which only the administrator does.
const SHOW: &str = "\
SELECT r.tenant_id, t.name, r.at_ms, r.trace_id, r.phone_number, r.session_id, r.deadline_ms, r.cuts, r.known,
  r.degraded, r.enriched, r.response, k.outcome
FROM receipts AS r JOIN tenants AS t ON t.id = r.tenant_id
  LEFT JOIN calls AS k ON k.tenant_id = r.tenant_id AND k.session_key = r.session_key
WHERE r.id = $1 AND ($2 IS NULL OR t.name = $2)";

/// Counts every tenant's receipts when none is named, which only the administrator does.
const STATS: &str = "\
SELECT r.known, r.degraded, r.enriched, k.outcome, COUNT(*) AS receipts
FROM receipts AS r JOIN tenants AS t ON t.id = r.tenant_id
  LEFT JOIN calls AS k ON k.tenant_id = r.tenant_id AND k.session_key = r.session_key
WHERE r.at_ms >= $1 AND ($2 IS NULL OR t.name = $2)
GROUP BY r.known, r.degraded, r.enriched, k.outcome";

/// A row of [`SHOW`].
#[derive(FromQueryResult)]
struct ShownRow {
    tenant_id: Uuid,
    name: String,
    at_ms: i64,
    trace_id: String,
    phone_number: String,
    session_id: Option<String>,
    deadline_ms: i64,
    cuts: String,
    #[sea_orm(nested)]
    group: GroupRow,
    response: Vec<u8>,
    outcome: Option<String>,
}

/// A row of [`STATS`].
#[derive(FromQueryResult)]
struct CountRow {
    #[sea_orm(nested)]
    group: GroupRow,
    outcome: Option<String>,
    receipts: i64,
}

/// The columns that say to which group a receipt belongs.
#[derive(FromQueryResult)]
struct GroupRow {
    known: bool,
    degraded: bool,
    enriched: bool,
}

impl From<GroupRow> for Group {
    fn from(row: GroupRow) -> Self {
        let caller = match (row.known, row.degraded) {
            (_, true) => CallerState::Degraded,
            (true, false) => CallerState::Known,
            (false, false) => CallerState::New,
        };
        Self {
            caller,
            enriched: row.enriched,
        }
    }
}

/// Of all tenants, because they have one retention time.
pub(crate) const PURGE_SQLITE: &str = "\
DELETE FROM receipts WHERE id IN (SELECT id FROM receipts WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)";

/// The same, past what another process is deleting.
pub(crate) const PURGE_POSTGRES: &str = "\
DELETE FROM receipts
WHERE id IN (SELECT id FROM receipts WHERE at_ms < $1 ORDER BY at_ms LIMIT $2 FOR UPDATE SKIP LOCKED)";

#[async_trait]
impl ReceiptStore for SqlReceiptStore {
    async fn keep(&self, receipts: &[Receipt], deadline: Deadline) -> Result<(), PortError> {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL).map_err(internal)?;
        let mut rows = Vec::with_capacity(receipts.len());
        for receipt in receipts {
            rows.push(Row::new(receipt, &mut compressor)?);
            // Others want this thread too.
            yield_now().await;
        }
        let rows = serde_json::to_string(&rows).map_err(internal)?;
        let sql = match self.db.dialect() {
            DbBackend::Sqlite => KEEP_SQLITE,
            _ => KEEP_POSTGRES,
        };
        self.db
            .execute("keep receipts", deadline, sql, vec![rows.into()])
            .await
            .map(|_| ())
    }

    async fn show(
        &self,
        tenant: Option<String>,
        id: ReceiptId,
        deadline: Deadline,
    ) -> Result<Option<ShownReceipt>, AdminError> {
        self.check(tenant.as_ref(), deadline).await?;
        let values = || vec![id.0.into(), tenant.clone().into()];
        let row = self.db.read_one("show a receipt", deadline, SHOW, values).await?;
        Ok(row.map(|row| shown(id, row)).transpose()?)
    }

    async fn stats(&self, tenant: Option<String>, since_ms: i64, deadline: Deadline) -> Result<Stats, AdminError> {
        self.check(tenant.as_ref(), deadline).await?;
        let values = [since_ms.into(), tenant.into()];
        let statement = Statement::from_sql_and_values(self.db.dialect(), STATS, values);
        let rows: Vec<CountRow> = self.db.read_all("receipt stats", deadline, statement).await?;
        let mut stats = Stats::default();
        for row in rows {
            let count = u64::try_from(row.receipts).map_err(|_| undecodable("count of receipts"))?;
            stats.add(row.group.into(), outcome(row.outcome), count);
        }
        Ok(stats)
    }

    async fn purge(&self, before_ms: i64, most: u32, deadline: Deadline) -> Result<u64, PortError> {
        let sql = match self.db.dialect() {
            DbBackend::Sqlite => PURGE_SQLITE,
            _ => PURGE_POSTGRES,
        };
        let values = vec![before_ms.into(), i64::from(most).into()];
        self.db.execute("purge receipts", deadline, sql, values).await
    }
}

/// The receipt `id` that `row` shows.
fn shown(id: ReceiptId, row: ShownRow) -> Result<ShownReceipt, PortError> {
    Ok(ShownReceipt {
        receipt: Receipt {
            id,
            tenant: TenantId(row.tenant_id),
            at_ms: row.at_ms,
            trace_id: row.trace_id,
            number: PhoneNumber::from_e164(&row.phone_number).map_err(|_| undecodable("phone number"))?,
            session_id: row.session_id.map(SessionId),
            deadline_ms: u64::try_from(row.deadline_ms).map_err(|_| undecodable("deadline"))?,
            cut: serde_json::from_str(&row.cuts).map_err(|_| undecodable("list of cuts"))?,
            group: row.group.into(),
            response: zstd::stream::decode_all(row.response.as_slice()).map_err(|_| undecodable("response"))?,
        },
        tenant: row.name,
        outcome: outcome(row.outcome),
    })
}

fn outcome(name: Option<String>) -> Option<CallOutcome> {
    name.map(|name| words::outcome(&name))
}

fn internal(error: impl std::error::Error + Send + Sync + 'static) -> PortError {
    PortError::Internal(Box::new(error))
}
