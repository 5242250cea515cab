//! `ops_intelligence` as an agent type: its answers to anomalies and predictive rules.

use std::sync::Arc;

use reeve_audit::Obstacle;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::settings::Setting;
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::models::Trainer;
use reeve_recommend::observation::{Answer, AnswerTerms, Observation};

use super::dependencies::DEPENDENCY_MAPPING;
use super::{foreseen, storage};
use crate::listed::deviation;

/// The agent type `ops_intelligence`. Its runs judge nothing: anomalies and predictive rules observe.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpsIntelligence;

impl AgentDefinition for OpsIntelligence {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::OPS_INTELLIGENCE)
    }

    fn settings(&self) -> &[Setting] {
        &[DEPENDENCY_MAPPING]
    }

    fn answer(
        &self,
        observation: Observation<'_>,
        terms: AnswerTerms<'_>,
    ) -> Option<Result<Answer, Obstacle>> {
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
