//! One resource of a rollout, and how it stands as read off its recommendation and its actions:
//! what a rollout knows of a member is never more than what the store says, so that a restart
//! changes nothing.

use reeve_estate::{ResourceId, named};
use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionStatus, Purpose, WatchVerdict};
use crate::guardrail::GuardrailName;
use crate::recommendation::lifecycle::Status;
use crate::recommendation::{Recommendation, RecommendationId};

named!(
    /// State of a member.
    MemberState {
        /// Its turn has not come, or something holds it back.
        Waiting => "waiting",
        /// Its plan runs on a simulated twin.
        Simulating => "simulating",
        /// Its plan went through there.
        Simulated => "simulated",
        /// Its change waits for signatures.
        AwaitingApproval => "awaiting_approval",
        /// Its plan is running.
        Changing => "changing",
        /// It was changed and is watched.
        Watching => "watching",
        /// It was changed and its metrics are no worse.
        Held => "held",
        /// It was changed and nothing can be said of its metrics.
        NotEnoughData => "not_enough_data",
        /// Its plan failed, was undone, or made it worse.
        Failed => "failed",
        /// It is no longer for this rollout to change.
        LeftOut => "left_out",
    }
);

/// One resource that a rollout is to reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RolloutMember {
    pub recommendation: RecommendationId,
    pub resource: ResourceId,
    pub name: String,
    /// A tag says that it is production, or nothing says that it is not.
    pub critical: bool,
    /// Number of the wave; 0 is the canary.
    pub wave: u32,
    /// State of the member.
    pub state: MemberState,
    /// The numbers or the reason.
    pub detail: String,
    /// The guardrail that holds it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<MemberBlock>,
    /// A person went on in spite of it: it no longer holds a gate.
    pub accepted: bool,
}

/// Guardrail that holds a member back for now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(GuardrailName, String)", into = "(GuardrailName, String)")]
pub struct MemberBlock {
    /// Name of the guardrail.
    pub guardrail: GuardrailName,
    /// Limit and value in words.
    pub message: String,
}

/// Stored as the name of the guardrail and its words.
impl From<MemberBlock> for (GuardrailName, String) {
    fn from(block: MemberBlock) -> Self {
        (block.guardrail, block.message)
    }
}

impl From<(GuardrailName, String)> for MemberBlock {
    fn from((guardrail, message): (GuardrailName, String)) -> Self {
        MemberBlock { guardrail, message }
    }
}

impl RolloutMember {
    /// Returns `true` if gates still count the member.
    #[must_use]
    pub fn counts(&self) -> bool {
        !self.accepted && self.state != MemberState::LeftOut
    }
}

/// Returns the state of a member: by its recommendation and the actions on it since the rollout
/// began, newest first.
#[must_use]
pub fn observed(
    recommendation: Option<&Recommendation>,
    actions: &[&Action],
) -> (MemberState, String) {
    let Some(recommendation) = recommendation else {
        return (
            MemberState::LeftOut,
            "its recommendation no longer exists".to_owned(),
        );
    };

    if let Some(action) = actions
        .iter()
        .find(|action| action.purpose == Purpose::Apply)
    {
        return after_change(action);
    }

    let simulated = actions
        .iter()
        .find(|action| action.purpose == Purpose::Simulate)
        .map(|action| simulation(action));
    let why = || recommendation.status_reason.clone().unwrap_or_default();

    match recommendation.status {
        Status::Open | Status::Approved => {
            simulated.unwrap_or_else(|| (MemberState::Waiting, String::new()))
        }
        Status::PendingApproval => (
            MemberState::AwaitingApproval,
            "it is waiting for approval".to_owned(),
        ),
        Status::Testing => (MemberState::Simulating, "it is being tested".to_owned()),
        Status::Executing | Status::Verifying => (MemberState::Changing, String::new()),
        Status::Scheduled => (
            MemberState::LeftOut,
            "it was scheduled for another time".to_owned(),
        ),
        status => (MemberState::LeftOut, format!("it is {status}: {}", why())),
    }
}

fn after_change(action: &Action) -> (MemberState, String) {
    let reason = action.reason.clone().unwrap_or_default();
    match (action.status, &action.watch) {
        (ActionStatus::Running | ActionStatus::RollingBack, _) => (MemberState::Changing, reason),
        (ActionStatus::Aborted, _) => (
            MemberState::Failed,
            format!("nothing was changed: {reason}"),
        ),
        (ActionStatus::RolledBack, _) => (MemberState::Failed, format!("undone: {reason}")),
        (ActionStatus::Failed, _) => (MemberState::Failed, reason),
        (ActionStatus::Succeeded, None) => (
            MemberState::NotEnoughData,
            "the guardrails set no window to watch it".to_owned(),
        ),
        (ActionStatus::Succeeded, Some(watch)) => {
            let state = match watch.verdict {
                WatchVerdict::Watching => MemberState::Watching,
                WatchVerdict::Holds => MemberState::Held,
                WatchVerdict::NotEnoughData => MemberState::NotEnoughData,
                WatchVerdict::Degraded => MemberState::Failed,
                WatchVerdict::Overruled => MemberState::LeftOut,
            };
            (state, watch.detail.clone())
        }
    }
}

/// A plan went through when every one of its steps did and the twin is back where it was.
fn simulation(action: &Action) -> (MemberState, String) {
    let through = action
        .steps
        .iter()
        .filter(|step| !step.rollback && step.ok == Some(true))
        .count();
    let all = action.steps_total as usize;

    match action.status {
        ActionStatus::Running | ActionStatus::RollingBack => {
            (MemberState::Simulating, String::new())
        }
        ActionStatus::RolledBack if through == all => (
            MemberState::Simulated,
            format!("{through} of {all} steps went through on a simulated twin, and back"),
        ),
        _ => {
            let reason = action.reason.clone().unwrap_or_default();
            (
                MemberState::Failed,
                format!("{through} of {all} steps went through on a simulated twin: {reason}"),
            )
        }
    }
}
