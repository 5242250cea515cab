//! Storage of lists of values: the port [`ValueListStore`]. A change moves the generation of alert
//! rules, so that rules that name the list are read anew.

use async_trait::async_trait;
use reeve_access::{AccessError, MAX_VALUE_LISTS, ValueList, ValueListStore};
use reeve_anomalies::threat::{Pattern, parse};
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::alert::next_generation;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};

/// Prefix of the name of a threat list in a query.
const THREAT: &str = "threat:";

type Fallible<T> = std::result::Result<T, Fault>;

#[derive(Debug, Serialize, Deserialize)]
struct ValueListRow {
    description: String,
    values: Vec<String>,
    updated_at_ms: i64,
    updated_by: String,
}

#[async_trait]
impl ValueListStore for Store {
    async fn value_list_all(&self) -> Result<Vec<ValueList>, AccessError> {
        Ok(all(self).await?)
    }
    async fn value_list_get(&self, name: &str) -> Result<ValueList, AccessError> {
        Ok(get(self, name).await?)
    }
    async fn value_list_put(&self, list: &ValueList) -> Result<(), AccessError> {
        Ok(put(self, list).await?)
    }
    async fn value_list_delete(&self, name: &str) -> Result<(), AccessError> {
        Ok(delete(self, name).await?)
    }
    async fn named_values(&self, name: &str) -> Result<Vec<String>, AccessError> {
        Ok(values(self, name).await?)
    }
}

async fn values(store: &Store, name: &str) -> Fallible<Vec<String>> {
    let Some(threat) = name.strip_prefix(THREAT) else {
        return Ok(get(store, name).await?.values);
    };

    let list = crate::threat::get(store, threat).await?;
    // User agents are parts of a text, which a comparison with whole values cannot mean.
    let now = jiff::Timestamp::now();
    let networks = parse(&list.text)
        .unwrap_or_default()
        .into_iter()
        .filter(|indicator| indicator.is_valid(now))
        .filter_map(|indicator| match indicator.pattern {
            Pattern::Network(address, length) => Some(format!("{address}/{length}")),
            Pattern::UserAgent(_) => None,
        });

    Ok(networks.collect())
}

async fn all(store: &Store) -> Fallible<Vec<ValueList>> {
    let rows = sqlx::query("SELECT name, version, document FROM value_lists ORDER BY name")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(list).collect()
}

async fn get(store: &Store, name: &str) -> Fallible<ValueList> {
    let row = sqlx::query("SELECT name, version, document FROM value_lists WHERE name = $1")
        .bind(name)
        .fetch_optional(store.read())
        .await?;
    list(&row.ok_or_else(|| Fault::not_found("list", name))?)
}

async fn put(store: &Store, list: &ValueList) -> Fallible<()> {
    let row = ValueListRow {
        description: list.description.clone(),
        values: list.values.clone(),
        updated_at_ms: list.updated_at_ms,
        updated_by: list.updated_by.clone(),
    };

    let mut tx = store.begin().await?;
    // Taken first, it also makes changes of lists wait for each other on PostgreSQL.
    next_generation(&mut tx).await?;

    if list.version == 1 {
        let count: i64 = sqlx::query("SELECT COUNT(*) FROM value_lists")
            .fetch_one(&mut *tx)
            .await?
            .try_get(0)?;
        if u64::try_from(count).unwrap_or_default() >= MAX_VALUE_LISTS {
            return Err(Fault::Conflict(format!(
                "there are {count} lists, and at most {MAX_VALUE_LISTS}; remove one first"
            )));
        }
        sqlx::query("INSERT INTO value_lists (name, version, document) VALUES ($1, 1, $2)")
            .bind(&list.name)
            .bind(encode(&row)?)
            .execute(&mut *tx)
            .await
            .map_err(|error| {
                Fault::or_taken(error, || {
                    format!("a list named {} exists already", list.name)
                })
            })?;
    } else {
        let done =
            sqlx::query("UPDATE value_lists SET version = $2, document = $3 WHERE name = $1 AND version = $2 - 1")
                .bind(&list.name)
                .bind(version(list.version))
                .bind(encode(&row)?)
                .execute(&mut *tx)
                .await?;
        if done.rows_affected() == 0 {
            return Err(Fault::Conflict(format!(
                "the list {} was changed meanwhile; read it again",
                list.name
            )));
        }
    }

    Ok(tx.commit().await?)
}

async fn delete(store: &Store, name: &str) -> Fallible<()> {
    let mut tx = store.begin().await?;
    next_generation(&mut tx).await?;
    let done = sqlx::query("DELETE FROM value_lists WHERE name = $1")
        .bind(name)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found("list", name));
    }

    Ok(tx.commit().await?)
}

fn list(row: &AnyRow) -> Fallible<ValueList> {
    let name: String = row.try_get(0)?;
    let document: ValueListRow = decode(row.try_get(2)?).map_err(unreadable("list", &name))?;
    let ValueListRow {
        description,
        values,
        updated_at_ms,
        updated_by,
    } = document;

    let version = u64::try_from(row.try_get::<i64, _>(1)?).unwrap_or_default();
    Ok(ValueList {
        name,
        description,
        values,
        version,
        updated_at_ms,
        updated_by,
    })
}
