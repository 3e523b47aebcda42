//! The work of a transaction, and how it runs its statements.

use futures_util::future::BoxFuture;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbErr, ExecResult, FromQueryResult, QueryResult, Statement, Value,
};

/// What a transaction wants done with what it did.
pub(crate) enum Decision<T> {
    /// Keep it.
    Commit(T),
    /// Undo it, and return the value all the same.
    Discard(T),
    /// Undo it and begin again: another transaction came in between.
    Again,
}

/// A transaction's work in progress.
pub(crate) type TransactionFuture<'t, T> = BoxFuture<'t, Result<Decision<T>, DbErr>>;

/// Runs a statement that writes.
pub(crate) async fn run<const N: usize>(
    transaction: &DatabaseTransaction,
    sql: &'static str,
    values: [Value; N],
) -> Result<ExecResult, DbErr> {
    let dialect = transaction.get_database_backend();
    transaction
        .execute_raw(Statement::from_sql_and_values(dialect, sql, values))
        .await
}

/// The first row of a statement.
pub(crate) async fn query_one<const N: usize>(
    transaction: &DatabaseTransaction,
    sql: &'static str,
    values: [Value; N],
) -> Result<Option<QueryResult>, DbErr> {
    let dialect = transaction.get_database_backend();
    transaction
        .query_one_raw(Statement::from_sql_and_values(dialect, sql, values))
        .await
}

/// The first row of a statement, read as an `R`.
pub(crate) async fn read_one<R: FromQueryResult, const N: usize>(
    transaction: &DatabaseTransaction,
    sql: &'static str,
    values: [Value; N],
) -> Result<Option<R>, DbErr> {
    let row = query_one(transaction, sql, values).await?;
    row.map(|row| R::from_query_result(&row, "")).transpose()
}

/// Every row of a statement, each read as an `R`.
pub(crate) async fn read_all<R: FromQueryResult, const N: usize>(
    transaction: &DatabaseTransaction,
    sql: &'static str,
    values: [Value; N],
) -> Result<Vec<R>, DbErr> {
    let dialect = transaction.get_database_backend();
    let rows = transaction
        .query_all_raw(Statement::from_sql_and_values(dialect, sql, values))
        .await?;
    rows.iter().map(|row| R::from_query_result(row, "")).collect()
}
