//! `ops_intelligence` as an agent type: its settings, needs and judgement, and its answers to anomalies
//! and predictive rules.

use std::sync::Arc;

use reeve_audit::Obstacle;
use reeve_estate::ResourceKind;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::judgement::machine_series::MachineSeries;
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::region_quota::REGION;
use reeve_recommend::judgement::region_totals::RegionTotals;
use reeve_recommend::judgement::target_health::TargetsHealth;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::Trainer;
use reeve_recommend::observation::{AnswerTerms, Observation, ObservationAnswer};
use reeve_recommend::runbook::facts::RunbookFacts;
use reeve_recommend::runbook::kinds;

use super::settings::{self, Thresholds};
use super::target::TARGET_GROUP;
use super::{CERTIFICATE, MACHINE_METRICS, METRICS, foreseen, judge, storage};
use crate::listed::deviation;

/// The agent type `ops_intelligence`.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpsIntelligence;

impl AgentDefinition for OpsIntelligence {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::OPS_INTELLIGENCE)
    }

    fn settings(&self) -> &[AgentSetting] {
        settings::ALL
    }

    fn needs(&self, settings: &AgentSettings) -> Needs {
        let described =
            |names: &'static [&'static str]| names.iter().copied().filter_map(ResourceKind::parse);
        let machine = ResourceKind::VirtualMachine;
        let measured = [machine, ResourceKind::Volume, ResourceKind::Database];
        Needs {
            kinds: with_runbooks(measured.into_iter().chain(described(&[
                CERTIFICATE,
                REGION,
                TARGET_GROUP,
            ]))),
            documents: with_runbooks(
                [machine, ResourceKind::Database]
                    .into_iter()
                    .chain(described(&[CERTIFICATE, REGION])),
            ),
            metrics: METRICS.to_vec(),
            facts: vec![
                FactNeed::of::<MachineSeries>().with_metrics(MACHINE_METRICS),
                FactNeed::of::<RegionTotals>(),
                FactNeed::of::<TargetsHealth>(),
                FactNeed::of::<RunbookFacts>(),
            ],
            history_days: Thresholds::from(settings).history_days,
            ..Needs::default()
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        judge(facts)
    }

    fn answer(
        &self,
        observation: Observation<'_>,
        terms: AnswerTerms<'_>,
    ) -> Option<Result<ObservationAnswer, Obstacle>> {
        match observation {
            Observation::Shortage(shortage) => storage::relieve(shortage, terms),
            Observation::Foreseen(foreseen) => foreseen::respond(foreseen, terms).map(Ok),
            Observation::CostIncrease(_) => None,
        }
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        deviation()
    }
}

/// Returns the kinds, and those that runbooks may be about.
fn with_runbooks(own: impl Iterator<Item = ResourceKind>) -> Vec<ResourceKind> {
    let mut all: Vec<ResourceKind> = own.collect();
    let further = kinds().iter().filter(|kind| !all.contains(kind));
    let further: Vec<ResourceKind> = further.copied().collect();
    all.extend(further);
    all
}
