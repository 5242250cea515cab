//! The port to the retention of the running log: its course under policies, the deletion of what
//! has expired, moves to farther tiers, and restores.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_retention::{Course, PolicySet, Restore, RestoreProgress, TierContent};
use tokio::sync::Mutex;

/// A look for expired segments, and what became of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionRun {
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    /// Segments that were deleted.
    pub segments: u64,
    /// Entries in them.
    pub entries: u64,
    /// Bytes that the deleted files had.
    pub freed_bytes: u64,
    /// Segments past their period that legal holds keep.
    pub held: u64,
    /// Segments that were moved to a farther tier.
    pub moved_segments: u64,
    /// Entries in the moved segments.
    pub moved_entries: u64,
    /// Bytes of the files of the moved segments.
    pub moved_bytes: u64,
    /// Reasons why segments were not deleted or moved.
    pub failures: Vec<String>,
}

/// Retention of the running log.
#[async_trait]
pub trait Retention: Send + Sync {
    /// Returns what these policies would do with the sealed entries, beginning now.
    ///
    /// # Errors
    /// A segment cannot be read.
    async fn course(&self, policies: &PolicySet) -> Result<Course, Obstacle>;
    /// Returns what lies in each tier, and what is due there under these policies.
    ///
    /// # Errors
    /// A segment cannot be read.
    async fn tiers(&self, policies: &PolicySet) -> Result<Vec<TierContent>, Obstacle>;
    /// Fetches what restores ask for, ends those whose days have passed, and shows readers what is
    /// there. One round at a time.
    ///
    /// # Errors
    /// The restores cannot be read.
    async fn restore(&self) -> Result<(), Obstacle>;
    /// Returns how far a restore has come.
    fn progress(&self, restore: &Restore) -> RestoreProgress;
    /// Deletes what has expired and no hold keeps, and moves to farther tiers what is due there. One
    /// run at a time.
    ///
    /// # Errors
    /// Policies or holds cannot be relied upon; nothing was deleted.
    async fn run(&self) -> Result<RetentionRun, Obstacle>;
    /// Applies changed policies or holds to what readers see and to the classes of new entries.
    ///
    /// # Errors
    /// Policies, holds or a segment cannot be read.
    async fn apply(&self) -> Result<(), Obstacle>;
    /// Returns the newest run since the start of the service.
    fn last_run(&self) -> Option<RetentionRun>;
    /// Lock under which policies and holds are changed, and under which a segment is expired: a
    /// tombstone never rests on policies or holds that changed meanwhile.
    fn changes(&self) -> Arc<Mutex<()>>;
}
