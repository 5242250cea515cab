//! Lease of the active server: of several servers on one database, one acts, and the database belongs to one log.
//!
//! Each holder has an epoch, one more than the holder before it. The holder renews the lease by counting `beat` up; others judge by
//! their own clocks how long it has not moved, so that clocks need not agree.

use sqlx::Row as _;

use crate::database::Store;
use crate::fault::{Fault, SettingError};

const NAME: &str = "active";

/// Lease as it stands in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Origin of the log that the database belongs to.
    pub log_origin: String,
    /// Entries that the log is known to have had.
    pub log_size: u64,
    /// Number of the holder, from 1.
    pub epoch: i64,
    /// Instance that holds it; empty when it was given back.
    pub instance: String,
    /// Renewals by this holder.
    pub beat: i64,
}

impl Store {
    /// Returns the lease; `None` before any server took it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn lease(&self) -> Result<Option<Lease>, SettingError> {
        let row = sqlx::query("SELECT log_origin, log_size, epoch, instance, beat FROM active_server WHERE name = $1")
            .bind(NAME)
            .fetch_optional(self.read())
            .await
            .map_err(Fault::from)?;
        let Some(row) = row else { return Ok(None) };
        let size: i64 = row.try_get(1).map_err(Fault::from)?;
        Ok(Some(Lease {
            log_origin: row.try_get(0).map_err(Fault::from)?,
            log_size: u64::try_from(size).unwrap_or(0),
            epoch: row.try_get(2).map_err(Fault::from)?,
            instance: row.try_get(3).map_err(Fault::from)?,
            beat: row.try_get(4).map_err(Fault::from)?,
        }))
    }

    /// Takes the lease if it still is as it was seen, and returns the new epoch; `None` when another server was first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn lease_take(
        &self,
        seen: Option<&Lease>,
        log_origin: &str,
        log_size: u64,
        instance: &str,
    ) -> Result<Option<i64>, SettingError> {
        let epoch = seen.map_or(0, |lease| lease.epoch) + 1;
        let statement = match seen {
            None => {
                "INSERT INTO active_server (name, log_origin, log_size, epoch, instance, beat)
                 VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT (name) DO NOTHING"
            }
            Some(_) => {
                "UPDATE active_server SET log_origin = $2, log_size = $3, epoch = $4, instance = $5, beat = 0
                 WHERE name = $1 AND epoch = $6 AND beat = $7"
            }
        };
        let mut query =
            sqlx::query(statement).bind(NAME).bind(log_origin).bind(stored_size(log_size)).bind(epoch).bind(instance);
        if let Some(seen) = seen {
            query = query.bind(seen.epoch).bind(seen.beat);
        }
        let done = query.execute(self.write()).await.map_err(Fault::from)?;
        Ok((done.rows_affected() > 0).then_some(epoch))
    }

    /// Renews the lease of an epoch and notes the size of the log; `false` when another server has taken it since.
    ///
    /// # Errors
    /// The store failed; the lease may have been renewed.
    pub async fn lease_renew(&self, epoch: i64, log_size: u64) -> Result<bool, SettingError> {
        let done =
            sqlx::query("UPDATE active_server SET beat = beat + 1, log_size = $3 WHERE name = $1 AND epoch = $2")
                .bind(NAME)
                .bind(epoch)
                .bind(stored_size(log_size))
                .execute(self.write())
                .await
                .map_err(Fault::from)?;
        Ok(done.rows_affected() > 0)
    }

    /// Gives the lease of an epoch back, so that the next server need not wait; `false` when it was not held.
    ///
    /// # Errors
    /// The store failed.
    pub async fn lease_release(&self, epoch: i64) -> Result<bool, SettingError> {
        let done = sqlx::query("UPDATE active_server SET instance = '' WHERE name = $1 AND epoch = $2")
            .bind(NAME)
            .bind(epoch)
            .execute(self.write())
            .await
            .map_err(Fault::from)?;
        Ok(done.rows_affected() > 0)
    }
}

/// The size as SQL has it. A log of more than 2^63 entries does not exist.
fn stored_size(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
