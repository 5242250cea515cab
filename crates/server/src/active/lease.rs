//! The lease in the state store: the database belongs to one log, and one server at a time acts on it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reeve_store::{Lease, Store};

use super::lock::ActiveLock;

/// Time for which another server's lease is watched before it counts as abandoned.
const ABANDONED_AFTER: Duration = Duration::from_secs(6);

/// The lease of this server.
#[derive(Clone)]
pub(crate) struct ActiveLease {
    store: Arc<Store>,
    epoch: i64,
}

impl ActiveLease {
    /// Time between two renewals.
    pub(crate) const RENEW_EVERY: Duration = Duration::from_secs(2);

    /// Takes the lease for a log of an origin and a size.
    ///
    /// # Errors
    /// The database belongs to another log, was used with more entries than this log has, or is in use by another server.
    pub(crate) async fn take(store: Arc<Store>, lock: &ActiveLock, origin: &str, size: u64) -> Result<ActiveLease> {
        let seen = store.lease().await?;
        if let Some(lease) = &seen {
            fits(lease, origin, size)?;
            let abandoned = lease.instance.is_empty() || lock.previous_instance() == Some(lease.instance.as_str());
            if !abandoned {
                watch(&store, lease).await?;
            }
        }
        let taken = store.lease_take(seen.as_ref(), origin, size, lock.instance()).await?;
        let epoch = taken.context("another server took the state store in this moment; start this one again")?;
        tracing::info!(epoch, "this server is active");
        Ok(ActiveLease { store, epoch })
    }

    /// Number of this holder.
    pub(crate) fn epoch(&self) -> i64 {
        self.epoch
    }

    /// Renews the lease. Of a lease that another server has taken nothing may be done any more: the process ends at once.
    pub(crate) async fn renew(&self, log_size: u64) {
        match self.store.lease_renew(self.epoch, log_size).await {
            Ok(true) => {}
            Ok(false) => {
                tracing::error!(epoch = self.epoch, "another server has taken the state store; this one ends at once");
                std::process::abort();
            }
            Err(error) => tracing::warn!(%error, "the lease of the state store could not be renewed"),
        }
    }

    /// Gives the lease back at an orderly end.
    pub(crate) async fn release(&self) {
        if let Err(error) = self.store.lease_release(self.epoch).await {
            tracing::warn!(%error, "the lease of the state store could not be given back; the next start waits for it");
        }
    }
}

/// Compares a lease with the log of this server.
fn fits(lease: &Lease, origin: &str, size: u64) -> Result<()> {
    if lease.log_origin != origin {
        bail!(
            "the state store belongs to the log {}, and this data directory holds the log {origin}: give each log a database of its own (state_url), or start with the data directory of {}",
            lease.log_origin,
            lease.log_origin
        );
    }
    if lease.log_size > size {
        bail!(
            "the state store was used with {} entries of the log {origin}, and this data directory holds {size}: it is an older copy. Start with the newest data directory, or restore log and state from one backup (reeve backup restore)",
            lease.log_size
        );
    }
    Ok(())
}

/// Watches a lease that another server held; an error if it is renewed.
async fn watch(store: &Store, lease: &Lease) -> Result<()> {
    tracing::warn!(instance = %lease.instance, "another server held the state store; waiting to see that it is gone");
    tokio::time::sleep(ABANDONED_AFTER).await;
    if store.lease().await?.as_ref() == Some(lease) {
        return Ok(());
    }
    bail!(
        "another server (instance {}) uses this state store with another copy of the data directory: stop it first. A standby shares the data directory of the active server",
        lease.instance
    );
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_database_belongs_to_one_log_and_knows_its_length() {
        let lease = Lease { log_origin: "log/a".into(), log_size: 7, epoch: 2, instance: "one".into(), beat: 4 };
        fits(&lease, "log/a", 7).unwrap();
        fits(&lease, "log/a", 8).unwrap();
        let other = fits(&lease, "log/b", 9).unwrap_err().to_string();
        assert!(other.contains("belongs to the log log/a") && other.contains("holds the log log/b"), "{other}");
        let older = fits(&lease, "log/a", 6).unwrap_err().to_string();
        assert!(older.contains("7 entries") && older.contains("holds 6"), "{older}");
    }
}
