//! The lease in the state store: the database belongs to one log, and one server at a time acts on
//! it.
//!
//! It is taken before the log is opened, since opening writes: the end of a torn frame is cut off,
//! a file of the write-ahead log begins.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reeve_ledger::{Fence as _, Ledger};
use reeve_store::{Lease, LogHead, SettingError, Store};
use tokio_util::sync::CancellationToken;

use super::deadline::{Deadline, MARGIN, VALID};
use super::file_system;
use super::lock::ActiveLock;
use crate::config::Config;

/// Time between two renewals.
const RENEW_EVERY: Duration = Duration::from_secs(2);

/// Time until a renewal that failed is tried again.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// Exit code of a server that another one replaced, or that could not know (`EX_TEMPFAIL` of
/// sysexits.h): start it again.
const REPLACED: i32 = 75;

/// The lease of this server.
#[derive(Clone)]
pub(crate) struct ActiveLease {
    holder: Arc<Holder>,
    /// Cancelled when the lease is given back.
    renewing: CancellationToken,
}

struct Holder {
    store: Arc<Store>,
    epoch: i64,
    deadline: Arc<Deadline>,
    /// Head of the log that was found before this server took the lease.
    found: Option<LogHead>,
    /// The log, once it is open.
    ledger: OnceLock<Ledger>,
}

impl ActiveLease {
    /// Takes the lease for a log of an origin, and renews it from then on.
    ///
    /// # Errors
    /// The database belongs to another log, or is in use by another server.
    pub(crate) async fn claim(
        store: Arc<Store>,
        lock: &ActiveLock,
        origin: &str,
        config: &Config,
    ) -> Result<ActiveLease> {
        // The database in the data directory cannot be used without its lock.
        let deadline = Arc::new(Deadline::new(config.state_url.is_some()));
        let mut seen = store.lease().await?;

        if let Some(lease) = &seen {
            belongs(lease, origin)?;
            let was_here = lock.previous_instance() == Some(lease.instance.as_str());
            // Who has the lock knows that its holder before is gone, unless the lock can end
            // without its holder.
            if !(lease.instance.is_empty()
                || (was_here && file_system::locks_last(&config.data_dir)))
            {
                seen = Some(watch(&store, lease.clone(), was_here).await?);
            }
        }

        let sent = deadline.now();
        let taken = store
            .lease_take(seen.as_ref(), origin, lock.instance())
            .await?;
        let epoch = taken
            .context("another server took the state store in this moment; start this one again")?;
        deadline.begin(epoch);
        deadline.renewed(sent);
        let gate = deadline.clone();
        store.write_if(move || gate.check().is_ok());
        tracing::info!(epoch, "this server is active");
        let found = seen.map(|lease| lease.log);
        let holder = Arc::new(Holder {
            store,
            epoch,
            deadline,
            found,
            ledger: OnceLock::new(),
        });

        let renewing = CancellationToken::new();
        tokio::spawn(renew(holder.clone(), renewing.clone()));
        Ok(ActiveLease { holder, renewing })
    }

    /// Compares the log that was opened with the one that the lease was last held for, and keeps
    /// its head from then on.
    ///
    /// # Errors
    /// The log is an older copy, or a fork.
    pub(crate) async fn bind(&self, ledger: &Ledger) -> Result<()> {
        if let Some(found) = &self.holder.found {
            let root = ledger
                .root_at(found.size)
                .context("the log could not be compared with its lease")?;
            fits(
                found,
                ledger.origin(),
                ledger.size(),
                root.map(|root| root.to_string()).as_deref(),
            )?;
        }

        let _ = self.holder.ledger.set(ledger.clone());
        self.holder
            .renew()
            .await
            .context("the lease of the state store could not be renewed")?;
        Ok(())
    }

    /// Number of this holder.
    pub(crate) fn epoch(&self) -> i64 {
        self.holder.epoch
    }

    /// Time until which this server may act.
    pub(crate) fn deadline(&self) -> &Arc<Deadline> {
        &self.holder.deadline
    }

    /// Gives the lease back at an orderly end, after which this server writes nothing more.
    pub(crate) async fn release(&self) {
        self.renewing.cancel();
        // The next server is compared with the log as it is now, not as it was two seconds ago.
        let noted = self.holder.renew().await.map(|_| ());
        self.holder.deadline.lose();
        let released = self
            .holder
            .store
            .lease_release(self.holder.epoch)
            .await
            .map(|_| ());

        if let Err(error) = noted.and(released) {
            tracing::warn!(%error, "the lease of the state store could not be given back; the next start waits for it");
        }
    }
}

impl Holder {
    /// Renews the lease once, and notes the head of the log in it; `false` if another server has
    /// taken it.
    async fn renew(&self) -> Result<bool, SettingError> {
        let head = self.ledger.get().map(|ledger| {
            let (size, root) = ledger.head();
            LogHead {
                size,
                root: root.to_string(),
            }
        });

        let sent = self.deadline.now();
        let is_held = self.store.lease_renew(self.epoch, head.as_ref()).await?;
        if is_held {
            self.deadline.renewed(sent);
        }

        Ok(is_held)
    }
}

/// Renews until the token is cancelled. Of a lease that another server has taken nothing may be
/// done any more: the process ends.
async fn renew(holder: Arc<Holder>, stop: CancellationToken) {
    let (mut pause, mut was_acting) = (RENEW_EVERY, true);
    loop {
        tokio::select! { () = stop.cancelled() => return, () = tokio::time::sleep(pause) => {} }
        let renewed = holder.renew().await;
        if stop.is_cancelled() {
            return;
        }
        pause = match renewed {
            Ok(true) => {
                if pause == AGAIN_AFTER {
                    tracing::info!("the lease of the state store is renewed again");
                }
                was_acting = true;
                RENEW_EVERY
            }
            Ok(false) => {
                holder.deadline.lose();
                end("another server has taken over from this one, which ends at once");
            }
            Err(error) => {
                if pause == RENEW_EVERY {
                    tracing::warn!(%error, "the lease of the state store could not be renewed; after {} s without it this server does not act", VALID.as_secs());
                }
                if was_acting && holder.deadline.check().is_err() {
                    tracing::error!(
                        "this server does not act until its lease is renewed: it refuses entries and makes no calls"
                    );
                    was_acting = false;
                }
                if holder.deadline.has_waited_enough() {
                    end(
                        "the state database did not answer for too long: this server ends, so that another one can take over. Start it again once the database answers",
                    );
                }
                AGAIN_AFTER
            }
        };
    }
}

/// Ends the process without an orderly end, which would write.
#[expect(
    clippy::disallowed_methods,
    reason = "destructors would write for a server that may not"
)]
fn end(message: &str) -> ! {
    tracing::error!("{message}");
    std::process::exit(REPLACED);
}

/// Compares the log of a lease with the log of this server.
fn belongs(lease: &Lease, origin: &str) -> Result<()> {
    if lease.log_origin == origin {
        return Ok(());
    }
    bail!(
        "the state store belongs to the log {}, and this data directory holds the log {origin}: give each log a database of its own (state_url), or start with the data directory of {}",
        lease.log_origin,
        lease.log_origin
    );
}

/// Compares the head of a lease with a log of a size; `root` is the root of its first `found.size`
/// entries.
fn fits(found: &LogHead, origin: &str, size: u64, root: Option<&str>) -> Result<()> {
    if found.size > size {
        bail!(
            "the state store was used with {} entries of the log {origin}, and this data directory holds {size}: it is an older copy. Start with the newest data directory, or restore log and state from one backup (reeve backup restore)",
            found.size
        );
    }

    if !found.root.is_empty() && root != Some(found.root.as_str()) {
        bail!(
            "the first {} entries of the log {origin} in this data directory have the root {}, and the state store was used with {}: the directory is a copy that went its own way. Start with the data directory that the state store was last used with, or restore log and state from one backup (reeve backup restore)",
            found.size,
            root.unwrap_or("(none)"),
            found.root
        );
    }

    Ok(())
}

/// Watches a lease that another server holds until it has not been renewed for as long as it is
/// valid, and more. `was_here`: its holder had the lock of this data directory, and may be one that
/// lost it without knowing.
///
/// # Errors
/// The lease is renewed by a server on another copy of the data directory.
async fn watch(store: &Store, mut lease: Lease, was_here: bool) -> Result<Lease> {
    let patience = VALID + MARGIN;
    tracing::warn!(instance = %lease.instance, "another server held the state store; waiting {} s to see that its lease has ended", patience.as_secs());

    loop {
        tokio::time::sleep(patience).await;
        let now = store
            .lease()
            .await?
            .context("the lease of the state store is gone")?;
        if now == lease || now.instance.is_empty() {
            return Ok(now);
        }
        if !was_here || now.epoch != lease.epoch {
            bail!(
                "another server (instance {}) uses this state store with another copy of the data directory: stop it first. A standby shares the data directory of the active server",
                now.instance
            );
        }
        tracing::error!(instance = %now.instance, "the server that lost the lock of the data directory still renews its lease: end it where it runs");
        lease = now;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_database_belongs_to_one_log_and_knows_its_length_and_root() {
        let log = LogHead {
            size: 7,
            root: "r7".into(),
        };
        let lease = Lease {
            log_origin: "log/a".into(),
            log: log.clone(),
            epoch: 2,
            instance: "one".into(),
            beat: 4,
        };
        belongs(&lease, "log/a").unwrap();

        let other = belongs(&lease, "log/b").unwrap_err().to_string();
        assert!(
            other.contains("belongs to the log log/a") && other.contains("holds the log log/b"),
            "{other}"
        );
        fits(&log, "log/a", 7, Some("r7")).unwrap();
        fits(&log, "log/a", 8, Some("r7")).unwrap();
        fits(
            &LogHead {
                root: String::new(),
                ..log.clone()
            },
            "log/a",
            8,
            Some("r7"),
        )
        .unwrap();

        let older = fits(&log, "log/a", 6, None).unwrap_err().to_string();
        assert!(
            older.contains("7 entries") && older.contains("holds 6"),
            "{older}"
        );

        let fork = fits(&log, "log/a", 9, Some("f7")).unwrap_err().to_string();
        assert!(
            fork.contains("the root f7")
                && fork.contains("with r7")
                && fork.contains("went its own way"),
            "{fork}"
        );
    }
}
