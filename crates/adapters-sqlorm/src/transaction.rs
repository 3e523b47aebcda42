//! Transactions that end whatever happens to those who wait for them.

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult,
    QueryResult, RuntimeErr, SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait, Value,
};
use tokio::sync::Semaphore;

use crate::error::{Kind, kind};

/// How often a transaction is tried when others are in its way.
const ATTEMPTS: usize = 8;

/// Transactions that may be about to begin on PostgreSQL; each goes on when its waiter has gone.
const BEGINNING: usize = 1024;

/// What a transaction wants done with what it did.
pub(crate) enum Verdict<T> {
    /// Keep it.
    Commit(T),
    /// Undo it, and return the value all the same.
    Discard(T),
    /// Undo it and begin again: another transaction came in between.
    Again,
}

/// A transaction's work in progress.
pub(crate) type Working<'t, T> = BoxFuture<'t, Result<Verdict<T>, DbErr>>;

/// Connections that may write.
#[derive(Clone)]
pub(crate) struct Writer {
    pub(crate) connection: DatabaseConnection,
    beginning: Arc<Semaphore>,
}

impl Writer {
    pub(crate) fn new(connection: DatabaseConnection) -> Self {
        Self {
            connection,
            beginning: Arc::new(Semaphore::new(BEGINNING)),
        }
    }

    /// Runs `work` in a transaction, again while others are in its way, with a growing pause. On PostgreSQL it may be dropped
    /// at any time, and is then rolled back; on SQLite it must run to its end.
    pub(crate) async fn transact<T, W>(&self, work: &W) -> Result<T, DbErr>
    where
        W: for<'t> Fn(&'t DatabaseTransaction) -> Working<'t, T> + Send + Sync,
    {
        let mut pause = Duration::from_millis(1);
        for _ in 1..ATTEMPTS {
            match self.attempt(work).await {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => {}
                Err(error) if kind(&error) == Kind::Contention => {}
                Err(error) => return Err(error),
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        self.attempt(work).await?.ok_or(DbErr::RecordNotUpdated)
    }

    /// One attempt; `None` when it has to begin again.
    async fn attempt<T, W>(&self, work: &W) -> Result<Option<T>, DbErr>
    where
        W: for<'t> Fn(&'t DatabaseTransaction) -> Working<'t, T> + Send + Sync,
    {
        let transaction = self.begin().await?;
        // An error drops the transaction, which rolls it back.
        match work(&transaction).await? {
            Verdict::Commit(value) => {
                transaction.commit().await?;
                Ok(Some(value))
            }
            Verdict::Discard(value) => {
                transaction.rollback().await?;
                Ok(Some(value))
            }
            Verdict::Again => {
                transaction.rollback().await?;
                Ok(None)
            }
        }
    }

    async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        if self.connection.get_database_backend() == DbBackend::Sqlite {
            let options = TransactionOptions {
                // SQLite then waits for its lock here, where it can, and not in the middle, where it cannot.
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..TransactionOptions::default()
            };
            return self.connection.begin_with_options(options).await;
        }
        // The driver rolls a transaction back when it is dropped, but a BEGIN that is dropped while it is on its way would leave
        // a transaction open that nobody ends. So it gets a task of its own, which goes on when nobody waits any more.
        let Ok(permit) = Arc::clone(&self.beginning).try_acquire_owned() else {
            return Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout));
        };
        let connection = self.connection.clone();
        let begun = tokio::spawn(async move {
            let begun = connection.begin().await;
            drop(permit);
            begun
        });
        begun
            .await
            .unwrap_or_else(|lost| Err(DbErr::Conn(RuntimeErr::Internal(lost.to_string()))))
    }
}

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

/// Every row of a statement.
pub(crate) async fn query_all<const N: usize>(
    transaction: &DatabaseTransaction,
    sql: &'static str,
    values: [Value; N],
) -> Result<Vec<QueryResult>, DbErr> {
    let dialect = transaction.get_database_backend();
    transaction
        .query_all_raw(Statement::from_sql_and_values(dialect, sql, values))
        .await
}
