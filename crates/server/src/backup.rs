//! Backups of a data directory and its state: made while the service runs, checked, and restored
//! into a directory that nothing uses.
//!
//! State is copied a moment before the log, so that no position kept in it is beyond the end of the
//! log. What a restored log may sign is decided in [`restored`];
//! `docs/adr/0010-a-restored-log-begins-a-new-key-epoch.md` has the reasons.

pub(crate) mod create;
pub(crate) mod evidence;
pub(crate) mod keys;
pub(crate) mod restore;
pub(crate) mod restored;
pub(crate) mod tombstones;
pub(crate) mod verify;

/// Name of the state in a backup.
pub(crate) const STATE: &str = "state/state.jsonl";
/// File that says that a restore into the directory was not finished.
pub(crate) const UNFINISHED: &str = "restore-unfinished";
