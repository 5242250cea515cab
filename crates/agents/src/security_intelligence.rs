//! `security_intelligence`: holds the isolation of machines that security anomalies ask for. Its
//! runs judge nothing in this release; an observed threat wakes it.

pub mod isolation;

use std::sync::Arc;

use reeve_estate::ResourceKind;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::emergency::{Emergency, Preapproval, WakingEvent};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::Settings;
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::judgement::event::{Event, SECURITY_THREAT, SecurityThreat};
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::Trainer;
use reeve_recommend::recommendation::{Priority, RecommendationType};

use crate::listed::deviation;

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

/// The agent type.
#[derive(Debug, Clone, Copy)]
pub struct SecurityIntelligence;

impl AgentDefinition for SecurityIntelligence {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::SECURITY_INTELLIGENCE)
    }

    fn needs(&self, _: &Settings) -> Needs {
        Needs::default()
    }

    fn judge(&self, _: &Facts<'_>) -> Judgement {
        Judgement::default()
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
