//! The port by which routes take metrics over and look at metric sources; the server adapts
//! Prometheus to it.

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::StoreError;
use reeve_sources::{IntakeCounts, MappingRule, MetricSource, MetricSourceId, Preview};

/// Reason why a push was not taken.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The body is wrong; sending it again mends nothing.
    #[error("{0}")]
    Malformed(String),
    /// The body is too large; sending it again mends nothing.
    #[error("{0}")]
    TooLarge(String),
    /// Too many pushes of the source wait.
    #[error("too many pushes of this source wait")]
    Busy {
        /// Wait before the next attempt, seconds.
        retry_after_s: u64,
    },
    /// Samples could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Samples that a source has pushed since the service started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteStatus {
    /// Start of the count.
    pub since: Timestamp,
    /// Time of the last push.
    pub last_at: Option<Timestamp>,
    /// Pushes that were taken.
    pub pushes: u64,
    /// Pushes that were refused.
    pub refused: u64,
    /// Samples stored; a sample that a later push replaced counts again.
    pub stored: u64,
    /// Points by their outcome.
    pub counts: IntakeCounts,
}

/// Taking pushes, and looking at what a source has.
#[async_trait]
pub trait MetricIntake: Send + Sync {
    /// Takes a pushed body over; once it is answered the samples are durable.
    ///
    /// # Errors
    /// The body was refused, or the samples could not be stored.
    async fn write(&self, source: &MetricSource, body: Bytes) -> Result<(), WriteError>;
    /// Returns what rules would make of the series of a source.
    ///
    /// # Errors
    /// The server did not answer, or the store failed, in words.
    async fn preview(
        &self,
        source: &MetricSource,
        rules: &[MappingRule],
    ) -> Result<Preview, Obstacle>;
    /// Returns what a source has pushed.
    fn status(&self, id: &MetricSourceId) -> WriteStatus;
    /// Judges the address that somebody gives a source.
    ///
    /// # Errors
    /// The address may not be reached.
    fn check_url(&self, url: &str) -> Result<(), Obstacle>;
    /// Begins to query a source in the background; `false` when that is going on already.
    async fn sync(&self, id: &MetricSourceId, by: &str) -> bool;
}
