//! Changes of a database server: indexes and parameters.
//!
//! A build or a removal of an index may take hours. It goes on in the background, in a session of its
//! own; asked for again, it is under way until the server has finished it. Tables are read and written
//! meanwhile.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use reeve_databases::{Engine, qualified_name, quoted_name};
use reeve_estate::{ActError, ActErrorKind, Applied, Operation};
use reeve_recommend::change::{
    BuildIndexOperation, DropIndexOperation, ParameterOperation, RestoreIndexOperation,
};
use tokio::time::timeout;

use crate::address::{AddressOptions, DatabaseAddress};
use crate::error::DatabaseError;
use crate::mysql::MysqlSession;
use crate::postgresql::PostgresqlSession;
use crate::state::PARAMETERS;

/// Time after which a statement that goes on is answered as under way.
const AT_ONCE: Duration = Duration::from_secs(10);

/// Age from which an open transaction is one that a build would wait for too long, seconds.
const OLD_TRANSACTION_S: f64 = 300.0;

/// Builds and removals that go on, or failed since they were last asked for, by server and index.
static RUNS: LazyLock<Mutex<HashMap<String, IndexRun>>> = LazyLock::new(Mutex::default);

/// Course of the statement that builds or drops an index.
#[derive(Debug, Clone)]
enum IndexRun {
    GoesOn,
    Failed(ActErrorKind, String),
}

/// An index and the statement that makes it what it is to be.
#[derive(Debug)]
pub(crate) struct IndexTask {
    pub(crate) schema: String,
    pub(crate) table: String,
    pub(crate) name: String,
    pub(crate) kind: IndexTaskKind,
}

/// What is to be done about an index.
#[derive(Debug)]
pub(crate) enum IndexTaskKind {
    Build(Vec<String>),
    Restore(String),
    Drop,
}

/// State of an index before its task begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexStanding {
    Absent,
    Valid,
    /// Another session builds it.
    InWork,
    /// A build of it failed.
    Invalid,
    /// It enforces a rule of the data.
    Enforcing,
}

/// Session in which one change is made.
pub(crate) enum ChangingSession {
    Postgresql(PostgresqlSession),
    Mysql(MysqlSession),
}

/// Makes one change of a server. A build that takes longer than some seconds is
/// [`Applied::Pending`]; asked for again, it is answered as the server stands.
///
/// # Errors
/// The server refuses the change, cannot be reached, or the operation is none of a database.
pub async fn change_database(
    address: &DatabaseAddress,
    operation: &dyn Operation,
) -> Result<Applied, ActError> {
    if let Some(task) = IndexTask::from_operation(operation) {
        return run(address, task).await;
    }
    let Some(ParameterOperation { name, value }) = operation.downcast_ref() else {
        return Err(act_error(
            ActErrorKind::Other,
            "a database server offers no such operation",
        ));
    };
    if !PARAMETERS.contains(&name.as_str()) {
        return Err(act_error(
            ActErrorKind::Other,
            format!("{name} is no parameter that Reeve changes"),
        ));
    }
    let mut session = ChangingSession::open(address).await?;
    session.set_parameter(name, *value).await?;
    Ok(Applied::Accepted)
}

async fn run(address: &DatabaseAddress, task: IndexTask) -> Result<Applied, ActError> {
    let port = match &address.options {
        AddressOptions::Postgresql(options) => options.get_port(),
        AddressOptions::Mysql(options) => options.get_port(),
    };
    let key = format!("{address}:{port} {}.{}", task.schema, task.name);
    match take_run(&key) {
        Some(IndexRun::GoesOn) => return Ok(Applied::Pending),
        Some(IndexRun::Failed(kind, message)) => return Err(act_error(kind, message)),
        None => {}
    }

    let mut session = ChangingSession::open(address).await?;
    let standing = session.standing(&task).await?;
    match (&task.kind, standing) {
        (IndexTaskKind::Drop, IndexStanding::Absent) => return Ok(Applied::Accepted),
        (IndexTaskKind::Drop, IndexStanding::Enforcing) => {
            let message = format!("index {} enforces a rule of the data now", task.name);
            return Err(act_error(ActErrorKind::WrongState, message));
        }
        (IndexTaskKind::Drop, _) | (_, IndexStanding::Absent) => {}
        (_, IndexStanding::Valid | IndexStanding::Enforcing) => return Ok(Applied::Accepted),
        (_, IndexStanding::InWork) => return Ok(Applied::Pending),
        (_, IndexStanding::Invalid) => {
            session.execute_task(&task.dropping()).await?;
            let message = format!(
                "a build of index {} failed, and what it left was dropped",
                task.name
            );
            return Err(act_error(ActErrorKind::Other, message));
        }
    }
    session.refuse_old_transactions().await?;

    set_run(&key, Some(IndexRun::GoesOn));
    let work = tokio::spawn(async move {
        let done = session.execute_task(&task).await;
        let failure = done.err();
        let left = failure.clone();
        set_run(
            &key,
            left.map(|error| IndexRun::Failed(error.kind, error.message)),
        );
        failure.map(|error| (key, error))
    });
    match timeout(AT_ONCE, work).await {
        Err(_) => Ok(Applied::Pending),
        Ok(Ok(None)) => Ok(Applied::Accepted),
        Ok(Ok(Some((key, error)))) => {
            set_run(&key, None);
            Err(error)
        }
        Ok(Err(error)) => Err(act_error(ActErrorKind::Unknown, error)),
    }
}

/// Returns the course of a task; a failure is told once.
fn take_run(key: &str) -> Option<IndexRun> {
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = runs.get(key).cloned()?;
    if matches!(known, IndexRun::Failed(..)) {
        let _ = runs.remove(key);
    }
    Some(known)
}

fn set_run(key: &str, run: Option<IndexRun>) {
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = match run {
        Some(run) => runs.insert(key.to_owned(), run),
        None => runs.remove(key),
    };
}

impl IndexTask {
    fn from_operation(operation: &dyn Operation) -> Option<IndexTask> {
        if let Some(build) = operation.downcast_ref::<BuildIndexOperation>() {
            return Some(IndexTask {
                schema: build.schema.clone(),
                table: build.table.clone(),
                name: build.name.clone(),
                kind: IndexTaskKind::Build(build.columns.clone()),
            });
        }
        if let Some(restore) = operation.downcast_ref::<RestoreIndexOperation>() {
            return Some(IndexTask {
                schema: restore.schema.clone(),
                table: restore.table.clone(),
                name: restore.name.clone(),
                kind: IndexTaskKind::Restore(restore.definition.clone()),
            });
        }
        let drop = operation.downcast_ref::<DropIndexOperation>()?;
        Some(IndexTask {
            schema: drop.schema.clone(),
            table: drop.table.clone(),
            name: drop.name.clone(),
            kind: IndexTaskKind::Drop,
        })
    }

    fn dropping(&self) -> IndexTask {
        IndexTask {
            schema: self.schema.clone(),
            table: self.table.clone(),
            name: self.name.clone(),
            kind: IndexTaskKind::Drop,
        }
    }

    /// Statement of the task, which blocks neither reads nor writes of the table.
    ///
    /// # Errors
    /// The kept definition creates no index of this name.
    pub(crate) fn statement(&self, engine: Engine) -> Result<String, ActError> {
        let table = qualified_name(engine, &self.schema, &self.table);
        let name = quoted_name(engine, &self.name);
        match (&self.kind, engine) {
            (IndexTaskKind::Build(columns), _) => {
                let columns: Vec<_> = columns
                    .iter()
                    .map(|column| quoted_name(engine, column))
                    .collect();
                let columns = columns.join(", ");
                Ok(match engine {
                    Engine::Postgresql => {
                        format!("CREATE INDEX CONCURRENTLY {name} ON {table} ({columns})")
                    }
                    Engine::Mariadb | Engine::Mysql => format!(
                        "ALTER TABLE {table} ADD INDEX {name} ({columns}), ALGORITHM=INPLACE, LOCK=NONE"
                    ),
                })
            }
            (IndexTaskKind::Drop, Engine::Postgresql) => Ok(format!(
                "DROP INDEX CONCURRENTLY {}",
                qualified_name(engine, &self.schema, &self.name)
            )),
            (IndexTaskKind::Drop, Engine::Mariadb | Engine::Mysql) => Ok(format!(
                "ALTER TABLE {table} DROP INDEX {name}, ALGORITHM=INPLACE, LOCK=NONE"
            )),
            (IndexTaskKind::Restore(definition), Engine::Postgresql) => {
                // As pg_get_indexdef writes it: the name is quoted where it has to be.
                let rest = definition.strip_prefix("CREATE INDEX ");
                let begins = |rest: &&str| {
                    [self.name.as_str(), name.as_str()]
                        .iter()
                        .any(|name| rest.starts_with(&format!("{name} ON ")))
                };
                match rest.filter(begins) {
                    Some(rest) => Ok(format!("CREATE INDEX CONCURRENTLY {rest}")),
                    None => Err(act_error(
                        ActErrorKind::Other,
                        format!("the kept definition of {} creates no such index", self.name),
                    )),
                }
            }
            (IndexTaskKind::Restore(_), Engine::Mariadb | Engine::Mysql) => Err(act_error(
                ActErrorKind::Other,
                "indexes of MariaDB and MySQL are not dropped by Reeve",
            )),
        }
    }
}

impl ChangingSession {
    async fn open(address: &DatabaseAddress) -> Result<ChangingSession, ActError> {
        let opened = match &address.options {
            AddressOptions::Postgresql(options) => PostgresqlSession::open_for_changes(options)
                .await
                .map(ChangingSession::Postgresql),
            AddressOptions::Mysql(options) => MysqlSession::open_for_changes(options)
                .await
                .map(ChangingSession::Mysql),
        };
        opened.map_err(|error| act_error(ActErrorKind::Unknown, error))
    }

    async fn standing(&mut self, task: &IndexTask) -> Result<IndexStanding, ActError> {
        let standing = match self {
            ChangingSession::Postgresql(session) => session.standing(task).await,
            ChangingSession::Mysql(session) => session.standing(task).await,
        };
        standing.map_err(|error| act_error(ActErrorKind::Unknown, error))
    }

    /// Refuses where a transaction has been open so long that the statement would wait for it.
    async fn refuse_old_transactions(&mut self) -> Result<(), ActError> {
        let oldest = match self {
            ChangingSession::Postgresql(session) => session.oldest_transaction_s().await,
            // An ALTER TABLE waits for the table's own transactions alone, and not longer than for
            // `lock_wait_timeout`.
            ChangingSession::Mysql(_) => Ok(None),
        };
        let oldest = oldest.map_err(|error| act_error(ActErrorKind::Unknown, error))?;
        match oldest.filter(|age| *age >= OLD_TRANSACTION_S) {
            None => Ok(()),
            Some(age) => Err(act_error(
                ActErrorKind::WrongState,
                format!(
                    "a transaction has been open for {:.0} minutes, and PostgreSQL would wait for its end; end it first",
                    age / 60.0
                ),
            )),
        }
    }

    async fn execute_task(&mut self, task: &IndexTask) -> Result<(), ActError> {
        let statement = task.statement(match self {
            ChangingSession::Postgresql(_) => Engine::Postgresql,
            ChangingSession::Mysql(session) => session.engine(),
        })?;
        self.execute(&statement).await
    }

    async fn set_parameter(&mut self, name: &str, value: u64) -> Result<(), ActError> {
        let statements = match self {
            ChangingSession::Postgresql(_) => vec![
                format!("ALTER SYSTEM SET {name} = '{}kB'", value / 1_024),
                "SELECT pg_catalog.pg_reload_conf()".to_owned(),
            ],
            ChangingSession::Mysql(session) => vec![match session.engine() {
                Engine::Mysql => format!("SET PERSIST {name} = {value}"),
                _ => format!("SET GLOBAL {name} = {value}"),
            }],
        };
        for statement in statements {
            self.execute(&statement).await?;
        }
        Ok(())
    }

    async fn execute(&mut self, statement: &str) -> Result<(), ActError> {
        match self {
            ChangingSession::Postgresql(session) => session.change(statement).await,
            ChangingSession::Mysql(session) => session.change(statement).await,
        }
        .map_err(|error| refusal(&error))
    }
}

/// Sorts a refusal by its code: SQLSTATE 42501, or the numbers of MySQL for a missing privilege.
fn refusal(error: &sqlx::Error) -> ActError {
    let sqlx::Error::Database(refused) = error else {
        return act_error(ActErrorKind::Unknown, error);
    };
    let code = refused.code().unwrap_or_default();
    let kind = match code.as_ref() {
        "42501" | "42000" | "28000" => ActErrorKind::Denied,
        "55P03" | "57014" => ActErrorKind::WrongState,
        _ => ActErrorKind::Other,
    };
    act_error(kind, refused.message())
}

fn act_error(kind: ActErrorKind, message: impl ToString) -> ActError {
    ActError {
        kind,
        message: message.to_string(),
    }
}

impl From<DatabaseError> for ActError {
    fn from(error: DatabaseError) -> ActError {
        act_error(ActErrorKind::Unknown, error)
    }
}
