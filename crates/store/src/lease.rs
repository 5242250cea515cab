//! Leases: of several programs on one store, one at a time does a piece of background work.
//!
//! Time is the caller's clock; programs that share a store keep their clocks in step to well under a lease's length.

use jiff::Timestamp;

use crate::database::Store;
use crate::fault::{Fault, SettingError};

impl Store {
    /// Takes or prolongs a lease for `ttl_ms` from now; `false` when somebody else holds it.
    ///
    /// # Errors
    /// When the store failed.
    pub async fn lease_try(&self, name: &str, owner: &str, ttl_ms: i64) -> Result<bool, SettingError> {
        self.lease_try_at(name, owner, ttl_ms, Timestamp::now().as_millisecond()).await
    }

    /// [`Store::lease_try`] at a given time, ms since the epoch.
    ///
    /// # Errors
    /// When the store failed.
    pub async fn lease_try_at(&self, name: &str, owner: &str, ttl_ms: i64, now_ms: i64) -> Result<bool, SettingError> {
        let done = sqlx::query(
            "INSERT INTO leases (name, owner, expires_at_ms) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at_ms = excluded.expires_at_ms
             WHERE leases.owner = excluded.owner OR leases.expires_at_ms <= $4",
        )
        .bind(name)
        .bind(owner)
        .bind(now_ms.saturating_add(ttl_ms))
        .bind(now_ms)
        .execute(self.write())
        .await
        .map_err(Fault::from)?;
        Ok(done.rows_affected() > 0)
    }

    /// Gives a lease back; `false` when it was not held by the owner.
    ///
    /// # Errors
    /// When the store failed.
    pub async fn lease_release(&self, name: &str, owner: &str) -> Result<bool, SettingError> {
        let done = sqlx::query("DELETE FROM leases WHERE name = $1 AND owner = $2")
            .bind(name)
            .bind(owner)
            .execute(self.write())
            .await
            .map_err(Fault::from)?;
        Ok(done.rows_affected() > 0)
    }
}
