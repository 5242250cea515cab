//! Backups of the running service, handed on piece by piece: never more in memory than a few
//! pieces.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use reeve_audit::Obstacle;
use reeve_http::backups::{BackupRefusal, BackupStream, Backups};
use reeve_ledger::Ledger;
use reeve_store::Store;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::backup::create::stage;
use crate::backup::keys::KeyParts;
use crate::config::Config;

/// Bytes of a piece.
const PIECE: usize = 256 << 10;
/// Pieces that wait for the receiver.
const WAITING: usize = 4;

/// Makes backups of a data directory that this process has open.
pub(crate) struct RunningBackups {
    data_dir: PathBuf,
    ledger: Ledger,
    store: Arc<Store>,
    /// Held while one is made.
    one: Arc<Mutex<()>>,
}

impl RunningBackups {
    /// Of the configured data directory, its log and its state.
    pub(crate) fn new(config: &Config, ledger: &Ledger, store: &Arc<Store>) -> RunningBackups {
        let (data_dir, ledger, store) = (config.data_dir.clone(), ledger.clone(), store.clone());
        RunningBackups {
            data_dir,
            ledger,
            store,
            one: Arc::default(),
        }
    }
}

#[async_trait]
impl Backups for RunningBackups {
    async fn begin(&self) -> Result<BackupStream, BackupRefusal> {
        let one = self
            .one
            .clone()
            .try_lock_owned()
            .map_err(|_| BackupRefusal::Busy)?;
        let staged = stage(&self.data_dir, &self.ledger, &self.store).await;
        let staged = staged.map_err(|error| BackupRefusal::Failed(format!("{error:#}")))?;
        let size = staged.snapshot.size;
        let (send, pieces) = mpsc::channel(WAITING);
        let (tell, done) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            let out = BufWriter::with_capacity(PIECE, Pieces(send.clone()));
            let written = staged.write(out, &KeyParts::absent(), &|_| {});
            let outcome = match written {
                Ok((_, summary)) => Ok((summary.bytes, summary.sha256)),
                Err(error) => {
                    let obstacle = Obstacle::of(&error);
                    // Nobody may be there to hear it.
                    let _ = send.blocking_send(Err(error));
                    Err(obstacle)
                }
            };
            let _ = tell.send(outcome);
            drop(one);
        });

        Ok(BackupStream { size, pieces, done })
    }
}

/// A writer whose bytes somebody else receives.
struct Pieces(mpsc::Sender<io::Result<Bytes>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| {
            io::Error::new(
                io::ErrorKind::BrokenPipe,
                "the receiver went away before the end",
            )
        };

        self.0
            .blocking_send(Ok(Bytes::copy_from_slice(bytes)))
            .map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
