//! Writes the rows of every table: a line that names table and columns, then a line a row.

use std::io::Write;

use futures::TryStreamExt as _;
use serde_json::{Value, json};
use sqlx::any::{AnyRow, AnyTypeInfoKind};
use sqlx::{AssertSqlSafe, Column as _, Row as _, ValueRef as _};

use super::{FORMAT, LEFT, TransferError};
use crate::address::Backend;
use crate::database::Store;
use crate::migrate::CURRENT;

impl Store {
    /// Version of the schema.
    #[must_use]
    pub fn schema(&self) -> i64 {
        CURRENT
    }

    /// Writes the whole state as it is at one moment; how many rows.
    ///
    /// # Errors
    /// [`TransferError`].
    pub async fn export(&self, out: &mut (impl Write + Send)) -> Result<u64, TransferError> {
        // SQLite's transaction sees the moment of its first read, PostgreSQL's needs to be told so.
        let begin = match self.backend() {
            Backend::Sqlite => "BEGIN",
            Backend::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        let mut moment = self.read().begin_with(begin).await?;
        let tables: Vec<String> = sqlx::query(tables(self.backend()))
            .fetch_all(&mut *moment)
            .await?
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, sqlx::Error>>()?;

        let mut rows = 0;
        line(out, &json!({ "format": FORMAT, "schema": CURRENT }))?;
        for table in tables
            .iter()
            .filter(|table| !LEFT.contains(&table.as_str()))
        {
            // The name is the database's own, and those of migrations are plain words.
            let mut found =
                sqlx::query(AssertSqlSafe(format!("SELECT * FROM {table}"))).fetch(&mut *moment);
            let mut named = false;
            while let Some(row) = found.try_next().await? {
                if !named {
                    let columns: Vec<&str> =
                        row.columns().iter().map(|column| column.name()).collect();
                    line(out, &json!({ "table": table, "columns": columns }))?;
                    named = true;
                }
                line(out, &Value::Array(values(table, &row)?))?;
                rows += 1;
            }
            if !named {
                line(out, &json!({ "table": table, "columns": [] }))?;
            }
        }

        line(out, &json!({ "rows": rows }))?;
        moment.rollback().await?;
        Ok(rows)
    }
}

/// The tables, those first that others refer to: a table is made after those.
const fn tables(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid"
        }
        Backend::Postgres => {
            "SELECT CAST(c.relname AS TEXT) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relkind = 'r' AND n.nspname = current_schema() ORDER BY c.oid"
        }
    }
}

fn line(out: &mut impl Write, value: &Value) -> Result<(), TransferError> {
    serde_json::to_writer(&mut *out, value).map_err(std::io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

fn values(table: &str, row: &AnyRow) -> Result<Vec<Value>, TransferError> {
    let value = |at: usize| {
        let raw = row.try_get_raw(at)?;
        if raw.is_null() {
            return Ok(Value::Null);
        }
        let kind = raw.type_info().kind();
        let number = |number: f64| serde_json::Number::from_f64(number).map(Value::Number);
        let read = match kind {
            AnyTypeInfoKind::Text => Some(Value::String(row.try_get(at)?)),
            AnyTypeInfoKind::BigInt => Some(Value::from(row.try_get::<i64, _>(at)?)),
            AnyTypeInfoKind::Integer => Some(Value::from(row.try_get::<i32, _>(at)?)),
            AnyTypeInfoKind::Double => number(row.try_get(at)?),
            _ => None,
        };
        let column = || row.columns()[at].name().to_owned();
        read.ok_or_else(|| TransferError::Value {
            table: table.to_owned(),
            column: column(),
        })
    };
    (0..row.columns().len()).map(value).collect()
}
