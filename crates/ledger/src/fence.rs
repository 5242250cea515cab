//! The port that tells the ledger whether this process may still write: of several servers on one
//! log, one writes.
//!
//! A process that was paused does not know that time has passed. The sequencer therefore asks
//! before each frame, and again before it acknowledges: a frame that was written in the moment
//! between is acknowledged by nobody (`docs/formats/wal.md`).

/// Permission of this process to write the log. Asked before each frame and each acknowledgement,
/// so an answer costs microseconds.
pub trait Fence: std::fmt::Debug + Send + Sync {
    /// Returns the number of this writer. It grows with each takeover and stands in the header of
    /// each file of the write-ahead log; 0 is a writer that nobody can take over from.
    fn epoch(&self) -> u64;

    /// Checks that this process is the writer.
    ///
    /// # Errors
    /// [`Fenced`]: another writer may have begun.
    fn check(&self) -> Result<(), Fenced>;
}

/// Reason why this process may not write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Fenced {
    /// Cause and remedy, for the operator.
    pub reason: String,
}

/// The fence of a log that one process alone opens, such as an import.
#[derive(Debug, Clone, Copy)]
pub struct Unfenced;

impl Fence for Unfenced {
    fn epoch(&self) -> u64 {
        0
    }

    fn check(&self) -> Result<(), Fenced> {
        Ok(())
    }
}
