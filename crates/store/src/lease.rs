//! Lease of the active server: of several servers on one database, one acts, and the database
//! belongs to one log.
//!
//! Each holder has an epoch, one more than the holder before it. The holder renews the lease by
//! counting `beat` up; others judge by their own clocks how long it has not moved, so that clocks
//! need not agree. The statements have a connection of their own: a database whose other
//! connections are all busy must not cost the server its lease.

use std::time::Duration;

use sqlx::Row as _;

use crate::database::Store;
use crate::fault::{Fault, SettingError};

const NAME: &str = "active";

/// Longest time for a statement at the start.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest time for a renewal: one that takes longer is sent again, while the lease is still valid.
const RENEWAL: Duration = Duration::from_secs(3);

/// Lease as it stands in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Origin of the log that the database belongs to.
    pub log_origin: String,
    /// Head of the log, as it was last known.
    pub log: LogHead,
    /// Number of the holder, from 1.
    pub epoch: i64,
    /// Instance that holds it; empty when it was given back.
    pub instance: String,
    /// Renewals by this holder.
    pub beat: i64,
}

/// Size of a log, and the root of the tree over it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogHead {
    pub size: u64,
    /// Root in hexadecimal; empty if it is not known.
    pub root: String,
}

impl Store {
    /// Returns the lease; `None` before any server took it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn lease(&self) -> Result<Option<Lease>, SettingError> {
        let query = sqlx::query(
            "SELECT log_origin, log_size, log_root, epoch, instance, beat FROM active_server WHERE name = $1",
        )
        .bind(NAME);
        let row = in_time(PATIENCE, query.fetch_optional(self.lease_pool())).await?;
        let Some(row) = row else { return Ok(None) };
        let size: i64 = row.try_get(1).map_err(Fault::from)?;

        Ok(Some(Lease {
            log_origin: row.try_get(0).map_err(Fault::from)?,
            log: LogHead {
                size: u64::try_from(size).unwrap_or(0),
                root: row.try_get(2).map_err(Fault::from)?,
            },
            epoch: row.try_get(3).map_err(Fault::from)?,
            instance: row.try_get(4).map_err(Fault::from)?,
            beat: row.try_get(5).map_err(Fault::from)?,
        }))
    }

    /// Takes the lease if it still is as it was seen, and returns the new epoch; `None` when
    /// another server was first. The head of the log stays as it was seen until the first renewal.
    ///
    /// # Errors
    /// The store failed.
    pub async fn lease_take(
        &self,
        seen: Option<&Lease>,
        log_origin: &str,
        instance: &str,
    ) -> Result<Option<i64>, SettingError> {
        let epoch = seen.map_or(0, |lease| lease.epoch) + 1;
        let statement = match seen {
            None => {
                "INSERT INTO active_server (name, log_origin, log_size, log_root, epoch, instance, beat)
                 VALUES ($1, $2, 0, '', $3, $4, 0) ON CONFLICT (name) DO NOTHING"
            }
            Some(_) => {
                "UPDATE active_server SET log_origin = $2, epoch = $3, instance = $4, beat = 0
                 WHERE name = $1 AND epoch = $5 AND beat = $6"
            }
        };

        let mut query = sqlx::query(statement)
            .bind(NAME)
            .bind(log_origin)
            .bind(epoch)
            .bind(instance);

        if let Some(seen) = seen {
            query = query.bind(seen.epoch).bind(seen.beat);
        }

        let done = in_time(PATIENCE, query.execute(self.lease_pool())).await?;
        Ok((done.rows_affected() > 0).then_some(epoch))
    }

    /// Renews the lease of an epoch and notes the head of the log, if it is known; `false` when
    /// another server has taken it since.
    ///
    /// # Errors
    /// The store failed; the lease may have been renewed.
    pub async fn lease_renew(
        &self,
        epoch: i64,
        log: Option<&LogHead>,
    ) -> Result<bool, SettingError> {
        let statement = match log {
            None => "UPDATE active_server SET beat = beat + 1 WHERE name = $1 AND epoch = $2",
            Some(_) => {
                "UPDATE active_server SET beat = beat + 1, log_size = $3, log_root = $4 WHERE name = $1 AND epoch = $2"
            }
        };
        let mut query = sqlx::query(statement).bind(NAME).bind(epoch);

        if let Some(log) = log {
            query = query.bind(stored_size(log.size)).bind(log.root.clone());
        }

        Ok(in_time(RENEWAL, query.execute(self.lease_pool()))
            .await?
            .rows_affected()
            > 0)
    }

    /// Gives the lease of an epoch back, so that the next server need not wait; `false` when it was
    /// not held.
    ///
    /// # Errors
    /// The store failed.
    pub async fn lease_release(&self, epoch: i64) -> Result<bool, SettingError> {
        let query =
            sqlx::query("UPDATE active_server SET instance = '' WHERE name = $1 AND epoch = $2");
        Ok(in_time(
            RENEWAL,
            query.bind(NAME).bind(epoch).execute(self.lease_pool()),
        )
        .await?
        .rows_affected()
            > 0)
    }
}

/// Runs a statement; one that a database leaves unanswered ends, unlike its effect, which may come
/// late.
async fn in_time<T>(
    patience: Duration,
    statement: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, SettingError> {
    let done = tokio::time::timeout(patience, statement).await;
    Ok(done
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
        .map_err(Fault::from)?)
}

/// The size as SQL has it. A log of more than 2^63 entries does not exist.
fn stored_size(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
