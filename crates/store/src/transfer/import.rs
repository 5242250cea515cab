//! Reads what [`Store::export`](crate::Store::export) wrote into a database that was never used.

use std::io::BufRead;

use serde_json::{Value, json};
use sqlx::any::Any;
use sqlx::{AssertSqlSafe, Connection as _, Row as _, Transaction};

use super::{FORMAT, LEFT, RESTORED, TransferError};
use crate::address::{Address, Backend};
use crate::database::{DatabaseOptions, begin};
use crate::migrate;
use crate::open::{OpenError, connect, create};

/// Imports state into the database at an address, all of it or nothing, and returns the number of
/// rows. `origin` tells one backup from another: a database that was restored from the same one is
/// left as it is, so that a restore that was interrupted can be repeated.
///
/// # Errors
/// [`TransferError`]; the database is as it was.
pub async fn import(
    url: &str,
    origin: &str,
    input: &mut (impl BufRead + Send),
) -> Result<u64, TransferError> {
    sqlx::any::install_default_drivers();
    let mut address = Address::parse(url)?;
    if let Some(file) = address.file.clone() {
        create(&file)?;
        address.locate(&file)?;
    }

    let mut connection = connect(&address, DatabaseOptions::default().patience).await?;
    let mut tx = connection.begin_with(begin(address.backend)).await?;

    if used(&mut tx, address.backend).await? {
        if restored_from(&mut tx).await.as_deref() == Some(origin) {
            return Ok(0);
        }
        return Err(TransferError::InUse { at: address.shown });
    }

    let rows = fill(&mut tx, address.backend, input).await?;
    sqlx::query("INSERT INTO settings (name, document) VALUES ($1, $2)")
        .bind(RESTORED)
        .bind(json!(origin).to_string())
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    connection.close().await?;

    Ok(rows)
}

/// Returns `true` if Reeve has used the database before.
async fn used(tx: &mut Transaction<'_, Any>, backend: Backend) -> Result<bool, sqlx::Error> {
    let query = match backend {
        Backend::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE name = 'schema_versions'",
        Backend::Postgres => {
            "SELECT COUNT(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relname = 'schema_versions' AND n.nspname = current_schema()"
        }
    };
    Ok(sqlx::query(query)
        .fetch_one(&mut **tx)
        .await?
        .try_get::<i64, _>(0)?
        > 0)
}

async fn restored_from(tx: &mut Transaction<'_, Any>) -> Option<String> {
    let row = sqlx::query("SELECT document FROM settings WHERE name = $1").bind(RESTORED);
    let row = row.fetch_optional(&mut **tx).await.ok()??;
    serde_json::from_str(&row.try_get::<String, _>(0).ok()?).ok()
}

/// Lines of the file, counted.
struct Lines<'a, R> {
    input: &'a mut R,
    number: u64,
}

impl<R: BufRead> Lines<'_, R> {
    fn next(&mut self) -> Result<Value, TransferError> {
        let mut line = String::new();
        self.number += 1;
        if self.input.read_line(&mut line)? == 0 {
            return Err(self.wrong("the file was cut off"));
        }
        serde_json::from_str(&line).map_err(|error| self.wrong(error.to_string()))
    }

    fn wrong(&self, cause: impl Into<String>) -> TransferError {
        TransferError::Form {
            line: self.number,
            cause: cause.into(),
        }
    }
}

async fn fill(
    tx: &mut Transaction<'_, Any>,
    backend: Backend,
    input: &mut (impl BufRead + Send),
) -> Result<u64, TransferError> {
    let mut lines = Lines { input, number: 0 };
    let head = lines.next()?;
    let schema = head["schema"].as_i64().filter(|_| head["format"] == FORMAT);
    let schema = schema.ok_or_else(|| lines.wrong(format!("it is not of the format {FORMAT}")))?;

    if schema > migrate::CURRENT {
        return Err(OpenError::Newer {
            found: schema,
            known: migrate::CURRENT,
        }
        .into());
    }

    migrate::run_to(tx, backend, schema).await?;
    let (mut table, mut rows) = (None, 0);

    loop {
        let value = lines.next()?;
        if let Value::Array(values) = value {
            let Some(table) = &table else {
                return Err(lines.wrong("a row before any table"));
            };
            insert(tx, table, &values)
                .await?
                .ok_or_else(|| lines.wrong("a row that does not fit its table"))?;
            rows += 1;
        } else if let Some(name) = value["table"].as_str() {
            let columns: Option<Vec<&str>> = value["columns"]
                .as_array()
                .and_then(|columns| columns.iter().map(Value::as_str).collect());
            let named = Table::checked(name, columns.as_deref().unwrap_or_default());
            let named = named.ok_or_else(|| lines.wrong("the state store has no such table"))?;
            // What a migration puts there itself comes with the rows.
            sqlx::query(AssertSqlSafe(format!("DELETE FROM {}", named.name)))
                .execute(&mut **tx)
                .await?;
            table = Some(named);
        } else if value["rows"].as_u64() == Some(rows) {
            return Ok(rows);
        } else {
            return Err(lines.wrong("the number of rows is another"));
        }
    }
}

/// A table, with names that are safe in a statement.
struct Table {
    name: String,
    columns: Vec<String>,
}

impl Table {
    fn checked(name: &str, columns: &[&str]) -> Option<Table> {
        let plain = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };

        let sound =
            plain(name) && !LEFT.contains(&name) && columns.iter().all(|column| plain(column));
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        sound.then(|| Table {
            name: name.to_owned(),
            columns,
        })
    }
}

/// Inserts a row; `None` if its values do not fit the columns. NULL is the only literal in the
/// statement, since a bound one would have a type.
async fn insert(
    tx: &mut Transaction<'_, Any>,
    table: &Table,
    values: &[Value],
) -> Result<Option<()>, sqlx::Error> {
    if values.len() != table.columns.len() {
        return Ok(None);
    }

    let mut places = Vec::with_capacity(values.len());
    let mut bound = 0;

    for value in values {
        bound += usize::from(!value.is_null());
        places.push(if value.is_null() {
            "NULL".to_owned()
        } else {
            format!("${bound}")
        });
    }

    let statement = format!(
        "INSERT INTO {} ({}) VALUES ({})",
        table.name,
        table.columns.join(", "),
        places.join(", ")
    );
    let mut query = sqlx::query(AssertSqlSafe(statement));

    for value in values {
        query = match value {
            Value::Null => query,
            Value::String(text) => query.bind(text.clone()),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => query.bind(whole),
                (None, Some(float)) => query.bind(float),
                (None, None) => return Ok(None),
            },
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => return Ok(None),
        };
    }

    query.execute(&mut **tx).await.map(|_| Some(()))
}
