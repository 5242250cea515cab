//! The setting of the dependency map.

use reeve_recommend::agent::settings::{AgentSetting, SettingValue};

/// Setting that lets probable causes of anomalies be sought on the dependency map.
pub(super) const DEPENDENCY_MAPPING: AgentSetting = AgentSetting {
    path: "dependency_mapping",
    description: "Whether the probable cause of an anomaly is sought among the resources that its resource depends on; otherwise changes and times of the resource itself are compared alone",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
    choices: &[],
};
