//! Carrying a plan out, step by step, and ending it: done, undone, or left to a person with a
//! reason.
//!
//! Each step is recorded before it begins and after it ended, and kept in the store in between.
//! What cannot be recorded or kept is not done: the runner then stops where it is, and
//! [`ExecutionService::resume`] continues from the store once both work again.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Obstacle;
use reeve_audit::{ActionStatus as LogStatus, Entry, Severity};
use reeve_estate::{Act, ActError, ActErrorKind, Resource};
use reeve_recommend::action::{Action, ActionStatus, Purpose, StepOutcome, Watch, WatchVerdict};
use reeve_recommend::caller::Caller;
use reeve_recommend::change::{Effect, EffectEvidence, Procedure, Task, Work};
use reeve_recommend::error::EngineError;
use reeve_recommend::plan::StepKind;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::execution::ExecutionService;
use crate::execution::request::ActionEnding;
use crate::execution::watching::{STATE_STANDS, STATE_WATCHED};
use crate::log_entry;

/// Tries to record or keep something before the runner suspends.
const PATIENCE: u32 = 6;
/// Reason why no further step begins.
pub(crate) const STOPPED: &str = "the kill switch was turned on";

/// Result of a test whose every step went through, as far as it proves something.
const fn passed(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Simulate => {
            "the steps work in a simulation; no real resource was tested, and load and speed are unknown"
        }
        Purpose::Test | Purpose::Apply => "the test passed; the twin is restored",
    }
}

/// Reason why the runner stops.
#[derive(Debug)]
pub(crate) enum ExecutionHalt {
    /// A check or preparation failed; nothing was changed.
    Unchanged(String),
    /// Something was changed and has to be undone.
    Undo(String),
    /// It was asked to end early, and is undone.
    Ended(ActionEnding),
    /// The log or the store does not answer; the action stays as it is kept.
    Suspend(String),
}

/// Result of a step.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) detail: String,
    pub(crate) before: Vec<(String, String)>,
    pub(crate) after: Vec<(String, String)>,
}

/// One execution under way.
pub(crate) struct ExecutionRunner {
    pub(crate) execution: Arc<ExecutionService>,
    pub(crate) act: Arc<dyn Act>,
    pub(crate) recommendation: Recommendation,
    pub(crate) procedure: Procedure,
    /// The resource as it was last observed.
    pub(crate) resource: Resource,
    pub(crate) action: Action,
    pub(crate) caller: Caller,
    /// Kind of the refusal that ends the step under way.
    refusal: Option<ActErrorKind>,
    /// The rollback time-out as it stood when this runner began, seconds.
    timeout_s: i64,
}

impl ExecutionRunner {
    pub(crate) fn new(
        execution: Arc<ExecutionService>,
        act: Arc<dyn Act>,
        recommendation: Recommendation,
        procedure: Procedure,
        resource: Resource,
        action: Action,
        caller: Caller,
    ) -> Self {
        ExecutionRunner {
            execution,
            act,
            recommendation,
            procedure,
            resource,
            action,
            caller,
            refusal: None,
            timeout_s: 300,
        }
    }

    /// Goes on from wherever the action stands until it has ended.
    pub(crate) async fn run(mut self) {
        if let Ok(limits) = self.execution.records.agents.guardrails_get().await {
            self.timeout_s = i64::try_from(limits.rollback_timeout_s).unwrap_or(self.timeout_s);
        }

        let ended = if self.action.status == ActionStatus::RollingBack {
            self.restore().await
        } else {
            match self.forward().await {
                Ok(()) if self.action.purpose != Purpose::Apply => {
                    self.undo(passed(self.action.purpose).to_owned()).await
                }
                Ok(()) => self.succeed().await,
                Err(ExecutionHalt::Ended(ending)) => self.end_early(ending).await,
                Err(ExecutionHalt::Unchanged(reason)) => self.abort(reason).await,
                Err(ExecutionHalt::Undo(reason)) => self.undo(reason).await,
                Err(suspend) => Err(suspend),
            }
        };

        let why = match ended {
            Ok(()) => return,
            Err(
                ExecutionHalt::Suspend(why)
                | ExecutionHalt::Undo(why)
                | ExecutionHalt::Unchanged(why),
            ) => why,
            Err(ExecutionHalt::Ended(ending)) => ending.reason,
        };
        tracing::error!(action = %self.action.id.0, why, "an action is suspended; it is resumed later");
    }

    /// The steps that are not done yet.
    async fn forward(&mut self) -> Result<(), ExecutionHalt> {
        let done = self
            .action
            .steps
            .iter()
            .filter(|s| !s.rollback && s.ok == Some(true))
            .map(|s| s.index + 1)
            .max();

        // Before anything was changed an interrupted plan begins anew: what was checked then may no
        // longer hold.
        let first = if self.disrupted() {
            done.unwrap_or(0) as usize
        } else {
            0
        };

        let tasks = self.procedure.tasks().to_vec();
        for (index, task) in tasks.iter().enumerate().skip(first) {
            self.may_go_on().await?;
            if matches!(task.work, Work::Verify) && self.action.purpose == Purpose::Apply {
                self.verifying().await?;
            }
            self.begin_step(index as u32, task, false).await?;
            let found = match &task.work {
                Work::Precondition => self.precondition(task).await,
                Work::Snapshot => self.snapshot(task).await,
                Work::Verify => self.verify(task).await,
                Work::Hold(until) => self.hold(*until).await,
                Work::Observe { hours } => self.observe_flows(*hours).await,
                Work::Change(goal) => self.change(goal, self.deadline()).await,
            };
            let reason = found
                .as_ref()
                .err()
                .map(|why| format!("{} failed: {why}", task.kind));
            self.end_step(found).await?;
            // A request is followed also where the wait ended as it came.
            if let Some(ending) = self.ending() {
                return Err(ExecutionHalt::Ended(ending));
            }
            if let Some(reason) = reason {
                return Err(self.halt_for(reason).await);
            }
        }

        Ok(())
    }

    /// The kill switch and the time after which a change is undone, asked before each step.
    async fn may_go_on(&self) -> Result<(), ExecutionHalt> {
        let limits = self
            .execution
            .records
            .agents
            .guardrails_get()
            .await
            .map_err(|e| ExecutionHalt::Suspend(e.to_string()))?;

        let halt = |reason: &str| {
            if self.disrupted() {
                ExecutionHalt::Undo(reason.to_owned())
            } else {
                ExecutionHalt::Unchanged(reason.to_owned())
            }
        };

        if limits.kill_switch {
            return Err(halt(STOPPED));
        }
        if self.disrupted() && self.execution.records.clock.now() >= self.deadline() {
            return Err(halt("the time for the change ran out"));
        }

        Ok(())
    }

    /// Returns `true` once a step that changes the resource has begun.
    pub(crate) fn disrupted(&self) -> bool {
        self.action.steps.iter().any(|s| s.effect().changes())
    }

    /// Returns the time at which an incomplete change is rolled back: counted from the first step
    /// that changes something, or from the first one after a hold or an observation.
    pub(crate) fn deadline(&self) -> Timestamp {
        let steps = &self.action.steps;
        let held = steps
            .iter()
            .rposition(|s| matches!(s.kind, StepKind::Hold | StepKind::Observe))
            .map_or(0, |at| at + 1);
        let began = steps
            .iter()
            .skip(held)
            .find(|s| s.effect().changes() && s.effect() != Effect::Restores);
        let began = began.map_or(self.execution.records.clock.now(), |step| step.started_at);

        began
            + SignedDuration::from_secs(self.procedure.limit_s(self.resource.kind, self.timeout_s))
    }

    /// A failed step: nothing was changed when no change went through and the resource is as it
    /// was.
    async fn halt_for(&mut self, reason: String) -> ExecutionHalt {
        if !self.disrupted() {
            return ExecutionHalt::Unchanged(reason);
        }

        let changes = |s: &&StepOutcome| s.effect().changes();
        let went_through = self
            .action
            .steps
            .iter()
            .filter(changes)
            .any(|s| s.ok == Some(true));

        if !went_through
            && self
                .act
                .observe(&self.resource)
                .await
                .is_ok_and(|seen| self.is_as_before(&seen))
        {
            return ExecutionHalt::Unchanged(reason);
        }

        ExecutionHalt::Undo(reason)
    }

    /// Records that a step begins, then keeps it; only then may it be done.
    pub(crate) async fn begin_step(
        &mut self,
        index: u32,
        task: &Task,
        rollback: bool,
    ) -> Result<(), ExecutionHalt> {
        let outcome = StepOutcome {
            index,
            kind: task.kind,
            effect: Some(task.effect),
            description: task.description.clone(),
            made: task.made.clone(),
            rollback,
            started_at: self.execution.records.clock.now(),
            finished_at: None,
            ok: None,
            refusal: None,
            detail: String::new(),
            before: self.state_of_resource(),
            after: Vec::new(),
        };

        let entry = log_entry::step(
            &outcome,
            LogStatus::Pending,
            &self.resource,
            &self.action,
            &self.recommendation,
            &self.caller,
        );
        self.tell(entry).await?;

        self.action.steps.push(outcome);
        self.keep().await
    }

    /// Words of a refusal that ends the step under way; its kind is kept with the step.
    pub(crate) fn refused(&mut self, error: ActError) -> String {
        self.refusal = Some(error.kind);
        error.message
    }

    /// Records how the step ended, then keeps it.
    pub(crate) async fn end_step(
        &mut self,
        found: Result<Done, Obstacle>,
    ) -> Result<(), ExecutionHalt> {
        let now = self.execution.records.clock.now();
        let Some(outcome) = self.action.steps.last_mut() else {
            return Ok(());
        };

        outcome.finished_at = Some(now);
        outcome.ok = Some(found.is_ok());
        outcome.refusal = self.refusal.take().filter(|_| found.is_err());

        match found {
            Ok(done) => {
                outcome.detail = done.detail;
                outcome.after = done.after;
                if !done.before.is_empty() {
                    outcome.before = done.before;
                }
            }
            Err(obstacle) => outcome.detail = obstacle.into(),
        }

        let outcome = outcome.clone();
        let status = if outcome.ok == Some(true) {
            LogStatus::Success
        } else {
            LogStatus::Failed
        };

        let entry = log_entry::step(
            &outcome,
            status,
            &self.resource,
            &self.action,
            &self.recommendation,
            &self.caller,
        );
        self.tell(entry).await?;

        self.keep().await
    }

    /// Records an entry, again and again for a while: the log may be busy.
    pub(crate) async fn tell(&self, entry: Entry) -> Result<(), ExecutionHalt> {
        let entry = entry.at(self.execution.records.clock.now());
        let mut last = String::new();

        for attempt in 0..PATIENCE {
            match self
                .execution
                .records
                .recorder
                .record(vec![entry.clone()])
                .await
            {
                Ok(()) => return Ok(()),
                Err(error) => last = error.to_string(),
            }
            self.back_off(1 << attempt).await;
        }

        Err(ExecutionHalt::Suspend(last))
    }

    /// Keeps the action as it is now.
    pub(crate) async fn keep(&mut self) -> Result<(), ExecutionHalt> {
        let next = Action {
            version: self.action.version + 1,
            ..self.action.clone()
        };
        let mut last = String::new();

        for attempt in 0..PATIENCE {
            match self.execution.records.agents.action_update(&next).await {
                Ok(()) => {
                    self.action = next;
                    return Ok(());
                }
                Err(error) => last = error.to_string(),
            }
            // A write whose answer was lost may have gone through.
            if self
                .execution
                .records
                .agents
                .action_get(&next.id)
                .await
                .is_ok_and(|stored| stored == next)
            {
                self.action = next;
                return Ok(());
            }
            self.back_off(1 << attempt).await;
        }

        Err(ExecutionHalt::Suspend(last))
    }

    /// Waits between two looks. On the way forward the kill switch is asked every second, so that
    /// no wait for the cloud outlasts it, and so is whether the action is to end early.
    pub(crate) async fn wait(&self, seconds: u64) -> Result<(), Obstacle> {
        for _ in 0..seconds {
            self.rest(1).await;
            if let Some(reason) = self.asked_to_end() {
                return Err(reason.into());
            }
            if self.is_stopped().await.unwrap_or(false) {
                return Err(STOPPED.into());
            }
        }
        Ok(())
    }

    /// Returns `true` if the kill switch forbids further steps; rolling back is always permitted.
    pub(crate) async fn is_stopped(&self) -> Result<bool, reeve_estate::StoreError> {
        if self.action.status != ActionStatus::Running {
            return Ok(false);
        }
        Ok(self
            .execution
            .records
            .agents
            .guardrails_get()
            .await?
            .kill_switch)
    }

    /// Waits for the cloud. A simulated one is never waited for.
    pub(crate) async fn rest(&self, seconds: u64) {
        if self.action.purpose != Purpose::Simulate {
            self.back_off(seconds).await;
        }
    }

    async fn back_off(&self, seconds: u64) {
        self.execution
            .records
            .clock
            .sleep(Duration::from_secs(seconds))
            .await;
    }

    async fn verifying(&mut self) -> Result<(), ExecutionHalt> {
        let (id, verifying) = (&self.recommendation.id, Status::Verifying);
        match self
            .execution
            .records
            .settle_at(id, "recommendation.verify", verifying, None, &self.caller)
            .await
        {
            // A removed or closed recommendation must not keep its action from ending.
            Ok(_) | Err(EngineError::WrongState { .. } | EngineError::NotFound { .. }) => Ok(()),
            Err(error) => Err(ExecutionHalt::Suspend(error.to_string())),
        }
    }

    // The action's end is the decision and is kept first; the recommendation follows it. Between
    // the two, `resume` brings the recommendation after.

    /// The change was made and held.
    async fn succeed(&mut self) -> Result<(), ExecutionHalt> {
        self.learn_resource().await;
        self.end(
            ActionStatus::Succeeded,
            "action.succeed",
            LogStatus::Success,
            None,
        )
        .await?;

        self.follow().await
    }

    /// Nothing was changed; the recommendation is open again, with the reason.
    async fn abort(&mut self, reason: String) -> Result<(), ExecutionHalt> {
        self.end(
            ActionStatus::Aborted,
            "action.abort",
            LogStatus::Failed,
            Some(reason),
        )
        .await?;
        self.follow().await
    }

    /// Neither done nor undone: a person is needed.
    pub(crate) async fn fail(&mut self, reason: String) -> Result<(), ExecutionHalt> {
        self.learn_resource().await;
        self.end(
            ActionStatus::Failed,
            "action.fail",
            LogStatus::Failed,
            Some(reason),
        )
        .await?;

        self.follow().await
    }

    /// Everything is as it was.
    pub(crate) async fn undone(&mut self) -> Result<(), ExecutionHalt> {
        self.learn_resource().await;
        let reason = self.action.reason.clone();
        self.end(
            ActionStatus::RolledBack,
            "action.rolled_back",
            LogStatus::Success,
            reason,
        )
        .await?;

        self.follow().await
    }

    async fn follow(&self) -> Result<(), ExecutionHalt> {
        match self.execution.follow(&self.action, &self.caller).await {
            Ok(()) => Ok(()),
            Err(error) => Err(ExecutionHalt::Suspend(error.to_string())),
        }
    }

    async fn end(
        &mut self,
        status: ActionStatus,
        operation: &str,
        log_status: LogStatus,
        reason: Option<String>,
    ) -> Result<(), ExecutionHalt> {
        let mut ended = self.action.clone();
        ended.status = status;
        ended.finished_at = Some(self.execution.records.clock.now());
        ended.reason = reason;
        if status == ActionStatus::Succeeded {
            ended.watch = self.watch_from_now().await;
        }

        let mut entry = log_entry::action(
            operation,
            log_status,
            &ended,
            &self.recommendation,
            &self.caller,
        );

        if matches!(status, ActionStatus::Failed) {
            entry = entry.with_severity(Severity::High);
        }

        let mut after = vec![("status".to_owned(), status.as_str().to_owned())];
        after.extend(self.state_of_resource());
        self.tell(entry.after(log_entry::pairs(&after))).await?;
        self.action = ended;

        self.keep().await
    }

    /// The window in which the change is watched; none when the guardrails set it to nothing. A
    /// machine that is cut off is meant to serve nothing, and no measurement lets it back.
    async fn watch_from_now(&self) -> Option<Watch> {
        if self.procedure.change().only_people_undo() {
            return None;
        }

        let limits = self
            .execution
            .records
            .agents
            .guardrails_get()
            .await
            .unwrap_or_default();

        let now = self.execution.records.clock.now();
        let watch = |until, verdict, detail: &str| Watch {
            verdict,
            detail: detail.to_owned(),
            ..Watch::until(until)
        };

        let seconds = i64::try_from(limits.verification_window_s).unwrap_or(i64::MAX);
        let until = now + SignedDuration::from_secs(seconds);

        match (self.procedure.change().effect_evidence(), seconds) {
            // The last step verified the state, and nothing else can be told of it.
            (EffectEvidence::State, 0) => Some(watch(now, WatchVerdict::Holds, STATE_STANDS)),
            (EffectEvidence::State, _) => Some(watch(until, WatchVerdict::Watching, STATE_WATCHED)),
            (_, 0) => None,
            (EffectEvidence::Load | EffectEvidence::Flows | EffectEvidence::Observation, _) => {
                Some(watch(until, WatchVerdict::Watching, ""))
            }
        }
    }

    /// Puts what was last observed into the inventory, so that nobody reads a stale size until the
    /// next sync.
    async fn learn_resource(&mut self) {
        if self.action.purpose == Purpose::Simulate {
            return;
        }
        if let Ok(seen) = self.act.observe(&self.resource).await {
            self.resource = seen.resource;
        }

        if let Err(error) = self
            .execution
            .ports
            .estate
            .resource_put(&self.resource)
            .await
        {
            tracing::warn!(%error, resource = %self.resource.id, "the inventory did not take the new state; the next sync will");
        }
    }
}
