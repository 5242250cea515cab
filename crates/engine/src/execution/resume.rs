//! Taking up again what a crash, a restart or a silent log interrupted: nothing stays half done
//! without anybody at it.

use std::sync::Arc;

use jiff::SignedDuration;
use reeve_audit::{ActionStatus as LogStatus, Entry, Severity};
use reeve_estate::{Resource, StoreError};
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::execution::ExecutionService;
use crate::log_entry;

/// An interrupted action that cannot be resumed for this long needs a person.
const ABANDONED: SignedDuration = SignedDuration::from_hours(1);

impl ExecutionService {
    /// Finishes or undoes actions that nobody executes, and opens recommendations whose execution
    /// never began. Safe to call at any time; call it at start-up and from time to time. Returns
    /// how many actions were resumed.
    ///
    /// # Errors
    /// The store or the log failed; actions resumed before continue.
    pub async fn resume(self: &Arc<Self>) -> Result<usize, EngineError> {
        Ok(self.take_up_all().await?.0)
    }

    /// The same; returns also the actions that somebody still has to look after, as they were
    /// before.
    pub(crate) async fn take_up_all(self: &Arc<Self>) -> Result<(usize, Vec<Action>), EngineError> {
        let _turn = self.records.turn.lock().await;
        let caller = Caller::system();
        let recent = self.records.clock.now() - SignedDuration::from_hours(48);
        let actions = self.records.agents.action_unsettled(recent).await?;
        let mut taken_up = 0;

        for action in actions.iter().filter(|action| action.status.is_active()) {
            if self.active.lock().contains(&action.id) {
                continue;
            }
            match self.take_up(action.clone(), &caller).await {
                Ok(()) => taken_up += 1,
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, action = %action.id.0, "an interrupted action cannot be resumed yet");
                    self.give_up_in_time(action, &error.to_string(), &caller)
                        .await?;
                }
            }
        }

        let filter = RecommendationFilter {
            status: vec![Status::Executing, Status::Verifying, Status::Testing],
            ..RecommendationFilter::default()
        };
        let (claimed, _) = self.records.agents.recommendation_list(&filter).await?;

        for recommendation in claimed {
            let at_work = actions.iter().any(|action| {
                action.recommendation == recommendation.id && action.status.is_active()
            });
            let newer = self
                .records
                .agents
                .action_list(Some(&recommendation.id), None)
                .await?;
            if !at_work && !newer.iter().any(|action| action.status.is_active()) {
                self.release(&recommendation, newer.first(), &caller)
                    .await?;
            }
        }

        self.follow_undone(&actions, &caller).await?;
        Ok((taken_up, actions))
    }

    async fn take_up(self: &Arc<Self>, action: Action, caller: &Caller) -> Result<(), EngineError> {
        let recommendation = self
            .records
            .agents
            .recommendation_get(&action.recommendation)
            .await?;

        let (act, resource) = match action.purpose {
            Purpose::Simulate => {
                let real = self.resource_of(&recommendation).await?;
                let procedure = self.procedure_for(&recommendation, action.purpose, &real)?;
                self.simulated(&real, procedure.change()).await?
            }
            purpose => {
                let (_, act) = self
                    .ports
                    .clouds
                    .actor(&action.connection)
                    .await
                    .map_err(|obstacle| EngineError::Cloud(obstacle.into()))?;
                let own = purpose == Purpose::Apply;
                let resource = if own {
                    self.resource_of(&recommendation).await?
                } else {
                    self.ports.estate.resource_get(&action.resource).await?
                };
                (act, resource)
            }
        };

        let procedure = self.procedure_for(&recommendation, action.purpose, &resource)?;
        let mut next = Action {
            version: action.version + 1,
            ..action
        };
        let mut entries = Vec::new();

        if next.purpose == Purpose::Simulate {
            // The twin went with the process that simulated it; a new one begins at the beginning.
            next = Action {
                status: ActionStatus::Running,
                steps: Vec::new(),
                before: Vec::new(),
                prior: None,
                ..next
            };
        } else {
            entries = self.close_steps(
                &mut next,
                "interrupted; looked at again",
                &resource,
                &recommendation,
            );
        }

        if next.status == ActionStatus::Running && procedure.plan().hash != next.plan_hash {
            // Cannot come about while a plan runs; if it does, the way back is the only safe one.
            next.status = ActionStatus::RollingBack;
            next.reason = Some("the plan changed while it was interrupted".to_owned());
        }

        entries.push(log_entry::action(
            "action.resume",
            LogStatus::Pending,
            &next,
            &recommendation,
            caller,
        ));

        self.records.record(entries).await?;
        self.records.agents.action_update(&next).await?;
        self.spawn(act, recommendation, procedure, resource, next, None);

        Ok(())
    }

    /// Closes the steps that were interrupted, in the action and for the log.
    fn close_steps(
        &self,
        action: &mut Action,
        why: &str,
        resource: &Resource,
        recommendation: &Recommendation,
    ) -> Vec<Entry> {
        let acting = Caller::acting(action.agent_id.as_ref(), None);
        let mut entries = Vec::new();

        for at in 0..action.steps.len() {
            let Some(step) = action.steps.get_mut(at).filter(|step| step.ok.is_none()) else {
                continue;
            };
            step.ok = Some(false);
            step.finished_at = Some(self.records.clock.now());
            step.detail = why.to_owned();
            let step = step.clone();
            entries.push(log_entry::step(
                &step,
                LogStatus::Failed,
                resource,
                action,
                recommendation,
                &acting,
            ));
        }

        entries
    }

    /// An interrupted action that no process can resume for long counts as failed, so that a person
    /// looks at it.
    async fn give_up_in_time(
        &self,
        action: &Action,
        why: &str,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let now = self.records.clock.now();
        let last = action.steps.last().map_or(action.started_at, |step| {
            step.finished_at.unwrap_or(step.started_at)
        });
        if now.duration_since(last) < ABANDONED {
            return Ok(());
        }

        let recommendation = self
            .records
            .agents
            .recommendation_get(&action.recommendation)
            .await?;

        let mut failed = Action {
            version: action.version + 1,
            ..action.clone()
        };
        let mut entries = match self.ports.estate.resource_get(&action.resource).await {
            Ok(resource) => self.close_steps(
                &mut failed,
                "interrupted, and not resumed",
                &resource,
                &recommendation,
            ),
            Err(StoreError::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };

        failed.status = ActionStatus::Failed;
        failed.finished_at = Some(now);
        failed.reason = Some(format!(
            "it was interrupted and cannot be resumed: {why}; look at {}",
            action.resource
        ));
        let entry = log_entry::action(
            "action.fail",
            LogStatus::Failed,
            &failed,
            &recommendation,
            caller,
        )
        .with_severity(Severity::High);
        entries.push(entry);

        self.records.record(entries).await?;
        self.records.agents.action_update(&failed).await?;
        self.follow(&failed, caller).await
    }

    /// Brings a recommendation after its action, which has ended.
    pub(crate) async fn follow(&self, action: &Action, caller: &Caller) -> Result<(), EngineError> {
        let reason = action.reason.clone().unwrap_or_default();
        let (operation, status, reason) = match (action.purpose, action.status) {
            (Purpose::Apply, ActionStatus::Succeeded) => {
                ("recommendation.succeed", Status::Succeeded, None)
            }
            (Purpose::Apply, ActionStatus::RolledBack) => {
                ("recommendation.roll_back", Status::RolledBack, Some(reason))
            }
            (Purpose::Apply, ActionStatus::Failed) => {
                ("recommendation.fail", Status::Failed, Some(reason))
            }
            (Purpose::Apply, _) => {
                let why = format!("not executed, and nothing was changed: {reason}");
                ("recommendation.reopen", Status::Open, Some(why))
            }
            (Purpose::Simulate, ended) => {
                let why = match ended {
                    ActionStatus::Aborted => format!("not simulated: {reason}"),
                    ActionStatus::Failed => format!("the simulation failed: {reason}"),
                    _ => format!("simulated, not tested on a real resource: {reason}"),
                };
                ("recommendation.simulated", Status::Open, Some(why))
            }
            (Purpose::Test, ended) => {
                let why = match ended {
                    ActionStatus::Aborted => {
                        format!("not tested, and nothing was changed: {reason}")
                    }
                    ActionStatus::Failed => format!(
                        "the twin {} could not be restored: {reason}",
                        action.resource
                    ),
                    _ => format!("tested on {}: {reason}", action.resource),
                };
                ("recommendation.tested", Status::Open, Some(why))
            }
        };

        if status == Status::RolledBack {
            self.note_taken_back(action).await?;
        }

        match self
            .records
            .settle_at(
                &action.recommendation,
                operation,
                status,
                reason.as_deref(),
                caller,
            )
            .await
        {
            // It was removed or closed meanwhile; the action has ended all the same.
            Ok(_) | Err(EngineError::WrongState { .. } | EngineError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Keeps with a recommendation that a person took its change back, before it counts as rolled
    /// back: learning must not see a failure in between.
    async fn note_taken_back(&self, action: &Action) -> Result<(), EngineError> {
        for _ in 0..5 {
            let recommendation = match self
                .records
                .agents
                .recommendation_get(&action.recommendation)
                .await
            {
                Ok(recommendation) if recommendation.taken_back_by == action.undone_by => {
                    return Ok(());
                }
                Ok(recommendation) => recommendation,
                Err(StoreError::NotFound { .. }) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            let version = recommendation.version + 1;
            let noted = Recommendation {
                taken_back_by: action.undone_by.clone(),
                version,
                ..recommendation
            };
            match self.records.agents.recommendation_update(&noted).await {
                Err(StoreError::Conflict(_)) => {}
                other => return Ok(other?),
            }
        }
        Err(EngineError::Conflict(format!(
            "recommendation {} is being changed by another user",
            action.recommendation.0
        )))
    }

    /// A recommendation that was claimed and has no action at work: it follows the action that its
    /// claim began, or, when the claim began none, it is open again.
    async fn release(
        &self,
        recommendation: &Recommendation,
        newest: Option<&Action>,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        if let Some(ended) = newest.filter(|action| {
            action
                .finished_at
                .is_some_and(|at| at >= recommendation.updated_at)
        }) {
            return self.follow(ended, caller).await;
        }

        let reason = "its execution was interrupted before anything was changed";
        self.records
            .settle_at(
                &recommendation.id,
                "recommendation.release",
                Status::Open,
                Some(reason),
                caller,
            )
            .await?;

        Ok(())
    }

    /// Completes manual rollbacks whose recommendation does not show them yet.
    async fn follow_undone(&self, actions: &[Action], caller: &Caller) -> Result<(), EngineError> {
        let undone =
            |a: &&Action| a.purpose == Purpose::Apply && a.status == ActionStatus::RolledBack;
        for action in actions.iter().filter(undone) {
            let recommendation = self
                .records
                .agents
                .recommendation_get(&action.recommendation)
                .await?;
            if matches!(recommendation.status, Status::Succeeded | Status::Failed)
                && action
                    .finished_at
                    .is_some_and(|at| recommendation.updated_at <= at)
            {
                self.follow(action, caller).await?;
            }
        }

        Ok(())
    }
}
