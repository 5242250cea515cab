//! Destinations of exports.

use reeve_exports::{DestinationId, DestinationSecret, ExportDestination};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::room;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, Fault>;

fn taken(destination: &ExportDestination) -> String {
    format!("a destination named {} exists already", destination.name)
}

fn sealed(store: &Store, id: &DestinationId, secret: &DestinationSecret) -> Result<String> {
    Ok(store.vault().seal(&id.0, secret.0.as_bytes())?)
}

pub(super) async fn insert(
    store: &Store,
    destination: &ExportDestination,
    secret: &DestinationSecret,
    most: u64,
) -> Result<()> {
    let mut tx = store.begin().await?;
    let count = sqlx::query("SELECT COUNT(*) FROM export_destinations")
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;
    room("destinations", count, most)?;
    sqlx::query("INSERT INTO export_destinations (id, name, version, document, secret) VALUES ($1, $2, $3, $4, $5)")
        .bind(&destination.id.0)
        .bind(&destination.name)
        .bind(version(destination.version))
        .bind(encode(destination)?)
        .bind(sealed(store, &destination.id, secret)?)
        .execute(&mut *tx)
        .await
        .map_err(|error| Fault::or_taken(error, || taken(destination)))?;

    Ok(tx.commit().await?)
}

pub(super) async fn update(
    store: &Store,
    destination: &ExportDestination,
    secret: Option<&DestinationSecret>,
) -> Result<()> {
    let record = Versioned {
        noun: "destination",
        select: "SELECT version FROM export_destinations WHERE id = $1",
        id: &destination.id.0,
        version: destination.version,
    };

    let secret = secret
        .map(|secret| sealed(store, &destination.id, secret))
        .transpose()?;
    let update = sqlx::query(
        "UPDATE export_destinations SET name = $3, version = $4, document = $5, secret = COALESCE($6, secret)
         WHERE id = $1 AND version = $2",
    )
    .bind(&destination.id.0)
    .bind(record.expected())
    .bind(&destination.name)
    .bind(version(destination.version))
    .bind(encode(destination)?)
    .bind(secret);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(destination)
        })
        .await
}

pub(super) async fn delete(store: &Store, id: &DestinationId) -> Result<()> {
    let done = sqlx::query("DELETE FROM export_destinations WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("destination", &id.0))
    } else {
        Ok(())
    }
}

pub(super) async fn get(store: &Store, id: &DestinationId) -> Result<ExportDestination> {
    let row = sqlx::query("SELECT id, document FROM export_destinations WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    destination(&row.ok_or_else(|| Fault::not_found("destination", &id.0))?)
}

pub(super) async fn secret(store: &Store, id: &DestinationId) -> Result<DestinationSecret> {
    let row = sqlx::query("SELECT secret FROM export_destinations WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let sealed: String = row
        .ok_or_else(|| Fault::not_found("destination", &id.0))?
        .try_get(0)?;
    Ok(DestinationSecret(store.open_text(
        "destination",
        &id.0,
        &sealed,
    )?))
}

pub(super) async fn list(store: &Store) -> Result<Vec<ExportDestination>> {
    let select = "SELECT id, document FROM export_destinations ORDER BY name, id";
    sqlx::query(select)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(destination)
        .collect()
}

fn destination(row: &AnyRow) -> Result<ExportDestination> {
    let id: String = row.try_get(0)?;
    decode::<ExportDestination>(row.try_get(1)?).map_err(unreadable("destination", &id))
}
