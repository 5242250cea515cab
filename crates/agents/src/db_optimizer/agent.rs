//! `db_optimizer` as an agent type: its settings, needs and judgement, and its answers to anomalies and
//! predictive rules.

use reeve_audit::Obstacle;
use reeve_databases::DatabaseReading;
use reeve_estate::ResourceKind;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings};
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::observation::{AnswerTerms, Observation, ObservationAnswer};

use super::{judgement, replica, settings};

/// The agent type `db_optimizer`.
#[derive(Debug, Clone, Copy, Default)]
pub struct DbOptimizer;

impl AgentDefinition for DbOptimizer {
    fn info(&self) -> &AgentTypeInfo {
        documented(AgentType::DB_OPTIMIZER)
    }

    fn settings(&self) -> &[AgentSetting] {
        settings::ALL
    }

    fn needs(&self, _: &AgentSettings) -> Needs {
        Needs {
            kinds: vec![ResourceKind::Database],
            facts: vec![FactNeed::of::<DatabaseReading>()],
            ..Needs::default()
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        judgement::judged(facts)
    }

    fn answer(
        &self,
        observation: Observation<'_>,
        terms: AnswerTerms<'_>,
    ) -> Option<Result<ObservationAnswer, Obstacle>> {
        match observation {
            Observation::Shortage(shortage) => replica::relieve(shortage, terms),
            Observation::Foreseen(foreseen) => replica::respond(foreseen, terms).map(Ok),
            Observation::CostIncrease(_) => None,
        }
    }
}
