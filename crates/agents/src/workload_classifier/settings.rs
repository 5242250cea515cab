//! Settings of `workload_classifier`.

use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, SettingValue};
use reeve_recommend::judgement::workload::WorkloadClass;

const fn switch(path: &'static str, description: &'static str) -> AgentSetting {
    AgentSetting {
        path,
        description,
        default: SettingValue::Flag(true),
        range: (0.0, 0.0),
        choices: &[],
    }
}

const PATTERNS: AgentSetting = switch(
    "pattern_recognition.enabled",
    "Whether the shape of the metrics takes part in the classification",
);
const HISTORY: AgentSetting = AgentSetting {
    path: "pattern_recognition.history",
    description: "Days of samples that a judgement looks at",
    default: SettingValue::Days(30),
    range: (14.0, 90.0),
    choices: &[],
};
const CATEGORIES: AgentSetting = switch(
    "resource_categorization.enabled",
    "Whether resources are classified; otherwise only the classes that people gave count",
);
const LEAST_CONFIDENCE: AgentSetting = AgentSetting {
    path: "resource_categorization.least_confidence",
    description: "Probability below which a resource stays unclassified",
    default: SettingValue::Percent(70.0),
    range: (50.0, 99.0),
    choices: &[],
};
const OPPORTUNITIES: AgentSetting = switch(
    "optimization_opportunities.enabled",
    "Whether anything is recommended from the classes",
);
const PRACTICES: AgentSetting = switch(
    "apply_best_practices.enabled",
    "Whether changes are proposed that Reeve can make and undo",
);
const SCHEDULE_TAG: AgentSetting = AgentSetting {
    path: "apply_best_practices.schedule_tag",
    description: "Tag by which a scheduler of yours stops machines outside working hours, such as Schedule=office-hours",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 1.0),
    choices: &[],
};
const ARCHITECTURES: AgentSetting = switch(
    "recommend_architectures.enabled",
    "Whether architectures are recommended that people have to build",
);
const NIGHT_CPU: AgentSetting = AgentSetting {
    path: "apply_best_practices.night_cpu_below",
    description: "CPU outside working hours up to which a development machine is not needed then",
    default: SettingValue::Percent(10.0),
    range: (1.0, 30.0),
    choices: &[],
};
const PRODUCTION: AgentSetting = switch(
    "classifications.production.high_availability",
    "Whether production is checked for a second zone and a second member",
);
const DEVELOPMENT: AgentSetting = switch(
    "classifications.development.cost_optimized",
    "Whether development machines are checked for running at nights and on weekends",
);
const BATCH: AgentSetting = switch(
    "classifications.batch.interruptible",
    "Whether batch machines are checked for on-demand capacity",
);
const ANALYTICS: AgentSetting = switch(
    "classifications.analytics.burst_capable",
    "Whether analytics machines are checked for a size that is paid for around the clock",
);

/// All settings of the agent type.
pub(super) const ALL: &[AgentSetting] = &[
    PATTERNS,
    HISTORY,
    CATEGORIES,
    LEAST_CONFIDENCE,
    OPPORTUNITIES,
    PRACTICES,
    SCHEDULE_TAG,
    NIGHT_CPU,
    ARCHITECTURES,
    PRODUCTION,
    DEVELOPMENT,
    BATCH,
    ANALYTICS,
];

/// The settings of one agent, as the rules read them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WorkloadThresholds {
    pub(super) patterns: bool,
    pub(super) history_days: i64,
    pub(super) categories: bool,
    /// Least confidence of a class, 0 to 1.
    pub(super) least_confidence: f64,
    pub(super) opportunities: bool,
    pub(super) practices: bool,
    /// Key and value of the tag; `None` if no tag is set.
    pub(super) schedule_tag: Option<(String, String)>,
    pub(super) night_cpu_percent: f64,
    pub(super) architectures: bool,
    checks: [bool; 4],
}

impl From<&AgentSettings> for WorkloadThresholds {
    fn from(settings: &AgentSettings) -> Self {
        let schedule_tag = settings.names(&SCHEDULE_TAG).into_iter().next();
        let schedule_tag = schedule_tag.map(|tag| match tag.split_once('=') {
            Some((key, value)) => (key.trim().to_owned(), value.trim().to_owned()),
            None => ("Schedule".to_owned(), tag),
        });
        WorkloadThresholds {
            patterns: settings.flag(&PATTERNS),
            history_days: settings.days(&HISTORY),
            categories: settings.flag(&CATEGORIES),
            least_confidence: settings.percent(&LEAST_CONFIDENCE) / 100.0,
            opportunities: settings.flag(&OPPORTUNITIES),
            practices: settings.flag(&PRACTICES),
            schedule_tag,
            night_cpu_percent: settings.percent(&NIGHT_CPU),
            architectures: settings.flag(&ARCHITECTURES),
            checks: [&PRODUCTION, &DEVELOPMENT, &BATCH, &ANALYTICS]
                .map(|setting| settings.flag(setting)),
        }
    }
}

impl WorkloadThresholds {
    /// Returns `true` if resources of a class are checked.
    pub(super) fn checks(&self, class: WorkloadClass) -> bool {
        self.checks[class as usize]
    }
}
