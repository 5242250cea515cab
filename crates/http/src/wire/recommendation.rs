//! Recommendations on the wire: requirements with Reeve's additions.

pub mod diagnosis;
pub mod rollout;
pub mod workflow;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration;
use crate::wire::form::enumeration::{
    ApplicabilityState, Effort, ImpactLevel, ModelType, PatchTool, Priority, Provider,
    RecommendationKind, RecommendationStatus, SavingsBasis, Signature, StepKind,
};
use crate::wire::form::quantity::percent_number;
use crate::wire::guardrail::protection::LossBody;

/// A recommendation with its reasons, plan, savings and state.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RecommendationBody {
    pub id: String,
    /// The agent that owns it, of the type `agent_type`; null for advice without such an agent,
    /// which people alone carry out.
    pub agent_id: Option<String>,
    /// Type of agent whose finding it is.
    pub agent_type: String,
    /// Agent type, rule and cause.
    pub origin: OriginBody,
    /// One of the thirteen types (`right_size`, `idle_resource_cleanup`,
    /// `instance_type`, ...); null where none fits.
    #[serde(rename = "type")]
    pub documented_type: Option<String>,
    /// Kind of change: the type, else one that none of the thirteen types fits.
    pub kind: RecommendationKind,
    /// The rule that found it (`downsize_underutilized`, ...).
    pub rule: String,
    /// Title of one line, for lists.
    pub title: String,
    pub resource: SubjectBody,
    pub priority: Priority,
    /// Percent, 0 to 100.
    pub confidence: f64,
    /// Impact in words and figures.
    pub impact: ImpactBody,
    /// Impact level: which approval it needs (`low`, `medium`, `high`).
    pub impact_level: ImpactLevel,
    pub effort: Effort,
    pub savings: SavingsBody,
    pub status: RecommendationStatus,
    /// The plan, exactly as it would run; null for advice.
    pub plan: Option<PlanBody>,
    /// Stable codes of what decided.
    pub reason_codes: Vec<String>,
    /// Effects that were not measured and are therefore not claimed.
    pub not_measured: Vec<String>,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Expiry, unless a later run finds it again.
    pub expires_at: String,
    /// Time at which it is to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_for: Option<String>,
    /// Until when it sleeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snoozed_until: Option<String>,
    /// Reason why it was dismissed, snoozed or failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    /// Guardrail that blocked the last execution, and by how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// Applicability by a person now, and what refuses it; absent while it is carried out, when it
    /// is over, and in records that are sent out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applicability: Option<ApplicabilityBody>,
    /// Exception to a guardrail that was granted for its plan and is not used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionBody>,
    /// Person who undid the change by their own decision; such an end is no failure of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back_by: Option<String>,
    /// Rank in the list, and its reasons.
    pub ranking: RankingBody,
    /// Explanation by the numbers that decided.
    pub explanation: ExplanationBody,
}

/// Origin of a recommendation.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OriginBody {
    /// Type of agent whose finding it is.
    pub agent_type: String,
    /// The rule that found it (`downsize_underutilized`, `auto_quarantine`, ...).
    pub rule: String,
    /// `run`, `anomaly`, `predictive_rule`, `event`, `person`.
    pub cause: String,
    /// Identifier of the anomaly, rule or log entry, or the person's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause_id: Option<String>,
}

/// Applicability of a recommendation by a person now. Execution decides by the same code.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ApplicabilityBody {
    pub state: ApplicabilityState,
    /// Blocker: a guardrail (`cost_impact.max_increase`), `scope`, `exclusion`, `agent_mode`,
    /// `agent`, `connection`, `resource`, `action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<String>,
    /// The limit and the value, or why it is advice, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Signatures that it needs before it runs.
    pub signatures: Vec<Signature>,
    /// `true` if people may grant an exception to what blocks it.
    pub can_be_excepted: bool,
}

/// An exception to a guardrail that was granted for one plan.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExceptionBody {
    pub guardrail: String,
    /// Highest value that it covers, percent.
    pub value: f64,
    /// The only plan that it covers.
    pub plan_hash: String,
    pub reason: String,
    /// The approval request that was signed.
    pub approval_id: String,
    pub granted_by: Vec<String>,
    /// End of its validity.
    pub expires_at: String,
}

/// Ask for an exception.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExceptionRequestBody {
    /// The plan's hash as seen; when different, nothing is done (409).
    pub plan_hash: String,
    /// Reason why the limit should not hold for this plan; 1 to 2000 characters.
    pub reason: String,
}

/// Lists put the highest expected value first.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RankingBody {
    /// Dollars a month: confidence times impact times weight.
    pub expected_value: f64,
    /// Weight from people's feedback on its kind: 0 to 2, 1 where nobody has answered.
    pub weight: f64,
    /// Answers in favour of its kind.
    pub in_favour: u64,
    /// Number of answers against it.
    pub against: u64,
    /// The same in words.
    pub explanation: String,
}

/// The resource of a recommendation.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SubjectBody {
    /// Identifier by the provider, such as an ARN.
    pub id: String,
    pub name: String,
    /// `virtual_machine`, `volume`, `database`, ...
    #[serde(rename = "type")]
    pub kind: String,
    pub provider: Provider,
    pub account: String,
    pub region: String,
    pub service: String,
    /// The connection it is reached over.
    pub connection_id: String,
    /// Size that it has now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// Size that is proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_type: Option<String>,
    /// Infrastructure as code owns the resource, and undoes what is changed beside it.
    pub managed_by_code: bool,
    /// Part of the resource that the finding is about, such as a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<String>,
}

/// Impact on cost, performance and security.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ImpactBody {
    /// Cost, in words with figures.
    pub cost: String,
    /// Performance, in words with figures.
    pub performance: String,
    pub security: String,
}

/// Savings a month; negative when it costs more, null where no price is known.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SavingsBody {
    /// At list price, for comparison alone; null where no price of this region, size and operating
    /// system is known. Pages and totals use `expected_monthly`.
    pub monthly: Option<f64>,
    /// Expected savings: after discounts where the bill is known, else at list price. Totals add
    /// this up.
    pub expected_monthly: Option<f64>,
    /// Basis of `expected_monthly`: `bill` or `list_price`; null where no price is known.
    pub basis: Option<SavingsBasis>,
    /// Currency, which is always `USD`.
    pub currency: String,
    /// After discounts and commitments, where the bill is known.
    pub monthly_after_discounts: Option<f64>,
    /// Monthly cost of the resource now, on the same basis as `expected_monthly`.
    pub current_monthly_cost: Option<f64>,
}

/// Typed change of a plan.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlannedChangeBody {
    /// Name, such as `resize_machine`.
    pub name: String,
    /// Parameters; their members depend on the change.
    #[schema(value_type = Object)]
    pub parameters: serde_json::Value,
    /// The resource that changes.
    pub resource: String,
}

/// The steps of a change, bound to approvals by their hash.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PlanBody {
    /// The typed change that the steps follow from; null in plans of releases before it.
    pub change: Option<PlannedChangeBody>,
    /// Version of `hash`: 2 covers the typed change, 1 the steps.
    pub hash_version: u8,
    /// Steps in the order of their execution.
    pub steps: Vec<StepBody>,
    /// SHA-256 that an approval binds to.
    pub hash: String,
    /// `true` if it can be undone.
    pub reversible: bool,
    /// `true` if the resource is down in between.
    pub restart_needed: bool,
    /// Losses and interruptions beside the purpose of the change; the hash covers kind and
    /// duration.
    pub losses: Vec<LossBody>,
}

/// A step of a plan.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StepBody {
    pub kind: StepKind,
    pub description: String,
    /// The resource it touches.
    pub resource: String,
}

/// Reasons of a recommendation, with the numbers that decided.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExplanationBody {
    /// The change in words.
    pub action: String,
    /// Percent, 0 to 100.
    pub confidence: f64,
    /// Range that holds nine outcomes in ten, percent; null where nothing was tried out.
    pub confidence_range: Option<ConfidenceRangeBody>,
    pub explanation: FactorsBody,
    /// Number of samples that were looked at.
    pub data_points: u64,
    /// Ended recommendations of the same kind, counted.
    pub similar_cases: u64,
    /// Share of those that succeeded, percent; null when there are none.
    pub success_rate: Option<f64>,
    pub estimated_impact: EstimatedImpactBody,
    /// Risk of the change, apart from its cost.
    pub risk_level: ImpactLevel,
    /// Checks in the order in which they decided.
    pub decision_path: Vec<DecisionBody>,
    /// Learned models that took part in the decision; empty where it rests on measurements alone.
    pub models: Vec<ModelUseBody>,
}

/// Learned model that took part in a decision.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ModelUseBody {
    /// Type of the model.
    #[serde(rename = "type")]
    pub kind: ModelType,
    /// Name of the model, such as `demand`.
    pub name: String,
    /// Identifier of the version.
    pub id: String,
    /// Version, counted from 1.
    pub version: u32,
    /// Time of the training.
    pub trained_at: String,
    /// Answer of the model, with its numbers.
    pub statement: String,
}

/// Range of a confidence, in percent.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConfidenceRangeBody {
    /// Lower end of the range, percent.
    pub low: f64,
    /// Upper end of the range, percent.
    pub high: f64,
}

/// Factors as sentences with their numbers.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FactorsBody {
    /// The sentences: what was measured, the forecast, the price, the consequences, and last the
    /// confidence.
    pub factors: Vec<String>,
}

/// Estimated impact on cost and performance, in words.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstimatedImpactBody {
    /// Cost reduction in words.
    pub cost_reduction: String,
    /// Performance impact in words.
    pub performance_impact: String,
}

/// A check of the decision path, with its answer.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DecisionBody {
    /// Question that the check answers.
    pub check: String,
    /// `yes`, `no` or `unknown`.
    pub answer: String,
    /// Numbers that it rests on, in words.
    pub detail: String,
}

/// Filters of the list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RecommendationParams {
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// One or more states, separated by commas.
    pub status: Option<String>,
    /// Agent identifier or type.
    pub agent: Option<String>,
    #[serde(rename = "type")]
    #[param(rename = "type")]
    pub kind: Option<String>,
    pub priority: Option<String>,
    /// Lowest confidence, percent: `85` or `85%`.
    #[serde(default, deserialize_with = "percent_number")]
    pub min_confidence: Option<f64>,
    /// Identifier of a resource.
    pub resource: Option<String>,
    /// Account, or name of a connection.
    pub account: Option<String>,
    /// `ready`, `blocked`, `advice_only`: only what has not ended.
    pub applicability: Option<String>,
}

/// A page of recommendations, and what all that the filter finds save together.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RecommendationList {
    pub items: Vec<RecommendationBody>,
    pub total: u64,
    /// Give this as `cursor` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Savings a month of those that have not ended together, dollars, on every page: after
    /// discounts where the bill is known, else at list price. Of those that exclude each other the
    /// best set counts.
    pub savings_monthly: f64,
    /// Cost a month that those add together which cost more than they save, dollars; not subtracted
    /// from `savings_monthly`.
    pub cost_added_monthly: f64,
    /// Those of them without a known price; none of them is in the sum.
    pub savings_unpriced: u64,
}

/// Request to apply a recommendation now.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecuteBody {
    /// The plan's hash as seen; when given and different, nothing is done (409).
    pub plan_hash: Option<String>,
    /// Comment that the log entry keeps.
    pub comment: Option<String>,
}

/// Outcome: an action that runs, or an approval that waits.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExecuteAnswer {
    /// The recommendation's state now.
    pub status: String,
    /// The action, when it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// The approval request, when one is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    pub message: String,
}

/// Refusal of a recommendation, with its reason.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DismissBody {
    pub reason: String,
}

/// Hides a recommendation until a time.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnoozeBody {
    pub until: String,
    pub reason: Option<String>,
}

/// Request to try a change on a twin first.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TestBody {
    /// `resource` (a twin tagged as no production) or `simulated` (nothing real is touched); left
    /// out: the first where there is one, else the second.
    pub on: Option<String>,
}

/// A test that has begun.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TrialBody {
    #[serde(flatten)]
    pub recommendation: RecommendationBody,
    /// `true` if nothing real is touched: the steps run on a simulated twin. That shows that they
    /// work, and says nothing about load or speed.
    pub simulated: bool,
}

/// Time at which a recommendation is to be applied.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleBody {
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Comment that the log entry keeps.
    pub comment: Option<String>,
}

/// Feedback on a recommendation, as a person gives it.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackBody {
    /// `implemented_successfully`, `implemented_issues`, `not_applicable`, `not_now`.
    #[schema(value_type = enumeration::FeedbackOutcome)]
    pub outcome: String,
    /// Rating from 1 to 5, the best.
    pub rating: Option<i64>,
    /// Free text; needed with every outcome but the first.
    pub comments: Option<String>,
    /// With `not_now`: until when; two weeks where it is left out.
    pub until: Option<String>,
}

/// Confirmation that feedback was stored.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FeedbackAnswer {
    /// Identifier of the feedback.
    pub id: String,
    pub recommendation_id: String,
    /// Outcome as it is stored.
    pub outcome: String,
    pub recorded_at: String,
}

/// Change in infrastructure as code.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PatchBody {
    pub tool: PatchTool,
    /// The tag that says so, `key=value`.
    pub tag: String,
    /// Place in the code, and the lines that change: `-` is removed, `+` is added.
    pub patch: String,
}
