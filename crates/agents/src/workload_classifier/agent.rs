//! `workload_classifier` as an agent type: its settings, needs, judgement, backtest and models.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_learn::calibrate::Example;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::workload::{CLASSIFIED_KINDS, Correction};
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::{ModelState as _, Trainer, WorkloadModel};

use super::retrospect::held;
use super::settings::{self, WorkloadThresholds};
use super::{METRICS, judge};
use crate::discounts::CHARGE_DAYS;
use crate::models::{Confidence, Workloads};
use crate::retrospect::look_back;

/// The agent type `workload_classifier`.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorkloadClassifier;

impl AgentDefinition for WorkloadClassifier {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::WORKLOAD_CLASSIFIER)
    }

    fn settings(&self) -> &[AgentSetting] {
        settings::ALL
    }

    fn needs(&self, settings: &AgentSettings) -> Needs {
        Needs {
            kinds: CLASSIFIED_KINDS.to_vec(),
            metrics: METRICS.to_vec(),
            history_days: WorkloadThresholds::from(settings).history_days,
            charge_days: CHARGE_DAYS,
            facts: vec![FactNeed::of::<Correction>()],
            models: vec![WorkloadModel::NAME],
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
        vec![
            Arc::new(Confidence::new(Arc::new(*self), METRICS)),
            Arc::new(Workloads),
        ]
    }
}
