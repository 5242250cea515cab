//! Finding of a watch: something unusual at one place, before it becomes an anomaly.

use jiff::Timestamp;

use super::contribution::Contribution;
use super::record::{AnomalyClass, Place, Reading};
use super::security_activity::SecurityActivity;
use reeve_recommend::recommendation::Priority;

/// Finding of a watch.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub class: AnomalyClass,
    /// Severity of the finding.
    pub severity: Priority,
    /// One line for people.
    pub title: String,
    /// Resource or principal concerned.
    pub place: Place,
    /// Unusual metrics, the most anomalous first; never empty.
    pub readings: Vec<Reading>,
    /// Further evidence, as sentences.
    pub evidence: Vec<String>,
    /// Parts of unusual spending; empty for other classes.
    pub contributions: Vec<Contribution>,
    /// Activity behind a security finding, all of it so far; `None` for other classes.
    pub activity: Option<SecurityActivity>,
    /// Start of the anomaly.
    pub started_at: Timestamp,
    /// Its last strange point.
    pub last_at: Timestamp,
}

impl Finding {
    pub(super) fn key(&self) -> String {
        format!("{}/{}", self.class, self.place.id)
    }

    pub(super) fn score(&self) -> f64 {
        self.readings
            .iter()
            .map(|reading| reading.score)
            .fold(0.0, f64::max)
    }
}
