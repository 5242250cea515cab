//! `security_intelligence` as an agent type: its settings, needs and judgement.

use std::sync::Arc;

use reeve_estate::ResourceKind;
use reeve_exposure::KINDS;
use reeve_flows::InterfaceFlows;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::emergency::{Emergency, Preapproval, WakingEvent};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, SettingValue, alert};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::judgement::estate::EstateJudge;
use reeve_recommend::judgement::event::{
    AnomalyReport, CONTAINMENT, ContainmentRequest, JudgementEvent, Measure, SECURITY_THREAT,
};
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::past_calls::PastCalls;
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::Trainer;
use reeve_recommend::recommendation::{Priority, RecommendationType};

use super::break_glass::BREAK_GLASS;
use super::containment::{self, Attack};
use super::isolation;
use super::least_privilege::{LOADED_DAYS, OBSERVE, WINDOW};
use super::patches::{IMAGE_AGE, MANAGED, PATCH_REBOOT};
use super::prediction::{PREDICTED, RESOURCES, THRESHOLD};
use super::privileges::LISTS;
use super::snapshot;
use super::survey::Survey;
use super::unused::{self, REPLAYED_DAYS, UNUSED_DAYS};
use crate::listed::deviation;

/// Setting that names what is looked for among exposed resources.
pub(super) const EXPOSED: AgentSetting = AgentSetting {
    path: "identify_exposed_resources",
    description: "Outsiders whose paths become recommendations: public_access is the internet, other_accounts every account and organization that a policy or share names",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 2.0),
    choices: &["public_access", "other_accounts"],
};

/// Every setting, in the order in which the interface answers them.
const SETTINGS: &[AgentSetting] = &[
    EXPOSED,
    UNUSED_DAYS,
    BREAK_GLASS,
    PATCH_REBOOT,
    IMAGE_AGE,
    WINDOW,
    OBSERVE,
    RESOURCES,
    PREDICTED,
    THRESHOLD,
    alert::CHANNELS,
    alert::PRIORITIES,
];

/// Kind of finding: machines, keys, users and roles are quarantined for critical threats,
/// and where a playbook asks for it.
const EMERGENCIES: &[Emergency] = &[
    Emergency {
        rule: isolation::RULE,
        description: "Isolates a machine from every network, deactivates an access key, blocks a user or revokes the sessions of a role, where their credentials point to an intruder.",
        impact: Impact::High,
        wakes: &[
            WakingEvent::Observation {
                source: SECURITY_THREAT,
            },
            WakingEvent::Observation {
                source: CONTAINMENT,
            },
        ],
        preapproval: Preapproval::Configuration,
    },
    Emergency {
        rule: snapshot::RULE,
        description: "Snapshots the volumes of a machine under attack, as evidence.",
        impact: Impact::Low,
        wakes: &[WakingEvent::Observation {
            source: CONTAINMENT,
        }],
        preapproval: Preapproval::Configuration,
    },
];

/// The agent type `security_intelligence`.
#[derive(Debug, Clone, Copy, Default)]
pub struct SecurityIntelligence;

impl AgentDefinition for SecurityIntelligence {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::SECURITY_INTELLIGENCE)
    }

    fn settings(&self) -> &[AgentSetting] {
        SETTINGS
    }

    fn needs(&self, _settings: &AgentSettings) -> Needs {
        let of_privileges = LISTS.iter().map(|(kind, _)| kind);
        let mut kinds: Vec<ResourceKind> = KINDS
            .iter()
            .chain(of_privileges)
            .chain(&unused::KINDS)
            .chain(&[MANAGED])
            .filter_map(|name| ResourceKind::named(name))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        Needs {
            documents: kinds.clone(),
            kinds,
            facts: vec![
                FactNeed::of::<InterfaceFlows>().over_days(LOADED_DAYS),
                FactNeed::of::<PastCalls>().over_days(REPLAYED_DAYS),
            ],
            ..Needs::default()
        }
    }

    /// One resource shows no path, so that runs judge the estate alone.
    fn estate_judge(&self) -> Option<Box<dyn EstateJudge>> {
        Some(Box::new(Survey::default()))
    }

    fn emergencies(&self) -> &[Emergency] {
        EMERGENCIES
    }

    /// Configurations of keys, users and roles: what is blocked is read anew before.
    fn event_needs(&self, _settings: &AgentSettings) -> Needs {
        let kinds = containment::KINDS.iter();
        Needs {
            documents: kinds.filter_map(|name| ResourceKind::named(name)).collect(),
            ..Needs::default()
        }
    }

    fn judge_event(&self, event: &JudgementEvent, facts: &Facts<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        if let Some(threat) = event.fact::<AnomalyReport>() {
            judgement.take(of_threat(threat, facts));
        } else if let Some(request) = event.fact::<ContainmentRequest>() {
            judgement.take(of_request(request, facts));
        }
        judgement
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        deviation()
    }
}

fn refused(code: &'static str, words: String) -> Abstention {
    Abstention::decided(RecommendationType::SecurityGroup, code, words)
}

/// Judges an observed threat: the measure follows from what the credentials belong to.
fn of_threat(threat: &AnomalyReport, facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let resource = facts.resource;
    if threat.severity > Priority::High {
        let words = format!(
            "the threat is {}; machines and credentials are quarantined only for high and critical threats",
            threat.severity
        );
        return Err(refused("not_severe", words));
    }
    if resource.kind == ResourceKind::VirtualMachine {
        return isolated(&threat.into(), facts);
    }

    let Some(measure) = containment::measure_for(resource.kind) else {
        let words = format!("{} is no machine, key, user or role", resource.id);
        return Err(refused("no_machine", words));
    };
    containment::proposal(resource, facts.document, measure, &threat.into(), facts.now)
}

/// Judges the request of a playbook.
fn of_request(request: &ContainmentRequest, facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    if request.measure == Measure::QuarantineMachine {
        if facts.resource.kind != ResourceKind::VirtualMachine {
            let words = format!("{} is no machine", facts.resource.id);
            return Err(refused("no_machine", words));
        }
        return isolated(&request.into(), facts);
    }

    let attack = Attack::from(request);
    let resource = facts.resource;
    if request.measure == Measure::Snapshot {
        return snapshot::proposal(resource, &attack);
    }
    containment::proposal(
        resource,
        facts.document,
        request.measure,
        &attack,
        facts.now,
    )
}

fn isolated(attack: &Attack<'_>, facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let machine = facts.resource;
    if machine.specification.isolated {
        return Err(refused(
            "isolated",
            format!("{} is already isolated", machine.id),
        ));
    }
    Ok(isolation::proposal(machine, attack))
}
