//! Predictive rules, predictions and calendars on the wire.

mod calendar;
mod prediction;
mod rule;
mod rule_put;
mod traffic;

use serde::{Deserialize, Deserializer};

pub use calendar::{CalendarBody, CalendarPut, OccurrenceBody, OccurrenceParams};
pub use prediction::{ForecastStepBody, PredictionBody, PredictionFindingBody, PredictionParams};
pub use rule::{ApprovalRuleBody, ConditionBody, RuleActionBody, RuleBody, RuleScopeBody};
pub use rule_put::{ApprovalRuleInput, ConditionInput, ResponseInput, RulePut, RuleScopeInput};

/// A field that is given is known to be, `null` included.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(reader: D) -> Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}
pub use traffic::{Switch, TrafficIntelligenceBody, TrafficIntelligencePut};
