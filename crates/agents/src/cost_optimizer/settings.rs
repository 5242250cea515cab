//! Settings of `cost_optimizer`: the thresholds and windows of requirements.

use reeve_recommend::{Setting, SettingValue, Settings};

/// Days of samples that a judgement looks at (`analyze_utilization: 30d_historical`).
const HISTORY: Setting = Setting {
    path: "analyze_utilization.history",
    description: "Days of samples that a judgement looks at",
    default: SettingValue::Days(30),
    range: (14.0, 90.0),
};
/// `recommend_rightsizing: true`.
const RIGHTSIZING: Setting = Setting {
    path: "recommend_rightsizing",
    description: "Whether other sizes are recommended at all",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
/// `downsize_underutilized: CPU < 20% for 14 days`.
const DOWNSIZE_BELOW: Setting = Setting {
    path: "downsize_underutilized.cpu_below",
    description: "95th percentile of CPU below which a smaller size is looked for",
    default: SettingValue::Percent(20.0),
    range: (1.0, 60.0),
};
const DOWNSIZE_WINDOW: Setting = Setting {
    path: "downsize_underutilized.window",
    description: "Days for which CPU has to stay below it",
    default: SettingValue::Days(14),
    range: (7.0, 30.0),
};
/// `upgrade_throttled: CPU > 90% for 3 days`.
const UPGRADE_ABOVE: Setting = Setting {
    path: "upgrade_throttled.cpu_above",
    description: "Mean and median CPU above which a larger size is looked for",
    default: SettingValue::Percent(90.0),
    range: (50.0, 100.0),
};
const UPGRADE_WINDOW: Setting = Setting {
    path: "upgrade_throttled.window",
    description: "Days for which CPU has to stay above it",
    default: SettingValue::Days(3),
    range: (1.0, 14.0),
};
/// `identify_idle_resources: 0% utilization for 7 days`.
const IDLE_WINDOW: Setting = Setting {
    path: "identify_idle_resources.window",
    description: "Days without use after which a resource is idle",
    default: SettingValue::Days(7),
    range: (3.0, 30.0),
};
/// `suggest_reserved_instances: consistent usage`.
const COMMITMENTS: Setting = Setting {
    path: "suggest_reserved_instances.enabled",
    description: "Whether commitments are suggested for consistent usage",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};

/// Tags that machines must have, a setting without a requirement: without them costs cannot be
/// allocated.
pub(super) const REQUIRED_TAGS: Setting = Setting {
    path: "required_tags",
    description: "Tags that every machine must have, each with a value for machines whose volumes have none (CostCenter=4711)",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 20.0),
};

/// All of them, in the order of the requirements.
pub(super) const ALL: &[Setting] = &[
    HISTORY,
    RIGHTSIZING,
    DOWNSIZE_BELOW,
    DOWNSIZE_WINDOW,
    UPGRADE_ABOVE,
    UPGRADE_WINDOW,
    COMMITMENTS,
    IDLE_WINDOW,
    REQUIRED_TAGS,
];

/// The settings of one agent, as the rules read them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Thresholds {
    pub(super) history_days: i64,
    pub(super) rightsizing: bool,
    pub(super) downsize_below_percent: f64,
    pub(super) downsize_days: i64,
    pub(super) upgrade_above_percent: f64,
    pub(super) upgrade_days: i64,
    pub(super) commitments: bool,
    pub(super) idle_days: i64,
}

impl From<&Settings> for Thresholds {
    fn from(settings: &Settings) -> Self {
        Thresholds {
            history_days: settings.days(&HISTORY),
            rightsizing: settings.flag(&RIGHTSIZING),
            downsize_below_percent: settings.percent(&DOWNSIZE_BELOW),
            downsize_days: settings.days(&DOWNSIZE_WINDOW),
            upgrade_above_percent: settings.percent(&UPGRADE_ABOVE),
            upgrade_days: settings.days(&UPGRADE_WINDOW),
            commitments: settings.flag(&COMMITMENTS),
            idle_days: settings.days(&IDLE_WINDOW),
        }
    }
}
