//! The first opening of a log that was restored.
//!
//! After a backup the log went on: its key may have signed checkpoints of entries that are not in
//! the backup, and others may hold them. Were the same key to sign what the restored log appends,
//! it would sign two histories, and nobody who sees one could tell. So the restored log begins a
//! new key epoch at exactly the size of the backup before anything is appended. The old key signs
//! nothing beyond it, and a checkpoint by the old key of a greater size is refused by every reader
//! that follows the records.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use reeve_audit::{
    ActionMethod, ActionStatus, Draft, Entry, EventId, Json, ResourceRef, Severity, events,
    format_instant,
};
use reeve_ledger::{AppendError, Ledger};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::account::Account;

/// File that says that a log comes from a backup and has not been opened since.
const PENDING: &str = "ledger/restored.json";

/// Note that a restore leaves for the first opening.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restored {
    /// SHA-256 of the backup.
    pub(crate) backup: String,
    /// Time at which the backup was made.
    pub(crate) created_at: String,
    /// Number of entries in the log.
    pub(crate) size: u64,
    /// Root of the tree over them.
    pub(crate) root: String,
    /// Account of the operating system that restored it.
    pub(crate) by: String,
    /// Entries that the log is known to have had beyond them.
    pub(crate) lost_entries: u64,
    /// Evidence of those entries: signed checkpoints, and anchors by their size.
    pub(crate) later_checkpoints: Vec<String>,
    /// Reason why the backup was not attested by the log's key, where a person accepted that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unattested: Option<String>,
}

impl Restored {
    /// Leaves it for the first opening.
    pub(crate) fn leave(&self, dir: &Path) -> Result<()> {
        let mut file = super::create::private_file(&dir.join(PENDING))?;
        std::io::Write::write_all(&mut file, &serde_json::to_vec_pretty(self)?)?;
        Ok(file.sync_all()?)
    }
}

/// Returns `true` if the log was restored and not opened since.
pub(crate) fn is_pending(data_dir: &Path) -> bool {
    data_dir.join(PENDING).exists()
}

/// Replaces the key of a log that was restored, and records that. Nothing is done where it was not,
/// or was opened since.
pub(crate) async fn settle(data_dir: &Path, ledger: &Ledger) -> Result<()> {
    let path = data_dir.join(PENDING);
    let restored: Restored = match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .with_context(|| format!("{} cannot be read", path.display()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be read", path.display()));
        }
    };

    // Interrupted after the key was replaced, the newest epoch begins at the backup's end already.
    let begun = ledger
        .keys()
        .last()
        .is_some_and(|key| key.from_size == restored.size)
        && ledger.keys().len() > 1;

    if !begun {
        ledger
            .succeed_key()
            .await
            .context("the key of the restored log could not be replaced")?;
    }

    let keys = ledger.keys();
    let (old, new) = match keys.as_slice() {
        [.., old, new] => (old.public_key.clone(), new.public_key.clone()),
        _ => Default::default(),
    };
    let drafts = entries(
        &restored,
        ledger.accepted_unsigned().is_some(),
        (old.as_str(), new.as_str()),
    )?;

    match ledger.append(drafts).await {
        // It was told before an interruption.
        Ok(_) | Err(AppendError::Conflict { .. }) => {}
        Err(error) => return Err(error).context("the restore could not be recorded"),
    }

    fs::remove_file(&path)?;
    fs::File::open(data_dir.join("ledger"))?.sync_all()?;
    tracing::warn!(
        size = restored.size,
        lost = restored.lost_entries,
        public_key = new,
        "the log continues from a backup, under a new key: give the new key to witnesses and auditors"
    );

    Ok(())
}

fn entries(restored: &Restored, is_unsigned: bool, (old, new): (&str, &str)) -> Result<Vec<Draft>> {
    let id = restored.backup.get(..32).unwrap_or(&restored.backup);
    let log = || ResourceRef::new("audit_log", "audit-logs");
    let by = || Account::current().actor();
    let is_grave = restored.lost_entries > 0 || restored.unattested.is_some();
    let severity = if is_grave {
        Severity::Critical
    } else {
        events::RESTORE.severity
    };

    let restoration = Entry::for_event(&events::RESTORE)
        .with_id(EventId::derived(&format!(
            "restore-{}-{id}",
            restored.size
        ))?)
        .with_severity(severity)
        .by(by())
        .on(log())
        .with_action("restore", ActionStatus::Success, ActionMethod::Cli)
        .with_metadata("backup", restored.backup.clone())
        .with_metadata("created_at", restored.created_at.clone())
        .with_metadata("size", restored.size)
        .with_metadata("root", restored.root.clone())
        .with_metadata("restored_by", restored.by.clone())
        .with_metadata("lost_entries", restored.lost_entries)
        .with_metadata("accepted_unsigned", is_unsigned)
        .with_metadata("attested", restored.unattested.is_none())
        .with_metadata(
            "later_checkpoints",
            Json::from(json!(restored.later_checkpoints)),
        );

    let rotated = Entry::for_event(&events::KEY_ROTATE)
        .with_id(EventId::derived(&format!(
            "restore-key-{}-{id}",
            restored.size
        ))?)
        .by(by())
        .on(log())
        .with_action("rotate_key", ActionStatus::Success, ActionMethod::Cli)
        .before(Json::from(json!({ "public_key": old })))
        .after(Json::from(json!({ "public_key": new })));

    let now = Timestamp::now();
    let draft = |entry| Draft::by_reeve(entry, now).map_err(|errors| anyhow::anyhow!("{errors:?}"));
    let drafts = vec![draft(restoration)?, draft(rotated)?];
    tracing::debug!(at = format_instant(now), "a restored log is opened");

    Ok(drafts)
}
