//! Test First: the plan is tried on a twin, a resource of the same size outside production, which is put back afterwards.

use std::sync::Arc;

use reeve_audit::FieldError;
use reeve_estate::{Purchase, Resource, ResourceFilter};

use super::execute::{Target, Wish, planned};
use super::{Caller, Engine, EngineError, run};
use crate::action::Purpose;
use crate::agent::{Agent, Mode};
use crate::cost::{left_alone, non_production};
use crate::lifecycle::Status;
use crate::plan::{Plan, Step};
use crate::recommendation::{Recommendation, RecommendationId};

impl Engine {
    /// Tries the plan on a twin. The recommendation is open again when the test has ended, with what came of it.
    ///
    /// # Errors
    /// A conflict when there is no twin: a running resource of the same kind, cloud and size in the agent's scope whose
    /// environment tag says development, test or staging; all that holds an execution back but the approval.
    pub async fn test(self: &Arc<Self>, id: &RecommendationId, caller: &Caller) -> Result<Recommendation, EngineError> {
        let _turn = self.turn.lock().await;
        let of = self.ports.agents.recommendation_get(id).await?;
        planned(&of)?;
        if !of.status.may_become(Status::Testing) {
            let message = "only an open one can be tested".to_owned();
            return Err(EngineError::WrongState { from: of.status, message });
        }
        let agent = self.agent_of(&of).await?;
        if agent.mode == Mode::Learning {
            return Err(EngineError::Learning { agent: agent.id.0 });
        }
        let twin = self.twin_of(&of, &agent).await?;
        let wish = Wish::of(caller, None);
        let target = Target { connection: &twin.connection, resource: &twin.id };
        self.guarded(&of, &agent, target, &wish).await?;
        self.begin(of, twin, Purpose::Test, &wish).await?;
        Ok(self.ports.agents.recommendation_get(id).await?)
    }

    async fn twin_of(&self, of: &Recommendation, agent: &Agent) -> Result<Resource, EngineError> {
        let subject = &of.subject;
        let Some(size) = &subject.instance_type else {
            let error = FieldError::new("id", "invalid_value", "this resource has no size, so nothing is its twin");
            return Err(EngineError::Invalid(vec![error]));
        };
        let filter =
            ResourceFilter { provider: Some(subject.provider), kind: Some(subject.kind), ..ResourceFilter::default() };
        let (listed, _) = self.ports.estate.resource_list(&filter).await?;
        let state = planned(of)?.steps.first().and_then(|step| step.expect.iter().find(|(name, _)| name == "state"));
        let state = state.map(|(_, value)| value.as_str());
        let connections = self.ports.estate.connection_list().await?;
        let is_twin = |r: &Resource| {
            r.id != subject.id
                && run::in_scope(&agent.scope, r, &connections)
                && r.specification.instance_type.as_ref() == Some(size)
                && Some(r.state.as_str()) == state
                && r.group.is_none()
                && r.purchase != Some(Purchase::Spot)
                && non_production(r)
                && !left_alone(r)
        };
        for twin in listed.into_iter().filter(is_twin) {
            if self.ports.clouds.actor(&twin.connection).await.is_ok() {
                return Ok(twin);
            }
        }
        let message = format!(
            "there is no twin to test on: no other {size} in the agent's scope that is {} and tagged env=dev, test or staging (or reeve:test-twin=true) on a connection that may act",
            state.unwrap_or("running")
        );
        Err(EngineError::Conflict(message))
    }
}

/// The plan as it runs on the twin. Snapshots of the subject's volumes have no counterpart there and are left out.
pub(super) fn plan_for(plan: &Plan, of: &Recommendation, twin: &Resource) -> Plan {
    let subject = of.subject.id.as_str();
    let own = |step: &&Step| step.resource == subject;
    let steps = plan
        .steps
        .iter()
        .filter(own)
        .map(|step| Step {
            resource: twin.id.0.clone(),
            description: step.description.replace(subject, twin.id.as_str()),
            ..step.clone()
        })
        .collect();
    Plan::new(steps, plan.reversible, plan.restart_needed)
}
