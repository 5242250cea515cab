//! Anomalies: each is reported once, with its likely cause, and answered in the order of
//! requirements: alert, investigate, recommend, execute when configured, learn.
//! Every stage is recorded.
//!
//! [`AnomalyService`] owns their life; [`watch`] finds them in metrics and in the audit log,
//! [`spend`] in bills, [`threat`] by the lists that operators supply. A trouble of one resource is
//! one anomaly whatever number of its metrics shows it, and one that began before a restart is not
//! reported again after it.

pub mod attack;
mod attack_keys;
mod attempts;
mod bands;
pub mod behavior;
mod behavior_watch;
pub mod budget;
mod cause;
pub mod chain;
mod changes;
pub mod charges;
mod contribution;
mod course;
mod entry_names;
mod finding;
#[cfg(test)]
mod fixtures;
mod growth;
mod incident;
mod investigate;
pub mod investigation;
mod lesson;
mod likely_cause;
mod log_entry;
mod pace;
mod port;
mod position;
mod probable_cause;
mod record;
mod related;
mod related_entries;
mod related_entry;
pub mod remediation;
mod security_activity;
mod service;
mod settings;
mod shortage;
pub mod spend;
mod subject;
pub mod threat;
pub mod watch;
pub mod words;

pub use attack_keys::AttackKeys;
pub use bands::TrainedBands;
pub use cause::{Around, ExplainedCause, likely_cause};
pub use changes::{Changes, by_others};
pub use contribution::Contribution;
pub use course::{CourseChange, CoursePoint, course, course_changes, needed_from};
pub use finding::Finding;
pub use incident::{AnomalyGroup, AnomalyGroupMember};
pub use investigation::{
    Hypothesis, HypothesisKind, Investigation, InvestigationEvidence, InvestigationLink, Lookup,
    Source, Support,
};
pub use lesson::{Direction, Lesson, LessonKind, LessonThreshold, LessonThresholds, ThresholdKey};
pub use likely_cause::LikelyCause;
pub use port::{AnomalyFilter, AnomalyStore};
pub use position::Position;
pub use probable_cause::{CauseCandidate, CauseChange, CauseGrade, ProbableCause, RuledOut};
pub use record::{
    Anomaly, AnomalyClass, AnomalyFeedback, AnomalyStatus, FeedbackKind, Indication, Place,
    Reading, Response, Stage,
};
pub use reeve_recommend::recommendation::origin::AnomalyId;
pub use related::{ONE_ATTACK, RelatedAnomaly};
pub use related_entries::CauseView;
pub use related_entry::RelatedEntry;
pub use remediation::Remediation;
pub use security_activity::{MOST_ACCOUNTS, SecurityActivity};
pub use service::{AnomalyPorts, AnomalyService, ChainScope};
pub use settings::{
    AnomalySettings, CostSettings, PerformanceSettings, Reaction, SecuritySettings, Sensitivity,
};
pub use subject::{identities, resource_at};
