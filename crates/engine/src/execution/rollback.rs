//! Rollback: automatic when a change did not stick or took too long, or on request of a person.
//!
//! What to undo is read off the resource, not off the steps: whatever was done or half done, the
//! walk back ends when the resource is what it was before. That makes it safe to begin again after
//! a restart.

use std::sync::Arc;

use jiff::SignedDuration;
use reeve_audit::ActionStatus as LogStatus;
use reeve_audit::Obstacle;
use reeve_estate::ResourceState;
use reeve_recommend::action::{Action, ActionId, ActionStatus, Purpose};
use reeve_recommend::caller::Caller;
use reeve_recommend::change::{Reversal, Task, Work};
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::Recommendation;

use crate::execution::ExecutionService;
use crate::execution::runner::{Done, ExecutionHalt, ExecutionRunner};
use crate::log_entry;
use crate::records::optional;

/// Failures in a row after which it is given up.
const FAULTS: u32 = 5;

impl ExecutionService {
    /// Undoes an action that has ended, or ends one that only waits. It runs in the background.
    ///
    /// # Errors
    /// A conflict when it cannot be undone, changes something at the moment, or is not the newest of
    /// its resource.
    pub async fn rollback(
        self: &Arc<Self>,
        id: &ActionId,
        caller: &Caller,
    ) -> Result<Action, EngineError> {
        self.rollback_for(id, None, caller).await
    }

    /// As [`ExecutionService::rollback`], with the reason that a user gave.
    ///
    /// # Errors
    /// Also [`EngineError::Invalid`] for a reason of more than 2,000 characters.
    pub async fn rollback_for(
        self: &Arc<Self>,
        id: &ActionId,
        reason: Option<&str>,
        caller: &Caller,
    ) -> Result<Action, EngineError> {
        let reason = match optional("reason", reason)? {
            Some(reason) => format!("asked for by {}: {reason}", caller.name),
            None => format!("asked for by {}", caller.name),
        };
        self.rollback_because(id, reason, caller).await
    }

    /// The same, for a reason in full.
    pub(crate) async fn rollback_because(
        self: &Arc<Self>,
        id: &ActionId,
        reason: String,
        caller: &Caller,
    ) -> Result<Action, EngineError> {
        let turn = self.records.turn.lock().await;
        let action = self.records.agents.action_get(id).await?;
        let recommendation = self
            .records
            .agents
            .recommendation_get(&action.recommendation)
            .await?;
        self.may_undo(&action, &recommendation).await?;
        if action.waits() {
            self.ask_to_end(&action, &recommendation, reason, caller)
                .await?;
            // The task of the action takes turns as well.
            drop(turn);
            return self.ended_early(id).await;
        }
        let resource = self.resource_of(&recommendation).await?;
        let procedure = self.procedure(&recommendation)?;
        let act = self.actor(&resource).await?;
        let undoing = Action {
            status: ActionStatus::RollingBack,
            finished_at: None,
            // Undoing what had failed is repair; undoing what had succeeded is a person's own
            // decision.
            undone_by: (caller.is_person() && action.status == ActionStatus::Succeeded)
                .then(|| caller.name.clone()),
            reason: Some(reason),
            version: action.version + 1,
            ..action.clone()
        };

        let entry = log_entry::action(
            "action.rollback",
            LogStatus::Pending,
            &undoing,
            &recommendation,
            caller,
        );
        self.records.record(vec![entry]).await?;

        if let Err(error) = self.records.agents.action_update(&undoing).await {
            let stays = Action {
                reason: Some(error.to_string()),
                ..action
            };
            let entry = log_entry::action(
                "action.rollback",
                LogStatus::Failed,
                &stays,
                &recommendation,
                caller,
            );
            self.records.record(vec![entry]).await?;
            return Err(error.into());
        }

        self.spawn(
            act,
            recommendation,
            procedure,
            resource,
            undoing.clone(),
            caller.request_id.clone(),
        );

        Ok(undoing)
    }

    async fn may_undo(
        &self,
        action: &Action,
        recommendation: &Recommendation,
    ) -> Result<(), EngineError> {
        let refuse = |message: String| Err(EngineError::Conflict(message));
        let has_ended = matches!(
            action.status,
            ActionStatus::Succeeded | ActionStatus::Failed
        );
        if !(has_ended || action.waits()) || action.purpose != Purpose::Apply {
            return refuse(format!(
                "the action is {}; only one that succeeded or failed can be undone, and a running one ended while it holds or observes",
                action.status
            ));
        }

        if !recommendation
            .plan
            .as_ref()
            .is_some_and(|plan| plan.reversible && plan.hash == action.plan_hash)
            || action.before.is_empty()
        {
            return refuse("the plan cannot be undone: none of its steps is reversible".to_owned());
        }

        let all = self
            .records
            .agents
            .action_on(&action.resource, action.started_at)
            .await?;

        let newer = all.iter().find(|other| {
            let later = other.id != action.id && other.started_at >= action.started_at;
            later && other.resource == action.resource && other.status != ActionStatus::Aborted
        });
        match newer {
            Some(other) => refuse(format!(
                "action {} changed the resource since; undo that one first",
                other.id.0
            )),
            None => Ok(()),
        }
    }
}

impl ExecutionRunner {
    /// Turns back, by itself.
    pub(crate) async fn undo(&mut self, reason: String) -> Result<(), ExecutionHalt> {
        let limits = self
            .execution
            .records
            .agents
            .guardrails_get()
            .await
            .map_err(|e| ExecutionHalt::Suspend(e.to_string()))?;

        if !limits.rollback_automatic && self.action.purpose == Purpose::Apply {
            return self
                .fail(format!(
                    "{reason}; automatic rollback is off, so it is left as it is"
                ))
                .await;
        }

        if let Reversal::Impossible(why) = self.procedure.change().reversal() {
            return self.left(reason, why).await;
        }

        let mut undoing = self.action.clone();
        undoing.status = ActionStatus::RollingBack;
        undoing.reason = Some(reason);
        self.tell(log_entry::action(
            "action.rollback",
            LogStatus::Pending,
            &undoing,
            &self.recommendation,
            &self.caller,
        ))
        .await?;

        self.action = undoing;
        self.keep().await?;
        self.restore().await
    }

    /// A change that no cloud takes back stays. A simulated twin is forgotten as it is.
    async fn left(&mut self, reason: String, why: &str) -> Result<(), ExecutionHalt> {
        if self.action.purpose == Purpose::Apply {
            return self
                .fail(format!(
                    "{reason}; {why}, so it is left {}",
                    self.in_words()
                ))
                .await;
        }

        self.action.reason = Some(reason);
        self.undone().await
    }

    /// Walks the resource back to what it was.
    pub(crate) async fn restore(&mut self) -> Result<(), ExecutionHalt> {
        let until = self.execution.records.clock.now()
            + SignedDuration::from_secs(self.procedure.change().rollback_limit_s());
        let mut faults = 0;
        let mut last = Obstacle::from("");

        loop {
            if faults >= FAULTS || self.execution.records.clock.now() >= until {
                let why = self.action.reason.clone().unwrap_or_default();
                return self
                    .fail(format!(
                        "{why}; the rollback failed too: {last}; the resource is {}",
                        self.in_words()
                    ))
                    .await;
            }
            let seen = match self.look(until).await {
                Ok(seen) => seen,
                Err(why) => {
                    (faults, last) = (faults + 1, why);
                    self.rest(15).await;
                    continue;
                }
            };
            // A group that never gets its members is on its way for ever: it is the one that goes
            // back while it moves.
            let moving = seen.state == ResourceState::Changing;
            let waits = moving && !self.procedure.change().undoes_while_changing();
            let undo = self
                .procedure
                .change()
                .undo(&self.prior(), &seen.resource)
                .filter(|_| !waits);
            let Some(task) = undo else {
                if !moving {
                    break;
                }
                self.rest(5).await;
                continue;
            };
            let Work::Change(goal) = &task.work else {
                break;
            };
            self.begin_step(self.action.steps.len() as u32, &task, true)
                .await?;
            let found = self.change(goal, until).await;
            if let Err(why) = &found {
                (faults, last) = (faults + 1, why.clone());
            }
            let failed = found.is_err();
            self.end_step(found).await?;
            if failed {
                self.rest(15 << faults.min(4)).await;
            }
        }

        let after = self.state_of_resource();
        let description = format!("Check that {} is what it was", self.resource.id);
        let check = Task::verify(self.resource.id.as_str(), description, Vec::new());
        self.begin_step(self.action.steps.len() as u32, &check, true)
            .await?;
        self.end_step(Ok(Done {
            detail: "it is what it was".to_owned(),
            after,
            ..Done::default()
        }))
        .await?;

        self.undone().await
    }

    fn in_words(&self) -> String {
        let fields = self.state_of_resource();
        fields
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect::<Vec<_>>()
            .join(", ")
    }
}
