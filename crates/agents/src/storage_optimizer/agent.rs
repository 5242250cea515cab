//! `storage_optimizer` as an agent type: its settings, needs, judgement, backtest and models.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_estate::ResourceKind;
use reeve_learn::calibrate::Example;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::judgement::machine_series::MachineSeries;
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::Trainer;

use super::retrospect::held;
use super::settings::{self, Thresholds};
use super::{MACHINE_METRICS, METRICS, judge};
use crate::discounts::CHARGE_DAYS;
use crate::models::Confidence;
use crate::retrospect::look_back;

/// Kinds that a judgement of a snapshot relates.
const RELATED: &[ResourceKind] = &[
    ResourceKind::Volume,
    ResourceKind::Snapshot,
    ResourceKind::Image,
    ResourceKind::LaunchTemplate,
];

/// The agent type `storage_optimizer`.
#[derive(Debug, Clone, Copy, Default)]
pub struct StorageOptimizer;

impl AgentDefinition for StorageOptimizer {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::STORAGE_OPTIMIZER)
    }

    fn settings(&self) -> &[AgentSetting] {
        settings::ALL
    }

    fn needs(&self, settings: &AgentSettings) -> Needs {
        let history_days = Thresholds::from(settings).history_days;
        Needs {
            kinds: vec![
                ResourceKind::Volume,
                ResourceKind::Snapshot,
                ResourceKind::Bucket,
            ],
            related: RELATED.to_vec(),
            documents: vec![ResourceKind::Snapshot, ResourceKind::Bucket],
            metrics: METRICS.to_vec(),
            facts: vec![FactNeed::of::<MachineSeries>().with_metrics(MACHINE_METRICS)],
            history_days,
            charge_days: CHARGE_DAYS,
            ..Needs::default()
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        judge(facts)
    }

    fn backtest(&self, facts: &Facts<'_>, times: &[Timestamp]) -> Vec<Example> {
        look_back(facts, self.info().agent_type, times, judge, held)
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        vec![Arc::new(Confidence::new(Arc::new(*self), METRICS))]
    }
}
