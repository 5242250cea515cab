//! `fire_warden`: a made-up agent type that stops machines whose building burns.

use reeve_estate::Money;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::emergency::{Emergency, Preapproval, WakingEvent};
use reeve_recommend::agent::type_table::{AgentTypeInfo, FindingSource};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::change::StopMachine;
use reeve_recommend::judgement::event::JudgementEvent;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};

const INFO: AgentTypeInfo = AgentTypeInfo {
    agent_type: AgentType::named("fire_warden"),
    description: "Stops machines whose building burns.",
    capabilities: &[],
    actions: &[],
    settings: &[],
    findings: Some(FindingSource::Runs),
};

const EMERGENCIES: &[Emergency] = &[Emergency {
    rule: "douse",
    description: "Stops a machine whose building burns.",
    impact: Impact::High,
    wakes: &[WakingEvent::Entry {
        event_type: "building.fire",
        operation: None,
        by_reeve: false,
    }],
    preapproval: Preapproval::Standing,
}];

pub(super) struct Warden;

impl AgentDefinition for Warden {
    fn info(&self) -> &AgentTypeInfo {
        &INFO
    }

    fn emergencies(&self) -> &[Emergency] {
        EMERGENCIES
    }

    fn judge_event(&self, event: &JudgementEvent, facts: &Facts<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        if event.entry().is_some() {
            judgement.proposals.push(douse(facts));
        }
        judgement
    }
}

fn douse(facts: &Facts<'_>) -> Proposal {
    let machine = facts.resource;
    let text = |text: &str| text.to_owned();
    let change = StopMachine {
        state: machine.state,
        size: machine.specification.instance_type.clone(),
        volumes: Vec::new(),
    };
    Proposal::new(
        RecommendationType::HighAvailability,
        "douse",
        format!("Stop {}", machine.name),
        subject(machine, None),
        ImpactAssessment {
            cost_percent: Some(0.0),
            cost: text("none"),
            performance_degradation_percent: None,
            performance: text("it serves nothing"),
            security: text("none"),
        },
        Explanation::new(text("Stop the machine"), Impact::High)
            .with_factors(Factors::from([(
                FactorKind::Measured,
                text("its building burns"),
            )]))
            .with_data_points(1)
            .with_cost_reduction(text("none"))
            .with_performance_impact(text("it serves nothing")),
    )
    .with_priority(Priority::Critical)
    .with_confidence(100.0, Trust::default())
    .with_impact_level(Impact::High)
    .with_savings(Money::ZERO)
    .with_monthly_cost(machine.monthly_cost)
    .with_plan(Plan::new(&change, machine.id.as_str()))
    .with_reason_codes(vec![text("fire")])
}
