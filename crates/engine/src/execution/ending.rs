//! Ending an action early that only waits: it holds a change until a time, or observes it.
//!
//! The request is recorded, then handed to the task of the action, which stops waiting within a
//! second and takes back what was done. A request that a crash loses has changed nothing: its entry
//! says that it was asked for, and the action waits on.

use std::sync::Arc;
use std::time::Duration;

use reeve_audit::ActionStatus as LogStatus;
use reeve_recommend::action::{Action, ActionId, ActionStatus};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::Recommendation;

use crate::execution::ExecutionService;
use crate::execution::request::ActionEnding;
use crate::execution::runner::{ExecutionHalt, ExecutionRunner};
use crate::log_entry;

/// Time between two looks whether an action has stopped waiting.
const LOOK: Duration = Duration::from_millis(200);
/// Looks after which the answer is the action as it is.
const LOOKS: u32 = 25;

impl ExecutionService {
    /// Records a request to end a waiting action and hands it to the action's task.
    pub(super) async fn ask_to_end(
        &self,
        action: &Action,
        recommendation: &Recommendation,
        reason: String,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        if !self.active.lock().contains(&action.id) {
            return Err(EngineError::Conflict(
                "the action is taken up again after an interruption; ask again in a minute"
                    .to_owned(),
            ));
        }
        let ending = ActionEnding {
            reason: format!("ended early, {reason}"),
            by: caller.is_person().then(|| caller.name.clone()),
        };
        let asked = Action {
            reason: Some(ending.reason.clone()),
            undone_by: ending.by.clone(),
            ..action.clone()
        };
        let entry = log_entry::action(
            "action.rollback",
            LogStatus::Pending,
            &asked,
            recommendation,
            caller,
        );
        self.records.record(vec![entry]).await?;
        self.endings.lock().insert(action.id.clone(), ending);
        Ok(())
    }

    /// Returns an action once it has stopped waiting, or as it is after a while.
    pub(super) async fn ended_early(
        self: &Arc<Self>,
        id: &ActionId,
    ) -> Result<Action, EngineError> {
        for _ in 0..LOOKS {
            let action = self.records.agents.action_get(id).await?;
            if action.status != ActionStatus::Running {
                return Ok(action);
            }
            self.records.clock.sleep(LOOK).await;
        }
        Ok(self.records.agents.action_get(id).await?)
    }
}

impl ExecutionRunner {
    /// Reason why the action is to stop waiting; `None` where it was not asked to, or does not wait.
    pub(super) fn asked_to_end(&self) -> Option<String> {
        let endings = self.execution.endings.lock();
        let asked = endings.get(&self.action.id)?;
        self.action.waits().then(|| asked.reason.clone())
    }

    /// Takes up the request to end the action.
    pub(super) fn ending(&self) -> Option<ActionEnding> {
        self.execution.endings.lock().remove(&self.action.id)
    }

    /// Takes back what was done. The request is recorded already.
    pub(super) async fn end_early(&mut self, ending: ActionEnding) -> Result<(), ExecutionHalt> {
        self.action.status = ActionStatus::RollingBack;
        self.action.reason = Some(ending.reason);
        self.action.undone_by = ending.by;
        self.keep().await?;
        self.restore().await
    }
}
