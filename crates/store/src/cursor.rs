//! Positions of followers of the log, each a named setting.

use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;

/// Position of a follower; `None` before it was first moved.
pub(crate) async fn read(store: &Store, name: &str) -> Result<Option<u64>, Fault> {
    let row = sqlx::query("SELECT document FROM settings WHERE name = $1")
        .bind(name)
        .fetch_optional(store.read())
        .await?;
    let Some(row) = row else { return Ok(None) };
    let text: String = row.try_get(0)?;

    text.parse().map(Some).map_err(|error| {
        Fault::Backend(format!("the stored setting {name} cannot be read: {error}"))
    })
}

/// Moves a follower on. Another process that was faster is a conflict.
pub(crate) async fn advance(
    store: &Store,
    name: &str,
    from: Option<u64>,
    to: u64,
) -> Result<(), Fault> {
    let (statement, from) = match from {
        None => (
            "INSERT INTO settings (name, document) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            None,
        ),
        Some(from) => (
            "UPDATE settings SET document = $2 WHERE name = $1 AND document = $3",
            Some(from.to_string()),
        ),
    };

    let mut query = sqlx::query(statement).bind(name).bind(to.to_string());
    if let Some(from) = from {
        query = query.bind(from);
    }

    match query.execute(store.write()).await?.rows_affected() {
        0 => Err(Fault::Conflict(
            "another process has judged these entries".to_owned(),
        )),
        _ => Ok(()),
    }
}
