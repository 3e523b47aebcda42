//! The operator's data: profiles written by the batch or one at a time, and a caller with calls to look at.
//!
//! Names come from `callers.name` alone here, so that what somebody else said about a caller is never written back as
//! the operator's word.

use std::collections::BTreeMap;

use domain::{
    access::TenantId,
    async_trait,
    caller::{
        Caller, Change, DoNotCall, HISTORY_CALLS, HISTORY_FACTS, History, HistoryCall, HistoryFact, ImportCounts,
        Profile, ProfileChange, ProfileEdit,
    },
    context::Deadline,
    error::PortError,
    json::JsonObject,
    phone::PhoneNumber,
    port::{CallerAdmin, ChangeError},
};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, FromQueryResult, Statement};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    Database, correction,
    error::undecodable,
    facts,
    row::{CallRow, CallerRow, MarkRow, call_columns, caller_columns, first_seen},
    transaction::{Decision, TransactionFuture, read_one, run},
};

/// [`CallerAdmin`] in SQL.
pub struct SqlCallerAdmin {
    db: Database,
}

impl SqlCallerAdmin {
    /// The operator's data kept in `db`.
    #[must_use]
    pub fn new(db: &Database) -> Self {
        Self { db: db.clone() }
    }
}

/// A change as the statements read it; what is null is kept, but for a name that is not kept: that is cleared.
#[derive(Serialize)]
struct ChangeRow<'p> {
    id: String,
    number: &'p str,
    keep_name: bool,
    name: Option<&'p str>,
    tags: Option<String>,
    attributes: Option<&'p str>,
}

impl<'p> ChangeRow<'p> {
    fn new(number: &'p PhoneNumber, change: &'p ProfileChange) -> Result<Self, PortError> {
        Ok(Self {
            id: Uuid::now_v7().simple().to_string(),
            number: number.as_e164(),
            keep_name: change.name == Change::Keep,
            name: match &change.name {
                Change::Set(name) => Some(name),
                Change::Keep | Change::Clear => None,
            },
            tags: match &change.tags {
                Change::Keep => None,
                Change::Clear => Some(to_json(&[])?),
                Change::Set(tags) => Some(to_json(tags)?),
            },
            attributes: match &change.custom_attributes {
                Change::Keep => None,
                Change::Clear => Some("{}"),
                Change::Set(attributes) => Some(attributes.as_str()),
            },
        })
    }
}

fn to_json(tags: &[String]) -> Result<String, PortError> {
    serde_json::to_string(tags).map_err(|error| PortError::Internal(Box::new(error)))
}

/// The statements of an import: the tenant, the time and the rows. Who is missing comes first, so that a first contact
/// that comes in between is seen by the second.
pub(crate) const fn import(dialect: DbBackend) -> [&'static str; 2] {
    match dialect {
        DbBackend::Sqlite => SQLITE,
        _ => POSTGRES,
    }
}

// SQLite would rather go through all callers of the tenant for each row, unless the tenant looks as if it came with the
// row.
const SQLITE: [&str; 2] = [
    "INSERT INTO callers (id, tenant_id, phone_number, name, first_seen_ms, last_seen_ms, total_calls, tags,
       custom_attributes)
     SELECT unhex(value ->> 'id'), $1, value ->> 'number', value ->> 'name', $2, $2, 0,
       COALESCE(value ->> 'tags', '[]'), COALESCE(value ->> 'attributes', '{}')
     FROM json_each($3) WHERE true
     ON CONFLICT (tenant_id, phone_number) DO NOTHING",
    "WITH given AS MATERIALIZED (
       SELECT $1 AS tenant, value ->> 'number' AS number, value ->> 'keep_name' AS keep_name, value ->> 'name' AS name,
         value ->> 'tags' AS tags, value ->> 'attributes' AS attributes
       FROM json_each($2))
     UPDATE callers SET
       name = CASE WHEN given.keep_name THEN callers.name ELSE given.name END,
       tags = COALESCE(given.tags, callers.tags),
       custom_attributes = COALESCE(given.attributes, callers.custom_attributes)
     FROM given
     WHERE callers.tenant_id = given.tenant AND callers.phone_number = given.number
       AND (NOT given.keep_name AND callers.name IS NOT given.name
         OR callers.tags <> given.tags
         OR callers.custom_attributes <> given.attributes)",
];

const POSTGRES: [&str; 2] = [
    "INSERT INTO callers (id, tenant_id, phone_number, name, first_seen_ms, last_seen_ms, total_calls, tags,
       custom_attributes)
     SELECT id, $1, number, name, $2, $2, 0, COALESCE(tags, '[]'), COALESCE(attributes, '{}')
     FROM json_to_recordset($3::json) AS given (id uuid, number text, name text, tags text, attributes text)
     ON CONFLICT (tenant_id, phone_number) DO NOTHING",
    "UPDATE callers SET
       name = CASE WHEN given.keep_name THEN callers.name ELSE given.name END,
       tags = COALESCE(given.tags, callers.tags),
       custom_attributes = COALESCE(given.attributes, callers.custom_attributes)
     FROM json_to_recordset($2::json) AS given (number text, keep_name boolean, name text, tags text, attributes text)
     WHERE callers.tenant_id = $1 AND callers.phone_number = given.number
       AND (NOT given.keep_name AND callers.name IS DISTINCT FROM given.name
         OR callers.tags <> given.tags
         OR callers.custom_attributes <> given.attributes)",
];

/// What is stored of a caller.
macro_rules! find {
    ($lock:literal) => {
        concat!(
            "SELECT ",
            caller_columns!("", "name"),
            " FROM callers WHERE tenant_id = $1 AND phone_number = $2",
            $lock
        )
    };
}

/// What is stored of a caller, whom nobody else changes until the transaction ends. SQLite has one writer as it is.
const fn find(dialect: DbBackend) -> &'static str {
    match dialect {
        DbBackend::Postgres => find!(" FOR NO KEY UPDATE"),
        _ => find!(""),
    }
}

const CREATE: &str = "\
INSERT INTO callers (id, tenant_id, phone_number, name, first_seen_ms, last_seen_ms, total_calls, tags,
  custom_attributes)
VALUES ($1, $2, $3, $4, $5, $5, 0, $6, $7)
ON CONFLICT (tenant_id, phone_number) DO NOTHING";

const REPLACE: &str = "\
UPDATE callers SET name = $3, tags = $4, custom_attributes = $5 WHERE tenant_id = $1 AND phone_number = $2";

/// A correction changes the memory, and what a language model made of it lacks a rewrite.
const CORRECT: &str = "\
UPDATE callers SET corrections = $3, rewrite_due_ms = $4, rewrite_attempts = 0,
  memory_changed_ms = CASE WHEN memory_changed_ms >= $4 THEN memory_changed_ms + 1 ELSE $4 END
WHERE tenant_id = $1 AND phone_number = $2";

const MARK: &str = "\
UPDATE callers SET do_not_call_ms = $3, do_not_call_quote = $4, do_not_call_id = $5
WHERE tenant_id = $1 AND phone_number = $2";

/// The callers who do not want to be called, by number, behind `$2`.
pub(crate) const DO_NOT_CALL: &str = "\
SELECT phone_number, do_not_call_ms, do_not_call_quote, do_not_call_id FROM callers
WHERE tenant_id = $1 AND phone_number > $2 AND do_not_call_ms IS NOT NULL
ORDER BY phone_number LIMIT $3";

/// A row of [`DO_NOT_CALL`].
#[derive(FromQueryResult)]
struct MarkedRow {
    phone_number: String,
    #[sea_orm(nested)]
    mark: MarkRow,
}

/// The caller with each of the latest calls, or once without.
const HISTORY: &str = concat!(
    "SELECT ",
    caller_columns!("c.", "c.name"),
    ", ",
    call_columns!("k."),
    ", k.agent_metadata \
     FROM callers AS c LEFT JOIN calls AS k ON k.tenant_id = c.tenant_id AND k.caller_id = c.id \
     WHERE c.tenant_id = $1 AND c.phone_number = $2 \
     ORDER BY k.started_at_ms DESC, k.id DESC LIMIT $3"
);

/// A row of [`HISTORY`].
#[derive(FromQueryResult)]
struct HistoryRow {
    #[sea_orm(nested)]
    caller: CallerRow,
    #[sea_orm(nested)]
    call: Option<CallRow>,
    agent_metadata: Option<String>,
}

#[async_trait]
impl CallerAdmin for SqlCallerAdmin {
    async fn import(
        &self,
        tenant: TenantId,
        profiles: &BTreeMap<PhoneNumber, ProfileChange>,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<ImportCounts, PortError> {
        let rows: Vec<_> = profiles
            .iter()
            .map(|(number, change)| ChangeRow::new(number, change))
            .collect::<Result<_, _>>()?;
        let count = rows.len() as u64;
        let rows = serde_json::to_string(&rows).map_err(|error| PortError::Internal(Box::new(error)))?;
        self.db
            .transaction("import", deadline, move |transaction| {
                let rows = rows.clone();
                Box::pin(async move {
                    let [create, update] = import(transaction.get_database_backend());
                    let values = [tenant.0.into(), now_ms.into(), rows.clone().into()];
                    let created = run(transaction, create, values).await?.rows_affected();
                    let updated = run(transaction, update, [tenant.0.into(), rows.into()])
                        .await?
                        .rows_affected();
                    Ok(Decision::Commit(ImportCounts {
                        created,
                        updated,
                        unchanged: count.saturating_sub(created + updated),
                    }))
                })
            })
            .await
    }

    async fn change(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        edit: ProfileEdit,
        now_ms: i64,
        deadline: Deadline,
    ) -> Result<Caller, ChangeError> {
        let number = number.clone();
        self.db
            .transaction("change", deadline, move |transaction| {
                Box::pin(change(
                    transaction,
                    tenant,
                    number.clone(),
                    ProfileEdit::clone(&edit),
                    now_ms,
                )) as TransactionFuture<'_, _>
            })
            .await?
    }

    async fn history(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Option<History>, PortError> {
        let most = i64::try_from(HISTORY_CALLS).unwrap_or(i64::MAX);
        let values = [tenant.0.into(), number.as_e164().into(), most.into()];
        let statement = Statement::from_sql_and_values(self.db.dialect(), HISTORY, values);
        let rows: Vec<HistoryRow> = self.db.read_all("history", deadline, statement).await?;
        let (mut caller, mut calls) = (None, Vec::new());
        for row in rows {
            caller = Some(row.caller);
            calls.extend(row.call.map(|call| HistoryCall {
                call: call.into(),
                agent_metadata: row.agent_metadata.map(JsonObject::from_validated),
            }));
        }
        let caller = caller.map(CallerRow::whole).transpose()?;
        Ok(caller.map(|caller| History { caller, calls }))
    }

    async fn facts(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        deadline: Deadline,
    ) -> Result<Vec<HistoryFact>, PortError> {
        let most = i64::try_from(HISTORY_FACTS).unwrap_or(i64::MAX);
        let values = [tenant.0.into(), number.as_e164().into(), most.into()];
        let statement = Statement::from_sql_and_values(self.db.dialect(), facts::HISTORY, values);
        let rows: Vec<facts::HistoryRow> = self.db.read_all("facts", deadline, statement).await?;
        Ok(rows.into_iter().filter_map(facts::HistoryRow::known).collect())
    }

    async fn mark_do_not_call(
        &self,
        tenant: TenantId,
        number: &PhoneNumber,
        mark: Option<DoNotCall>,
        deadline: Deadline,
    ) -> Result<Option<DoNotCall>, PortError> {
        let number = number.clone();
        self.db
            .transaction("mark do not call", deadline, move |transaction| {
                Box::pin(set_mark(transaction, tenant, number.clone(), mark.clone())) as TransactionFuture<'_, _>
            })
            .await
    }

    async fn do_not_call(
        &self,
        tenant: TenantId,
        after: Option<&PhoneNumber>,
        most: u32,
        deadline: Deadline,
    ) -> Result<Vec<(PhoneNumber, DoNotCall)>, PortError> {
        let after = after.map_or("", PhoneNumber::as_e164);
        let values = [tenant.0.into(), after.into(), i64::from(most).into()];
        let statement = Statement::from_sql_and_values(self.db.dialect(), DO_NOT_CALL, values);
        let rows: Vec<MarkedRow> = self.db.read_all("do not call", deadline, statement).await?;
        rows.into_iter()
            .filter_map(|row| Some((row.phone_number, row.mark.mark()?)))
            .map(|(number, mark)| {
                let number = PhoneNumber::from_e164(&number).map_err(|_| undecodable("phone number"))?;
                Ok((number, mark))
            })
            .collect()
    }
}

/// Sets the mark of a caller who has none, or takes it away; the mark that there was.
async fn set_mark(
    transaction: &DatabaseTransaction,
    tenant: TenantId,
    number: PhoneNumber,
    mark: Option<DoNotCall>,
) -> Result<Decision<Option<DoNotCall>>, DbErr> {
    let find = find(transaction.get_database_backend());
    let key = || [tenant.0.into(), number.as_e164().into()];
    let row: Option<CallerRow> = read_one(transaction, find, key()).await?;
    let is_known = row.is_some();
    let stored = row.and_then(|row| row.do_not_call.mark());
    match (&stored, &mark) {
        (Some(_), Some(_)) | (None, None) => return Ok(Decision::Discard(stored)),
        (None, Some(mark)) if !is_known => {
            let values = [
                Uuid::now_v7().into(),
                tenant.0.into(),
                number.as_e164().into(),
                None::<String>.into(),
                mark.at_ms.into(),
                "[]".into(),
                "{}".into(),
            ];
            if run(transaction, CREATE, values).await?.rows_affected() == 0 {
                // Somebody created the caller in between.
                return Ok(Decision::Again);
            }
        }
        _ => {}
    }
    let (at_ms, quote, call) = match mark {
        Some(DoNotCall { at_ms, quote, call_id }) => (Some(at_ms), quote, call_id.map(|call| call.0)),
        None => (None, None, None),
    };
    let [tenant, number] = key();
    run(
        transaction,
        MARK,
        [tenant, number, at_ms.into(), quote.into(), call.into()],
    )
    .await?;
    Ok(Decision::Commit(stored))
}

/// Reads, edits and writes one profile. What cannot be read ends it before anything is written.
async fn change(
    transaction: &DatabaseTransaction,
    tenant: TenantId,
    number: PhoneNumber,
    edit: ProfileEdit,
    now_ms: i64,
) -> Result<Decision<Result<Caller, ChangeError>>, DbErr> {
    let find = find(transaction.get_database_backend());
    let key = [tenant.0.into(), number.as_e164().into()];
    let row: Option<CallerRow> = read_one(transaction, find, key).await?;
    let stored = match row.map(CallerRow::whole).transpose() {
        Ok(stored) => stored,
        Err(unreadable) => return Ok(Decision::Discard(Err(unreadable.into()))),
    };
    let is_new = stored.is_none();
    let stored = stored.unwrap_or_else(|| first_seen(now_ms));
    let edited = edit(Profile {
        name: stored.name.clone(),
        tags: stored.tags.clone(),
        custom_attributes: stored.custom_attributes.clone(),
        corrections: stored.corrections.clone(),
    });
    let (profile, tags, corrections) = match edited.map_err(ChangeError::from).and_then(with_json) {
        Ok(edited) => edited,
        Err(refused) => return Ok(Decision::Discard(Err(refused))),
    };
    let (name, attributes) = (profile.name.clone(), profile.custom_attributes.as_str().to_owned());
    let written = if is_new {
        let values = [
            Uuid::now_v7().into(),
            tenant.0.into(),
            number.as_e164().into(),
            name.into(),
            now_ms.into(),
            tags.into(),
            attributes.into(),
        ];
        run(transaction, CREATE, values).await?
    } else {
        let values = [
            tenant.0.into(),
            number.as_e164().into(),
            name.into(),
            tags.into(),
            attributes.into(),
        ];
        run(transaction, REPLACE, values).await?
    };
    if written.rows_affected() == 0 {
        // Somebody created the caller in between.
        return Ok(Decision::Again);
    }
    if profile.corrections != stored.corrections {
        let values = [
            tenant.0.into(),
            number.as_e164().into(),
            corrections.into(),
            now_ms.into(),
        ];
        run(transaction, CORRECT, values).await?;
    }
    Ok(Decision::Commit(Ok(Caller {
        name: profile.name,
        tags: profile.tags,
        custom_attributes: profile.custom_attributes,
        corrections: profile.corrections,
        ..stored
    })))
}

/// The profile with its tags and corrections as they are stored.
fn with_json(profile: Profile) -> Result<(Profile, String, String), ChangeError> {
    let tags = to_json(&profile.tags)?;
    let corrections = correction::to_json(&profile.corrections)?;
    Ok((profile, tags, corrections))
}
