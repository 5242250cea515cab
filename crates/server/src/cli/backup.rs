//! `reeve backup`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::target::ServiceTarget;

/// `reeve backup`.
#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// Back up log, state, samples and keys, of a running or a stopped service.
    Create(BackupCreateArgs),
    /// Restore a backup into a new data directory. The log continues under a new key.
    Restore(BackupRestoreArgs),
    /// Verify a backup: every file in it, and the log.
    Verify(BackupVerifyArgs),
    /// Download the proofs of all deletions, to keep beside backups.
    Tombstones(BackupTombstonesArgs),
}

/// `reeve backup tombstones`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Run it after each erasure, and before old backups could be needed. Exit codes: 0 done, 2 could not run."
)]
pub(crate) struct BackupTombstonesArgs {
    /// File to write; it is replaced.
    pub(crate) file: PathBuf,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve backup create`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Running service: use --url and --token (administrator). The service sends everything except the private keys; \
    add --data-dir to include them.\nStopped service: use --data-dir (or --config).\n\
    Without a passphrase the file contains the private keys unencrypted.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct BackupCreateArgs {
    /// Backup file to create; it must not exist.
    pub(crate) file: PathBuf,
    /// The data directory.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Configuration file of the service, for a state store or anchor elsewhere.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// File whose first line is the passphrase that encrypts the private keys.
    #[arg(long, value_name = "FILE", conflicts_with = "without_keys")]
    pub(crate) passphrase_file: Option<PathBuf>,
    /// Leave the private keys out.
    #[arg(long)]
    pub(crate) without_keys: bool,
    /// Address of the service.
    #[command(flatten)]
    pub(crate) service: ServiceTarget,
}

/// `reeve backup restore`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 rejected (the backup is damaged, or entries would be lost), 2 could not run."
)]
pub(crate) struct BackupRestoreArgs {
    /// The backup.
    pub(crate) file: PathBuf,
    /// Data directory to create; it must not exist or must be empty.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Configuration file of the service: its state store, anchor and published checkpoint are
    /// respected.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// File whose first line is the passphrase of the private keys.
    #[arg(long, value_name = "FILE")]
    pub(crate) passphrase_file: Option<PathBuf>,
    /// Folder with log.key and secrets.key to use instead of the keys in the backup.
    #[arg(long, value_name = "FOLDER", conflicts_with = "passphrase_file")]
    pub(crate) keys: Option<PathBuf>,
    /// Restore without keys: the log can be read and verified, but not continued.
    #[arg(long, conflicts_with_all = ["keys", "passphrase_file"])]
    pub(crate) without_keys: bool,
    /// Published or saved checkpoint: a file or URL (repeatable). A backup with fewer entries is
    /// rejected.
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) checkpoint: Vec<String>,
    /// Saved copy of the anchor file (repeatable).
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Vec<PathBuf>,
    /// File of `reeve backup tombstones`: entries that were erased or expired after the backup are
    /// deleted again before the log serves.
    #[arg(long, value_name = "FILE")]
    pub(crate) tombstones: Option<PathBuf>,
    /// Verifier key of the log, from a trusted copy.
    #[arg(long, value_name = "KEY|FILE")]
    pub(crate) public_key: Option<String>,
    /// Restore even if entries are lost; the log records how many.
    #[arg(long)]
    pub(crate) accept_loss: bool,
    /// Restore a backup of a version that did not sign the backup, or the log's manifest and
    /// anchor; the log records it.
    #[arg(long)]
    pub(crate) accept_unsigned: bool,
}

/// `reeve backup verify`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 intact, 1 damaged (each problem is listed), 2 could not run."
)]
pub(crate) struct BackupVerifyArgs {
    /// The backup.
    pub(crate) file: PathBuf,
    /// Verifier key of the log, from a trusted copy.
    #[arg(long, value_name = "KEY|FILE")]
    pub(crate) public_key: Option<String>,
    /// Folder to unpack the log to during verification; default: beside the backup.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) temp_dir: Option<PathBuf>,
    /// Verify a backup of a version that did not sign the backup, or the log's manifest and anchor.
    #[arg(long)]
    pub(crate) accept_unsigned: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}
