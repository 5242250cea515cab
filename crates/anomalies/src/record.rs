//! Record of an anomaly.

use std::fmt;

use jiff::Timestamp;
use reeve_estate::{Metric, named};
use reeve_recommend::judgement::event::AnomalyReport;
use reeve_recommend::recommendation::Priority;
use reeve_recommend::recommendation::origin::AnomalyId;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::contribution::Contribution;
use super::investigation::Investigation;
use super::likely_cause::LikelyCause;
use super::related_entry::RelatedEntry;
use super::remediation::Remediation;
use super::security_activity::SecurityActivity;
use super::words;

/// Returns the identifier of the anomaly of a key that began at a time: a UUID of version 8. The
/// same anomaly found twice, by two processes or after a crash, is one. The secret keeps whoever
/// causes an anomaly from knowing its identifier in advance; what is no secret has an empty one.
#[must_use]
pub(crate) fn derive_id(secret: &[u8], key: &str, started_at: Timestamp) -> AnomalyId {
    // Only half of the digest is used, so that nobody can extend a known identifier to that of a
    // longer key.
    let mut hash = Sha256::new_with_prefix(secret);
    hash.update(started_at.as_millisecond().to_be_bytes());
    hash.update(key.as_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);

    AnomalyId(
        uuid::Builder::from_custom_bytes(bytes)
            .into_uuid()
            .to_string(),
    )
}

named!(
    /// Classes of anomalies (requirements ).
    AnomalyClass {
        Cost => "cost",
        /// Response, errors, throughput, load.
        Performance => "performance",
        /// Behavior of people and programs.
        Security => "security",
        /// Capacity and health of resources.
        Operational => "operational",
    }
);

impl AnomalyClass {
    /// Returns the class of an anomaly of a metric: capacity and health are operational, everything
    /// else is performance.
    #[must_use]
    pub const fn of_metric(metric: Metric) -> Self {
        match metric {
            Metric::DatabaseConnections | Metric::FreeStorage | Metric::CpuCreditBalance => {
                AnomalyClass::Operational
            }
            _ => AnomalyClass::Performance,
        }
    }
}

named!(
    /// Status of an anomaly.
    AnomalyStatus {
        /// Detected, and not acknowledged.
        Open => "open",
        /// A user has acknowledged it.
        Acknowledged => "acknowledged",
        /// It has ended, or was a false alarm.
        Resolved => "resolved",
    }
);

named!(
    /// Stages of a response, in order (requirements ).
    Stage {
        Alert => "alert",
        /// Context and likely cause.
        Investigate => "investigate",
        /// Recommendation of a remedy.
        Recommend => "recommend",
        /// The remedy is executed, where that is configured.
        Execute => "execute",
        /// Later judgements take the outcome into account.
        Learn => "learn",
    }
);

named!(
    /// Verdict of a user on an anomaly.
    FeedbackKind {
        /// It was a real anomaly.
        Real => "real",
        /// It was a false alarm.
        False => "false",
        /// It was a planned change.
        Planned => "planned",
        /// The new level is the usual one from now on.
        NewNormal => "new_normal",
    }
);

/// Resource or principal concerned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    /// The provider's identifier of the resource, or the principal of a security anomaly.
    pub id: String,
    pub name: String,
    /// Kind (`virtual_machine`, `principal`, ...).
    pub kind: String,
    /// Cloud, where there is one.
    pub provider: Option<String>,
    pub account: Option<String>,
    pub region: Option<String>,
    pub service: Option<String>,
}

/// Sign that raised an alarm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Indication {
    /// An indicator of a threat list.
    ThreatList,
    /// Any other sign, as a noun phrase: `a sudden rise`.
    Other(String),
}

impl From<String> for Indication {
    fn from(text: String) -> Self {
        Indication::Other(text)
    }
}

impl From<&str> for Indication {
    fn from(text: &str) -> Self {
        Indication::Other(text.to_owned())
    }
}

impl fmt::Display for Indication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Indication::ThreatList => "on a threat list",
            Indication::Other(text) => text,
        })
    }
}

/// One metric at its most anomalous.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The metric; `None` for behavior.
    pub metric: Option<Metric>,
    /// Time of the value.
    pub at: Timestamp,
    /// Measured value, in the metric's unit.
    pub value: f64,
    /// Expected value, in the metric's unit.
    pub expected: f64,
    /// Lower edge of the usual band.
    pub low: f64,
    /// Upper edge of the usual band.
    pub high: f64,
    /// Anomaly score from 0 to 1.
    pub score: f64,
    /// Sign that raised the alarm.
    pub indication: Indication,
}

/// One stage of the response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// Stage of the response.
    pub stage: Stage,
    /// Time of the stage.
    pub at: Timestamp,
    /// Result of the stage, as a sentence.
    pub detail: String,
}

/// Feedback of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnomalyFeedback {
    pub kind: FeedbackKind,
    /// Explanation in the user's words.
    pub comments: Option<String>,
    /// E-mail address of the user.
    pub by: String,
    /// Time of the feedback.
    pub at: Timestamp,
    /// Time and user of the withdrawal; withdrawn feedback does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<(Timestamp, String)>,
}

/// A deviation at one place, from its detection to its resolution.
#[derive(Debug, Clone, PartialEq)]
pub struct Anomaly {
    pub id: AnomalyId,
    /// Anomaly that its incident began with: itself unless it joined an earlier one.
    pub incident: AnomalyId,
    pub class: AnomalyClass,
    pub status: AnomalyStatus,
    pub severity: Priority,
    /// Title of one line.
    pub title: String,
    /// Resource or principal concerned.
    pub place: Place,
    /// Unusual metrics, the most anomalous first.
    pub readings: Vec<Reading>,
    /// Deviation of the most anomalous from what was expected, percent; `None` where nothing was
    /// expected.
    pub deviation_percent: Option<f64>,
    /// Parts of unusual spending, the greatest first; empty for other classes.
    pub contributions: Vec<Contribution>,
    /// Activity behind a security anomaly; `None` for other classes, and in documents of releases
    /// that did not keep it.
    pub activity: Option<SecurityActivity>,
    /// Investigation; `None` before it, and of anomalies from before releases kept it.
    pub investigation: Option<Investigation>,
    /// Likely cause; `None` until investigated.
    pub cause: Option<LikelyCause>,
    /// Evidence of the cause beside the readings.
    pub evidence: Vec<String>,
    /// Recommended response, as text for people.
    pub advice: String,
    /// Recommended remedy; `None` before one was looked for.
    pub remediation: Option<Remediation>,
    /// Log entries before the anomaly, oldest first. The texts of the anomaly never mention them,
    /// see [`RelatedEntry`].
    pub related_entries: Vec<RelatedEntry>,
    /// The response so far.
    pub responses: Vec<Response>,
    /// Feedback of users, newest last.
    pub feedback: Vec<AnomalyFeedback>,
    /// Start of the anomaly.
    pub started_at: Timestamp,
    /// Time of its last anomalous point.
    pub last_at: Timestamp,
    pub detected_at: Timestamp,
    /// Time of resolution; `None` while it is open.
    pub resolved_at: Option<Timestamp>,
    /// Time at which a user reopened it.
    pub reopened_at: Option<Timestamp>,
    /// Key that identifies repeated findings: class and place.
    pub key: String,
    /// Grows with every change.
    pub version: u64,
}

impl Reading {
    /// The reading of a metric as a sentence; `None` for behavior and spending.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        words::evidence(self)
    }
}

impl Anomaly {
    /// Returns the highest anomaly score of its readings, 0 to 1.
    #[must_use]
    pub fn score(&self) -> f64 {
        let scores = self.readings.iter().map(|reading| reading.score);
        scores.fold(0.0, f64::max)
    }

    /// Returns the anomaly as the rules of agent types answer it.
    #[must_use]
    pub fn report(&self) -> AnomalyReport {
        AnomalyReport {
            anomaly: self.id.clone(),
            title: self.title.clone(),
            severity: self.severity,
            score: self.score(),
            evidence: self.evidence_in_words().collect(),
            readings: self.readings.len() as u64,
        }
    }

    /// Returns the anomaly as its readings show it, for readers who see a part of the estate: its
    /// cause, activity, evidence and responses may tell of any other part.
    #[must_use]
    pub fn without_context(self) -> Anomaly {
        let remediation = self.remediation.as_ref();
        let advice = remediation.map(|one| one.description.clone());
        Anomaly {
            activity: None,
            investigation: None,
            cause: None,
            evidence: Vec::new(),
            advice: advice.unwrap_or_default(),
            related_entries: Vec::new(),
            responses: Vec::new(),
            ..self
        }
    }

    /// Evidence of the cause in sentences: the readings, then what stands beside them.
    pub fn evidence_in_words(&self) -> impl Iterator<Item = String> + '_ {
        // Without the names of accounts: those are for readers who may see their entries.
        let activity = self
            .activity
            .iter()
            .flat_map(|activity| activity.words(|_| false));
        self.readings
            .iter()
            .filter_map(Reading::words)
            .chain(activity)
            .chain(self.evidence.iter().cloned())
    }

    /// Returns the last feedback that was not withdrawn.
    #[must_use]
    pub fn current_feedback(&self) -> Option<&AnomalyFeedback> {
        self.feedback
            .iter()
            .rev()
            .find(|said| said.withdrawn.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_follow_from_their_parts_and_a_secret() {
        let id = |secret: &[u8], key: &str, at| derive_id(secret, key, at).0;
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(
            id(&[1; 32], "security/a", now),
            id(&[1; 32], "security/a", now)
        );
        assert_ne!(
            id(&[1; 32], "security/a", now),
            id(&[2; 32], "security/a", now)
        );
        assert_ne!(
            id(&[1; 32], "security/a", now),
            id(&[1; 32], "security/b", now)
        );
        assert_ne!(id(&[1; 32], "security/a", now), id(&[], "security/a", now));
    }
}
