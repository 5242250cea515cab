//! `reeve backup`: its commands and their flags.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::target::ServiceTarget;

/// `reeve backup`.
#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// Make a backup of log, state, samples and keys, while the service runs or not.
    Create(BackupCreateArgs),
    /// Restore a backup into a new data directory. The log continues under a new key.
    Restore(BackupRestoreArgs),
    /// Check a backup: every byte of it, and the log in it.
    Verify(BackupVerifyArgs),
}

/// `reeve backup create`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Of a running service, with --url and --token (administrator): the service hands out everything but the private keys; \
    with --data-dir besides, they are added from there.\nOf a data directory that no service has open: --data-dir (or --config).\n\
    Without a passphrase the private keys lie open in the file.\nExit codes: 0 done, 2 could not run."
)]
pub(crate) struct BackupCreateArgs {
    /// The file; it must not be there.
    pub(crate) file: PathBuf,
    /// The data directory.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Configuration file of the service, for a state store or anchor elsewhere.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// File whose first line seals the private keys in the backup.
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
    after_help = "Exit codes: 0 done, 1 refused: the backup is broken, or the log is known to have had more entries; 2 could not run."
)]
pub(crate) struct BackupRestoreArgs {
    /// The backup.
    pub(crate) file: PathBuf,
    /// The data directory to make; it must not be there, or be empty.
    #[arg(long)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Configuration file of the service: its state store, anchor and published checkpoint are respected.
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// File whose first line opens the private keys in the backup.
    #[arg(long, value_name = "FILE")]
    pub(crate) passphrase_file: Option<PathBuf>,
    /// Folder that holds log.key and secrets.key, in place of those in the backup.
    #[arg(long, value_name = "FOLDER", conflicts_with = "passphrase_file")]
    pub(crate) keys: Option<PathBuf>,
    /// Restore what can be read and verified, and not continued.
    #[arg(long, conflicts_with_all = ["keys", "passphrase_file"])]
    pub(crate) without_keys: bool,
    /// A checkpoint that was published or kept elsewhere: a file or an address (repeatable). A backup that is shorter is refused.
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) checkpoint: Vec<String>,
    /// An anchor that was kept elsewhere (repeatable).
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Vec<PathBuf>,
    /// The log's verifier key, kept elsewhere.
    #[arg(long, value_name = "KEY|FILE")]
    pub(crate) public_key: Option<String>,
    /// Restore although entries are lost; the log records how many.
    #[arg(long)]
    pub(crate) accept_loss: bool,
}

/// `reeve backup verify`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 intact, 1 broken (each flaw is named), 2 could not run.")]
pub(crate) struct BackupVerifyArgs {
    /// The backup.
    pub(crate) file: PathBuf,
    /// The log's verifier key, kept elsewhere.
    #[arg(long, value_name = "KEY|FILE")]
    pub(crate) public_key: Option<String>,
    /// Folder to unpack the log in while it is checked; beside the backup unless given.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) temp_dir: Option<PathBuf>,
    /// One JSON object in place of lines.
    #[arg(long)]
    pub(crate) json: bool,
}
