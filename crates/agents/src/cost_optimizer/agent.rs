//! `cost_optimizer` as an agent type: its settings, needs, judgement, backtest and models.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::{Metric, ResourceKind};
use reeve_learn::calibrate::Example;
use reeve_learn::sizing::HISTORY_DAYS;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::judgement::estate::EstateJudge;
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::{Facts, Fleet, Judgement};
use reeve_recommend::models::Trainer;
use reeve_recommend::observation::{AnswerTerms, Observation, ObservationAnswer};

use super::commitment::CommitmentJudge;
use super::cost_increase;
use super::retrospect::look_back;
use super::settings::{self, Thresholds};
use super::{METRICS, MODELS, judge};
use crate::discounts::CHARGE_DAYS;
use crate::models::{Confidence, ModelDemand, ModelDeviation, Usage};

/// The agent type `cost_optimizer`.
#[derive(Debug, Clone, Copy, Default)]
pub struct CostOptimizer;

impl AgentDefinition for CostOptimizer {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::COST_OPTIMIZER)
    }

    fn settings(&self) -> &[AgentSetting] {
        settings::ALL
    }

    fn needs(&self, settings: &AgentSettings) -> Needs {
        let history_days = Thresholds::from(settings).history_days;
        // Every kind: a resource that no rule covers gets an abstention with the reason.
        Needs {
            metrics: METRICS.to_vec(),
            history_days,
            maxima: vec![Metric::CpuUtilization, Metric::MemoryUtilization],
            maxima_days: HISTORY_DAYS as i64,
            charge_days: CHARGE_DAYS,
            documents: vec![ResourceKind::ScalingGroup],
            facts: vec![FactNeed::of::<Fleet>()],
            models: MODELS.to_vec(),
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
            Observation::CostIncrease(increase) => Some(cost_increase::reduce(increase, terms)),
            Observation::Shortage(_) | Observation::Foreseen(_) => None,
        }
    }

    fn estate_judge(&self) -> Option<Box<dyn EstateJudge>> {
        Some(Box::new(CommitmentJudge::default()))
    }

    fn backtest(&self, facts: &Facts<'_>, times: &[Timestamp]) -> Vec<Example> {
        look_back(facts, self.info().agent_type, times)
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        let confidence = Confidence::new(Arc::new(*self), METRICS);
        vec![
            Arc::new(confidence),
            Arc::new(ModelDemand),
            Arc::new(ModelDeviation),
            Arc::new(Usage),
        ]
    }
}
