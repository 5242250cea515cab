//! Predictive rules: a condition over a forecast, an action, and who must approve it.
//!
//! A [`Rule`] says what is foreseen (a disk that fills, connections that run out, a peak of
//! traffic, an event of a [calendar]), how far ahead it counts, what to do, and under which
//! approval. [`RuleService`] keeps the rules and evaluates those that are due: it forecasts each
//! resource in scope, keeps every forecast it decided on as a [`Prediction`], and hands what is
//! foreseen to the engine as a recommendation. A rule never acts: mode, guardrails, approvals,
//! rollback and the log are the engine's, as for any other finding. Requirements A-205
//! to A-213.

pub(crate) mod advice;
pub mod calendar;
mod calendar_service;
mod capacity;
mod change;
mod curve;
mod decide;
mod duration;
mod evaluation;
mod findings;
mod input;
mod log_entry;
pub mod plans;
mod port;
mod prediction;
mod preset;
mod reason;
mod related;
mod rule;
mod scope;
mod service;
mod signal;
mod traffic;
mod traffic_service;
mod unpredictable;

use duration::as_text;

pub use calendar_service::CalendarInput;
pub use input::RuleInput;
pub use port::{PredictionFilter, RuleStore};
pub use prediction::{Expected, Outcome, Prediction, PredictionId};
pub use preset::presets;
pub use reason::Reason;
pub use reeve_recommend::recommendation::origin::RuleId;
pub use rule::{
    ApprovalKind, ApprovalRule, Condition, Foreseen, ProviderCall, Response, ResponseKind, Rule,
};
pub use service::{RulePorts, RuleService};
pub use signal::{CapacitySource, Signal, SignalRow, Worse};
pub use traffic::{Preparation, TrafficInput, TrafficIntelligence, TrafficSettings};
