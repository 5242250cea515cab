//! Rollback of a run: its changes are taken back in reverse order, each step once the later ones
//! are settled.

use reeve_audit::{ActionMethod, Actor};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::origin::OriginCause;

use super::IncidentService;
use crate::log_entry;
use crate::run::{PlaybookRun, PlaybookRunId, RollbackRequest, RunTarget, StepState};

impl IncidentService {
    /// Takes the changes of a run back, the last one first. What still waits for signatures is
    /// withdrawn. It goes on in the background.
    ///
    /// # Errors
    /// Not found; a conflict where nothing is left to take back, or it is being taken back.
    pub async fn roll_back(
        &self,
        id: &PlaybookRunId,
        caller: &Caller,
    ) -> Result<PlaybookRun, EngineError> {
        let _running = self.running.lock().await;
        let mut run = self.ports.incidents.playbook_run_get(id).await?;
        self.follow_steps(&mut run).await?;
        if !run.can_roll_back() {
            let message = "the run has no change that is not taken back, or is being rolled back";
            return Err(EngineError::Conflict(message.to_owned()));
        }

        run.rollback = Some(RollbackRequest {
            at: self.now(),
            by: caller.name.clone(),
            ended_at: None,
        });
        run.version += 1;
        let entry = log_entry::run("playbook.rollback", &run, caller);
        self.change(entry, self.ports.incidents.playbook_run_update(&run))
            .await?;
        self.go_on_taking_back(&mut run).await?;
        Ok(run)
    }

    /// Takes back the last step that is not settled. Nothing for a run that is not rolled back.
    pub(super) async fn go_on_taking_back(&self, run: &mut PlaybookRun) -> Result<(), EngineError> {
        let Some(rollback) = run.rollback.clone() else {
            return Ok(());
        };
        if rollback.ended_at.is_some() {
            return Ok(());
        }

        let caller = in_the_name_of(&rollback.by);
        for at in (0..run.steps.len()).rev() {
            if !run.steps[at].step.action.leads_back() {
                continue;
            }
            let mut step = run.steps[at].clone();
            for target in &mut step.targets {
                self.take_target_back(run, target, &caller).await?;
            }
            step.follow_targets();
            if step != run.steps[at] {
                self.note_step(run, at, step, &caller).await?;
            }
            let is_settled = run.steps[at]
                .targets
                .iter()
                .all(|target| !target.state.is_moving());
            if !is_settled {
                return Ok(());
            }
        }

        run.rollback = Some(RollbackRequest {
            ended_at: Some(self.now()),
            ..rollback
        });
        run.version += 1;
        let entry = log_entry::run("playbook.rolled_back", run, &caller);
        self.change(entry, self.ports.incidents.playbook_run_update(run))
            .await
    }

    async fn take_target_back(
        &self,
        run: &PlaybookRun,
        target: &mut RunTarget,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        match (target.state, target.action.clone()) {
            (StepState::Waiting, _) => {
                let cause = OriginCause::Incident(run.incident.clone());
                let on = [target.resource.clone()];
                let reason = "the run of the playbook was rolled back";
                let responses = &self.ports.responses;
                responses
                    .withdraw(&cause, Some(&on), reason, caller)
                    .await?;
                target.state = StepState::Skipped;
                target.detail = reason.to_owned();
            }
            (StepState::Done, Some(action)) => {
                match self.ports.containment.take_back(&action, caller).await {
                    Ok(()) => {
                        target.state = StepState::RollingBack;
                        target.detail = String::new();
                    }
                    Err(error) if error.is_outage() => return Err(error),
                    Err(error) => {
                        target.state = StepState::Failed;
                        target.detail = format!("it could not be taken back: {error}");
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The person who requested a rollback, for what goes on in the background.
fn in_the_name_of(person: &str) -> Caller {
    Caller {
        name: person.to_owned(),
        actor: Actor::user(person),
        method: ActionMethod::Api,
        ..Caller::system()
    }
}
