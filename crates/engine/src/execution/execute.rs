//! Asking for an execution: mode, guardrails, approval matrix, exclusive claim, and off it goes in
//! the background.

use std::sync::Arc;

use reeve_audit::ActionStatus as LogStatus;
use reeve_estate::{Act, Connection, Resource, ResourceFilter};
use reeve_recommend::action::{Action, ActionId, ActionStatus, Purpose};
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::change::Procedure;
use reeve_recommend::error::EngineError;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

use crate::execution::request::{ActionTarget, Wish, planned};
use crate::execution::runner::ExecutionRunner;
use crate::execution::{Execution, ExecutionService, twin};
use crate::log_entry;
use crate::records::{fresh_id, optional};

/// Reason of the status while a plan is simulated: the answer to a request for a test says that no
/// real resource is tested.
const SIMULATING: &str = "it is simulated: there is no resource to test it on, or a simulation was asked for; nothing real is touched";

impl ExecutionService {
    /// Executes a recommendation: at once where the matrix lets it, else once the signatures are
    /// there. `seen_hash` is the plan's hash that the caller saw.
    ///
    /// # Errors
    /// [`EngineError::Learning`], [`EngineError::Blocked`], [`EngineError::PlanChanged`],
    /// [`EngineError::WrongState`], conflicts. Nothing was done then.
    pub async fn execute(
        self: &Arc<Self>,
        id: &RecommendationId,
        seen_hash: Option<&str>,
        comment: Option<&str>,
        caller: &Caller,
    ) -> Result<Execution, EngineError> {
        let comment = optional("comment", comment)?;
        let _turn = self.records.turn.lock().await;
        let recommendation = self.records.agents.recommendation_get(id).await?;
        let plan = planned(&recommendation)?;

        if let Some(seen) = seen_hash.filter(|seen| *seen != plan.hash) {
            return Err(EngineError::PlanChanged {
                seen: seen.to_owned(),
                now: plan.hash.clone(),
            });
        }

        self.proceed(recommendation, Wish::new(caller, comment.as_deref()))
            .await
    }

    /// Everything between wanting and running. The caller holds the turn.
    pub(crate) async fn proceed(
        self: &Arc<Self>,
        recommendation: Recommendation,
        wish: Wish<'_>,
    ) -> Result<Execution, EngineError> {
        let plan = planned(&recommendation)?;
        if recommendation.status == Status::PendingApproval
            && let Some(waiting) = self
                .approvals
                .approval_with(&recommendation, ApprovalStatus::Pending)
                .await?
        {
            return Ok(Execution::PendingApproval(waiting));
        }

        if !recommendation.status.may_become(Status::Executing) {
            let message =
                "only an open, approved or scheduled one can be executed; reopen it first"
                    .to_owned();
            return Err(EngineError::WrongState {
                from: recommendation.status,
                message,
            });
        }

        // Nobody is asked to sign what cannot be carried out.
        self.procedure(&recommendation)?;
        let needed = self
            .guardrails
            .permitted(
                &recommendation,
                ActionTarget::from_recommendation(&recommendation),
                &wish,
            )
            .await?;

        if !self.approvals.is_signed(&recommendation, &needed).await? {
            let mut approval = self.approvals.approval_for(&recommendation, plan, &wish);
            approval.needed = needed;
            return self
                .approvals
                .ask_approval(recommendation, approval, &wish)
                .await
                .map(Execution::PendingApproval);
        }

        let resource = self.resource_of(&recommendation).await?;
        self.begin(recommendation, resource, Purpose::Apply, &wish)
            .await
            .map(Execution::Started)
    }

    /// Claims the recommendation and runs its plan in the background.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        recommendation: Recommendation,
        resource: Resource,
        purpose: Purpose,
        wish: &Wish<'_>,
    ) -> Result<Action, EngineError> {
        let procedure = self.procedure_for(&recommendation, purpose, &resource)?;
        let (act, resource) = match purpose {
            Purpose::Simulate => self.simulated(&resource, procedure.change()).await?,
            Purpose::Apply | Purpose::Test => (self.actor(&resource).await?, resource),
        };
        let action = self.action_for(&recommendation, procedure.plan(), &resource, purpose, wish);
        let claim = if purpose == Purpose::Apply {
            Status::Executing
        } else {
            Status::Testing
        };
        let mut claimed = self.records.next(&recommendation, claim)?;
        claimed.requested_by = Some(wish.by.to_owned());

        claimed.blocked = None;
        claimed.status_reason = (purpose == Purpose::Simulate).then(|| SIMULATING.to_owned());
        let used = if purpose == Purpose::Apply {
            claimed.exception.take()
        } else {
            None
        };

        let mut entry = log_entry::action(
            "action.start",
            LogStatus::Pending,
            &action,
            &recommendation,
            wish.caller,
        );

        if let Some(exception) = &used {
            entry = log_entry::with_exception(entry, exception);
        }
        if let Some(comment) = wish.comment {
            entry = entry.with_metadata("comment", comment);
        }

        self.records
            .record(vec![
                entry,
                log_entry::moved(
                    "recommendation.execute",
                    &recommendation,
                    &claimed,
                    wish.caller,
                ),
            ])
            .await?;

        if let Err(error) = self.records.agents.recommendation_update(&claimed).await {
            let lost = Action {
                status: ActionStatus::Aborted,
                reason: Some(error.to_string()),
                ..action
            };
            self.records
                .record(vec![log_entry::action(
                    "action.abort",
                    LogStatus::Failed,
                    &lost,
                    &recommendation,
                    wish.caller,
                )])
                .await?;
            return Err(error.into());
        }

        self.records.agents.action_insert(&action).await?;
        if let Some(exception) = &used {
            self.approvals
                .exception_used(&exception.approval, &action.id)
                .await?;
        }

        self.spawn(
            act,
            claimed,
            procedure,
            resource,
            action.clone(),
            wish.caller.request_id.clone(),
        );

        Ok(action)
    }

    /// The acting side of a resource's connection, when the connection lets Reeve act.
    pub(crate) async fn actor(&self, resource: &Resource) -> Result<Arc<dyn Act>, EngineError> {
        let observe_only = |connection: &Connection| {
            let message = format!(
                "connection {} is observe only; allow changes on it first",
                connection.name
            );
            Err(EngineError::Conflict(message))
        };

        let connection = self
            .ports
            .estate
            .connection_get(&resource.connection)
            .await?;

        if !connection.allow_actions {
            return observe_only(&connection);
        }

        let (connection, act) = self
            .ports
            .clouds
            .actor(&resource.connection)
            .await
            .map_err(|obstacle| EngineError::Cloud(obstacle.into()))?;

        if connection.allow_actions {
            Ok(act)
        } else {
            observe_only(&connection)
        }
    }

    /// The plan of a recommendation, read into its typed change.
    ///
    /// # Errors
    /// A conflict for advice without a plan, and for a plan that this release cannot execute.
    pub(crate) fn procedure(
        &self,
        recommendation: &Recommendation,
    ) -> Result<Procedure, EngineError> {
        let read = self.ports.changes.procedure(planned(recommendation)?);
        read.map_err(|error| EngineError::Conflict(error.to_string()))
    }

    /// The same as it runs for a purpose, on the recommendation's own resource or on its twin.
    pub(crate) fn procedure_for(
        &self,
        recommendation: &Recommendation,
        purpose: Purpose,
        on: &Resource,
    ) -> Result<Procedure, EngineError> {
        let procedure = self.procedure(recommendation)?;
        Ok(match purpose {
            Purpose::Apply => procedure,
            Purpose::Test => twin::on_twin(&procedure, on),
            Purpose::Simulate => twin::on_simulated(&procedure, &recommendation.subject.id),
        })
    }

    fn action_for(
        &self,
        recommendation: &Recommendation,
        plan: &Plan,
        resource: &Resource,
        purpose: Purpose,
        wish: &Wish<'_>,
    ) -> Action {
        Action {
            id: ActionId(fresh_id()),
            recommendation: recommendation.id.clone(),
            agent_id: recommendation.agent_id.clone(),
            connection: resource.connection.clone(),
            resource: resource.id.clone(),
            purpose,
            run_id: wish.run_id.map(str::to_owned),
            emergency: wish.emergency.cloned().map(Box::new),
            plan_hash: plan.hash.clone(),
            by: wish.by.to_owned(),
            status: ActionStatus::Running,
            steps: Vec::new(),
            steps_total: plan.steps.len() as u32,
            before: Vec::new(),
            prior: None,
            started_at: self.records.clock.now(),
            finished_at: None,
            reason: None,
            undone_by: None,
            watch: None,
            version: 1,
        }
    }

    /// Carries an action out, or on, in a task of its own.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        act: Arc<dyn Act>,
        recommendation: Recommendation,
        procedure: Procedure,
        resource: Resource,
        action: Action,
        request_id: Option<String>,
    ) {
        let caller = Caller::acting(action.agent_id.as_ref(), request_id);
        let at_work = AtWork::new(self, &action.id);
        let runner = ExecutionRunner::new(
            Arc::clone(self),
            act,
            recommendation,
            procedure,
            resource,
            action,
            caller,
        );

        tokio::spawn(async move {
            runner.run().await;
            drop(at_work);
        });
    }
}

/// Marks an action as executed by this process for as long as it lives, even when the task panics.
struct AtWork {
    execution: Arc<ExecutionService>,
    id: ActionId,
}

impl AtWork {
    fn new(execution: &Arc<ExecutionService>, id: &ActionId) -> Self {
        execution.active.lock().insert(id.clone());
        execution.tasks.send_modify(|running| *running += 1);
        AtWork {
            execution: Arc::clone(execution),
            id: id.clone(),
        }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.execution.active.lock().remove(&self.id);
        self.execution.endings.lock().remove(&self.id);
        self.execution
            .tasks
            .send_modify(|running| *running = running.saturating_sub(1));
    }
}

impl ExecutionService {
    /// The resource of a recommendation as last observed.
    pub(crate) async fn resource_of(
        &self,
        recommendation: &Recommendation,
    ) -> Result<Resource, EngineError> {
        let found = self
            .ports
            .estate
            .resource_get(&recommendation.subject.id)
            .await?;

        if found.connection == recommendation.subject.connection {
            return Ok(found);
        }

        let filter = ResourceFilter {
            connection: Some(recommendation.subject.connection.clone()),
            ids: vec![recommendation.subject.id.clone()],
            ..ResourceFilter::default()
        };
        let (listed, _) = self.ports.estate.resource_list(&filter).await?;
        let own = listed
            .into_iter()
            .find(|resource| resource.id == recommendation.subject.id);

        own.ok_or_else(|| EngineError::NotFound {
            what: "resource",
            id: recommendation.subject.id.0.clone(),
        })
    }
}
