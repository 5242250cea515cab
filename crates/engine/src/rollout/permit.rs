//! The decision whether an agent may still begin a member of its rollout: the one that single
//! changes are asked for, anew for each member. An operator who unticks `auto_apply` in an
//! incident, raises the threshold or lowers the highest impact stops the next wave by it. A rollout
//! that a person began asks the guardrails and the signatures alone.

use reeve_recommend::agent::Agent;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::automatic::policy::{Auto, AutomaticCandidate, decide};
use crate::rollout::RolloutService;

/// An agent's permission as it is configured now.
pub(super) struct Permit {
    agent: Agent,
    matrix: ApprovalMatrix,
    days_observed: u32,
}

impl Permit {
    /// Returns the reason for which the agent may not change a member by itself, in words.
    pub(super) fn refusal(&self, recommendation: &Recommendation) -> Option<String> {
        // A signed one is waiting to be changed, as an open one is.
        let asked = Recommendation {
            status: Status::Open,
            ..recommendation.clone()
        };
        match decide(
            &self.matrix,
            &self.agent,
            &AutomaticCandidate::from(&asked),
            self.days_observed,
        ) {
            Auto::Leave(reason) => Some(self.words(reason, recommendation)),
            Auto::Apply | Auto::AskApproval => None,
        }
    }

    fn words(&self, reason: &str, recommendation: &Recommendation) -> String {
        let agent = &self.agent;
        match reason {
            "auto_apply_disabled" => format!("automatic changes of agent {} are off", agent.name),
            "low_confidence" => format!(
                "its confidence of {:.1} % is below the threshold of {:.1} %",
                recommendation.confidence, agent.confidence_threshold
            ),
            "above_max_impact" => format!(
                "its impact is {}, and agent {} changes nothing above {} automatically",
                recommendation.impact_level, agent.name, agent.auto_apply.max_impact
            ),
            "learning_period" => {
                format!("the learning period of agent {} has not ended", agent.name)
            }
            "needs_approval" => format!(
                "agent {} leaves what needs a signature to people",
                agent.name
            ),
            other => format!(
                "agent {} leaves it to people: {}",
                agent.name,
                other.replace('_', " ")
            ),
        }
    }
}

impl RolloutService {
    /// The permission of an agent.
    pub(super) async fn permit(&self, agent: Agent) -> Result<Permit, EngineError> {
        // A run that failed has not looked at the samples; the period had ended when the rollout
        // began.
        let looked = agent.last_run.as_ref().filter(|run| run.error.is_none());
        let days_observed = looked.map_or(agent.learning_period_days, |run| run.days_observed);
        Ok(Permit {
            matrix: self.records.approval_matrix().await?,
            days_observed,
            agent,
        })
    }
}
