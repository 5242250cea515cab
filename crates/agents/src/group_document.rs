//! Reads the configuration of an EC2 Auto Scaling group, as its interface prints it.

use serde_json::Value;

/// Returns `true` if a switch is on. XML has it as text.
pub(crate) fn is_on(switch: Option<&Value>) -> bool {
    switch.is_some_and(|set| set == true || set == "true")
}

/// Returns `true` if new members are protected from being replaced.
pub(crate) fn protects_new_members(group: &Value) -> bool {
    is_on(group.get("NewInstancesProtectedFromScaleIn"))
}
