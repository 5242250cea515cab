//! Predictive rules: a condition over a forecast, an action, and who must approve it.
//!
//! A [`PredictiveRule`] says what is foreseen (a disk that fills, connections that run out, a peak of
//! traffic, an event of a [calendar]), how far ahead it counts, what to do, and under which
//! approval. [`RuleService`] keeps the rules and evaluates those that are due: it forecasts each
//! resource in scope, keeps every forecast it decided on as a [`Prediction`], and hands what is
//! foreseen to the agent type that its action belongs to, whose answer the engine keeps as a
//! recommendation. A rule never acts: mode, guardrails, approvals,
//! rollback and the log are the engine's, as for any other finding. Requirements A-205
//! to A-213.

pub mod calendar;
mod calendar_service;
mod capacity;
mod curve;
mod decide;
mod duration;
mod evaluation;
mod findings;
mod input;
mod log_entry;
mod port;
mod preset;
mod related;
mod scope;
mod service;
mod traffic;
mod traffic_service;
mod unpredictable;

use duration::as_text;

pub use calendar_service::CalendarInput;
pub use input::RuleInput;
pub use port::{PredictionFilter, RuleStore};
pub use preset::presets;
pub use reeve_recommend::predictive::{
    ApprovalKind, ApprovalRule, CapacitySource, Expected, Foreseen, Outcome, Prediction,
    PredictionId, PredictiveCondition, PredictiveReason, PredictiveRule, ProviderCall, Response,
    ResponseKind, Signal, SignalRow, Worse,
};
pub use reeve_recommend::recommendation::origin::RuleId;
pub use service::{RulePorts, RuleService};
pub use traffic::{Preparation, TrafficInput, TrafficIntelligence, TrafficSettings};
