//! `security_intelligence` as an agent type: its settings, needs and judgement.

use std::sync::Arc;

use reeve_estate::ResourceKind;
use reeve_exposure::KINDS;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::emergency::{Emergency, Preapproval, WakingEvent};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{Setting, SettingValue, Settings, alert};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::judgement::estate::EstateJudge;
use reeve_recommend::judgement::event::{Event, SECURITY_THREAT, SecurityThreat};
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::Trainer;
use reeve_recommend::recommendation::{Priority, RecommendationType};

use super::isolation;
use super::prediction::{PREDICTED, RESOURCES, THRESHOLD};
use super::privileges::LISTS;
use super::survey::Survey;
use crate::listed::deviation;

/// Setting that names what is looked for among exposed resources.
pub(super) const EXPOSED: Setting = Setting {
    path: "identify_exposed_resources",
    description: "Outsiders whose paths become recommendations: public_access is the internet, other_accounts every account and organization that a policy or share names",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 2.0),
    choices: &["public_access", "other_accounts"],
};

/// Every setting, in the order in which the interface answers them.
const SETTINGS: &[Setting] = &[
    EXPOSED,
    RESOURCES,
    PREDICTED,
    THRESHOLD,
    alert::CHANNELS,
    alert::PRIORITIES,
];

/// Kind of finding: machines are isolated for critical threats.
const EMERGENCIES: &[Emergency] = &[Emergency {
    rule: isolation::RULE,
    description: "Isolates a machine whose own credentials point to an intruder from every network.",
    impact: Impact::High,
    wakes: &[WakingEvent::Observation {
        source: SECURITY_THREAT,
    }],
    preapproval: Preapproval::Configuration,
}];

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
        let of_privileges = LISTS.iter().map(|(kind, _)| kind);
        let mut kinds: Vec<ResourceKind> = KINDS
            .iter()
            .chain(of_privileges)
            .filter_map(|name| ResourceKind::named(name))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        Needs {
            documents: kinds.clone(),
            kinds,
            ..Needs::default()
        }
    }

    /// One resource shows no path: `Survey` judges the estate.
    fn judge(&self, _facts: &Facts<'_>) -> Judgement {
        Judgement::default()
    }

    fn estate_judge(&self) -> Option<Box<dyn EstateJudge>> {
        Some(Box::new(Survey::default()))
    }

    fn emergencies(&self) -> &[Emergency] {
        EMERGENCIES
    }

    fn judge_event(&self, event: &Event, facts: &Facts<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        let Some(threat) = event.fact::<SecurityThreat>() else {
            return judgement;
        };

        let resource = facts.resource;
        let refused = |code, words: String| {
            Err(Abstention::decided(
                RecommendationType::SecurityGroup,
                code,
                words,
            ))
        };
        judgement.take(if resource.kind != ResourceKind::VirtualMachine {
            let words = format!("{} is not a machine in the inventory", resource.id);
            refused("no_machine", words)
        } else if threat.severity > Priority::High {
            let words = format!(
                "the threat is {}; machines are isolated only for high and critical threats",
                threat.severity
            );
            refused("not_severe", words)
        } else if resource.specification.isolated {
            refused("isolated", format!("{} is already isolated", resource.id))
        } else {
            Ok(isolation::proposal(resource, threat))
        });
        judgement
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        deviation()
    }
}
