//! Settings of `cost_optimizer`: the thresholds and windows of requirements.

use reeve_recommend::agent::settings::{AgentSetting, SettingValue};

use crate::settings::settings;

/// Tags that machines must have, a setting without a requirement: without them costs cannot be
/// allocated.
pub(super) const REQUIRED_TAGS: AgentSetting = AgentSetting {
    path: "required_tags",
    description: "Tags that every machine must have, each with a value for machines whose volumes have none (CostCenter=4711)",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 20.0),
    choices: &[],
};

settings! {
    /// Days of samples that a judgement looks at (`analyze_utilization: 30d_historical`).
    history_days: days = "analyze_utilization.history", 30, (14.0, 90.0),
        "Days of samples that a judgement looks at";
    /// Setting `recommend_rightsizing`, `true` by default.
    rightsizing: flag = "recommend_rightsizing", true, (0.0, 0.0),
        "Whether other sizes are recommended at all";
    /// `downsize_underutilized: CPU < 20% for 14 days`.
    downsize_below_percent: percent = "downsize_underutilized.cpu_below", 20.0, (1.0, 60.0),
        "95th percentile of CPU below which a smaller size is looked for";
    downsize_days: days = "downsize_underutilized.window", 14, (7.0, 30.0),
        "Days for which CPU has to stay below it";
    /// `upgrade_throttled: CPU > 90% for 3 days`.
    upgrade_above_percent: percent = "upgrade_throttled.cpu_above", 90.0, (50.0, 100.0),
        "Mean and median CPU above which a larger size is looked for";
    upgrade_days: days = "upgrade_throttled.window", 3, (1.0, 14.0),
        "Days for which CPU has to stay above it";
    /// Setting `suggest_reserved_instances`, for consistent usage.
    commitments: flag = "suggest_reserved_instances.enabled", true, (0.0, 0.0),
        "Whether commitments are suggested for consistent usage";
    /// `identify_idle_resources: 0% utilization for 7 days`.
    idle_days: days = "identify_idle_resources.window", 7, (3.0, 30.0),
        "Days without use after which a resource is idle";
    ..REQUIRED_TAGS;
}
