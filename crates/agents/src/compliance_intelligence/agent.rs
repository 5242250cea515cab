//! `compliance_intelligence` as an agent type: its settings, needs and judgement.

use std::sync::Arc;

use reeve_controls::{
    ALLOWED_SOURCES, ControlCatalogue, FRAMEWORKS, LOG_BUCKET, LOG_GROUP, LOG_ROLE, LiveCatalogue,
    PRIORITIES, TRUSTED_ACCOUNTS,
};
use reeve_estate::{Provider, ResourceKind};
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, alert};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::agent::{AgentType, Cadence};
use reeve_recommend::judgement::{Facts, Judgement};

use super::judge;

/// Kinds whose configurations checks of other resources read: where logs go, what guards, what
/// grants.
const RELATED_DOCUMENTS: [&str; 12] = [
    "bucket",
    "flow_log",
    "iam_group",
    "iam_policy",
    "iam_role",
    "iam_user",
    "network",
    "queue",
    "security_group",
    "snapshot",
    "subnet",
    "virtual_machine",
];

/// Every setting, in the order in which the interface answers them.
const SETTINGS: &[AgentSetting] = &[
    FRAMEWORKS,
    PRIORITIES,
    LOG_BUCKET,
    LOG_GROUP,
    LOG_ROLE,
    ALLOWED_SOURCES,
    TRUSTED_ACCOUNTS,
    alert::CHANNELS,
    alert::PRIORITIES,
];

/// The agent type `compliance_intelligence`, over the catalogue in force.
#[derive(Debug, Clone)]
pub struct ComplianceIntelligence(Arc<LiveCatalogue>);

impl ComplianceIntelligence {
    /// The type over a catalogue that is exchanged when people's own checks change.
    #[must_use]
    pub const fn new(catalogue: Arc<LiveCatalogue>) -> Self {
        ComplianceIntelligence(catalogue)
    }
}

impl Default for ComplianceIntelligence {
    /// The type with the checks of Reeve alone.
    fn default() -> Self {
        let builtin = ControlCatalogue::builtin().clone();
        ComplianceIntelligence(Arc::new(LiveCatalogue::new(builtin)))
    }
}

impl AgentDefinition for ComplianceIntelligence {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::COMPLIANCE_INTELLIGENCE)
    }

    fn settings(&self) -> &[AgentSetting] {
        SETTINGS
    }

    fn needs(&self, _settings: &AgentSettings) -> Needs {
        let catalogue = self.0.current();
        let mut kinds: Vec<ResourceKind> = Provider::ALL
            .iter()
            .flat_map(|provider| catalogue.kinds_of(*provider))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();

        Needs {
            cadence: Cadence::Changes,
            looks_around: catalogue.kinds_that_look_around().iter().copied().collect(),
            documents: kinds.clone(),
            related: kinds.clone(),
            related_documents: RELATED_DOCUMENTS
                .iter()
                .filter_map(|name| ResourceKind::named(name))
                .collect(),
            kinds,
            ..Needs::default()
        }
    }

    fn revision(&self) -> String {
        self.0.current().revision().to_owned()
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        let catalogue = self.0.current();
        let frameworks = catalogue.frameworks_of(facts.settings);
        judge(facts, &catalogue, &frameworks)
    }
}
