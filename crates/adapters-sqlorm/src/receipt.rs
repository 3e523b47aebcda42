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
use sea_orm::{DbBackend, QueryResult, Statement, TryGetable};
use serde::Serialize;
use tokio::task::yield_now;

use crate::{
    Database,
    error::{port_error, undecodable},
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

    /// That a tenant has this name, or that none is named.
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
INSERT INTO receipts (id, tenant_id, at_ms, trace_id, phone_number, session_key, session_id, deadline_ms, cuts, known, degraded, enriched,
  response)
SELECT unhex(value ->> 'id'), unhex(value ->> 'tenant_id'), value ->> 'at_ms', value ->> 'trace_id', value ->> 'phone_number',
  unhex(value ->> 'session_key'), value ->> 'session_id', value ->> 'deadline_ms', value ->> 'cuts', value ->> 'known',
  value ->> 'degraded', value ->> 'enriched', unhex(value ->> 'response')
FROM json_each($1) WHERE true
ON CONFLICT (id) DO NOTHING";

const KEEP_POSTGRES: &str = "\
INSERT INTO receipts (id, tenant_id, at_ms, trace_id, phone_number, session_key, session_id, deadline_ms, cuts, known, degraded, enriched,
  response)
SELECT id, tenant_id, at_ms, trace_id, phone_number, decode(session_key, 'hex'), session_id, deadline_ms, cuts, known, degraded, enriched,
  decode(response, 'hex')
FROM json_to_recordset($1::json) AS receipt (id uuid, tenant_id uuid, at_ms bigint, trace_id text, phone_number text, session_key text,
  session_id text, deadline_ms bigint, cuts text, known boolean, degraded boolean, enriched boolean, response text)
ON CONFLICT (id) DO NOTHING";

const FIND_TENANT: &str = "SELECT 1 FROM tenants WHERE name = $1";

/// An id is looked for in every tenant when none is named, which only the administrator does.
const SHOW: &str = "\
SELECT r.tenant_id, t.name, r.at_ms, r.trace_id, r.phone_number, r.session_id, r.deadline_ms, r.cuts, r.known, r.degraded, r.enriched,
  r.response, k.outcome
FROM receipts AS r JOIN tenants AS t ON t.id = r.tenant_id
  LEFT JOIN calls AS k ON k.tenant_id = r.tenant_id AND k.session_key = r.session_key
WHERE r.id = $1 AND ($2 IS NULL OR t.name = $2)";

/// Counts every tenant's receipts when none is named, which only the administrator does.
const STATS: &str = "\
SELECT r.known, r.degraded, r.enriched, k.outcome, COUNT(*)
FROM receipts AS r JOIN tenants AS t ON t.id = r.tenant_id
  LEFT JOIN calls AS k ON k.tenant_id = r.tenant_id AND k.session_key = r.session_key
WHERE r.at_ms >= $1 AND ($2 IS NULL OR t.name = $2)
GROUP BY r.known, r.degraded, r.enriched, k.outcome";

/// Of all tenants, because they have one retention time.
pub(crate) const PURGE_SQLITE: &str = "\
DELETE FROM receipts WHERE id IN (SELECT id FROM receipts WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)";

/// The same, past what another process is deleting.
pub(crate) const PURGE_POSTGRES: &str = "\
DELETE FROM receipts WHERE id IN (SELECT id FROM receipts WHERE at_ms < $1 ORDER BY at_ms LIMIT $2 FOR UPDATE SKIP LOCKED)";

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
        let row = self.db.query_one("show a receipt", deadline, SHOW, values).await?;
        Ok(row.map(|row| shown(id, &row)).transpose()?)
    }

    async fn stats(&self, tenant: Option<String>, since_ms: i64, deadline: Deadline) -> Result<Stats, AdminError> {
        self.check(tenant.as_ref(), deadline).await?;
        let values = [since_ms.into(), tenant.into()];
        let statement = Statement::from_sql_and_values(self.db.dialect(), STATS, values);
        let rows = self.db.query_all("receipt stats", deadline, statement).await?;
        let mut stats = Stats::default();
        for row in &rows {
            let count: i64 = column(row, 4)?;
            let count = u64::try_from(count).map_err(|_| undecodable("count of receipts"))?;
            stats.add(group(row, 0)?, outcome(row, 3)?, count);
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

/// The receipt `id` in a row of [`SHOW`].
fn shown(id: ReceiptId, row: &QueryResult) -> Result<ShownReceipt, PortError> {
    let number: String = column(row, 4)?;
    let session: Option<String> = column(row, 5)?;
    let deadline_ms: i64 = column(row, 6)?;
    let cuts: String = column(row, 7)?;
    let response: Vec<u8> = column(row, 11)?;
    Ok(ShownReceipt {
        receipt: Receipt {
            id,
            tenant: TenantId(column(row, 0)?),
            at_ms: column(row, 2)?,
            trace_id: column(row, 3)?,
            number: PhoneNumber::from_e164(&number).map_err(|_| undecodable("phone number"))?,
            session_id: session.map(SessionId),
            deadline_ms: u64::try_from(deadline_ms).map_err(|_| undecodable("deadline"))?,
            cut: serde_json::from_str(&cuts).map_err(|_| undecodable("list of cuts"))?,
            group: group(row, 8)?,
            response: zstd::stream::decode_all(response.as_slice()).map_err(|_| undecodable("response"))?,
        },
        tenant: column(row, 1)?,
        outcome: outcome(row, 12)?,
    })
}

/// The group in the three columns that begin with `first`.
fn group(row: &QueryResult, first: usize) -> Result<Group, PortError> {
    let caller = match (column(row, first)?, column(row, first + 1)?) {
        (_, true) => CallerState::Degraded,
        (true, false) => CallerState::Known,
        (false, false) => CallerState::New,
    };
    let enriched = column(row, first + 2)?;
    Ok(Group { caller, enriched })
}

fn outcome(row: &QueryResult, index: usize) -> Result<Option<CallOutcome>, PortError> {
    let name: Option<String> = column(row, index)?;
    Ok(name.map(|name| words::outcome(&name)))
}

fn column<T: TryGetable>(row: &QueryResult, index: usize) -> Result<T, PortError> {
    row.try_get_by_index(index).map_err(port_error)
}

fn internal(error: impl std::error::Error + Send + Sync + 'static) -> PortError {
    PortError::Internal(Box::new(error))
}
