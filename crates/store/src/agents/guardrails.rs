//! The guardrails: one record, the defaults until somebody sets it.

use reeve_recommend::guardrail::Guardrails;
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};

pub(super) async fn get(store: &Store) -> Result<Guardrails, Fault> {
    let row = sqlx::query("SELECT document FROM guardrails WHERE id = 1")
        .fetch_optional(store.read())
        .await?;
    match row {
        None => Ok(Guardrails::default()),
        Some(row) => {
            decode::<Guardrails>(row.try_get(0)?).map_err(unreadable("record of", "guardrails"))
        }
    }
}

/// The first ones follow the defaults, whose version is 0.
pub(super) async fn put(store: &Store, guardrails: &Guardrails) -> Result<(), Fault> {
    let expected = version(guardrails.version).saturating_sub(1);
    let document = encode(guardrails)?;
    let done = if expected == version(Guardrails::default().version) {
        sqlx::query("INSERT INTO guardrails (id, version, document) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING")
            .bind(version(guardrails.version))
            .bind(document)
            .execute(store.write())
            .await?
    } else {
        sqlx::query(
            "UPDATE guardrails SET version = $1, document = $2 WHERE id = 1 AND version = $3",
        )
        .bind(version(guardrails.version))
        .bind(document)
        .bind(expected)
        .execute(store.write())
        .await?
    };

    if done.rows_affected() > 0 {
        return Ok(());
    }

    let stored = get(store).await?.version;
    Err(Fault::Conflict(format!(
        "the guardrails were changed by someone else: version {stored} is stored, you sent version {expected}; reload them and try again"
    )))
}
