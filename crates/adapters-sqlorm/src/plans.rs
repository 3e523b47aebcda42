//! Every hot statement finds its rows through an index, on both databases.
//!
//! With `CALLER_MEMORY_WRITE_PLANS` set, the tests also print the plans.

use sea_orm::{ConnectionTrait, DbBackend, Statement, TransactionTrait, Value};
use uuid::Uuid;

use crate::{
    contact, end, facts, keys, memory, old_calls, profile, recall, receipt, rewrite,
    support::{Place, tenant},
};

/// A statement that stands before an answer or runs all the time, with values for its parameters.
struct Hot {
    what: &'static str,
    sql: &'static str,
    values: Vec<Value>,
}

fn hot(dialect: DbBackend, tenant: Uuid) -> Vec<Hot> {
    let number = || Value::from("+12025550100");
    let contacts = match dialect {
        DbBackend::Sqlite => contact::SQLITE,
        _ => contact::POSTGRES,
    };
    let purge = match dialect {
        DbBackend::Sqlite => receipt::PURGE_SQLITE,
        _ => receipt::PURGE_POSTGRES,
    };
    let id = Uuid::now_v7().simple().to_string();
    let seen = format!(r#"[{{"tenant":"{id}","caller":"{id}","session":"00","session_id":"s","at_ms":1}}]"#);
    let given = r#"[{"number":"+12025550100","keep_name":true,"tags":"[]"}]"#;
    vec![
        Hot {
            what: "recall",
            sql: recall::statement(dialect),
            values: vec![tenant.into(), number(), 0_i64.into(), Vec::<u8>::new().into()],
        },
        Hot {
            what: "caller",
            sql: recall::CALLER,
            values: vec![tenant.into(), number()],
        },
        Hot {
            what: "callers who do not want to be called",
            sql: profile::DO_NOT_CALL,
            values: vec![tenant.into(), "".into(), 100_i64.into()],
        },
        Hot {
            what: "look-ups",
            sql: recall::LOOKUPS,
            values: vec![tenant.into(), number()],
        },
        Hot {
            what: "call of a session",
            sql: end::FIND,
            values: vec![tenant.into(), vec![0_u8; 32].into()],
        },
        Hot {
            what: "facts that stand",
            sql: facts::STANDING,
            values: vec![tenant.into(), Uuid::now_v7().into()],
        },
        Hot {
            what: "facts that may stand again",
            sql: facts::RECENT,
            values: vec![tenant.into(), Uuid::now_v7().into(), 1_024_i64.into()],
        },
        Hot {
            what: "transcript",
            sql: memory::TRANSCRIPT,
            values: vec![tenant.into(), Uuid::now_v7().into()],
        },
        Hot {
            what: "key",
            sql: keys::FIND_KEY,
            values: vec![vec![0_u8; 32].into()],
        },
        Hot {
            what: "contacts: last seen",
            sql: contacts[0],
            values: vec![seen.clone().into()],
        },
        Hot {
            what: "contacts: start of a call",
            sql: contacts[2],
            values: vec![seen.into()],
        },
        Hot {
            what: "receipts that are too old",
            sql: purge,
            values: vec![0_i64.into(), 500_i64.into()],
        },
        Hot {
            what: "import: profiles",
            sql: profile::import(dialect)[1],
            values: vec![tenant.into(), given.into()],
        },
        Hot {
            what: "caller to rewrite",
            sql: rewrite::due_caller(dialect),
            values: vec![1_i64.into(), 0_i64.into(), 5_i64.into()],
        },
        Hot {
            what: "call to rewrite",
            sql: rewrite::due_call(dialect),
            values: vec![1_i64.into(), 0_i64.into(), 5_i64.into()],
        },
    ]
}

/// The statements with which calls are read again.
fn rereading(tenant: Uuid) -> [Hot; 3] {
    [
        Hot {
            what: "calls to read again",
            sql: old_calls::OUTDATED,
            values: vec![1_i64.into(), 20_i64.into()],
        },
        Hot {
            what: "calls one after the other",
            sql: old_calls::FOLLOWING,
            values: vec![tenant.into(), Uuid::nil().into(), 50_i64.into()],
        },
        Hot {
            what: "facts of a call",
            sql: facts::STORED,
            values: vec![tenant.into(), Uuid::now_v7().into()],
        },
    ]
}

/// Gives the planner something to know about the tables.
const FILL_POSTGRES: [&str; 6] = [
    "INSERT INTO callers SELECT gen_random_uuid(), id, '+1202' || n, NULL, 0, 0, 5, 0, '[]', '{}'
       FROM tenants, generate_series(1, 3000) AS n",
    "INSERT INTO calls SELECT gen_random_uuid(), tenant_id, id, sha256(convert_to(id::text || n, 'UTF8')), n, n, 1,
       'other', '', id, n, sha256('x'), '', NULL, '' FROM callers, generate_series(1, 2) AS n",
    "INSERT INTO contacts SELECT tenant_id, session_key, caller_id, started_at_ms, session_id, true FROM calls",
    "INSERT INTO enrichment_cache SELECT tenant_id, phone_number, 'vendor', 0, '{}' FROM callers",
    "INSERT INTO api_keys SELECT gen_random_uuid(), id, sha256(convert_to(n::text, 'UTF8')), '', '', NULL, 0, NULL, NULL
       FROM tenants, generate_series(1, 1000) AS n",
    "INSERT INTO receipts SELECT gen_random_uuid(), tenant_id, started_at_ms, '', '', session_key, session_id, 300,
       '[]', true, false, false, '' FROM calls",
];

async fn explain(database: &impl ConnectionTrait, how: &str, hot: &Hot) -> Vec<String> {
    let dialect = database.get_database_backend();
    let statement = Statement::from_sql_and_values(dialect, format!("{how} {}", hot.sql), hot.values.clone());
    let rows = database.query_all_raw(statement).await.unwrap();
    let column = if dialect == DbBackend::Sqlite { 3 } else { 0 };
    let plan: Vec<String> = rows.iter().map(|row| row.try_get_by_index(column).unwrap()).collect();
    if std::env::var("CALLER_MEMORY_WRITE_PLANS").is_ok() {
        println!("{}:\n\n```\n{}\n```\n", hot.what, plan.join("\n"));
    }
    plan
}

#[tokio::test]
async fn sqlite_reads_no_table_from_end_to_end() {
    let place = Place::sqlite();
    let database = place.migrated().await;
    let tenant = tenant(&database, "one").await;
    for hot in hot(DbBackend::Sqlite, tenant.0).into_iter().chain(rereading(tenant.0)) {
        let plan = explain(&database.backend().writer().connection, "EXPLAIN QUERY PLAN", &hot).await;
        let scans: Vec<_> = plan
            .iter()
            .filter(|step| step.starts_with("SCAN") || step.contains("TEMP B-TREE"))
            // What is scanned is the statement's own argument or its own few rows.
            .filter(|step| {
                !step.contains("json_each")
                    && ![
                        "SCAN k",
                        "SCAN gap",
                        "SCAN given",
                        "SCAN superseded",
                        "SCAN (subquery",
                        "SCAN CONSTANT",
                    ]
                    .iter()
                    .any(|own| step.starts_with(own))
            })
            .collect();
        assert!(scans.is_empty(), "{}: {plan:#?}", hot.what);
        let calls = plan.iter().find(|step| step.starts_with("SEARCH calls USING"));
        assert!(
            hot.what != "recall" || calls.is_some_and(|step| step.contains("COVERING")),
            "{plan:#?}"
        );
        let one_by_one = plan.iter().any(|step| step.contains("tenant_id=? AND phone_number=?"));
        assert!(hot.what != "import: profiles" || one_by_one, "{plan:#?}");
        assert!(
            plan.iter().any(|step| step.contains("USING")),
            "{}: {plan:#?}",
            hot.what
        );
    }
}

#[tokio::test]
async fn postgres_reads_no_table_from_end_to_end() {
    let Some(place) = Place::postgres().await else { return };
    let database = place.migrated().await;
    let tenant = tenant(&database, "one").await;
    let connection = &database.backend().writer().connection;
    for sql in FILL_POSTGRES {
        connection.execute_unprepared(sql).await.unwrap();
    }
    connection.execute_unprepared("VACUUM ANALYZE").await.unwrap();
    let transaction = connection.begin().await.unwrap();
    // These tables are small enough to be read from end to end; the planner is kept from it where there is another way.
    transaction
        .execute_unprepared("SET LOCAL enable_seqscan = off")
        .await
        .unwrap();
    for hot in hot(DbBackend::Postgres, tenant.0)
        .into_iter()
        .chain(rereading(tenant.0))
    {
        let plan = explain(&transaction, "EXPLAIN (COSTS OFF)", &hot).await;
        assert!(
            !plan.iter().any(|step| step.contains("Seq Scan")),
            "{}: {plan:#?}",
            hot.what
        );
        assert!(
            plan.iter().any(|step| step.contains("Index")),
            "{}: {plan:#?}",
            hot.what
        );
    }
}
