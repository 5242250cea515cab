//! Retention policies, legal holds, restores and requests for erasure: the port [`RetentionStore`].

mod erasure;
mod restores;

use async_trait::async_trait;
use reeve_retention::{
    ErasureRequest, LegalHold, MAX_HOLDS, PolicyVersion, Restore, RetentionStore,
    RetentionStoreError,
};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};

type Fallible<T> = std::result::Result<T, Fault>;

impl From<Fault> for RetentionStoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotFound { noun, id } => RetentionStoreError::NotFound { what: noun, id },
            Fault::Conflict(message) => RetentionStoreError::Conflict(message),
            other => RetentionStoreError::Backend(other.to_string()),
        }
    }
}

#[async_trait]
impl RetentionStore for Store {
    async fn retention_get(&self) -> Result<PolicyVersion, RetentionStoreError> {
        Ok(newest(self).await?)
    }
    async fn retention_put(&self, policies: &PolicyVersion) -> Result<(), RetentionStoreError> {
        Ok(put(self, policies).await?)
    }
    async fn hold_list(&self) -> Result<Vec<LegalHold>, RetentionStoreError> {
        Ok(holds(self).await?)
    }
    async fn hold_get(&self, id: &str) -> Result<LegalHold, RetentionStoreError> {
        Ok(hold(self, id).await?)
    }
    async fn hold_insert(&self, hold: &LegalHold) -> Result<(), RetentionStoreError> {
        Ok(insert(self, hold).await?)
    }
    async fn hold_update(&self, hold: &LegalHold) -> Result<(), RetentionStoreError> {
        Ok(update(self, hold).await?)
    }
    async fn erasure_list(&self) -> Result<Vec<ErasureRequest>, RetentionStoreError> {
        Ok(erasure::list(self).await?)
    }
    async fn erasure_get(&self, id: &str) -> Result<ErasureRequest, RetentionStoreError> {
        Ok(erasure::get(self, id).await?)
    }
    async fn erasure_insert(&self, request: &ErasureRequest) -> Result<(), RetentionStoreError> {
        Ok(erasure::insert(self, request).await?)
    }
    async fn erasure_update(&self, request: &ErasureRequest) -> Result<(), RetentionStoreError> {
        Ok(erasure::update(self, request).await?)
    }
    async fn restore_list(&self) -> Result<Vec<Restore>, RetentionStoreError> {
        Ok(restores::list(self).await?)
    }
    async fn restore_get(&self, id: &str) -> Result<Restore, RetentionStoreError> {
        Ok(restores::get(self, id).await?)
    }
    async fn restore_insert(&self, restore: &Restore) -> Result<(), RetentionStoreError> {
        Ok(restores::insert(self, restore).await?)
    }
    async fn restore_update(&self, restore: &Restore) -> Result<(), RetentionStoreError> {
        Ok(restores::replace(self, restore, restore.version - 1).await?)
    }
    async fn restore_note(&self, restore: &Restore) -> Result<(), RetentionStoreError> {
        Ok(restores::replace(self, restore, restore.version).await?)
    }
}

async fn newest(store: &Store) -> Fallible<PolicyVersion> {
    let row = sqlx::query("SELECT document FROM retention_policies ORDER BY version DESC LIMIT 1")
        .fetch_optional(store.read())
        .await?;
    match row {
        None => Ok(PolicyVersion::presets()),
        Some(row) => {
            decode(row.try_get(0)?).map_err(unreadable("retention policies", "newest version"))
        }
    }
}

/// The primary key keeps two writers of the same version apart.
async fn put(store: &Store, policies: &PolicyVersion) -> Fallible<()> {
    let conflict =
        || "the retention policies were changed by someone else meanwhile; reload them".to_owned();
    if newest(store).await?.set.version + 1 != policies.set.version {
        return Err(Fault::Conflict(conflict()));
    }

    sqlx::query("INSERT INTO retention_policies (version, document) VALUES ($1, $2)")
        .bind(version(policies.set.version))
        .bind(encode(policies)?)
        .execute(store.write())
        .await
        .map_err(|error| Fault::or_taken(error, conflict))?;
    Ok(())
}

async fn holds(store: &Store) -> Fallible<Vec<LegalHold>> {
    let rows = sqlx::query("SELECT id, document FROM legal_holds ORDER BY created_at_ms DESC, id")
        .fetch_all(store.read())
        .await?;
    let mut holds = rows.iter().map(read).collect::<Fallible<Vec<_>>>()?;
    holds.sort_by_key(|hold| !hold.is_in_force());
    Ok(holds)
}

async fn hold(store: &Store, id: &str) -> Fallible<LegalHold> {
    let row = sqlx::query("SELECT id, document FROM legal_holds WHERE id = $1")
        .bind(id)
        .fetch_optional(store.read())
        .await?;
    read(&row.ok_or_else(|| Fault::not_found("legal hold", id))?)
}

async fn insert(store: &Store, hold: &LegalHold) -> Fallible<()> {
    let in_force = holds(store).await?;
    let in_force = in_force.iter().filter(|hold| hold.is_in_force()).count();
    if in_force >= MAX_HOLDS {
        return Err(Fault::Conflict(format!(
            "{in_force} legal holds are in force, and at most {MAX_HOLDS} may be; release one first"
        )));
    }

    sqlx::query(
        "INSERT INTO legal_holds (id, version, created_at_ms, document) VALUES ($1, $2, $3, $4)",
    )
    .bind(&hold.id)
    .bind(version(hold.version))
    .bind(hold.created_at.as_millisecond())
    .bind(encode(hold)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || "the legal hold exists already".to_owned()))?;
    Ok(())
}

async fn update(store: &Store, hold: &LegalHold) -> Fallible<()> {
    let done = sqlx::query(
        "UPDATE legal_holds SET version = $2, document = $3 WHERE id = $1 AND version = $2 - 1",
    )
    .bind(&hold.id)
    .bind(version(hold.version))
    .bind(encode(hold)?)
    .execute(store.write())
    .await?;

    if done.rows_affected() == 0 {
        return Err(Fault::Conflict(
            "the legal hold was changed by someone else meanwhile; reload it".to_owned(),
        ));
    }
    Ok(())
}

fn read(row: &AnyRow) -> Fallible<LegalHold> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("legal hold", &id))
}
