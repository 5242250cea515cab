//! Anomalies: what was unusual, told once, with its likely cause, answered in the specification's order (alert, investigate,
//! recommend, execute when configured, learn), every stage recorded.
//!
//! [`Desk`] owns their life; [`watch`] finds them in metrics and in the audit log, [`spend`] in bills, [`threat`] by the lists that
//! operators supply. A trouble of one resource is one
//! anomaly whatever number of its metrics shows it, and a trouble that began before a restart is not told again after it.

mod bands;
pub mod behaviour;
pub mod budget;
mod cause;
mod changes;
pub mod charges;
mod course;
mod deeds;
mod desk;
mod logged;
mod pace;
mod port;
mod position;
pub mod quarantine;
mod record;
mod settings;
pub mod spend;
mod story;
pub mod threat;
pub mod watch;
pub mod words;

pub use bands::TrainedBands;
pub use cause::{Around, Cause, likely_cause};
pub use changes::{Changes, by_others};
pub use course::{CourseChange, CoursePoint, course, course_changes, needed_from};
pub use desk::{Desk, DeskPorts, Finding};
pub use logged::{Deed, Told};
pub use port::{AnomalyFilter, AnomalyStore};
pub use position::Position;
pub use record::{
    Anomaly, AnomalyClass, AnomalyFeedback, AnomalyStatus, FeedbackKind, Place, Reading, Response, Stage,
};
pub use reeve_recommend::AnomalyId;
pub use settings::{AnomalySettings, CostSettings, PerformanceSettings, Reaction, SecuritySettings, Sensitivity};
