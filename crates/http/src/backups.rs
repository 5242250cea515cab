//! The port to backups of the running service.

use std::io;

use async_trait::async_trait;
use bytes::Bytes;
use reeve_audit::Obstacle;
use tokio::sync::{mpsc, oneshot};

/// A backup that is being written.
pub struct BackupStream {
    /// Entries of the log in it.
    pub size: u64,
    /// The archive, piece by piece. An error says that it is of no use.
    pub pieces: mpsc::Receiver<io::Result<Bytes>>,
    /// The end of it: bytes and SHA-256, or why it was not finished.
    pub done: oneshot::Receiver<Result<(u64, String), Obstacle>>,
}

/// Reason why a backup did not begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupRefusal {
    /// Another one is being written.
    Busy,
    Failed(String),
}

/// Makes backups: log, state and samples, without the private keys.
#[async_trait]
pub trait Backups: Send + Sync {
    /// Takes a backup as of now and begins to write it.
    ///
    /// # Errors
    /// [`BackupRefusal`].
    async fn begin(&self) -> Result<BackupStream, BackupRefusal>;
}
