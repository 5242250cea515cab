//! Audit entry of a budget that burns too fast.

use jiff::Timestamp;
use reeve_audit::entry::NameError;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventId, Json, ResourceRef, events};

use super::Objective;
use super::budget::ObjectiveBudget;

/// Returns the entry of a budget that burns too fast since a time. It has the same identifier
/// whenever it is written again.
///
/// # Errors
/// The identifier of the objective is none of an entry.
pub fn burn_entry(
    objective: &Objective,
    budget: &ObjectiveBudget,
    since: Timestamp,
) -> Result<Entry, NameError> {
    let id = format!("{}-burn-{}", objective.id.0, since.as_millisecond());
    let rounded = |value: f64| Json::from(format!("{value:.2}"));
    Ok(Entry::for_event(&events::OBJECTIVE_BURN)
        .with_id(EventId::derived(&id)?)
        .at(since)
        .by(Actor::system())
        .on(ResourceRef::new("objective", objective.id.0.clone()))
        .with_action(
            events::OBJECTIVE_BURN.name,
            ActionStatus::Success,
            ActionMethod::System,
        )
        .with_metadata("objective_name", objective.name.clone())
        .with_metadata("metric", objective.metric.as_str())
        .with_metadata("target", objective.target_words())
        .with_metadata("budget_left_percent", rounded(budget.left * 100.0))
        .with_metadata("burn_hour", rounded(budget.burn.hour))
        .with_metadata("burn_six_hours", rounded(budget.burn.six_hours)))
}
