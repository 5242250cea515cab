//! `security_intelligence` as an agent type: its settings, needs and judgement.

use std::sync::Arc;

use reeve_estate::ResourceKind;
use reeve_exposure::KINDS;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{Setting, SettingValue, Settings, alert};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::judgement::estate::EstateJudge;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::Trainer;

use super::survey::Survey;
use crate::models::Deviation;

/// Setting that names what is looked for among exposed resources.
pub(super) const EXPOSED: Setting = Setting {
    path: "identify_exposed_resources",
    description: "Outsiders whose paths become recommendations: public_access is the internet, other_accounts every account and organization that a policy or share names",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 2.0),
    choices: &["public_access", "other_accounts"],
};

/// Every setting, in the order in which the interface answers them.
const SETTINGS: &[Setting] = &[EXPOSED, alert::CHANNELS, alert::PRIORITIES];

/// The agent type `security_intelligence`.
#[derive(Debug, Clone, Copy, Default)]
pub struct SecurityIntelligence;

impl AgentDefinition for SecurityIntelligence {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::SECURITY_INTELLIGENCE)
    }

    fn settings(&self) -> &[Setting] {
        SETTINGS
    }

    fn needs(&self, _settings: &Settings) -> Needs {
        let kinds: Vec<ResourceKind> = KINDS
            .iter()
            .filter_map(|name| ResourceKind::named(name))
            .collect();
        Needs {
            documents: kinds.clone(),
            kinds,
            ..Needs::default()
        }
    }

    /// One resource shows no path: [`Survey`] judges the estate.
    fn judge(&self, _facts: &Facts<'_>) -> Judgement {
        Judgement::default()
    }

    fn estate_judge(&self) -> Option<Box<dyn EstateJudge>> {
        Some(Box::new(Survey::default()))
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        vec![Arc::new(Deviation)]
    }
}
