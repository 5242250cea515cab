//! Entries that tell the log of firings, and of rules that met a bound.

use reeve_audit::entry::NameError;
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventId, Json, ResourceRef, events};

use crate::evaluator::{Degradation, FIRE};
use crate::firing::Firing;

/// Returns the entry of a firing. It holds only members of the firing that never change, so that it
/// reads the same when it is written again.
///
/// # Errors
/// The identifier of the firing is none of an entry.
pub fn firing_entry(firing: &Firing) -> Result<Entry, NameError> {
    let values = firing.group.values();
    let group = firing
        .group_by
        .iter()
        .zip(values)
        .map(|(name, value)| (name.clone(), value.map_or(Json::Null, Json::from)));

    Ok(Entry::new(FIRE)
        .with_id(EventId::derived(&firing.id.0)?)
        .at(firing.detected_at)
        .by(Actor::system())
        .with_severity(firing.severity)
        .on(ResourceRef::new("alert_rule", firing.rule.0.clone()))
        .with_action("alert.fire", ActionStatus::Success, ActionMethod::System)
        .with_metadata("firing_id", firing.id.0.clone())
        .with_metadata("rule_name", firing.rule_name.clone())
        .with_metadata("group", Json::object(group))
        .with_metadata("span_start", reeve_audit::format_instant(firing.from))
        .with_metadata("span_end", reeve_audit::format_instant(firing.until))
        .with_metadata("sequence", firing.sequence)
        .with_metadata("silenced", firing.silenced))
}

/// Returns the entry of a rule that met a bound. It reads the same when it is written again.
///
/// # Errors
/// The identifier of the rule makes none of an entry.
pub fn degraded_entry(degraded: &Degradation) -> Result<Entry, NameError> {
    let Degradation {
        rule,
        revision,
        rule_name,
        by,
        since,
        ..
    } = degraded;

    let id = format!("degraded-{}-{revision}-{}", rule.0, since.as_millisecond());
    Ok(Entry::for_event(&events::ALERT_DEGRADE)
        .with_id(EventId::new(id)?)
        .at(*since)
        .by(Actor::system())
        .on(ResourceRef::new("alert_rule", rule.0.clone()))
        .with_action("alert.degrade", ActionStatus::Success, ActionMethod::System)
        .with_metadata("rule_name", rule_name.clone())
        .with_metadata("bound", by.as_str()))
}
