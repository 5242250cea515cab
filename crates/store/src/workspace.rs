//! Settings of the workspace: the port [`WorkspaceStore`]. One document among the named settings,
//! compared by the version inside.

use async_trait::async_trait;
use reeve_access::{AccessError, Workspace, WorkspaceStore};
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::workspace::WorkspaceRow;
use crate::rows::{decode, encode, unreadable};

const NAME: &str = "workspace";

#[async_trait]
impl WorkspaceStore for Store {
    async fn workspace_get(&self) -> Result<Workspace, AccessError> {
        Ok(read(self)
            .await?
            .map(|(workspace, _)| workspace)
            .unwrap_or_default())
    }
    async fn workspace_put(&self, workspace: &Workspace) -> Result<(), AccessError> {
        Ok(put(self, workspace).await?)
    }
}

/// Returns the settings with their text.
async fn read(store: &Store) -> Result<Option<(Workspace, String)>, Fault> {
    let row = sqlx::query("SELECT document FROM settings WHERE name = $1")
        .bind(NAME)
        .fetch_optional(store.read())
        .await?;
    let Some(row) = row else { return Ok(None) };
    let text: String = row.try_get(0)?;
    let workspace = decode::<WorkspaceRow>(&text).map_err(unreadable("setting", NAME))?;
    Ok(Some((workspace.into(), text)))
}

/// Two writers that read the same version write one after the other, and the second fails: the
/// whole text is compared.
async fn put(store: &Store, workspace: &Workspace) -> Result<(), Fault> {
    let conflict = || {
        Fault::Conflict(
            "the settings of the workspace were changed by someone else; reload them".to_owned(),
        )
    };

    let stored = read(store).await?;
    if stored.as_ref().map_or(0, |(stored, _)| stored.version) + 1 != workspace.version {
        return Err(conflict());
    }

    let document = encode(&WorkspaceRow::from(workspace))?;
    let done = match stored {
        None => sqlx::query(
            "INSERT INTO settings (name, document) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        )
        .bind(NAME)
        .bind(document)
        .execute(store.write())
        .await?,
        Some((_, text)) => {
            sqlx::query("UPDATE settings SET document = $2 WHERE name = $1 AND document = $3")
                .bind(NAME)
                .bind(document)
                .bind(text)
                .execute(store.write())
                .await?
        }
    };

    if done.rows_affected() > 0 {
        Ok(())
    } else {
        Err(conflict())
    }
}
