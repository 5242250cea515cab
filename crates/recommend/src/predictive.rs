//! Predictive rules and predictions as forecasting, agent types and stores share them. `predict`
//! evaluates rules; the agent type that an action belongs to answers what they foresee.

mod prediction;
mod reason;
mod rule;
mod signal;

pub use prediction::{Expected, Outcome, Prediction, PredictionId};
pub use reason::PredictiveReason;
pub use rule::{
    ApprovalKind, ApprovalRule, CalendarId, Foreseen, PredictiveCondition, PredictiveRule,
    ProviderCall, Response, ResponseKind,
};
pub use signal::{CapacitySource, Signal, SignalRow, Worse};
