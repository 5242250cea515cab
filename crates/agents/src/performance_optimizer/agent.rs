//! `performance_optimizer` as an agent type: its settings, needs and judgement, and its answers to
//! anomalies and predictive rules.

use std::sync::Arc;

use reeve_audit::Obstacle;
use reeve_estate::{Metric, ResourceKind};
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::judgement::caches_beside::CachesBeside;
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::service_load::ServiceLoad;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::Trainer;
use reeve_recommend::objective::MeasuredObjectives;
use reeve_recommend::observation::{AnswerTerms, Observation, ObservationAnswer};

use super::settings::{self, Thresholds};
use super::{foreseen, judge, shortage};
use crate::listed::deviation;

/// Metrics of the judged resource.
const METRICS: &[Metric] = &[
    Metric::CpuUtilization,
    Metric::DiskReadOps,
    Metric::DiskWriteOps,
    Metric::RequestRate,
    Metric::ResponseTime,
    Metric::ErrorRate,
    Metric::QueueDepth,
    Metric::UserExperienceScore,
    Metric::CacheHitRate,
    Metric::CacheEvictions,
];
/// Metrics of the caches beside a database.
const CACHES: &[Metric] = &[Metric::CacheHitRate, Metric::RequestRate];
/// Metrics of the balancers and machines around it.
const AROUND: &[Metric] = &[
    Metric::CpuUtilization,
    Metric::RequestRate,
    Metric::ResponseTime,
    Metric::ActiveSessions,
];

/// The agent type `performance_optimizer`.
#[derive(Debug, Clone, Copy, Default)]
pub struct PerformanceOptimizer;

impl AgentDefinition for PerformanceOptimizer {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::PERFORMANCE_OPTIMIZER)
    }

    fn settings(&self) -> &[AgentSetting] {
        settings::ALL
    }

    fn needs(&self, settings: &AgentSettings) -> Needs {
        let thresholds = Thresholds::from(settings);
        let mut kinds = vec![
            ResourceKind::ScalingGroup,
            ResourceKind::LoadBalancer,
            ResourceKind::Database,
            ResourceKind::Queue,
            ResourceKind::CacheNode,
            ResourceKind::Distribution,
        ];
        // Machines are many: their series are asked for where the agent has an objective of them.
        if thresholds.user_experience > 0.0 {
            kinds.push(ResourceKind::VirtualMachine);
        }
        Needs {
            kinds,
            metrics: METRICS.to_vec(),
            facts: vec![
                FactNeed::of::<ServiceLoad>().with_metrics(AROUND),
                FactNeed::of::<MeasuredObjectives>(),
                FactNeed::of::<CachesBeside>().with_metrics(CACHES),
            ],
            documents: vec![ResourceKind::ScalingGroup],
            history_days: thresholds.history_days.max(thresholds.window_days),
            ..Needs::default()
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        judge::judge(facts)
    }

    fn answer(
        &self,
        observation: Observation<'_>,
        terms: AnswerTerms<'_>,
    ) -> Option<Result<ObservationAnswer, Obstacle>> {
        match observation {
            Observation::Shortage(shortage) => shortage::relieve(shortage, terms),
            Observation::Foreseen(foreseen) => foreseen::respond(foreseen, terms).map(Ok),
            Observation::CostIncrease(_) => None,
        }
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        deviation()
    }
}
