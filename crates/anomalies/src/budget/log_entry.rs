//! Audit entry of a budget's alert.

use reeve_audit::entry::NameError;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventId, Json, ResourceRef, events};

use super::port::BudgetAlert;

/// Returns the entry of an alert. It holds only members of the alert that never change, so that it
/// reads the same when it is written again.
///
/// # Errors
/// The identifier of the alert is none of an entry.
pub fn alert_entry(alert: &BudgetAlert) -> Result<Entry, NameError> {
    Ok(Entry::for_event(&events::BUDGET_ALERT)
        .with_id(EventId::derived(&alert.id)?)
        .at(alert.raised_at)
        .by(Actor::system())
        .on(ResourceRef::new("budget", alert.budget.0.clone()))
        .with_action(
            events::BUDGET_ALERT.name,
            ActionStatus::Success,
            ActionMethod::System,
        )
        .with_metadata("alert_id", alert.id.clone())
        .with_metadata("budget_name", alert.budget_name.clone())
        .with_metadata("threshold_percent", Json::from(alert.threshold.percent))
        .with_metadata("basis", alert.threshold.basis.as_str())
        .with_metadata("value", alert.value.rounded(2).to_string())
        .with_metadata("amount", alert.amount.to_string())
        .with_metadata("currency", alert.currency.clone())
        .with_metadata("period_start", alert.period_start.to_string()))
}
