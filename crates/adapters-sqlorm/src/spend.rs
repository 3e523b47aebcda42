//! Paid look-ups: counted in one transaction each, and never above the caps, however many processes buy at once.
//!
//! On PostgreSQL a purchase locks its tenant's row first, so that the purchases of one tenant come one after the other
//! and each sees the ones before it. The lock leaves others alone: it conflicts with changes of the tenant, not with
//! rows that refer to it. On SQLite there is one writer, and a transaction that writes is alone from its beginning.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::{
    access::TenantId,
    async_trait,
    context::Deadline,
    error::PortError,
    port::{AdminError, CapChange, CapChanges, DailyCaps, Day, NoSuchTenant, Purchase, SpendAdmin, SpendLedger, Usage},
};
use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, Statement};
use tokio::{sync::Semaphore, time::timeout_at};

use crate::{
    Database,
    error::undecodable,
    transaction::{Decision, query_one, read_one, run},
};

/// Purchases of this process that may be under way. They wait for each other in the database, and must leave
/// connections to the recalls.
const UNDER_WAY: usize = 4;

/// [`SpendLedger`] and [`SpendAdmin`] in SQL.
pub struct SqlSpendLedger {
    db: Database,
    under_way: Semaphore,
}

impl SqlSpendLedger {
    /// The ledger kept in `db`.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self {
            db: db.clone(),
            under_way: Semaphore::new(UNDER_WAY),
        }
    }
}

const FIND_TENANT: &str = "SELECT 1 FROM tenants WHERE id = $1";

/// A statement of its own, because a statement that waits for a lock goes on with what it saw before it waited.
const LOCK_TENANT: &str = "SELECT 1 FROM tenants WHERE id = $1 FOR NO KEY UPDATE";

/// Counts one purchase unless it would take the tenant's day above a cap; changes no row then.
const COUNT: &str = "\
INSERT INTO lookup_spend (tenant_id, day, vendor, lookups, spend_micro_usd)
SELECT t.id, $2, $3, 1, $4 FROM tenants AS t
WHERE t.id = $1
  AND (t.daily_lookups IS NULL OR t.daily_lookups >= 1 +
    (SELECT COALESCE(SUM(s.lookups), 0) FROM lookup_spend AS s WHERE s.tenant_id = $1 AND s.day = $2))
  AND (t.daily_spend_micro_usd IS NULL OR t.daily_spend_micro_usd >= $4 +
    (SELECT COALESCE(SUM(s.spend_micro_usd), 0) FROM lookup_spend AS s WHERE s.tenant_id = $1 AND s.day = $2))
ON CONFLICT (tenant_id, day, vendor) DO UPDATE SET
  lookups = lookup_spend.lookups + 1,
  spend_micro_usd = lookup_spend.spend_micro_usd + excluded.spend_micro_usd";

/// Why a purchase was neither counted nor refused.
#[derive(Debug, thiserror::Error)]
enum PurchaseFault {
    #[error("the connection broke while a purchase was committed, which may be counted or not")]
    CommitLost,
    #[error("the price of a look-up is too high to be counted")]
    TooDear,
}

#[async_trait]
impl SpendLedger for SqlSpendLedger {
    async fn reserve(&self, purchase: &Purchase, deadline: Deadline) -> Result<bool, PortError> {
        let price = i64::try_from(purchase.price_micro_usd).map_err(|_| refusal(PurchaseFault::TooDear))?;
        let _permit = timeout_at(deadline.0.into(), self.under_way.acquire())
            .await
            .map_err(|_| PortError::deadline("reserve"))?;
        let (tenant, day, vendor) = (purchase.tenant.0, purchase.day.0, purchase.vendor.clone());
        // A transaction is done again when its connection broke, and a commit that was on its way then may have
        // arrived.
        let committing = Arc::new(AtomicBool::new(false));
        self.db
            .transaction("reserve", deadline, move |transaction| {
                let (vendor, committing) = (vendor.clone(), Arc::clone(&committing));
                Box::pin(async move {
                    if committing.load(Ordering::SeqCst) {
                        let lost = PortError::Unavailable(Box::new(PurchaseFault::CommitLost));
                        return Ok(Decision::Discard(Err(lost)));
                    }
                    let find = match transaction.get_database_backend() {
                        DbBackend::Postgres => LOCK_TENANT,
                        _ => FIND_TENANT,
                    };
                    if query_one(transaction, find, [tenant.into()]).await?.is_none() {
                        return Ok(Decision::Discard(Err(refusal(NoSuchTenant(TenantId(tenant))))));
                    }
                    let values = [tenant.into(), day.into(), vendor.into(), price.into()];
                    if run(transaction, COUNT, values).await?.rows_affected() == 0 {
                        return Ok(Decision::Discard(Ok(false)));
                    }
                    committing.store(true, Ordering::SeqCst);
                    Ok(Decision::Commit(Ok(true)))
                })
            })
            .await?
    }
}

/// The tenants come first, so that one without purchases can be told from one that does not exist.
const USAGE: &str = "\
SELECT t.name, s.vendor, s.day, s.lookups, s.spend_micro_usd
FROM tenants AS t LEFT JOIN lookup_spend AS s ON s.tenant_id = t.id AND s.day >= $1
WHERE $2 IS NULL OR t.name = $2";

/// A row of [`USAGE`].
#[derive(FromQueryResult)]
struct UsageRow {
    name: String,
    #[sea_orm(nested)]
    spend: Option<SpendRow>,
}

/// What a row of `lookup_spend` counts.
#[derive(FromQueryResult)]
struct SpendRow {
    vendor: String,
    day: i32,
    lookups: i64,
    spend_micro_usd: i64,
}

/// The columns of a [`CapsRow`].
macro_rules! caps_columns {
    () => {
        "daily_lookups, daily_spend_micro_usd"
    };
}

const CHANGE_CAPS: &str = concat!(
    "UPDATE tenants SET \
       daily_lookups = CASE WHEN $2 THEN daily_lookups ELSE $3 END, \
       daily_spend_micro_usd = CASE WHEN $4 THEN daily_spend_micro_usd ELSE $5 END \
     WHERE name = $1 RETURNING ",
    caps_columns!()
);

const CAPS: &str = concat!(
    "SELECT name, ",
    caps_columns!(),
    " FROM tenants WHERE daily_lookups IS NOT NULL OR daily_spend_micro_usd IS NOT NULL"
);

/// The caps of a tenant.
#[derive(FromQueryResult)]
struct CapsRow {
    daily_lookups: Option<i64>,
    daily_spend_micro_usd: Option<i64>,
}

/// A row of [`CAPS`].
#[derive(FromQueryResult)]
struct NamedCapsRow {
    name: String,
    #[sea_orm(nested)]
    caps: CapsRow,
}

#[async_trait]
impl SpendAdmin for SqlSpendLedger {
    async fn usage(&self, tenant: Option<String>, since: Day, deadline: Deadline) -> Result<Vec<Usage>, AdminError> {
        let values = [since.0.into(), tenant.clone().into()];
        let statement = Statement::from_sql_and_values(self.db.dialect(), USAGE, values);
        let rows: Vec<UsageRow> = self.db.read_all("usage", deadline, statement).await?;
        match tenant {
            Some(name) if rows.is_empty() => Err(AdminError::UnknownTenant(name)),
            _ => {
                let counted: Result<Vec<_>, _> = rows.into_iter().filter_map(usage).collect();
                let mut counted = counted?;
                // Not by the database, whose order of names depends on its language.
                counted.sort_by(|a, b| (a.day, &a.tenant, &a.vendor).cmp(&(b.day, &b.tenant, &b.vendor)));
                Ok(counted)
            }
        }
    }

    async fn change_caps(
        &self,
        tenant: &str,
        changes: CapChanges,
        deadline: Deadline,
    ) -> Result<DailyCaps, AdminError> {
        let name = tenant.to_owned();
        let now = self
            .db
            .transaction("change_caps", deadline, move |transaction| {
                let (keep_lookups, lookups) = to_columns(changes.lookups);
                let (keep_spend, spend) = to_columns(changes.spend_micro_usd);
                let values = [
                    name.clone().into(),
                    keep_lookups.into(),
                    lookups.into(),
                    keep_spend.into(),
                    spend.into(),
                ];
                Box::pin(async move {
                    let row: Option<CapsRow> = read_one(transaction, CHANGE_CAPS, values).await?;
                    Ok(Decision::Commit(row.map(DailyCaps::try_from).transpose()))
                })
            })
            .await??;
        now.ok_or_else(|| AdminError::UnknownTenant(tenant.to_owned()))
    }

    async fn caps(&self, deadline: Deadline) -> Result<BTreeMap<String, DailyCaps>, AdminError> {
        let statement = Statement::from_string(self.db.dialect(), CAPS);
        let rows: Vec<NamedCapsRow> = self.db.read_all("caps", deadline, statement).await?;
        let named = rows.into_iter().map(|row| Ok((row.name, row.caps.try_into()?)));
        Ok(named.collect::<Result<_, PortError>>()?)
    }
}

fn refusal(why: impl std::error::Error + Send + Sync + 'static) -> PortError {
    PortError::Internal(Box::new(why))
}

/// Whether the cap stays, and what it becomes if not.
fn to_columns(change: CapChange) -> (bool, Option<i64>) {
    match change {
        CapChange::Keep => (true, None),
        CapChange::Lift => (false, None),
        CapChange::Set(cap) => (false, Some(i64::try_from(cap).unwrap_or(i64::MAX))),
    }
}

/// What a row of [`USAGE`] counts; `None` for a tenant that bought nothing.
fn usage(row: UsageRow) -> Option<Result<Usage, PortError>> {
    let UsageRow { name: tenant, spend } = row;
    let spend = spend?;
    let counted = || {
        Ok(Usage {
            tenant,
            vendor: spend.vendor,
            day: Day(spend.day),
            lookups: to_count(spend.lookups)?,
            spend_micro_usd: to_count(spend.spend_micro_usd)?,
        })
    };
    Some(counted())
}

impl TryFrom<CapsRow> for DailyCaps {
    type Error = PortError;

    fn try_from(row: CapsRow) -> Result<Self, PortError> {
        Ok(Self {
            lookups: row.daily_lookups.map(to_count).transpose()?,
            spend_micro_usd: row.daily_spend_micro_usd.map(to_count).transpose()?,
        })
    }
}

fn to_count(stored: i64) -> Result<u64, PortError> {
    u64::try_from(stored).map_err(|_| undecodable("count of look-ups"))
}
