//! `db_optimizer` as an agent type: its answers to anomalies and predictive rules.

use reeve_audit::Obstacle;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::observation::{Answer, AnswerTerms, Observation};

use super::replica;

/// The agent type `db_optimizer`. Its runs judge nothing: anomalies and predictive rules observe.
#[derive(Debug, Clone, Copy, Default)]
pub struct DbOptimizer;

impl AgentDefinition for DbOptimizer {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::DB_OPTIMIZER)
    }

    fn answer(
        &self,
        observation: Observation<'_>,
        terms: AnswerTerms<'_>,
    ) -> Option<Result<Answer, Obstacle>> {
        match observation {
            Observation::Shortage(shortage) => replica::relieve(shortage, terms),
            Observation::Foreseen(foreseen) => replica::respond(foreseen, terms).map(Ok),
            Observation::CostIncrease(_) => None,
        }
    }
}
