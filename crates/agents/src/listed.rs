//! Agent types without a judgement of their own in this release: their findings come from anomalies
//! and predictive rules, or they cannot be configured yet. A row leaves this file when its type
//! gets a folder.

use std::sync::Arc;

use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::type_table::{AgentTypeInfo, documented};
use reeve_recommend::models::Trainer;

use crate::models::Deviation;

/// A type that is described, and whose runs judge nothing.
struct Listed {
    agent_type: AgentType,
    trainers: fn() -> Vec<Arc<dyn Trainer>>,
}

impl AgentDefinition for Listed {
    fn info(&self) -> &AgentTypeInfo {
        documented(self.agent_type)
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        (self.trainers)()
    }
}

/// The row of such a type, with the models that it learns.
pub(crate) fn row(
    agent_type: AgentType,
    trainers: fn() -> Vec<Arc<dyn Trainer>>,
) -> Arc<dyn AgentDefinition> {
    Arc::new(Listed {
        agent_type,
        trainers,
    })
}

/// Trainers of the model of the usual range of the metrics of a scope.
pub(crate) fn deviation() -> Vec<Arc<dyn Trainer>> {
    vec![Arc::new(Deviation)]
}
