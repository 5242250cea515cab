//! Storage of anomalies.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_recommend::recommendation::origin::AnomalyId;

use super::lesson::Lesson;
use super::record::{Anomaly, AnomalyClass, AnomalyStatus};
use super::settings::AnomalySettings;

/// Filter of anomalies; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct AnomalyFilter {
    pub class: Option<AnomalyClass>,
    /// In any of these states; empty is all.
    pub status: Vec<AnomalyStatus>,
    /// Known by this key.
    pub key: Option<String>,
    /// Identifier of the resource or principal.
    pub place: Option<String>,
    /// In any of these accounts; empty is all, anomalies without an account included.
    pub accounts: Vec<String>,
    /// Of any of these incidents; empty is all.
    pub incidents: Vec<AnomalyId>,
    /// Begun at or after.
    pub since: Option<Timestamp>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of matches to skip.
    pub offset: u64,
}

/// Keeps anomalies and their settings. Updates compare versions, as
/// [`AgentStore`](reeve_recommend::ports::AgentStore)'s do.
#[async_trait]
pub trait AnomalyStore: Send + Sync {
    /// Adds an anomaly. A second with the same key and beginning is a conflict.
    async fn anomaly_insert(&self, anomaly: &Anomaly) -> Result<(), StoreError>;
    /// Replaces an anomaly; `version` is the stored one plus one.
    async fn anomaly_update(&self, anomaly: &Anomaly) -> Result<(), StoreError>;
    async fn anomaly_get(&self, id: &AnomalyId) -> Result<Anomaly, StoreError>;
    /// Anomalies, newest beginning first, and how many there are in all.
    async fn anomaly_list(&self, filter: &AnomalyFilter)
    -> Result<(Vec<Anomaly>, u64), StoreError>;
    /// Returns the number of incidents of anomalies that began at or after a time. Each anomaly that
    /// joined no other is an incident.
    async fn anomaly_incidents(&self, since: Timestamp) -> Result<u64, StoreError>;
    /// Adds a lesson, or replaces the one of its anomaly.
    async fn anomaly_lesson_put(&self, lesson: &Lesson) -> Result<(), StoreError>;
    /// Lessons, newest first, those that were taken back included.
    async fn anomaly_lessons(&self) -> Result<Vec<Lesson>, StoreError>;
    /// The settings; the defaults when never set.
    async fn anomaly_settings_get(&self) -> Result<AnomalySettings, StoreError>;
    /// Replaces the settings; `version` is the stored one plus one.
    async fn anomaly_settings_put(&self, settings: &AnomalySettings) -> Result<(), StoreError>;
    /// Returns the time of the last look at metrics.
    async fn anomaly_looked_get(&self) -> Result<Option<Timestamp>, StoreError>;
    /// Keeps when it looked.
    async fn anomaly_looked_put(&self, at: Timestamp) -> Result<(), StoreError>;
    /// Returns the next sequence of the log to judge behavior by; `None` before the log was ever
    /// followed.
    async fn anomaly_cursor(&self) -> Result<Option<u64>, StoreError>;
    /// Moves the cursor. A conflict when it does not stand at `from` any more: another process has
    /// judged what is between.
    async fn anomaly_advance(&self, from: Option<u64>, to: u64) -> Result<(), StoreError>;
}
