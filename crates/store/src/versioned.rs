//! Updates with optimistic locking: of two writers who read the same version, one succeeds and the
//! other gets a conflict.

use sqlx::any::{Any, AnyArguments};
use sqlx::query::Query;
use sqlx::{AnyConnection, Row as _};

use crate::fault::Fault;

/// A record that carries a version.
pub(crate) struct Versioned<'r> {
    /// Noun for error messages.
    pub(crate) noun: &'static str,
    /// `SELECT version FROM ... WHERE id = $1`.
    pub(crate) select: &'static str,
    /// Identifier of the record.
    pub(crate) id: &'r str,
    /// The version it is to have: the stored one plus one.
    pub(crate) version: u64,
}

impl Versioned<'_> {
    /// The version that must be stored for the update to go through.
    pub(crate) fn expected(&self) -> i64 {
        i64::try_from(self.version)
            .unwrap_or(i64::MAX)
            .saturating_sub(1)
    }

    /// Runs an update that compares versions in its `WHERE`; when it found nothing, says why.
    pub(crate) async fn run(
        &self,
        connection: &mut AnyConnection,
        update: Query<'_, Any, AnyArguments>,
        taken: impl FnOnce() -> String,
    ) -> Result<(), Fault> {
        let done = update
            .execute(&mut *connection)
            .await
            .map_err(|error| Fault::or_taken(error, taken))?;
        if done.rows_affected() > 0 {
            return Ok(());
        }

        let stored = sqlx::query(self.select)
            .bind(self.id)
            .fetch_optional(&mut *connection)
            .await?;
        let stored: i64 = stored
            .ok_or_else(|| Fault::not_found(self.noun, self.id))?
            .try_get(0)?;
        Err(Fault::Conflict(format!(
            "the {} {} was changed by someone else: version {stored} is stored, you sent version {}; reload it and try again",
            self.noun,
            self.id,
            self.expected()
        )))
    }
}
