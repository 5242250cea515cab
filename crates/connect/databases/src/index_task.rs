//! Work on one index: what is to become of it, and the statement for that.

use reeve_databases::change_statement::{build_index, drop_index, rebuild_index};
use reeve_databases::{Engine, quoted_name};
use reeve_estate::{ActError, ActErrorKind, Operation};
use reeve_recommend::change::{
    BuildIndexOperation, DropIndexOperation, IndexPlace, RestoreIndexOperation,
};

use crate::error::act_error;

/// An index and the statement that makes it what it is to be.
#[derive(Debug)]
pub(crate) struct IndexTask {
    pub(crate) index: IndexPlace,
    pub(crate) kind: IndexTaskKind,
}

/// Work on an index.
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

impl IndexTask {
    pub(crate) fn from_operation(operation: &dyn Operation) -> Option<IndexTask> {
        let task = |index: &IndexPlace, kind| IndexTask {
            index: index.clone(),
            kind,
        };
        if let Some(BuildIndexOperation { index, columns }) = operation.downcast_ref() {
            return Some(task(index, IndexTaskKind::Build(columns.clone())));
        }
        if let Some(RestoreIndexOperation { index, definition }) = operation.downcast_ref() {
            return Some(task(index, IndexTaskKind::Restore(definition.clone())));
        }
        let DropIndexOperation { index } = operation.downcast_ref()?;
        Some(task(index, IndexTaskKind::Drop))
    }

    /// Statement of the task, which blocks neither reads nor writes of the table.
    ///
    /// # Errors
    /// The kept definition creates no index of this name.
    pub(crate) fn statement(&self, engine: Engine) -> Result<String, ActError> {
        let IndexPlace {
            schema,
            table,
            name,
        } = &self.index;
        match &self.kind {
            IndexTaskKind::Build(columns) => Ok(build_index(engine, schema, table, name, columns)),
            IndexTaskKind::Drop => Ok(drop_index(engine, schema, table, name)),
            IndexTaskKind::Restore(_) if engine.is_mysql_like() => Err(act_error(
                ActErrorKind::Other,
                "indexes of MariaDB and MySQL are not dropped by Reeve",
            )),
            IndexTaskKind::Restore(definition) => {
                // As pg_get_indexdef writes it: the name is quoted where it has to be.
                let quoted = quoted_name(engine, name);
                let is_of =
                    |name: &str| definition.starts_with(&format!("CREATE INDEX {name} ON "));
                if is_of(name) || is_of(&quoted) {
                    return Ok(rebuild_index(definition));
                }
                Err(act_error(
                    ActErrorKind::Other,
                    format!("the kept definition of {name} creates no such index"),
                ))
            }
        }
    }
}
