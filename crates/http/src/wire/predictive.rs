//! Predictive rules, predictions and calendars on the wire.

mod calendar;
mod prediction;
mod rule;
mod rule_put;
mod traffic;

pub use calendar::{CalendarBody, CalendarPut, OccurrenceBody, OccurrenceParams};
pub use prediction::{ForecastStepBody, PredictionBody, PredictionFindingBody, PredictionParams};
pub use rule::{ApprovalRuleBody, ConditionBody, RuleActionBody, RuleBody, RuleScopeBody};
pub use rule_put::{ApprovalRuleInput, ConditionInput, ResponseInput, RulePut, RuleScopeInput};

pub use traffic::{Switch, TrafficIntelligenceBody, TrafficIntelligencePut};
