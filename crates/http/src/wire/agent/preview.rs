//! The dry run of an agent on the wire.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use reeve_engine::PreviewOutcome;
use reeve_recommend::recommendation::Recommendation;

/// A configuration that is considered; what is left out is the agent's own.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PreviewParams {
    /// `learning`, `safe_mode` or `active`.
    pub mode: Option<String>,
    /// `true` applies changes automatically.
    pub auto_apply: Option<bool>,
    /// Highest impact of automatic changes: `low`, `medium`, `high`.
    pub max_impact: Option<String>,
}

/// Dry run of an agent: its decision on each of its open recommendations. Nothing is executed or
/// requested.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PreviewBody {
    /// Mode that the decisions suppose.
    pub mode: String,
    /// `true` if the decisions suppose that changes are applied automatically.
    pub auto_apply: bool,
    /// Highest impact of automatic changes that the decisions suppose.
    pub max_impact: String,
    /// Days of samples of its scope, of those that its learning period asks for.
    pub days_observed: u32,
    /// The decisions, in the order in which a run takes the recommendations up.
    pub items: Vec<PreviewDecisionBody>,
}

/// Decision of an agent on one recommendation.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PreviewDecisionBody {
    /// Identifier of the recommendation.
    pub recommendation_id: String,
    /// One line for people.
    pub title: String,
    /// Name of the resource.
    pub resource: String,
    pub kind: String,
    /// Impact by the approval matrix.
    pub impact_level: String,
    /// `applies`, `requests_approval`, `rollout`, `blocked`, `left_to_people`.
    pub outcome: String,
    /// Guardrail (`cost_impact.max_increase`) or state of the resource that blocks it, or the
    /// reason for which it is left to people or to a rollout (`low_confidence`, `begins_rollout`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Limit and value of what blocks it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Signatures that are requested.
    pub signatures: Vec<String>,
}

impl From<&(Recommendation, PreviewOutcome)> for PreviewDecisionBody {
    fn from((recommendation, outcome): &(Recommendation, PreviewOutcome)) -> Self {
        let (name, reason, detail, signatures) = match outcome {
            PreviewOutcome::Applies => ("applies", None, None, [].as_slice()),
            PreviewOutcome::RequestsApproval(signatures) => {
                ("requests_approval", None, None, signatures.as_slice())
            }
            PreviewOutcome::Rollout(reason) => {
                ("rollout", Some((*reason).to_owned()), None, [].as_slice())
            }
            PreviewOutcome::Blocked { by, reason } => (
                "blocked",
                Some(by.clone()),
                Some(reason.clone()),
                [].as_slice(),
            ),
            PreviewOutcome::LeftToPeople(reason) => (
                "left_to_people",
                Some((*reason).to_owned()),
                None,
                [].as_slice(),
            ),
        };
        PreviewDecisionBody {
            recommendation_id: recommendation.id.0.clone(),
            title: recommendation.title.clone(),
            resource: recommendation.subject.name.clone(),
            kind: recommendation.kind.as_str().to_owned(),
            impact_level: recommendation.impact_level.as_str().to_owned(),
            outcome: name.to_owned(),
            reason,
            detail,
            signatures: signatures
                .iter()
                .map(|signature| signature.as_str().to_owned())
                .collect(),
        }
    }
}
