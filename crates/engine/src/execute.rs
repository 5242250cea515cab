//! Asking for an execution: mode, guardrails, approval matrix, exclusive claim, and off it goes in the background.

use std::sync::Arc;

use jiff::SignedDuration;
use reeve_audit::{ActionStatus as Went, Severity};
use reeve_estate::{Act, Connection, ConnectionId, Resource, ResourceId};

use super::circumstances::Refusal;
use super::guard::BUDGET_DAYS;
use super::runner::Runner;
use super::state::optional;
use super::{Caller, Engine, EngineError, Execution, fresh_id, story, twin};
use reeve_recommend::action::{Action, ActionId, ActionStatus, Purpose};
use reeve_recommend::approval::{Approval, ApprovalId, ApprovalStatus, Signature};
use reeve_recommend::change::Procedure;
use reeve_recommend::lifecycle::Status;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};

/// An approval, pending or given, is good for this long.
const APPROVAL_DAYS: i64 = 7;

/// Who wants it, and how.
#[derive(Clone, Copy)]
pub(super) struct Wish<'a> {
    pub(super) caller: &'a Caller,
    /// In whose name it runs.
    pub(super) by: &'a str,
    pub(super) comment: Option<&'a str>,
    pub(super) run_id: Option<&'a str>,
    pub(super) automatic: bool,
    /// The permission was given beforehand, so that nobody is asked for a signature.
    pub(super) standing: bool,
}

impl<'a> Wish<'a> {
    /// A person's.
    pub(super) fn of(caller: &'a Caller, comment: Option<&'a str>) -> Self {
        Wish { caller, by: &caller.name, comment, run_id: None, automatic: false, standing: false }
    }
}

/// The resource that is to change: the recommendation's own, or a twin.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) connection: &'a ConnectionId,
    pub(super) resource: &'a ResourceId,
}

impl<'a> Target<'a> {
    /// The recommendation's own.
    pub(super) fn of(of: &'a Recommendation) -> Self {
        Target { connection: &of.subject.connection, resource: &of.subject.id }
    }
}

impl Engine {
    /// Executes a recommendation: at once where the matrix lets it, else once the signatures are there. `seen_hash` is the
    /// plan's hash that the caller saw.
    ///
    /// # Errors
    /// [`EngineError::Learning`], [`EngineError::Blocked`], [`EngineError::PlanChanged`], [`EngineError::WrongState`],
    /// conflicts. Nothing was done then.
    pub async fn execute(
        self: &Arc<Self>,
        id: &RecommendationId,
        seen_hash: Option<&str>,
        comment: Option<&str>,
        caller: &Caller,
    ) -> Result<Execution, EngineError> {
        let comment = optional("comment", comment)?;
        let _turn = self.turn.lock().await;
        let of = self.ports.agents.recommendation_get(id).await?;
        let plan = planned(&of)?;
        if let Some(seen) = seen_hash.filter(|seen| *seen != plan.hash) {
            return Err(EngineError::PlanChanged { seen: seen.to_owned(), now: plan.hash.clone() });
        }
        self.proceed(of, Wish::of(caller, comment.as_deref())).await
    }

    /// Everything between wanting and running. The caller holds the turn.
    pub(super) async fn proceed(
        self: &Arc<Self>,
        of: Recommendation,
        wish: Wish<'_>,
    ) -> Result<Execution, EngineError> {
        let plan = planned(&of)?;
        if of.status == Status::PendingApproval
            && let Some(waiting) = self.approval_with(&of, ApprovalStatus::Pending).await?
        {
            return Ok(Execution::PendingApproval(waiting));
        }
        if !of.status.may_become(Status::Executing) {
            let message = "only an open, approved or scheduled one can be executed; reopen it first".to_owned();
            return Err(EngineError::WrongState { from: of.status, message });
        }
        // Nobody is asked to sign what cannot be carried out.
        self.procedure(&of)?;
        let needed = self.permitted(&of, Target::of(&of), &wish).await?;
        if !self.is_signed(&of, &needed).await? {
            let mut approval = self.approval_for(&of, plan, &wish);
            approval.needed = needed;
            return self.ask_approval(of, approval, &wish).await.map(Execution::PendingApproval);
        }
        let resource = self.resource_of(&of).await?;
        self.begin(of, resource, Purpose::Apply, &wish).await.map(Execution::Started)
    }

    /// Asks what decides about the execution; returns the signatures that it needs. A guardrail's block is recorded and kept on
    /// the recommendation.
    pub(super) async fn permitted(
        &self,
        of: &Recommendation,
        target: Target<'_>,
        wish: &Wish<'_>,
    ) -> Result<Vec<Signature>, EngineError> {
        let refusal = match self.circumstances().await?.decide(of, target, wish) {
            Ok(needed) => return Ok(needed),
            Err(refusal) => refusal,
        };
        match &refusal {
            Refusal::Learning(_) => self.refused(of, "agent mode is learning", wish).await?,
            Refusal::Guardrail(block) => {
                let words = block.to_string();
                self.refused(of, &words, wish).await?;
                let now = self.ports.clock.now();
                let version = of.version + 1;
                let kept = Recommendation { blocked: Some(words), updated_at: now, version, ..of.clone() };
                self.ports.agents.recommendation_update(&kept).await?;
            }
            _ => {}
        }
        Err(refusal.into_error())
    }

    /// Actions as far back as the guardrails look, newest first.
    pub(super) async fn lately(&self) -> Result<Vec<Action>, EngineError> {
        let since = self.ports.clock.now().checked_sub(SignedDuration::from_hours(24 * BUDGET_DAYS)).ok();
        Ok(self.ports.agents.action_list(None, since).await?)
    }

    async fn refused(&self, of: &Recommendation, why: &str, wish: &Wish<'_>) -> Result<(), EngineError> {
        let entry = story::about(story::RECOMMENDATION, "recommendation.execute", Went::Denied, of, wish.caller)
            .with_severity(Severity::Low)
            .with_metadata("asked_by", wish.by)
            .with_metadata("reason", why);
        self.record(vec![entry]).await
    }

    /// Approvals of this exact plan in a state that are still good, newest first.
    async fn approvals_with(
        &self,
        of: &Recommendation,
        status: ApprovalStatus,
    ) -> Result<impl Iterator<Item = Approval>, EngineError> {
        let hash = of.plan.as_ref().map(|plan| plan.hash.as_str());
        let now = self.ports.clock.now();
        // Signatures that were given for an exception approve the execution that used it up and no other.
        let unused = |a: &Approval| a.exception.as_ref().is_none_or(|exception| exception.used_by.is_none());
        let good = move |a: &Approval| {
            a.status == status && Some(a.plan_hash.as_str()) == hash && a.expires_at > now && unused(a)
        };
        Ok(self.ports.agents.approval_list(Some(&of.id)).await?.into_iter().filter(good))
    }

    /// The newest of them.
    pub(super) async fn approval_with(
        &self,
        of: &Recommendation,
        status: ApprovalStatus,
    ) -> Result<Option<Approval>, EngineError> {
        Ok(self.approvals_with(of, status).await?.next())
    }

    /// Whether one that was given carries the signatures that are needed now: what was asked for earlier may have been less.
    pub(super) async fn is_signed(&self, of: &Recommendation, needed: &[Signature]) -> Result<bool, EngineError> {
        if needed.is_empty() {
            return Ok(true);
        }
        let carries = |a: Approval| needed.iter().all(|n| a.signed.iter().any(|given| given.signature == *n));
        Ok(self.approvals_with(of, ApprovalStatus::Approved).await?.any(carries))
    }

    /// A request for the exact plan, without its signatures yet.
    pub(super) fn approval_for(&self, of: &Recommendation, plan: &Plan, wish: &Wish<'_>) -> Approval {
        let now = self.ports.clock.now();
        Approval {
            id: ApprovalId(fresh_id()),
            recommendation: of.id.clone(),
            plan_hash: plan.hash.clone(),
            impact: of.impact_level,
            needed: Vec::new(),
            signed: Vec::new(),
            delegated: Vec::new(),
            reminded_at: None,
            requested_by: wish.by.to_owned(),
            requested_at: now,
            expires_at: now + SignedDuration::from_hours(24 * APPROVAL_DAYS),
            status: ApprovalStatus::Pending,
            reason: wish.comment.map(str::to_owned),
            exception: None,
            version: 1,
        }
    }

    /// Puts a request into the store and the recommendation into waiting.
    pub(super) async fn ask_approval(
        &self,
        of: Recommendation,
        approval: Approval,
        wish: &Wish<'_>,
    ) -> Result<Approval, EngineError> {
        let mut waiting = self.next(&of, Status::PendingApproval)?;
        waiting.requested_by = Some(wish.by.to_owned());
        waiting.blocked = None;
        let asked = story::approval("approval.request", Went::Pending, &approval, &of, wish.caller);
        self.record(vec![asked, story::moved("recommendation.execute", &of, &waiting, wish.caller)]).await?;
        self.ports.agents.recommendation_update(&waiting).await?;
        self.ports.agents.approval_insert(&approval).await?;
        Ok(approval)
    }

    /// Claims the recommendation and runs its plan in the background.
    pub(super) async fn begin(
        self: &Arc<Self>,
        of: Recommendation,
        resource: Resource,
        purpose: Purpose,
        wish: &Wish<'_>,
    ) -> Result<Action, EngineError> {
        let procedure = self.procedure_for(&of, purpose, &resource)?;
        let (act, resource) = match purpose {
            Purpose::Simulate => self.simulated(&resource, procedure.change()).await?,
            Purpose::Apply | Purpose::Test => (self.actor(&resource).await?, resource),
        };
        let action = self.action_for(&of, procedure.plan(), &resource, purpose, wish);
        let claim = if purpose == Purpose::Apply { Status::Executing } else { Status::Testing };
        let mut claimed = self.next(&of, claim)?;
        claimed.requested_by = Some(wish.by.to_owned());
        claimed.blocked = None;
        claimed.status_reason = None;
        let used = if purpose == Purpose::Apply { claimed.exception.take() } else { None };
        let mut entry = story::action("action.start", Went::Pending, &action, &of, wish.caller);
        if let Some(exception) = &used {
            entry = story::with_exception(entry, exception);
        }
        if let Some(comment) = wish.comment {
            entry = entry.with_metadata("comment", comment);
        }
        self.record(vec![entry, story::moved("recommendation.execute", &of, &claimed, wish.caller)]).await?;
        if let Err(error) = self.ports.agents.recommendation_update(&claimed).await {
            let lost = Action { status: ActionStatus::Aborted, reason: Some(error.to_string()), ..action };
            self.record(vec![story::action("action.abort", Went::Failed, &lost, &of, wish.caller)]).await?;
            return Err(error.into());
        }
        self.ports.agents.action_insert(&action).await?;
        if let Some(exception) = &used {
            self.exception_used(&exception.approval, &action.id).await?;
        }
        self.spawn(act, claimed, procedure, resource, action.clone(), wish.caller.request_id.clone());
        Ok(action)
    }

    /// The acting side of a resource's connection, when the connection lets Reeve act.
    pub(super) async fn actor(&self, resource: &Resource) -> Result<Arc<dyn Act>, EngineError> {
        let observe_only = |connection: &Connection| {
            let message = format!("connection {} is set to observe only; allow actions on it first", connection.name);
            Err(EngineError::Conflict(message))
        };
        let connection = self.ports.estate.connection_get(&resource.connection).await?;
        if !connection.allow_actions {
            return observe_only(&connection);
        }
        let (connection, act) = self.ports.clouds.actor(&resource.connection).await.map_err(EngineError::Cloud)?;
        if connection.allow_actions { Ok(act) } else { observe_only(&connection) }
    }

    /// The plan of a recommendation, read into its typed change.
    ///
    /// # Errors
    /// A conflict for advice without a plan, and for a plan that this release cannot carry out.
    pub(super) fn procedure(&self, of: &Recommendation) -> Result<Procedure, EngineError> {
        let read = self.ports.changes.procedure(planned(of)?);
        read.map_err(|error| EngineError::Conflict(error.to_string()))
    }

    /// The same as it runs for a purpose, on the recommendation's own resource or on its twin.
    pub(super) fn procedure_for(
        &self,
        of: &Recommendation,
        purpose: Purpose,
        on: &Resource,
    ) -> Result<Procedure, EngineError> {
        let procedure = self.procedure(of)?;
        Ok(match purpose {
            Purpose::Apply => procedure,
            Purpose::Test => twin::on_twin(&procedure, on),
            Purpose::Simulate => twin::on_simulated(&procedure, &of.subject.id),
        })
    }

    fn action_for(
        &self,
        of: &Recommendation,
        plan: &Plan,
        resource: &Resource,
        purpose: Purpose,
        wish: &Wish<'_>,
    ) -> Action {
        Action {
            id: ActionId(fresh_id()),
            recommendation: of.id.clone(),
            agent_id: of.agent_id.clone(),
            connection: resource.connection.clone(),
            resource: resource.id.clone(),
            purpose,
            run_id: wish.run_id.map(str::to_owned),
            plan_hash: plan.hash.clone(),
            by: wish.by.to_owned(),
            status: ActionStatus::Running,
            steps: Vec::new(),
            steps_total: plan.steps.len() as u32,
            before: Vec::new(),
            prior: None,
            started_at: self.ports.clock.now(),
            finished_at: None,
            reason: None,
            undone_by: None,
            watch: None,
            version: 1,
        }
    }

    /// Carries an action out, or on, in a task of its own.
    pub(super) fn spawn(
        self: &Arc<Self>,
        act: Arc<dyn Act>,
        of: Recommendation,
        procedure: Procedure,
        resource: Resource,
        action: Action,
        request_id: Option<String>,
    ) {
        let caller = Caller::acting(action.agent_id.as_ref(), request_id);
        let at_work = AtWork::new(self, &action.id);
        let runner = Runner::new(Arc::clone(self), act, of, procedure, resource, action, caller);
        tokio::spawn(async move {
            runner.run().await;
            drop(at_work);
        });
    }
}

/// The plan, or the reason why there is none to run.
pub(super) fn planned(of: &Recommendation) -> Result<&Plan, EngineError> {
    of.plan.as_ref().ok_or_else(|| {
        EngineError::Conflict("this is advice: Reeve has no plan for it and leaves it to a person".to_owned())
    })
}

/// Marks an action as carried out by this process for as long as it lives, even when the task panics.
struct AtWork {
    engine: Arc<Engine>,
    id: ActionId,
}

impl AtWork {
    fn new(engine: &Arc<Engine>, id: &ActionId) -> Self {
        engine.active.lock().insert(id.clone());
        engine.tasks.send_modify(|running| *running += 1);
        AtWork { engine: Arc::clone(engine), id: id.clone() }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.engine.active.lock().remove(&self.id);
        self.engine.tasks.send_modify(|running| *running = running.saturating_sub(1));
    }
}
