//! Playbooks and their runs on the wire.

use reeve_incidents::{
    Playbook, PlaybookInput, PlaybookRun, PlaybookStep, RollbackRequest, RunStep, RunTarget,
    Trigger,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{
    IncidentFindingKind, Name, PlaybookAction, PlaybookStepState, Priority,
};

/// Incidents that a playbook is for.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaybookTriggerBody {
    /// `true` to run it as soon as an incident fits. Changes still need their approvals.
    #[serde(default)]
    pub automatic: bool,
    /// Lowest severity.
    pub severity: Priority,
    /// Kinds of what a finding is about (`principal`, `address`, `virtual_machine`); empty for any.
    #[serde(default)]
    pub subjects: Vec<String>,
    /// Techniques of MITRE ATT&CK; empty for any. `T1078` includes its sub-techniques.
    #[serde(default)]
    pub techniques: Vec<String>,
    /// Kinds of findings; empty for any.
    #[serde(default)]
    pub members: Vec<IncidentFindingKind>,
}

/// A step of a playbook.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaybookStepBody {
    pub action: PlaybookAction,
    /// Identifiers of channels; empty for all that are for incidents. Of `notify` alone.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Message to people, at most 2000 characters. Of `notify` and `webhook`.
    #[serde(default)]
    pub message: String,
}

/// A playbook to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaybookCreateBody {
    /// 1 to 60 lowercase letters, digits and hyphens.
    pub name: String,
    /// 1 to 200 characters.
    pub title: String,
    /// At most 2000 characters.
    #[serde(default)]
    pub description: String,
    pub trigger: PlaybookTriggerBody,
    /// 1 to 20 steps, in order.
    pub steps: Vec<PlaybookStepBody>,
}

/// The new content of a playbook.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaybookPutBody {
    /// 1 to 200 characters.
    pub title: String,
    /// At most 2000 characters.
    #[serde(default)]
    pub description: String,
    pub trigger: PlaybookTriggerBody,
    /// 1 to 20 steps, in order.
    pub steps: Vec<PlaybookStepBody>,
}

/// A playbook.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlaybookBody {
    pub name: String,
    pub title: String,
    pub description: String,
    pub trigger: PlaybookTriggerBody,
    pub steps: Vec<PlaybookStepBody>,
    /// `true` for one that comes with Reeve and cannot be changed.
    pub is_builtin: bool,
    /// E-mail address; null for one that comes with Reeve.
    pub changed_by: Option<String>,
    pub changed_at: Option<String>,
}

/// A playbook to run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaybookRunCreateBody {
    /// Name of the playbook.
    pub playbook: String,
}

/// A resource that a step changes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlaybookRunTargetBody {
    pub resource_id: String,
    pub name: String,
    pub kind: String,
    pub state: PlaybookStepState,
    /// Recommendation that makes the change.
    pub recommendation_id: Option<String>,
    /// Action that made it.
    pub action_id: Option<String>,
    /// Reason of the state.
    pub detail: String,
}

/// A step of a run.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlaybookRunStepBody {
    pub action: PlaybookAction,
    pub message: String,
    pub state: PlaybookStepState,
    /// Reason of the state.
    pub detail: String,
    pub targets: Vec<PlaybookRunTargetBody>,
    /// Time of the last change of the state.
    pub at: Option<String>,
}

/// Request to take the changes of a run back.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlaybookRollbackBody {
    pub at: String,
    pub by: String,
    /// Time at which nothing was left to take back.
    pub ended_at: Option<String>,
}

/// A run of a playbook on an incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlaybookRunBody {
    pub id: String,
    pub incident_id: String,
    pub playbook: String,
    pub title: String,
    /// E-mail address, or `system` for an automatic run.
    pub started_by: String,
    pub started_at: String,
    pub steps: Vec<PlaybookRunStepBody>,
    pub rollback: Option<PlaybookRollbackBody>,
    /// `true` if it has made changes that are not taken back, or waits for signatures.
    pub can_roll_back: bool,
}

fn step(body: PlaybookStepBody) -> PlaybookStep {
    PlaybookStep {
        action: body.action.0,
        channels: body.channels,
        message: body.message,
    }
}

fn trigger(body: PlaybookTriggerBody) -> Trigger {
    Trigger {
        automatic: body.automatic,
        severity: body.severity.0,
        subjects: body.subjects.into_iter().collect(),
        techniques: body.techniques.into_iter().collect(),
        members: body.members.into_iter().map(|Name(kind)| kind).collect(),
    }
}

impl From<PlaybookPutBody> for PlaybookInput {
    fn from(body: PlaybookPutBody) -> Self {
        PlaybookInput {
            title: body.title,
            description: body.description,
            trigger: trigger(body.trigger),
            steps: body.steps.into_iter().map(step).collect(),
        }
    }
}

impl PlaybookCreateBody {
    /// Returns the name and the content.
    pub(crate) fn into_parts(self) -> (String, PlaybookInput) {
        let content = PlaybookPutBody {
            title: self.title,
            description: self.description,
            trigger: self.trigger,
            steps: self.steps,
        };
        (self.name, content.into())
    }
}

impl From<&PlaybookStep> for PlaybookStepBody {
    fn from(step: &PlaybookStep) -> Self {
        PlaybookStepBody {
            action: step.action.into(),
            channels: step.channels.clone(),
            message: step.message.clone(),
        }
    }
}

impl From<&Playbook> for PlaybookBody {
    fn from(playbook: &Playbook) -> Self {
        let trigger = &playbook.trigger;
        PlaybookBody {
            name: playbook.name.0.clone(),
            title: playbook.title.clone(),
            description: playbook.description.clone(),
            trigger: PlaybookTriggerBody {
                automatic: trigger.automatic,
                severity: trigger.severity.into(),
                subjects: trigger.subjects.iter().cloned().collect(),
                techniques: trigger.techniques.iter().cloned().collect(),
                members: trigger.members.iter().copied().map(Into::into).collect(),
            },
            steps: playbook.steps.iter().map(PlaybookStepBody::from).collect(),
            is_builtin: playbook.is_builtin,
            changed_by: playbook.changed_by.clone(),
            changed_at: playbook.changed_at.map(time::text),
        }
    }
}

impl From<&RunTarget> for PlaybookRunTargetBody {
    fn from(target: &RunTarget) -> Self {
        PlaybookRunTargetBody {
            resource_id: target.resource.0.clone(),
            name: target.name.clone(),
            kind: target.kind.clone(),
            state: target.state.into(),
            recommendation_id: target.recommendation.as_ref().map(|id| id.0.clone()),
            action_id: target.action.as_ref().map(|id| id.0.clone()),
            detail: target.detail.clone(),
        }
    }
}

impl From<&RunStep> for PlaybookRunStepBody {
    fn from(step: &RunStep) -> Self {
        PlaybookRunStepBody {
            action: step.step.action.into(),
            message: step.step.message.clone(),
            state: step.state.into(),
            detail: step.detail.clone(),
            targets: step
                .targets
                .iter()
                .map(PlaybookRunTargetBody::from)
                .collect(),
            at: step.at.map(time::text),
        }
    }
}

impl From<&RollbackRequest> for PlaybookRollbackBody {
    fn from(rollback: &RollbackRequest) -> Self {
        PlaybookRollbackBody {
            at: time::text(rollback.at),
            by: rollback.by.clone(),
            ended_at: rollback.ended_at.map(time::text),
        }
    }
}

impl From<&PlaybookRun> for PlaybookRunBody {
    fn from(run: &PlaybookRun) -> Self {
        PlaybookRunBody {
            id: run.id.0.clone(),
            incident_id: run.incident.0.clone(),
            playbook: run.playbook.0.clone(),
            title: run.title.clone(),
            started_by: run.started_by.clone(),
            started_at: time::text(run.started_at),
            steps: run.steps.iter().map(PlaybookRunStepBody::from).collect(),
            rollback: run.rollback.as_ref().map(PlaybookRollbackBody::from),
            can_roll_back: run.can_roll_back(),
        }
    }
}
