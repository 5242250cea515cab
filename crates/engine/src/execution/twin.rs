//! Test First: the plan is tried on a twin, a resource of the same size outside production, which
//! is put back afterwards; where there is none, on a simulated one.

mod simulated;

use std::sync::Arc;

use reeve_estate::{
    Act, Purchase, Resource, ResourceFilter, ResourceId, ResourceKind, ResourcePages,
};
use reeve_recommend::action::{Action, Purpose};
use reeve_recommend::agent::{Agent, Mode};
use reeve_recommend::caller::Caller;
use reeve_recommend::change::{Change, Procedure};
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::judgement::assessment::non_production;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::execution::ExecutionService;
use crate::execution::request::{ActionTarget, Wish, planned};

/// Resources that are looked at at a time: a search for a twin holds the turn of all executions.
const PAGE: u64 = 500;

/// A test that has begun.
#[derive(Debug, Clone)]
pub struct TwinTrial {
    /// The recommendation while it is tested.
    pub recommendation: Recommendation,
    /// `true` if nothing real is touched: the steps run on a simulated twin.
    pub simulated: bool,
}

impl ExecutionService {
    /// Tries the plan on a twin, or on a simulated one where there is none. The recommendation is
    /// open again when the test has ended, with what came of it.
    ///
    /// # Errors
    /// All that holds an execution back but the approval.
    pub async fn test(
        self: &Arc<Self>,
        id: &RecommendationId,
        caller: &Caller,
    ) -> Result<TwinTrial, EngineError> {
        match self.test_on_resource(id, caller).await {
            Err(EngineError::NoTwin(_)) => self.simulate(id, caller).await,
            other => other,
        }
    }

    /// Tries the plan on a simulated twin: nothing real is touched, so that no guardrail and no
    /// mode holds it back but the kill switch.
    ///
    /// # Errors
    /// [`EngineError::WrongState`] for one that is not open, a conflict for advice without a plan.
    pub async fn simulate(
        self: &Arc<Self>,
        id: &RecommendationId,
        caller: &Caller,
    ) -> Result<TwinTrial, EngineError> {
        let _turn = self.records.turn.lock().await;
        let recommendation = self.testable(id).await?;
        self.simulate_in_turn(recommendation, &Wish::new(caller, None))
            .await?;
        Ok(TwinTrial {
            recommendation: self.records.agents.recommendation_get(id).await?,
            simulated: true,
        })
    }

    /// The same for one that may be tested. The caller holds the turn.
    pub(crate) async fn simulate_in_turn(
        self: &Arc<Self>,
        recommendation: Recommendation,
        wish: &Wish<'_>,
    ) -> Result<Action, EngineError> {
        let resource = self.resource_of(&recommendation).await?;
        self.begin(recommendation, resource, Purpose::Simulate, wish)
            .await
    }

    /// The simulated twin of a resource as last observed.
    pub(crate) async fn simulated(
        &self,
        real: &Resource,
        change: &Arc<dyn Change>,
    ) -> Result<(Arc<dyn Act>, Resource), EngineError> {
        let filter = ResourceFilter {
            connection: Some(real.connection.clone()),
            kind: Some(ResourceKind::Volume),
            attached_to: Some(real.id.clone()),
            ..ResourceFilter::default()
        };
        let (own, _) = self.ports.estate.resource_list(&filter).await?;

        let twin = simulated::SimulatedTwin::new(
            real,
            &own,
            Arc::clone(change),
            Arc::clone(&self.ports.catalogue),
        );
        let resource = twin.resource();

        Ok((Arc::new(twin), resource))
    }

    /// A recommendation that may be tested now.
    async fn testable(&self, id: &RecommendationId) -> Result<Recommendation, EngineError> {
        let recommendation = self.records.agents.recommendation_get(id).await?;
        planned(&recommendation)?;

        if !recommendation.status.may_become(Status::Testing) {
            let message = "only an open one can be tested".to_owned();
            return Err(EngineError::WrongState {
                from: recommendation.status,
                message,
            });
        }

        Ok(recommendation)
    }

    /// Tries the plan on a real twin.
    ///
    /// # Errors
    /// [`EngineError::NoTwin`] when there is none: a running resource of the same kind, cloud and
    /// size in the agent's scope whose environment tag says development, test or staging; all that
    /// holds an execution back but the approval.
    pub async fn test_on_resource(
        self: &Arc<Self>,
        id: &RecommendationId,
        caller: &Caller,
    ) -> Result<TwinTrial, EngineError> {
        let _turn = self.records.turn.lock().await;
        let recommendation = self.testable(id).await?;
        let agent = self.records.agent_of(&recommendation).await?;

        if let Some(agent) = agent.as_ref().filter(|agent| agent.mode == Mode::Learning) {
            return Err(EngineError::Learning {
                agent: agent.id.0.clone(),
            });
        }

        let twin = self.twin_of(&recommendation, agent.as_ref()).await?;
        let wish = Wish::new(caller, None);
        let target = ActionTarget {
            connection: &twin.connection,
            resource: &twin.id,
        };
        self.guardrails
            .permitted(&recommendation, target, &wish)
            .await?;
        self.begin(recommendation, twin, Purpose::Test, &wish)
            .await?;

        Ok(TwinTrial {
            recommendation: self.records.agents.recommendation_get(id).await?,
            simulated: false,
        })
    }

    async fn twin_of(
        &self,
        recommendation: &Recommendation,
        agent: Option<&Agent>,
    ) -> Result<Resource, EngineError> {
        let subject = &recommendation.subject;
        if !planned(recommendation)?.reversible {
            return Err(EngineError::NoTwin(
                "the plan cannot be undone, so it cannot be tested on a real resource".to_owned(),
            ));
        }

        let Some(size) = &subject.instance_type else {
            return Err(EngineError::NoTwin(
                "this resource has no size, so it has no twin".to_owned(),
            ));
        };

        let filter = ResourceFilter {
            provider: Some(subject.provider),
            kind: Some(subject.kind),
            ..ResourceFilter::default()
        };
        // A twin is in the state that the plan begins with.
        let procedure = self.procedure(recommendation)?;
        let begins = |twin: &Resource| {
            let first = on_twin(&procedure, twin)
                .tasks()
                .first()
                .and_then(|task| task.difference(twin));
            first.is_none()
        };

        let connections = self.ports.estate.connection_list().await?;
        let is_twin = |r: &Resource| {
            r.id != subject.id
                && agent.is_none_or(|agent| agent.scope.includes(r, &connections))
                && r.specification.instance_type.as_ref() == Some(size)
                && begins(r)
                && r.group.is_none()
                && r.purchase != Some(Purchase::Spot)
                && non_production(r)
                && !is_opted_out(r)
        };

        let mut pages = ResourcePages::new(filter, PAGE);
        while let Some(page) = pages.next(&*self.ports.estate).await? {
            for twin in page.into_iter().filter(is_twin) {
                if self.ports.clouds.actor(&twin.connection).await.is_ok() {
                    return Ok(twin);
                }
            }
        }

        let message = format!(
            "there is no twin to test on: no other {size} in the agent's scope in the state that the plan begins with and tagged env=dev, test or staging (or reeve:test-twin=true) on a connection that may act"
        );
        Err(EngineError::NoTwin(message))
    }
}

/// The change as it runs on the twin. Snapshots of the subject's volumes have no counterpart there
/// and are left out.
pub(crate) fn on_twin(procedure: &Procedure, twin: &Resource) -> Procedure {
    procedure.on(twin.id.as_str(), &|_| None)
}

/// The change as it runs on the simulated twin: whole, on resources that have the real ones'
/// identifiers behind a prefix.
pub(crate) fn on_simulated(procedure: &Procedure, real: &ResourceId) -> Procedure {
    procedure.on(simulated::id_of(real.as_str()).as_str(), &|further| {
        Some(simulated::id_of(further).0)
    })
}
