//! Runs of playbooks: the state of each step on each resource.

use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId, named};
use reeve_recommend::action::{Action, ActionId, ActionStatus};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::IncidentId;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};
use serde::{Deserialize, Serialize};

use crate::playbook::{PlaybookName, PlaybookStep};

/// Identifier of a run, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlaybookRunId(pub String);

named!(
    /// State of a step, or of one of its resources.
    StepState {
        /// It has not begun.
        Pending => "pending",
        /// It needs signatures, or a person to apply it.
        Waiting => "waiting",
        /// Its change is being made.
        Running => "running",
        /// Its change is made, or its message is recorded.
        Done => "done",
        /// There was nothing to do.
        Skipped => "skipped",
        /// Its change was not made.
        Failed => "failed",
        /// Its change is being taken back.
        RollingBack => "rolling_back",
        /// Its change was taken back.
        RolledBack => "rolled_back",
    }
);

impl StepState {
    /// Returns `true` if it changes without a further act of people.
    #[must_use]
    pub const fn is_moving(self) -> bool {
        matches!(self, StepState::Running | StepState::RollingBack)
    }
}

/// A resource that a step changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTarget {
    pub resource: ResourceId,
    pub name: String,
    pub kind: String,
    pub connection: ConnectionId,
    pub state: StepState,
    /// Recommendation that makes the change; `None` where there is none.
    #[serde(default)]
    pub recommendation: Option<RecommendationId>,
    /// Action that made it.
    #[serde(default)]
    pub action: Option<ActionId>,
    /// Reason of the state, in words.
    #[serde(default)]
    pub detail: String,
}

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStep {
    /// The step as the playbook had it.
    pub step: PlaybookStep,
    pub state: StepState,
    /// Reason of the state, in words.
    #[serde(default)]
    pub detail: String,
    #[serde(default)]
    pub targets: Vec<RunTarget>,
    /// Time of the last change of its state.
    #[serde(default)]
    pub at: Option<Timestamp>,
}

/// Request to take the changes of a run back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollbackRequest {
    pub at: Timestamp,
    /// E-mail address.
    pub by: String,
    /// Time at which nothing was left to take back.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
}

/// A run of a playbook on an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookRun {
    pub id: PlaybookRunId,
    pub incident: IncidentId,
    pub playbook: PlaybookName,
    /// Title of the playbook.
    pub title: String,
    /// E-mail address, or `system` for an automatic run.
    pub started_by: String,
    pub started_at: Timestamp,
    pub steps: Vec<RunStep>,
    #[serde(default)]
    pub rollback: Option<RollbackRequest>,
    /// Grows with every change; stores compare it before they write.
    pub version: u64,
}

impl PlaybookRun {
    /// Returns `true` while a step moves, waits, or has to be taken back.
    #[must_use]
    pub fn is_active(&self) -> bool {
        let is_unfinished = self
            .rollback
            .as_ref()
            .is_some_and(|rollback| rollback.ended_at.is_none());
        let goes_on = |state: StepState| {
            state.is_moving() || matches!(state, StepState::Waiting | StepState::Pending)
        };
        is_unfinished || self.steps.iter().any(|step| goes_on(step.state))
    }

    /// Returns `true` if a change was made that is not taken back, is being made, or waits, and the
    /// run is not being rolled back.
    #[must_use]
    pub fn can_roll_back(&self) -> bool {
        let is_rolling_back = self
            .rollback
            .as_ref()
            .is_some_and(|rollback| rollback.ended_at.is_none());
        let steps = self
            .steps
            .iter()
            .filter(|step| step.step.action.leads_back());
        let mut targets = steps.flat_map(|step| &step.targets);
        !is_rolling_back
            && targets.any(|target| {
                matches!(
                    target.state,
                    StepState::Done | StepState::Waiting | StepState::Running
                )
            })
    }
}

impl RunTarget {
    /// Takes over the state of its recommendation and of the action that applied it.
    pub(crate) fn follow(&mut self, recommendation: &Recommendation, action: Option<&Action>) {
        if let Some(action) = action {
            self.action = Some(action.id.clone());
        }
        let running = action.map(|action| action.status);
        let reason = || {
            let blocked = recommendation.blocked.clone();
            blocked.or(recommendation.status_reason.clone())
        };
        let (state, detail) = match (running, recommendation.status) {
            (Some(ActionStatus::RollingBack), _) => (StepState::RollingBack, None),
            (Some(ActionStatus::RolledBack), _) | (_, Status::RolledBack) => {
                (StepState::RolledBack, reason())
            }
            (_, Status::Open) => (
                StepState::Waiting,
                reason().or_else(|| Some("a person has to apply it".to_owned())),
            ),
            (_, Status::PendingApproval) => (
                StepState::Waiting,
                Some("its signatures are requested".to_owned()),
            ),
            (_, Status::Approved | Status::Scheduled | Status::Snoozed | Status::Testing) => {
                (StepState::Waiting, reason())
            }
            (_, Status::Executing) => (StepState::Running, None),
            (_, Status::Verifying | Status::Succeeded) => (StepState::Done, None),
            (_, Status::Failed) => (StepState::Failed, reason()),
            (_, Status::Dismissed | Status::Expired | Status::Superseded) => {
                (StepState::Skipped, reason())
            }
        };
        self.state = state;
        self.detail = detail.unwrap_or_default();
    }
}

impl RunStep {
    /// Takes over the state of its resources: the one that needs most attention.
    pub(crate) fn follow_targets(&mut self) {
        let order = [
            StepState::RollingBack,
            StepState::Running,
            StepState::Waiting,
            StepState::Failed,
            StepState::Done,
            StepState::RolledBack,
        ];
        let has = |state: &&StepState| self.targets.iter().any(|one| one.state == **state);
        if self.targets.is_empty() {
            return;
        }
        self.state = order
            .iter()
            .find(has)
            .copied()
            .unwrap_or(StepState::Skipped);
    }
}
