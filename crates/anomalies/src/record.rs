//! What is kept of an anomaly.

use jiff::Timestamp;
use reeve_estate::{Metric, named};

use super::logged::Deed;
use reeve_recommend::AnomalyId;
use reeve_recommend::recommendation::Priority;
use sha2::{Digest as _, Sha256};

/// Returns the identifier of the anomaly of a key that began at a time: a UUID of version 8. The same anomaly found twice, by two
/// processes or after a crash, is one.
#[must_use]
pub(crate) fn derive_id(key: &str, started_at: Timestamp) -> AnomalyId {
    let mut hash = Sha256::new();
    hash.update(started_at.as_millisecond().to_be_bytes());
    hash.update(key.as_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    AnomalyId(uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string())
}

named!(
    /// The specification's classes.
    AnomalyClass {
        /// Spending.
        Cost => "cost",
        /// Response, errors, throughput, load.
        Performance => "performance",
        /// Behaviour of people and programs.
        Security => "security",
        /// Capacity and health.
        Operational => "operational",
    }
);

named!(
    /// Where an anomaly stands.
    AnomalyStatus {
        /// Noticed, and nobody has looked.
        Open => "open",
        /// Somebody looks after it.
        Acknowledged => "acknowledged",
        /// It is over, or was no trouble.
        Resolved => "resolved",
    }
);

named!(
    /// The specification's stages of a response, in order.
    Stage {
        /// Those concerned are told.
        Alert => "alert",
        /// Context and likely cause.
        Investigate => "investigate",
        /// What to do.
        Recommend => "recommend",
        /// It is done, where that is configured.
        Execute => "execute",
        /// Judgement takes the outcome in.
        Learn => "learn",
    }
);

named!(
    /// What people say of an anomaly.
    FeedbackKind {
        /// It was trouble.
        Real => "real",
        /// It was none.
        False => "false",
        /// It was meant to be.
        Planned => "planned",
    }
);

/// Where it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The provider's identifier of the resource, or the principal of a security anomaly.
    pub id: String,
    /// Display name.
    pub name: String,
    /// What it is (`virtual_machine`, `principal`, ...).
    pub kind: String,
    /// Cloud, where there is one.
    pub provider: Option<String>,
    /// Account.
    pub account: Option<String>,
    /// Region.
    pub region: Option<String>,
    /// Service.
    pub service: Option<String>,
}

/// One metric at its strangest.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The metric; `None` for behaviour.
    pub metric: Option<Metric>,
    /// When.
    pub at: Timestamp,
    /// What was measured.
    pub value: f64,
    /// What was expected.
    pub expected: f64,
    /// The usual band.
    pub low: f64,
    /// Its upper edge.
    pub high: f64,
    /// 0 to 1.
    pub score: f64,
    /// What gave it away, in words.
    pub sign: String,
}

/// One stage of the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Which.
    pub stage: Stage,
    /// When.
    pub at: Timestamp,
    /// What came of it.
    pub detail: String,
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnomalyFeedback {
    /// Which.
    pub kind: FeedbackKind,
    /// In words.
    pub comments: Option<String>,
    /// Who (e-mail address).
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// When it was taken back, and by whom: it counts no more.
    pub withdrawn: Option<(Timestamp, String)>,
}

/// An anomaly.
#[derive(Debug, Clone, PartialEq)]
pub struct Anomaly {
    /// Identifier.
    pub id: AnomalyId,
    /// Class.
    pub class: AnomalyClass,
    /// Where it stands.
    pub status: AnomalyStatus,
    /// How urgent it is.
    pub severity: Priority,
    /// One line for people.
    pub title: String,
    /// Where it was seen.
    pub place: Place,
    /// What was measured, strangest first.
    pub readings: Vec<Reading>,
    /// Deviation of the strangest from what was expected, percent; `None` where nothing was expected.
    pub deviation_percent: Option<f64>,
    /// Likely cause in words; empty until investigated.
    pub cause: String,
    /// What the cause rests on.
    pub evidence: Vec<String>,
    /// What to do.
    pub advice: String,
    /// What the audit log knows of the time before it, oldest first. It stands in no words of the anomaly, see [`Deed`].
    pub deeds: Vec<Deed>,
    /// The response so far.
    pub responses: Vec<Response>,
    /// What people said, newest last.
    pub feedback: Vec<AnomalyFeedback>,
    /// When it began.
    pub started_at: Timestamp,
    /// Its last strange point.
    pub last_at: Timestamp,
    /// When it was noticed.
    pub detected_at: Timestamp,
    /// When it was over.
    pub resolved_at: Option<Timestamp>,
    /// When somebody opened it again.
    pub reopened_at: Option<Timestamp>,
    /// What it is known by, so that it is told once: class and place.
    pub key: String,
    /// Grows with every change.
    pub version: u64,
}

impl Anomaly {
    /// What people say of it: the last answer that was not taken back.
    #[must_use]
    pub fn opinion(&self) -> Option<&AnomalyFeedback> {
        self.feedback.iter().rev().find(|said| said.withdrawn.is_none())
    }
}
