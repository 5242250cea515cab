//! Taking up again what a crash, a restart or a silent log interrupted: nothing stays half done without anybody at it.

use std::sync::Arc;

use reeve_audit::ActionStatus as Went;

use super::execute::planned;
use super::{Caller, Engine, EngineError, story, twin};
use crate::action::{Action, ActionStatus, Purpose};
use crate::lifecycle::Status;
use crate::ports::RecommendationFilter;
use crate::recommendation::Recommendation;

impl Engine {
    /// Finishes or undoes actions that nobody carries out, and opens recommendations whose execution never began. Safe to
    /// call at any time; call it at start-up and from time to time. Returns how many actions were taken up.
    ///
    /// # Errors
    /// When the store or the log fails; what was taken up before goes on.
    pub async fn resume(self: &Arc<Self>) -> Result<usize, EngineError> {
        let _turn = self.turn.lock().await;
        let caller = Caller::system();
        let actions = self.ports.agents.action_list(None, None).await?;
        let mut taken_up = 0;
        for action in actions.iter().filter(|action| action.status.is_active()) {
            if self.active.lock().contains(&action.id) {
                continue;
            }
            match self.take_up(action.clone(), &caller).await {
                Ok(()) => taken_up += 1,
                Err(error @ (EngineError::Record(_) | EngineError::Store(_))) => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, action = %action.id.0, "an interrupted action cannot be taken up yet")
                }
            }
        }
        let filter = RecommendationFilter {
            status: vec![Status::Executing, Status::Verifying, Status::Testing],
            ..RecommendationFilter::default()
        };
        let (claimed, _) = self.ports.agents.recommendation_list(&filter).await?;
        for of in claimed {
            let at_work = actions.iter().any(|action| action.recommendation == of.id && action.status.is_active());
            let newer = self.ports.agents.action_list(Some(&of.id), None).await?;
            if !at_work && !newer.iter().any(|action| action.status.is_active()) {
                self.release(&of, newer.first(), &caller).await?;
            }
        }
        Ok(taken_up)
    }

    async fn take_up(self: &Arc<Self>, action: Action, caller: &Caller) -> Result<(), EngineError> {
        let of = self.ports.agents.recommendation_get(&action.recommendation).await?;
        let (_, act) = self.ports.clouds.actor(&action.connection).await.map_err(EngineError::Cloud)?;
        let resource = match action.purpose {
            Purpose::Apply => self.resource_of(&of).await?,
            Purpose::Test => self.ports.estate.resource_get(&action.resource).await?,
        };
        let plan = match action.purpose {
            Purpose::Apply => planned(&of)?.clone(),
            Purpose::Test => twin::plan_for(planned(&of)?, &of, &resource),
        };
        let now = self.ports.clock.now();
        let mut next = Action { version: action.version + 1, ..action };
        for step in next.steps.iter_mut().filter(|step| step.ok.is_none()) {
            step.ok = Some(false);
            step.finished_at = Some(now);
            step.detail = "interrupted; looked at again".to_owned();
        }
        if next.status == ActionStatus::Running && plan.hash != next.plan_hash {
            // Cannot come about while a plan runs; if it does, the way back is the only safe one.
            next.status = ActionStatus::RollingBack;
            next.reason = Some("the plan changed while it was interrupted".to_owned());
        }
        self.record(vec![story::action("action.resume", Went::Pending, &next, &of, caller)]).await?;
        self.ports.agents.action_update(&next).await?;
        self.spawn(act, of, plan, resource, next, caller.clone());
        Ok(())
    }

    /// A recommendation that was claimed and has no action at work: its end is the action's, or it never began.
    async fn release(&self, of: &Recommendation, action: Option<&Action>, caller: &Caller) -> Result<(), EngineError> {
        let ended = action.filter(|action| of.requested_by.is_some() && action.purpose == Purpose::Apply);
        let (status, reason) = match ended.map(|action| action.status) {
            Some(ActionStatus::Succeeded) if of.status == Status::Verifying => (Status::Succeeded, None),
            Some(ActionStatus::RolledBack) => (Status::RolledBack, ended.and_then(|action| action.reason.clone())),
            Some(ActionStatus::Failed) => (Status::Failed, ended.and_then(|action| action.reason.clone())),
            _ => (Status::Open, Some("its execution was interrupted before anything was changed".to_owned())),
        };
        let status = if of.status.may_become(status) { status } else { Status::Failed };
        self.settle_at(&of.id, "recommendation.release", status, reason.as_deref(), caller).await?;
        Ok(())
    }
}
