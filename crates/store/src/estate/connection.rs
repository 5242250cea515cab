//! Storage of connections. Credentials are encrypted by the vault in their own column, never in a
//! document.
//!
//!
//! A connection whose credentials cannot be decrypted (another key, an altered text) does not
//! prevent the listing of others: it is listed as failed, with the reason and without credentials.
//! Reading it alone is an error.

use reeve_estate::{Connection, ConnectionCredentials, ConnectionId, ConnectionStatus};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::connection::ConnectionRow;
use crate::rows::{credentials, decode, encode, unreadable};
use crate::vault::VaultError;

pub(super) async fn insert(store: &Store, connection: &Connection) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO connections (id, name, provider, account, status, created_at_ms, document, secret)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(&connection.id.0)
    .bind(&connection.name)
    .bind(connection.provider.as_str())
    .bind(&connection.account)
    .bind(connection.status.as_str())
    .bind(connection.created_at.as_millisecond())
    .bind(encode(&ConnectionRow::from(connection))?)
    .bind(sealed(store, connection)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || format!("the connection {} exists already", connection.id)))?;
    Ok(())
}

pub(super) async fn update(store: &Store, connection: &Connection) -> Result<(), Fault> {
    // What a list shows of a connection whose credentials it could not open must not overwrite
    // them.
    let secret = if credentials::is_withheld(&connection.credentials) {
        None
    } else {
        Some(sealed(store, connection)?)
    };

    let done = sqlx::query(
        "UPDATE connections SET name = $2, provider = $3, account = $4, status = $5, created_at_ms = $6, document = $7,
         secret = COALESCE($8, secret) WHERE id = $1",
    )
    .bind(&connection.id.0)
    .bind(&connection.name)
    .bind(connection.provider.as_str())
    .bind(&connection.account)
    .bind(connection.status.as_str())
    .bind(connection.created_at.as_millisecond())
    .bind(encode(&ConnectionRow::from(connection))?)
    .bind(secret)
    .execute(store.write())
    .await?;

    if done.rows_affected() == 0 {
        Err(Fault::not_found("connection", &connection.id.0))
    } else {
        Ok(())
    }
}

fn sealed(store: &Store, connection: &Connection) -> Result<String, Fault> {
    Ok(credentials::seal(
        store.vault(),
        &connection.id.0,
        &connection.credentials,
    )?)
}

pub(super) async fn delete(store: &Store, id: &ConnectionId) -> Result<(), Fault> {
    let done = sqlx::query("DELETE FROM connections WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("connection", &id.0))
    } else {
        Ok(())
    }
}

pub(super) async fn get(store: &Store, id: &ConnectionId) -> Result<Connection, Fault> {
    let row = sqlx::query("SELECT id, document, secret FROM connections WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?
        .ok_or_else(|| Fault::not_found("connection", &id.0))?;
    let (document, opened) = read(store, &row)?;
    let credentials = opened
        .map_err(|error| Fault::Backend(format!("the connection {id} cannot be used: {error}")))?;

    Ok(document.into_connection(credentials))
}

pub(super) async fn list(store: &Store) -> Result<Vec<Connection>, Fault> {
    let rows =
        sqlx::query("SELECT id, document, secret FROM connections ORDER BY created_at_ms, id")
            .fetch_all(store.read())
            .await?;
    rows.iter().map(|row| listed(store, row)).collect()
}

fn listed(store: &Store, row: &AnyRow) -> Result<Connection, Fault> {
    let (document, opened) = read(store, row)?;
    let (credentials, problem) = match opened {
        Ok(credentials) => (credentials, None),
        Err(error) => (credentials::withheld(), Some(error.to_string())),
    };
    let mut connection = document.into_connection(credentials);
    if let Some(problem) = problem {
        connection.status = ConnectionStatus::Failed;
        connection.last_error = Some(problem);
    }

    Ok(connection)
}

fn read(
    store: &Store,
    row: &AnyRow,
) -> Result<(ConnectionRow, Result<ConnectionCredentials, VaultError>), Fault> {
    let id: String = row.try_get(0)?;
    let document = decode(row.try_get(1)?).map_err(unreadable("connection", &id))?;
    Ok((
        document,
        credentials::open(store.vault(), &id, row.try_get(2)?),
    ))
}
