//! Settings that tell a team at once of what an agent finds, beside the agent's usual notifications.

use super::{AgentSetting, AgentSettings, SettingValue};
use crate::recommendation::Priority;

/// Setting that names the channels.
pub const CHANNELS: AgentSetting = AgentSetting {
    path: "alert.channels",
    description: "Channels that hear of findings of the priorities below at once, by name or kind; none leaves all to the notifications of the agent",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 20.0),
    choices: &[],
};

/// Setting that names the priorities.
pub const PRIORITIES: AgentSetting = AgentSetting {
    path: "alert.priorities",
    description: "Priorities of findings that the channels above hear of at once; none is critical and high",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 4.0),
    choices: &["critical", "high", "medium", "low"],
};

/// Returns `true` if findings of a priority are told at once.
#[must_use]
pub fn is_alerted(settings: &AgentSettings, priority: &str) -> bool {
    Priority::parse(priority).is_some_and(|priority| includes(settings, &PRIORITIES, priority))
}

/// Returns `true` if a setting of names has a priority; where it has none, for critical and high.
#[must_use]
pub fn includes(settings: &AgentSettings, setting: &AgentSetting, priority: Priority) -> bool {
    let named = settings.names(setting);
    if named.is_empty() {
        return priority <= Priority::High;
    }
    named
        .iter()
        .any(|name| name.trim().eq_ignore_ascii_case(priority.as_str()))
}
