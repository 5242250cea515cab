//! `spot_optimizer` as an agent type: its settings, needs, emergencies and judgement.

use std::sync::Arc;

use reeve_audit::events::RESOURCE_INTERRUPT_NOTICE;
use reeve_estate::ResourceKind;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::emergency::{Emergency, Preapproval, WakingEvent};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::judgement::event::JudgementEvent;
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::spot::SpotRisk;
use reeve_recommend::judgement::spot_market::SpotMarket;
use reeve_recommend::judgement::workload::Correction;
use reeve_recommend::judgement::{Facts, Fleet, Judgement};

use super::settings::{self, Thresholds};
use super::{group, machine, notice};
use crate::workload_classifier::METRICS;

/// Days of samples by which a workload class is judged.
const HISTORY_DAYS: i64 = 30;

const EMERGENCIES: &[Emergency] = &[Emergency {
    rule: notice::RULE,
    description: "Launches an on-demand successor of a spot machine that its provider takes back, and registers it in the same target groups, at the on-demand price.",
    impact: Impact::Medium,
    wakes: &[WakingEvent::Entry {
        event_type: RESOURCE_INTERRUPT_NOTICE.name,
        operation: None,
        by_reeve: true,
    }],
    preapproval: Preapproval::Standing,
}];

/// The agent type `spot_optimizer`.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpotOptimizer;

impl AgentDefinition for SpotOptimizer {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::SPOT_OPTIMIZER)
    }

    fn settings(&self) -> &[AgentSetting] {
        settings::ALL
    }

    fn needs(&self, settings: &AgentSettings) -> Needs {
        let days = Thresholds::from(settings).history_days;
        Needs {
            kinds: vec![ResourceKind::VirtualMachine, ResourceKind::ScalingGroup],
            documents: vec![ResourceKind::ScalingGroup],
            metrics: METRICS.to_vec(),
            history_days: HISTORY_DAYS,
            facts: vec![
                FactNeed::of::<Fleet>(),
                FactNeed::of::<Correction>(),
                FactNeed::of::<SpotRisk>().over_days(days),
                FactNeed::of::<Arc<SpotMarket>>(),
            ],
            ..Needs::default()
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        if facts.resource.kind == ResourceKind::ScalingGroup {
            return group::judge(facts, &Thresholds::from(facts.settings));
        }
        let mut judgement = Judgement::default();
        judgement.take(machine::judge(facts));
        judgement
    }

    fn emergencies(&self) -> &[Emergency] {
        EMERGENCIES
    }

    fn event_needs(&self, settings: &AgentSettings) -> Needs {
        let days = Thresholds::from(settings).history_days;
        Needs {
            facts: vec![
                FactNeed::of::<SpotRisk>().over_days(days),
                FactNeed::of::<Arc<SpotMarket>>(),
            ],
            ..Needs::default()
        }
    }

    fn judge_event(&self, event: &JudgementEvent, facts: &Facts<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        if let Some(entry) = event.entry() {
            judgement.take(notice::judge(entry, facts));
        }
        judgement
    }
}
