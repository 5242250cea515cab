//! Settings of what an agent checks and recommends, with their meaning where nobody set them.

use std::collections::{BTreeMap, BTreeSet};

use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, SettingValue, alert};
use reeve_recommend::recommendation::Priority;
use serde_json::Value;

use crate::catalogue::ControlCatalogue;

/// Frameworks of requirement A-086, by their names in the catalogue.
const DOCUMENTED: [&str; 4] = ["soc2", "iso27001", "hipaa", "pci_dss"];

/// Setting that names the frameworks whose controls are checked.
pub const FRAMEWORKS: AgentSetting = AgentSetting {
    path: "frameworks",
    description: "Frameworks whose controls are checked; none is SOC 2, ISO 27001, HIPAA and PCI DSS",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 20.0),
    choices: &[
        "cis_aws",
        "fedramp_moderate",
        "gdpr",
        "hipaa",
        "iso27001",
        "pci_dss",
        "soc2",
    ],
};

/// Setting that names the severities whose failures become recommendations.
pub const PRIORITIES: AgentSetting = AgentSetting {
    path: "remediation_suggestions.priorities",
    description: "Severities of failed checks that become recommendations; none is critical and high. All failures are shown on the page Compliance",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 4.0),
    choices: &["critical", "high", "medium", "low"],
};

/// Setting that names the bucket into which remediations send logs.
pub const LOG_BUCKET: AgentSetting = AgentSetting {
    path: "remediation_suggestions.log_bucket",
    description: "Bucket that takes the logs which remediations turn on; without one, failures of this kind have no plan",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 1.0),
    choices: &[],
};

/// Setting that names the log group into which remediations send flow logs.
pub const LOG_GROUP: AgentSetting = AgentSetting {
    path: "remediation_suggestions.log_group",
    description: "Log group of CloudWatch that takes flow logs where no bucket is named",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 1.0),
    choices: &[],
};

/// Setting that names the role with which flow logs are written into the log group.
pub const LOG_ROLE: AgentSetting = AgentSetting {
    path: "remediation_suggestions.log_role",
    description: "ARN of the role that writes flow logs into the log group",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 1.0),
    choices: &[],
};

/// Setting that names who stays let in where a rule of a security group lets everyone in.
pub const ALLOWED_SOURCES: AgentSetting = AgentSetting {
    path: "remediation_suggestions.allowed_sources",
    description: "Ranges of addresses, security groups (sg-) and prefix lists (pl-) that take the place of everyone in open rules; without one, open rules are removed",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 20.0),
    choices: &[],
};

/// Setting that names the accounts with which snapshots and images may be shared.
pub const TRUSTED_ACCOUNTS: AgentSetting = AgentSetting {
    path: "remediation_suggestions.trusted_accounts",
    description: "Numbers of accounts with which snapshots and images stay shared; others are removed",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 100.0),
    choices: &[],
};

/// Settings that give values to changes, and the names of the values.
const GIVEN: [(&str, &AgentSetting); 3] = [
    ("bucket", &LOG_BUCKET),
    ("log_group", &LOG_GROUP),
    ("log_role", &LOG_ROLE),
];

/// Returns the values of changes that an agent's settings give, by name.
#[must_use]
pub fn given_values(settings: &AgentSettings) -> BTreeMap<String, Value> {
    let texts = GIVEN.iter().filter_map(|(name, setting)| {
        let text = settings.names(setting).into_iter().next()?;
        Some(((*name).to_owned(), Value::from(text)))
    });
    let lists = [
        ("sources", &ALLOWED_SOURCES),
        ("accounts", &TRUSTED_ACCOUNTS),
    ];
    let lists =
        lists.map(|(name, setting)| (name.to_owned(), Value::from(settings.names(setting))));
    texts.chain(lists).collect()
}

/// Returns `true` if failures of a severity become recommendations of an agent.
#[must_use]
pub fn is_recommended(settings: &AgentSettings, severity: Priority) -> bool {
    alert::includes(settings, &PRIORITIES, severity)
}

impl ControlCatalogue {
    /// Returns the frameworks of an agent, by name: those that its settings choose, and people's own,
    /// which are placed in their folder to be checked.
    #[must_use]
    pub fn frameworks_of(&self, settings: &AgentSettings) -> BTreeSet<String> {
        let mut chosen = chosen_frameworks(settings);
        let own = self.frameworks().map(|framework| &framework.id);
        chosen.extend(own.filter(|id| self.is_own_framework(id)).cloned());
        chosen
    }
}

fn chosen_frameworks(settings: &AgentSettings) -> BTreeSet<String> {
    let named = settings.names(&FRAMEWORKS);
    if named.is_empty() {
        return DOCUMENTED.map(str::to_owned).into();
    }
    named
        .iter()
        .map(|name| name.trim().to_lowercase())
        .collect()
}
