//! `compliance_intelligence` as an agent type: its settings, needs and judgement.

use reeve_controls::{
    ALLOWED_SOURCES, Catalogue, FRAMEWORKS, LOG_BUCKET, LOG_GROUP, LOG_ROLE, PRIORITIES,
    TRUSTED_ACCOUNTS, chosen_frameworks,
};
use reeve_estate::{Provider, ResourceKind};
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{Setting, Settings, alert};
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
const SETTINGS: &[Setting] = &[
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

/// The agent type `compliance_intelligence`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ComplianceIntelligence;

impl AgentDefinition for ComplianceIntelligence {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::COMPLIANCE_INTELLIGENCE)
    }

    fn settings(&self) -> &[Setting] {
        SETTINGS
    }

    fn needs(&self, _settings: &Settings) -> Needs {
        let catalogue = Catalogue::builtin();
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

    fn revision(&self) -> &str {
        Catalogue::builtin().revision()
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        let frameworks = chosen_frameworks(facts.settings);
        judge(facts, Catalogue::builtin(), &frameworks)
    }
}
