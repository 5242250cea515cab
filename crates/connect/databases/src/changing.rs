//! Changes of a database server: indexes and parameters.
//!
//! A build or a removal of an index may take hours. It goes on in the background, in a session of its
//! own; asked for again, it is under way until the server has finished it. Tables are read and written
//! meanwhile.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use reeve_databases::change_statement::set_parameter;
use reeve_estate::{ActError, ActErrorKind, Applied, Operation};
use reeve_recommend::change::ParameterOperation;
use tokio::time::timeout;

use crate::address::{AddressOptions, DatabaseAddress, SessionUse};
use crate::error::act_error;
use crate::index_task::{IndexStanding, IndexTask, IndexTaskKind};
use crate::session::ServerSession;
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

/// Session in which one change is made.
struct ChangingSession {
    server: ServerSession,
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
    let name = task.index.name.clone();
    let key = format!("{address}:{port} {}.{name}", task.index.schema);
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
            let message = format!("index {name} enforces a rule of the data now");
            return Err(act_error(ActErrorKind::WrongState, message));
        }
        (IndexTaskKind::Drop, _) | (_, IndexStanding::Absent) => {}
        (_, IndexStanding::Valid | IndexStanding::Enforcing) => return Ok(Applied::Accepted),
        (_, IndexStanding::InWork) => return Ok(Applied::Pending),
        (_, IndexStanding::Invalid) => {
            let dropping = IndexTask {
                index: task.index,
                kind: IndexTaskKind::Drop,
            };
            session.execute_task(&dropping).await?;
            let message = format!("a build of index {name} failed, and what it left was dropped");
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

impl ChangingSession {
    async fn open(address: &DatabaseAddress) -> Result<ChangingSession, ActError> {
        let server = ServerSession::open(address, SessionUse::Changing).await?;
        Ok(ChangingSession { server })
    }

    async fn standing(&mut self, task: &IndexTask) -> Result<IndexStanding, ActError> {
        Ok(match &mut self.server {
            ServerSession::Postgresql(session) => session.standing(task).await?,
            ServerSession::Mysql(session) => session.standing(task).await?,
        })
    }

    /// Refuses where a transaction has been open so long that the statement would wait for it. An
    /// ALTER TABLE waits for the table's own transactions alone, and not longer than for
    /// `lock_wait_timeout`.
    async fn refuse_old_transactions(&mut self) -> Result<(), ActError> {
        let ServerSession::Postgresql(session) = &mut self.server else {
            return Ok(());
        };
        let oldest = session.oldest_transaction_s().await?;
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
        let statement = task.statement(self.server.engine())?;
        self.execute(&statement).await
    }

    /// Sets a parameter; all that Reeve changes are sizes.
    async fn set_parameter(&mut self, name: &str, value: u64) -> Result<(), ActError> {
        for statement in set_parameter(self.server.engine(), name, value as f64, true) {
            self.execute(&statement).await?;
        }
        Ok(())
    }

    async fn execute(&mut self, statement: &str) -> Result<(), ActError> {
        match &mut self.server {
            ServerSession::Postgresql(session) => session.change(statement).await,
            ServerSession::Mysql(session) => session.change(statement).await,
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
