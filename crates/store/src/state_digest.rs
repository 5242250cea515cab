//! Digests of the rows that decide who may do what: a change of one of them that has no entry in
//! the log was made beside Reeve.
//!
//! A row is digested as the columns that only a change with an entry alters, the same on both
//! databases. Left out are times of last use, results of the last run or sync, and sealed secrets,
//! which are sealed anew at each change of their row.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Row as _};

use crate::address::Backend;
use crate::database::Store;
use crate::fault::{Fault, SettingError};

/// A table whose rows are digested.
struct Digested {
    table: &'static str,
    /// Columns that make up the identifier, the first ones of `columns`.
    key: usize,
    columns: &'static [&'static str],
    /// Columns with the identifiers that entries about a row name.
    owners: &'static [&'static str],
    /// Members of the document that change without an entry.
    volatile: &'static [&'static str],
}

const DIGESTED: &[Digested] = &[
    table(
        "users",
        1,
        &["id", "email", "name", "active", "document"],
        &["id"],
        &[],
    ),
    table("teams", 1, &["id", "name"], &["id"], &[]),
    table(
        "memberships",
        2,
        &["user_id", "team_id"],
        &["user_id", "team_id"],
        &[],
    ),
    table(
        "tokens",
        1,
        &["id", "user_id", "hash", "expires_at_ms", "document"],
        &["id", "user_id"],
        &[],
    ),
    table(
        "connections",
        1,
        &["id", "name", "provider", "account", "document"],
        &["id"],
        &["status", "last_sync", "last_error"],
    ),
    table(
        "agents",
        1,
        &["id", "agent_type", "name", "mode", "document"],
        &["id"],
        &["last_run", "last_change_run", "version"],
    ),
    table("guardrails", 1, &["id", "document"], &[], &[]),
    table(
        "standing_approvals",
        1,
        &["id", "agent_id", "document"],
        &["id"],
        &["version"],
    ),
    table(
        "alert_rules",
        1,
        &["id", "name", "document"],
        &["id"],
        &["version"],
    ),
    table(
        "playbooks",
        1,
        &["name", "document"],
        &["name"],
        &["version"],
    ),
    table(
        "runbooks",
        1,
        &["name", "document"],
        &["name"],
        &["version"],
    ),
    table("webhooks", 1, &["id", "document"], &["id"], &[]),
    table(
        "notification_channels",
        1,
        &["id", "document"],
        &["id"],
        &[],
    ),
    table(
        "export_destinations",
        1,
        &["id", "name", "document"],
        &["id"],
        &[],
    ),
];

const fn table(
    table: &'static str,
    key: usize,
    columns: &'static [&'static str],
    owners: &'static [&'static str],
    volatile: &'static [&'static str],
) -> Digested {
    Digested {
        table,
        key,
        columns,
        owners,
        volatile,
    }
}

/// Digest of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowDigest {
    /// Table of the row.
    pub table: String,
    /// Identifier of the row, its parts separated by spaces.
    pub row: String,
    /// Identifiers of resources: an entry about a change of the row names one of them.
    pub owners: Vec<String>,
    /// SHA-256 of the row, hex.
    pub sha256: String,
}

impl Store {
    /// Returns the digests of all rows as they are at one moment, sorted by table and row.
    ///
    /// # Errors
    /// The store failed, or a row cannot be read.
    pub async fn row_digests(&self) -> Result<Vec<RowDigest>, SettingError> {
        // SQLite's transaction sees the moment of its first read, PostgreSQL's needs to be told so.
        let begin = match self.backend() {
            Backend::Sqlite => "BEGIN",
            Backend::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        let mut moment = self.read().begin_with(begin).await.map_err(Fault::from)?;
        let mut digests = Vec::new();

        for digested in DIGESTED {
            // Numbers as text, so that the two databases give the same bytes.
            let columns: Vec<String> = digested
                .columns
                .iter()
                .map(|column| format!("CAST({column} AS TEXT)"))
                .collect();
            let select = format!("SELECT {} FROM {}", columns.join(", "), digested.table);
            let rows = sqlx::query(AssertSqlSafe(select))
                .fetch_all(&mut *moment)
                .await
                .map_err(Fault::from)?;
            for row in rows {
                let values: Vec<Option<String>> = (0..digested.columns.len())
                    .map(|at| row.try_get(at))
                    .collect::<Result<_, sqlx::Error>>()
                    .map_err(Fault::from)?;
                digests.push(digested.digest(&values)?);
            }
        }

        moment.rollback().await.map_err(Fault::from)?;
        digests.sort_unstable();
        Ok(digests)
    }
}

impl Digested {
    fn digest(&self, values: &[Option<String>]) -> Result<RowDigest, SettingError> {
        let named = |column: &&str| {
            let at = self.columns.iter().position(|one| one == column)?;
            values[at].clone()
        };

        let row: Vec<String> = values[..self.key]
            .iter()
            .map(|value| value.clone().unwrap_or_default())
            .collect();
        let row = row.join(" ");
        let mut digested = Vec::with_capacity(values.len());

        for (column, value) in self.columns.iter().zip(values) {
            digested.push(match value {
                Some(text) if *column == "document" => self.document(&row, text)?,
                value => json!(value),
            });
        }

        let bytes = json!([self.table, digested]).to_string();
        // The one row of guardrails has no identifier of its own: entries name the table.
        let owners = if self.owners.is_empty() {
            vec![self.table.to_owned()]
        } else {
            self.owners.iter().filter_map(named).collect()
        };

        let sha256 = hex::encode(Sha256::digest(bytes));
        Ok(RowDigest {
            table: self.table.to_owned(),
            row,
            owners,
            sha256,
        })
    }

    /// A document without the members that change by themselves.
    fn document(&self, row: &str, text: &str) -> Result<Value, SettingError> {
        let unreadable = |error| {
            SettingError(format!(
                "{} {row}: its document is not JSON: {error}",
                self.table
            ))
        };
        let mut document: Value = serde_json::from_str(text).map_err(unreadable)?;

        if let Some(members) = document.get_mut("row").and_then(Value::as_object_mut) {
            members.retain(|name, _| !self.volatile.contains(&name.as_str()));
        }

        Ok(document)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn digest(name: &str, values: &[&str]) -> RowDigest {
        let table = DIGESTED.iter().find(|one| one.table == name).unwrap();
        table
            .digest(
                &values
                    .iter()
                    .map(|value| Some((*value).to_owned()))
                    .collect::<Vec<_>>(),
            )
            .unwrap()
    }

    #[test]
    fn what_changes_by_itself_is_left_out_and_nothing_else() {
        let connection = |sync: &str, actions: &str| {
            let document = format!(
                r#"{{"v":1,"row":{{"allow_actions":{actions},"last_sync":{sync},"status":"ok"}}}}"#
            );
            digest("connections", &["c-1", "main", "aws", "1", &document])
        };
        let before = connection("null", "false");
        assert_eq!(before, connection(r#"{"resources":4}"#, "false"));

        assert_ne!(before.sha256, connection("null", "true").sha256);

        let member = digest("memberships", &["u-1", "t-1"]);
        assert_eq!(
            (member.row.as_str(), member.owners),
            ("u-1 t-1", vec!["u-1".to_owned(), "t-1".to_owned()])
        );
        assert_eq!(digest("guardrails", &["1", "{}"]).owners, ["guardrails"]);
    }
}
