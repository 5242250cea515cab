//! Loads of databases, their statements and last readings: the port [`DatabaseLoadStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::database_load::{KnownStatement, MOST_TEXTS};
use reeve_estate::{DatabaseKey, DatabaseLoad, DatabaseLoadStore, LoadReading, StoreError};
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl DatabaseLoadStore for Store {
    async fn database_load_add(
        &self,
        database: &DatabaseKey,
        load: &DatabaseLoad,
        statements: &[KnownStatement],
    ) -> Result<()> {
        Ok(add(self, database, load, statements).await?)
    }
    async fn database_loads(
        &self,
        database: &DatabaseKey,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<DatabaseLoad>> {
        Ok(loads(self, database, from, to).await?)
    }
    async fn database_statements(&self, database: &DatabaseKey) -> Result<Vec<KnownStatement>> {
        Ok(statements(self, database).await?)
    }
    async fn database_reading_put(&self, reading: &LoadReading) -> Result<()> {
        Ok(put_reading(self, reading).await?)
    }
    async fn database_readings(&self) -> Result<Vec<LoadReading>> {
        Ok(readings(self).await?)
    }
    async fn database_load_expire(&self, before: Timestamp) -> Result<u64> {
        Ok(expire(self, before).await?)
    }
}

async fn add(
    store: &Store,
    database: &DatabaseKey,
    load: &DatabaseLoad,
    statements: &[KnownStatement],
) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let (connection, resource) = (&database.connection.0, &database.resource.0);
    let start_s = load.start.as_second();
    let kept = sqlx::query(
        "SELECT document FROM database_loads WHERE connection_id = $1 AND resource_id = $2 AND start_s = $3",
    )
    .bind(connection)
    .bind(resource)
    .bind(start_s)
    .fetch_optional(&mut *tx)
    .await?;
    let sum = match kept {
        Some(row) => {
            let read = decode::<DatabaseLoad>(row.try_get(0)?);
            let mut sum = read.map_err(unreadable("load of a database", resource))?;
            sum.add(load);
            sum
        }
        None => load.clone(),
    };

    sqlx::query(
        "INSERT INTO database_loads (connection_id, resource_id, start_s, document) VALUES ($1, $2, $3, $4)
         ON CONFLICT (connection_id, resource_id, start_s) DO UPDATE SET document = excluded.document",
    )
    .bind(connection)
    .bind(resource)
    .bind(start_s)
    .bind(encode(&sum)?)
    .execute(&mut *tx)
    .await?;
    for statement in statements {
        sqlx::query(
            "INSERT INTO database_statements (connection_id, resource_id, statement_id, seen_s, document)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (connection_id, resource_id, statement_id)
             DO UPDATE SET seen_s = excluded.seen_s, document = excluded.document",
        )
        .bind(connection)
        .bind(resource)
        .bind(&statement.id)
        .bind(statement.seen_at.as_second())
        .bind(encode(statement)?)
        .execute(&mut *tx)
        .await?;
    }
    Ok(tx.commit().await?)
}

async fn loads(
    store: &Store,
    database: &DatabaseKey,
    from: Timestamp,
    to: Timestamp,
) -> std::result::Result<Vec<DatabaseLoad>, Fault> {
    let rows = sqlx::query(
        "SELECT document FROM database_loads
         WHERE connection_id = $1 AND resource_id = $2 AND start_s >= $3 AND start_s < $4 ORDER BY start_s",
    )
    .bind(&database.connection.0)
    .bind(&database.resource.0)
    .bind(from.as_second())
    .bind(to.as_second())
    .fetch_all(store.read())
    .await?;
    let of = &database.resource.0;
    rows.iter()
        .map(|row| decode(row.try_get(0)?).map_err(unreadable("load of a database", of)))
        .collect()
}

async fn statements(
    store: &Store,
    database: &DatabaseKey,
) -> std::result::Result<Vec<KnownStatement>, Fault> {
    let rows = sqlx::query(
        "SELECT statement_id, document FROM database_statements
         WHERE connection_id = $1 AND resource_id = $2 ORDER BY seen_s DESC, statement_id LIMIT $3",
    )
    .bind(&database.connection.0)
    .bind(&database.resource.0)
    .bind(i64::try_from(MOST_TEXTS).unwrap_or(i64::MAX))
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get(0)?;
            decode(row.try_get(1)?).map_err(unreadable("statement of a database", &id))
        })
        .collect()
}

async fn put_reading(store: &Store, reading: &LoadReading) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO database_readings (connection_id, resource_id, document) VALUES ($1, $2, $3)
         ON CONFLICT (connection_id, resource_id) DO UPDATE SET document = excluded.document",
    )
    .bind(&reading.database.connection.0)
    .bind(&reading.database.resource.0)
    .bind(encode(reading)?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn readings(store: &Store) -> std::result::Result<Vec<LoadReading>, Fault> {
    let rows = sqlx::query(
        "SELECT resource_id, document FROM database_readings ORDER BY resource_id, connection_id",
    )
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get(0)?;
            decode(row.try_get(1)?).map_err(unreadable("reading of a database", &id))
        })
        .collect()
}

async fn expire(store: &Store, before: Timestamp) -> std::result::Result<u64, Fault> {
    let mut tx = store.begin().await?;
    let gone = sqlx::query("DELETE FROM database_loads WHERE start_s < $1")
        .bind(before.as_second())
        .execute(&mut *tx)
        .await?;
    sqlx::query("DELETE FROM database_statements WHERE seen_s < $1")
        .bind(before.as_second())
        .execute(&mut *tx)
        .await?;
    // A database with ever new statements keeps those seen last.
    sqlx::query(
        "DELETE FROM database_statements WHERE (connection_id, resource_id, statement_id) IN (
             SELECT connection_id, resource_id, statement_id FROM (
                 SELECT connection_id, resource_id, statement_id, ROW_NUMBER() OVER (
                     PARTITION BY connection_id, resource_id ORDER BY seen_s DESC, statement_id) AS place
                 FROM database_statements) ranked
             WHERE place > $1)",
    )
    .bind(i64::try_from(MOST_TEXTS).unwrap_or(i64::MAX))
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(gone.rows_affected())
}
