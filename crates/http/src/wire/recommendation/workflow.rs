//! Actions, approvals, the kill switch and the dashboard on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::wire::agent::model::ModelBody;
use crate::wire::form::enumeration::{
    ActionPurpose, ActionStatus, ApprovalStatus, ImpactLevel, SavingsBasis, Signature, StepKind,
    WatchVerdict,
};

/// Request to roll an action back.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionRollbackBody {
    /// Reason, at most 2,000 characters. It is shown with the action and recorded in the log.
    #[serde(default)]
    pub reason: Option<String>,
}

/// One execution of one plan.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ActionRecordBody {
    pub id: String,
    pub recommendation_id: String,
    /// Title of the recommendation.
    pub title: String,
    pub purpose: ActionPurpose,
    /// `true` if the steps ran on a simulated twin: nothing real was touched, and nothing was
    /// learnt about load or speed.
    pub simulated: bool,
    /// The resource it changes: the recommendation's, or the twin of a test.
    pub resource_id: String,
    /// The plan's hash as it ran.
    pub plan_hash: String,
    pub by: String,
    /// The agent, if the requester is one.
    pub by_agent: Option<String>,
    pub status: ActionStatus,
    /// Steps that were begun so far.
    pub steps: Vec<StepOutcomeBody>,
    /// Number of steps of the plan.
    pub steps_total: u32,
    pub started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Reason of the rollback or failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Person who undid it by their own decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
    /// Watch over its effect, once it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchBody>,
    /// `true` if a rollback can still be asked for. It ends an action early that only waits.
    pub can_roll_back: bool,
    /// `true` while it only waits: it holds a change until a time, or observes it.
    pub waits: bool,
}

/// The time after a change in which its effect is watched.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WatchBody {
    /// End of the window.
    pub until: String,
    pub verdict: WatchVerdict,
    /// The numbers behind it.
    pub detail: String,
    /// Savings a month that the recommendation predicted, dollars.
    pub predicted_savings_monthly: Option<f64>,
    /// Measured reduction of the resource's monthly cost, dollars; absent until known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realised_savings_monthly: Option<f64>,
    /// Prices of the measured reduction: `bill` (after discounts) or `list_price`; absent until
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub savings_basis: Option<SavingsBasis>,
    /// End of the days of the bill that the reduction was measured on; absent until the bill covers
    /// a whole day after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billed_until: Option<String>,
    /// Time from which nothing is saved any more; absent while the saving stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saving_ended_at: Option<String>,
    /// Reason why the saving ended, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saving_ended_reason: Option<String>,
}

/// Outcome of one step.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StepOutcomeBody {
    pub index: u32,
    pub kind: StepKind,
    pub description: String,
    /// Belongs to a rollback.
    pub rollback: bool,
    pub started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// `true` if it succeeded; absent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// Result of the step, or its error.
    pub detail: String,
    /// Attributes before the step.
    pub before: BTreeMap<String, String>,
    /// Attributes after the step.
    pub after: BTreeMap<String, String>,
}

/// A request for approval.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ApprovalBody {
    pub id: String,
    pub recommendation_id: String,
    /// Title of the recommendation.
    pub title: String,
    /// The plan it binds to.
    pub plan_hash: String,
    pub impact: ImpactLevel,
    pub needed: Vec<Signature>,
    pub signed: Vec<SignedBody>,
    /// Signatures left to others.
    pub delegated: Vec<DelegationBody>,
    /// Signatures the caller could give now.
    pub can_sign: Vec<String>,
    pub requested_by: String,
    /// Time, RFC 3339 UTC with milliseconds.
    pub requested_at: String,
    pub expires_at: String,
    pub status: ApprovalStatus,
    /// Reason of the rejection; before that, the requester's comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Exception to a guardrail that the signatures grant, where one is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionAskedBody>,
}

/// An exception to a guardrail that an approval request asks for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExceptionAskedBody {
    /// Guardrail (`cost_impact.max_increase`).
    pub guardrail: String,
    /// Limit at the time of the request, percent.
    pub limit: f64,
    /// Value of the plan, percent.
    pub value: f64,
    /// Action that used it up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_by: Option<String>,
}

/// A signature that somebody gave to an approval request.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SignedBody {
    pub signature: Signature,
    pub by: String,
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Comment of the signer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A signature that somebody leaves to somebody else.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DelegationBody {
    pub signature: Signature,
    pub from: String,
    pub to: String,
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
}

/// A signature that is left to somebody else.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DelegateBody {
    /// The e-mail address of who is to sign instead.
    pub to: String,
    /// Comment that the log entry keeps.
    pub comment: Option<String>,
}

/// Approval of a request, with an optional comment.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveBody {
    /// Comment that the log entry keeps.
    pub comment: Option<String>,
}

/// Refusal of a request, with its reason.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectBody {
    pub reason: String,
}

/// State to set the kill switch to, with its reason.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KillSwitchBody {
    /// `true` stops every change.
    pub on: bool,
    pub reason: String,
}

/// Resetting the circuit breaker.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BreakerResetBody {
    pub reason: String,
}

/// The dashboard of Intelligence Automation.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DashboardBody {
    /// Agents that act: those in `safe_mode` or `active`. Agents in `learning` only observe.
    pub active_agents: u64,
    /// All agents by mode.
    pub agents_by_mode: BTreeMap<String, u64>,
    /// Number of open recommendations.
    pub recommendations_open: u64,
    /// Open recommendations by priority.
    pub recommendations_by_priority: BTreeMap<String, u64>,
    /// Number of approval requests that wait.
    pub approvals_pending: u64,
    /// Actions in the last 30 days.
    pub actions_taken: u64,
    /// Actions by status.
    pub actions_by_status: BTreeMap<String, u64>,
    /// Measured savings a month, dollars: cost before less cost after, once the change was watched.
    pub savings_realised_monthly: f64,
    /// Predicted savings of the same changes a month, dollars.
    pub savings_predicted_monthly: f64,
    /// Changes that succeeded and whose saving is not measured yet.
    pub savings_unmeasured: u64,
    /// Predicted savings of those a month, dollars. They are not part of the realised savings.
    pub savings_unmeasured_monthly: f64,
    /// Savings a month of what has not ended, dollars: the same figure as `savings_monthly` of its
    /// list.
    pub savings_open_monthly: f64,
    /// Cost a month that open recommendations add together which cost more than they save, dollars;
    /// not subtracted from the savings.
    pub cost_added_open_monthly: f64,
    /// Open recommendations whose saving is not known for want of a price; none of them is in the
    /// sum.
    pub savings_open_unpriced: u64,
    /// Savings of all changes that succeeded, summed up to each day on which one ended, oldest
    /// first.
    pub savings_history: Vec<SavingsPointBody>,
    /// Monthly cost of the estate, dollars.
    pub monthly_cost: f64,
    /// Number of resources that are watched.
    pub resources: u64,
    pub resources_by_provider: BTreeMap<String, u64>,
    /// Learning progress per agent.
    pub learning: Vec<LearningBody>,
    /// Anomalies detected in the last 30 days; those of one incident count once.
    pub anomalies_detected: u64,
    /// `true` while the kill switch is on.
    pub kill_switch: bool,
}

/// Savings of the changes up to the end of a day.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SavingsPointBody {
    /// Day, UTC: `2026-05-01`.
    pub day: String,
    /// Predicted savings a month, dollars.
    pub predicted_monthly: f64,
    /// Measured savings a month, dollars; changes whose saving is not measured yet count as 0.
    pub measured_monthly: f64,
}

/// Learning progress of an agent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LearningBody {
    pub agent_id: String,
    pub name: String,
    /// Share of the learning period that is over, percent.
    pub percent: f64,
    /// Share of its ended recommendations that held, percent; null below ten, of which a share says
    /// little.
    pub accuracy: Option<f64>,
    /// Its ended recommendations that held.
    pub held: u64,
    /// Its ended recommendations: succeeded, rolled back or failed, and not taken back by a person.
    pub outcomes: u64,
    /// Its models that serve, with what they are worth on held-out days.
    pub models: Vec<ModelBody>,
}
