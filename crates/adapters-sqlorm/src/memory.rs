//! The memory of callers and calls, and the cache of look-ups that a recall shows with them.

use domain::{
    access::TenantId,
    async_trait,
    call::{CallId, CallRecord, Turn},
    caller::Caller,
    context::Deadline,
    enrichment::CachedLookup,
    error::PortError,
    json::JsonObject,
    memory::Recollection,
    phone::PhoneNumber,
    port::{CallerMemory, EnrichmentCache, RecallQuery},
};
use uuid::Uuid;

use crate::{
    Database,
    contact::Contact,
    end::EndedRow,
    error::{port_error, undecodable},
    lookup::FoundBlocks,
    recall::{self, Found, StoredCaller},
    session::SessionKey,
    transcript,
};

/// [`CallerMemory`] and [`EnrichmentCache`] in SQL.
pub struct SqlCallerMemory {
    db: Database,
    /// Reports of one writer are ordered by their arrival; every process is a writer of its own, and so is every restart.
    writer: Uuid,
}

impl SqlCallerMemory {
    /// The memory kept in `db`. Make one for each process: in the order of call reports each counts as a process of its own.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self {
            db: db.clone(),
            writer: Uuid::now_v7(),
        }
    }

    async fn find(&self, tenant: TenantId, number: &PhoneNumber, deadline: Deadline) -> Result<Found, PortError> {
        let row = self
            .db
            .query_one("recall", deadline, recall::statement(self.db.dialect()), || {
                vec![tenant.0.into(), number.as_e164().into()]
            })
            .await?;
        Found::decode(&row.ok_or_else(|| undecodable("recall"))?)
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

const STORE_LOOKUP: &str = "\
INSERT INTO enrichment_cache (tenant_id, phone_number, vendor, fetched_at_ms, found) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (tenant_id, phone_number, vendor) DO UPDATE SET fetched_at_ms = excluded.fetched_at_ms, found = excluded.found
  WHERE enrichment_cache.fetched_at_ms < excluded.fetched_at_ms";

#[async_trait]
impl CallerMemory for SqlCallerMemory {
    async fn recall(
        &self,
        tenant: TenantId,
        query: &RecallQuery,
        deadline: Deadline,
    ) -> Result<Recollection, PortError> {
        let mut found = self.find(tenant, &query.number, deadline).await?;
        let mut known = true;
        if found.caller.is_none() {
            let id = Uuid::now_v7();
            known = !self.create(tenant, id, query, deadline).await?;
            if known {
                found = self.find(tenant, &query.number, deadline).await?;
                // A connection may break after it created the caller and before it said so.
                known = found.caller.as_ref().is_none_or(|caller| caller.id != id);
            } else {
                found.caller = Some(StoredCaller {
                    id,
                    profile: first_profile(query.now_ms),
                    memory_changed_ms: None,
                });
            }
        }
        let StoredCaller {
            id,
            profile,
            memory_changed_ms,
        } = found.caller.ok_or_else(|| undecodable("caller"))?;
        self.db.note(Contact {
            tenant: tenant.0,
            caller: id,
            session: query.session_id.as_ref().map(SessionKey::of),
            at_ms: query.now_ms,
        });
        Ok(Recollection {
            known,
            caller: profile,
            memory_changed_ms,
            recent_calls: found.recent_calls,
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
        let row = self
            .db
            .query_one("caller", deadline, recall::CALLER, || {
                vec![tenant.0.into(), number.as_e164().into()]
            })
            .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(StoredCaller::decode(&row)?.map(|caller| caller.profile))
    }

    async fn transcript(
        &self,
        tenant: TenantId,
        call_id: CallId,
        deadline: Deadline,
    ) -> Result<Option<Vec<Turn>>, PortError> {
        let row = self
            .db
            .query_one("transcript", deadline, TRANSCRIPT, || {
                vec![tenant.0.into(), call_id.0.into()]
            })
            .await?;
        let Some(row) = row else { return Ok(None) };
        let stored: Vec<u8> = row.try_get_by_index(0).map_err(port_error)?;
        transcript::decode(&stored).map(Some)
    }
}

/// The profile of a caller created at `now_ms`.
fn first_profile(now_ms: i64) -> Caller {
    Caller {
        name: None,
        first_seen_ms: now_ms,
        last_seen_ms: now_ms,
        total_calls: 0,
        tags: Vec::new(),
        custom_attributes: JsonObject::default(),
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
        // The recall's statement has them; reading a profile is no hot path that would need one of its own.
        Ok(self.find(tenant, number, deadline).await?.lookups)
    }
}
